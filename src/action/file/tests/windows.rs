//! Parts of files.

use super::*;

#[tokio::test]
async fn lines_are_cut_out_as_they_stand() {
    let place = place();
    for (window, expected, more) in [
        (lines(1, 1), "# beta\r\n", true),
        (lines(2, 2), "second\r\n", true),
        (lines(2, 3), "second\r\nthird", false),
        (lines(3, None), "third", false),
        (lines(1, None), "# beta\r\nsecond\r\nthird", false),
        (lines(3, 900), "third", false),
        (lines(4, 9), "", false),
        (lines(u64::MAX, None), "", false),
        (lines(1, u64::MAX), "# beta\r\nsecond\r\nthird", false),
    ] {
        let found = place.window("docs/b.md", window).await.unwrap();
        assert_eq!(found.body, Body::Text(expected.into()), "{window:?}");
        assert_eq!((found.has_more, found.size), (more, 21), "{window:?}");
    }
    // A last line that ends is the last line: there is no empty one after it.
    let found = place.window("a.txt", lines(1, 1)).await.unwrap();
    assert_eq!(
        (found.body, found.has_more),
        (Body::Text("alpha\n".into()), false)
    );
    assert_eq!(
        place.window("a.txt", lines(0, 1)).await,
        Err(FileError::Window(WindowError::Zero))
    );
    assert_eq!(
        place.window("a.txt", lines(3, 2)).await,
        Err(FileError::Window(WindowError::Backwards { from: 3, to: 2 }))
    );
}

#[tokio::test]
async fn lines_are_found_in_a_file_larger_than_any_buffer_or_limit() {
    let place = place();
    let content: String = (1..=60_000).map(|n| format!("line {n}\n")).collect();
    fs::write(place.inside().join("big"), &content).unwrap();
    let options = limited(24, lines(40_001, 40_002));
    let found = file(place.root.read("big", &options).await.unwrap());
    assert_eq!(found.body, Body::Text("line 40001\nline 40002\n".into()));
    assert_eq!(found.mime, "text/plain");
    assert!(found.has_more);
    let options = limited(24, lines(40_001, 40_003));
    assert_eq!(
        place.root.read("big", &options).await,
        Err(FileError::PartTooLarge { limit: 24 })
    );
    let found = place.window("big", lines(1, None)).await.unwrap();
    assert_eq!(found.body, Body::Text(content));
}

#[tokio::test]
async fn bytes_are_cut_out_between_characters() {
    let place = place();
    fs::write(place.inside().join("u"), "aß€z").unwrap();
    for (window, expected, more) in [
        (bytes(0, 2), "aß", true),
        (bytes(2, 1), "", true),
        (bytes(3, 3), "€", true),
        (bytes(3, None), "€z", false),
        (bytes(0, None), "aß€z", false),
        (bytes(0, 0), "", true),
        (bytes(7, 5), "", false),
        (bytes(u64::MAX, 1), "", false),
        (bytes(u64::MAX, u64::MAX), "", false),
    ] {
        let found = place.window("u", window).await.unwrap();
        assert_eq!(found.body, Body::Text(expected.into()), "{window:?}");
        assert_eq!(found.has_more, more, "{window:?}");
    }
    for length in [None, Some(5)] {
        let found = place.root.read("u", &limited(4, bytes(0, length))).await;
        assert_eq!(found, Err(FileError::PartTooLarge { limit: 4 }));
    }
    assert_eq!(
        text(place.root.read("u", &limited(4, bytes(3, None))).await),
        "€z"
    );
}

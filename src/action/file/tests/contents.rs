//! Whole files and folders.

use super::*;
use crate::ops::Base64;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

#[tokio::test]
async fn a_file_comes_with_all_that_is_known_of_it() {
    let place = place();
    let path = place.inside().join("a.txt");
    let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(951_782_400);
    fs::File::options()
        .write(true)
        .open(path)
        .unwrap()
        .set_modified(time)
        .unwrap();
    let expected = FileContent {
        path: "a.txt".into(),
        body: Body::Text("alpha\n".into()),
        mime: "text/plain".into(),
        size: 6,
        modified: Some("2000-02-29T00:00:00Z".into()),
        has_more: false,
    };
    assert_eq!(place.read("a.txt").await, Ok(Found::File(expected)));
    let binary = file(place.read("docs/deep/c.bin").await.unwrap());
    assert_eq!(binary.body, Body::Base64(Base64::encode(b"\0\x01\xff")));
    assert_eq!(
        (binary.mime.as_str(), binary.size),
        ("application/octet-stream", 3)
    );
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn files_that_say_they_are_empty_are_read() {
    let proc = Root::open(Path::new("/proc")).unwrap();
    let found = file(proc.read("version", &ReadOptions::default()).await.unwrap());
    assert_eq!(found.size, 0);
    assert!(matches!(found.body, Body::Text(text) if text.starts_with("Linux version")));
    let small = limited(4, Window::Whole);
    assert_eq!(
        proc.read("version", &small).await,
        Err(FileError::TooLarge { limit: 4 })
    );
    // The link `self` stays inside; `root` and `exe` are magic links and lead out.
    assert!(
        proc.read("self/status", &ReadOptions::default())
            .await
            .is_ok()
    );
    for path in ["self/root/etc/passwd", "self/exe", "self/cwd/Cargo.toml"] {
        let found = proc.read(path, &ReadOptions::default()).await;
        assert_eq!(found, Err(FileError::NotFound), "{path}");
    }
}

#[tokio::test]
async fn a_file_may_be_as_large_as_the_limit() {
    let place = place();
    // Sizes on both sides of what is read at once.
    for size in [0, 1, 4096, 65_536, 65_537, 300_000] {
        let content = "x".repeat(size);
        fs::write(place.inside().join("f"), &content).unwrap();
        let limit = size as u64;
        let found = place.root.read("f", &limited(limit, Window::Whole)).await;
        assert_eq!(text(found), content, "{size}");
        if size > 0 {
            let found = place
                .root
                .read("f", &limited(limit - 1, Window::Whole))
                .await;
            assert_eq!(found, Err(FileError::TooLarge { limit: limit - 1 }));
        }
    }
    // Far larger than memory, if it were read.
    let sparse = fs::File::create(place.inside().join("sparse")).unwrap();
    sparse.set_len(1 << 40).unwrap();
    let found = place.read("sparse").await;
    assert_eq!(
        found,
        Err(FileError::TooLarge {
            limit: 10 * 1024 * 1024
        })
    );
    let part = place
        .window("sparse", bytes((1 << 40) - 2, 9))
        .await
        .unwrap();
    assert_eq!(
        (part.body, part.size),
        (Body::Base64(Base64::encode(b"\0\0")), 1 << 40)
    );
    let error = FileError::TooLarge { limit: 4 }.to_string();
    assert!(error.contains("4 bytes") && error.contains("`lines`") && error.contains("`offset`"));
}

#[tokio::test]
async fn a_large_file_is_text_or_not_wherever_it_shows() {
    let place = place();
    let path = place.inside().join("f");
    // Sizes around the parts that such a file is encoded in.
    const CHUNK: usize = 96 * 1024;
    for size in [CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 3 * CHUNK + 2] {
        let text = "x".repeat(size);
        fs::write(&path, &text).unwrap();
        assert_eq!(place.text("f").await, text, "{size}");
        for wrong in [0, CHUNK - 2, size - 1] {
            for byte in [0, 0xff] {
                let mut bytes = text.clone().into_bytes();
                bytes[wrong] = byte;
                fs::write(&path, &bytes).unwrap();
                let limit = size as u64;
                let found = place.root.read("f", &limited(limit, Window::Whole)).await;
                let found = file(found.unwrap());
                assert_eq!(
                    found.body,
                    Body::Base64(Base64::encode(&bytes)),
                    "{size} {wrong}"
                );
                assert_eq!(found.mime, "application/octet-stream");
                assert_eq!((found.size, found.has_more), (limit, false));
                let found = place
                    .root
                    .read("f", &limited(limit - 1, Window::Whole))
                    .await;
                assert_eq!(found, Err(FileError::TooLarge { limit: limit - 1 }));
            }
        }
    }
    // A character that goes on behind the first part.
    let text = format!("{}é{}", "x".repeat(CHUNK - 1), "y".repeat(CHUNK));
    fs::write(&path, &text).unwrap();
    assert_eq!(place.text("f").await, text);
    let picture = [b"\x89PNG\r\n\x1a\n".as_slice(), &[0; 2 * CHUNK]].concat();
    fs::write(&path, &picture).unwrap();
    let found = file(place.read("f").await.unwrap());
    assert_eq!(found.mime, "image/png");
}

#[tokio::test]
async fn a_file_that_grows_is_read_within_the_limit() {
    let place = place();
    let path = place.inside().join("log");
    fs::write(&path, "").unwrap();
    let done = std::sync::Arc::new(AtomicBool::new(false));
    let writer = {
        let done = done.clone();
        std::thread::spawn(move || {
            use std::io::Write as _;
            let mut log = fs::File::options().append(true).open(path).unwrap();
            while !done.load(Ordering::Relaxed) {
                log.write_all(&[b'x'; 512]).unwrap();
                if log.metadata().unwrap().len() > 200_000 {
                    log.set_len(0).unwrap();
                }
            }
        })
    };
    for _ in 0..300 {
        match place
            .root
            .read("log", &limited(100_000, Window::Whole))
            .await
        {
            Ok(found) => assert!(text(Ok(found)).len() <= 100_000),
            Err(error) => assert_eq!(error, FileError::TooLarge { limit: 100_000 }),
        }
    }
    done.store(true, Ordering::Relaxed);
    writer.join().unwrap();
}

#[tokio::test]
async fn a_folder_is_listed_by_name_when_that_is_wanted() {
    let place = place();
    symlink("a.txt", place.inside().join("docs/link")).unwrap();
    fs::write(place.inside().join("docs/.hidden"), "").unwrap();
    let found = place.root.read("docs/", &listing()).await.unwrap();
    let Found::Folder(docs) = found else {
        panic!("{found:?}")
    };
    let entry = |name: &str, kind, size| Entry {
        name: name.into(),
        kind,
        size,
    };
    assert_eq!(
        docs.entries,
        [
            entry(".hidden", EntryKind::File, Some(0)),
            entry("b.md", EntryKind::File, Some(21)),
            entry("deep", EntryKind::Folder, None),
            entry("link", EntryKind::Link, None),
        ]
    );
    assert_eq!((docs.path.as_str(), docs.truncated), ("docs/", false));
    assert!(docs.modified.is_some());
    for path in ["", ".", "docs/.."] {
        assert_eq!(place.read(path).await, Err(FileError::NotFound), "{path}");
        let found = place.root.read(path, &listing()).await.unwrap();
        let Found::Folder(root) = found else {
            panic!("{found:?}")
        };
        let names: Vec<_> = root
            .entries
            .iter()
            .map(|entry| entry.name.as_str())
            .collect();
        assert_eq!(names, ["a.txt", "docs"]);
    }
    assert_eq!(place.read("docs").await, Err(FileError::NotFound));
}

#[test]
fn a_listing_keeps_the_first_names() {
    let dir = tempfile::tempdir().unwrap();
    for number in 0..50 {
        fs::write(dir.path().join(format!("{:02}", (number * 7) % 50)), "").unwrap();
    }
    let folder = fs::File::open(dir.path()).unwrap();
    let (entries, truncated) = folder::list(&folder, 3, &AtomicBool::new(false)).unwrap();
    let names: Vec<_> = entries.iter().map(|entry| entry.name.as_str()).collect();
    assert_eq!(
        (names.as_slice(), truncated),
        (["00", "01", "02"].as_slice(), true)
    );
    let (entries, truncated) = folder::list(&folder, 50, &AtomicBool::new(false)).unwrap();
    assert_eq!((entries.len(), truncated), (50, false));
}

#[tokio::test]
async fn many_reads_at_once_all_get_their_own() {
    let place = place();
    // Larger than what is read at once, so that each needs a turn.
    for number in 0..40 {
        let content = format!("{number:05}").repeat(20_000);
        fs::write(place.inside().join(number.to_string()), content).unwrap();
    }
    let mut reads = tokio::task::JoinSet::new();
    for number in 0..40 {
        let root = place.root.clone();
        reads.spawn(async move {
            let found = root
                .read(&number.to_string(), &ReadOptions::default())
                .await;
            assert!(text(found).starts_with(&format!("{number:05}")));
        });
    }
    while let Some(read) = reads.join_next().await {
        read.unwrap();
    }
}

/// The reading thread would need minutes for this file.
#[tokio::test]
async fn dropping_a_read_gives_its_turn_back() {
    let place = place();
    let sparse = fs::File::create(place.inside().join("sparse")).unwrap();
    sparse.set_len(1 << 42).unwrap();
    {
        let options = limited(9, lines(2, None));
        let read = place.root.read("sparse", &options);
        tokio::pin!(read);
        tokio::select! {
            biased;
            found = &mut read => panic!("{found:?}"),
            () = tokio::task::yield_now() => {}
        }
    }
    let turns = &place.root.0.turns;
    let all = turns.acquire_many(u32::try_from(source::TURNS).unwrap());
    let all = tokio::time::timeout(std::time::Duration::from_secs(20), all).await;
    assert!(all.is_ok(), "the thread reads on");
}

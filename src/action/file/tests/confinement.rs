//! What can be read from where.

use super::*;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

#[tokio::test]
async fn nothing_outside_the_root_is_read() {
    let place = place();
    let inside = place.inside();
    let secret = place.dir.path().join("secret.txt");
    symlink(&secret, inside.join("absolute")).unwrap();
    symlink("../secret.txt", inside.join("relative")).unwrap();
    symlink("..", inside.join("up")).unwrap();
    symlink("/", inside.join("top")).unwrap();
    symlink("absolute", inside.join("docs/chain")).unwrap();
    symlink("loop", inside.join("loop")).unwrap();
    symlink("gone", inside.join("dangling")).unwrap();
    for path in [
        "../secret.txt",
        "docs/../../secret.txt",
        "docs/../../root/a.txt",
        "..",
        "/",
        "/etc/passwd",
        "//etc/passwd",
        secret.to_str().unwrap(),
        inside.join("a.txt").to_str().unwrap(),
        "absolute",
        "relative",
        "up/secret.txt",
        "up",
        "top/etc/passwd",
        "docs/chain",
        "loop",
        "loop/a",
        "dangling",
        "a.txt\0",
        "\0",
        "a.txt\0.md",
        "gone.txt",
        "a.txt/",
        "a.txt/.",
        "a.txt/../a.txt",
        "docs\\b.md",
        "%2e%2e/secret.txt",
        &"x".repeat(256),
        &"docs/".repeat(2000),
        &"../".repeat(5000),
    ] {
        let found = place.root.read(path, &listing()).await;
        assert_eq!(found, Err(FileError::NotFound), "{path:.60}");
    }
}

#[tokio::test]
async fn what_stays_inside_is_read() {
    let place = place();
    let inside = place.inside();
    symlink("docs/b.md", inside.join("link")).unwrap();
    symlink("../a.txt", inside.join("docs/up")).unwrap();
    symlink("docs", inside.join("folder")).unwrap();
    fs::write(inside.join("HEAD~3..HEAD"), "range").unwrap();
    fs::write(inside.join("a\\b"), "backslash").unwrap();
    fs::write(inside.join(" ü\n"), "odd").unwrap();
    for (path, content) in [
        ("./a.txt", "alpha\n"),
        ("docs/../a.txt", "alpha\n"),
        ("docs//deep/../../a.txt", "alpha\n"),
        ("docs/up", "alpha\n"),
        ("folder/../a.txt", "alpha\n"),
        ("HEAD~3..HEAD", "range"),
        ("a\\b", "backslash"),
        (" ü\n", "odd"),
    ] {
        assert_eq!(place.text(path).await, content, "{path}");
    }
    let linked = file(place.read("link").await.unwrap());
    assert_eq!(linked.body, Body::Text("# beta\r\nsecond\r\nthird".into()));
}

#[tokio::test]
async fn the_root_is_the_folder_that_was_opened() {
    let place = place();
    let moved = place.dir.path().join("moved");
    fs::rename(place.inside(), &moved).unwrap();
    fs::create_dir(place.inside()).unwrap();
    fs::write(place.inside().join("a.txt"), "another").unwrap();
    assert_eq!(place.text("a.txt").await, "alpha\n");
}

#[tokio::test]
async fn a_root_that_was_removed_is_found_again_once_it_is_made_anew() {
    let place = place();
    fs::remove_dir_all(place.inside()).unwrap();
    assert_eq!(place.read("a.txt").await, Err(FileError::NotFound));
    fs::create_dir(place.inside()).unwrap();
    fs::write(place.inside().join("a.txt"), "another").unwrap();
    std::os::unix::fs::symlink("../secret.txt", place.inside().join("out")).unwrap();
    assert_eq!(place.text("a.txt").await, "another");
    assert_eq!(place.read("out").await, Err(FileError::NotFound));
    assert_eq!(place.read("../secret.txt").await, Err(FileError::NotFound));
}

#[test]
fn a_root_must_be_a_folder() {
    let place = place();
    for (path, kind) in [
        ("gone", std::io::ErrorKind::NotFound),
        ("secret.txt", std::io::ErrorKind::NotADirectory),
    ] {
        let path = place.dir.path().join(path);
        let error = Root::open(&path).unwrap_err();
        assert_eq!(error.source.kind(), kind);
        assert_eq!(
            error.to_string(),
            format!("cannot open the folder `{}`", path.display())
        );
    }
}

/// A folder that is now itself, now a link to outside, while it is read: whatever a read gives, it
/// is never the file outside.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn exchanging_a_folder_for_a_link_leads_nowhere() {
    let place = place();
    let inside = place.inside();
    fs::create_dir(place.dir.path().join("outside")).unwrap();
    fs::write(place.dir.path().join("outside/x"), "secret").unwrap();
    fs::create_dir(inside.join("real")).unwrap();
    fs::write(inside.join("real/x"), "fine").unwrap();
    symlink("../outside", inside.join("link")).unwrap();
    fs::rename(inside.join("real"), inside.join("now")).unwrap();
    let done = std::sync::Arc::new(AtomicBool::new(false));
    let racer = {
        let done = done.clone();
        std::thread::spawn(move || {
            while !done.load(Ordering::Relaxed) {
                fs::rename(inside.join("now"), inside.join("real")).unwrap();
                fs::rename(inside.join("link"), inside.join("now")).unwrap();
                fs::rename(inside.join("now"), inside.join("link")).unwrap();
                fs::rename(inside.join("real"), inside.join("now")).unwrap();
            }
        })
    };
    let mut fine = 0;
    for round in 0..4000 {
        let path = if round % 2 == 0 {
            "now/x"
        } else {
            "docs/../now/x"
        };
        match place.read(path).await {
            Ok(found) => {
                assert_eq!(text(Ok(found)), "fine");
                fine += 1;
            }
            Err(error) => assert_eq!(error, FileError::NotFound),
        }
    }
    done.store(true, Ordering::Relaxed);
    racer.join().unwrap();
    assert!(fine > 0);
}

#[tokio::test]
async fn fifos_sockets_and_devices_are_refused_without_waiting() {
    let place = place();
    let inside = place.inside();
    let fifo = inside.join("fifo");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &fifo,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(inside.join("socket")).unwrap();
    for path in ["fifo", "socket"] {
        assert_eq!(place.read(path).await, Err(FileError::NotFound), "{path}");
    }
    let dev = Root::open(Path::new("/dev")).unwrap();
    for path in ["null", "zero", "tty"] {
        let found = dev.read(path, &ReadOptions::default()).await;
        assert_eq!(found, Err(FileError::NotFound), "{path}");
    }
    let fixed = Fixed::new(&fifo, "fifo");
    assert_eq!(
        fixed.read(&ReadOptions::default()).await,
        Err(FileError::NotFound)
    );
}

#[tokio::test]
async fn a_fixed_path_is_read_as_it_stands_each_time() {
    let place = place();
    let path = place.dir.path().join("current");
    let fixed = Fixed::new(&path, "../current");
    assert_eq!(
        fixed.read(&ReadOptions::default()).await,
        Err(FileError::NotFound)
    );
    symlink("secret.txt", &path).unwrap();
    let found = file(fixed.read(&ReadOptions::default()).await.unwrap());
    assert_eq!(
        (found.path.as_str(), found.body),
        ("../current", Body::Text("secret".into()))
    );
    fs::remove_file(&path).unwrap();
    fs::write(&path, "another").unwrap();
    assert_eq!(text(fixed.read(&ReadOptions::default()).await), "another");
    // Now that it is there, it can be read at once as well.
    let fixed = Fixed::new(&path, "current");
    assert_eq!(text(fixed.read(&ReadOptions::default()).await), "another");
}

#[tokio::test]
async fn permission_denied_is_told_apart_and_names_no_path() {
    let denied = std::io::Error::from_raw_os_error(rustix::io::Errno::ACCESS.raw_os_error());
    let error = FileError::from_io("a/b", &denied);
    assert_eq!(error, FileError::Denied);
    assert!(!error.to_string().contains("a/b"));
    let broken = std::io::Error::from_raw_os_error(rustix::io::Errno::IO.raw_os_error());
    assert!(matches!(
        FileError::from_io("a", &broken),
        FileError::Failed(_)
    ));
    // And for real, where the test does not run as root.
    let place = place();
    let path = place.inside().join("closed");
    fs::write(&path, "x").unwrap();
    let nobody = std::os::unix::fs::PermissionsExt::from_mode(0o000);
    fs::set_permissions(&path, nobody).unwrap();
    if fs::File::open(&path).is_err() {
        assert_eq!(place.read("closed").await, Err(FileError::Denied));
    }
}

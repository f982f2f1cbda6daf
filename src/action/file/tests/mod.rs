//! Reading through the public face.

mod confinement;
mod contents;
mod windows;

use super::*;
use crate::model::{Window, WindowError};
use std::fs;
use tempfile::TempDir;

/// A folder with a secret beside the root, and things in the root.
struct Place {
    dir: TempDir,
    root: Root,
}

fn place() -> Place {
    let dir = tempfile::tempdir().unwrap();
    let inside = dir.path().join("root");
    fs::create_dir_all(inside.join("docs/deep")).unwrap();
    fs::write(dir.path().join("secret.txt"), "secret").unwrap();
    fs::write(inside.join("a.txt"), "alpha\n").unwrap();
    fs::write(inside.join("docs/b.md"), "# beta\r\nsecond\r\nthird").unwrap();
    fs::write(inside.join("docs/deep/c.bin"), b"\x00\x01\xff").unwrap();
    let root = Root::open(&inside).unwrap();
    Place { dir, root }
}

impl Place {
    fn inside(&self) -> std::path::PathBuf {
        self.dir.path().join("root")
    }

    async fn read(&self, path: &str) -> Result<Found, FileError> {
        self.root.read(path, &ReadOptions::default()).await
    }

    async fn text(&self, path: &str) -> String {
        text(self.read(path).await)
    }

    async fn window(&self, path: &str, window: Window) -> Result<FileContent, FileError> {
        let options = ReadOptions {
            window,
            ..ReadOptions::default()
        };
        self.root.read(path, &options).await.map(file)
    }
}

fn file(found: Found) -> FileContent {
    match found {
        Found::File(file) => file,
        Found::Folder(listing) => panic!("a folder: {listing:?}"),
    }
}

fn text(found: Result<Found, FileError>) -> String {
    match file(found.unwrap()).body {
        Body::Text(text) => text,
        Body::Base64(bytes) => panic!("bytes: {bytes:?}"),
    }
}

fn lines(from: u64, to: impl Into<Option<u64>>) -> Window {
    Window::Lines {
        from,
        to: to.into(),
    }
}

fn bytes(offset: u64, length: impl Into<Option<u64>>) -> Window {
    Window::Bytes {
        offset,
        length: length.into(),
    }
}

fn listing() -> ReadOptions {
    ReadOptions {
        list_directories: true,
        ..ReadOptions::default()
    }
}

fn limited(max_bytes: u64, window: Window) -> ReadOptions {
    ReadOptions {
        max_bytes,
        window,
        ..ReadOptions::default()
    }
}

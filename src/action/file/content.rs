//! What a read gives.

use crate::ops::Base64;

/// What was found at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// A regular file.
    File(FileContent),
    /// A folder; only with [`list_directories`](super::ReadOptions::list_directories).
    Folder(Listing),
}

/// A file, or the part of it that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileContent {
    /// The path as the caller gave it; for a fixed path, the manifest's.
    pub path: String,
    /// The content.
    pub body: Body,
    /// By extension, else by content; without parameters.
    pub mime: String,
    /// Size of the whole file in bytes, as it was when the file was opened. Zero for files of
    /// `/proc`, whatever they hold.
    pub size: u64,
    /// Time of the last modification, RFC 3339 in UTC to the second; `None` when the file system
    /// keeps none.
    pub modified: Option<String>,
    /// The file goes on after the window. False for a whole file.
    pub has_more: bool,
}

/// Content as it goes into JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// UTF-8.
    Text(String),
    /// What is no text.
    Base64(Base64),
}

/// A folder's entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// The path as the caller gave it.
    pub path: String,
    /// Sorted by the bytes of the name. At most [`Listing::MOST`]; when there are more, the first.
    pub entries: Vec<Entry>,
    /// Time of the last modification, as in [`FileContent`].
    pub modified: Option<String>,
    /// There are more entries than these.
    pub truncated: bool,
}

impl Listing {
    /// Entries listed at the most.
    pub const MOST: usize = 10_000;
}

/// One entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The name; bytes that are not UTF-8 are U+FFFD.
    pub name: String,
    /// What it is, links not followed.
    pub kind: EntryKind,
    /// Size in bytes, of a regular file.
    pub size: Option<u64>,
}

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// A FIFO, socket or device; it cannot be read.
    Other,
}

impl EntryKind {
    /// The word a listing shows.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Folder => "folder",
            Self::Link => "link",
            Self::Other => "other",
        }
    }
}

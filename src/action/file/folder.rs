//! Listing a folder.

use super::{Entry, EntryKind};
use rustix::fs::{AtFlags, Dir, FileType, statat};
use std::collections::BinaryHeap;
use std::ffi::{CStr, CString};
use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

/// Names looked at, at the most. A larger folder is listed from these, in no particular order.
const SCANNED: usize = 1_000_000;

/// The first entries of an open folder by name, and whether there are more. Ends early once
/// `stop` is set.
pub(super) fn list(
    folder: &File,
    most: usize,
    stop: &AtomicBool,
) -> io::Result<(Vec<Entry>, bool)> {
    let mut first = BinaryHeap::new();
    let mut truncated = false;
    for (seen, entry) in Dir::read_from(folder)?.enumerate() {
        if seen == SCANNED || stop.load(Ordering::Relaxed) {
            truncated = true;
            break;
        }
        let entry = entry?;
        let name = entry.file_name();
        if matches!(name.to_bytes(), b"." | b"..") {
            continue;
        }
        first.push(CString::from(name));
        if first.len() > most {
            first.pop();
            truncated = true;
        }
    }
    let names = first.into_sorted_vec();
    let entries = names
        .into_iter()
        .filter_map(|name| look(folder, &name))
        .collect();
    Ok((entries, truncated))
}

/// One entry; `None` when it has gone since its name was read.
fn look(folder: &File, name: &CStr) -> Option<Entry> {
    let (kind, size) = match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => (
            FileType::from_raw_mode(stat.st_mode),
            u64::try_from(stat.st_size).ok(),
        ),
        Err(rustix::io::Errno::NOENT) => return None,
        // A folder that may be listed but not entered tells no more than names.
        Err(_) => (FileType::Unknown, None),
    };
    let kind = match kind {
        FileType::RegularFile => EntryKind::File,
        FileType::Directory => EntryKind::Folder,
        FileType::Symlink => EntryKind::Link,
        _ => EntryKind::Other,
    };
    Some(Entry {
        name: String::from_utf8_lossy(name.to_bytes()).into_owned(),
        kind,
        size: size.filter(|_| kind == EntryKind::File),
    })
}

//! Memory for large files. What one answer had, another has after it: fresh memory is zeroed by the kernel
//! page by page, which takes longer than reading a file that is in its cache.

use super::ReadOptions;
use crate::model::{Encoding, Window};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Memory for a file's bytes, and for their base64.
#[derive(Default)]
pub(super) struct Room {
    pub(super) bytes: Vec<u8>,
    pub(super) encoded: Vec<u8>,
}

/// The largest file that room is made for before it is read: reads that wait for their turn hold it.
const MOST_ROOM: u64 = 4 * 1024 * 1024;

/// What lies ready together, at most, in bytes; and the least that is worth it.
const MOST_READY: usize = 8 * 1024 * 1024;
const LEAST: usize = 128 * 1024;

/// Taken by readers of large files alone, for as long as a look at a few entries takes.
static READY: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());

impl Room {
    /// Whether it is for a large file that may be no text.
    pub(super) fn is_large(&self) -> bool {
        self.encoded.capacity() >= LEAST
    }

    /// For a file of this size, read like this.
    pub(super) fn of(size: u64, options: &ReadOptions) -> Self {
        let whole = options.window == Window::Whole && size <= options.max_bytes;
        let size = Some(size).filter(|size| whole && *size <= MOST_ROOM);
        let Some(size) = size.and_then(|size| usize::try_from(size).ok()) else {
            return Self::default();
        };
        // One byte more, to see that the file ends there.
        let bytes = size + 1;
        match options.encoding {
            // It becomes the text, and does not come back.
            Encoding::Text => Self {
                bytes: fresh(bytes),
                encoded: Vec::new(),
            },
            Encoding::Auto | Encoding::Base64 => Self {
                bytes: take(bytes),
                encoded: take(size.div_ceil(3) * 4),
            },
        }
    }
}

/// Empty memory of this length: the least that lies ready and suffices, if that is no more than twice as
/// long.
fn take(length: usize) -> Vec<u8> {
    if length < LEAST {
        return fresh(length);
    }
    let mut ready = ready();
    let suits = ready.iter().enumerate().filter(|(_, memory)| {
        let capacity = memory.capacity();
        capacity >= length && capacity / 2 <= length
    });
    let least = suits.min_by_key(|(_, memory)| memory.capacity());
    match least.map(|(place, _)| place) {
        Some(place) => ready.swap_remove(place),
        None => {
            drop(ready);
            fresh(length)
        }
    }
}

/// Gives memory back, for the next answer.
pub(super) fn give(mut memory: Vec<u8>) {
    if memory.capacity() < LEAST {
        return;
    }
    memory.clear();
    let mut ready = ready();
    let kept: usize = ready.iter().map(Vec::capacity).sum();
    if kept + memory.capacity() <= MOST_READY {
        ready.push(memory);
    }
}

fn fresh(length: usize) -> Vec<u8> {
    let mut memory = Vec::new();
    // Where there is none, the read says so when it needs it.
    let _ = memory.try_reserve_exact(length);
    memory
}

fn ready() -> MutexGuard<'static, Vec<Vec<u8>>> {
    READY.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn length() -> usize {
        ready().iter().map(Vec::capacity).sum()
    }

    #[test]
    fn memory_comes_back_within_bounds() {
        // Nobody else uses memory of such lengths here.
        let odd = 3 * 1024 * 1024 + 5;
        let mut first = take(odd);
        first.extend_from_slice(b"left by another");
        let address = first.as_ptr();
        give(first);
        let again = take(odd - 9);
        assert!(again.is_empty() && again.as_ptr() == address && again.capacity() == odd);
        give(again);
        let other = take(odd / 2 - 9);
        assert!(other.as_ptr() != address, "twice as much as is needed");
        for _ in 0..9 {
            give(fresh(odd));
            assert!(length() <= MOST_READY);
        }
        give(fresh(MOST_READY + 1));
        assert!(length() <= MOST_READY);
        ready().clear();
        give(fresh(LEAST - 1));
        assert!(!ready().iter().any(|memory| memory.capacity() < LEAST));
    }
}

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

/// Memory that lies ready, the oldest first.
struct Ready(Vec<Vec<u8>>);

/// What lies ready together, at most, in bytes; and the least that is worth it.
const MOST_READY: usize = 8 * 1024 * 1024;
const LEAST: usize = 128 * 1024;

/// Taken where a large file is read, and where an answer that holds one is gone, for as long as a look at a few
/// entries takes.
static READY: Mutex<Ready> = Mutex::new(Ready(Vec::new()));

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
            // Text keeps its memory.
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

impl Ready {
    /// Memory of this length, and an eighth more at the most: who keeps it counts what it asked for.
    fn take(&mut self, length: usize) -> Option<Vec<u8>> {
        let suits = |memory: &Vec<u8>| {
            let capacity = memory.capacity();
            capacity >= length && capacity - capacity / 8 <= length
        };
        let place = self.0.iter().rposition(suits)?;
        Some(self.0.remove(place))
    }

    /// Keeps memory; the oldest goes where there is no room for it. Gives what goes.
    fn give(&mut self, memory: Vec<u8>) -> Vec<Vec<u8>> {
        self.0.push(memory);
        let mut kept = 0;
        let fits = self.0.iter().rev().take_while(|memory| {
            kept += memory.capacity();
            kept <= MOST_READY
        });
        let gone = self.0.len() - fits.count();
        self.0.drain(..gone).collect()
    }
}

/// Empty memory of this length.
fn take(length: usize) -> Vec<u8> {
    let known = (length >= LEAST).then(|| ready().take(length)).flatten();
    known.unwrap_or_else(|| fresh(length))
}

/// Gives memory back, for the next answer.
pub(super) fn give(mut memory: Vec<u8>) {
    if memory.capacity() < LEAST {
        return;
    }
    memory.clear();
    let gone = ready().give(memory);
    // Giving it to the system takes long enough to let others in first.
    drop(gone);
}

fn fresh(length: usize) -> Vec<u8> {
    let mut memory = Vec::new();
    // Where there is none, the read says so when it needs it.
    let _ = memory.try_reserve_exact(length);
    memory
}

fn ready() -> MutexGuard<'static, Ready> {
    READY.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1024 * 1024;

    fn capacities(ready: &Ready) -> Vec<usize> {
        ready.0.iter().map(Vec::capacity).collect()
    }

    #[test]
    fn what_suits_is_taken() {
        let mut ready = Ready(Vec::new());
        assert_eq!(ready.take(MIB), None);
        for length in [MIB, 2 * MIB, MIB + 1] {
            assert!(ready.give(fresh(length)).is_empty());
        }
        let taken = ready.take(MIB).map(|memory| memory.capacity());
        assert_eq!(taken, Some(MIB + 1), "the newest");
        assert_eq!(ready.take(MIB + 1), None);
        assert_eq!(ready.take(2 * MIB - 2 * MIB / 8 - 1), None, "too much more");
        assert!(ready.take(2 * MIB - 2 * MIB / 8).is_some());
        assert_eq!(capacities(&ready), [MIB]);
    }

    #[test]
    fn what_lies_ready_is_bounded_and_the_oldest_goes() {
        let mut ready = Ready(Vec::new());
        for length in [MOST_READY / 2, MOST_READY / 2 - MIB, MIB] {
            assert!(ready.give(fresh(length)).is_empty());
        }
        let gone = ready.give(fresh(MIB));
        assert_eq!(
            gone.iter().map(Vec::capacity).collect::<Vec<_>>(),
            [MOST_READY / 2]
        );
        assert_eq!(capacities(&ready), [MOST_READY / 2 - MIB, MIB, MIB]);
        assert_eq!(ready.give(fresh(MOST_READY + 1)).len(), 4);
        assert!(ready.0.is_empty());
    }

    #[test]
    fn what_comes_back_is_empty() {
        let mut memory = take(LEAST);
        memory.extend_from_slice(b"of another file");
        give(memory);
        assert!(ready().0.iter().all(Vec::is_empty));
        give(fresh(LEAST - 1));
        assert!(ready().0.iter().all(|memory| memory.capacity() >= LEAST));
    }
}

//! How to read.

use crate::model::{Encoding, Window};

/// How a file is read. The path comes beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadOptions {
    /// Bytes read at the most: of the file, or of the window when there is one.
    pub max_bytes: u64,
    /// Which part.
    pub window: Window,
    /// Text or bytes.
    pub encoding: Encoding,
    /// A folder is listed. Otherwise a folder is not found.
    pub list_directories: bool,
}

impl Default for ReadOptions {
    /// 10 MiB, the whole file, `auto`, no folders.
    fn default() -> Self {
        Self {
            max_bytes: 10 * 1024 * 1024,
            window: Window::Whole,
            encoding: Encoding::Auto,
            list_directories: false,
        }
    }
}

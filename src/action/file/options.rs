//! How to read.

use super::WindowError;

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

/// Which part of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// All of it.
    Whole,
    /// Whole lines, counted from 1, both ends included. A line ends after its `\n`; the last may
    /// have none. Lines past the end are no error: the text is shorter, or empty.
    Lines {
        /// The first.
        from: u64,
        /// The last; `None` for all that follow.
        to: Option<u64>,
    },
    /// Bytes. Past the end are none. Under text a character belongs to the window that holds its
    /// first byte, so adjacent windows joined together are the text.
    Bytes {
        /// Bytes to skip.
        offset: u64,
        /// Bytes to take; `None` for all that follow.
        length: Option<u64>,
    },
}

impl Window {
    /// Reads the line range of a manifest: `5`, `3-9`, `3-` or `-9`. Spaces around are allowed.
    ///
    /// # Errors
    /// When the text is none of these, a number is 0, or the range ends before it begins.
    pub fn parse_lines(text: &str) -> Result<Self, WindowError> {
        let bad = || WindowError::Syntax(text.chars().take(64).collect());
        let number = |part: &str| -> Result<Option<u64>, WindowError> {
            let part = part.trim();
            if part.is_empty() {
                return Ok(None);
            }
            if !part.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err(bad());
            }
            part.parse().map(Some).map_err(|_| bad())
        };
        let (from, to) = match text.split_once('-') {
            None => {
                let line = number(text)?.ok_or_else(bad)?;
                (line, Some(line))
            }
            Some((from, to)) => match (number(from)?, number(to)?) {
                (None, None) => return Err(bad()),
                (from, to) => (from.unwrap_or(1), to),
            },
        };
        Self::Lines { from, to }.checked()
    }

    /// The window itself, when it can be.
    pub(super) fn checked(self) -> Result<Self, WindowError> {
        match self {
            Self::Lines { from: 0, .. } | Self::Lines { to: Some(0), .. } => Err(WindowError::Zero),
            Self::Lines { from, to: Some(to) } if to < from => {
                Err(WindowError::Backwards { from, to })
            }
            window => Ok(window),
        }
    }
}

/// Text or bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Text when the part read is UTF-8 without NUL, else bytes.
    Auto,
    /// Text; what is not UTF-8 becomes U+FFFD.
    Text,
    /// Bytes in base64.
    Base64,
}

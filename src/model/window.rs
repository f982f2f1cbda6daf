//! Which part of a file is read, and the text that says it.

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
    ///
    /// # Errors
    /// There is a line 0, or the range ends before it begins.
    pub fn checked(self) -> Result<Self, WindowError> {
        match self {
            Self::Lines { from: 0, .. } | Self::Lines { to: Some(0), .. } => Err(WindowError::Zero),
            Self::Lines { from, to: Some(to) } if to < from => {
                Err(WindowError::Backwards { from, to })
            }
            window => Ok(window),
        }
    }
}

/// Why a window cannot be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WindowError {
    /// Lines are counted from 1.
    #[error("lines are counted from 1; there is no line 0")]
    Zero,
    /// The range ends before it begins.
    #[error("the line range `{from}-{to}` ends before it begins")]
    Backwards {
        /// The first line.
        from: u64,
        /// The last line.
        to: u64,
    },
    /// Not a line range. Holds the first 64 characters of what was given.
    #[error("`{0}` is not a line range; write `5`, `3-9`, `3-` or `-9`")]
    Syntax(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(from: u64, to: Option<u64>) -> Window {
        Window::Lines { from, to }
    }

    #[test]
    fn line_ranges_as_a_manifest_has_them() {
        for (text, window) in [
            ("5", lines(5, Some(5))),
            ("3-9", lines(3, Some(9))),
            (" 3 - 9 ", lines(3, Some(9))),
            ("3-", lines(3, None)),
            ("-9", lines(1, Some(9))),
            ("18446744073709551615-", lines(u64::MAX, None)),
        ] {
            assert_eq!(Window::parse_lines(text), Ok(window), "{text}");
        }
        for text in [
            "",
            "-",
            "a",
            "1-2-3",
            "1.5",
            "+1",
            "18446744073709551616",
            "1,2",
            "１",
        ] {
            let error = Window::parse_lines(text).unwrap_err();
            assert_eq!(error, WindowError::Syntax(text.into()), "{text}");
        }
        assert_eq!(Window::parse_lines("0"), Err(WindowError::Zero));
        assert_eq!(Window::parse_lines("0-3"), Err(WindowError::Zero));
        assert_eq!(Window::parse_lines("-0"), Err(WindowError::Zero));
        let error = Window::parse_lines("9-3").unwrap_err();
        assert_eq!(
            error.to_string(),
            "the line range `9-3` ends before it begins"
        );
    }
}

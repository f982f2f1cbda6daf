//! Lines of a stream of bytes, each of bounded length.

use bytes::BytesMut;
use std::io;
use tokio::io::{AsyncRead, AsyncReadExt as _};

/// Bytes asked for at a time.
const READ: usize = 64 * 1024;

/// What comes next in the stream.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// A message: a line without its `\n` or `\r\n`, not blank.
    Message(BytesMut),
    /// A line longer than the limit. It is not kept.
    TooLong,
    /// The stream has ended.
    End,
}

/// Splits a stream into lines. At the end of the stream, bytes without a `\n` are a line too.
pub(super) struct Lines<R> {
    input: R,
    limit: usize,
    /// What was read and not yet given out.
    buffer: BytesMut,
    /// Bytes at the front of `buffer` known to hold no `\n`.
    searched: usize,
    /// The line that `buffer` continues is too long, and was said to be.
    skipping: bool,
    /// A long line was given out: its memory is not to be kept for the next.
    swollen: bool,
    ended: bool,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    /// Lines of at most `limit` bytes, their ending not counted.
    pub(super) fn new(input: R, limit: usize) -> Self {
        Self {
            input,
            limit,
            buffer: BytesMut::new(),
            searched: 0,
            skipping: false,
            swollen: false,
            ended: false,
        }
    }

    /// The next line. Dropping the future loses nothing.
    ///
    /// # Errors
    /// When the input cannot be read.
    pub(super) async fn next(&mut self) -> io::Result<Line> {
        loop {
            if let Some(line) = self.buffered() {
                return Ok(line);
            }
            if self.ended {
                return Ok(Line::End);
            }
            if self.swollen && self.buffer.is_empty() {
                self.buffer = BytesMut::new();
                self.swollen = false;
            }
            self.buffer.reserve(READ);
            self.ended = self.input.read_buf(&mut self.buffer).await? == 0;
        }
    }

    /// The next line, as far as it has been read.
    fn buffered(&mut self) -> Option<Line> {
        loop {
            let new = self.buffer.get(self.searched..).unwrap_or_default();
            let line = match new.iter().position(|byte| *byte == b'\n') {
                Some(place) => {
                    let mut line = self.buffer.split_to(self.searched + place + 1);
                    line.truncate(line.len() - 1);
                    line
                }
                None if self.ended => self.buffer.split(),
                None => return self.unfinished(),
            };
            let last = self.ended && self.buffer.is_empty();
            self.searched = 0;
            if !std::mem::take(&mut self.skipping)
                && let Some(line) = self.whole(line)
            {
                return Some(line);
            }
            if last {
                return None;
            }
        }
    }

    /// A line that is all there; `None` when it is blank.
    fn whole(&mut self, mut line: BytesMut) -> Option<Line> {
        self.swollen |= line.len() > READ;
        if line.ends_with(b"\r") {
            line.truncate(line.len() - 1);
        }
        if line.len() > self.limit {
            Some(Line::TooLong)
        } else if line.trim_ascii().is_empty() {
            None
        } else {
            Some(Line::Message(line))
        }
    }

    /// A line of which only a part is there: is it already too long?
    fn unfinished(&mut self) -> Option<Line> {
        // The last byte may be the `\r` of the line's ending.
        if !self.skipping && self.buffer.len() <= self.limit.saturating_add(1) {
            self.searched = self.buffer.len();
            return None;
        }
        self.swollen = true;
        self.buffer.clear();
        self.searched = 0;
        (!std::mem::replace(&mut self.skipping, true)).then_some(Line::TooLong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A stream that gives its bytes in the given pieces.
    fn pieces(pieces: &[&[u8]]) -> impl AsyncRead + Unpin {
        let mut builder: Box<dyn AsyncRead + Unpin> = Box::new(tokio::io::empty());
        for piece in pieces.iter().rev() {
            builder = Box::new(io::Cursor::new(piece.to_vec()).chain(builder));
        }
        builder
    }

    async fn all(input: impl AsyncRead + Unpin, limit: usize) -> Vec<Line> {
        let mut lines = Lines::new(input, limit);
        let mut found = Vec::new();
        loop {
            match lines.next().await.unwrap() {
                Line::End => break,
                line => found.push(line),
            }
        }
        assert_eq!(lines.next().await.unwrap(), Line::End);
        found
    }

    fn message(text: &[u8]) -> Line {
        Line::Message(BytesMut::from(text))
    }

    #[tokio::test]
    async fn lines_end_with_a_line_feed_or_both() {
        let input = pieces(&[b"a\r\nb\n\n \t\r\n\r\r\nc\r\r\n{\rd}\ne"]);
        let expected: [&[u8]; 5] = [b"a", b"b", b"c\r", b"{\rd}", b"e"];
        assert_eq!(all(input, 9).await, expected.map(message));
    }

    #[tokio::test]
    async fn a_last_line_without_an_ending_is_a_line() {
        assert_eq!(
            all(pieces(&[b"a\nb"]), 9).await,
            [message(b"a"), message(b"b")]
        );
        assert_eq!(all(pieces(&[b"b\r"]), 1).await, [message(b"b")]);
        assert_eq!(all(pieces(&[b"abc"]), 2).await, [Line::TooLong]);
        assert_eq!(all(pieces(&[b"a\n  "]), 9).await, [message(b"a")]);
        assert_eq!(all(pieces(&[b""]), 9).await, []);
    }

    #[tokio::test]
    async fn the_limit_counts_the_message_without_its_ending() {
        for (input, expected) in [
            ("abc\n", message(b"abc")),
            ("abc\r\n", message(b"abc")),
            ("abcd\n", Line::TooLong),
            ("abcd\r\n", Line::TooLong),
            ("abc\r\r\n", Line::TooLong),
        ] {
            let bytes = input.as_bytes();
            let one_by_one: Vec<_> = bytes.chunks(1).collect();
            assert_eq!(all(pieces(&[bytes]), 3).await, [expected], "{input:?}");
            let found = all(pieces(&one_by_one), 3).await;
            assert_eq!(found, all(pieces(&[bytes]), 3).await, "{input:?}");
        }
    }

    #[tokio::test]
    async fn a_line_too_long_is_said_at_once_and_skipped() {
        let (mut client, server) = tokio::io::duplex(64);
        let mut lines = Lines::new(server, 10);
        let write = async {
            use tokio::io::AsyncWriteExt as _;
            client.write_all(&[b'x'; 12]).await.unwrap();
            client
        };
        let (mut client, line) = tokio::join!(write, lines.next());
        assert_eq!(line.unwrap(), Line::TooLong);
        let write = async {
            use tokio::io::AsyncWriteExt as _;
            client.write_all(&[b'x'; 1000]).await.unwrap();
            client.write_all(b"\nnext\n").await.unwrap();
        };
        let ((), line) = tokio::join!(write, lines.next());
        assert_eq!(line.unwrap(), message(b"next"));
    }

    #[tokio::test]
    async fn long_lines_are_not_held() {
        // 64 MiB in one line, under a limit of 1 MiB.
        let input = tokio::io::repeat(b'x').take(64 * 1024 * 1024);
        let mut lines = Lines::new(input, 1024 * 1024);
        assert_eq!(lines.next().await.unwrap(), Line::TooLong);
        assert!(lines.buffer.capacity() <= 4 * 1024 * 1024);
        assert_eq!(lines.next().await.unwrap(), Line::End);
        assert!(lines.buffer.capacity() <= 4 * READ);
        let input = pieces(&[&[b'y'; 1024 * 1024], b"\nz\n", b"w\n"]);
        let mut lines = Lines::new(input, 1024 * 1024);
        for _ in 0..3 {
            assert!(matches!(lines.next().await.unwrap(), Line::Message(_)));
        }
        assert!(lines.buffer.capacity() <= 4 * READ);
    }

    proptest! {
        #[test]
        fn how_the_bytes_arrive_makes_no_difference(
            parts in proptest::collection::vec("[ab\r\n ]{0,6}", 0..12),
            limit in 0usize..6,
        ) {
            let whole = parts.concat();
            let split: Vec<_> = parts.iter().map(String::as_bytes).collect();
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            let found = runtime.block_on(all(pieces(&split), limit));
            let expected: Vec<_> = whole
                .split('\n')
                .map(|line| line.strip_suffix('\r').unwrap_or(line))
                .filter(|line| line.len() > limit || !line.trim_ascii().is_empty())
                .map(|line| if line.len() > limit { Line::TooLong } else { message(line.as_bytes()) })
                .collect();
            prop_assert_eq!(found, expected);
        }
    }
}

//! Lines of one stream of a worker, each with a bound.

use bytes::{Buf, Bytes, BytesMut};
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe;
use tokio::task::coop::consume_budget;

/// How much is read at once.
const PIECE: usize = 16 * 1024;

/// A stream as lines.
pub(super) struct Lines {
    pipe: Option<pipe::Receiver>,
    buffer: BytesMut,
    /// How much of the buffer holds no end of a line.
    searched: usize,
    max: usize,
    /// The beginning of this line has been given; the rest is thrown away.
    skipping: bool,
    over: bool,
}

/// What a stream gave.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// A line without its end; `cut` when it was longer than the bound, and this is its beginning.
    Text { bytes: Bytes, cut: bool },
    /// The stream has ended. This comes once.
    End,
}

impl Lines {
    pub(super) fn new(pipe: Option<pipe::Receiver>, max: usize) -> Self {
        Self {
            pipe,
            buffer: BytesMut::new(),
            searched: 0,
            max: max.max(1),
            skipping: false,
            over: false,
        }
    }

    /// Whether the end was given.
    pub(super) fn is_over(&self) -> bool {
        self.over
    }

    /// Waits for the next line; after the end for ever. May be dropped and called again.
    pub(super) async fn next(&mut self) -> Line {
        // Thousands of lines can lie ready; others have their turn.
        consume_budget().await;
        loop {
            if let Some(line) = self.ready() {
                return line;
            }
            let Some(pipe) = &mut self.pipe else {
                return self.finish().await;
            };
            self.buffer.reserve(PIECE);
            match pipe.read_buf(&mut self.buffer).await {
                Ok(0) => self.pipe = None,
                Ok(_) => {}
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => self.pipe = None,
            }
        }
    }

    /// A line that the buffer holds.
    fn ready(&mut self) -> Option<Line> {
        loop {
            let unsearched = self.buffer.get(self.searched..).unwrap_or_default();
            if let Some(found) = unsearched.iter().position(|byte| *byte == b'\n') {
                let end = self.searched + found;
                self.searched = 0;
                let mut bytes = self.buffer.split_to(end);
                self.buffer.advance(1);
                if std::mem::take(&mut self.skipping) {
                    continue;
                }
                let cut = bytes.len() > self.max;
                bytes.truncate(self.max);
                return Some(Line::Text {
                    bytes: bytes.freeze(),
                    cut,
                });
            }
            self.searched = self.buffer.len();
            if self.skipping {
                self.buffer.clear();
                self.searched = 0;
            } else if self.buffer.len() > self.max {
                self.skipping = true;
                self.searched = 0;
                let mut bytes = std::mem::take(&mut self.buffer);
                bytes.truncate(self.max);
                return Some(Line::Text {
                    bytes: bytes.freeze(),
                    cut: true,
                });
            }
            return None;
        }
    }

    /// After the last byte: a line without an end, then the end, then nothing.
    async fn finish(&mut self) -> Line {
        let rest = std::mem::take(&mut self.buffer);
        self.searched = 0;
        if !rest.is_empty() {
            return Line::Text {
                bytes: rest.freeze(),
                cut: false,
            };
        }
        if self.over {
            std::future::pending::<()>().await;
        }
        self.over = true;
        Line::End
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use tokio::io::AsyncWriteExt;

    /// What lines of at most 4 bytes come of these pieces.
    async fn lines(pieces: &[&str]) -> Vec<(String, bool)> {
        let (mut sender, receiver) = pipe::pipe().unwrap();
        let mut lines = Lines::new(Some(receiver), 4);
        let writing = async {
            for piece in pieces {
                sender.write_all(piece.as_bytes()).await.unwrap();
                tokio::task::yield_now().await;
            }
            drop(sender);
        };
        let reading = async {
            let mut found = Vec::new();
            while let Line::Text { bytes, cut } = lines.next().await {
                found.push((String::from_utf8(bytes.to_vec()).unwrap(), cut));
            }
            let more = tokio::time::timeout(Duration::from_millis(5), lines.next()).await;
            assert!(more.is_err(), "after the end comes nothing");
            found
        };
        tokio::join!(writing, reading).1
    }

    #[tokio::test]
    async fn lines_are_bounded() {
        let whole = |text: &str| (text.to_owned(), false);
        let cut = |text: &str| (text.to_owned(), true);
        assert_eq!(lines(&[]).await, []);
        assert_eq!(
            lines(&["a\n", "\n", "bcde\n"]).await,
            [whole("a"), whole(""), whole("bcde")]
        );
        assert_eq!(
            lines(&["ab", "cd", "\nx"]).await,
            [whole("abcd"), whole("x")]
        );
        assert_eq!(lines(&["abcde\nf\n"]).await, [cut("abcd"), whole("f")]);
        let long = ["abcdefgh", "ijkl", "m\nn\n"];
        assert_eq!(lines(&long).await, [cut("abcd"), whole("n")]);
    }
}

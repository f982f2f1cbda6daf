//! One connection: a request goes out whole, an answer is read as it comes.

use super::{LONG, check};
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Instant;

/// Of so many answers one is looked at whole; of the others the status and the length.
const LOOKED_AT: u32 = 256;

/// An open connection. Its socket blocks: it is only read when there is something to read.
pub fn open(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).expect("the server listens");
    stream.set_nodelay(true).expect("a TCP option");
    stream.set_read_timeout(Some(LONG)).expect("a TCP option");
    stream
}

/// A whole answer.
pub struct Answer {
    pub head: String,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The value of this header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

/// Asks once, on a connection of its own. The status must be a good one.
pub fn ask(address: SocketAddr, request: &[u8]) -> Answer {
    let mut stream = open(address);
    stream.write_all(request).expect("the server reads");
    let mut seen = Vec::new();
    let mut chunk = vec![0; 1 << 16];
    loop {
        if let Some((end, length)) = head(&seen)
            && seen.len() >= end + length
        {
            let body = seen.split_off(end);
            let head = String::from_utf8_lossy(&seen).into_owned();
            return Answer { head, body };
        }
        let read = stream.read(&mut chunk).expect("the server answers");
        assert!(read > 0, "no answer: {}", String::from_utf8_lossy(&seen));
        seen.extend_from_slice(chunk.get(..read).expect("what was read"));
    }
}

/// Where a head ends and how long the body is, once the whole head is there.
fn head(bytes: &[u8]) -> Option<(usize, usize)> {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let head = bytes.get(..end)?;
    let status = head.get(9..12).unwrap_or_default();
    assert!(
        head.starts_with(b"HTTP/1.1 2"),
        "not a good status: {}",
        String::from_utf8_lossy(bytes)
    );
    const LENGTH: &[u8] = b"content-length:";
    let length = head.split(|byte| *byte == b'\n').find_map(|line| {
        let name = line.get(..LENGTH.len())?;
        name.eq_ignore_ascii_case(LENGTH).then_some(())?;
        let value = std::str::from_utf8(line.get(LENGTH.len()..)?).ok()?;
        value.trim().parse().ok()
    });
    let none = status == b"202" || status == b"204";
    let length = length.or(none.then_some(0));
    Some((end, length.expect("a content-length")))
}

/// One connection of a load.
pub(super) struct Connection {
    stream: TcpStream,
    /// A head that has not come whole yet; or the whole answer when it is to be looked at.
    kept: Vec<u8>,
    /// Of the body, still to come. None while the head is awaited.
    left: Option<usize>,
    answers: u32,
    /// When the request that it waits for was sent, or should have been.
    pub(super) since: Instant,
}

impl Connection {
    pub(super) fn open(address: SocketAddr) -> Self {
        Self {
            stream: open(address),
            kept: Vec::new(),
            left: None,
            answers: 0,
            since: Instant::now(),
        }
    }

    pub(super) fn stream(&self) -> &TcpStream {
        &self.stream
    }

    pub(super) fn send(&mut self, request: &[u8], since: Instant) {
        self.since = since;
        self.stream.write_all(request).expect("the server reads");
    }

    /// Reads what is there; whether the answer is complete.
    pub(super) fn read(&mut self, scratch: &mut [u8], expected: &str) -> bool {
        let read = self.stream.read(scratch).expect("the server answers");
        assert!(read > 0, "the server closed a connection");
        let chunk = scratch.get(..read).expect("what was read");
        let look = self.answers.is_multiple_of(LOOKED_AT);
        let keep = look || !self.kept.is_empty();
        if keep {
            self.kept.extend_from_slice(chunk);
        }
        let (left, came) = match self.left {
            Some(left) => (left, chunk.len()),
            None => {
                let seen = if keep { &self.kept } else { chunk };
                match head(seen) {
                    Some((end, length)) => (length, seen.len() - end),
                    None if keep => return false,
                    None => {
                        self.kept.extend_from_slice(chunk);
                        return false;
                    }
                }
            }
        };
        let left = left.checked_sub(came).expect("no more than the answer");
        if left > 0 {
            self.left = Some(left);
            return false;
        }
        if look {
            check(&String::from_utf8_lossy(&self.kept), expected);
        }
        self.left = None;
        self.kept.clear();
        self.answers = self.answers.wrapping_add(1);
        true
    }
}

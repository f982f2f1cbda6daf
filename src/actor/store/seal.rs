//! How a state stands in its file, so that damage is seen: a line that says what follows, and that.
//!
//! ```text
//! snodo-actor 1 COUNT SHA256
//! {"actor":"counter","state":{"count":3}}
//! ```
//!
//! The version decides what the rest means. COUNT is the bytes after the first line, and SHA256 is of
//! them, in lower case; there is one spelling of each, so that every changed byte is a difference.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fmt::Write as _;
use std::io;

const MAGIC: &str = "snodo-actor";
const VERSION: u32 = 1;

/// Why a file does not hold a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Broken {
    /// Its first line is not one of ours.
    #[error("it does not begin as a saved state does")]
    Header,
    /// There is more or less than the first line says.
    #[error("it is not as long as it should be")]
    Length,
    /// The checksum is another.
    #[error("its checksum does not fit")]
    Checksum,
    /// It is whole, and holds no state of this actor.
    #[error("it holds the state of something else")]
    Content,
    /// It is whole as far as can be told, and of a version that is not known.
    #[error("it is of a later version")]
    Later,
}

#[derive(Serialize)]
struct Out<'a> {
    actor: &'a str,
    state: &'a Map<String, Value>,
}

#[derive(Deserialize)]
struct In {
    actor: String,
    state: Map<String, Value>,
}

/// The bytes of a file.
///
/// # Errors
/// The state cannot be JSON.
pub(super) fn seal(state: &Map<String, Value>, actor: &str) -> io::Result<Vec<u8>> {
    let mut body = serde_json::to_vec(&Out { actor, state })?;
    body.push(b'\n');
    let mut sealed = header(VERSION, &body).into_bytes();
    sealed.append(&mut body);
    Ok(sealed)
}

/// The state in a file.
///
/// # Errors
/// The file is not as [`seal`] made it.
pub(super) fn open(bytes: &[u8], actor: &str) -> Result<Map<String, Value>, Broken> {
    let end = bytes.iter().position(|byte| *byte == b'\n');
    let (first, body) = match end {
        Some(end) => bytes.split_at(end + 1),
        None => return Err(Broken::Header),
    };
    let first = std::str::from_utf8(first).map_err(|_| Broken::Header)?;
    let mut words = first.trim_end_matches('\n').split(' ');
    if words.next() != Some(MAGIC) {
        return Err(Broken::Header);
    }
    let version: u32 = number(words.next())?;
    if version != VERSION {
        // A later version keeps the first line's form; anything else is damage.
        return Err(match first == header(version, body) && version > VERSION {
            true => Broken::Later,
            false => Broken::Header,
        });
    }
    let count: usize = number(words.next())?;
    if count != body.len() {
        return Err(Broken::Length);
    }
    if first != header(version, body) {
        return Err(Broken::Checksum);
    }
    match serde_json::from_slice::<In>(body) {
        Ok(held) if held.actor == actor => Ok(held.state),
        _ => Err(Broken::Content),
    }
}

fn number<N: std::str::FromStr>(word: Option<&str>) -> Result<N, Broken> {
    word.and_then(|word| word.parse().ok())
        .ok_or(Broken::Header)
}

/// The first line. The checksum covers the version too.
fn header(version: u32, body: &[u8]) -> String {
    let mut context = ring::digest::Context::new(&ring::digest::SHA256);
    context.update(format!("{MAGIC} {version}\n").as_bytes());
    context.update(body);
    let mut line = format!("{MAGIC} {version} {} ", body.len());
    for byte in context.finish().as_ref() {
        // Writing to a string cannot fail.
        let _written = write!(line, "{byte:02x}");
    }
    line.push('\n');
    line
}

//! Output that was too long for its answer, kept for a while as a resource that can be read on.

use crate::ops::Payload;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use bytes::Bytes;
use ring::rand::{SecureRandom as _, SystemRandom};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What the URIs of kept outputs begin with.
pub const PREFIX: &str = "snodo://output/";
/// Bytes kept of one output.
pub const MOST_OF_ONE: usize = 16 << 20;
/// Bytes kept of all of them. Beyond it the oldest goes.
const MOST: usize = 64 << 20;

/// Outputs that can be read for a while. It outlives runtimes; clones are one.
///
/// An output's id is 128 random bits, told only to the caller whose call it was; of a caller that has
/// shown who it is, only the same may read it.
#[derive(Clone, Debug, Default)]
pub struct Outputs(Arc<Mutex<Kept>>);

#[derive(Debug, Default)]
struct Kept {
    by_id: HashMap<String, One>,
    by_age: VecDeque<String>,
    bytes: usize,
}

#[derive(Debug)]
struct One {
    bytes: Bytes,
    owner: Option<String>,
    until: Instant,
}

/// A part of a kept output.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// What it holds: text where it is UTF-8.
    pub payload: Payload,
    /// How long it can still be read.
    pub left: Duration,
}

impl Outputs {
    /// Keeps an output of this principal's call for `ttl`, and gives its URI; `None` when the system
    /// has no randomness.
    pub fn keep(&self, bytes: Bytes, ttl: Duration, owner: Option<&str>) -> Option<String> {
        let mut id = [0; 16];
        SystemRandom::new().fill(&mut id).ok()?;
        let id = URL_SAFE_NO_PAD.encode(id);
        let now = Instant::now();
        let mut kept = self.kept();
        kept.sweep(now);
        while kept.bytes + bytes.len() > MOST {
            let Some(oldest) = kept.by_age.pop_front() else {
                break;
            };
            kept.forget(&oldest);
        }
        kept.bytes += bytes.len();
        kept.by_age.push_back(id.clone());
        let uri = format!("{PREFIX}{id}");
        kept.by_id.insert(
            id,
            One {
                bytes,
                owner: owner.map(str::to_owned),
                until: now + ttl,
            },
        );
        Some(uri)
    }

    /// Reads what a URI of a kept output names: all of it, or with `?offset=…&length=…` those bytes.
    /// `None` when there is none, or no longer, or none of this principal's, or the URI asks for
    /// something else.
    pub fn read(&self, uri: &str, by: Option<&str>) -> Option<Part> {
        let rest = uri.strip_prefix(PREFIX)?;
        let (id, query) = match rest.split_once('?') {
            Some((id, query)) => (id, Some(query)),
            None => (rest, None),
        };
        let now = Instant::now();
        let mut kept = self.kept();
        kept.sweep(now);
        let one = kept.by_id.get(id)?;
        if one.owner.as_deref() != by {
            return None;
        }
        let (offset, length) = window(query)?;
        let from = offset.min(one.bytes.len());
        let to = from.saturating_add(length).min(one.bytes.len());
        let bytes = one.bytes.slice(from..to);
        let left = one.until.saturating_duration_since(now);
        drop(kept);
        Some(Part {
            payload: payload(&bytes),
            left,
        })
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    /// Forgets what has had its time.
    fn sweep(&mut self, now: Instant) {
        let over: Vec<String> = self
            .by_id
            .iter()
            .filter(|(_, one)| one.until <= now)
            .map(|(id, _)| id.clone())
            .collect();
        for id in &over {
            self.forget(id);
        }
        if !over.is_empty() {
            self.by_age.retain(|id| self.by_id.contains_key(id));
        }
    }

    fn forget(&mut self, id: &str) {
        if let Some(one) = self.by_id.remove(id) {
            self.bytes -= one.bytes.len();
        }
    }
}

/// First byte and how many, of a query that says nothing else.
fn window(query: Option<&str>) -> Option<(usize, usize)> {
    let (mut offset, mut length) = (None, None);
    for pair in query.into_iter().flat_map(|query| query.split('&')) {
        let (name, value) = pair.split_once('=')?;
        let place = match name {
            "offset" => &mut offset,
            "length" => &mut length,
            _ => return None,
        };
        if place.replace(value.parse::<usize>().ok()?).is_some() {
            return None;
        }
    }
    Some((offset.unwrap_or(0), length.unwrap_or(usize::MAX)))
}

/// Text where the bytes are UTF-8 but for characters that a part begins or ends inside of.
fn payload(bytes: &[u8]) -> Payload {
    let begins = |byte: &u8| byte & 0xC0 != 0x80;
    let start = bytes.iter().take(3).position(begins).unwrap_or(0);
    let inner = bytes.get(start..).unwrap_or_default();
    let end = match std::str::from_utf8(inner) {
        Ok(_) => inner.len(),
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        Err(_) => return Payload::Blob(STANDARD.encode(bytes)),
    };
    let text = std::str::from_utf8(inner.get(..end).unwrap_or_default());
    Payload::Text(text.unwrap_or_default().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    fn text(outputs: &Outputs, uri: &str) -> Option<String> {
        match outputs.read(uri, None)?.payload {
            Payload::Text(text) => Some(text),
            Payload::Blob(_) => None,
        }
    }

    #[test]
    fn an_output_is_read_whole_or_in_parts() {
        let outputs = Outputs::default();
        let uri = outputs.keep("grüße!".into(), HOUR, None).unwrap();
        assert_eq!(text(&outputs, &uri).unwrap(), "grüße!");
        for (query, expected) in [
            ("?offset=2", "üße!"),
            ("?offset=3", "ße!"),
            ("?length=3", "gr"),
            ("?offset=4&length=2", "ß"),
            ("?length=1&offset=0", "g"),
            ("?offset=99", ""),
        ] {
            let found = text(&outputs, &format!("{uri}{query}"));
            assert_eq!(found.as_deref(), Some(expected), "{query}");
        }
        for wrong in [
            "?",
            "?x=1",
            "?offset",
            "?offset=-1",
            "?offset=1&offset=2",
            "/x",
            "x",
        ] {
            assert_eq!(
                outputs.read(&format!("{uri}{wrong}"), None),
                None,
                "{wrong}"
            );
        }
        assert_eq!(outputs.read("snodo://output/", None), None);
    }

    #[test]
    fn what_is_no_text_is_base64() {
        let outputs = Outputs::default();
        let uri = outputs
            .keep(Bytes::from_static(b"\xff\x00a"), HOUR, None)
            .unwrap();
        let payload = outputs.read(&uri, None).unwrap().payload;
        assert_eq!(payload, Payload::Blob("/wBh".into()));
    }

    #[test]
    fn it_is_forgotten_in_time_and_for_want_of_room() {
        let outputs = Outputs::default();
        let gone = outputs.keep("x".into(), Duration::ZERO, None).unwrap();
        assert_eq!(outputs.read(&gone, None), None);
        let large = Bytes::from(vec![b'x'; MOST_OF_ONE]);
        let uris: Vec<String> = (0..5)
            .map(|_| outputs.keep(large.clone(), HOUR, None).unwrap())
            .collect();
        assert!(outputs.read(&uris[0], None).is_none());
        assert!(
            uris[1..]
                .iter()
                .all(|uri| outputs.read(uri, None).is_some())
        );
        assert!(uris.iter().collect::<std::collections::HashSet<_>>().len() == 5);
    }
}

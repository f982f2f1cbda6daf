//! Output that was too long for its answer, kept for a while as a resource that can be read on.

use crate::ops::{Base64, Payload};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use ring::rand::{SecureRandom as _, SystemRandom};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What the URIs of kept outputs begin with.
const PREFIX: &str = "snodo://output/";
/// Bytes kept of all of them. Beyond it the oldest goes.
const MOST_BYTES: usize = 64 << 20;
/// Outputs kept. Beyond it the oldest goes.
const MOST: usize = 10_000;

/// Outputs that can be read for a while. It outlives runtimes; clones are one.
///
/// An output's id is 128 random bits, told only to the caller whose call it was; of a caller that has
/// shown who it is, only the same may read it.
#[derive(Clone, Debug, Default)]
pub struct Outputs(Arc<Mutex<Kept>>);

#[derive(Debug, Default)]
struct Kept {
    by_id: HashMap<Arc<str>, One>,
    /// By number, in the order in which they came.
    by_age: BTreeMap<u64, Arc<str>>,
    /// By when they have had their time.
    by_end: BTreeSet<(Instant, u64)>,
    next: u64,
    bytes: usize,
}

#[derive(Debug)]
struct One {
    bytes: Bytes,
    owner: Option<String>,
    /// All of it is UTF-8, so that each part is text.
    is_text: bool,
    until: Instant,
    number: u64,
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
    /// has no randomness. With `is_cut`, a character that is not whole at its end is left out.
    pub fn keep(
        &self,
        mut bytes: Bytes,
        is_cut: bool,
        ttl: Duration,
        owner: Option<&str>,
    ) -> Option<String> {
        let mut id = [0; 16];
        SystemRandom::new().fill(&mut id).ok()?;
        let id = URL_SAFE_NO_PAD.encode(id);
        let is_text = match std::str::from_utf8(&bytes) {
            Ok(_) => true,
            Err(error) if is_cut && error.error_len().is_none() => {
                bytes.truncate(error.valid_up_to());
                true
            }
            Err(_) => false,
        };
        let uri = format!("{PREFIX}{id}");
        let owner = owner.map(str::to_owned);
        self.kept().add(id.into(), bytes, (is_text, owner), ttl);
        Some(uri)
    }

    /// Reads what a URI of a kept output names: all of it, or with `?offset=…&length=…` those bytes.
    /// Of text, a part holds the characters that begin in it, so that parts put together are the
    /// whole. `None` when there is none, or no longer, or none of this principal's, or the URI asks
    /// for something else.
    pub fn read(&self, uri: &str, by: Option<&str>) -> Option<Part> {
        let rest = behind_prefix(uri)?;
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
        let (bytes, is_text) = (one.bytes.clone(), one.is_text);
        let left = one.until.saturating_duration_since(now);
        drop(kept);
        let edge = |at: usize| match is_text {
            true => next_character(&bytes, at),
            false => at.min(bytes.len()),
        };
        let (from, to) = (edge(offset), edge(offset.saturating_add(length)));
        let part = bytes.get(from..to).unwrap_or_default();
        let payload = match std::str::from_utf8(part) {
            Ok(text) if is_text => Payload::Text(text.to_owned()),
            _ => Payload::Blob(Base64::encode(part)),
        };
        Some(Part { payload, left })
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn add(
        &mut self,
        id: Arc<str>,
        bytes: Bytes,
        (is_text, owner): (bool, Option<String>),
        ttl: Duration,
    ) {
        let now = Instant::now();
        self.sweep(now);
        while self.by_age.len() >= MOST || self.bytes + bytes.len() > MOST_BYTES {
            let Some((_, oldest)) = self.by_age.pop_first() else {
                break;
            };
            self.forget(&oldest);
        }
        let number = self.next;
        self.next += 1;
        self.bytes += bytes.len();
        self.by_age.insert(number, Arc::clone(&id));
        let until = now + ttl;
        self.by_end.insert((until, number));
        let one = One {
            bytes,
            owner,
            is_text,
            until,
            number,
        };
        self.by_id.insert(id, one);
    }

    /// Forgets what has had its time.
    fn sweep(&mut self, now: Instant) {
        while let Some((_, number)) = self.by_end.first().filter(|(until, _)| *until <= now) {
            let Some(id) = self.by_age.get(number).cloned() else {
                return;
            };
            self.forget(&id);
        }
    }

    fn forget(&mut self, id: &str) {
        if let Some(one) = self.by_id.remove(id) {
            self.bytes -= one.bytes.len();
            self.by_age.remove(&one.number);
            self.by_end.remove(&(one.until, one.number));
        }
    }
}

/// Whether a URI is one of kept outputs, which no manifest can claim.
pub fn is_output(uri: &str) -> bool {
    behind_prefix(uri).is_some()
}

/// Scheme and host are the same in upper and lower case.
fn behind_prefix(uri: &str) -> Option<&str> {
    let (front, rest) = uri.split_at_checked(PREFIX.len())?;
    front.eq_ignore_ascii_case(PREFIX).then_some(rest)
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
        // A number of its own kind would take a sign.
        let is_count = value.bytes().all(|byte| byte.is_ascii_digit());
        if !is_count || place.replace(value.parse::<usize>().ok()?).is_some() {
            return None;
        }
    }
    Some((offset.unwrap_or(0), length.unwrap_or(usize::MAX)))
}

/// Where the first character begins at or after this place in UTF-8.
fn next_character(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default().iter();
    let inside = rest.take_while(|byte| **byte & 0xC0 == 0x80).count();
    at.min(bytes.len()) + inside
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Resource, ShellSpec};

    const HOUR: Duration = Duration::from_secs(3600);

    fn text(outputs: &Outputs, uri: &str) -> Option<String> {
        match outputs.read(uri, None)?.payload {
            Payload::Text(text) => Some(text),
            Payload::Blob(_) => None,
        }
    }

    fn kept(outputs: &Outputs, bytes: impl Into<Bytes>) -> String {
        outputs.keep(bytes.into(), false, HOUR, None).unwrap()
    }

    fn blob(outputs: &Outputs, uri: &str) -> Payload {
        outputs.read(uri, None).unwrap().payload
    }

    #[test]
    fn an_output_is_read_whole_or_in_parts() {
        let outputs = Outputs::default();
        let uri = kept(&outputs, "grüße!");
        assert_eq!(text(&outputs, &uri).unwrap(), "grüße!");
        for (query, expected) in [
            ("?offset=2", "üße!"),
            ("?offset=3", "ße!"),
            ("?length=3", "grü"),
            ("?offset=4&length=2", "ß"),
            ("?offset=3&length=1", ""),
            ("?length=1&offset=0", "g"),
            ("?length=0", ""),
            ("?offset=99", ""),
            (
                "?offset=18446744073709551615&length=18446744073709551615",
                "",
            ),
        ] {
            let found = text(&outputs, &format!("{uri}{query}"));
            assert_eq!(found.as_deref(), Some(expected), "{query}");
        }
        for wrong in [
            "?",
            "?x=1",
            "?offset",
            "?offset=",
            "?offset=-1",
            "?offset=+1",
            "?offset=18446744073709551616",
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
        let shouted = uri.replace(PREFIX, "SNODO://Output/");
        assert_eq!(text(&outputs, &shouted).unwrap(), "grüße!");
        assert!(PREFIX.starts_with(Resource::OWN_SCHEME));
    }

    #[test]
    fn parts_put_together_are_the_whole() {
        let outputs = Outputs::default();
        let whole = "a€ß🦀\u{301}z".repeat(3);
        let uri = kept(&outputs, whole.clone());
        for length in 1..=whole.len() {
            let parts = (0..whole.len()).step_by(length).map(|offset| {
                text(&outputs, &format!("{uri}?offset={offset}&length={length}")).unwrap()
            });
            assert_eq!(parts.collect::<String>(), whole, "{length}");
        }
    }

    #[test]
    fn what_is_no_text_is_base64_in_every_part() {
        let outputs = Outputs::default();
        let uri = kept(&outputs, Bytes::from_static(b"\xff\x00a"));
        assert_eq!(
            blob(&outputs, &uri),
            Payload::Blob(Base64::encode(b"\xff\0a"))
        );
        let part = format!("{uri}?offset=2");
        assert_eq!(blob(&outputs, &part), Payload::Blob(Base64::encode(b"a")));
        // What only looks like text that was cut is read as it was written.
        let uri = kept(&outputs, Bytes::from_static(b"\x80ab\xe2\x82"));
        assert_eq!(
            blob(&outputs, &uri),
            Payload::Blob(Base64::encode(b"\x80ab\xe2\x82"))
        );
    }

    #[test]
    fn a_cut_character_is_left_out_where_the_server_cut_it() {
        let outputs = Outputs::default();
        let bytes = Bytes::from_static(b"ab\xe2\x82");
        let uri = outputs.keep(bytes, true, HOUR, None).unwrap();
        assert_eq!(text(&outputs, &uri).as_deref(), Some("ab"));
    }

    #[test]
    fn it_is_forgotten_in_time_and_for_want_of_room() {
        let outputs = Outputs::default();
        let gone = outputs
            .keep("x".into(), false, Duration::ZERO, None)
            .unwrap();
        assert_eq!(outputs.read(&gone, None), None);
        let large = Bytes::from(vec![b'x'; ShellSpec::MOST_KEPT]);
        let uris: Vec<String> = (0..5).map(|_| kept(&outputs, large.clone())).collect();
        assert!(outputs.read(&uris[0], None).is_none());
        assert!(
            uris[1..]
                .iter()
                .all(|uri| outputs.read(uri, None).is_some())
        );
        assert!(uris.iter().collect::<std::collections::HashSet<_>>().len() == 5);
    }

    #[test]
    fn there_are_no_more_than_so_many() {
        let outputs = Outputs::default();
        let uris: Vec<String> = (0..=MOST).map(|_| kept(&outputs, "x")).collect();
        assert_eq!(outputs.read(&uris[0], None), None);
        assert!(outputs.read(&uris[1], None).is_some());
        let kept = outputs.kept();
        let sizes = [kept.by_id.len(), kept.by_age.len(), kept.by_end.len()];
        assert_eq!((sizes, kept.bytes), ([MOST; 3], MOST));
    }
}

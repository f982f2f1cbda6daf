//! Bytes to a message.

use super::Id;
use super::envelope::Envelope;
use crate::protocol::codes::Fault;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// How deep objects and arrays may stand in one another. What is read later recurses, and no
/// further than this.
const MAX_DEPTH: usize = 128;

/// One message, borrowed from its bytes.
#[derive(Debug)]
pub(in crate::protocol) enum Message<'a> {
    Request(Request<'a>),
    Notification(Notification<'a>),
    Outcome(Outcome<'a>),
}

/// A message that wants an answer.
#[derive(Debug)]
pub(in crate::protocol) struct Request<'a> {
    pub(in crate::protocol) id: Id,
    pub(in crate::protocol) method: Cow<'a, str>,
    /// An object. Absent and `null` are `None`.
    pub(in crate::protocol) params: Option<&'a RawValue>,
}

/// A message that gets none.
#[derive(Debug)]
pub(in crate::protocol) struct Notification<'a> {
    pub(in crate::protocol) method: Cow<'a, str>,
    /// An object. Absent and `null` are `None`.
    pub(in crate::protocol) params: Option<&'a RawValue>,
}

/// What came of a request of ours: a response.
#[derive(Debug)]
pub(in crate::protocol) struct Outcome<'a> {
    /// Of which, when that can be told.
    pub(in crate::protocol) id: Option<Id>,
    /// Its result, or its error.
    pub(in crate::protocol) came: Result<&'a RawValue, &'a RawValue>,
}

/// What is no message.
#[derive(Debug)]
pub(in crate::protocol) struct Malformed {
    /// The id, when it could be read.
    pub(in crate::protocol) id: Option<Id>,
    /// What is wrong.
    pub(in crate::protocol) fault: Fault,
    /// It names a method and has no id: a notification as far as can be seen, and those get no
    /// answer where a stream carries them.
    pub(in crate::protocol) notification: bool,
}

/// The text of a message that is safe to read. A byte order mark before it is passed over (RFC 8259 §8.1).
///
/// # Errors
/// It is none.
pub(in crate::protocol) fn checked(bytes: &[u8]) -> Result<&str, Box<Malformed>> {
    let text = simdutf8::compat::from_utf8(bytes)
        .map_err(|error| unread(Fault::Parse(format!("the message is not UTF-8: {error}"))))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if too_deep(text.as_bytes()) {
        return Err(unread(Fault::Parse(format!(
            "objects and arrays stand more than {MAX_DEPTH} deep"
        ))));
    }
    Ok(text)
}

/// Reads one message.
///
/// # Errors
/// What stands there instead.
pub(in crate::protocol) fn decode(text: &str) -> Result<Message<'_>, Box<Malformed>> {
    let not_json = |error: serde_json::Error| unread(Fault::Parse(error.to_string()));
    match text.trim_ascii_start().as_bytes().first() {
        Some(b'{') => message(&serde_json::from_str(text).map_err(not_json)?),
        other => {
            serde_json::from_str::<IgnoredAny>(text).map_err(not_json)?;
            Err(unread(Fault::InvalidRequest(match other {
                Some(b'[') => "batches are not supported".into(),
                _ => "a message is a JSON object".into(),
            })))
        }
    }
}

/// The characters of a JSON string; `None` for another value, and for a string that is no Unicode
/// (a lone surrogate).
pub(in crate::protocol) fn text(raw: &RawValue) -> Option<Cow<'_, str>> {
    let json = raw.get();
    let inner = json.strip_prefix('"')?.strip_suffix('"')?;
    if inner.contains('\\') {
        return serde_json::from_str(json).ok().map(Cow::Owned);
    }
    Some(Cow::Borrowed(inner))
}

fn unread(fault: Fault) -> Box<Malformed> {
    Box::new(Malformed {
        id: None,
        fault,
        notification: false,
    })
}

/// Tells what kind of message an object is, or what keeps it from being one.
fn message<'a>(envelope: &Envelope<'a>) -> Result<Message<'a>, Box<Malformed>> {
    let id = match envelope.repeated {
        Some("id") => None,
        _ => envelope.id.and_then(Id::read),
    };
    let method = envelope.method.and_then(text);
    let malformed = |fault| {
        Box::new(Malformed {
            id: id.clone(),
            fault,
            notification: method.is_some() && envelope.id.is_none(),
        })
    };
    let invalid = |what: &str| Err(malformed(Fault::InvalidRequest(what.into())));

    if envelope.method.is_none()
        && let Some(came) = match (envelope.error, envelope.result) {
            (Some(error), _) => Some(Err(error)),
            (None, Some(result)) => Some(Ok(result)),
            (None, None) => None,
        }
    {
        return Ok(Message::Outcome(Outcome { id, came }));
    }
    if let Some(name) = envelope.repeated {
        return invalid(&format!("`{name}` stands more than once"));
    }
    if envelope.jsonrpc.and_then(text).as_deref() != Some("2.0") {
        return invalid("`jsonrpc` must be \"2.0\"");
    }
    if envelope.id.is_some() && id.is_none() {
        return invalid("`id` must be a string or an integer");
    }
    let Some(method) = method.clone() else {
        return invalid("`method` must be a string");
    };
    let params = match envelope
        .params
        .map(|params| (params, params.get().as_bytes().first()))
    {
        None | Some((_, Some(b'n'))) => None,
        Some((params, Some(b'{'))) => Some(params),
        // An array is JSON-RPC's positional form, which the protocol does not have.
        Some((_, Some(b'['))) => {
            return Err(malformed(Fault::MissingMeta(
                "`params` must be an object".into(),
            )));
        }
        Some(_) => return invalid("`params` must be an object"),
    };
    Ok(match id {
        Some(id) => Message::Request(Request { id, method, params }),
        None => Message::Notification(Notification { method, params }),
    })
}

/// True when objects and arrays stand deeper than [`MAX_DEPTH`]. Counting what opens one is quick
/// and settles nearly every message; only one with many is looked at byte by byte.
fn too_deep(bytes: &[u8]) -> bool {
    // `[` and `{` differ in this one bit. What fits in a byte is counted in bytes, 16 at a time.
    let opens = |byte: &u8| u8::from(byte | 0x20 == b'{');
    let chunks = bytes.chunks(128);
    let openers: usize = chunks
        .map(|chunk| usize::from(chunk.iter().map(opens).sum::<u8>()))
        .sum();
    openers > MAX_DEPTH && depth(bytes) > MAX_DEPTH
}

/// The deepest point of a text, brackets in strings aside. Of a text that is no JSON it may be any.
fn depth(bytes: &[u8]) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let (mut in_string, mut escaped) = (false, false);
    for &byte in bytes {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_string,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'[' | b'{' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

//! A request's id: echoed exactly as it came, compared by what it means.

use super::decode::text;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A request's id: a string or an integer of any size (specification: basic §Requests). Two ids are
/// equal when they are of one type and one value: `"a"` is `"\u0061"`, and `1` is not `"1"`.
#[derive(Clone, Debug)]
pub struct Id(Arc<str>);

impl Id {
    /// Takes an id from its JSON. `None` for anything else, `1.0` and `1e3` among it: they are
    /// integers to some readers and not to others, so an echo could miss its request.
    pub(in crate::protocol) fn read(raw: &RawValue) -> Option<Self> {
        let json = raw.get();
        let sound = match json.as_bytes().first()? {
            b'"' => text(raw).is_some(),
            b'-' | b'0'..=b'9' => !json.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E')),
            _ => false,
        };
        sound.then(|| Self(json.into()))
    }

    /// The id of this JSON, for tests of what is keyed by it.
    #[cfg(test)]
    pub fn of(json: &str) -> Self {
        Self(json.into())
    }

    /// The id's JSON text, exactly as it was sent. It holds no line feed.
    pub fn as_json(&self) -> &str {
        &self.0
    }

    /// The id's text: a string's characters without quotes, an integer's digits.
    pub fn to_text(&self) -> Arc<str> {
        let inner = self.0.strip_prefix('"').and_then(|id| id.strip_suffix('"'));
        match inner {
            None => Arc::clone(&self.0),
            Some(text) if !text.contains('\\') => text.into(),
            Some(_) => serde_json::from_str::<String>(&self.0)
                .map_or_else(|_| Arc::clone(&self.0), Arc::from),
        }
    }

    /// One spelling for all that are equal.
    fn canonical(&self) -> Cow<'_, str> {
        if self.0.contains('\\')
            && let Ok(characters) = serde_json::from_str::<String>(&self.0)
            && let Ok(respelt) = serde_json::to_string(&characters)
        {
            return Cow::Owned(respelt);
        }
        Cow::Borrowed(&self.0)
    }
}

impl PartialEq for Id {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0 || self.canonical() == other.canonical()
    }
}

impl Eq for Id {}

impl Hash for Id {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.canonical().hash(state);
    }
}

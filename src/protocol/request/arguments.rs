//! The `arguments` of a call: read with the rest of the message where that is ordinary, so that a large
//! text is passed over once and not twice.

use super::operation;
use crate::ops::{Arguments, OpError, Texts};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;
use std::fmt;

/// A call's `arguments`.
#[derive(Debug)]
pub(in crate::protocol) enum Given<'a> {
    /// As they stand.
    Raw(&'a RawValue),
    /// Read.
    Read(Arguments),
}

/// An object. Absent is the empty one.
///
/// # Errors
/// They are none.
pub(super) fn object(given: Option<Given<'_>>) -> Result<Arguments, OpError> {
    match given {
        None => Ok(Arguments::new()),
        Some(Given::Raw(raw)) => operation::object("arguments", Some(raw)),
        Some(Given::Read(arguments)) => Ok(arguments),
    }
}

/// An object of texts. Absent is the empty one.
///
/// # Errors
/// They are none.
pub(super) fn texts(given: Option<Given<'_>>) -> Result<Texts, OpError> {
    let no_texts = || OpError::InvalidParams("`arguments` must be an object of strings".into());
    let texts = object(given).map_err(|_| no_texts())?.into_iter();
    let texts = texts.map(|(name, value)| match value {
        Value::String(text) => Ok((name, text)),
        _ => Err(no_texts()),
    });
    texts.collect()
}

/// An object, read into a map that has room for as many members as most have.
pub(super) struct Read(pub(super) Arguments);

/// As many members as the smallest table of more than three has.
const ROOM: usize = 7;

impl<'de> Deserialize<'de> for Read {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = Read;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Read, A::Error> {
                let Some((name, value)) = members.next_entry()? else {
                    return Ok(Read(Arguments::new()));
                };
                let mut object = Arguments::with_capacity(ROOM);
                object.insert(name, value);
                while let Some((name, value)) = members.next_entry()? {
                    object.insert(name, value);
                }
                Ok(Read(object))
            }
        }

        deserializer.deserialize_map(Members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_the_same_however_they_were_read() {
        for (json, expected) in [
            ("{}", Some(vec![])),
            (r#"{"a":"x","b":""}"#, Some(vec![("a", "x"), ("b", "")])),
            (r#"{"a":1,"a":"x"}"#, Some(vec![("a", "x")])),
            (r#"{"a":"x","a":1}"#, None),
            (r#"{"a":null}"#, None),
        ] {
            let raw: &RawValue = serde_json::from_str(json).unwrap();
            let Read(read) = serde_json::from_str(json).unwrap();
            for given in [Given::Raw(raw), Given::Read(read)] {
                let texts = texts(Some(given)).ok();
                let texts = texts.as_ref().map(|texts| {
                    let pairs = texts.iter().map(|(name, text)| (&**name, &**text));
                    pairs.collect::<Vec<_>>()
                });
                assert_eq!(texts, expected, "{json}");
            }
        }
        let list: &RawValue = serde_json::from_str("[]").unwrap();
        assert!(texts(Some(Given::Raw(list))).is_err());
        assert_eq!(texts(None), Ok(Texts::new()));
    }
}

//! A request as nearly all are, read in one pass: its members, those of its `params`, and those of their
//! `_meta`. What is out of the ordinary is left to the way that can say what is wrong with it.

use super::meta::Meta;
use super::params::{Members, Params};
use crate::protocol::jsonrpc::{Id, Request};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// A request, and what its `params` say. `None` for all that has to be looked at closely: what is no
/// request, what is wrong in any way, and a handshake, whose `params` are its own.
pub(in crate::protocol) fn at_once(text: &str) -> Option<(Request<'_>, Params<'_>)> {
    let Ordinary {
        jsonrpc: "2.0",
        id,
        method,
        params,
        ..
    } = serde_json::from_str(text)
        .ok()
        .map(|Object(message)| message)?
    else {
        return None;
    };
    if method == "initialize" {
        return None;
    }
    let request = Request {
        id: Id::read(id)?,
        method: Cow::Borrowed(method),
        params: None,
    };
    let params = params.map(|Object(members)| Params::from(members));
    Some((request, params.unwrap_or_default()))
}

#[derive(serde::Deserialize)]
struct Ordinary<'a> {
    jsonrpc: &'a str,
    #[serde(borrow)]
    id: &'a RawValue,
    method: &'a str,
    #[serde(borrow)]
    params: Option<Object<Members<'a, Object<Meta<'a>>>>>,
    /// Passed over beside a method, but not twice.
    #[serde(rename = "result")]
    _result: Option<IgnoredAny>,
    #[serde(rename = "error")]
    _error: Option<IgnoredAny>,
}

/// What is written as an object and not, as serde would have it too, as an array.
pub(super) struct Object<T>(pub(super) T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Members<T> {
            type Value = Object<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(Object)
            }
        }

        deserializer.deserialize_map(Members(PhantomData))
    }
}

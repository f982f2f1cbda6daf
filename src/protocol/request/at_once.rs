//! A request as nearly all are, read in one pass: its members, those of its `params`, those of their
//! `_meta`, and a call's arguments. What is out of the ordinary is left to the way that can say what is wrong with it.

use super::arguments::Read;
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
    params: Option<Object<Members<'a, Object<Meta<'a>>, Read>>>,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::jsonrpc::{Message, decode};
    use crate::protocol::request::arguments::object;

    #[test]
    fn what_is_read_at_once_is_what_is_read_bit_by_bit() {
        for text in [
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"x":[1,"}"]},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"more":{}}}}"#,
            r#" { "id" : "a" , "params" : { "_meta" : null , "uri" : "x\u0041" , "other" : [] } , "method" : "resources/read" , "jsonrpc" : "2.0" , "more" : 1 } "#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":-1,"method":"ping","params":null,"result":{}}"#,
        ] {
            let (request, mut params) = at_once(text).expect(text);
            let Ok(Message::Request(closely)) = decode(text) else {
                panic!("{text}");
            };
            assert_eq!(request.id, closely.id);
            assert_eq!(request.method, closely.method);
            let mut closely = Params::read(closely.params).unwrap();
            let arguments =
                [&mut params, &mut closely].map(|params| object(params.arguments.take()));
            let [at_once, bit_by_bit] = arguments.map(|arguments| arguments.unwrap());
            assert_eq!(at_once, bit_by_bit);
            assert_eq!(format!("{params:?}"), format!("{closely:?}"));
        }
    }

    #[test]
    fn what_is_out_of_the_ordinary_is_looked_at_closely() {
        for text in [
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#,
            r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"pi\u006eg"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","result":1,"result":2}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"name":1,"name":2}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":[]}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"arguments":[]}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"traceparent":"a","traceparent":"b"}}}"#,
            r#"["2.0",1,"ping"]"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping"} {}"#,
        ] {
            assert!(at_once(text).is_none(), "{text}");
        }
    }
}

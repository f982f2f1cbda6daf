//! Tests of the dialects: a message and its headers in, what is to be done out. Most are of
//! 2026-07-28, by a server that speaks nothing else; `legacy` has the others, and their mixtures.

use super::*;
use crate::model::{Cache, CacheScope, Icon, Identity, Theme, ToolAnnotations, ToolDeclaration};
use crate::ops::Caller;
use crate::ops::{
    Annotations, Answer, Block, ClientInfo, LogLevel, OpError, Operation, Payload, ProgressToken,
    Role, ToolOutcome,
};
use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};

mod answers;
mod headers;
mod kinds;
mod legacy;
mod listen;
mod requests;

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
const CACHE: Cache = Cache {
    ttl_ms: 60000,
    scope: CacheScope::Public,
};

fn identity() -> Identity {
    Identity {
        name: "shop".into(),
        version: "1.2.3".into(),
        title: Some("The \"Shop\"".into()),
        instructions: Some("Ask first.".into()),
    }
}

/// A server that offers tools, and speaks one revision.
fn face() -> Face {
    face_offering(Offer {
        tools: Some(Behaviour::default()),
        ..Offer::default()
    })
}

/// A server that offers this, and speaks one revision.
fn face_offering(offer: Offer) -> Face {
    only_modern(Face::new(&identity(), offer))
}

fn only_modern(face: Face) -> Face {
    face.speaking(Protocols::of(&["2026-07-28"]), None)
}

/// A request of this method with these members of `params` beside a sound `_meta`.
fn request(method: &str, members: &str) -> String {
    let comma = if members.is_empty() { "" } else { "," };
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{META}{comma}{members}}}}}"#)
}

/// A request with this `_meta`.
fn with_meta(meta: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{"_meta":{meta}}}}}"#)
}

/// What is to be done about a message of a stream.
fn stream(message: &str) -> Step {
    receive(
        &face(),
        Carrier::Stream(&mut Conversation::default()),
        message.as_bytes(),
    )
}

/// What is to be done about a message by HTTP.
fn post(headers: &HeaderMap, message: &str) -> Step {
    receive(&face(), Carrier::Http(head(headers)), message.as_bytes())
}

/// The head of a request that came in 1970, before any session ended.
fn head(headers: &HeaderMap) -> Head<'_> {
    static NOBODY: Caller = Caller::NOBODY;
    Head {
        headers,
        caller: &NOBODY,
        now: 0,
        is_over: &|_| false,
    }
}

/// The headers that mirror a request.
fn mirror(pairs: &[(&'static str, &str)]) -> HeaderMap {
    let pair = |(name, value): &(&'static str, &str)| {
        (
            name.parse::<HeaderName>().unwrap(),
            HeaderValue::from_bytes(value.as_bytes()).unwrap(),
        )
    };
    pairs.iter().map(pair).collect()
}

fn call(step: Step) -> Call {
    match step {
        Step::Call(call) => *call,
        other => panic!("not a call: {other:?}"),
    }
}

/// The status, code and message of a refusal.
fn refusal(step: Step) -> (u16, i64, String) {
    let Step::Reply(response) = step else {
        panic!("not refused: {step:?}");
    };
    let body: Value = serde_json::from_slice(&response.body.into_bytes()).unwrap();
    assert_eq!(body["jsonrpc"], "2.0");
    assert_eq!(body["error"]["code"].as_i64(), response.code);
    (
        response.status.as_u16(),
        response.code.unwrap(),
        body["error"]["message"].as_str().unwrap().into(),
    )
}

/// The whole body of a refusal.
fn refused(step: Step) -> String {
    match step {
        Step::Reply(response) => String::from_utf8(response.body.into_bytes().to_vec()).unwrap(),
        other => panic!("not refused: {other:?}"),
    }
}

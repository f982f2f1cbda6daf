//! Tests of the dialect of 2026-07-28: a message and its headers in, what is to be done out.

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

/// A server that offers tools.
fn face() -> Face {
    Face::new(
        &identity(),
        Offer {
            tools: Some(Behaviour::default()),
            ..Offer::default()
        },
    )
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
        &Caller::default(),
        Carrier::Stream(&mut Conversation::default()),
        message.as_bytes(),
    )
}

/// What is to be done about a message by HTTP.
fn post(headers: &HeaderMap, message: &str) -> Step {
    receive(
        &face(),
        &Caller::default(),
        Carrier::Http(headers),
        message.as_bytes(),
    )
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
        Step::Call(call) => call,
        other => panic!("not a call: {other:?}"),
    }
}

/// The status, code and message of a refusal.
fn refusal(step: Step) -> (u16, i64, String) {
    let Step::Reply(response) = step else {
        panic!("not refused: {step:?}");
    };
    let body: Value = serde_json::from_slice(&response.body).unwrap();
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
        Step::Reply(response) => String::from_utf8(response.body.to_vec()).unwrap(),
        other => panic!("not refused: {other:?}"),
    }
}

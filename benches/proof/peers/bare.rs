//! Handlers of bare servers: each does what the tool does, and nothing of the protocol.

use super::server::file as read;
use bytes::Bytes;
use http_body_util::{BodyExt as _, Empty};
use hyper::Request;
use hyper::http::request::Parts;
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use serde::Serialize;
use serde_json::{Value, value::RawValue};
use std::ffi::OsString;
use std::future::{Future, Ready, ready};

/// An answer as snodo writes it, member by member.
#[derive(Serialize)]
struct Answer<'a> {
    jsonrpc: &'static str,
    id: &'a Value,
    result: Result<'a>,
}

#[derive(Serialize)]
struct Result<'a> {
    #[serde(rename = "resultType")]
    result_type: &'static str,
    content: [Block<'a>; 1],
    #[serde(rename = "isError")]
    is_error: bool,
    #[serde(rename = "_meta")]
    meta: &'a RawValue,
}

#[derive(Serialize)]
struct Block<'a> {
    r#type: &'static str,
    text: &'a str,
}

/// Snodo's `_meta` in a result, which is written as it stands.
pub(super) fn meta(arguments: &[OsString], index: usize) -> Box<RawValue> {
    let meta = String::from_utf8(read(arguments, index)).expect("UTF-8");
    RawValue::from_string(meta).expect("JSON")
}

/// The answer with one block of text, as snodo writes it.
pub(super) fn text_answer(id: &Value, text: &str, meta: &RawValue) -> Bytes {
    let block = Block {
        r#type: "text",
        text,
    };
    let answer = Answer {
        jsonrpc: "2.0",
        id,
        result: Result {
            result_type: "complete",
            content: [block],
            is_error: false,
            meta,
        },
    };
    Bytes::from(serde_json::to_vec(&answer).expect("it is JSON"))
}

/// `bare PORT FILE`: these bytes, whatever is asked.
pub(super) fn same_bytes(arguments: &[OsString]) -> impl Fn(Parts, Value) -> Ready<Bytes> + use<> {
    let answer = Bytes::from(read(arguments, 1));
    move |_, parsed| {
        std::hint::black_box(&parsed);
        ready(answer.clone())
    }
}

/// `text PORT META`: the argument `text` as text.
pub(super) fn text(arguments: &[OsString]) -> impl Fn(Parts, Value) -> Ready<Bytes> + use<> {
    let meta = meta(arguments, 1);
    move |_, parsed| {
        let text = parsed.pointer("/params/arguments/text");
        let text = text.and_then(Value::as_str).expect("a text");
        ready(text_answer(parsed.get("id").expect("an id"), text, &meta))
    }
}

/// `spawn PORT META MIB`: what `/bin/true` prints, while so much memory is resident.
pub(super) fn spawn(
    arguments: &[OsString],
) -> impl Fn(Parts, Value) -> std::pin::Pin<Box<dyn Future<Output = Bytes>>> + use<> {
    let meta: &RawValue = Box::leak(meta(arguments, 1));
    let mib = arguments.get(2).and_then(|mib| mib.to_str()?.parse().ok());
    let mut held = vec![0_u8; mib.unwrap_or(0_usize) << 20];
    for page in held.chunks_mut(4096) {
        page.fill(1);
    }
    move |_, parsed| {
        std::hint::black_box(&held);
        Box::pin(async move {
            let output = tokio::process::Command::new("/bin/true")
                .stdin(std::process::Stdio::null())
                .output()
                .await
                .expect("it runs");
            assert!(output.status.success());
            let text = String::from_utf8_lossy(&output.stdout);
            text_answer(parsed.get("id").expect("an id"), &text, meta)
        })
    }
}

/// `file PORT ANSWER FILE`: the file's text within the answer, read while the one thread waits.
pub(super) fn file(arguments: &[OsString]) -> impl Fn(Parts, Value) -> Ready<Bytes> + use<> {
    let (before, after) = around(arguments);
    let path = arguments.get(2).expect("a file").clone();
    move |_, parsed| {
        std::hint::black_box(&parsed);
        let bytes = std::fs::read(&path).expect("it can be read");
        let text = std::str::from_utf8(&bytes).expect("UTF-8");
        let mut answer = Vec::with_capacity(before.len() + text.len() * 2 + after.len());
        answer.extend_from_slice(&before);
        serde_json::to_writer(&mut answer, text).expect("memory takes it");
        answer.extend_from_slice(&after);
        ready(Bytes::from(answer))
    }
}

/// `blob PORT ANSWER FILE`: the file's bytes in base64 within the answer.
pub(super) fn blob(arguments: &[OsString]) -> impl Fn(Parts, Value) -> Ready<Bytes> + use<> {
    let (before, after) = around(arguments);
    let path = arguments.get(2).expect("a file").clone();
    move |_, parsed| {
        std::hint::black_box(&parsed);
        let bytes = std::fs::read(&path).expect("it can be read");
        let size = base64_simd::STANDARD.encoded_length(bytes.len());
        let mut answer = Vec::with_capacity(before.len() + size + 2 + after.len());
        answer.extend_from_slice(&before);
        answer.push(b'"');
        base64_simd::STANDARD.encode_append(&bytes, &mut answer);
        answer.push(b'"');
        answer.extend_from_slice(&after);
        ready(Bytes::from(answer))
    }
}

/// An answer in a file, in two: what stands before and behind the word that changes, `"@"`.
fn around(arguments: &[OsString]) -> (Vec<u8>, Vec<u8>) {
    let answer = String::from_utf8(read(arguments, 1)).expect("UTF-8");
    let (before, after) = answer.split_once(r#""@""#).expect("what changes");
    (before.as_bytes().to_vec(), after.as_bytes().to_vec())
}

/// `relay PORT META URL`: the body of this URL as text, over connections that are kept.
pub(super) fn relay(
    arguments: &[OsString],
) -> impl Fn(Parts, Value) -> std::pin::Pin<Box<dyn Future<Output = Bytes>>> + use<> {
    let meta: &RawValue = Box::leak(meta(arguments, 1));
    let url: hyper::Uri = arguments
        .get(2)
        .and_then(|url| url.to_str()?.parse().ok())
        .expect("a URL");
    let client = Client::builder(TokioExecutor::new()).build_http::<Empty<Bytes>>();
    move |_, parsed| {
        let request = Request::get(url.clone())
            .header("accept", "*/*")
            .body(Empty::new());
        let response = client.request(request.expect("a request"));
        Box::pin(async move {
            let response = response.await.expect("an answer");
            let body = response.into_body().collect().await.expect("a body");
            let body = body.to_bytes();
            let text = std::str::from_utf8(&body).expect("UTF-8");
            text_answer(parsed.get("id").expect("an id"), text, meta)
        })
    }
}

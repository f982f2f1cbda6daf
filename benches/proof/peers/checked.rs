//! A bare hyper server that checks what snodo checks: headers, `_meta`, the arguments by their JSON
//! Schema; and makes the text of them.

use super::bare::{meta, text_answer};
use super::server::file;
use bytes::Bytes;
use hyper::HeaderMap;
use hyper::http::request::Parts;
use serde_json::{Map, Value};
use std::ffi::OsString;
use std::future::{Ready, ready};

const REVISION: &str = "2026-07-28";
const TOOL: &str = "greet";

/// `checked PORT META SCHEMA`: the tool `greet`.
pub(super) fn greet(arguments: &[OsString]) -> impl Fn(Parts, Value) -> Ready<Bytes> + use<> {
    let meta = meta(arguments, 1);
    let schema: Value = serde_json::from_slice(&file(arguments, 2)).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    move |head, parsed| {
        let text = call(&head, &parsed, &validator);
        let id = parsed.get("id").unwrap_or(&Value::Null);
        let text = text.unwrap_or_else(|wrong| panic!("refused: {wrong}"));
        ready(text_answer(id, &text, &meta))
    }
}

type Checked<T> = Result<T, String>;

fn call(head: &Parts, message: &Value, validator: &jsonschema::Validator) -> Checked<String> {
    endpoint(head)?;
    host(&head.headers)?;
    origin(&head.headers)?;
    types(&head.headers)?;
    let method = text(message.get("method"), "method")?;
    if text(message.get("jsonrpc"), "jsonrpc")? != "2.0" || method != "tools/call" {
        return Err("not a call".to_owned());
    }
    let params = object(message.get("params"), "params")?;
    let name = text(params.get("name"), "name")?;
    let revision = request_meta(object(params.get("_meta"), "_meta")?)?;
    same(&head.headers, "mcp-protocol-version", revision)?;
    same(&head.headers, "mcp-method", method)?;
    same(&head.headers, "mcp-name", name)?;
    if name != TOOL || revision != REVISION {
        return Err("unknown".to_owned());
    }
    let arguments = params.get("arguments").ok_or("no arguments")?;
    if let Some(wrong) = validator.iter_errors(arguments).next() {
        return Err(wrong.to_string());
    }
    Ok(format!(
        "Hello, {}! You are {} years old and live in {}.",
        text(arguments.get("name"), "name")?,
        arguments.get("age").unwrap_or(&Value::Null),
        text(arguments.get("city"), "city")?,
    ))
}

fn endpoint(head: &Parts) -> Checked<()> {
    let right = head.method == hyper::Method::POST && head.uri.path() == "/mcp";
    right.then_some(()).ok_or_else(|| "not found".to_owned())
}

/// The one value of this header.
fn only<'a>(headers: &'a HeaderMap, name: &str) -> Checked<Option<&'a str>> {
    let mut values = headers.get_all(name).iter();
    let first = values.next();
    if values.next().is_some() {
        return Err(format!("{name} stands twice"));
    }
    first
        .map(|value| value.to_str().map_err(|_| format!("{name} is no text")))
        .transpose()
}

fn same(headers: &HeaderMap, name: &str, body: &str) -> Checked<()> {
    match only(headers, name)? {
        Some(value) if value == body => Ok(()),
        _ => Err(format!("{name} is not what the body says")),
    }
}

fn is_loopback(host: &str) -> bool {
    ["localhost", "127.0.0.1", "[::1]"]
        .iter()
        .any(|name| host.eq_ignore_ascii_case(name))
}

fn host(headers: &HeaderMap) -> Checked<()> {
    let host = only(headers, "host")?.ok_or("no host")?;
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    is_loopback(name)
        .then_some(())
        .ok_or_else(|| "host".to_owned())
}

fn origin(headers: &HeaderMap) -> Checked<()> {
    let Some(origin) = only(headers, "origin")? else {
        return Ok(());
    };
    let host = origin.split_once("://").map_or("", |(_, host)| host);
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    is_loopback(name)
        .then_some(())
        .ok_or_else(|| "origin".to_owned())
}

fn types(headers: &HeaderMap) -> Checked<()> {
    let sent = only(headers, "content-type")?.unwrap_or_default();
    let essence = sent.split(';').next().unwrap_or_default().trim();
    if !essence.eq_ignore_ascii_case("application/json") || headers.contains_key("content-encoding")
    {
        return Err("not JSON".to_owned());
    }
    let mut accepted = headers.get_all("accept").iter().peekable();
    if accepted.peek().is_none() {
        return Ok(());
    }
    let takes_json = accepted
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|range| {
            let (range, parameters) = range.split_once(';').unwrap_or((range, ""));
            let known = ["application/json", "application/*", "*/*"];
            known.contains(&range.trim()) && !parameters.replace(' ', "").contains("q=0")
        });
    takes_json
        .then_some(())
        .ok_or_else(|| "not acceptable".to_owned())
}

fn text<'a>(value: Option<&'a Value>, what: &str) -> Checked<&'a str> {
    value
        .and_then(Value::as_str)
        .ok_or_else(|| format!("{what} is no text"))
}

fn object<'a>(value: Option<&'a Value>, what: &str) -> Checked<&'a Map<String, Value>> {
    value
        .and_then(Value::as_object)
        .ok_or_else(|| format!("{what} is no object"))
}

/// The revision that `_meta` names, once all of it is in order.
fn request_meta(meta: &Map<String, Value>) -> Checked<&str> {
    object(
        meta.get("io.modelcontextprotocol/clientCapabilities"),
        "clientCapabilities",
    )?;
    if let Some(info) = meta.get("io.modelcontextprotocol/clientInfo") {
        let info = object(Some(info), "clientInfo")?;
        text(info.get("name"), "name")?;
        text(info.get("version"), "version")?;
    }
    if let Some(token) = meta.get("progressToken")
        && !token.is_string()
        && !token.is_i64()
    {
        return Err("progressToken".to_owned());
    }
    text(
        meta.get("io.modelcontextprotocol/protocolVersion"),
        "protocolVersion",
    )
}

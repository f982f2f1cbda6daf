//! Messages of another client that are passed on to a server as they stand, and what has to be known of
//! them: HTTP wants in headers what standard streams carry in the body alone.

use super::decode::{Message, decode};
use super::headers::mirror;
use crate::lang::schema::HeaderParam;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Map, Value, json};

/// One message of a client.
#[derive(Clone, Debug)]
pub enum Relayed {
    /// A request.
    Request(Sent),
    /// A notification.
    Notice(Sent),
    /// The answer to what the server asked.
    Answer,
}

/// A request or a notification.
#[derive(Clone, Debug)]
pub struct Sent {
    /// Its id; `null` for a notification.
    pub id: Value,
    /// What it asks or tells.
    pub method: String,
    params: Map<String, Value>,
}

impl Relayed {
    /// Reads a message. The error is the answer to it.
    ///
    /// # Errors
    /// It is none.
    pub fn read(message: &[u8]) -> Result<Self, Bytes> {
        let sent = |id, method, params| Sent { id, method, params };
        match decode(message) {
            Ok(Message::Answer { .. }) => Ok(Self::Answer),
            Ok(Message::Request { id, method, params }) => {
                Ok(Self::Request(sent(id, method, params)))
            }
            Ok(Message::Notice(..)) => {
                let value: Value = serde_json::from_slice(message).unwrap_or_default();
                let method = value.get("method").and_then(Value::as_str);
                let method = method.unwrap_or_default().to_owned();
                let params = match value.get("params") {
                    Some(Value::Object(params)) => params.clone(),
                    _ => Map::new(),
                };
                Ok(Self::Notice(sent(Value::Null, method, params)))
            }
            Err(why) => {
                let code = if why.starts_with("not JSON:") {
                    -32700
                } else {
                    -32600
                };
                Err(failure(&Value::Null, code, &why))
            }
        }
    }
}

impl Sent {
    /// The revision that the message says it is of; `None` for one that is told by its handshake.
    pub fn revision(&self) -> Option<&str> {
        let meta = self.params.get("_meta")?;
        meta.get("io.modelcontextprotocol/protocolVersion")?
            .as_str()
    }

    /// The tool that is called.
    pub fn tool(&self) -> Option<&str> {
        if self.method != "tools/call" {
            return None;
        }
        self.params.get("name")?.as_str()
    }

    /// A parameter.
    pub fn param(&self, name: &str) -> Option<&Value> {
        self.params.get(name)
    }

    /// Whether the server changes nothing by it, so that it may be sent again when nobody knows what
    /// became of it.
    pub fn may_be_repeated(&self) -> bool {
        self.method != "tools/call"
    }

    /// The headers of a message without a handshake. A revision that no header can hold has none.
    pub fn headers(&self, mirrored: &[HeaderParam]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let revision = self.revision().map(HeaderValue::try_from);
        if let Some(Ok(revision)) = revision {
            headers.insert(HeaderName::from_static("mcp-protocol-version"), revision);
        }
        mirror(&mut headers, &self.method, &self.params, mirrored);
        headers
    }
}

/// Whether a server's message is the answer to the request of this id. An error without an id is
/// one to the only request that it can be for.
pub fn answers(message: &[u8], id: &Value) -> bool {
    #[derive(serde::Deserialize)]
    struct Head {
        #[serde(default)]
        id: Value,
        method: Option<serde::de::IgnoredAny>,
        result: Option<serde::de::IgnoredAny>,
        error: Option<serde::de::IgnoredAny>,
    }
    // What is skipped in it is not looked at as text.
    let text = std::str::from_utf8(message).unwrap_or_default();
    serde_json::from_str::<Head>(text).is_ok_and(|head| {
        let is_ours = head.id == *id || (head.id.is_null() && head.error.is_some());
        head.method.is_none() && is_ours && (head.result.is_some() != head.error.is_some())
    })
}

/// Whether a server's message tells or asks something: what may go to a client beside answers.
pub fn is_told(message: &[u8]) -> bool {
    matches!(
        decode(message),
        Ok(Message::Notice(..) | Message::Request { .. })
    )
}

/// Whether an answer is an error.
pub fn is_error(answer: &[u8]) -> bool {
    #[derive(serde::Deserialize)]
    struct Head {
        error: Option<serde::de::IgnoredAny>,
    }
    serde_json::from_slice::<Head>(answer).is_ok_and(|head| head.error.is_some())
}

/// Whether a server says that it ends a request.
pub fn is_cancellation(message: &[u8]) -> bool {
    #[derive(serde::Deserialize)]
    struct Head {
        method: Option<String>,
    }
    serde_json::from_slice::<Head>(message)
        .is_ok_and(|head| head.method.as_deref() == Some("notifications/cancelled"))
}

/// That everything a subscription was granted has changed, one notification each; `None` for a message
/// that grants nothing.
pub fn changes(message: &[u8]) -> Option<Vec<Bytes>> {
    let message: Value = serde_json::from_slice(message).ok()?;
    if message.get("method")?.as_str()? != "notifications/subscriptions/acknowledged" {
        return None;
    }
    let params = message.get("params")?;
    let meta = params.get("_meta").cloned().unwrap_or_else(|| json!({}));
    let granted = params.get("notifications");
    let granted = |name: &str| granted.and_then(|granted| granted.get(name));
    let mut all = Vec::new();
    for list in ["tools", "prompts", "resources"] {
        if granted(&format!("{list}ListChanged")) == Some(&Value::Bool(true)) {
            let method = format!("notifications/{list}/list_changed");
            all.push(json!({ "jsonrpc": "2.0", "method": method, "params": { "_meta": meta } }));
        }
    }
    let uris = granted("resourceSubscriptions").and_then(Value::as_array);
    for uri in uris.into_iter().flatten() {
        let params = json!({ "uri": uri, "_meta": meta });
        let method = "notifications/resources/updated";
        all.push(json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }
    let lines = all
        .iter()
        .map(|notice| notice.to_string().into_bytes().into());
    Some(lines.collect())
}

/// An error as the answer to this request.
pub fn failure(id: &Value, code: i64, message: &str) -> Bytes {
    let error = json!({ "code": code, "message": message });
    let answer = json!({ "jsonrpc": "2.0", "id": id, "error": error });
    answer.to_string().into_bytes().into()
}

/// A server's message as one line. An error that names no request is the answer to `id`.
pub fn one_line(message: Bytes, id: &Value) -> Bytes {
    let nameless = || match serde_json::from_slice::<Value>(&message) {
        Ok(value) => (value.get("id").is_none_or(Value::is_null) && value.get("error").is_some())
            .then_some(value),
        Err(_) => None,
    };
    if message.len() < NAMELESS
        && !id.is_null()
        && let Some(mut value) = nameless()
    {
        if let Some(members) = value.as_object_mut() {
            members.insert("id".into(), id.clone());
        }
        return value.to_string().into_bytes().into();
    }
    if !message.iter().any(|byte| matches!(byte, b'\n' | b'\r')) {
        return message;
    }
    // Inside of strings neither stands as it is: between values both are space.
    let line = message.iter().copied();
    let line: Vec<u8> = line.filter(|byte| !matches!(byte, b'\n' | b'\r')).collect();
    line.into()
}

/// An error that names no request is short.
const NAMELESS: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    fn request(text: &str) -> Sent {
        match Relayed::read(text.as_bytes()) {
            Ok(Relayed::Request(sent)) => sent,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn headers_say_what_the_body_says() {
        let sent = request(
            r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"é","_meta":
            {"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#,
        );
        let headers = sent.headers(&[]);
        assert_eq!(headers["mcp-protocol-version"], "2026-07-28");
        assert_eq!(headers["mcp-method"], "tools/call");
        assert_eq!(headers["mcp-name"], "=?base64?w6k=?=");
        assert_eq!((sent.tool(), sent.may_be_repeated()), (Some("é"), false));
        let sent = request(
            r#"{"id":1,"method":"a\nb","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"\u0000"}}}"#,
        );
        assert!(sent.headers(&[]).is_empty());
        assert_eq!((sent.tool(), sent.may_be_repeated()), (None, true));
    }

    #[test]
    fn a_message_is_read_as_it_stands() {
        let sent = request(r#"{"id":"a","method":"tools/call","params":{"name":"t","n":1}}"#);
        assert_eq!((sent.id.clone(), &*sent.method), (json!("a"), "tools/call"));
        assert_eq!((sent.param("n"), sent.param("m")), (Some(&json!(1)), None));
        assert_eq!((sent.tool(), sent.revision()), (Some("t"), None));
        let read = |text: &str| Relayed::read(text.as_bytes());
        assert!(matches!(
            read(r#"{"id":1,"result":{}}"#),
            Ok(Relayed::Answer)
        ));
        let Ok(Relayed::Notice(told)) = read(r#"{"method":"n/told","params":{"a":1}}"#) else {
            panic!("no notification");
        };
        assert_eq!((told.id.clone(), &*told.method), (Value::Null, "n/told"));
        assert_eq!(told.param("a"), Some(&json!(1)));
    }

    #[test]
    fn what_a_server_says_is_told_apart() {
        for (message, is_failure, ends) in [
            (r#"{"id":1,"error":{"code":1}}"#, true, false),
            (r#"{"id":1,"result":{}}"#, false, false),
            (r#"{"method":"notifications/cancelled"}"#, false, true),
            (r#"{"method":"notifications/message"}"#, false, false),
            ("nonsense", false, false),
        ] {
            let message = message.as_bytes();
            assert_eq!(
                (is_error(message), is_cancellation(message)),
                (is_failure, ends),
                "{message:?}"
            );
        }
    }

    #[test]
    fn all_that_was_granted_is_told_as_changed() {
        let told = |message: &Value| {
            let told = changes(message.to_string().as_bytes())?;
            let read = |line: &Bytes| serde_json::from_slice::<Value>(line).unwrap();
            Some(told.iter().map(read).collect::<Vec<_>>())
        };
        let meta = json!({"io.modelcontextprotocol/subscriptionId": "s"});
        let granted = |granted: Value| {
            json!({"method": "notifications/subscriptions/acknowledged",
                "params": {"_meta": meta, "notifications": granted}})
        };
        let notice = |method: &str, params: Value| json!({"jsonrpc": "2.0", "method": method, "params": params});
        assert_eq!(
            told(&granted(
                json!({"toolsListChanged": true, "promptsListChanged": false,
                "resourcesListChanged": true, "resourceSubscriptions": ["a:b"]})
            )),
            Some(vec![
                notice("notifications/tools/list_changed", json!({"_meta": meta})),
                notice(
                    "notifications/resources/list_changed",
                    json!({"_meta": meta})
                ),
                notice(
                    "notifications/resources/updated",
                    json!({"uri": "a:b", "_meta": meta})
                ),
            ])
        );
        assert_eq!(told(&granted(json!({}))), Some(vec![]));
        assert_eq!(
            told(&json!({"method": "notifications/message", "params": {}})),
            None
        );
    }

    #[test]
    fn an_answer_is_one_that_names_the_request_and_says_something() {
        let id = json!(7);
        for (message, expected) in [
            (&br#"{"id":7,"result":{}}"#[..], true),
            (br#"{"id":7,"error":{}}"#, true),
            (br#"{"id":null,"error":{}}"#, true),
            (br#"{"error":{}}"#, true),
            (br#"{"id":8,"result":{}}"#, false),
            (br#"{"id":"7","result":{}}"#, false),
            (br#"{"result":{}}"#, false),
            (br#"{"id":7}"#, false),
            (br#"{"id":7,"result":{},"error":{}}"#, false),
            (br#"{"id":7,"method":"x"}"#, false),
            (b"{\"id\":7,\"result\":{\"a\":\"\xff\"}}", false),
            (b"7", false),
        ] {
            assert_eq!(answers(message, &id), expected, "{message:?}");
        }
        assert!(is_told(br#"{"method":"n"}"#) && is_told(br#"{"id":1,"method":"n"}"#));
        for message in [&b"\xff"[..], b"{}", b"[]", br#"{"id":1,"result":{}}"#] {
            assert!(!is_told(message), "{message:?}");
        }
    }

    #[test]
    fn what_is_no_message_is_answered() {
        for (text, code) in [("{", -32700), ("[]", -32600), ("{\"id\":1}", -32600)] {
            let answer = Relayed::read(text.as_bytes()).unwrap_err();
            let answer: Value = serde_json::from_slice(&answer).unwrap();
            assert_eq!(answer["error"]["code"], code, "{text}");
        }
        let answer: Value = serde_json::from_slice(&failure(&json!("x"), 1, "why")).unwrap();
        assert_eq!(
            answer,
            json!({"jsonrpc": "2.0", "id": "x", "error": {"code": 1, "message": "why"}})
        );
    }

    #[test]
    fn every_message_is_a_line_and_every_error_names_its_request() {
        let id = json!("x");
        for (message, line) in [
            ("{\n \"a\":\r\n 1}", "{ \"a\": 1}"),
            (
                r#"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}"#,
                r#"{"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"m"}}"#,
            ),
            (r#"{"id":7,"error":{}}"#, r#"{"id":7,"error":{}}"#),
            (r#"{"method":"n"}"#, r#"{"method":"n"}"#),
        ] {
            assert_eq!(one_line(Bytes::from(message), &id), line);
        }
        let nameless = |length: usize| {
            let message = r#"{"error":{"message":""}}"#;
            let words = "w".repeat(length - message.len());
            Bytes::from(message.replace(r#""""#, &format!("\"{words}\"")))
        };
        // Nothing asked, or too long for an error of that kind: it stays.
        for (message, id, is_named) in [
            (nameless(NAMELESS - 1), &id, true),
            (nameless(NAMELESS), &id, false),
            (nameless(100), &Value::Null, false),
        ] {
            let line = one_line(message.clone(), id);
            assert_eq!(line != message, is_named, "{}", message.len());
        }
    }
}

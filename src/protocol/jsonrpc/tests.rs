//! Tests of the framing: what is a message, what is not, and what of it comes back.

use super::*;
use crate::protocol::codes::Fault;
use bytes::Bytes;
use proptest::prelude::*;
use serde_json::{Value, json};

fn decode(bytes: &[u8]) -> Result<Message<'_>, Box<Malformed>> {
    super::checked(bytes).and_then(super::decode)
}

/// The message's kind and parts, or the fault with the id that could be read.
fn read(bytes: impl AsRef<[u8]>) -> String {
    match decode(bytes.as_ref()) {
        Ok(Message::Request(request)) => format!(
            "request {} {} {}",
            request.id.as_json(),
            request.method,
            request.params.map_or("none", |params| params.get())
        ),
        Ok(Message::Notification(notification)) => format!(
            "notification {} {}",
            notification.method,
            notification.params.map_or("none", |params| params.get())
        ),
        Ok(Message::Outcome(_)) => "response".into(),
        Err(malformed) => format!(
            "{} {}{}",
            malformed
                .id
                .map_or("no id".into(), |id| id.as_json().to_owned()),
            malformed.fault,
            if malformed.notification {
                " (notification)"
            } else {
                ""
            }
        ),
    }
}

fn assert_all(table: &[(&str, &str)]) {
    for (message, expected) in table {
        assert_eq!(read(message), *expected, "{message}");
    }
}

#[test]
fn messages_are_told_apart() {
    assert_all(&[
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"a/b","params":{"x":[1]}}"#,
            r#"request 1 a/b {"x":[1]}"#,
        ),
        (
            r#" { "params" : { } , "method":"m", "id":"i", "jsonrpc":"2.0" } "#,
            r#"request "i" m { }"#,
        ),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"}\r\n",
            "request 1 m none",
        ),
        (
            r#"{"jsonrpc":"2.0","method":"n","extra":[{}],"params":{}}"#,
            "notification n {}",
        ),
        (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, "response"),
        (
            r#"{"jsonrpc":"2.0","error":{"code":1,"message":""}}"#,
            "response",
        ),
        (
            r#"{"\u006asonrpc":"2.0","\u0069d":7,"method":"tools\/list"}"#,
            "request 7 tools/list none",
        ),
    ]);
    assert_eq!(
        read(b"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"method\":\"n\"}"),
        "notification n none"
    );
}

#[test]
fn null_params_are_absent_and_other_params_are_refused() {
    assert_all(&[
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"m","params":null}"#,
            "request 1 m none",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"m","params":[1]}"#,
            "1 Invalid params: `params` must be an object",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"m","params":"p"}"#,
            "1 Invalid request: `params` must be an object",
        ),
        (
            r#"{"jsonrpc":"2.0","method":"m","params":7}"#,
            "no id Invalid request: `params` must be an object (notification)",
        ),
    ]);
}

#[test]
fn response_id_never_changes_type_or_digits() {
    for id in [
        "1",
        "0",
        "-1",
        "\"1\"",
        "\"\"",
        "9007199254740991",
        "9007199254740993",
        "9223372036854775807",
        "-9223372036854775808",
        "18446744073709551615",
        "340282366920938463463374607431768211456123",
        r#""a\u0062\n\"\\/\/""#,
        "\"🦀\u{2028}\"",
    ] {
        let message = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"m"}}"#);
        assert_eq!(read(&message), format!("request {id} m none"));
    }
}

#[test]
fn an_id_that_is_no_string_and_no_integer_is_refused_without_one() {
    for id in [
        "null",
        "1.0",
        "1.5",
        "1e3",
        "-1E3",
        "true",
        "[1]",
        "{}",
        r#""\ud800""#,
    ] {
        let message = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"m"}}"#);
        assert_eq!(
            read(&message),
            "no id Invalid request: `id` must be a string or an integer",
            "{id}"
        );
    }
}

#[test]
fn a_bad_line_is_a_parse_error_without_id() {
    for message in [
        "",
        "{",
        "nonsense",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"",
        "{'id':1}",
        "[1,",
        "\"open",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"}}",
        "{\"id\":01}",
        "{\"a\":\"\u{1}\"}",
        "{\"id\":1}{\"id\":2}",
        "\0",
        "NaN",
    ] {
        let read = read(message);
        assert!(
            read.starts_with("no id Parse error: "),
            "{message:?}: {read}"
        );
    }
    for bytes in [
        &b"{\"jsonrpc\":\"2.0\",\"method\":\"\xff\"}"[..],
        b"\xfe\xff\0{",
        b"\xc0\x80",
    ] {
        assert!(
            read(bytes).starts_with("no id Parse error: the message is not UTF-8"),
            "{bytes:?}"
        );
    }
}

#[test]
fn batch_arrays_are_refused_as_batches() {
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"m"}"#;
    for message in [
        "[]".to_owned(),
        " [ ] ".to_owned(),
        format!("[{call}]"),
        format!("[{call},{call}]"),
    ] {
        assert_eq!(
            read(&message),
            "no id Invalid request: batches are not supported"
        );
    }
}

#[test]
fn other_json_is_no_message() {
    for message in ["1", "null", "\"text\"", "true"] {
        assert_eq!(
            read(message),
            "no id Invalid request: a message is a JSON object"
        );
    }
    assert_all(&[
        ("{}", "no id Invalid request: `jsonrpc` must be \"2.0\""),
        (
            r#"{"jsonrpc":"2.0"}"#,
            "no id Invalid request: `method` must be a string",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1}"#,
            "1 Invalid request: `method` must be a string",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":2}"#,
            "1 Invalid request: `method` must be a string",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"\udc00"}"#,
            "1 Invalid request: `method` must be a string",
        ),
        (
            r#"{"jsonrpc":"1.0","id":1,"method":"m"}"#,
            "1 Invalid request: `jsonrpc` must be \"2.0\"",
        ),
        (
            r#"{"jsonrpc":2.0,"id":1,"method":"m"}"#,
            "1 Invalid request: `jsonrpc` must be \"2.0\"",
        ),
        (
            r#"{"id":"x","method":"m"}"#,
            "\"x\" Invalid request: `jsonrpc` must be \"2.0\"",
        ),
        (
            r#"{"method":"m"}"#,
            "no id Invalid request: `jsonrpc` must be \"2.0\" (notification)",
        ),
    ]);
}

#[test]
fn a_member_that_stands_twice_is_refused() {
    assert_all(&[
        (
            r#"{"jsonrpc":"2.0","id":1,"id":1,"method":"m"}"#,
            "no id Invalid request: `id` stands more than once",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"m","\u006dethod":"n"}"#,
            "1 Invalid request: `method` stands more than once",
        ),
        (
            r#"{"jsonrpc":"2.0","params":{},"id":1,"method":"m","params":null}"#,
            "1 Invalid request: `params` stands more than once",
        ),
        (
            r#"{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"m"}"#,
            "1 Invalid request: `jsonrpc` stands more than once",
        ),
    ]);
}

#[test]
fn deep_nesting_is_a_parse_error_and_no_stack_overflow() {
    let deep = "no id Parse error: objects and arrays stand more than 128 deep";
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(read("[".repeat(100_000)), deep);
    assert_eq!(read(nested(100_000)), deep);
    assert_eq!(read("{\"a\":".repeat(100_000)), deep);
    let argument = |depth| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{{"a":{}}}}}"#,
            nested(depth)
        )
    };
    assert_eq!(read(argument(127)), deep);
    assert!(read(argument(126)).starts_with("request 1 m {\"a\":[["));
    let beside = argument(126).replace(r#""params":{"#, r#""params":{"b":[],"#);
    assert!(read(beside).starts_with("request 1 m {\"b\":[],\"a\":[["));
    // A quote behind a backslash ends no string, one behind two does.
    for (text, is_deep) in [(r#"\""#, false), (r#"\\""#, true), (r#"\\\""#, false)] {
        let brackets = match is_deep {
            true => format!(r#"{text},"b":{}"#, nested(127)),
            false => format!(r#"{text}{}""#, nested(127)),
        };
        let said = read(format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{{"a":"{brackets}}}}}"#
        ));
        assert_eq!(said == deep, is_deep, "{said}");
    }
    // Brackets in strings open nothing, and many that stand beside each other are not deep.
    let text = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{{"a":"{}\"[","b":[{}0]}}}}"#,
        "[{".repeat(500),
        "[],{},".repeat(500)
    );
    assert!(read(text).starts_with("request 1 m {\"a\":"));
}

#[test]
fn ids_are_equal_by_type_and_value() {
    let id = |json: &str| {
        let message = format!(r#"{{"jsonrpc":"2.0","id":{json},"method":"m"}}"#);
        match decode(message.as_bytes()) {
            Ok(Message::Request(request)) => request.id,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(id("1"), id("1"));
    assert_ne!(id("1"), id("\"1\""));
    assert_eq!(id(r#""a/\"""#), id(r#""\u0061\/\u0022""#));
    assert_ne!(id(r#""a""#), id(r#""A""#));
    let known = std::collections::HashSet::from([id(r#""a""#), id("7")]);
    assert!(known.contains(&id(r#""\u0061""#)) && !known.contains(&id("\"7\"")));
    assert_eq!(id(r#""a\u0062\n""#).to_text().as_ref(), "ab\n");
    assert_eq!(
        id("18446744073709551616").to_text().as_ref(),
        "18446744073709551616"
    );
    assert_eq!(id("-7").to_text().as_ref(), "-7");
}

#[test]
fn an_error_without_id_has_no_id_member() {
    assert_eq!(
        error(None, -32700, "a \"b\"", None),
        r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"a \"b\""}}"#
    );
}

#[test]
fn a_result_is_framed_in_one_allocation() {
    let Ok(Message::Request(request)) = decode(br#"{"jsonrpc":"2.0","id":"a","method":"m"}"#)
    else {
        panic!("no request");
    };
    let framed = result(&request.id, &Bytes::from_static(b"{}")).into_bytes();
    assert_eq!(framed, r#"{"jsonrpc":"2.0","id":"a","result":{}}"#);
    let begun = begin_result(&request.id, 2);
    assert_eq!(begun.capacity(), framed.len());
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::hash_map(any::<String>(), inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_bytes_are_read_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = read(bytes);
    }

    #[test]
    fn any_damage_to_a_message_is_read_without_panic(at in 0_usize..80, byte in any::<u8>()) {
        let mut message = br#"{"jsonrpc":"2.0","id":"a\u00e9","method":"tools/call","params":{"name":"x[{"}}"#.to_vec();
        if let Some(place) = message.get_mut(at) {
            *place = byte;
        }
        let _ = read(message);
    }

    #[test]
    fn any_id_comes_back_as_it_was_sent(id in prop_oneof![
        any::<i128>().prop_map(|id| id.to_string()),
        any::<String>().prop_map(|id| json!(id).to_string()),
    ]) {
        let message = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"m"}}"#);
        let Ok(Message::Request(request)) = decode(message.as_bytes()) else {
            return Err(TestCaseError::fail("no request"));
        };
        let answer = result(&request.id, &Bytes::from_static(b"{}")).into_bytes();
        prop_assert_eq!(&answer, &format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#));
        prop_assert!(!answer.contains(&b'\n'));
    }

    #[test]
    fn any_params_are_found_whole(params in json_value(), pretty in any::<bool>()) {
        let message = json!({"params": {"inner": params}, "id": 1, "method": "m", "jsonrpc": "2.0"});
        let message = if pretty { format!("{message:#}") } else { message.to_string() };
        let Ok(Message::Request(request)) = decode(message.as_bytes()) else {
            return Err(TestCaseError::fail("no request"));
        };
        let found: Value = serde_json::from_str(request.params.unwrap().get()).unwrap();
        prop_assert_eq!(found, json!({"inner": params}));
    }

    #[test]
    fn any_error_is_one_line_of_json(message in any::<String>(), code in any::<i64>(), data in json_value()) {
        let data = data.to_string();
        let line = error(None, code, &message, Some(data.as_bytes()));
        prop_assert!(!line.contains(&b'\n'));
        let read: Value = serde_json::from_slice(&line).unwrap();
        prop_assert_eq!(&read["error"]["message"], &json!(message));
        prop_assert_eq!(&read["error"]["code"], &json!(code));
    }
}

#[test]
fn the_fault_of_a_batch_is_an_invalid_request() {
    let malformed = decode(b"[]").unwrap_err();
    assert!(matches!(malformed.fault, Fault::InvalidRequest(_)) && !malformed.notification);
}

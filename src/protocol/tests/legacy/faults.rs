//! Every fault in the form of each kind of revision: its code, its status over HTTP, its data.

use super::*;
use crate::ops::ClientCapabilities;
use crate::protocol::reply;
use std::sync::Arc;

#[test]
fn every_fault_has_its_code_status_and_data() {
    let supported = Protocols::of(&ALL);
    let versions = || json!({ "supported": supported_names(), "requested": "1" });
    let lacking = || {
        [ClientCapability::Roots]
            .into_iter()
            .collect::<ClientCapabilities>()
    };
    let op = |error: OpError| Fault::from(error);
    let none = Value::Null;
    // Code and status in the newest revision, then in those with a handshake.
    for (fault, modern, legacy, data) in [
        (
            Fault::Parse("x".into()),
            (-32700, 400),
            (-32700, 400),
            none.clone(),
        ),
        (
            Fault::InvalidRequest("x".into()),
            (-32600, 400),
            (-32600, 400),
            none.clone(),
        ),
        (
            Fault::MissingMeta("x".into()),
            (-32602, 400),
            (-32602, 200),
            none.clone(),
        ),
        (
            Fault::HeaderMismatch("x".into()),
            (-32020, 400),
            (-32020, 400),
            none.clone(),
        ),
        (
            Fault::UnsupportedVersion {
                requested: "1".into(),
                supported,
            },
            (-32022, 400),
            (-32600, 400),
            versions(),
        ),
        (
            Fault::Handshake {
                requested: Some("1".into()),
                supported,
            },
            (-32022, 400),
            (-32600, 400),
            versions(),
        ),
        (
            Fault::SessionGone,
            (-32001, 404),
            (-32001, 404),
            none.clone(),
        ),
        (
            op(OpError::MethodNotFound("m".into())),
            (-32601, 404),
            (-32601, 200),
            none.clone(),
        ),
        (
            op(OpError::UnknownTool("t".into())),
            (-32602, 200),
            (-32602, 200),
            none.clone(),
        ),
        (
            op(OpError::UnknownPrompt("p".into())),
            (-32602, 200),
            (-32602, 200),
            none.clone(),
        ),
        (
            op(OpError::InvalidCursor),
            (-32602, 200),
            (-32602, 200),
            none.clone(),
        ),
        (
            op(OpError::InvalidParams("x".into())),
            (-32602, 200),
            (-32602, 200),
            none.clone(),
        ),
        (
            op(OpError::ResourceNotFound("r://x".into())),
            (-32602, 200),
            (-32002, 200),
            json!({ "uri": "r://x" }),
        ),
        (
            op(OpError::Internal("x".into())),
            (-32603, 200),
            (-32603, 200),
            none.clone(),
        ),
        (
            op(OpError::Failed("x".into())),
            (-32603, 200),
            (-32603, 200),
            none.clone(),
        ),
        (
            op(OpError::LacksCapabilities(lacking())),
            (-32021, 400),
            (-32603, 200),
            json!({ "requiredCapabilities": { "roots": {} } }),
        ),
        (
            op(OpError::Declared {
                code: 7,
                message: "m".into(),
                data: Some(json!([1])),
            }),
            (7, 200),
            (7, 200),
            json!([1]),
        ),
    ] {
        for (dialect, (code, status)) in Dialect::ALL.into_iter().zip([modern, legacy, legacy]) {
            let response = reply::error(dialect, None, &fault);
            let body: Value = serde_json::from_slice(&response.body.into_bytes()).unwrap();
            let said = (response.code, response.status.as_u16());
            assert_eq!(said, (Some(code), status), "{dialect:?} {fault:?}");
            assert_eq!(body["error"]["code"], code);
            assert_eq!(body["error"]["data"], data, "{fault:?}");
            assert_eq!(response.forbidden, None);
        }
        if let Fault::Op(error) = &fault {
            assert_eq!(error_code(error), modern.0);
        }
    }
}

fn supported_names() -> Value {
    json!(ALL)
}

#[test]
fn who_lacks_scopes_is_told_which() {
    let scopes: Arc<[String]> = Arc::new(["a".to_owned(), "b".to_owned()]);
    let fault = Fault::from(OpError::Forbidden(Arc::clone(&scopes)));
    for dialect in Dialect::ALL {
        let response = reply::error(dialect, None, &fault);
        assert_eq!(
            (response.code, response.status.as_u16()),
            (Some(-32600), 403)
        );
        assert_eq!(response.forbidden, Some(Arc::clone(&scopes)));
    }
}

#[test]
fn who_takes_no_stream_is_told_so_by_the_status() {
    let listen = stream(&request("subscriptions/listen", r#""notifications":{}"#));
    let Step::Listen(listen) = listen else {
        panic!("{listen:?}");
    };
    assert_eq!(listen.subscription.revision(), NEWEST);
    let refused = listen.subscription.refuse_without_stream();
    assert_eq!(refused.status.as_u16(), 406);
    assert!(
        refused
            .body
            .into_bytes()
            .starts_with(br#"{"jsonrpc":"2.0","id":1,"#)
    );
}

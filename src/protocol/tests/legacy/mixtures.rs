//! Which revision a message is of, whatever it carries: one right answer for every mixture.

use super::*;

/// Header fields by name.
type Headers<'h> = Vec<(&'static str, &'h str)>;

#[test]
fn every_mixture_has_one_answer() {
    use As::{Began, Legacy, Modern, Refused};
    let face = speaking(&ALL);
    let full = META.to_owned();
    let version_only =
        r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#.to_owned();
    let capabilities_only =
        r#""_meta":{"io.modelcontextprotocol/clientCapabilities":{}}"#.to_owned();
    let old_meta = META.replace(NEWEST, NEWER);
    let token = r#""_meta":{"progressToken":1}"#.to_owned();
    let none = String::new();
    let (newer, older) = (begun(&face, NEWER), begun(&face, OLDER));
    let stranger = begun(&speaking(&ALL).speaking(Protocols::ALL, None), NEWER);
    let (front, other) = (&newer[1..], if newer.starts_with('B') { 'C' } else { 'B' });
    let tampered = format!("{other}{front}");
    let list = "tools/list";
    let rows: Vec<(&str, &String, Headers<'_>, As)> = vec![
        // Nothing but the body.
        (list, &none, vec![], Legacy(OLDER)),
        (list, &token, vec![], Legacy(OLDER)),
        (list, &version_only, vec![], Refused(400, -32020)),
        (list, &capabilities_only, vec![], Refused(400, -32602)),
        (list, &old_meta, vec![], Refused(400, -32020)),
        ("server/discover", &none, vec![], Refused(400, -32602)),
        ("subscriptions/listen", &none, vec![], Refused(400, -32602)),
        ("initialize", &none, vec![], Refused(200, -32602)),
        // The body of the newest, with every kind of header.
        (
            list,
            &full,
            vec![("mcp-protocol-version", NEWEST), ("mcp-method", list)],
            Modern,
        ),
        (
            list,
            &full,
            vec![("mcp-protocol-version", NEWEST)],
            Refused(400, -32020),
        ),
        (
            list,
            &full,
            vec![("mcp-protocol-version", NEWER), ("mcp-method", list)],
            Refused(400, -32020),
        ),
        (
            list,
            &old_meta,
            vec![("mcp-protocol-version", NEWER), ("mcp-method", list)],
            Refused(400, -32022),
        ),
        (
            list,
            &full,
            vec![
                ("mcp-protocol-version", NEWEST),
                ("mcp-method", list),
                ("mcp-session-id", &newer),
            ],
            Modern,
        ),
        (
            list,
            &full,
            vec![
                ("mcp-protocol-version", NEWEST),
                ("mcp-method", list),
                ("mcp-session-id", "gone"),
            ],
            Modern,
        ),
        (
            "initialize",
            &full,
            vec![
                ("mcp-protocol-version", NEWEST),
                ("mcp-method", "initialize"),
            ],
            Refused(404, -32601),
        ),
        (
            "ping",
            &full,
            vec![("mcp-protocol-version", NEWEST), ("mcp-method", "ping")],
            Refused(404, -32601),
        ),
        // A body without a version, with a header.
        (
            list,
            &none,
            vec![("mcp-protocol-version", NEWEST)],
            Refused(400, -32602),
        ),
        (
            list,
            &none,
            vec![("mcp-protocol-version", NEWEST), ("mcp-method", list)],
            Refused(400, -32602),
        ),
        (
            list,
            &none,
            vec![("mcp-protocol-version", NEWER)],
            Legacy(NEWER),
        ),
        (
            list,
            &none,
            vec![("mcp-protocol-version", OLDER)],
            Legacy(OLDER),
        ),
        (
            list,
            &capabilities_only,
            vec![("mcp-protocol-version", NEWER)],
            Legacy(NEWER),
        ),
        (
            list,
            &none,
            vec![("mcp-method", "something/else")],
            Legacy(OLDER),
        ),
        (
            list,
            &none,
            vec![
                ("mcp-protocol-version", NEWER),
                ("mcp-method", "something/else"),
            ],
            Legacy(NEWER),
        ),
        (
            list,
            &none,
            vec![("mcp-protocol-version", "2025-03-26")],
            Refused(400, -32600),
        ),
        (
            list,
            &none,
            vec![("mcp-protocol-version", "2027-01-01")],
            Refused(400, -32600),
        ),
        (
            list,
            &none,
            vec![("mcp-protocol-version", "")],
            Refused(400, -32600),
        ),
        (
            list,
            &none,
            vec![("mcp-protocol-version", "é")],
            Refused(400, -32600),
        ),
        (
            list,
            &none,
            vec![
                ("mcp-protocol-version", NEWER),
                ("mcp-protocol-version", NEWER),
            ],
            Refused(400, -32600),
        ),
        (
            "server/discover",
            &none,
            vec![("mcp-protocol-version", NEWER)],
            Refused(200, -32601),
        ),
        ("nonsense", &none, vec![], Refused(200, -32601)),
        // A session.
        (list, &none, vec![("mcp-session-id", &newer)], Legacy(NEWER)),
        (list, &none, vec![("mcp-session-id", &older)], Legacy(OLDER)),
        (
            list,
            &none,
            vec![("mcp-session-id", &older), ("mcp-protocol-version", NEWER)],
            Legacy(OLDER),
        ),
        (
            list,
            &none,
            vec![("mcp-session-id", &newer), ("mcp-protocol-version", NEWEST)],
            Legacy(NEWER),
        ),
        (
            list,
            &none,
            vec![
                ("mcp-session-id", &newer),
                ("mcp-protocol-version", "2027-01-01"),
            ],
            Refused(400, -32600),
        ),
        (
            list,
            &capabilities_only,
            vec![("mcp-session-id", &newer)],
            Legacy(NEWER),
        ),
        (
            "server/discover",
            &none,
            vec![("mcp-session-id", &newer)],
            Refused(200, -32601),
        ),
        (
            list,
            &none,
            vec![("mcp-session-id", "gone")],
            Refused(404, -32001),
        ),
        (
            list,
            &none,
            vec![("mcp-session-id", "")],
            Refused(404, -32001),
        ),
        (
            list,
            &none,
            vec![("mcp-session-id", &stranger)],
            Refused(404, -32001),
        ),
        (
            list,
            &none,
            vec![("mcp-session-id", &tampered)],
            Refused(404, -32001),
        ),
        (
            list,
            &none,
            vec![("mcp-session-id", &newer), ("mcp-session-id", &older)],
            Refused(404, -32001),
        ),
        (
            list,
            &none,
            vec![("mcp-session-id", "gone"), ("mcp-protocol-version", NEWEST)],
            Refused(404, -32001),
        ),
        // A handshake does not look at headers.
        (
            "initialize",
            &none,
            vec![
                ("mcp-protocol-version", "2027-01-01"),
                ("mcp-session-id", "gone"),
            ],
            Refused(200, -32602),
        ),
    ];
    for (method, meta, headers, expected) in rows {
        let message =
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{meta}}}}}"#);
        let step = post_to(&face, &mirror(&headers), &message);
        assert_eq!(understood(step), expected, "{method} {meta} {headers:?}");
    }
    let headers = mirror(&[
        ("mcp-protocol-version", "2027-01-01"),
        ("mcp-session-id", "gone"),
    ]);
    assert_eq!(
        understood(post_to(&face, &headers, &initialize(NEWER))),
        Began
    );
}

#[test]
fn who_speaks_only_one_kind_serves_only_that() {
    let (modern, legacy) = (speaking(&[NEWEST]), speaking(&[OLDER, NEWER]));
    let session = begun(&legacy, NEWER);
    let full = request("tools/list", "");
    let bare = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let full_headers = mirror(&[
        ("mcp-protocol-version", NEWEST),
        ("mcp-method", "tools/list"),
    ]);
    let of_session = mirror(&[("mcp-session-id", &session)]);
    let none = HeaderMap::new();
    for (face, headers, message, expected) in [
        (&modern, &none, bare, As::Refused(400, -32602)),
        (&modern, &of_session, bare, As::Refused(400, -32602)),
        (&modern, &full_headers, &*full, As::Modern),
        (
            &modern,
            &none,
            &*initialize(NEWER),
            As::Refused(400, -32022),
        ),
        (&legacy, &none, bare, As::Legacy(OLDER)),
        (&legacy, &of_session, bare, As::Legacy(NEWER)),
        (&legacy, &full_headers, bare, As::Refused(400, -32600)),
        (&legacy, &full_headers, &*full, As::Refused(400, -32022)),
        (&legacy, &none, &*initialize(NEWEST), As::Began),
    ] {
        assert_eq!(
            understood(post_to(face, headers, message)),
            expected,
            "{message}"
        );
    }
    // What was settled ends with the revision.
    let still = speaking(&[NEWEST, OLDER]);
    assert_eq!(
        understood(post_to(&still, &of_session, bare)),
        As::Refused(404, -32001)
    );
}

#[test]
fn a_stream_remembers_its_handshake() {
    let face = speaking(&ALL);
    let bare = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let full = request("tools/list", "");
    let half = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    let discover = r#"{"jsonrpc":"2.0","id":1,"method":"server/discover"}"#;
    let mut conversation = Conversation::default();
    let ask = |conversation: &mut Conversation, message: &str| {
        understood(receive(
            &face,
            Carrier::Stream(conversation),
            message.as_bytes(),
        ))
    };
    assert_eq!(ask(&mut conversation, bare), As::Legacy(OLDER));
    assert_eq!(ask(&mut conversation, half), As::Refused(400, -32602));
    assert_eq!(ask(&mut conversation, discover), As::Refused(400, -32602));
    for version in [NEWER, OLDER, NEWER] {
        assert_eq!(ask(&mut conversation, &initialize(version)), As::Began);
        assert_eq!(
            ask(&mut conversation, bare),
            As::Legacy(if version == NEWER { NEWER } else { OLDER })
        );
        assert_eq!(
            ask(&mut conversation, half),
            As::Legacy(if version == NEWER { NEWER } else { OLDER })
        );
        assert_eq!(ask(&mut conversation, discover), As::Refused(200, -32601));
        // One that stands alone does so at any time.
        assert_eq!(ask(&mut conversation, &full), As::Modern);
    }
}

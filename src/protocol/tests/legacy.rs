//! Requests of the revisions with a handshake, and every mixture of them with the one that has none.

use super::*;
use crate::model::ClientCapability;
use crate::protocol::version::Dialect;
use crate::secret::Secret;

mod answers;
mod declared;
mod every;
mod faults;
mod mixtures;

const NEWEST: &str = "2026-07-28";
const NEWER: &str = "2025-11-25";
const OLDER: &str = "2025-06-18";
const ALL: [&str; 3] = [NEWEST, NEWER, OLDER];
const DAY: u64 = 24 * 60 * 60;

/// Speaks these, and offers everything.
fn speaking(names: &[&str]) -> Face {
    let all = Some(Behaviour {
        list_changed: true,
        subscribe: false,
    });
    let offer = Offer {
        tools: all,
        prompts: all,
        resources: Some(Behaviour {
            list_changed: true,
            subscribe: true,
        }),
        completions: true,
        logging: true,
    };
    let secret = Secret::new("k");
    Face::new(&identity(), offer).speaking(Protocols::of(names), Some(&secret))
}

fn initialize(version: &str) -> String {
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": version, "capabilities": {"elicitation": {}},
        "clientInfo": {"name": "c", "version": "1", "title": "C"}}})
    .to_string()
}

fn post_to(face: &Face, headers: &HeaderMap, message: &str) -> Step {
    receive(face, Carrier::Http(head(headers)), message.as_bytes())
}

/// The session of a handshake.
fn begun(face: &Face, version: &str) -> String {
    match post_to(face, &HeaderMap::new(), &initialize(version)) {
        Step::Began { session, .. } => session.unwrap(),
        other => panic!("{other:?}"),
    }
}

/// The result of a handshake in a stream.
fn shaken(face: &Face, conversation: &mut Conversation, version: &str) -> Value {
    match receive(
        face,
        Carrier::Stream(conversation),
        initialize(version).as_bytes(),
    ) {
        Step::Began { response, session } => {
            assert_eq!((response.status.as_u16(), session), (200, None));
            serde_json::from_slice::<Value>(&response.body.into_bytes()).unwrap()["result"].clone()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_handshake_chooses_the_version_asked_for_or_the_newest_that_has_one() {
    for (spoken, asked, chosen) in [
        (&ALL[..], NEWER, NEWER),
        (&ALL, OLDER, OLDER),
        (&ALL, "2025-03-26", NEWER),
        (&ALL, "2024-11-05", NEWER),
        (&ALL, "1.0", NEWER),
        (&ALL, "", NEWER),
        (&ALL, NEWEST, NEWER),
        (&[NEWEST, OLDER], NEWER, OLDER),
        (&[NEWER], OLDER, NEWER),
    ] {
        let result = shaken(&speaking(spoken), &mut Conversation::default(), asked);
        assert_eq!(result["protocolVersion"], chosen, "{asked}");
    }
}

#[test]
fn a_handshake_is_answered_as_its_schema_has_it() {
    let expected = |version: &str| {
        json!({
            "protocolVersion": version,
            "capabilities": {
                "logging": {}, "completions": {}, "prompts": {"listChanged": true},
                "resources": {"subscribe": true, "listChanged": true}, "tools": {"listChanged": true},
            },
            "serverInfo": {"name": "shop", "title": "The \"Shop\"", "version": "1.2.3"},
            "instructions": "Ask first.",
        })
    };
    for version in [NEWER, OLDER] {
        let result = shaken(&speaking(&ALL), &mut Conversation::default(), version);
        assert_eq!(result, expected(version));
    }
    for (params, why) in [
        ("{}", "`protocolVersion` must be a string"),
        ("null", "`protocolVersion` must be a string"),
        (
            r#"{"protocolVersion":7}"#,
            "`protocolVersion` must be a string",
        ),
        (
            r#"{"protocolVersion":"1","capabilities":[]}"#,
            "`capabilities` must be an object",
        ),
        (
            r#"{"protocolVersion":"1","clientInfo":"me"}"#,
            "`clientInfo` must be an object with a `name` and a `version`",
        ),
    ] {
        let message =
            format!(r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{params}}}"#);
        let step = post_to(&speaking(&ALL), &HeaderMap::new(), &message);
        assert_eq!(
            refusal(step),
            (200, -32602, format!("Invalid params: {why}"))
        );
    }
}

/// How a message was understood.
#[derive(Debug, PartialEq)]
enum As {
    Modern,
    Legacy(&'static str),
    Began,
    Refused(u16, i64),
}

fn understood(step: Step) -> As {
    match step {
        // What it was understood as shows in how an error would be written.
        Step::Call(call) => match call.reply_to.dialect {
            Dialect::Modern => {
                assert!(!call.outlives_caller);
                As::Modern
            }
            Dialect::Legacy(revision) => {
                assert!(call.outlives_caller);
                As::Legacy(revision.revision().name())
            }
        },
        Step::Began { .. } => As::Began,
        Step::Reply(response) => As::Refused(response.status.as_u16(), response.code.unwrap()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_a_handshake_said_comes_beside_each_request() {
    let face = speaking(&ALL);
    let session = begun(&face, NEWER);
    let headers = mirror(&[("mcp-session-id", &session)]);
    let message = r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"t","_meta":{"progressToken":"p","io.modelcontextprotocol/logLevel":"debug"}}}"#;
    let call = call(post_to(&face, &headers, message));
    let context = call.context;
    assert_eq!(context.client.unwrap().name, "c");
    let can = |capability| context.capabilities.has(capability);
    assert!(can(ClientCapability::Form) && !can(ClientCapability::Url));
    assert_eq!(context.log_level, Some(LogLevel::Info));
    assert_eq!(context.progress, Some(ProgressToken("\"p\"".into())));
    assert!(call.session.is_some());
    // Without one nothing is taken for granted.
    let message = message.replace(r#","io.modelcontextprotocol/logLevel":"debug""#, "");
    let call = super::call(post_to(&face, &HeaderMap::new(), &message));
    assert_eq!(call.context.log_level, None);
    assert_eq!((call.context.client, call.session), (None, None));
}

#[test]
fn sessions_end_by_time_and_by_word() {
    let face = speaking(&ALL);
    let session = begun(&face, NEWER);
    let headers = mirror(&[("mcp-session-id", &session)]);
    let bare = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let at = |now: u64, over: bool| {
        let is_over = move |_| over;
        let head = Head {
            headers: &headers,
            caller: &Caller::NOBODY,
            now,
            is_over: &is_over,
        };
        understood(receive(&face, Carrier::Http(head), bare.as_bytes()))
    };
    assert_eq!(at(29 * DAY, false), As::Legacy(NEWER));
    assert_eq!(at(31 * DAY, false), As::Refused(404, -32001));
    assert_eq!(at(0, true), As::Refused(404, -32001));
    let (one, other) = (begun(&face, NEWER), begun(&face, NEWER));
    assert_ne!(one, other);
    // By GET and DELETE alike.
    let of = |id: &str| session_of(&face, &[("mcp-session-id", id)]);
    assert!(
        matches!(of(&one), Ok(Some((_, ref lists))) if lists.tools && lists.prompts && lists.resources)
    );
    assert_eq!(of("gone").unwrap_err().status, 404);
    assert!(session_of(&face, &[]).unwrap().is_none());
    let wrong = [("mcp-session-id", &*one), ("mcp-protocol-version", "1")];
    assert_eq!(session_of(&face, &wrong).unwrap_err().status, 400);
}

fn session_of(
    face: &Face,
    headers: &[(&'static str, &str)],
) -> Result<Option<(SessionKey, crate::ops::Filter)>, Response> {
    session(face, &head(&mirror(headers)))
}

#[test]
fn notifications_and_outcomes_are_of_a_session_or_of_none() {
    let face = speaking(&ALL);
    let session = begun(&face, NEWER);
    let live = ("mcp-session-id", &*session);
    let gone = ("mcp-session-id", "gone");
    let unknown = ("mcp-protocol-version", "1");
    let note = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    let modern = format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{{META},"requestId":1}}}}"#
    );
    let outcome = r#"{"jsonrpc":"2.0","id":"q","result":{"action":"accept"}}"#;
    let nothing = |step: Step| matches!(step, Step::Nothing);
    let to =
        |headers: &[(&'static str, &str)], message: &str| post_to(&face, &mirror(headers), message);
    assert!(nothing(to(&[], note)) && nothing(to(&[live], note)) && nothing(to(&[unknown], note)));
    assert_eq!(refusal(to(&[gone], note)).0, 404);
    assert_eq!(refusal(to(&[live, unknown], note)).0, 400);
    assert!(nothing(to(&[], cancel)) && nothing(to(&[gone], &modern)));
    assert!(
        matches!(to(&[live], cancel), Step::Cancel { session: Some(_), id } if id.as_json() == "1")
    );
    for (headers, has_session) in [(&[][..], false), (&[live], true)] {
        let Step::Outcome(came) = to(headers, outcome) else {
            panic!("no outcome");
        };
        assert_eq!(came.session.is_some(), has_session);
        assert_eq!(came.id.as_json(), "\"q\"");
        assert_eq!(came.came.unwrap().get(), r#"{"action":"accept"}"#);
    }
    assert_eq!(refusal(to(&[gone], outcome)).0, 404);
    assert_eq!(
        refusal(to(&[("mcp-protocol-version", NEWEST)], outcome)).0,
        400
    );
    let mut conversation = Conversation::default();
    let mut say = |message: &str| {
        receive(
            &face,
            Carrier::Stream(&mut conversation),
            message.as_bytes(),
        )
    };
    assert!(nothing(say(note)), "there was no handshake");
    say(&initialize(NEWER));
    let other = r#"{"jsonrpc":"2.0","method":"notifications/other"}"#;
    assert!(nothing(say(other)), "it is not the end of a handshake");
    assert!(matches!(say(note), Step::Initialized(lists) if lists.tools));
    assert!(matches!(say(outcome), Step::Outcome(_)));
}

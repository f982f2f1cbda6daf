//! Cursors, `requestState` and `Mcp-Session-Id`: whatever is sent, only what was given is taken, and
//! nothing that was sealed by somebody else with the same secret brings the server down.
//!
//! The input is a byte for the kind, a byte for how the rest makes the token, and the rest.

use super::message::check;
use crate::serving::{Answered, SECRET, Serving, fields};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use snodo::protocol::client::{Request, Said, Version, headers, initialize};
use snodo::protocol::seal::Sealer;
use std::sync::OnceLock;

#[derive(Clone, Copy, Debug)]
enum Kind {
    Session,
    State,
    Cursor,
}

const KINDS: [Kind; 3] = [Kind::Session, Kind::State, Kind::Cursor];

pub fn run(input: &[u8]) {
    let &[kind, how, ref rest @ ..] = input else {
        return;
    };
    let kind = KINDS[usize::from(kind) % KINDS.len()];
    let given = Given::get();
    let (token, is_sealed) = match how % 5 {
        0 => (rest.to_vec(), false),
        1 => (edited(given.one(kind, rest), rest), false),
        2 => (
            given.one(KINDS[rest.len() % KINDS.len()], rest).to_vec(),
            false,
        ),
        3 => {
            let content = URL_SAFE_NO_PAD
                .decode(given.one(kind, rest))
                .expect("Base64");
            (
                URL_SAFE_NO_PAD.encode(edited(&content, rest)).into_bytes(),
                false,
            )
        }
        _ => (sealed(kind, rest), true),
    };
    let Some(answered) = taken(kind, &token) else {
        return;
    };
    answered
        .messages
        .iter()
        .for_each(|answer| check(answer, None));
    if !is_sealed {
        let is_given = given.of(kind).iter().any(|one| one.as_bytes() == token);
        assert_eq!(
            result(&answered).is_some(),
            is_given,
            "{kind:?} {answered:?}"
        );
    }
}

/// With what each kind is sealed.
fn sealed(kind: Kind, content: &[u8]) -> Vec<u8> {
    let purpose = match kind {
        Kind::Session => "snodo session 1",
        Kind::State => "snodo ask 1",
        Kind::Cursor => "snodo cursor",
    };
    let sealer = Sealer::new(purpose, Some(SECRET)).expect("a key");
    sealer.seal(content.to_vec()).into_bytes()
}

/// Changes bytes: each two of `edits` are a place and what it is combined with. An odd one cuts.
fn edited(text: &[u8], edits: &[u8]) -> Vec<u8> {
    let mut text = text.to_vec();
    for edit in edits.chunks(2) {
        match *edit {
            [at, by] => {
                let at = usize::from(at) % text.len().max(1);
                text.get_mut(at).into_iter().for_each(|byte| *byte ^= by);
            }
            [at] => text.truncate(usize::from(at)),
            _ => {}
        }
    }
    text
}

/// What the server gave, of each kind.
struct Given {
    sessions: Vec<String>,
    states: Vec<String>,
    cursors: Vec<String>,
}

impl Given {
    fn get() -> &'static Self {
        static GIVEN: OnceLock<Given> = OnceLock::new();
        GIVEN.get_or_init(Self::new)
    }

    fn new() -> Self {
        let serving = Serving::get();
        let sessions = [Version::V2025_11_25, Version::V2025_06_18].map(|version| {
            let body = initialize(version, Said::default(), 1);
            let answered = serving.post(&fields(b""), &body).expect("an answer");
            answered.session.expect("a session")
        });
        // The first round has nothing to carry; the second has what was answered in the first.
        let states = [true, false].map(|yes| {
            let said = json!({ "sure": { "action": "accept", "content": { "yes": yes } } });
            let second = ask(&call().with("inputResponses", said));
            text(&second.expect("an answer"), "requestState")
        });
        let mut cursors: Vec<String> = Vec::new();
        let mut page = ask(&Request::new("tools/list")).expect("an answer");
        while result(&page).is_some_and(|page| page.get("nextCursor").is_some()) {
            cursors.push(text(&page, "nextCursor"));
            page = taken(Kind::Cursor, cursors[cursors.len() - 1].as_bytes()).expect("a page");
        }
        assert!(!cursors.is_empty());
        Self {
            sessions: sessions.to_vec(),
            states: states.to_vec(),
            cursors,
        }
    }

    fn of(&self, kind: Kind) -> &[String] {
        match kind {
            Kind::Session => &self.sessions,
            Kind::State => &self.states,
            Kind::Cursor => &self.cursors,
        }
    }

    fn one(&self, kind: Kind, choice: &[u8]) -> &[u8] {
        let all = self.of(kind);
        all[choice.len() % all.len()].as_bytes()
    }
}

/// What the server says to a token of this kind; `None` when it cannot be sent as one.
fn taken(kind: Kind, token: &[u8]) -> Option<Answered> {
    match kind {
        Kind::Session => {
            let mut headers = fields(b"mcp-protocol-version: 2025-11-25");
            headers.insert("mcp-session-id", http::HeaderValue::from_bytes(token).ok()?);
            let body = br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
            Serving::get().post(&headers, body)
        }
        Kind::State => ask(&call().with("requestState", std::str::from_utf8(token).ok()?)),
        Kind::Cursor => {
            ask(&Request::new("tools/list").with("cursor", std::str::from_utf8(token).ok()?))
        }
    }
}

fn call() -> Request {
    let request = Request::new("tools/call").with("name", "asks");
    request.with("arguments", json!({ "what": "it" }))
}

fn ask(request: &Request) -> Option<Answered> {
    let body = request.encode(Version::NEWEST, Said { asks: true }, 1);
    Serving::get().post(&headers(request, Some(Version::NEWEST)), &body)
}

fn result(answered: &Answered) -> Option<Value> {
    let last = answered.messages.last()?;
    let answer: Value = serde_json::from_slice(last).expect("JSON");
    answer.get("result").cloned()
}

/// A text of the result.
fn text(answered: &Answered, member: &str) -> String {
    let result = result(answered).unwrap_or_else(|| panic!("{answered:?}"));
    result[member]
        .as_str()
        .unwrap_or_else(|| panic!("{result}"))
        .to_owned()
}

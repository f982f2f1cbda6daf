//! What travels with the caller between two requests: sealed, for one call alone, and for a while
//! (specification: patterns, Multi Round-Trip Requests, "Server Requirements", 4 and 5).

use crate::model::ServerSettings;
use crate::ops::OpError;
use crate::protocol::seal::{Sealer, random};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{Context, SHA256};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::time::{Duration, SystemTime};

/// What states are sealed for.
const PURPOSE: &str = "snodo ask 1";

/// Seals states, and opens them.
#[derive(Debug)]
pub(super) struct States {
    /// `None` when the machine has no randomness to make a key of.
    sealer: Option<Sealer>,
    lasts: Duration,
}

/// Which call a state is of.
pub(super) struct Binding<'a> {
    pub(super) method: &'static str,
    pub(super) name: &'a str,
    pub(super) brought: &'a Map<String, Value>,
    /// Who was asked, when it has shown who it is.
    pub(super) principal: Option<&'a str>,
    /// The state stays in this process, where answers are waited for: it does not end.
    pub(super) stays: bool,
}

/// What a later request needs of an earlier one.
#[derive(Debug, PartialEq)]
pub(super) struct State {
    /// The questions that were asked.
    pub(super) asked: Vec<String>,
    /// The responses so far, by the questions' names.
    pub(super) held: Map<String, Value>,
}

/// The content under the seal.
#[derive(Debug, Deserialize, Serialize)]
struct Content {
    /// When it ends: milliseconds since 1970.
    until: u64,
    /// The digest of the call.
    of: String,
    asked: Vec<String>,
    held: Map<String, Value>,
    /// Random: no two states are the same.
    salt: String,
}

impl States {
    pub(super) fn new(settings: &ServerSettings) -> Self {
        let secret = settings.secret.as_ref();
        Self {
            sealer: Sealer::new(PURPOSE, secret.map(|secret| secret.reveal()))
                .map(|sealer| sealer.knowing(PURPOSE, &settings.earlier_secrets)),
            lasts: settings.ask_ttl,
        }
    }

    /// How long a state holds.
    pub(super) fn lasts(&self) -> Duration {
        self.lasts
    }

    /// The state as it is given to the caller.
    ///
    /// # Errors
    /// The machine has no randomness.
    pub(super) fn seal(&self, state: &State, binding: &Binding<'_>) -> Result<String, OpError> {
        self.seal_at(state, binding, now())
    }

    fn seal_at(&self, state: &State, binding: &Binding<'_>, now: u64) -> Result<String, OpError> {
        let failed = || OpError::Internal("no state can be sealed".into());
        let content = Content {
            until: match binding.stays {
                true => u64::MAX,
                false => now.saturating_add(millis(self.lasts)),
            },
            of: binding.digest(),
            asked: state.asked.clone(),
            held: state.held.clone(),
            salt: URL_SAFE_NO_PAD.encode(random().ok_or_else(failed)?),
        };
        let content = serde_json::to_vec(&content).map_err(|_| failed())?;
        let sealer = self.sealer.as_ref().ok_or_else(failed)?;
        Ok(sealer.seal(content))
    }

    /// A state that a caller brought.
    ///
    /// # Errors
    /// It was not sealed here, is of another call, or has ended.
    pub(super) fn open(&self, text: &str, binding: &Binding<'_>) -> Result<State, OpError> {
        self.open_at(text, binding, now())
    }

    fn open_at(&self, text: &str, binding: &Binding<'_>, now: u64) -> Result<State, OpError> {
        let refused = |why: &str| {
            OpError::InvalidParams(format!("`requestState` {why}: ask again without it"))
        };
        let opened = self
            .sealer
            .as_ref()
            .and_then(|sealer| sealer.open(text.as_bytes()));
        let content: Option<Content> =
            opened.and_then(|content| serde_json::from_slice(&content).ok());
        let Some(content) = content else {
            return Err(refused("is not one that this server gave"));
        };
        if content.of != binding.digest() {
            return Err(refused("is of another request"));
        }
        if content.until <= now {
            return Err(refused("has expired"));
        }
        Ok(State {
            asked: content.asked,
            held: content.held,
        })
    }
}

impl Binding<'_> {
    /// The digest of the call: the same however its members are ordered.
    fn digest(&self) -> String {
        let mut digest = Context::new(&SHA256);
        for part in [self.method, self.name] {
            add(&mut digest, part.as_bytes());
        }
        members(&mut digest, self.brought);
        if let Some(principal) = self.principal {
            add(&mut digest, principal.as_bytes());
        }
        URL_SAFE_NO_PAD.encode(digest.finish().as_ref())
    }
}

/// Adds one part, told from the next by its length.
fn add(digest: &mut Context, part: &[u8]) {
    digest.update(&u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
    digest.update(part);
}

fn members(digest: &mut Context, members: &Map<String, Value>) {
    let mut names: Vec<&String> = members.keys().collect();
    names.sort_unstable();
    add(digest, format!("{{{}", names.len()).as_bytes());
    for name in names {
        add(digest, name.as_bytes());
        if let Some(member) = members.get(name) {
            value(digest, member);
        }
    }
}

/// Adds a value. Its depth is that of a message, which is bounded.
fn value(digest: &mut Context, value: &Value) {
    match value {
        Value::Object(object) => members(digest, object),
        Value::Array(items) => {
            add(digest, format!("[{}", items.len()).as_bytes());
            items.iter().for_each(|item| self::value(digest, item));
        }
        scalar => add(digest, scalar.to_string().as_bytes()),
    }
}

/// Milliseconds since 1970.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, millis)
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn states(secret: Option<&str>) -> States {
        States {
            sealer: Sealer::new(PURPOSE, secret),
            lasts: Duration::from_millis(300),
        }
    }

    fn map(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    fn state() -> State {
        State {
            asked: vec!["b".into()],
            held: map(json!({"a": {"action": "accept"}})),
        }
    }

    #[test]
    fn a_state_is_of_one_call_and_ends() {
        let brought = map(json!({"x": {"b": 1, "a": [1, "é"]}, "y": null}));
        let binding = Binding {
            method: "tools/call",
            name: "t",
            brought: &brought,
            principal: None,
            stays: false,
        };
        let states = states(Some("k"));
        let sealed = states.seal_at(&state(), &binding, 1000).unwrap();
        assert_ne!(sealed, states.seal_at(&state(), &binding, 1000).unwrap());
        assert_eq!(states.open_at(&sealed, &binding, 1299), Ok(state()));
        let reordered = map(json!({"y": null, "x": {"a": [1, "é"], "b": 1}}));
        let same = Binding {
            brought: &reordered,
            ..binding
        };
        assert_eq!(states.open_at(&sealed, &same, 1000), Ok(state()));

        let error = |found: Result<State, OpError>| found.unwrap_err().to_string();
        assert!(error(states.open_at(&sealed, &same, 1300)).contains("expired"));
        for (method, name, other) in [
            (
                "prompts/get",
                "t",
                json!({"x": {"b": 1, "a": [1, "é"]}, "y": null}),
            ),
            (
                "tools/call",
                "u",
                json!({"x": {"b": 1, "a": [1, "é"]}, "y": null}),
            ),
            (
                "tools/call",
                "t",
                json!({"x": {"b": 1, "a": ["é", 1]}, "y": null}),
            ),
            (
                "tools/call",
                "t",
                json!({"x": {"b": "1", "a": [1, "é"]}, "y": null}),
            ),
            (
                "tools/call",
                "t",
                json!({"x": {"b": 1, "a": [1, "é"], "y": null}}),
            ),
        ] {
            let other = map(other);
            let binding = Binding {
                method,
                name,
                brought: &other,
                principal: None,
                stays: false,
            };
            let found = error(states.open_at(&sealed, &binding, 1000));
            assert!(found.contains("another request"), "{found}");
        }
    }

    #[test]
    fn who_shares_the_secret_understands_it_and_nobody_else() {
        let brought = Map::new();
        let binding = Binding {
            method: "tools/call",
            name: "t",
            brought: &brought,
            principal: None,
            stays: false,
        };
        let sealed = states(Some("k")).seal_at(&state(), &binding, 0).unwrap();
        assert_eq!(states(Some("k")).open_at(&sealed, &binding, 0), Ok(state()));
        for other in [states(Some("l")), states(None)] {
            let found = other.open_at(&sealed, &binding, 0).unwrap_err().to_string();
            assert!(found.contains("not one that this server gave"), "{found}");
        }
        let found = states(Some("k")).open_at(&format!("{sealed}x"), &binding, 0);
        assert!(found.is_err());
    }
}

//! Who is asked: what goes with the questions is good for nobody else.

use super::{known, project, with};
use crate::support::{Daemon, modern};
use serde_json::{Value, json};

const MANIFEST: &str = r#"
[[tool]]
name = "drop"
state = "sealed"
result.text = "dropped by {{ auth.principal }}"
ask = [{ sure = { form = "Sure?", fields.yes = { type = "boolean", required = true } } }]
"#;

fn call(daemon: &Daemon, token: &str, state: Option<&Value>) -> Value {
    let mut params = json!({ "name": "drop" });
    if let Some(state) = state {
        params["requestState"] = state.clone();
        params["inputResponses"] =
            json!({ "sure": { "action": "accept", "content": { "yes": true } } });
    }
    let mut request = modern(1, "tools/call", params);
    let able = "io.modelcontextprotocol/clientCapabilities";
    request["params"]["_meta"][able] = json!({ "elicitation": {} });
    with(daemon, token).post(&request).json()
}

#[test]
fn a_state_is_its_callers_alone() {
    let tokens = known("a", "", "ta") + &known("a", "", "ta2") + &known("b", "", "tb");
    let project = project(MANIFEST, &tokens);
    let daemon = project.serve();
    let asked = call(&daemon, "ta", None);
    let state = &asked["result"]["requestState"];
    assert!(state.is_string(), "{asked}");
    let refused = call(&daemon, "tb", Some(state));
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    // By another token of the same caller's it is good.
    let done = call(&daemon, "ta2", Some(state));
    assert_eq!(done["result"]["content"][0]["text"], "dropped by a");
}

//! Clients of the revisions with a handshake are asked while their request runs.

use super::{able, form};
use crate::support::{Connection, Daemon, Project, Stdio, kill};
use serde_json::{Value, json};

const MANIFEST: &str = r#"
[[tool]]
name = "two"
result.text = "{{ answers.a.x }} {{ answers.b.text }} {{ answers.c.roots | length }}"
refused.text = "refused"

[[tool.ask]]
a = { form = "A?", fields.x = { type = "string", enum = [{ value = "1", title = "One" }, { value = "2", title = "Two" }], required = true } }

[[tool.ask]]
b.sample = { messages = [{ role = "user", content = "{{ answers.a.x }}" }], max_tokens = 5 }
c = { roots = true }

[[prompt]]
name = "letter"
result.text = "Yours {{ answers.who.name }}"
ask = [{ who = { form = "Who?", fields.name = { type = "string", required = true } } }]
"#;

fn initialize(version: &str, able: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": "init", "method": "initialize", "params": {
        "protocolVersion": version, "capabilities": able, "clientInfo": { "name": "it", "version": "1" } } })
}

fn call(id: u64) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": "two", "arguments": {} } })
}

fn result(id: &Value, result: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

fn sampled() -> Value {
    json!({ "role": "assistant", "model": "m", "content": { "type": "text", "text": "said" } })
}

fn places() -> Value {
    json!({ "roots": [{ "uri": "file:///a" }] })
}

fn stdio(project: &Project, version: &str, able: &Value) -> Stdio {
    let mut stdio = project.stdio();
    stdio.ask(&initialize(version, able));
    stdio.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    stdio
}

#[test]
fn a_round_is_requests_on_the_stream_and_the_call_goes_on() {
    let project = Project::with(MANIFEST);
    for version in ["2025-11-25", "2025-06-18"] {
        let mut client = stdio(&project, version, &able());
        client.send(&call(1));
        let asked = client.receive();
        assert_eq!(asked["method"], "elicitation/create", "{asked}");
        let field = &asked["params"]["requestedSchema"]["properties"]["x"];
        if version == "2025-11-25" {
            assert_eq!(field["oneOf"][0]["title"], "One");
            assert_eq!(asked["params"]["mode"], "form");
        } else {
            // That revision knows titles by another name, and no modes.
            assert_eq!(field["enumNames"], json!(["One", "Two"]));
            assert_eq!(field["enum"], json!(["1", "2"]));
            assert_eq!(asked["params"].get("mode"), None);
        }
        // What does not fit is asked again.
        client.send(&result(&asked["id"], &form(json!({ "x": "3" }))));
        let again = client.receive();
        assert_eq!(again["method"], "elicitation/create");
        assert_ne!(again["id"], asked["id"]);
        client.send(&result(&again["id"], &form(json!({ "x": "2" }))));
        // Both questions of the next round are asked at once.
        let (one, other) = (client.receive(), client.receive());
        assert_eq!(one["method"], "sampling/createMessage", "{one}");
        assert_eq!(one["params"]["messages"][0]["content"]["text"], "2");
        assert_eq!(other["method"], "roots/list");
        client.send(&result(&other["id"], &places()));
        client.send(&result(&one["id"], &sampled()));
        let done = client.receive();
        assert_eq!(done["id"], 1, "{done}");
        assert_eq!(done["result"]["content"][0]["text"], "2 said 1");
    }
}

#[test]
fn who_refuses_or_fails_declines() {
    let project = Project::with(MANIFEST);
    let mut client = stdio(&project, "2025-11-25", &able());
    let declined = json!({ "jsonrpc": "2.0", "result": { "action": "decline" } });
    let failed = json!({ "jsonrpc": "2.0", "error": { "code": -1, "message": "no" } });
    for (id, mut answer) in [(1, declined), (2, failed)] {
        client.send(&call(id));
        answer["id"] = client.receive()["id"].clone();
        client.send(&answer);
        let done = client.receive();
        assert_eq!(done["result"]["content"][0]["text"], "refused", "{done}");
    }
}

#[test]
fn an_answer_to_nothing_is_dropped_and_a_cancelled_call_asks_no_more() {
    let project = Project::with(MANIFEST);
    let mut client = stdio(&project, "2025-11-25", &able());
    client.send(&result(&json!("ask-nobody"), &form(json!({}))));
    client.send(&call(1));
    let asked = client.receive();
    client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } }));
    client.send(&result(&asked["id"], &form(json!({ "x": "1" }))));
    let ping = client.ask(&json!({ "jsonrpc": "2.0", "id": 2, "method": "ping" }));
    assert_eq!(ping["id"], 2, "{ping}");
}

#[test]
fn who_cannot_be_asked_is_told_so_by_the_tool() {
    let project = Project::with(MANIFEST);
    let mut client = stdio(&project, "2025-11-25", &json!({ "elicitation": {} }));
    let refused = client.ask(&call(1));
    assert_eq!(refused["result"]["isError"], true, "{refused}");
    let said = refused["result"]["content"][0]["text"].as_str().unwrap();
    assert!(said.contains("sampling, roots"), "{said}");
    let mut client = stdio(&project, "2025-11-25", &json!({}));
    let get = json!({ "jsonrpc": "2.0", "id": 1, "method": "prompts/get", "params": { "name": "letter" } });
    let refused = client.ask(&get);
    assert_eq!(refused["error"]["code"], -32603, "{refused}");
}

/// A session by HTTP: its headers.
fn session(daemon: &Daemon, able: &Value) -> Vec<(&'static str, String)> {
    let body = initialize("2025-11-25", able).to_string();
    let reply = daemon.connect().post_with(&[], body.as_bytes());
    let id = reply.header("mcp-session-id").expect("a session");
    vec![
        ("Mcp-Session-Id", id.to_owned()),
        ("MCP-Protocol-Version", "2025-11-25".to_owned()),
    ]
}

fn post(connection: &mut Connection, headers: &[(&'static str, String)], message: &Value) -> u16 {
    let headers: Vec<(&str, &str)> = headers
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    connection
        .post_with(&headers, message.to_string().as_bytes())
        .status
}

#[test]
fn over_http_the_answers_come_by_requests_of_their_own() {
    let project = Project::with(MANIFEST);
    let daemon = project.serve();
    let headers = session(&daemon, &able());
    let stranger = session(&daemon, &able());
    let mut events = daemon
        .connect()
        .events_with(&headers, call(1).to_string().as_bytes());
    let asked = events.next().expect("a question");
    assert_eq!(asked["method"], "elicitation/create", "{asked}");
    let mut connection = daemon.connect();
    let answer = result(&asked["id"], &form(json!({ "x": "1" })));
    // Another session's answer does not count.
    assert_eq!(post(&mut connection, &stranger, &answer), 202);
    assert_eq!(post(&mut connection, &headers, &answer), 202);
    for _ in 0..2 {
        let asked = events.next().expect("a question");
        let answer = match asked["method"].as_str() {
            Some("roots/list") => places(),
            _ => sampled(),
        };
        assert_eq!(
            post(&mut connection, &headers, &result(&asked["id"], &answer)),
            202
        );
    }
    let done = events.next().expect("an answer");
    assert_eq!(done["result"]["content"][0]["text"], "1 said 1", "{done}");
}

#[test]
fn the_end_of_a_session_ends_its_questions() {
    let project = Project::with(MANIFEST);
    let daemon = project.serve();
    let (headers, other) = (session(&daemon, &able()), session(&daemon, &able()));
    let ask = |headers: &[(&'static str, String)]| {
        let body = call(1).to_string();
        let mut events = daemon.connect().events_with(headers, body.as_bytes());
        let asked = events.next().expect("a question");
        (events, asked)
    };
    let ((mut ended, _), (mut going, asked)) = (ask(&headers), ask(&other));
    assert_eq!(daemon.connect().bare("DELETE", &headers).status, 204);
    let done = ended.next().expect("an answer");
    let said = done["result"]["content"][0]["text"].as_str().unwrap();
    assert!(said.contains("the session is over"), "{said}");
    assert_eq!(ended.next(), None);
    let declined = result(&asked["id"], &json!({ "action": "decline" }));
    assert_eq!(post(&mut daemon.connect(), &other, &declined), 202);
    let done = going.next().expect("an answer");
    assert_eq!(done["result"]["content"][0]["text"], "refused", "{done}");
}

#[test]
fn a_server_that_stops_waits_for_no_answer() {
    let project = Project::with(MANIFEST).set("server.grace_ms=60000");
    let daemon = project.serve();
    let headers = session(&daemon, &able());
    let body = call(1).to_string();
    let mut events = daemon.connect().events_with(&headers, body.as_bytes());
    events.next().expect("a question");
    kill(daemon.pid(), "TERM");
    let done = events.next().expect("an answer");
    assert_eq!(done["error"]["code"], -32603, "{done}");
    let said = done["error"]["message"].as_str().unwrap();
    assert!(said.contains("stopping"), "{said}");
}

#[test]
fn who_declines_one_of_several_is_not_waited_for_with_the_others() {
    let manifest = MANIFEST.replace(
        "c = { roots = true }\n",
        "c = { roots = true }\nd = { form = \"D?\", fields.x = { type = \"string\" } }\n",
    );
    let project = Project::with(&manifest);
    let mut client = stdio(&project, "2025-11-25", &able());
    client.send(&call(1));
    let first = client.receive();
    client.send(&result(&first["id"], &form(json!({ "x": "1" }))));
    let [sample, roots, other] = [(); 3].map(|()| client.receive());
    assert_eq!(other["method"], "elicitation/create");
    client.send(&result(&other["id"], &json!({ "action": "cancel" })));
    let mut withdrawn = [client.receive(), client.receive()].map(|said| {
        assert_eq!(said["method"], "notifications/cancelled", "{said}");
        said["params"]["requestId"].to_string()
    });
    withdrawn.sort();
    let mut expected = [sample["id"].to_string(), roots["id"].to_string()];
    expected.sort();
    assert_eq!(withdrawn, expected);
    let done = client.receive();
    assert_eq!(done["result"]["content"][0]["text"], "refused", "{done}");
    // An answer after that is for nobody.
    client.send(&result(&sample["id"], &sampled()));
    let ping = client.ask(&json!({ "jsonrpc": "2.0", "id": 2, "method": "ping" }));
    assert_eq!(ping["id"], 2, "{ping}");
}

#[test]
fn what_a_revision_does_not_know_is_not_asked() {
    let manifest = r#"
[[tool]]
name = "url"
result.text = "went"
ask = [{ it = { url = "https://a.example/", message = "?" } }]

[[tool]]
name = "several"
result.text = "chose"
ask = [{ it = { form = "?", fields.x = { type = "array", enum = ["a", "b"] } } }]

[[tool]]
name = "context"
result.text = "said"
ask = [{ it.sample = { messages = [{ role = "user", content = "?" }], max_tokens = 1, include_context = "all_servers" } }]
"#;
    let project = Project::with(manifest);
    let request = |id: u64, name: &str| json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": name } });
    // Going to a URL has an id of its own in the one revision that has URLs and requests.
    let mut client = stdio(&project, "2025-11-25", &able());
    client.send(&request(1, "url"));
    let asked = client.receive();
    assert_eq!(asked["params"]["mode"], "url");
    assert_eq!(asked["params"]["elicitationId"], asked["id"]);
    client.send(&result(&asked["id"], &json!({ "action": "accept" })));
    assert_eq!(client.receive()["result"]["content"][0]["text"], "went");
    client.send(&request(2, "several"));
    let asked = client.receive();
    let field = &asked["params"]["requestedSchema"]["properties"]["x"];
    assert_eq!(field["items"]["enum"], json!(["a", "b"]));
    client.send(&result(&asked["id"], &form(json!({ "x": ["a"] }))));
    assert_eq!(client.receive()["result"]["content"][0]["text"], "chose");
    // The older one has neither.
    let mut client = stdio(&project, "2025-06-18", &able());
    for (name, why) in [("url", "elicitation.url"), ("several", "choose several")] {
        let refused = client.ask(&request(3, name));
        assert_eq!(refused["result"]["isError"], true, "{refused}");
        let said = refused["result"]["content"][0]["text"].as_str().unwrap();
        assert!(said.contains(why), "{said}");
    }
    // There whoever can be asked is asked by a form, and models may have context.
    let some = json!({ "elicitation": { "url": {} }, "sampling": {} });
    let mut client = stdio(&project, "2025-06-18", &some);
    client.send(&request(4, "context"));
    let asked = client.receive();
    assert_eq!(asked["params"]["includeContext"], "allServers", "{asked}");
    client.send(&result(&asked["id"], &sampled()));
    assert_eq!(client.receive()["result"]["content"][0]["text"], "said");
    let refused = client.ask(&request(5, "several"));
    let said = refused["result"]["content"][0]["text"].as_str().unwrap();
    assert!(said.contains("choose several"), "{said}");
}

#[test]
fn a_client_that_never_answers_is_not_waited_for() {
    let project = Project::with(MANIFEST).set("server.ask_ttl_ms=1000");
    let mut client = stdio(&project, "2025-11-25", &able());
    client.send(&call(1));
    let asked = client.receive();
    assert_eq!(asked["method"], "elicitation/create");
    let withdrawn = client.receive();
    assert_eq!(withdrawn["method"], "notifications/cancelled");
    assert_eq!(withdrawn["params"]["requestId"], asked["id"]);
    let done = client.receive();
    assert_eq!(done["id"], 1);
    assert_eq!(done["result"]["isError"], true, "{done}");
    let said = done["result"]["content"][0]["text"].as_str().unwrap();
    assert!(said.contains("did not answer within 1 s"), "{said}");
}

//! Each feature, on both revisions, over both transports.

use super::{Client, NEWER, OLDER, call, request};
use crate::support::{Both, Project, modern};
use serde_json::{Value, json};

const EVERYTHING: &str = r#"
[[tool]]
name = "greet"
title = "Greet"
description = "Says hello"
icons = [{ src = "https://example.com/i.png", sizes = ["48x48"] }]
metadata = { "example.com/kind" = "friendly" }
annotations.read_only = true
arguments.who = { type = "string", required = true }
result.text = "hello {{ args.who }}"

[[tool]]
name = "object"
returns.n = { type = "integer", required = true }
result.structured = { n = "{{ 1 + 1 }}" }

[[tool]]
name = "list"
output_schema = { type = "array" }
result.structured = "{{ [1, 2] }}"

[[tool]]
name = "link"
[[tool.result.content]]
type = "resource_link"
uri = "note://one"
name = "one"

[[tool]]
name = "own"
[tool.result.protocol_error]
code = 1042
message = "not today"
data = { day = "monday" }

[[tool]]
name = "steps"
[tool.shell]
progress = "lines"
log = true
script = '''
echo "a warning" >&2
echo one
echo two
'''

[[resource]]
uri = "note://one"
name = "one"
title = "One"
icons = [{ src = "https://example.com/i.png" }]
text = "1"

[[resource]]
uri_template = "note://n/{number}"
name = "n"
result.text = "{{ params.number }}"

[[prompt]]
name = "ask"
title = "Ask"
arguments.topic = { required = true, complete = ["tea", "time"] }
result.text = "tell me about {{ args.topic }}"
"#;

fn project() -> Project {
    let text = EVERYTHING.replace("\ntext = \"1\"", "\nresult.text = \"1\"");
    Project::with(&text)
}

/// Runs this with a client of each revision and transport.
fn everywhere(project: &Project, mut test: impl FnMut(&mut Client, &str)) {
    let daemon = project.serve();
    for version in [NEWER, OLDER] {
        for mut client in Client::each(project, &daemon, version) {
            test(&mut client, version);
        }
    }
}

fn icons() -> Value {
    json!([{ "src": "https://example.com/i.png" }])
}

#[test]
fn lists_have_what_their_revision_knows() {
    everywhere(&project(), |client, version| {
        let result = client.result("tools/list", json!({}));
        let members: Vec<&String> = result.as_object().unwrap().keys().collect();
        assert_eq!(members, ["tools"], "{version}");
        let tools = &result["tools"];
        let mut greet = json!({
            "name": "greet", "title": "Greet", "description": "Says hello",
            "inputSchema": tools[0]["inputSchema"],
            "annotations": { "readOnlyHint": true },
            "_meta": { "example.com/kind": "friendly" },
        });
        if version == NEWER {
            greet["icons"] = json!([{ "src": "https://example.com/i.png", "sizes": ["48x48"] }]);
        }
        assert_eq!(tools[0], greet);
        assert_eq!(tools[1]["outputSchema"]["type"], "object");
        assert_eq!(tools[2].get("outputSchema"), None, "only of objects");
        let resource = &client.result("resources/list", json!({}))["resources"][0];
        assert_eq!(resource["title"], "One");
        assert_eq!(
            resource.get("icons"),
            Some(icons()).filter(|_| version == NEWER).as_ref()
        );
        let templates = client.result("resources/templates/list", Value::Null);
        assert_eq!(
            templates["resourceTemplates"][0]["uriTemplate"],
            "note://n/{number}"
        );
        let prompt = &client.result("prompts/list", json!({}))["prompts"][0];
        assert_eq!(
            prompt["arguments"],
            json!([{ "name": "topic", "required": true }])
        );
    });
}

#[test]
fn calls_give_what_their_revision_knows() {
    everywhere(&project(), |client, _| {
        let mut result = |tool: &str, arguments: Value| {
            client.result(
                "tools/call",
                json!({ "name": tool, "arguments": arguments }),
            )
        };
        let text = |text: &str| json!([{ "type": "text", "text": text }]);
        assert_eq!(
            result("greet", json!({ "who": "Ann" })),
            json!({ "content": text("hello Ann"), "isError": false })
        );
        assert_eq!(
            result("object", json!({})),
            json!({ "content": text("{\"n\":2}"), "structuredContent": { "n": 2 }, "isError": false })
        );
        assert_eq!(
            result("list", Value::Null),
            json!({ "content": text("[1,2]"), "isError": false })
        );
        let wrong = result("greet", json!({}));
        assert_eq!(wrong["isError"], true);
        assert!(
            wrong["content"][0]["text"]
                .as_str()
                .unwrap()
                .contains("who"),
            "{wrong}"
        );
        let link = &result("link", json!({}))["content"][0];
        assert_eq!(link["uri"], "note://one");
    });
}

#[test]
fn what_is_read_got_and_completed() {
    everywhere(&project(), |client, _| {
        assert_eq!(
            client.result("resources/read", json!({ "uri": "note://n/7" })),
            json!({ "contents": [{ "uri": "note://n/7", "text": "7" }] })
        );
        let prompt = json!({ "name": "ask", "arguments": { "topic": "tea" } });
        assert_eq!(
            client.result("prompts/get", prompt),
            json!({ "messages": [{ "role": "user", "content": { "type": "text", "text": "tell me about tea" } }] })
        );
        let typed = json!({ "ref": { "type": "ref/prompt", "name": "ask" }, "argument": { "name": "topic", "value": "ti" } });
        assert_eq!(
            client.result("completion/complete", typed),
            json!({ "completion": { "values": ["time"], "total": 1, "hasMore": false } })
        );
        assert_eq!(client.result("ping", Value::Null), json!({}));
    });
}

#[test]
fn errors_have_the_codes_of_their_revision_and_status_200() {
    everywhere(&project(), |client, _| {
        for (method, params, code, data) in [
            (
                "resources/read",
                json!({ "uri": "note://two" }),
                -32002,
                json!({ "uri": "note://two" }),
            ),
            ("tools/call", json!({ "name": "nope" }), -32602, Value::Null),
            (
                "tools/call",
                json!({ "name": "greet", "arguments": [] }),
                -32602,
                Value::Null,
            ),
            (
                "tools/call",
                json!({ "name": "own" }),
                1042,
                json!({ "day": "monday" }),
            ),
            (
                "prompts/get",
                json!({ "name": "nope" }),
                -32602,
                Value::Null,
            ),
            ("prompts/get", json!({ "name": "ask" }), -32602, Value::Null),
            ("tools/list", json!({ "cursor": "x" }), -32602, Value::Null),
            ("tools/list", json!({ "_meta": 7 }), -32602, Value::Null),
            (
                "logging/setLevel",
                json!({ "level": "loud" }),
                -32602,
                Value::Null,
            ),
            (
                "resources/subscribe",
                json!({ "uri": "note://two" }),
                -32002,
                json!({ "uri": "note://two" }),
            ),
            ("server/discover", json!({}), -32601, Value::Null),
            ("subscriptions/listen", json!({}), -32601, Value::Null),
            ("tasks/list", json!({}), -32601, Value::Null),
            ("nonsense", Value::Null, -32601, Value::Null),
        ] {
            assert_eq!(
                client.error(method, params.clone()),
                (code, data),
                "{method} {params}"
            );
        }
    });
}

#[test]
fn ids_come_back_as_they_were_sent() {
    everywhere(&project(), |client, _| {
        for id in [
            json!("1"),
            json!(1),
            json!(""),
            json!(0),
            json!(-5),
            json!(u64::MAX),
        ] {
            assert_eq!(
                client.ask(&request(id.clone(), "ping", json!({})))["id"],
                id
            );
        }
    });
}

#[test]
fn progress_and_logs_come_before_the_answer() {
    everywhere(&project(), |client, version| {
        let steps = |token: Option<Value>| {
            let mut request = call("c", "steps", json!({}));
            if let Some(token) = token {
                request["params"]["_meta"]["progressToken"] = token;
            }
            request
        };
        let said = client.said(&steps(Some(json!(0))));
        let of = |method: &str| -> Vec<&Value> {
            let found = said.iter().filter(|one| one["method"] == method);
            found.map(|one| &one["params"]).collect()
        };
        let progress = of("notifications/progress");
        assert_eq!(progress.last().unwrap()["message"], "two", "{said:?}");
        assert!(progress.iter().all(|one| one["progressToken"] == 0));
        assert_eq!(of("notifications/message")[0]["data"], "a warning");
        assert_eq!(said.last().unwrap()["id"], "c", "{version}");
        // Without a token there is no progress; with another level no message.
        assert_eq!(
            client.result("logging/setLevel", json!({ "level": "emergency" })),
            json!({})
        );
        assert_eq!(client.said(&steps(None)).len(), 1);
        assert_eq!(
            client.result("logging/setLevel", json!({ "level": "debug" })),
            json!({})
        );
        let said = client.said(&steps(None));
        assert_eq!(
            (said.len(), &said[0]["method"]),
            (2, &json!("notifications/message"))
        );
    });
}

#[test]
fn the_newest_revision_is_served_beside_them_in_one_process() {
    let project = project();
    let mut both = Both::of(project);
    let greet = |modern: Value| {
        (
            modern["result"]["resultType"].clone(),
            modern["result"]["content"][0]["text"].clone(),
        )
    };
    let params = json!({ "name": "greet", "arguments": { "who": "you" } });
    let modern = modern(1, "tools/call", params.clone());
    assert_eq!(
        greet(both.ask(&modern)),
        (json!("complete"), json!("hello you"))
    );
    let legacy = request(2, "tools/call", params);
    both.stdio.ask(&super::initialize(NEWER));
    assert_eq!(
        greet(both.stdio.ask(&legacy)),
        (Value::Null, json!("hello you"))
    );
    assert_eq!(
        greet(both.stdio.ask(&modern)),
        (json!("complete"), json!("hello you"))
    );
    let body = legacy.to_string();
    let reply = both.daemon.connect().post_with(&[], body.as_bytes());
    assert_eq!(greet(reply.json()), (Value::Null, json!("hello you")));
    let fault = both.ask(&crate::support::modern(
        3,
        "resources/read",
        json!({ "uri": "note://two" }),
    ));
    assert_eq!(fault["error"]["code"], -32602);
    both.finish();
}

#[test]
fn batches_are_refused_and_nothing_of_them_is_done() {
    let project = project();
    let daemon = project.serve();
    let batch = json!([request(1, "ping", json!({}))]).to_string();
    let mut client = project.stdio();
    client.ask(&super::initialize(OLDER));
    client.send_raw(format!("{batch}\n").as_bytes());
    let answer = client.receive();
    assert_eq!(
        (answer["error"]["code"].clone(), answer.get("id")),
        (json!(-32600), None)
    );
    let version = [("MCP-Protocol-Version", OLDER)];
    let reply = daemon.connect().post_with(&version, batch.as_bytes());
    assert_eq!(
        (reply.status, reply.json()["error"]["code"].clone()),
        (400, json!(-32600))
    );
}

#[test]
fn this_programs_own_client_asks_in_every_revision() {
    let project = project();
    let daemon = project.serve();
    let url = format!("http://{}/mcp", daemon.address());
    let program = format!(
        "{} stdio manifests --set log.level=warn",
        env!("CARGO_BIN_EXE_snodo")
    );
    for version in ["2026-07-28", NEWER, OLDER] {
        for place in [["--url", &url], ["--stdio", &program]] {
            for (command, shown) in [
                (&["call", "greet", "who=Ann"][..], "hello Ann"),
                (&["list", "tools"], "greet"),
                (&["read", "note://one"], "1"),
                (&["prompt", "ask", "topic=tea"], "tell me about tea"),
            ] {
                let output = std::process::Command::new(env!("CARGO_BIN_EXE_snodo"))
                    .args([command, &place, &["--protocol", version]].concat())
                    .current_dir(project.path())
                    .output()
                    .unwrap();
                let said = String::from_utf8(output.stdout).unwrap();
                let failed = String::from_utf8(output.stderr).unwrap();
                assert!(
                    output.status.success(),
                    "{command:?} {place:?} {version}: {failed}"
                );
                assert!(
                    said.contains(shown),
                    "{command:?} {place:?} {version}: {said}"
                );
            }
        }
    }
}

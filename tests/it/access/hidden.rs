//! What a caller lacks the scopes for is not there for it: not in lists, cursors, subscriptions or
//! completion; and using it is refused before anything of it is said.

use super::{known, project, with};
use crate::support::{Daemon, Project, call, discover, list, modern};
use serde_json::{Value, json};

const MANIFEST: &str = r#"
[[tool]]
name = "open"
result.text = "o"

[[tool]]
name = "read"
scopes = ["read"]
result.text = "r"

[[tool]]
name = "write"
scopes = ["write", "read"]
arguments.n = { type = "integer", required = true, header = "N" }
shell.command = ["touch", "ran"]

[[resource]]
uri = "doc://open"
name = "open"
result.text = "o"

[[resource]]
uri = "doc://secret"
name = "secret"
scopes = ["read"]
result.text = "s"

[[resource]]
uri_template = "doc://x/{id}"
name = "secret x"
scopes = ["read"]
result.text = "hidden {{ params.id }}"
complete.id = ["one"]

[[resource]]
uri_template = "doc://{any}/{id}"
name = "any"
result.text = "any {{ params.id }}"

[[prompt]]
name = "open"
result.text = "o"

[[prompt]]
name = "secret"
scopes = ["read"]
arguments.a = { complete = ["one"] }
result.text = "s"
"#;

fn served() -> (Project, Daemon) {
    let tokens = known("none", "", "t-none")
        + &known("reader", "\"read\"", "t-read")
        + &known("writer", "\"write\", \"read\"", "t-write")
        + "[server]\npage_size = 1\ncache.tools = { ttl_ms = 5, scope = \"public\" }\n\
           cache.discovery = { scope = \"public\" }\n";
    let project = project(MANIFEST, &tokens);
    let daemon = project.serve();
    (project, daemon)
}

/// Every item of a list, following cursors; the scope of its pages.
fn all(daemon: &Daemon, token: &str, method: &str, kind: &str) -> (Vec<String>, Value) {
    let mut connection = with(daemon, token);
    let (mut names, mut params, mut scope) = (Vec::new(), json!({}), Value::Null);
    loop {
        let page = connection.post(&modern(1, method, params)).json();
        let result = &page["result"];
        scope = match scope {
            Value::Null => result["cacheScope"].clone(),
            scope => {
                assert_eq!(scope, result["cacheScope"]);
                scope
            }
        };
        names.extend(result[kind].as_array().unwrap().iter().map(|item| {
            let name = item.get("uri").or(item.get("uriTemplate"));
            name.unwrap_or(&item["name"]).as_str().unwrap().to_owned()
        }));
        match result.get("nextCursor") {
            Some(cursor) => params = json!({ "cursor": cursor }),
            None => return (names, scope),
        }
    }
}

#[test]
fn each_caller_is_shown_what_it_may_use() {
    let (_project, daemon) = served();
    for (token, tools, resources, prompts) in [
        ("t-none", &["open"][..], &["doc://open"][..], &["open"][..]),
        (
            "t-read",
            &["open", "read"],
            &["doc://open", "doc://secret"],
            &["open", "secret"],
        ),
        (
            "t-write",
            &["open", "read", "write"],
            &["doc://open", "doc://secret"],
            &["open", "secret"],
        ),
    ] {
        // Twice: what is kept is the same.
        for _ in 0..2 {
            let (names, scope) = all(&daemon, token, "tools/list", "tools");
            assert_eq!(names, tools, "{token}");
            assert_eq!(scope, "private", "what differs by caller is for the caller");
            assert_eq!(
                all(&daemon, token, "resources/list", "resources").0,
                resources
            );
            assert_eq!(all(&daemon, token, "prompts/list", "prompts").0, prompts);
        }
    }
    let method = "resources/templates/list";
    let (templates, _) = all(&daemon, "t-none", method, "resourceTemplates");
    assert_eq!(templates, ["doc://{any}/{id}"]);
    // What is the same for all stays as the server file says.
    let told = |token: &str| with(&daemon, token).post(&discover(1)).json()["result"].clone();
    assert_eq!(told("t-none"), told("t-write"));
    assert_eq!(told("t-none")["cacheScope"], "public");
}

#[test]
fn a_cursor_is_of_the_list_that_its_caller_is_shown() {
    let (_project, daemon) = served();
    let cursor = |token: &str| {
        let page = with(&daemon, token).post(&list(1)).json();
        page["result"]["nextCursor"].clone()
    };
    let of_writer = cursor("t-write");
    let next = modern(2, "tools/list", json!({ "cursor": of_writer }));
    assert!(with(&daemon, "t-write").post(&next).json()["result"].is_object());
    for token in ["t-read", "t-none"] {
        let refused = with(&daemon, token).post(&next).json();
        assert_eq!(refused["error"]["code"], -32602, "{token}");
    }
}

#[test]
fn using_it_is_refused_before_anything_is_looked_at() {
    let (project, daemon) = served();
    let write = "read write";
    let complete = |reference: Value, name: &str| {
        let argument = json!({ "name": name, "value": "" });
        modern(
            6,
            "completion/complete",
            json!({ "ref": reference, "argument": argument }),
        )
    };
    for (message, scopes) in [
        // The arguments and the header that mirrors one are wrong; nobody says so.
        (call(1, "write", json!({ "n": "x" })), write),
        (call(1, "write", json!({})), write),
        (call(2, "read", json!({})), "read"),
        (
            modern(3, "resources/read", json!({ "uri": "doc://secret" })),
            "read",
        ),
        (
            modern(4, "prompts/get", json!({ "name": "secret" })),
            "read",
        ),
        (
            complete(json!({ "type": "ref/prompt", "name": "secret" }), "nope"),
            "read",
        ),
        (
            complete(
                json!({ "type": "ref/resource", "uri": "doc://x/{id}" }),
                "id",
            ),
            "read",
        ),
    ] {
        let reply = with(&daemon, "t-none").post(&message);
        assert_eq!(reply.status, 403, "{message}: {}", reply.text());
        let challenge = format!(
            r#"Bearer realm="served", error="insufficient_scope", scope="{scopes}", error_description="insufficient scope""#
        );
        let challenge = challenge.replace("served", &realm(&reply.header("www-authenticate")));
        assert_eq!(reply.header("www-authenticate"), Some(&*challenge));
        let body = reply.json();
        assert_eq!(body["id"], message["id"]);
        assert_eq!(body["error"]["code"], -32600);
        assert_eq!(
            body["error"]["message"],
            format!("Insufficient scope: this takes {scopes}")
        );
    }
    // With one of two scopes all that it takes is named, at once.
    let reply = with(&daemon, "t-read").post(&call(1, "write", json!({})));
    assert_eq!(reply.status, 403);
    let challenge = reply.header("www-authenticate").unwrap();
    assert!(challenge.contains(r#"scope="read write""#), "{challenge}");
    assert!(!project.path().join("ran").exists());
    // Who may use it is told what is wrong.
    let reply = with(&daemon, "t-write").post(&call(1, "write", json!({ "n": 1 })));
    assert_eq!(reply.json()["error"]["code"], -32020);
    // What is not there at all is told from what is hidden as little as anything else.
    let reply = with(&daemon, "t-none").post(&call(1, "nothing", json!({})));
    assert_eq!(
        (reply.status, reply.json()["error"]["code"].clone()),
        (200, json!(-32602))
    );
}

fn realm(challenge: &Option<&str>) -> String {
    let rest = challenge.unwrap().strip_prefix("Bearer realm=\"").unwrap();
    rest.split('"').next().unwrap().to_owned()
}

#[test]
fn a_hidden_template_leads_nowhere_where_another_does() {
    let (_project, daemon) = served();
    let read = |token: &str| {
        let message = modern(1, "resources/read", json!({ "uri": "doc://x/7" }));
        with(&daemon, token).post(&message).json()
    };
    assert_eq!(read("t-none")["result"]["contents"][0]["text"], "any 7");
    assert_eq!(
        read("t-read")["error"]["message"],
        "Multiple resource routes matched the requested URI"
    );
}

#[test]
fn nobody_hears_of_what_it_is_not_shown() {
    let (project, daemon) = served();
    let filter = json!({
        "toolsListChanged": true,
        "promptsListChanged": true,
        "resourcesListChanged": true,
        "resourceSubscriptions": ["doc://open", "doc://secret", "doc://none"],
    });
    let listen = modern(
        1,
        "subscriptions/listen",
        json!({ "notifications": filter }),
    );
    let mut poor = with(&daemon, "t-none").events(&listen);
    let mut rich = with(&daemon, "t-read").events(&listen);
    let uris =
        |message: &Value| message["params"]["notifications"]["resourceSubscriptions"].clone();
    assert_eq!(
        uris(&poor.next().unwrap()),
        json!(["doc://none", "doc://open"])
    );
    assert_eq!(
        uris(&rich.next().unwrap()),
        json!(["doc://none", "doc://open", "doc://secret"])
    );
    // Only what is hidden changes: a tool, a prompt and a resource.
    let changed = MANIFEST
        .replace(
            "result.text = \"r\"",
            "result.text = \"r2\"\ntitle = \"Read\"",
        )
        .replace(
            "result.text = \"s\"",
            "result.text = \"s2\"\ntitle = \"Secret\"",
        );
    project.save("manifests/a.toml", &changed);
    let mut heard: Vec<String> = (0..4)
        .map(|_| rich.next().unwrap()["method"].as_str().unwrap().to_owned())
        .collect();
    heard.sort();
    assert_eq!(
        heard,
        [
            "notifications/prompts/list_changed",
            "notifications/resources/list_changed",
            "notifications/resources/updated",
            "notifications/tools/list_changed",
        ]
    );
    // Then what is open: it is the first that the other hears.
    let open = changed.replace(
        "uri = \"doc://open\"",
        "uri = \"doc://open\"\ntitle = \"Open\"",
    );
    project.save("manifests/a.toml", &open);
    assert_eq!(
        poor.next().unwrap()["method"],
        "notifications/resources/list_changed"
    );
    assert_eq!(poor.next().unwrap()["params"]["uri"], "doc://open");
    // What becomes open is a change of the list for who is shown it from now on.
    let shown = open.replacen("scopes = [\"read\"]", "scopes = []", 1);
    project.save("manifests/a.toml", &shown);
    assert_eq!(
        poor.next().unwrap()["method"],
        "notifications/tools/list_changed"
    );
    assert_eq!(
        all(&daemon, "t-none", "tools/list", "tools").0,
        ["open", "read"]
    );
}

#[test]
fn the_files_of_a_hidden_folder_are_not_listed() {
    let manifest = r#"
[[resource]]
uri_template = "notes://n/{+path}"
name = "notes"
scopes = ["read"]
file = { root = "notes", path = "{{ params.path }}", list = "**/*.md", watch = true }

[[resource]]
uri = "doc://open"
name = "open"
result.text = "o"
"#;
    let tokens = known("none", "", "t-none") + &known("reader", "\"read\"", "t-read");
    let project = project(manifest, &tokens).file("manifests/notes/a.md", "a");
    let daemon = project.serve();
    let listed = |token: &str| all(&daemon, token, "resources/list", "resources");
    assert_eq!(
        listed("t-none"),
        (vec!["doc://open".into()], json!("private"))
    );
    assert_eq!(listed("t-read").0, ["notes://n/a.md", "doc://open"]);
}

#[test]
fn without_a_word_on_who_calls_nobody_may_use_what_takes_scopes() {
    let project = Project::with(MANIFEST);
    let daemon = project.serve();
    let reply = daemon.post(&call(1, "read", json!({})));
    assert_eq!(reply.status, 403);
    assert_eq!(reply.header("www-authenticate"), None);
    let mut stdio = project.stdio();
    let refused = stdio.ask(&call(1, "read", json!({})));
    assert_eq!(refused["error"]["code"], -32600);
    let shown = stdio.ask(&list(2));
    assert_eq!(shown["result"]["tools"].as_array().unwrap().len(), 1);
    let may = project.set("auth.stdio={ principal = \"me\", scopes = [\"read\"] }");
    let mut stdio = may.stdio();
    assert_eq!(
        stdio.ask(&call(1, "read", json!({})))["result"]["content"][0]["text"],
        "r"
    );
}

#[test]
fn the_anonymous_may_use_what_is_open_and_are_asked_for_a_token_for_the_rest() {
    let server = known("reader", "\"read\"", "t-read") + "[auth]\nanonymous = true\n";
    let daemon = project(MANIFEST, &server).serve();
    assert_eq!(daemon.post(&call(1, "open", json!({}))).status, 200);
    let reply = daemon.post(&call(1, "read", json!({})));
    assert_eq!(reply.status, 401);
    let challenge = reply.header("www-authenticate").unwrap();
    assert!(challenge.ends_with(r#", scope="read""#), "{challenge}");
    assert!(!challenge.contains("error"), "{challenge}");
    assert_eq!(
        with(&daemon, "t-read")
            .post(&call(1, "read", json!({})))
            .status,
        200
    );
    assert_eq!(
        with(&daemon, "wrong")
            .post(&call(1, "open", json!({})))
            .status,
        401
    );
}

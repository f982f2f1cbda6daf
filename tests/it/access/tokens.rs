//! Bearer tokens: who is let in, what the others are told, and that tokens are never shown.

use super::{known, project, with};
use crate::support::{Connection, Project, call, discover, list, modern, text_of};
use serde_json::json;

const TOKEN: &str = "snodo_secret-AAAA";

const WHO: &str = r#"
[[tool]]
name = "who"
result.structured = { name = "{{ auth.principal }}", scopes = "{{ auth.scopes }}" }

[[tool]]
name = "fail"
arguments.n = { type = "integer", required = true }
result.text = "{{ 1 // args.n }}"
"#;

fn served() -> Project {
    let tokens = known("ci", "\"orders:write\"", TOKEN) + &known("ops", "", "0ther");
    let implies = "[auth.implies]\n\"orders:write\" = [\"orders:read\"]\n";
    project(
        WHO,
        &format!("[server]\nname = \"the \\\"shop\\\"\"\n{tokens}{implies}"),
    )
}

#[test]
fn without_a_good_token_nothing_is_served_and_the_challenge_says_why() {
    let project = served();
    let daemon = project.serve();
    let realm = r#"Bearer realm="the \"shop\"""#;
    let invalid = format!(
        r#"{realm}, error="invalid_token", error_description="the access token is not valid""#
    );
    let request = |description: &str| {
        format!(r#"{realm}, error="invalid_request", error_description="{description}""#)
    };
    let cases: [(Option<&str>, u16, String); 7] = [
        (None, 401, realm.to_owned()),
        (Some("Basic c25vZG86"), 401, realm.to_owned()),
        (Some("Bearer nope"), 401, invalid.clone()),
        (Some("Bearer snodo_secret-AAA"), 401, invalid.clone()),
        (
            Some("Bearer"),
            400,
            request("what follows Bearer is not a token"),
        ),
        (
            Some("Bearer a b"),
            400,
            request("what follows Bearer is not a token"),
        ),
        (
            Some("Bearer a\r\nAuthorization: Bearer b"),
            400,
            request("there is more than one Authorization"),
        ),
    ];
    for (credentials, status, challenge) in cases {
        let mut connection = daemon.connect();
        if let Some(credentials) = credentials {
            connection = connection.with("Authorization", credentials);
        }
        for message in [discover(1), list(2), call(3, "who", json!({}))] {
            let reply = connection.post(&message);
            assert_eq!(reply.status, status, "{credentials:?} {message}");
            assert_eq!(
                reply.header("www-authenticate"),
                Some(&*challenge),
                "{credentials:?}"
            );
            assert!(reply.json()["error"]["message"].is_string());
            assert_eq!(reply.json().get("id"), None);
        }
    }
    // A token in the query is not looked at (OAuth 2.1 §5.1).
    let mut connection = daemon.connect();
    let head = format!(
        "POST /mcp?access_token={TOKEN} HTTP/1.1\r\nHost: {}\r\nContent-Length: 0\r\n\r\n",
        daemon.address()
    );
    connection.send(head.as_bytes());
    assert_eq!(connection.reply().status, 401);
}

#[test]
fn a_holder_is_known_to_templates_and_to_the_log() {
    let project = served();
    let daemon = project.serve();
    let said = |connection: &mut Connection| {
        let answer = connection.post(&call(1, "who", json!({}))).json();
        answer["result"]["structuredContent"].clone()
    };
    assert_eq!(
        said(&mut with(&daemon, TOKEN)),
        json!({ "name": "ci", "scopes": ["orders:read", "orders:write"] })
    );
    assert_eq!(
        said(&mut with(&daemon, "0ther")),
        json!({ "name": "ops", "scopes": [] })
    );
    daemon.wait_for_log("principal=\"ci\"");
}

#[test]
fn every_request_of_a_connection_is_judged_for_itself() {
    let project = served();
    let daemon = project.serve();
    let mut connection = with(&daemon, TOKEN);
    assert_eq!(connection.post(&list(1)).status, 200);
    let mut connection = connection.with("Authorization", "Bearer nope");
    assert_eq!(connection.post(&list(2)).status, 400);
}

#[test]
fn methods_and_bodies_are_not_looked_at_before_the_token() {
    let project = served();
    let daemon = project.serve();
    let host = daemon.address();
    for (head, status) in [
        (format!("GET /mcp HTTP/1.1\r\nHost: {host}\r\n\r\n"), 401),
        (format!("DELETE /mcp HTTP/1.1\r\nHost: {host}\r\n\r\n"), 401),
        (
            format!("POST /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Length: 999999999\r\n\r\n"),
            401,
        ),
        // What is asked without credentials by design, and what is nobody's.
        (
            format!("OPTIONS /mcp HTTP/1.1\r\nHost: {host}\r\nOrigin: http://localhost\r\n\r\n"),
            204,
        ),
        (format!("GET /other HTTP/1.1\r\nHost: {host}\r\n\r\n"), 404),
        (
            "GET /mcp HTTP/1.1\r\nHost: evil.example\r\n\r\n".to_owned(),
            403,
        ),
    ] {
        let mut connection = daemon.connect();
        connection.send(head.as_bytes());
        let reply = connection.head();
        assert_eq!(reply.status, status, "{head}");
        assert_eq!(reply.header("www-authenticate").is_some(), status == 401);
    }
    // A browser may read the challenge.
    let reply = daemon
        .connect()
        .with("Origin", "http://localhost:1")
        .post(&list(1));
    assert_eq!(reply.status, 401);
    let exposed = reply.header("access-control-expose-headers").unwrap();
    assert!(exposed.contains("WWW-Authenticate"));
}

#[test]
fn tokens_stand_in_no_log_and_in_no_answer() {
    let project = served().set("log.level=trace");
    let daemon = project.serve();
    let mut shown = String::new();
    for token in [TOKEN, "wr0ng-token-BBBB", "wr0ng-token-BBBB x"] {
        for message in [
            discover(1),
            call(2, "fail", json!({ "n": "x" })),
            call(2, "fail", json!({ "n": 0 })),
            call(3, "none", json!({})),
            modern(4, "no/method", json!({})),
        ] {
            let reply = with(&daemon, token).post(&message);
            shown.push_str(&format!("{:?} {}", reply.headers, reply.text()));
        }
    }
    daemon.wait_for_log("a request was not let in");
    shown.push_str(&daemon.stderr());
    for secret in [TOKEN, "wr0ng-token", "secret-AAAA"] {
        assert!(!shown.contains(secret), "{shown}");
    }
}

#[test]
fn a_reload_takes_tokens_away_and_brings_new_ones() {
    let project = served();
    let daemon = project.serve();
    let listening = modern(
        9,
        "subscriptions/listen",
        json!({ "notifications": { "toolsListChanged": true } }),
    );
    let mut events = with(&daemon, TOKEN).events(&listening);
    assert!(events.next().is_some(), "acknowledged");
    let mut connection = with(&daemon, TOKEN);
    assert_eq!(connection.post(&list(1)).status, 200);
    let tokens = known("new", "", "n3w");
    project.save(
        "snodo.toml",
        format!("manifests = [\"manifests\"]\n{tokens}"),
    );
    daemon.wait_for_log("reloaded the server file");
    assert_eq!(connection.post(&list(2)).status, 401);
    assert_eq!(with(&daemon, "n3w").post(&list(3)).status, 200);
    // Who listened by a token of before is told that it is over.
    let cancelled = events.next().unwrap();
    assert_eq!(cancelled["method"], "notifications/cancelled");
    assert_eq!(events.next().unwrap()["id"], 9);
    assert!(events.next().is_none());
    // An empty list lets nobody in.
    project.save(
        "snodo.toml",
        "manifests = [\"manifests\"]\nauth.tokens = []\n",
    );
    daemon.wait_for_log("principal=\"new\"");
    crate::support::within("the last token is gone", || {
        (with(&daemon, "n3w").post(&list(3)).status == 401).then_some(())
    });
    assert_eq!(daemon.post(&list(1)).status, 401);
}

#[test]
fn on_standard_streams_the_caller_is_who_the_server_file_says() {
    let project = served();
    let mut stdio = project.stdio();
    let answer = stdio.ask(&call(1, "who", json!({})));
    assert_eq!(answer["result"]["structuredContent"], json!({}));
    let project = project.set("auth.stdio={ principal = \"me\", scopes = [\"orders:write\"] }");
    let answer = project.stdio().ask(&call(1, "who", json!({})));
    assert_eq!(
        answer["result"]["structuredContent"],
        json!({ "name": "me", "scopes": ["orders:read", "orders:write"] })
    );
}

#[test]
fn a_rate_limit_can_be_each_callers_own() {
    let manifest = r#"
[[tool]]
name = "one"
result.text = "1"
wrap = [{ rate_limit = { limit = 1, window_ms = 600000, key = "{{ auth.principal }}" } }]

[[tool]]
name = "kept"
shell.command = ["sh", "-c", "echo $$"]
wrap = [{ cache = { ttl_ms = 600000 } }]
"#;
    let tokens = known("a", "", "ta") + &known("a", "", "ta2") + &known("b", "", "tb");
    let project = project(manifest, &tokens);
    let daemon = project.serve();
    let is_error = |token: &str| {
        let answer = with(&daemon, token).post(&call(1, "one", json!({})));
        answer.json()["result"]["isError"] == true
    };
    // Two tokens of one principal are one caller.
    assert_eq!(
        [
            is_error("ta"),
            is_error("ta2"),
            is_error("tb"),
            is_error("tb")
        ],
        [false, true, false, true]
    );
    let kept = |token: &str| {
        text_of(
            &with(&daemon, token)
                .post(&call(1, "kept", json!({})))
                .json(),
        )
    };
    assert_eq!(kept("ta"), kept("ta2"));
    assert_ne!(kept("ta"), kept("tb"));
}

#[test]
fn a_long_output_is_read_on_by_its_own_caller_alone() {
    let manifest = r#"
[[tool]]
name = "long"
shell = { command = ["seq", "1", "5000"], max_output_bytes = 1024, overflow = "resource" }
"#;
    let tokens = known("a", "", "ta") + &known("b", "", "tb");
    let project = project(manifest, &tokens);
    let daemon = project.serve();
    let answer = with(&daemon, "ta").post(&call(1, "long", json!({}))).json();
    let content = answer["result"]["content"].as_array().unwrap();
    let link = content
        .iter()
        .find(|block| block["type"] == "resource_link");
    let uri = link.unwrap()["uri"].clone();
    let read = modern(2, "resources/read", json!({ "uri": uri }));
    assert!(with(&daemon, "ta").post(&read).json()["result"].is_object());
    assert_eq!(
        with(&daemon, "tb").post(&read).json()["error"]["code"],
        -32602
    );
}

#[test]
fn an_address_beyond_this_machine_is_said_loudly() {
    for (server, said) in [
        (String::new(), "OPEN TO THE NETWORK"),
        (
            known("a", "", "t"),
            "access tokens come to this address in the clear",
        ),
    ] {
        let project = project(WHO, &server);
        let mut command = project.command("serve");
        let everywhere = "http.listen=[\"0.0.0.0:0\"]";
        let daemon = crate::support::Daemon::start(command.args(["--set", everywhere]));
        daemon.wait_for_log(said);
    }
    let daemon = served().serve();
    daemon.post(&list(1));
    daemon.wait_for_log("a request was not let in");
    assert!(!daemon.stderr().contains("OPEN"), "{}", daemon.stderr());
}

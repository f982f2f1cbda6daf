//! Many requests, large ones, slow ones, and HTTP/2.

use super::{ECHO, head, post, raw, serve};
use crate::support::{Connection, Project, call, list, text_of};
use serde_json::{Value, json};

#[test]
fn two_clients_with_the_same_id_never_swap_answers() {
    let (_project, daemon) = serve();
    let daemon = &daemon;
    std::thread::scope(|scope| {
        let callers: Vec<_> = (0..200)
            .map(|n| {
                scope.spawn(move || {
                    let text = format!("caller {n}");
                    let reply = daemon.post(&call(1, "echo", json!({ "text": text })));
                    assert_eq!(text_of(&reply.json()), text);
                })
            })
            .collect();
        for caller in callers {
            caller.join().unwrap();
        }
    });
}

#[test]
fn unbounded_request_bodies_are_413_and_unreadable_ones_400() {
    let project = Project::with(ECHO).set("http.max_body_bytes=2000");
    let daemon = project.serve();
    let long = call(1, "echo", json!({ "text": "x".repeat(3000) }));
    assert_eq!(post(&daemon, &long, &[]).status, 413);
    let host = format!("host: {}", daemon.address());
    let mut connection = daemon.connect();
    connection.send(
        format!("POST /mcp HTTP/1.1\r\n{host}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n")
            .as_bytes(),
    );
    connection.send(format!("1000\r\n{}\r\n", "x".repeat(4096)).as_bytes());
    assert_eq!(connection.reply().status, 413);

    for body in [
        "{",
        "[",
        "nonsense",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\"",
        &"[".repeat(1900),
    ] {
        let reply = raw(
            &daemon,
            &[
                "POST /mcp HTTP/1.1",
                &host,
                "content-type: application/json",
            ],
            body,
        );
        assert_eq!(reply.status, 400, "{body}");
        assert_eq!(reply.json()["error"]["code"], -32700, "{body}");
        assert!(reply.json().get("id").is_none(), "{body}");
    }
    let batch = raw(
        &daemon,
        &[
            "POST /mcp HTTP/1.1",
            &host,
            "content-type: application/json",
        ],
        "[{}]",
    );
    assert_eq!(
        (batch.status, &batch.json()["error"]["code"]),
        (400, &json!(-32600))
    );
}

#[test]
fn deep_nesting_does_not_overflow_the_stack() {
    let (_project, daemon) = serve();
    let host = format!("host: {}", daemon.address());
    let body = "[".repeat(100_000);
    let reply = raw(
        &daemon,
        &[
            "POST /mcp HTTP/1.1",
            &host,
            "content-type: application/json",
        ],
        &body,
    );
    assert_eq!(reply.status, 400);
    let arguments = format!("{}1{}", "[".repeat(60_000), "]".repeat(60_000));
    let body = list(1).to_string().replace("{}", &arguments);
    let reply = raw(
        &daemon,
        &[
            "POST /mcp HTTP/1.1",
            &host,
            "content-type: application/json",
            "mcp-method: tools/list",
        ],
        &body,
    );
    assert_eq!(reply.status, 400);
    assert_eq!(daemon.post(&list(1)).status, 200, "the server goes on");
}

#[test]
fn a_connection_carries_many_requests_and_chunked_bodies() {
    let (_project, daemon) = serve();
    let mut connection = daemon.connect();
    for n in 0..50 {
        let reply = connection.post(&call(n, "echo", json!({ "text": n.to_string() })));
        assert_eq!(text_of(&reply.json()), n.to_string());
        assert_eq!(reply.json()["id"], n);
    }
    let message = call(1, "echo", json!({ "text": "in pieces" }));
    let lines = head(&daemon, &message, &[]);
    let body = message.to_string();
    let (first, second) = body.split_at(20);
    connection.send(
        format!(
            "{}\r\ntransfer-encoding: chunked\r\n\r\n",
            lines.join("\r\n")
        )
        .as_bytes(),
    );
    for part in [first, second] {
        connection.send(format!("{:x}\r\n{part}\r\n", part.len()).as_bytes());
    }
    connection.send(b"0\r\n\r\n");
    assert_eq!(text_of(&connection.reply().json()), "in pieces");
}

#[test]
fn http_2_by_prior_knowledge_is_served_on_the_same_port() {
    let (_project, daemon) = serve();
    let message = call(1, "echo", json!({ "text": "over two" }));
    let (head, body) = daemon.post_over_two(&message);
    assert_eq!(head.status, 200);
    let answer: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(text_of(&answer), "over two");
}

#[test]
fn a_slow_head_is_closed_and_does_not_hold_others_up() {
    let project = Project::with(ECHO).set("http.head_timeout_ms=200");
    let daemon = project.serve();
    let mut slow: Connection = daemon.connect();
    slow.send(b"POST /mcp HTTP/1.1\r\nhost: ");
    assert_eq!(daemon.post(&list(1)).status, 200);
    // Whatever it answers, it closes without waiting for the rest of the head.
    while !slow.is_closed() {}
}

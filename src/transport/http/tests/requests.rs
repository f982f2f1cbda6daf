//! Paths, methods, negotiation and the forms of answers.

use super::{Server, soon};
use tokio::net::TcpStream;

#[tokio::test]
async fn a_message_is_echoed_as_json_with_its_length() {
    let server = Server::start().await;
    let answer = server.post("", "{\"id\":1}").await;
    assert_eq!((answer.status, answer.text()), (200, "{\"id\":1}"));
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(answer.header("content-length"), Some("8"));
    let names: Vec<_> = answer
        .headers
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(names, ["content-type", "content-length", "date"]);
}

#[tokio::test]
async fn a_notification_is_202_without_a_body() {
    let server = Server::start().await;
    let answer = server
        .post("Accept: application/json, text/event-stream\r\n", "note")
        .await;
    assert_eq!((answer.status, answer.text()), (202, ""));
    assert_eq!(answer.header("content-length"), Some("0"));
    assert_eq!(answer.header("content-type"), None);
}

#[tokio::test]
async fn the_servers_status_is_passed_on() {
    let server = Server::start().await;
    for status in [400, 404, 200] {
        let answer = server.post("", &format!("status {status}")).await;
        assert_eq!(
            (answer.status, answer.text()),
            (status, format!("status {status}").as_str())
        );
    }
}

#[tokio::test]
async fn an_event_stream_is_sent_to_whom_accepts_nothing_else() {
    let server = Server::start().await;
    let answer = server
        .post("Accept: text/event-stream\r\n", "{\"id\":1}")
        .await;
    assert_eq!(
        (answer.status, answer.text()),
        (200, "event: message\ndata: {\"id\":1}\n\n")
    );
    assert_eq!(answer.header("content-type"), Some("text/event-stream"));
    assert_eq!(answer.header("cache-control"), Some("no-cache"));
    assert_eq!(answer.header("x-accel-buffering"), Some("no"));
    let answer = server
        .post("Accept: text/event-stream\r\n", "status 404")
        .await;
    assert_eq!(
        (answer.status, answer.header("content-type")),
        (404, Some("application/json"))
    );
    assert_eq!(answer.text(), "status 404");
}

#[tokio::test]
async fn negotiation_fails_before_the_server_is_asked() {
    let server = Server::start().await;
    server
        .post("Accept: text/html\r\n", "x")
        .await
        .is_refusal(406);
    server
        .post("Content-Encoding: gzip\r\n", "x")
        .await
        .is_refusal(415);
    let encoding = server.post("Content-Encoding: br\r\n", "x").await;
    assert_eq!(encoding.header("accept-encoding"), Some("identity"));
    for kind in [
        "",
        "Content-Type: text/plain\r\n",
        "Content-Type: application/json; charset=latin1\r\n",
    ] {
        let request =
            format!("POST /mcp HTTP/1.1\r\nHost: HOST\r\n{kind}Content-Length: 1\r\n\r\nx");
        server.ask(server.text(&request)).await.is_refusal(415);
    }
    assert_eq!(server.calls(), 0);
}

#[tokio::test]
async fn what_mcp_remote_opens_with_is_answered_with_4xx() {
    let server = Server::start().await;
    let mut client = server.connect().await;
    for (path, status) in [
        ("/mcp", 405),
        ("/.well-known/oauth-protected-resource", 404),
        ("/.well-known/openid-configuration/mcp", 404),
    ] {
        client
            .send(server.text(&format!(
                "GET {path} HTTP/1.1\r\nHost: HOST\r\nAccept: text/event-stream\r\n\r\n"
            )))
            .await;
        client.answer().await.is_refusal(status);
    }
    // All on one connection, which still serves.
    client.post("", "x").await;
    assert_eq!(client.answer().await.status, 200);
}

#[tokio::test]
async fn other_methods_are_405_with_allow() {
    let server = Server::start().await;
    for method in ["GET", "DELETE", "PUT", "PATCH", "TRACE", "PROPFIND"] {
        let answer = server
            .ask(server.text(&format!("{method} /mcp HTTP/1.1\r\nHost: HOST\r\n\r\n")))
            .await;
        answer.is_refusal(405);
        assert_eq!(answer.header("allow"), Some("POST, OPTIONS"), "{method}");
    }
    let mut client = server.connect().await;
    client
        .send(server.text("HEAD /mcp HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n"))
        .await;
    let mut wire = Vec::new();
    while client.more().await > 0 {}
    wire.append(&mut client.read);
    let wire = String::from_utf8(wire).unwrap();
    assert!(
        wire.starts_with("HTTP/1.1 405") && wire.ends_with("\r\n\r\n"),
        "{wire}"
    );
}

#[tokio::test]
async fn the_path_is_exact_but_for_a_slash_at_its_end() {
    let server = Server::start().await;
    let cases = [
        ("/mcp", 200),
        ("/mcp/", 200),
        ("/mcp?session=1", 200),
        ("/", 404),
        ("/mcp//", 404),
        ("/MCP", 404),
        ("/mcp/x", 404),
        ("/mcpx", 404),
        ("/%6dcp", 404),
        ("//mcp", 404),
    ];
    for (path, status) in cases {
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\nContent-Length: 1\r\n\r\nx"
        );
        let answer = server.ask(server.text(&request)).await;
        assert_eq!(answer.status, status, "{path}");
        assert_eq!(answer.header("location"), None);
    }
}

#[tokio::test]
async fn an_absolute_target_and_http_1_0_are_served() {
    let server = Server::start().await;
    let rest = "Host: HOST\r\nContent-Type: application/json\r\nContent-Length: 1\r\n\r\nx";
    let answer = server
        .ask(server.text(&format!("POST http://HOST/mcp HTTP/1.1\r\n{rest}")))
        .await;
    assert_eq!(answer.status, 200);
    let mut client = server.connect().await;
    client
        .send(server.text(&format!("POST /mcp HTTP/1.0\r\n{rest}")))
        .await;
    assert_eq!(client.answer().await.status, 200);
    client.closed().await;
}

#[tokio::test]
async fn options_says_what_is_possible() {
    let server = Server::start().await;
    for target in ["/mcp", "/mcp/", "*"] {
        let answer = server
            .ask(server.text(&format!("OPTIONS {target} HTTP/1.1\r\nHost: HOST\r\n\r\n")))
            .await;
        assert_eq!(
            (answer.status, answer.header("allow")),
            (204, Some("POST, OPTIONS")),
            "{target}"
        );
        assert_eq!(answer.header("access-control-allow-methods"), None);
        assert_eq!(answer.header("content-length"), None);
    }
    server
        .ask(server.text("OPTIONS /x HTTP/1.1\r\nHost: HOST\r\n\r\n"))
        .await
        .is_refusal(404);
}

#[tokio::test]
async fn an_offer_to_upgrade_is_not_taken_and_does_no_harm() {
    let server = Server::start().await;
    let mut client = server.connect().await;
    for _ in 0..2 {
        client.post("Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n", "x").await;
        let answer = client.answer().await;
        assert_eq!((answer.status, answer.text()), (200, "x"));
    }
    let answer = server
        .ask(server.text("CONNECT HOST HTTP/1.1\r\nHost: HOST\r\n\r\n"))
        .await;
    assert_eq!(answer.status, 404);
}

#[tokio::test]
async fn requests_follow_one_another_on_a_connection_and_may_be_sent_ahead() {
    let server = Server::start().await;
    let mut client = server.connect().await;
    for n in 0..3 {
        client.post("", &format!("one {n}")).await;
        assert_eq!(client.answer().await.text(), format!("one {n}"));
    }
    let ahead: String = (0..50)
        .map(|n| format!("{}Content-Length: 6\r\n\r\nn {n:04}", client.head("")))
        .collect();
    client.send(ahead).await;
    for n in 0..50 {
        assert_eq!(client.answer().await.text(), format!("n {n:04}"));
    }
}

#[tokio::test]
async fn two_hundred_at_once_get_their_own_answers() {
    let mut server = Server::start().await;
    let mut clients = Vec::new();
    for n in 0..200 {
        let mut client = server.connect().await;
        client.post(&format!("X-Id: {n}\r\n"), "wait-id").await;
        clients.push(client);
    }
    for _ in 0..200 {
        server.event().await;
    }
    server.endpoint.gate.add_permits(200);
    for (n, client) in clients.iter_mut().enumerate() {
        assert_eq!(client.answer().await.text(), n.to_string());
    }
}

#[tokio::test]
async fn a_connection_for_each_request_leaves_nothing_behind() {
    let server = Server::start().await;
    for _ in 0..300 {
        let mut client = server.connect().await;
        client.post("Connection: close\r\n", "x").await;
        let answer = client.answer().await;
        assert_eq!(answer.header("connection"), Some("close"));
        client.closed().await;
    }
    let address = server.address();
    server.stop().await;
    soon(TcpStream::connect(address)).await.unwrap_err();
}

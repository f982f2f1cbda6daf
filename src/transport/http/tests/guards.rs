//! Host, Origin and CORS.

use super::{Server, settings};
use crate::transport::http::HttpSettings;

fn request(method: &str, host: &str, origin: &str) -> String {
    let origin = if origin.is_empty() {
        String::new()
    } else {
        format!("Origin: {origin}\r\n")
    };
    format!(
        "{method} /mcp HTTP/1.1\r\n{host}{origin}Content-Type: application/json\r\nContent-Length: 1\r\n\r\nx"
    )
}

async fn with(origins: &[&str], hosts: &[&str]) -> Server {
    let owned = |list: &[&str]| list.iter().map(|entry| (*entry).to_owned()).collect();
    let settings = HttpSettings {
        allowed_origins: owned(origins),
        allowed_hosts: owned(hosts),
        ..settings()
    };
    Server::with(settings, super::PATIENCE).await
}

#[tokio::test]
async fn only_loopback_names_with_the_port_are_hosts_of_a_loopback_address() {
    let server = Server::start().await;
    let port = server.address().port();
    let other = port ^ 1;
    let cases = [
        (format!("localhost:{port}"), 200),
        (format!("LOCALHOST:{port}"), 200),
        (format!("127.0.0.1:{port}"), 200),
        (format!("[::1]:{port}"), 200),
        (format!("localhost:{other}"), 403),
        ("localhost".into(), 403),
        ("127.0.0.1".into(), 403),
        (format!("127.0.0.2:{port}"), 403),
        (format!("0.0.0.0:{port}"), 403),
        (format!("evil.example:{port}"), 403),
        (format!("localhost.evil.example:{port}"), 403),
        (format!("127.0.0.1.nip.io:{port}"), 403),
        (format!("localhost.:{port}"), 403),
        (format!("[::ffff:127.0.0.1]:{port}"), 403),
        (format!("user@localhost:{port}"), 400),
        (format!("localhost:{port}, evil.example"), 400),
        (format!("localhost:{port}/x"), 400),
        (String::new(), 400),
        ("localhost:99999".into(), 400),
        ("::1".into(), 400),
        ("h\u{e9}".into(), 400),
    ];
    for (host, status) in cases {
        let answer = server
            .ask(request("POST", &format!("Host: {host}\r\n"), ""))
            .await;
        assert_eq!(answer.status, status, "{host}");
        if status != 200 {
            answer.is_refusal(status);
        }
    }
}

#[tokio::test]
async fn the_host_must_be_there_exactly_once() {
    let server = Server::start().await;
    let ours = server.text("Host: HOST\r\n");
    server.ask(request("POST", "", "")).await.is_refusal(400);
    server
        .ask(request("POST", &ours.repeat(2), ""))
        .await
        .is_refusal(400);
    server
        .ask(request(
            "POST",
            &format!("{ours}Host: evil.example\r\n"),
            "",
        ))
        .await
        .is_refusal(400);
    server
        .ask("POST /mcp HTTP/1.0\r\nContent-Length: 0\r\n\r\n")
        .await
        .is_refusal(400);
}

#[tokio::test]
async fn an_absolute_target_is_no_way_around_the_host() {
    let server = Server::start().await;
    let evil = server
        .text(&request("POST", "Host: HOST\r\n", ""))
        .replace("/mcp", "http://evil.example/mcp");
    server.ask(evil).await.is_refusal(403);
    let evil = server
        .text(&request("POST", "Host: evil.example\r\n", "").replace("/mcp", "http://HOST/mcp"));
    server.ask(evil).await.is_refusal(403);
}

#[tokio::test]
async fn host_and_origin_are_judged_on_every_path_and_method_before_the_body() {
    let server = Server::start().await;
    for method in ["POST", "GET", "DELETE", "OPTIONS", "PUT"] {
        for path in ["/mcp", "/other", "/.well-known/x"] {
            for line in [
                "Host: evil.example\r\n",
                "Host: HOST\r\nOrigin: http://evil.example\r\n",
            ] {
                // The body never comes.
                let text = format!(
                    "{method} {path} HTTP/1.1\r\n{line}Content-Type: text/html\r\nContent-Length: 9\r\n\r\n"
                );
                server.ask(server.text(&text)).await.is_refusal(403);
            }
        }
    }
}

#[tokio::test]
async fn listed_hosts_are_served_too() {
    let server = with(
        &[],
        &["mcp.example.com", "other.example:8443", "[2001:db8::1]"],
    )
    .await;
    let cases = [
        ("mcp.example.com", 200),
        ("MCP.example.com", 200),
        ("mcp.example.com:1234", 200),
        ("other.example:8443", 200),
        ("other.example", 403),
        ("[2001:DB8::1]:80", 200),
        ("example.com", 403),
        ("xmcp.example.com", 403),
    ];
    for (host, status) in cases {
        assert_eq!(
            server
                .ask(request("POST", &format!("Host: {host}\r\n"), ""))
                .await
                .status,
            status,
            "{host}"
        );
    }
    assert_eq!(server.post("", "x").await.status, 200);
    let server = with(&[], &["*"]).await;
    assert_eq!(
        server
            .ask(request("POST", "Host: anything.example\r\n", ""))
            .await
            .status,
        200
    );
    server.ask(request("POST", "", "")).await.is_refusal(400);
}

#[tokio::test]
async fn beyond_loopback_every_host_is_served_unless_some_are_listed() {
    let public = |hosts: &[&str]| HttpSettings {
        listen: vec!["0.0.0.0:0".parse().unwrap()],
        allowed_hosts: hosts.iter().map(|host| (*host).to_owned()).collect(),
        ..settings()
    };
    let server = Server::with(public(&[]), super::PATIENCE).await;
    let reach = |server: &Server| format!("127.0.0.1:{}", server.address().port());
    for (server, expected) in [
        (server, 200),
        (
            Server::with(public(&["mcp.example"]), super::PATIENCE).await,
            403,
        ),
    ] {
        let stream = tokio::net::TcpStream::connect(reach(&server))
            .await
            .unwrap();
        let mut client = super::Client::new(stream, "anything.example".into());
        client.post("", "x").await;
        assert_eq!(client.answer().await.status, expected);
        assert_eq!(
            server
                .ask(server.text(&request("POST", "Host: HOST\r\n", "")))
                .await
                .status,
            200,
            "its own loopback name"
        );
    }
}

#[tokio::test]
async fn only_loopback_origins_may_call_when_none_are_listed() {
    let server = Server::start().await;
    let cases = [
        ("http://localhost", 200),
        ("http://localhost:6274", 200),
        ("https://127.0.0.1:1", 200),
        ("HTTP://[::1]:3000", 200),
        ("app://localhost", 200),
        ("null", 403),
        ("http://evil.example", 403),
        ("http://localhost.evil.example", 403),
        ("http://evil.example:80/localhost", 403),
        ("http://localhost/", 403),
        ("http://user@localhost", 403),
        ("http://127.0.0.1.nip.io", 403),
        ("localhost", 403),
        ("://localhost", 403),
        ("file://", 403),
        ("http://localhost http://evil.example", 403),
        ("http://localhost, http://evil.example", 403),
    ];
    for (origin, status) in cases {
        let answer = server
            .ask(server.text(&request("POST", "Host: HOST\r\n", origin)))
            .await;
        assert_eq!(answer.status, status, "{origin}");
        let expected = (status == 200).then_some(origin);
        assert_eq!(answer.header("access-control-allow-origin"), expected);
    }
    let twice = server.text(&request(
        "POST",
        "Host: HOST\r\nOrigin: http://localhost\r\n",
        "http://localhost",
    ));
    server.ask(twice).await.is_refusal(403);
    let empty = server.text(&request("POST", "Host: HOST\r\nOrigin:\r\n", ""));
    server.ask(empty).await.is_refusal(403);
}

#[tokio::test]
async fn listed_origins_are_exact() {
    let server = with(
        &[
            "https://app.example.com",
            "https://b.example:443/",
            "http://c.example:8080",
        ],
        &[],
    )
    .await;
    let cases = [
        ("https://app.example.com", 200),
        ("https://APP.example.com", 200),
        ("https://b.example", 200),
        ("http://c.example:8080", 200),
        ("http://app.example.com", 403),
        ("https://app.example.com:8443", 403),
        ("https://app.example.com.evil.example", 403),
        ("http://localhost", 403),
        ("null", 403),
    ];
    for (origin, status) in cases {
        assert_eq!(
            server
                .ask(server.text(&request("POST", "Host: HOST\r\n", origin)))
                .await
                .status,
            status,
            "{origin}"
        );
    }
    let server = with(&["*"], &[]).await;
    for (origin, status) in [
        ("https://any.example", 200),
        ("null", 403),
        ("file://", 403),
    ] {
        assert_eq!(
            server
                .ask(server.text(&request("POST", "Host: HOST\r\n", origin)))
                .await
                .status,
            status,
            "{origin}"
        );
    }
}

#[tokio::test]
async fn a_preflight_is_answered_with_what_a_request_may_carry() {
    let server = Server::start().await;
    let text = "OPTIONS /mcp HTTP/1.1\r\nHost: HOST\r\nOrigin: http://localhost:6274\r\nAccess-Control-Request-Method: POST\r\n\
                Access-Control-Request-Headers: content-type,mcp-param-region,x-other\r\n\r\n";
    let answer = server.ask(server.text(text)).await;
    assert_eq!((answer.status, answer.text()), (204, ""));
    assert_eq!(
        answer.header("access-control-allow-origin"),
        Some("http://localhost:6274")
    );
    assert_eq!(answer.header("vary"), Some("Origin"));
    assert_eq!(
        answer.header("access-control-allow-methods"),
        Some("GET, POST, DELETE, OPTIONS")
    );
    assert_eq!(
        answer.header("access-control-allow-headers"),
        Some(
            "content-type, accept, authorization, mcp-protocol-version, mcp-session-id, last-event-id, mcp-method, mcp-name, mcp-param-region"
        )
    );
    let refused = server
        .ask(server.text(&text.replace("localhost:6274", "evil.example")))
        .await;
    refused.is_refusal(403);
    assert!(
        refused
            .headers
            .iter()
            .all(|(name, _)| !name.starts_with("access-control"))
    );
}

#[tokio::test]
async fn a_page_may_read_every_answer_errors_too() {
    let server = Server::start().await;
    let origin = "Origin: http://localhost:1\r\n";
    let mut answers = vec![
        server.post(origin, "x").await,
        server.post(origin, "note").await,
        server.post(origin, "status 404").await,
        server
            .post(&format!("{origin}Accept: text/html\r\n"), "x")
            .await,
        server
            .post(&format!("{origin}Accept: text/event-stream\r\n"), "x")
            .await,
    ];
    answers.push(
        server
            .ask(server.text(&format!("GET /mcp HTTP/1.1\r\nHost: HOST\r\n{origin}\r\n")))
            .await,
    );
    answers.push(
        server
            .ask(server.text(&format!("GET /x HTTP/1.1\r\nHost: HOST\r\n{origin}\r\n")))
            .await,
    );
    answers.push(server.ask(server.text(&format!("POST /mcp HTTP/1.1\r\nHost: HOST\r\n{origin}Content-Type: application/json\r\nContent-Length: 99999999\r\n\r\n"))).await);
    let statuses: Vec<_> = answers.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses, [200, 202, 404, 406, 200, 405, 404, 413]);
    for answer in answers {
        assert_eq!(
            answer.header("access-control-allow-origin"),
            Some("http://localhost:1")
        );
        assert_eq!(
            answer.header("access-control-expose-headers"),
            Some("Mcp-Session-Id, WWW-Authenticate")
        );
        assert_eq!(answer.header("vary"), Some("Origin"));
    }
    let without = server.post("", "x").await;
    assert!(
        without
            .headers
            .iter()
            .all(|(name, _)| name != "vary" && !name.starts_with("access-control"))
    );
}

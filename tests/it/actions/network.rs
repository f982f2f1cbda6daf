//! `http`: where a request may go, and how it ends. Requirements "Fetch reaches inside" and
//! "Credentials follow a redirect; status ignored".

use super::upstream::{Upstream, answer, ok, until_closed};
use super::{failure, result, serve, text};
use crate::support::{Project, call};
use serde_json::json;
use std::io::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

#[test]
fn a_host_from_the_caller_never_reaches_an_inner_address() {
    let upstream = Upstream::new(|_| ok("text/plain", "inside"));
    let port = upstream.port();
    let project = Project::with(&format!(
        r#"
        [[tool]]
        name = "host"
        arguments.host = {{ type = "string", required = true }}
        http = {{ url = "http://{{{{ args.host }}}}:{port}/", allow_hosts = ["*:{port}"] }}
        [[tool]]
        name = "whole"
        arguments.url = {{ type = "string", required = true }}
        http = {{ url = "{{{{ args.url | raw }}}}", allow_hosts = ["*:{port}", "*"] }}
        "#
    ))
    // A proxy would be a way around: there is none.
    .env("HTTP_PROXY", &upstream.url())
    .env("http_proxy", &upstream.url())
    .env("ALL_PROXY", &upstream.url());
    let daemon = project.serve();
    for host in [
        "127.0.0.1",
        "127.1",
        "127.0.0.1.",
        "0",
        "0.0.0.0",
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "127.0.0.1%2E",
        "１２７.0.0.1",
        "localhost",
        "LOCALHOST",
        "169.254.169.254",
        "10.0.0.1",
        "192.168.1.1",
        "100.100.100.200",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::]",
        "[fe80::1]",
        "[fd00:ec2::254]",
    ] {
        let said = failure(
            &daemon,
            "whole",
            json!({ "url": format!("http://{host}:{port}/") }),
        );
        assert!(
            said.ends_with(": address not allowed") || said.starts_with("cannot make `url`"),
            "{host}: {said}"
        );
        if !host.contains(['[', '%']) {
            let said = failure(&daemon, "host", json!({ "host": host }));
            assert!(said.ends_with(": address not allowed"), "{host}: {said}");
        }
    }
    for (url, expected) in [
        (
            "file:///etc/passwd",
            "only http and https URLs can be fetched",
        ),
        (
            "ftp://127.0.0.1/",
            "only http and https URLs can be fetched",
        ),
        (
            "gopher://127.0.0.1/",
            "only http and https URLs can be fetched",
        ),
        (
            "/etc/passwd",
            "cannot make `url`: relative URL without a base",
        ),
        ("http://", "cannot make `url`: empty host"),
    ] {
        assert_eq!(failure(&daemon, "whole", json!({ "url": url })), expected);
    }
    assert_eq!(upstream.accepted(), 0, "nothing was connected to");
}

#[test]
fn a_host_from_the_caller_is_one_of_those_allowed() {
    let upstream = Upstream::new(|request| ok("text/plain", request.target()));
    let port = upstream.port();
    let project = Project::with(&format!(
        r#"
        [[tool]]
        name = "exact"
        arguments.host = {{ type = "string", required = true }}
        http = {{ url = "http://{{{{ args.host }}}}:{port}/x", allow_hosts = ["127.0.0.1:{port}", "*.example.com:{port}"] }}
        [[tool]]
        name = "private"
        arguments.host = {{ type = "string", required = true }}
        http = {{ url = "http://{{{{ args.host }}}}:{port}/x", allow_hosts = ["*:{port}"], allow_private = true }}
        [[tool]]
        name = "other_port"
        arguments.port = {{ type = "integer", required = true }}
        http = {{ url = "http://127.0.0.1:{{{{ args.port }}}}/", allow_hosts = ["127.0.0.1:1"] }}
        [[tool]]
        name = "scheme"
        arguments.scheme = {{ type = "string", required = true }}
        http = {{ url = "{{{{ args.scheme }}}}://127.0.0.1:{port}/x", allow_hosts = ["127.0.0.1:{port}"] }}
        "#
    ));
    let daemon = project.serve();
    // An exact host and port is the operator's word.
    assert_eq!(text(&daemon, "exact", json!({ "host": "127.0.0.1" })), "/x");
    assert_eq!(text(&daemon, "exact", json!({ "host": "0x7f.1" })), "/x");
    assert_eq!(
        text(&daemon, "private", json!({ "host": "127.0.0.1" })),
        "/x"
    );
    assert_eq!(text(&daemon, "scheme", json!({ "scheme": "http" })), "/x");
    let before = upstream.accepted();
    for scheme in ["file", "http://evil.test/", "http:", "", "x y"] {
        failure(&daemon, "scheme", json!({ "scheme": scheme }));
    }
    for host in [
        "localhost",
        "127.0.0.2",
        "example.com",
        "example.com.evil.test",
    ] {
        let said = failure(&daemon, "exact", json!({ "host": host }));
        assert!(said.ends_with(": host not allowed"), "{host}: {said}");
    }
    // A value is one part of the URL, whatever it holds.
    for host in ["127.0.0.1@evil.test", "evil.test#", "evil.test/", "a b", ""] {
        let said = failure(&daemon, "exact", json!({ "host": host }));
        assert!(said.starts_with("cannot make `url`: "), "{host}: {said}");
    }
    let said = failure(&daemon, "other_port", json!({ "port": port }));
    assert!(said.ends_with(": host not allowed"), "{said}");
    assert_eq!(upstream.accepted(), before);
}

#[test]
fn a_host_that_is_not_literal_needs_a_list_when_loaded() {
    for (http, message) in [
        (
            r#"http.url = "https://{{ args.x }}/""#,
            "the URL's scheme and host must be literal text",
        ),
        (
            r#"http.url = "https://api.example.com{{ args.x | raw }}""#,
            "the URL's scheme and host must be literal text",
        ),
        (
            r#"http = { url = "{{ args.x }}", allow_hosts = ["*"] }"#,
            "a value is encoded as one part of a URL, so it cannot be a whole one",
        ),
        (
            r#"http.url = "ftp://example.com/""#,
            "`ftp://example.com` is not an HTTP address",
        ),
        (
            r#"http = { url = "https://{{ args.x }}/", allow_hosts = ["https://a.b/"] }"#,
            "`https://a.b/` is not a host",
        ),
    ] {
        let project = Project::with(&format!(
            "[[tool]]\nname = \"a\"\narguments.x = {{ type = \"string\" }}\n{http}\n"
        ));
        let checked = project.check(&[]);
        assert!(
            checked.stderr.contains(message),
            "{http}\n{}",
            checked.stderr
        );
        assert_eq!(checked.code, 1, "{http}");
    }
}

#[test]
fn defaults_name_the_address_once() {
    let upstream = Upstream::new(|request| ok("text/plain", request.target()));
    let project = Project::with(&format!(
        r#"
        [defaults.http]
        url = "{}/v1/"
        headers = {{ x-common = "a", x-both = "default" }}
        timeout_ms = 7000
        [[tool]]
        name = "slash"
        http.url = "/books?to=http://x"
        [[tool]]
        name = "plain"
        http.url = "books"
        [[tool]]
        name = "query"
        http.url = "?q=1"
        [[tool]]
        name = "none"
        http.headers = {{ x-both = "own" }}
        [[tool]]
        name = "absolute"
        http.url = "{}/other"
        "#,
        upstream.url(),
        upstream.url()
    ));
    let daemon = project.serve();
    for (tool, target) in [
        ("slash", "/v1/books?to=http://x"),
        ("plain", "/v1/books"),
        ("query", "/v1/?q=1"),
        ("none", "/v1/"),
        ("absolute", "/other"),
    ] {
        assert_eq!(text(&daemon, tool, json!({})), target);
        assert_eq!(upstream.last().header("x-common"), Some("a"));
        let both = if tool == "none" { "own" } else { "default" };
        assert_eq!(upstream.last().header("x-both"), Some(both));
    }
}

/// Two upstreams: the first sends every request on to the second.
fn redirecting(status: &'static str) -> (Upstream, Upstream) {
    let second = Upstream::new(|request| ok("text/plain", request.line.clone()));
    let to = format!("{}/there", second.url());
    let first = Upstream::new(move |_| answer(status, &[("Location", &to)], ""));
    (first, second)
}

/// A tool with every kind of credential.
fn with_credentials(first: &Upstream, more: &str) -> Project {
    Project::with(&format!(
        r#"
        [[tool]]
        name = "get"
        [tool.http]
        url = "{}/here"
        headers = {{ authorization = "Bearer literal", cookie = "a=b", x-key = "{{{{ secrets.key }}}}", x-plain = "stays" }}
        {more}
        "#,
        first.url().replace("://", "://user:pass@")
    ))
    .file("snodo.toml", "manifests = [\"manifests\"]\n[secrets]\nkey = { env = \"KEY\" }\n")
    .arg("--config")
    .arg("snodo.toml")
    .env("KEY", "s3cr3t-key")
}

#[test]
fn a_redirect_to_an_inner_address_is_refused_unless_allowed() {
    let (first, second) = redirecting("302 Found");
    let daemon = serve(with_credentials(&first, ""));
    assert_eq!(
        failure(&daemon, "get", json!({})),
        format!("{}: address not allowed", second.url())
    );
    assert_eq!(second.accepted(), 0, "nothing was connected to");
    // The manifest's own word opens it; the credentials stay behind.
    let daemon = serve(with_credentials(&first, "allow_private = true"));
    assert_eq!(text(&daemon, "get", json!({})), "GET /there HTTP/1.1");
    let sent = first.last();
    for (name, value) in [
        ("authorization", "Bearer literal"),
        ("cookie", "a=b"),
        ("x-key", "s3cr3t-key"),
    ] {
        assert_eq!(sent.header(name), Some(value));
        assert_eq!(second.last().header(name), None, "{name}");
    }
    assert_eq!(second.last().header("x-plain"), Some("stays"));
}

#[test]
fn redirects_are_counted_and_those_on_the_same_host_keep_credentials() {
    let upstream = Upstream::new(|request| match request.target() {
        "/here" => answer("307 Temporary Redirect", &[("Location", "/there")], ""),
        "/there" => ok("text/plain", request.header("x-key").unwrap_or("none")),
        target => {
            let next = format!("{target}x");
            answer("302 Found", &[("Location", &next)], "")
        }
    });
    let daemon = serve(with_credentials(&upstream, "redirects = 1"));
    assert_eq!(text(&daemon, "get", json!({})), "s3cr3t-key");
    let daemon = serve(with_credentials(&upstream, "redirects = 0"));
    assert_eq!(
        failure(&daemon, "get", json!({})),
        "the upstream answered 307 Temporary Redirect"
    );
    let endless = Project::with(&format!(
        "[[tool]]\nname = \"get\"\nhttp.url = \"{}/x\"\n",
        upstream.url()
    ));
    assert_eq!(
        failure(&endless.serve(), "get", json!({})),
        format!("{}: too many redirects: more than 5", upstream.url())
    );
}

#[test]
fn a_body_with_a_secret_is_not_redirected_to_another_host() {
    let (first, second) = redirecting("307 Temporary Redirect");
    let more = "allow_private = true\nmethod = \"POST\"\njson = { key = \"{{ secrets.key }}\" }";
    let daemon = serve(with_credentials(&first, more));
    let said = failure(&daemon, "get", json!({}));
    assert!(
        said.ends_with(": redirect to another host refused: the request body holds a secret"),
        "{said}"
    );
    assert_eq!(first.last().text(), "{\"key\":\"s3cr3t-key\"}");
    assert_eq!(second.accepted(), 0);
}

#[test]
fn what_may_be_repeated_is_tried_again_after_what_the_upstream_asks() {
    let count = AtomicUsize::new(0);
    let upstream = Upstream::new(move |_| match count.fetch_add(1, Ordering::SeqCst) % 3 {
        0 => answer("503 Service Unavailable", &[("Retry-After", "1")], ""),
        1 => answer("429 Too Many Requests", &[("Retry-After", "0")], ""),
        _ => ok("text/plain", "third"),
    });
    let project = Project::with(&format!(
        r#"
        [defaults.http]
        url = "{}"
        [[tool]]
        name = "three"
        http.retry = {{ attempts = 3, backoff_ms = 1 }}
        [[tool]]
        name = "post"
        http = {{ method = "POST", retry = {{ attempts = 3, backoff_ms = 1 }} }}
        [[tool]]
        name = "impatient"
        http = {{ retry = {{ attempts = 3 }}, timeout_ms = 500 }}
        [[tool]]
        name = "none"
        http = {{}}
        "#,
        upstream.url()
    ));
    let daemon = project.serve();
    let begun = std::time::Instant::now();
    assert_eq!(text(&daemon, "three", json!({})), "third");
    assert!(
        begun.elapsed() >= Duration::from_secs(1),
        "Retry-After is waited for"
    );
    assert_eq!(upstream.accepted(), 3);
    // 503: a POST is not repeated; a wait that would not end in time is not begun.
    assert!(failure(&daemon, "post", json!({})).starts_with("the upstream answered 503 "));
    assert_eq!(upstream.accepted(), 4);
    assert!(failure(&daemon, "none", json!({})).starts_with("the upstream answered 429 "));
    assert_eq!(text(&daemon, "none", json!({})), "third");
    assert!(failure(&daemon, "impatient", json!({})).starts_with("the upstream answered 503 "));
    assert_eq!(upstream.accepted(), 7);
}

#[test]
fn a_network_fault_is_a_tool_error_with_a_short_cause() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let refused = closed.local_addr().unwrap();
    drop(closed);
    let silent = Upstream::raw(|_, _| {});
    let garbage = Upstream::new(|_| b"what?\r\n\r\n".to_vec());
    let short = Upstream::new(|_| b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc".to_vec());
    for (url, cause) in [
        (format!("http://{refused}"), "connection refused"),
        (
            "http://name.invalid".to_owned(),
            "could not resolve the host",
        ),
        (silent.url(), "connection closed before the response"),
        (garbage.url(), "response is not valid HTTP"),
        (short.url(), "response ended early"),
        (garbage.url().replace("http", "https"), ""),
    ] {
        let project = Project::with(&format!(
            "[[tool]]\nname = \"get\"\nhttp.url = \"{}/path?key=in-the-query\"\n",
            url.replace("://", "://user:in-the-userinfo@")
        ));
        let said = failure(&project.serve(), "get", json!({}));
        assert!(said.starts_with(&format!("{url}: {cause}")), "{said}");
        assert!(said.len() < 120 && !said.contains("in-the"), "{said}");
    }
}

#[test]
fn an_upstream_that_never_answers_or_never_ends_is_left_at_the_timeout() {
    let (closed, ended) = channel();
    let upstream = Upstream::raw(move |request, stream| {
        if request.target() == "/drip" {
            let head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
            let _ = stream.write_all(head);
            while stream.write_all(b"1\r\nx\r\n").is_ok() {
                std::thread::park_timeout(Duration::from_millis(5));
            }
        } else {
            until_closed(stream);
        }
        let _ = closed.send(());
    });
    let project = Project::with(&format!(
        r#"
        [defaults.http]
        url = "{}"
        timeout_ms = 400
        [[tool]]
        name = "hang"
        http.url = "/hang"
        [[tool]]
        name = "drip"
        http.url = "/drip"
        "#,
        upstream.url()
    ));
    let daemon = project.serve();
    for tool in ["hang", "drip"] {
        assert_eq!(
            failure(&daemon, tool, json!({})),
            format!("{}: timed out after 400 ms", upstream.url())
        );
        ended.recv_timeout(crate::support::DEADLINE).unwrap();
    }
}

#[test]
fn a_caller_that_goes_away_closes_the_connection_to_the_upstream() {
    let (begun, began) = channel();
    let (closed, ended) = channel();
    let upstream = Upstream::raw(move |_, stream| {
        let _ = begun.send(());
        until_closed(stream);
        let _ = closed.send(());
    });
    let project = Project::with(&format!(
        "[[tool]]\nname = \"get\"\nhttp.url = \"{}\"\n",
        upstream.url()
    ));
    let wait = crate::support::DEADLINE;
    let daemon = project.serve();
    let mut connection = daemon.connect();
    connection.send_message(&call(1, "get", json!({})));
    began.recv_timeout(wait).unwrap();
    assert!(ended.try_recv().is_err());
    drop(connection);
    ended.recv_timeout(wait).unwrap();
    let mut stdio = project.stdio();
    stdio.send(&call(1, "get", json!({})));
    began.recv_timeout(wait).unwrap();
    stdio.send(&json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 }
    }));
    ended.recv_timeout(wait).unwrap();
    // It goes on serving, and says nothing more of what was cancelled.
    let listed = stdio.ask(&crate::support::list(2));
    assert_eq!(listed["id"], 2);
}

#[test]
fn calls_at_once_each_get_their_own_answer() {
    let upstream = Upstream::new(|request| ok("text/plain", request.target()));
    let project = Project::with(&format!(
        "[[tool]]\nname = \"get\"\narguments.n = {{ type = \"integer\" }}\nhttp.url = \"{}/{{{{ args.n }}}}\"\n",
        upstream.url()
    ));
    let daemon = project.serve();
    std::thread::scope(|scope| {
        let calls: Vec<_> = (0..50)
            .map(|n| {
                let daemon = &daemon;
                scope.spawn(move || result(daemon, "get", json!({ "n": n })))
            })
            .collect();
        for (n, call) in calls.into_iter().enumerate() {
            assert_eq!(call.join().unwrap()["content"][0]["text"], format!("/{n}"));
        }
    });
}

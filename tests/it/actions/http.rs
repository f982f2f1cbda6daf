//! `http`: what is sent.

use super::upstream::{Upstream, ok};
use super::{failure, result, text};
use crate::support::{Project, call};
use serde_json::{Value, json};

/// A project whose tools have this upstream as the base of their URLs.
fn project(upstream: &Upstream, tools: &str) -> Project {
    Project::with(&format!(
        "[defaults.http]\nurl = \"{}\"\n{tools}",
        upstream.url()
    ))
}

fn echo() -> Upstream {
    Upstream::new(|request| ok("text/plain", request.target()))
}

#[test]
fn values_are_encoded_for_where_they_stand_in_a_url() {
    let upstream = echo();
    let project = project(
        &upstream,
        r#"
        [[tool]]
        name = "get"
        arguments.id = { type = "string" }
        arguments.q = { type = "string", default = "" }
        http.url = "/books/{{ args.id }}/x?q={{ args.q }}&fixed=a%20b"
        [[tool]]
        name = "raw"
        arguments.path = { type = "string" }
        http.url = "/files/{{ args.path | raw }}"
        [[tool]]
        name = "lone"
        arguments.id = { type = "string", required = true }
        http.url = "{{ args.id }}"
        "#,
    );
    let daemon = project.serve();
    for (id, q, target) in [
        ("42", "", "/books/42/x?q=&fixed=a%20b"),
        (
            "a/b?c#d&e",
            "1&x=2#z",
            "/books/a%2Fb%3Fc%23d%26e/x?q=1%26x%3D2%23z&fixed=a%20b",
        ),
        (
            "ü %2e",
            "a b+c",
            "/books/%C3%BC%20%252e/x?q=a%20b%2Bc&fixed=a%20b",
        ),
        ("...", "..", "/books/.../x?q=..&fixed=a%20b"),
        ("\\\r\n\t", "", "/books/%5C%0D%0A%09/x?q=&fixed=a%20b"),
    ] {
        let arguments = json!({ "id": id, "q": q });
        assert_eq!(text(&daemon, "get", arguments), target);
    }
    let before = upstream.accepted();
    for id in [".", "..", ""] {
        // The empty segment is no step up; the dots are.
        let result = result(&daemon, "get", json!({ "id": id }));
        assert_eq!(result["isError"] == true, !id.is_empty(), "{result}");
    }
    assert_eq!(
        failure(&daemon, "get", json!({})),
        "cannot make `url`: `args.id` is undefined"
    );
    assert_eq!(
        failure(&daemon, "raw", json!({ "path": "a/../b" })),
        "cannot make `url`: its path would have a `.` or `..` segment"
    );
    assert_eq!(upstream.accepted(), before + 1);
    assert_eq!(
        text(&daemon, "raw", json!({ "path": "a/b.txt?v=1" })),
        "/files/a/b.txt?v=1"
    );
    assert_eq!(text(&daemon, "lone", json!({ "id": "a/b" })), "/a%2Fb");
    let checked = project.check(&[]);
    assert!(
        checked.stderr.contains("`| raw` puts a value into the URL"),
        "{}",
        checked.stderr
    );
}

#[test]
fn query_parameters_repeat_for_lists_and_disappear_when_absent() {
    let upstream = echo();
    let project = project(
        &upstream,
        r#"
        [[tool]]
        name = "get"
        arguments.q = { type = "string" }
        arguments.tags = { type = "array", items = "string" }
        arguments.page = { type = "integer" }
        arguments.ratio = { type = "number" }
        arguments.all = { type = "boolean" }
        http = { url = "/search?v=1", query = { q = "{{ args.q }}", tag = "{{ args.tags }}", page = "{{ args.page }}", ratio = "{{ args.ratio }}", all = "{{ args.all }}", fixed = 3 } }
        "#,
    );
    let daemon = project.serve();
    for (arguments, target) in [
        (json!({}), "/search?v=1&fixed=3"),
        (json!({ "q": "" }), "/search?v=1&q=&fixed=3"),
        (
            json!({ "q": "a&b=c d", "tags": ["x", "y&z"], "page": 30, "ratio": 30.0, "all": true }),
            "/search?v=1&q=a%26b%3Dc+d&tag=x&tag=y%26z&page=30&ratio=30&all=true&fixed=3",
        ),
        (
            json!({ "tags": [], "all": false }),
            "/search?v=1&all=false&fixed=3",
        ),
    ] {
        assert_eq!(text(&daemon, "get", arguments), target);
    }
}

#[test]
fn headers_are_sent_left_out_when_absent_and_cannot_be_split() {
    let upstream = echo();
    let project = project(
        &upstream,
        r#"
        [[tool]]
        name = "get"
        arguments.lang = { type = "string" }
        arguments.name = { type = "string" }
        [tool.http]
        headers = { accept-language = "{{ args.lang }}", x-name = "n={{ args.name or 'none' }}", user-agent = "mine", x-fixed = 7 }
        [[tool]]
        name = "defaults"
        http = {}
        "#,
    );
    let daemon = project.serve();
    text(&daemon, "get", json!({}));
    let request = upstream.last();
    assert_eq!(request.line, "GET / HTTP/1.1");
    assert_eq!(request.header("accept-language"), None);
    assert_eq!(request.header("x-name"), Some("n=none"));
    assert_eq!(request.header("user-agent"), Some("mine"));
    assert_eq!(request.header("x-fixed"), Some("7"));
    assert_eq!(
        request.header("host"),
        Some(&upstream.url()["http://".len()..])
    );
    text(&daemon, "get", json!({ "lang": "de", "name": "grün\t" }));
    assert_eq!(upstream.last().header("accept-language"), Some("de"));
    assert_eq!(upstream.last().header("x-name"), Some("n=grün"));
    let before = upstream.accepted();
    for value in ["a\r\nx-evil: 1", "a\nb", "a\rb", "a\0b"] {
        assert_eq!(
            failure(&daemon, "get", json!({ "lang": value })),
            "the header `accept-language` cannot be sent: its value holds a control character"
        );
    }
    assert_eq!(upstream.accepted(), before, "nothing was sent");
    text(&daemon, "defaults", json!({}));
    let agent = concat!("snodo/", env!("CARGO_PKG_VERSION"));
    assert_eq!(upstream.last().header("user-agent"), Some(agent));
    assert!(
        upstream
            .last()
            .header("accept-encoding")
            .unwrap()
            .contains("gzip")
    );
}

#[test]
fn bodies_are_json_forms_or_text() {
    let upstream = echo();
    let project = project(
        &upstream,
        r#"
        [[tool]]
        name = "json"
        arguments.name = { type = "string" }
        arguments.count = { type = "integer" }
        arguments.tags = { type = "array", items = "string" }
        [tool.http]
        method = "post"
        [tool.http.json]
        name = "{{ args.name }}"
        count = "{{ args.count }}"
        list = ["{{ args.tags }}", "n={{ args.count or 0 }}", true, 1.5]
        [[tool]]
        name = "form"
        arguments.name = { type = "string" }
        arguments.tags = { type = "array", items = "string" }
        http = { method = "PUT", form = { name = "{{ args.name }}", tag = "{{ args.tags }}", on = true } }
        [[tool]]
        name = "body"
        arguments.text = { type = "string" }
        http = { method = "PATCH", body = "{{ args.text }}" }
        [[tool]]
        name = "typed"
        http = { method = "POST", body = "<a/>", headers = { content-type = "application/xml" } }
        [[tool]]
        name = "delete"
        http = { method = "DELETE" }
        [[tool]]
        name = "whole"
        input_schema = { type = "object", properties = { value = {} } }
        http = { method = "POST", json = "{{ args.value }}" }
        "#,
    );
    let daemon = project.serve();
    let sent = |tool: &str, arguments: Value| {
        text(&daemon, tool, arguments);
        let request = upstream.last();
        let method = request.line.split(' ').next().unwrap().to_owned();
        let content_type = request.header("content-type").unwrap_or("none").to_owned();
        (method, content_type, request.text())
    };
    let expected = |method: &str, content_type: &str, body: &str| {
        (method.to_owned(), content_type.to_owned(), body.to_owned())
    };
    assert_eq!(
        sent(
            "json",
            json!({ "name": "a\"b", "count": 30, "tags": ["x"] })
        ),
        expected(
            "POST",
            "application/json",
            r#"{"name":"a\"b","count":30,"list":[["x"],"n=30",true,1.5]}"#
        )
    );
    assert_eq!(
        sent("json", json!({})),
        expected("POST", "application/json", r#"{"list":["n=0",true,1.5]}"#)
    );
    let form = "application/x-www-form-urlencoded";
    assert_eq!(
        sent("form", json!({ "name": "a&b=ü", "tags": ["x", "y"] })),
        expected("PUT", form, "name=a%26b%3D%C3%BC&tag=x&tag=y&on=true")
    );
    assert_eq!(sent("form", json!({})), expected("PUT", form, "on=true"));
    assert_eq!(
        sent("body", json!({ "text": "grün" })),
        expected("PATCH", "text/plain; charset=utf-8", "grün")
    );
    assert_eq!(sent("body", json!({})), expected("PATCH", "none", ""));
    assert_eq!(
        sent("typed", json!({})),
        expected("POST", "application/xml", "<a/>")
    );
    assert_eq!(sent("delete", json!({})), expected("DELETE", "none", ""));
    for value in [json!([1, "x"]), json!("text"), json!(null), json!(3)] {
        let body = value.to_string();
        assert_eq!(
            sent("whole", json!({ "value": value })),
            expected("POST", "application/json", &body)
        );
    }
}

#[test]
fn the_callers_trace_reaches_an_upstream() {
    let upstream = echo();
    let project = project(
        &upstream,
        "[[tool]]\nname = \"get\"\nhttp = {}\n[[tool]]\nname = \"own\"\nhttp.headers.traceparent = \"mine\"\n",
    );
    let daemon = project.serve();
    let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    for (tool, expected) in [("get", parent), ("own", "mine")] {
        let mut request = call(1, tool, json!({}));
        request["params"]["_meta"]["traceparent"] = parent.into();
        request["params"]["_meta"]["tracestate"] = "vendor=1".into();
        daemon.ask(&request);
        assert_eq!(upstream.last().header("traceparent"), Some(expected));
        assert_eq!(upstream.last().header("tracestate"), Some("vendor=1"));
    }
    text(&daemon, "get", json!({}));
    assert_eq!(upstream.last().header("traceparent"), None);
}

#[test]
fn a_status_without_a_name_and_a_type_that_is_none() {
    let upstream = Upstream::new(|request| match request.target() {
        "/status" => b"HTTP/1.1 600 X\r\nContent-Length: 2\r\n\r\nhi".to_vec(),
        "/empty" => ok("", "\0"),
        _ => ok("x", "\0"),
    });
    let project = project(
        &upstream,
        r#"
        [[tool]]
        name = "get"
        arguments.path = { type = "string" }
        http.url = "/{{ args.path }}"
        "#,
    );
    let daemon = project.serve();
    let told = failure(&daemon, "get", json!({ "path": "status" }));
    assert_eq!(told, "the upstream answered 600\nhi");
    for path in ["empty", "x"] {
        let result = result(&daemon, "get", json!({ "path": path }));
        let resource = &result["content"][0]["resource"];
        assert_eq!(resource["mimeType"], "application/octet-stream", "{result}");
    }
}

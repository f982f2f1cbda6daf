//! `resources/read` of what a manifest says itself.

use super::{contents, not_found, read, served};
use crate::support::{Both, Project};
use serde_json::json;

#[test]
fn a_resource_holds_text_json_or_bytes() {
    let mut both = served(
        r##"
[[resource]]
uri = "docs://text"
name = "text"
result.text = "hi\u0001<&"

[[resource]]
uri = "docs://typed"
name = "typed"
mime_type = "text/markdown"
result.text = "# hi"

[[resource]]
uri = "docs://json"
name = "json"
result.json = { groups = ["web", "data"], count = 2 }

[[resource]]
uri = "docs://blob"
name = "blob"
mime_type = "image/png"
result.blob = "aGk="
"##,
    );
    for (uri, expected) in [
        (
            "docs://text",
            json!([{ "uri": "docs://text", "text": "hi\u{1}<&" }]),
        ),
        (
            "docs://typed",
            json!([{ "uri": "docs://typed", "mimeType": "text/markdown", "text": "# hi" }]),
        ),
        (
            "docs://json",
            json!([{ "uri": "docs://json", "mimeType": "application/json",
                     "text": "{\"groups\":[\"web\",\"data\"],\"count\":2}" }]),
        ),
        (
            "docs://blob",
            json!([{ "uri": "docs://blob", "mimeType": "image/png", "blob": "aGk=" }]),
        ),
    ] {
        assert_eq!(contents(&mut both, uri), expected);
    }
    both.finish();
}

#[test]
fn several_contents_have_uris_and_types_of_their_own() {
    let project = Project::with(
        r#"
[[resource]]
uri = "docs://all"
name = "all"
mime_type = "text/plain"
[resource.result]
metadata = { "com.example/n" = 1 }
contents = [
    { text = "a" },
    { uri = "docs://b", mime_type = "text/html", text = "b" },
    { json = [1, 2], mime_type = "application/json" },
    { blob = "aGk=", metadata = { "com.example/from" = "{{ params.uri }}" } },
    { file = "../logo.svg" },
    { file = "../bytes" },
]
"#,
    )
    .file("logo.svg", "<svg/>")
    .file("bytes", [0xff, 0x00]);
    let mut both = Both::of(project);
    let answer = both.ask(&read("docs://all"));
    let all = "docs://all";
    let expected = json!([
        { "uri": all, "mimeType": "text/plain", "text": "a" },
        { "uri": "docs://b", "mimeType": "text/html", "text": "b" },
        { "uri": all, "mimeType": "application/json", "text": "[1,2]" },
        { "uri": all, "mimeType": "text/plain", "blob": "aGk=", "_meta": { "com.example/from": all } },
        { "uri": all, "mimeType": "image/svg+xml", "text": "<svg/>" },
        { "uri": all, "mimeType": "text/plain", "blob": "/wA=" },
    ]);
    assert_eq!(answer["result"]["contents"], expected);
    assert_eq!(answer["result"]["resultType"], "complete");
    assert_eq!(answer["result"]["_meta"]["com.example/n"], 1);
    assert!(answer["result"]["_meta"]["io.modelcontextprotocol/serverInfo"].is_object());
}

#[test]
fn a_templates_variables_and_the_uri_are_params() {
    let mut both = served(
        r#"
[[resource]]
uri_template = "hex://{name}{/version}"
name = "package"
result.text = "{{ params.name }} {{ params.version or 'latest' }} of {{ params.uri }}"

[[resource]]
uri = "hex://all/of/them"
name = "uri"
result.json = { uri = "{{ params.uri }}" }
"#,
    );
    let text = |contents: serde_json::Value| contents[0]["text"].clone();
    for (uri, expected) in [
        ("hex://jason", "jason latest of hex://jason"),
        ("HEX://jason/1.4.0", "jason 1.4.0 of HEX://jason/1.4.0"),
        (
            "hex://a%2Fb%20%C3%BC",
            "a/b ü latest of hex://a%2Fb%20%C3%BC",
        ),
        // The very URI that was asked for, whatever its case.
        ("HEX://ALL/of/them", "{\"uri\":\"HEX://ALL/of/them\"}"),
    ] {
        assert_eq!(text(contents(&mut both, uri)), expected, "{uri}");
        let answer = both.ask(&read(uri));
        assert_eq!(answer["result"]["contents"][0]["uri"], uri);
    }
}

#[test]
fn query_parameters_may_be_absent_or_in_any_order() {
    let mut both = served(
        r#"
[[resource]]
uri_template = "search://{index}{?q,lang}"
name = "search"
result.json = { index = "{{ params.index }}", q = "{{ params.q }}", lang = "{{ params.lang }}" }
"#,
    );
    for (uri, expected) in [
        ("search://hex", r#"{"index":"hex"}"#),
        (
            "search://hex?lang=en&q=a+b",
            r#"{"index":"hex","q":"a+b","lang":"en"}"#,
        ),
        ("search://hex?q=", r#"{"index":"hex","q":""}"#),
    ] {
        assert_eq!(contents(&mut both, uri)[0]["text"], expected, "{uri}");
    }
    for uri in [
        "search://hex?other=1",
        "search://hex?q=1&q=1",
        "search://hex?",
        "search://hex#a",
    ] {
        not_found(&mut both, uri);
    }
}

#[test]
fn what_is_not_there_is_never_an_empty_list() {
    let mut both = served(
        r#"
[[resource]]
uri_template = "a://{x}{/y}"
name = "a"
result.text = "{{ params.y }}"

[[resource]]
uri_template = "b://{x}"
name = "b"
[resource.result]
missing = "{{ params.x == 'gone' }}"
contents = [{ text = "here" }]

[[resource]]
uri = "c://nothing"
name = "c"
result.contents = []

[[resource]]
uri_template = "d://{x}"
name = "d"
[resource.result]
protocol_error = { when = "{{ params.x == 'odd' }}", code = 4000, message = "no {{ params.x }}", data = { x = 1 } }
text = "fine"
"#,
    );
    for uri in [
        "a://x",
        "b://gone",
        "c://nothing",
        "nowhere://x",
        "",
        "no uri",
        "a://x/y/z",
        "a://\u{0}",
        "a://ü",
    ] {
        not_found(&mut both, uri);
    }
    assert_eq!(contents(&mut both, "a://x/y")[0]["text"], "y");
    assert_eq!(contents(&mut both, "b://x")[0]["text"], "here");
    assert_eq!(contents(&mut both, "d://x")[0]["text"], "fine");
    let answer = both.ask(&read("d://odd"));
    let expected = json!({ "code": 4000, "message": "no odd", "data": { "x": 1 } });
    assert_eq!(answer["error"], expected);
}

#[test]
fn two_templates_that_match_refuse_the_read_and_an_exact_uri_does_not() {
    let mut both = served(
        r#"
[[resource]]
uri_template = "x://h/{+p}"
name = "one"
result.text = "one"

[[resource]]
uri_template = "x://h/docs{/page*}"
name = "two"
result.text = "two"

[[resource]]
uri = "x://h/docs/exact"
name = "three"
result.text = "three"
"#,
    );
    let answer = both.ask(&read("x://h/docs/intro"));
    let message = "Multiple resource routes matched the requested URI";
    assert_eq!(
        answer["error"],
        json!({ "code": -32603, "message": message })
    );
    assert_eq!(contents(&mut both, "x://h/other")[0]["text"], "one");
    assert_eq!(contents(&mut both, "X://H/docs/exact")[0]["text"], "three");
}

#[test]
fn a_read_needs_a_uri_and_its_header() {
    let mut both = served("[[resource]]\nuri = \"a://b\"\nname = \"b\"\nresult.text = \"x\"\n");
    for params in [json!({}), json!({ "uri": 1 }), json!({ "uri": null })] {
        let request = crate::support::modern(1, "resources/read", params);
        let answer = both.stdio.ask(&request);
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
    let request = read("a://b");
    let body = request.to_string();
    let version = ("mcp-protocol-version", "2026-07-28");
    let method = ("mcp-method", "resources/read");
    for (headers, status) in [
        (vec![version, method, ("mcp-name", "a://b")], 200),
        (
            vec![version, method, ("mcp-name", "=?base64?YTovL2I=?=")],
            200,
        ),
        (vec![version, method, ("mcp-name", "a://c")], 400),
        (vec![version, method], 400),
    ] {
        let reply = both.daemon.connect().post_with(&headers, body.as_bytes());
        assert_eq!(reply.status, status, "{headers:?}");
    }
}

#[test]
fn how_long_and_for_whom_it_may_be_kept_is_told() {
    let project = Project::with(
        r#"
[[resource]]
uri = "a://server"
name = "server"
result.text = "x"

[[resource]]
uri = "a://own"
name = "own"
cache = { ttl_ms = 5 }
result.text = "x"

[[resource]]
uri = "a://mine"
name = "mine"
cache = { scope = "private" }
result.text = "x"

[[resource]]
uri = "a://caller"
name = "caller"
result.text = "{{ client.name or 'nobody' }}"
"#,
    )
    .set("server.cache.resources={ ttl_ms = 60000, scope = \"public\" }");
    let mut both = Both::of(project);
    for (uri, ttl, scope) in [
        ("a://server", 60000, "public"),
        ("a://own", 5, "public"),
        ("a://mine", 60000, "private"),
        // It differs by caller, whatever the server says of resources.
        ("a://caller", 60000, "private"),
    ] {
        let result = both.ask(&read(uri))["result"].clone();
        assert_eq!(result["ttlMs"], ttl, "{uri}");
        assert_eq!(result["cacheScope"], scope, "{uri}");
    }
}

#[test]
fn a_uri_as_large_as_a_message_makes_a_small_error() {
    let mut both = served(
        "[[resource]]\nuri_template = \"a://{+b}\"\nname = \"b\"\nresult.text = \"x\"\n"
            .replace("a://{+b}", "a://h/{+b}")
            .as_str(),
    );
    let long = format!("b://{}", "%2F/".repeat(100_000));
    let answer = both.stdio.ask(&read(&long));
    assert_eq!(answer["error"]["code"], -32602);
    assert!(answer.to_string().len() < 10_000);
    let long = format!("a://h/{}", "x".repeat(100_000));
    assert_eq!(
        both.stdio.ask(&read(&long))["result"]["contents"][0]["text"],
        "x"
    );
}

#[test]
fn what_differs_by_caller_is_never_for_all() {
    const FROM_DEFAULTS: &str = "[defaults.shell]\nenv = { WHO = \"{{ client.name }}\" }\n";
    let own = "shell = { command = [\"echo\", \"{{ client.name }}\"] }";
    for (defaults, action) in [
        ("", own),
        (FROM_DEFAULTS, "shell = { command = [\"env\"] }"),
    ] {
        let resource = "[[resource]]\nuri = \"a://a\"\nname = \"a\"\n";
        let public = "cache = { scope = \"public\" }";
        let said = Project::with(&format!("{defaults}{resource}{public}\n{action}\n")).check(&[]);
        assert!(
            said.stderr.contains("what is read depends on the caller"),
            "{}",
            said.stderr
        );
        let served = Project::with(&format!("{defaults}{resource}{action}\n"))
            .set("server.cache.resources={ scope = \"public\" }");
        let mut both = Both::of(served);
        let result = both.ask(&read("a://a"))["result"].clone();
        assert_eq!(result["cacheScope"], "private", "{defaults}{action}");
        both.finish();
    }
    // An action that inherits nothing of the kind is for all.
    let said = Project::with(&format!(
        "{FROM_DEFAULTS}[[resource]]\nuri = \"a://a\"\nname = \"a\"\ncache = {{ scope = \"public\" }}\nresult.text = \"x\"\n"
    ))
    .check(&[]);
    assert!(
        !said.stderr.contains("depends on the caller"),
        "{}",
        said.stderr
    );
}

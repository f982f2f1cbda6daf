//! Arguments that are mirrored into HTTP headers.

use super::refused;
use crate::support::{Project, Reply, call, list, text_of};
use serde_json::{Value, json};

const TOOL: &str = r#"
[[tool]]
name = "query"
result.text = "called"
arguments.region = { type = "string", header = "Region" }
arguments.count = { type = "integer", header = "Count" }
arguments.dry = { type = "boolean", header = "Dry-Run" }
arguments.plain = { type = "string" }
arguments.where = { type = "object", arguments.tenant = { type = "string", header = "Tenant" } }
"#;

#[test]
fn a_mirrored_argument_and_its_header_must_agree() {
    let project = Project::with(TOOL);
    let daemon = project.serve();
    let post = |arguments: &Value, headers: &[(&str, &str)]| -> Reply {
        let message = call("an id", "query", arguments.clone());
        let mut all = vec![
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", "tools/call"),
            ("mcp-name", "query"),
        ];
        all.extend(headers);
        daemon
            .connect()
            .post_with(&all, message.to_string().as_bytes())
    };
    for (arguments, headers) in [
        (json!({}), &[][..]),
        (json!({ "plain": "x" }), &[("mcp-param-plain", "anything")]),
        (
            json!({ "region": "us-west1" }),
            &[("Mcp-Param-Region", "us-west1")],
        ),
        (
            json!({ "region": "us-west1" }),
            &[("mcp-param-REGION", "=?base64?dXMtd2VzdDE=?=")],
        ),
        (
            json!({ "region": "Hello, 世界" }),
            &[("mcp-param-region", "=?base64?SGVsbG8sIOS4lueVjA==?=")],
        ),
        (
            json!({ "region": " padded " }),
            &[("mcp-param-region", "=?base64?IHBhZGRlZCA=?=")],
        ),
        (
            json!({ "region": "=?base64?literal?=" }),
            &[("mcp-param-region", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=")],
        ),
        (json!({ "region": "" }), &[("mcp-param-region", "")]),
        (json!({ "count": 42 }), &[("mcp-param-count", "42")]),
        (json!({ "count": 42 }), &[("mcp-param-count", "42.0")]),
        (json!({ "count": -7 }), &[("mcp-param-count", "-7")]),
        (json!({ "dry": false }), &[("mcp-param-dry-run", "false")]),
        (
            json!({ "where": { "tenant": "a" } }),
            &[("mcp-param-tenant", "a")],
        ),
        (json!({ "where": {} }), &[]),
    ] {
        let reply = post(&arguments, headers);
        assert_eq!(
            reply.status,
            200,
            "{arguments} {headers:?}: {}",
            reply.text()
        );
        assert_eq!(text_of(&reply.json()), "called", "{arguments} {headers:?}");
    }
    for (arguments, headers) in [
        (json!({ "region": "us" }), &[][..]),
        (json!({ "region": "us" }), &[("mcp-param-region", "eu")]),
        (json!({ "region": "us" }), &[("mcp-param-region", "US")]),
        (
            json!({ "region": "us" }),
            &[("mcp-param-region", "us"), ("mcp-param-region", "us")],
        ),
        (
            json!({ "region": "us" }),
            &[("mcp-param-region", "=?base64?!?=")],
        ),
        (
            json!({ "region": "us" }),
            &[("mcp-param-region", "=?base64?/w==?=")],
        ),
        // A header that routes by what the body does not say.
        (json!({}), &[("mcp-param-region", "us")]),
        (json!({ "region": null }), &[("mcp-param-region", "null")]),
        (json!({ "region": ["us"] }), &[("mcp-param-region", "us")]),
        (json!({ "count": 42 }), &[("mcp-param-count", "43")]),
        (json!({ "count": 42 }), &[("mcp-param-count", "forty-two")]),
        (json!({ "dry": true }), &[("mcp-param-dry-run", "TRUE")]),
        (json!({ "where": { "tenant": "a" } }), &[]),
        (
            json!({ "where": { "tenant": "a" } }),
            &[("mcp-param-tenant", "b")],
        ),
    ] {
        let reply = post(&arguments, headers);
        let body = reply.json();
        assert_eq!(reply.status, 400, "{arguments} {headers:?}: {body}");
        assert_eq!(body["error"]["code"], -32020, "{body}");
        assert_eq!(body["id"], "an id", "{body}");
    }
    // Arguments of the wrong type are the tool's error; one that no header can hold needs none.
    for (arguments, headers) in [
        (json!({ "count": "x" }), &[("mcp-param-count", "x")][..]),
        (json!({ "count": 1.5 }), &[("mcp-param-count", "1.5")]),
        (json!({ "region": ["us"] }), &[]),
        (json!({ "region": null }), &[]),
    ] {
        let reply = post(&arguments, headers);
        assert_eq!(
            (reply.status, &reply.json()["result"]["isError"]),
            (200, &json!(true))
        );
    }
}

#[test]
fn a_stream_has_no_headers_to_compare() {
    let project = Project::with(TOOL);
    let mut stdio = project.stdio();
    let answer = stdio.ask(&call(1, "query", json!({ "region": "us", "count": 1 })));
    assert_eq!(text_of(&answer), "called");
}

#[test]
fn the_annotation_is_shown_where_the_protocol_looks_for_it() {
    let project = Project::with(TOOL);
    let mut stdio = project.stdio();
    let tools = stdio.ask(&list(1))["result"]["tools"].clone();
    let properties = &tools[0]["inputSchema"]["properties"];
    assert_eq!(
        properties["region"],
        json!({ "type": "string", "x-mcp-header": "Region" })
    );
    assert_eq!(
        properties["where"]["properties"]["tenant"]["x-mcp-header"],
        "Tenant"
    );
}

#[test]
fn what_clients_would_drop_a_tool_for_is_refused_when_loaded() {
    for argument in [
        r#"{ type = "string", header = "" }"#,
        r#"{ type = "string", header = "a b" }"#,
        r#"{ type = "string", header = "a:b" }"#,
        r#"{ type = "number", header = "A" }"#,
        r#"{ type = "array", items = "string", header = "A" }"#,
        r#"{ type = "array", items = "object", arguments.x = { type = "string", header = "A" } }"#,
        r#"{ type = "string", header = "REGION" }"#,
    ] {
        let said = refused(&format!(
            "[[tool]]\nname = \"t\"\nresult.text = \"x\"\narguments.a = {{ type = \"string\", header = \"Region\" }}\narguments.b = {argument}\n"
        ));
        assert!(
            said.contains("header") && said.contains("a.toml:5:"),
            "{argument}: {said}"
        );
    }
}

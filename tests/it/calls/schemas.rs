//! JSON Schemas of manifests: what is served, what is refused when loaded, and that nothing is
//! ever fetched.

use super::{failure, refused, result, served};
use crate::support::{Both, Project, list, within};
use serde_json::{Value, json};
use std::net::TcpListener;

/// A tool with this raw input schema.
fn raw(schema: Value) -> String {
    format!(
        "[[tool]]\nname = \"t\"\ninput_schema = '{schema}'\nresult.structured = \"{{{{ args }}}}\"\n"
    )
}

fn listed(both: &mut Both) -> Value {
    both.ask(&list(1))["result"]["tools"][0].clone()
}

#[test]
fn generated_schemas_name_no_dialect_and_are_objects() {
    let mut both = served(
        r#"
        [[tool]]
        name = "bare"
        result.text = "x"

        [[tool]]
        name = "full"
        additional_properties = false
        result.structured = { n = 1 }
        returns.n = { type = "integer", required = true }
        [tool.arguments.q]
        type = "string"
        title = "Query"
        description = "Words"
        required = true
        min_length = 1
        "#,
    );
    let tools = both.ask(&list(1))["result"]["tools"].clone();
    assert_eq!(
        tools,
        json!([
            { "name": "bare", "inputSchema": { "type": "object", "properties": {} } },
            {
                "name": "full",
                "inputSchema": {
                    "type": "object",
                    "properties": { "q": {
                        "type": "string", "title": "Query", "description": "Words", "minLength": 1
                    } },
                    "required": ["q"],
                    "additionalProperties": false,
                },
                "outputSchema": {
                    "type": "object",
                    "properties": { "n": { "type": "integer" } },
                    "required": ["n"],
                },
            },
        ])
    );
}

#[test]
fn a_raw_schema_is_shown_as_it_was_written() {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": { "z": { "$ref": "#/$defs/tree" }, "a": true },
        "$defs": { "tree": {
            "type": "object",
            "properties": { "next": { "$ref": "#/$defs/tree" }, "n": { "type": "integer" } },
            "additionalProperties": false,
        } },
        "x-own": [1, { "b": null }],
    });
    let mut both = served(&raw(schema.clone()));
    let shown = listed(&mut both)["inputSchema"].clone();
    assert_eq!(shown.to_string(), schema.to_string());
    // References inside the document work, recursive ones too.
    let tree = json!({ "z": { "next": { "next": { "n": 1 } } } });
    assert_eq!(
        result(&mut both, "t", tree.clone())["structuredContent"],
        tree
    );
    let said = failure(
        &mut both,
        "t",
        json!({ "z": { "next": { "next": { "n": "x" } } } }),
    );
    assert!(said.contains(" at /z/next/next/n:"), "{said}");
}

#[test]
fn draft_07_is_served_by_its_own_rules() {
    for uri in [
        "http://json-schema.org/draft-07/schema#",
        "http://json-schema.org/draft-07/schema",
        "https://json-schema.org/draft-07/schema#",
    ] {
        // `items` as a list, `definitions`, `dependencies`: draft-07 as it was.
        let schema = json!({
            "$schema": uri,
            "type": "object",
            "properties": { "pair": { "items": [{ "$ref": "#/definitions/n" }, { "type": "string" }] } },
            "dependencies": { "a": ["b"] },
            "definitions": { "n": { "type": "integer" } },
        });
        let mut both = served(&raw(schema.clone()));
        assert_eq!(listed(&mut both)["inputSchema"], schema);
        assert_eq!(
            result(&mut both, "t", json!({ "pair": [1, "x"] }))["isError"],
            false
        );
        failure(&mut both, "t", json!({ "pair": ["x", 1] }));
        failure(&mut both, "t", json!({ "a": 1 }));
    }
}

#[test]
fn another_dialect_is_refused_by_name() {
    for uri in [
        "http://json-schema.org/draft-04/schema#",
        "http://json-schema.org/draft-06/schema#",
        "https://json-schema.org/draft/2019-09/schema",
        "https://example.com/my-dialect",
    ] {
        let schema = json!({ "$schema": uri, "type": "object" });
        let said = refused(&raw(schema.clone()));
        assert!(
            said.contains(&format!("the dialect `{uri}` is not supported")),
            "{said}"
        );
        assert!(
            said.contains("a.toml:3:") && said.contains("in tool \"t\""),
            "{said}"
        );
        let manifest = format!(
            "[[tool]]\nname = \"t\"\noutput_schema = '{schema}'\nresult.structured = {{ a = 1 }}\n"
        );
        assert!(refused(&manifest).contains("is not supported"));
    }
}

#[test]
fn an_input_schema_is_of_type_object_at_its_root() {
    for schema in [
        json!({}),
        json!({ "properties": {} }),
        json!({ "type": "array" }),
        json!({ "type": ["object", "null"] }),
        json!({ "anyOf": [{ "type": "object" }] }),
    ] {
        let said = refused(&raw(schema.clone()));
        assert!(
            said.contains("`object`") || said.contains("`type: \"object\"`"),
            "{schema}: {said}"
        );
    }
    for schema in ["true", "[]", "null", "5"] {
        let manifest =
            format!("[[tool]]\nname = \"t\"\ninput_schema = '{schema}'\nresult.text = \"x\"\n");
        assert!(refused(&manifest).contains("a schema must be an object"));
    }
}

#[test]
fn a_schema_that_breaks_its_own_dialect_is_refused() {
    for (schema, place) in [
        (
            json!({ "type": "object", "properties": { "a": { "type": "strnig" } } }),
            "/properties/a/type",
        ),
        (json!({ "type": "object", "required": "a" }), "/required"),
        (
            json!({ "type": "object", "properties": { "a": { "minLength": -1 } } }),
            "/properties/a/minLength",
        ),
    ] {
        let said = refused(&raw(schema));
        assert!(said.contains(place), "{said}");
    }
}

#[test]
fn a_pattern_that_no_engine_takes_is_refused_and_the_last_good_set_stays() {
    let good = raw(json!({ "type": "object", "properties": { "a": { "pattern": "^(?!x)y" } } }));
    let bad = raw(json!({ "type": "object", "properties": { "a": { "pattern": "(unclosed" } } }));
    let said = refused(&bad);
    assert!(
        said.contains("/properties/a/pattern") && said.contains("in tool \"t\""),
        "{said}"
    );
    // Look-around works, on the engine that is bounded.
    let mut both = served(&good);
    assert_eq!(
        result(&mut both, "t", json!({ "a": "y" }))["isError"],
        false
    );
    failure(&mut both, "t", json!({ "a": "xy" }));
    both.project.write("manifests/a.toml", bad);
    within("both say what is wrong", || {
        let said = |log: String| log.contains("/properties/a/pattern");
        (said(both.stdio.stderr()) && said(both.daemon.stderr())).then_some(())
    });
    failure(&mut both, "t", json!({ "a": "xy" }));
    assert_eq!(
        result(&mut both, "t", json!({ "a": "y" }))["isError"],
        false
    );
}

#[test]
fn a_reference_out_of_the_document_is_refused_and_nothing_is_fetched() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let project = Project::new();
    // A pipe that nobody writes to: who opens it to read waits for ever.
    let pipe = crate::support::Fifo::make(project.path().join("schema.json"));
    let uris = [
        format!("http://127.0.0.1:{port}/schema.json"),
        format!("https://127.0.0.1:{port}/schema.json#/a"),
        format!("//127.0.0.1:{port}/schema.json"),
        format!("file://{}", pipe.path().display()),
        "../schema.json".to_owned(),
        "schema.json#/a".to_owned(),
        "urn:example:schema".to_owned(),
    ];
    for uri in &uris {
        for keyword in ["$ref", "$dynamicRef"] {
            let schema = json!({ "type": "object", "properties": { "a": { keyword: uri } } });
            project.write("manifests/a.toml", raw(schema));
            let checked = project.check(&[]);
            let said = checked.stdout + &checked.stderr;
            assert_eq!(checked.code, 1, "{uri}: {said}");
            assert!(
                said.contains("in tool \"t\"") && said.contains(keyword),
                "{uri}: {said}"
            );
        }
    }
    let nobody = listener.accept().unwrap_err();
    assert_eq!(nobody.kind(), std::io::ErrorKind::WouldBlock);
}

#[test]
fn a_reference_to_nothing_is_refused() {
    for target in ["#/$defs/none", "#none"] {
        let schema = json!({ "type": "object", "properties": { "a": { "$ref": target } } });
        let said = refused(&raw(schema));
        assert!(said.contains(target), "{said}");
    }
}

#[test]
fn depth_and_size_of_a_schema_are_bounded() {
    let level = r#"{"type":"object","properties":{"a":"#;
    let deep = format!("{}{{}}{}", level.repeat(2000), "}}".repeat(2000));
    refused(&format!(
        "[[tool]]\nname = \"t\"\ninput_schema = '{deep}'\nresult.text = \"x\"\n"
    ));
    let many: serde_json::Map<String, Value> = (0..200_000)
        .map(|n| (format!("p{n}"), json!({ "anyOf": [{}, {}] })))
        .collect();
    refused(&raw(json!({ "type": "object", "properties": many })));
}

//! The root, the dialect, the bounds, what comes of warnings.

use super::{compile, error, errors, full};
use crate::lang::schema::{Dialect, Engine, Root, Schema, SchemaErrorKind, Validation};
use serde_json::{Value, json};
use std::sync::Arc;

fn input(json: Value) -> Result<Schema, Vec<crate::lang::schema::SchemaError>> {
    Schema::compile(Arc::new(json), Root::Input, Validation::Full)
}

#[test]
fn an_input_schema_says_type_object() {
    assert!(input(json!({ "type": "object" })).is_ok());
    for (schema, pointer) in [
        (json!({}), ""),
        (json!({ "type": "string" }), "/type"),
        (json!({ "type": ["object"] }), "/type"),
        (
            json!({ "$ref": "#/$defs/a", "$defs": { "a": { "type": "object" } } }),
            "",
        ),
    ] {
        let errors = input(schema).unwrap_err();
        assert_eq!(errors.len(), 1);
        assert_eq!(errors[0].kind, SchemaErrorKind::Root);
        assert_eq!(errors[0].pointer, pointer);
    }
}

#[test]
fn an_output_schema_may_be_of_any_type_but_is_an_object() {
    full(json!({ "type": "array" }));
    for schema in [json!(true), json!(null), json!([]), json!("x")] {
        let (kind, pointer, message) = error(schema);
        assert_eq!(kind, SchemaErrorKind::Root);
        assert_eq!(
            (pointer.as_str(), message.as_str()),
            ("", "a schema must be an object")
        );
    }
}

#[test]
fn dialects_are_told_by_their_uri() {
    for uri in [
        "https://json-schema.org/draft/2020-12/schema",
        "https://json-schema.org/draft/2020-12/schema#",
        "http://json-schema.org/draft/2020-12/schema",
    ] {
        assert_eq!(
            full(json!({ "$schema": uri })).dialect(),
            Dialect::Draft202012
        );
    }
    for uri in [
        "http://json-schema.org/draft-07/schema#",
        "http://json-schema.org/draft-07/schema",
        "https://json-schema.org/draft-07/schema#",
        "https://json-schema.org/draft-07/schema",
    ] {
        assert_eq!(full(json!({ "$schema": uri })).dialect(), Dialect::Draft7);
    }
    assert_eq!(full(json!({})).dialect(), Dialect::Draft202012);
}

#[test]
fn other_dialects_are_refused_by_name() {
    for uri in [
        "https://json-schema.org/draft/2019-09/schema",
        "http://json-schema.org/draft-04/schema#",
        "http://json-schema.org/schema#",
        "https://example.com/my-dialect",
        "ftp://json-schema.org/draft-07/schema",
        "",
    ] {
        let (kind, pointer, message) = error(json!({ "$schema": uri, "type": 5 }));
        assert_eq!(kind, SchemaErrorKind::Dialect);
        assert_eq!(pointer, "/$schema");
        assert_eq!(message, format!("the dialect `{uri}` is not supported"));
    }
    let (kind, ..) = error(json!({ "$schema": 7 }));
    assert_eq!(kind, SchemaErrorKind::Dialect);
}

#[test]
fn one_document_is_of_one_dialect() {
    let (kind, pointer, _) = error(json!({
        "$defs": { "old": {
            "$id": "https://example.com/old",
            "$schema": "http://json-schema.org/draft-07/schema#",
        } },
    }));
    assert_eq!(kind, SchemaErrorKind::Dialect);
    assert_eq!(pointer, "/$defs/old/$schema");
    full(json!({ "$defs": { "same": {
        "$id": "https://example.com/same",
        "$schema": "https://json-schema.org/draft/2020-12/schema",
    } } }));
}

#[test]
fn items_differ_between_the_dialects() {
    let tuple = json!([{ "type": "string" }, { "type": "integer" }]);
    let old = full(json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "items": tuple,
        "additionalItems": false,
    }));
    let new = full(json!({ "prefixItems": tuple, "items": false }));
    for schema in [old, new] {
        assert!(schema.check(&json!(["a", 1])).is_ok());
        let violations = schema.check(&json!(["a", "b"])).unwrap_err();
        assert_eq!(violations.list()[0].location(), "/1");
        let violations = schema.check(&json!(["a", 1, 2])).unwrap_err();
        assert_eq!(violations.list()[0].location(), "/2");
    }
    // In draft-07 `prefixItems` is no keyword, in 2020-12 a list of items is none.
    let old = full(json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "prefixItems": tuple,
    }));
    assert!(old.check(&json!([1, 1])).is_ok());
    let errors = errors(json!({ "items": tuple }));
    assert_eq!(errors[0].kind, SchemaErrorKind::MetaSchema);
    assert_eq!(errors[0].pointer, "/items");
    assert_eq!(
        errors[0].help.as_deref(),
        Some("a schema for each place is `prefixItems` in 2020-12")
    );
}

#[test]
fn what_only_2020_12_asserts_is_not_told_in_draft_07() {
    for (schema, value, asserts) in [
        (
            json!({ "contains": { "type": "string" }, "minContains": 2 }),
            json!(["a"]),
            true,
        ),
        (
            json!({ "contains": { "type": "string" }, "maxContains": 1 }),
            json!(["a", "b"]),
            true,
        ),
        (
            json!({ "dependentRequired": { "a": ["b"] } }),
            json!({ "a": 1 }),
            true,
        ),
        (json!({ "contentEncoding": "base64" }), json!("***"), false),
        (
            json!({ "contentMediaType": "application/json" }),
            json!("{"),
            false,
        ),
    ] {
        for (dialect, is_asserted) in [
            ("https://json-schema.org/draft/2020-12/schema", asserts),
            ("http://json-schema.org/draft-07/schema#", !asserts),
        ] {
            let mut schema = schema.clone();
            schema["$schema"] = json!(dialect);
            let compiled = full(schema.clone());
            assert_eq!(compiled.check(&value).is_err(), is_asserted, "{schema}");
            let told = compiled.explain_for_tests(&value);
            assert_eq!(told.list().len(), usize::from(is_asserted), "{schema}");
            let told = compiled.explain_for_tests(&json!({}));
            assert!(told.list().is_empty(), "{schema}");
        }
    }
}

#[test]
fn siblings_of_a_reference_count_in_2020_12_only() {
    let schema = |dialect: &str| {
        full(json!({
            "$schema": dialect,
            "properties": { "a": { "$ref": "#/definitions/text", "maxLength": 2 } },
            "definitions": { "text": { "type": "string" } },
        }))
    };
    let old = schema("http://json-schema.org/draft-07/schema#");
    let new = schema("https://json-schema.org/draft/2020-12/schema");
    assert!(old.check(&json!({ "a": "long" })).is_ok());
    assert_eq!(
        super::text(&new, json!({ "a": "long" })),
        "Invalid arguments at /a: value is longer than 2 characters"
    );
}

#[test]
fn every_problem_is_reported_not_the_first_alone() {
    let found = errors(json!({
        "type": "object",
        "properties": {
            "a": { "type": "strin" },
            "b": { "minLength": -1 },
            "c": { "pattern": "(" },
            "d": { "$ref": "https://example.com/x.json" },
            "e": { "$ref": "#/$defs/none" },
            "f": { "$ref": "#/properties/f" },
        },
        "required": "a",
    }));
    let mut kinds: Vec<_> = found.iter().map(|e| (e.pointer.as_str(), e.kind)).collect();
    kinds.sort();
    assert_eq!(
        kinds,
        [
            ("/properties/a/type", SchemaErrorKind::MetaSchema),
            ("/properties/b/minLength", SchemaErrorKind::MetaSchema),
            ("/properties/c/pattern", SchemaErrorKind::Pattern),
            ("/properties/d/$ref", SchemaErrorKind::ExternalReference),
            ("/properties/e/$ref", SchemaErrorKind::DanglingReference),
            ("/properties/f/$ref", SchemaErrorKind::ReferenceCycle),
            ("/required", SchemaErrorKind::MetaSchema),
        ]
    );
}

#[test]
fn all_checks_are_made_whatever_the_validation() {
    for validation in [Validation::Full, Validation::Basic, Validation::None] {
        let errors = compile(json!({ "type": "strin", "pattern": "(" }), validation).unwrap_err();
        assert_eq!(errors.len(), 2);
    }
}

#[test]
fn the_root_list_of_required_is_always_checked() {
    for validation in [Validation::Full, Validation::Basic, Validation::None] {
        let schema = json!({
            "type": "object",
            "required": ["query", "page"],
            "properties": { "page": { "type": "integer" } },
        });
        let schema = Schema::compile(Arc::new(schema), Root::Input, validation).unwrap();
        let violations = schema.check(&json!({ "page": 1 })).unwrap_err();
        assert_eq!(violations.missing(), ["query"]);
        assert_eq!(
            violations.arguments_text(),
            "Missing required arguments: query"
        );
        assert!(schema.check(&json!({ "page": 1, "query": null })).is_ok());
        let other = schema.check(&json!({ "page": "x", "query": 1 }));
        assert_eq!(other.is_ok(), validation == Validation::None);
    }
}

#[test]
fn what_is_required_beside_a_reference_depends_on_the_dialect() {
    let draft7 = "http://json-schema.org/draft-07/schema#";
    let modern = "https://json-schema.org/draft/2020-12/schema";
    for (dialect, other, is_required) in [
        (draft7, "title", true),
        (draft7, "$ref", false),
        (modern, "title", true),
        (modern, "$ref", true),
    ] {
        let schema = json!({
            "$schema": dialect, "required": ["a"], other: "#/definitions/any", "definitions": { "any": {} },
        });
        for validation in [Validation::Full, Validation::Basic, Validation::None] {
            let schema = compile(schema.clone(), validation).unwrap();
            assert_eq!(schema.check(&json!({})).is_err(), is_required, "{other}");
            assert!(schema.check(&json!({ "a": 1 })).is_ok());
        }
    }
}

#[test]
fn a_finding_is_written_with_its_place() {
    let found = |json| errors(json)[0].to_string();
    assert_eq!(found(json!([])), "a schema must be an object");
    assert_eq!(
        found(json!({ "items": { "title": 5 } })),
        "at /items/title: `title` must be a string"
    );
}

#[test]
fn how_far_a_slip_may_go_depends_on_the_keyword() {
    let warned = |word: &str| !full(json!({ word: [] })).warnings().is_empty();
    for (word, is_slip) in [
        // Of `type`, `enum`: none but in case and underscores.
        ("typ", false),
        ("TYPE", true),
        // One letter of `items` and `format`, two of `minLength`.
        ("item", true),
        ("times", false),
        ("frmat", true),
        ("frmt", false),
        ("minLenth", true),
        ("minLeth", true),
        ("minLet", false),
        ("MIN_LENGTH", true),
        ("unknown", false),
        // Words of one's own, and those that are kept for keywords to come.
        ("xitems", false),
        ("$items", false),
    ] {
        assert_eq!(warned(word), is_slip, "{word}");
    }
    let padded = |count: usize| format!("min{}Length", "_".repeat(count));
    assert!(warned(&padded(31)));
    assert!(!warned(&padded(32)));
}

#[test]
fn a_plain_schema_is_compiled_by_its_first_value() {
    let is_built = |schema: &Schema| match &schema.engine {
        Engine::Full { validator, .. } => validator.get().is_some(),
        Engine::Basic(_) | Engine::None => false,
    };
    let plain =
        full(json!({ "properties": { "a": { "items": { "type": "string" } }, "b": true } }));
    assert!(!is_built(&plain));
    assert!(plain.check(&json!({ "a": ["x"] })).is_ok());
    assert!(is_built(&plain));
    // Others may be refused by the validator, which has to be known at once.
    assert!(is_built(&full(
        json!({ "properties": { "a": { "anyOf": [true] } } })
    )));
}

#[test]
fn debug_is_short_and_schemas_are_shared_by_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Schema>();
    shared::<crate::lang::schema::SchemaCache>();
    let schema = full(json!({ "enum": vec!["x"; 1000], "required": ["a"] }));
    assert!(format!("{schema:?}").len() < 200);
}

#[test]
fn misspelt_keywords_are_warned_of() {
    let schema = full(json!({
        "properties": {
            "a": { "minLenght": 1, "max_length": 2, "Pattern": "x", "x-min-length": 1, "note": "", "Enum": [] },
            "minLenght": { "type": "string" },
            "c": { "examples": [{ "minLenght": 1 }] },
        },
        "additionalproperties": false,
        "dependantRequired": {},
        "title": "t", "example": 1, "deprecated": true, "readOnly": true, "nullable": true,
    }));
    let mut found: Vec<_> = schema
        .warnings()
        .iter()
        .map(|w| {
            (
                w.kind,
                w.pointer.as_str(),
                w.help.as_deref().unwrap_or_default(),
            )
        })
        .collect();
    found.sort_unstable();
    let unknown = SchemaErrorKind::UnknownKeyword;
    assert_eq!(
        found,
        [
            (
                unknown,
                "/additionalproperties",
                "did you mean `additionalProperties`?"
            ),
            (
                unknown,
                "/dependantRequired",
                "did you mean `dependentRequired`?"
            ),
            (unknown, "/properties/a/Enum", "did you mean `enum`?"),
            (unknown, "/properties/a/Pattern", "did you mean `pattern`?"),
            (
                unknown,
                "/properties/a/max_length",
                "did you mean `maxLength`?"
            ),
            (
                unknown,
                "/properties/a/minLenght",
                "did you mean `minLength`?"
            ),
        ]
    );
}

#[test]
fn errors_come_before_warnings() {
    let mut properties: serde_json::Map<_, _> = (0..200)
        .map(|n| (format!("p{n}"), json!({ "pattern": "\\Aa" })))
        .collect();
    let schema = full(json!({ "properties": properties }));
    assert_eq!(schema.warnings().len(), 100);
    properties.insert("q".to_owned(), json!({ "pattern": "(" }));
    let errors = errors(json!({ "properties": properties }));
    assert_eq!(errors.len(), 100);
    assert_eq!(errors[0].pointer, "/properties/q/pattern");
    assert!(!errors[0].kind.is_warning());
}

#[test]
fn the_digest_is_of_the_text() {
    let digest = |json: Value| *full(json).digest();
    let schema = || json!({ "minimum": 1, "maximum": 2 });
    assert_eq!(digest(schema()), digest(schema()));
    assert_ne!(
        digest(schema()),
        digest(json!({ "maximum": 2, "minimum": 1 }))
    );
    assert_ne!(digest(schema()), digest(json!({ "minimum": 1 })));
}

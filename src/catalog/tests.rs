//! Schemas that no manifest writes, and words that would break a document.

use super::prose::{cell, code, prose};
use super::rows::rows;
use super::*;

#[test]
fn nested_values_have_dotted_paths_and_references_end() {
    let schema = json!({
        "type": "object", "required": ["tree"],
        "properties": {
            "tree": { "$ref": "#/$defs/node", "description": "The tree" },
            "size": { "anyOf": [{ "type": "integer", "minimum": 1 }, { "const": "all" }], "default": "all" },
            "list": { "type": "array", "minItems": 1, "items": { "enum": ["a", "b|c"] } },
        },
        "$defs": { "node": { "type": "object", "required": ["name"], "properties": {
            "name": { "type": "string", "maxLength": 9, "pattern": "^`" },
            "children": { "type": "array", "items": { "$ref": "#/$defs/node" } },
        } } },
    });
    let found = rows(&schema);
    assert!(found.partial);
    let shown: Vec<String> = found
        .rows
        .iter()
        .map(|row| {
            format!(
                "{} {} {} {:?} {}",
                row.path,
                row.kind,
                row.required,
                row.default,
                row.constraints.join("; ")
            )
        })
        .collect();
    assert_eq!(shown[0], "tree object true None ");
    assert_eq!(
        shown[1],
        "tree.name string true None at most 9 characters; matches `` ^` ``"
    );
    assert_eq!(shown[2], "tree.children array of object false None ");
    assert_eq!(
        shown[3],
        "tree.children[].name string true None at most 9 characters; matches `` ^` ``"
    );
    let size = shown.iter().find(|row| row.starts_with("size")).unwrap();
    assert_eq!(size, "size integer or string false Some(\"\\\"all\\\"\") ");
    let list = shown.last().unwrap();
    assert_eq!(
        list,
        "list array of string false None at least 1 item; each: one of `\"a\"`, `\"b|c\"`"
    );
    assert!(shown.len() < 30, "{shown:#?}");
    assert_eq!(found.rows[0].description.as_deref(), Some("The tree"));
}

#[test]
fn no_schema_takes_long_or_fails() {
    let circle = json!({ "properties": { "a": { "$ref": "#" }, "b": { "$ref": "#" }, "c": { "$ref": "#" } } });
    let found = rows(&circle);
    assert!(
        found.partial && found.rows.len() <= 500,
        "{}",
        found.rows.len()
    );
    let same = json!({ "properties": { "a": { "$ref": "#/properties/a" } } });
    assert_eq!(rows(&same).rows.len(), 1);
    for odd in [
        json!(null),
        json!(true),
        json!({ "properties": [1] }),
        json!({ "properties": { "a": 1 }, "required": 3 }),
    ] {
        rows(&odd);
    }
}

#[test]
fn words_of_a_server_stay_where_they_are() {
    for (text, expected) in [
        ("# a\n<b> `<c>` d", "**a**\n&lt;b> `<c>` d"),
        ("a\n---\nb", "a\n\\---\nb"),
        ("```sh\n# x <y>", "```sh\n# x <y>\n```"),
        ("```\n~~~\n```\n<", "```\n~~~\n```\n&lt;"),
    ] {
        assert_eq!(prose(text), expected, "{text:?}");
    }
    assert_eq!(cell("a | b\n\n# c"), "a \\| b<br>**c**");
    assert_eq!(code("a`b"), "``a`b``");
    assert_eq!(code("`"), "`` ` ``");
    assert_eq!(code("a\nb"), "`a b`");
}

#[test]
fn a_catalog_of_nothing_is_covered() {
    let catalog = Catalog::default();
    assert_eq!(coverage(&catalog).percent(), 100);
    assert!(markdown(&catalog).ends_with("| together | 0 | 0 (100 %) |\n"));
}

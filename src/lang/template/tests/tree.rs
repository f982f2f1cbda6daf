//! Values with templates in their strings.

use serde_json::{Value, json};

use super::super::{Scope, Tree};
use super::{some_args, template};

fn leaf(source: &str) -> Tree {
    Tree::template(template(source))
}

fn map(members: Vec<(&str, Tree)>) -> Tree {
    let members = members
        .into_iter()
        .map(|(name, tree)| (name.to_owned(), tree));
    Tree::map(members.collect()).expect("shallow")
}

#[test]
fn a_tree_renders_as_one_value() {
    let tree = map(vec![
        ("z", leaf("{{ args.page }}")),
        ("a", leaf("page {{ args.page }}")),
        (
            "list",
            Tree::list(vec![Tree::constant(json!(1)), leaf("{{ args.flag }}")]).expect("shallow"),
        ),
        ("fixed", leaf("text")),
    ]);
    let value = tree.value(&some_args()).expect("renders").expect("present");
    assert_eq!(
        value.to_string(),
        r#"{"z":3,"a":"page 3","list":[1,true],"fixed":"text"}"#
    );
    assert_eq!(tree.as_constant(), None);
    assert_eq!(tree.templates().len(), 3);
}

#[test]
fn what_is_absent_disappears_and_null_does_not() {
    let tree = map(vec![
        ("gone", leaf("{{ args.missing }}")),
        ("null", leaf("{{ args.nothing }}")),
        (
            "list",
            Tree::list(vec![leaf("{{ args.missing }}"), leaf("{{ args.page }}")]).expect("shallow"),
        ),
        ("inner", map(vec![("gone", leaf("{{ args.missing }}"))])),
    ]);
    let value = tree.value(&some_args()).expect("renders").expect("present");
    assert_eq!(value.to_string(), r#"{"null":null,"list":[3],"inner":{}}"#);
    assert_eq!(leaf("{{ args.missing }}").value(&some_args()), Ok(None));
}

#[test]
fn constants_are_folded() {
    let tree = map(vec![
        ("a", leaf("x{# note #}")),
        (
            "b",
            Tree::list(vec![
                Tree::constant(Value::Null),
                leaf("{{ 'not' }} folded"),
            ])
            .expect("shallow"),
        ),
        (
            "c",
            Tree::list(vec![Tree::constant(json!([1])), leaf("y")]).expect("shallow"),
        ),
    ]);
    assert_eq!(tree.templates().len(), 1);
    let constant = map(vec![
        ("a", leaf("x")),
        ("c", Tree::list(vec![leaf("y")]).expect("shallow")),
    ]);
    assert_eq!(
        constant.as_constant(),
        Some(&json!({ "a": "x", "c": ["y"] }))
    );
    assert_eq!(
        constant.value(&Scope::new()),
        Ok(Some(json!({ "a": "x", "c": ["y"] })))
    );
    assert_eq!(
        Tree::list(vec![]).expect("shallow").as_constant(),
        Some(&json!([]))
    );
}

#[test]
fn the_first_failure_is_the_tree_s() {
    let tree = map(vec![("a", leaf("x {{ args.missing }}"))]);
    let error = tree.value(&some_args()).expect_err("undefined");
    assert_eq!(error.to_string(), "`args.missing` is undefined");
}

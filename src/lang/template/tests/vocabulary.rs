//! The words of the language, listed and each tried once.

use serde_json::{Value, json};

use super::super::vocabulary::{FILTERS, FUNCTIONS, OPERATOR_TESTS, TESTS};
use super::{some_args, template, value};

/// Every filter with an example: an addition is a decision.
const FILTER_EXAMPLES: [(&str, &str, &str); 48] = [
    ("abs", "-3 | abs", "3"),
    ("b64decode", "'aMOp' | b64decode", r#""hé""#),
    ("b64encode", "'user:pass' | b64encode", r#""dXNlcjpwYXNz""#),
    ("batch", "[1, 2, 3] | batch(2, 0)", "[[1,2],[3,0]]"),
    ("bool", "[] | bool", "false"),
    ("capitalize", "'hELLO' | capitalize", r#""Hello""#),
    ("chain", "[1] | chain([2])", "[1,2]"),
    ("count", "[1, 2] | count", "2"),
    ("d", "args.missing | d(1)", "1"),
    ("default", "'' | default('x', true)", r#""x""#),
    (
        "dictsort",
        "{'b': 1, 'a': 2} | dictsort",
        r#"[["a",2],["b",1]]"#,
    ),
    ("first", "[1, 2] | first", "1"),
    ("float", "'1.5' | float", "1.5"),
    ("format", "'%s-%03d' | format('a', 7)", r#""a-007""#),
    (
        "fromjson",
        "'{\"a\":[1,2.5]}' | fromjson",
        r#"{"a":[1,2.5]}"#,
    ),
    ("groupby", "args.items | groupby('sku') | length", "2"),
    ("indent", "'a\\nb' | indent(2)", r#""a\n  b""#),
    ("int", "'42' | int", "42"),
    ("items", "{'a': 1} | items", r#"[["a",1]]"#),
    ("join", "[1, true, 30.0] | join('-')", r#""1-true-30""#),
    ("last", "[1, 2] | last", "2"),
    ("length", "'héé' | length", "3"),
    ("lines", "'a\\r\\nb\\n' | lines", r#"["a","b"]"#),
    ("list", "'ab' | list", r#"["a","b"]"#),
    ("lower", "'ÀB' | lower", r#""àb""#),
    ("map", "['a'] | map('upper')", r#"["A"]"#),
    ("max", "[1, 3, 2] | max", "3"),
    ("min", "[1, 3, 2] | min", "1"),
    ("raw", "30.0 | raw", r#""30""#),
    ("reject", "[1, 2, 3] | reject('odd')", "[2]"),
    (
        "rejectattr",
        "args.items | rejectattr('n', 'eq', 1) | map(attribute='sku')",
        r#"["b"]"#,
    ),
    ("replace", "'a.b.c' | replace('.', '/')", r#""a/b/c""#),
    ("reverse", "[1, 2] | reverse", "[2,1]"),
    ("round", "2.567 | round(1)", "2.6"),
    ("select", "[1, 2, 3] | select('>', 1)", "[2,3]"),
    (
        "selectattr",
        "args.items | selectattr('n', '==', 2) | map(attribute='sku')",
        r#"["b"]"#,
    ),
    ("slice", "[1, 2, 3] | slice(2)", "[[1,2],[3]]"),
    ("sort", "[2, 1] | sort(reverse=true)", "[2,1]"),
    ("split", "' a  b c ' | split", r#"["a","b","c"]"#),
    ("string", "[30.0, 1] | string", r#""[30.0,1]""#),
    ("sum", "[1, 2.5] | sum", "3.5"),
    ("title", "'hello world' | title", r#""Hello World""#),
    (
        "tojson",
        "{'b': [1, none], 'a': '<&'} | tojson",
        r#""{\"b\":[1,null],\"a\":\"<&\"}""#,
    ),
    ("trim", "'  a ' | trim", r#""a""#),
    ("unique", "[1, 2, 1] | unique", "[1,2]"),
    ("upper", "30.0 | upper", r#""30""#),
    ("urlencode", "'a b/é~' | urlencode", r#""a%20b%2F%C3%A9~""#),
    ("zip", "[1, 2] | zip(['a', 'b'])", r#"[[1,"a"],[2,"b"]]"#),
];

/// Every test with an example that is true.
const TEST_EXAMPLES: [(&str, &str); 31] = [
    ("boolean", "true is boolean"),
    ("defined", "args.page is defined"),
    ("divisibleby", "9 is divisibleby 3"),
    ("endingwith", "'abc' is endingwith 'c'"),
    ("eq", "1 is eq 1"),
    ("equalto", "1 is equalto(1)"),
    ("even", "2 is even"),
    ("false", "false is false"),
    ("float", "1.5 is float"),
    ("ge", "2 is ge 2"),
    ("greaterthan", "3 is greaterthan 2"),
    ("gt", "3 is gt 2"),
    ("in", "1 is in [1]"),
    ("int", "1 is int"),
    ("integer", "1 is integer"),
    ("iterable", "[] is iterable"),
    ("le", "2 is le 2"),
    ("lessthan", "1 is lessthan 2"),
    ("lower", "'a' is lower"),
    ("lt", "1 is lt 2"),
    ("mapping", "{} is mapping"),
    ("ne", "1 is ne 2"),
    ("none", "none is none"),
    ("number", "1.5 is number"),
    ("odd", "1 is odd"),
    ("sequence", "[] is sequence"),
    ("startingwith", "'abc' is startingwith 'a'"),
    ("string", "'' is string"),
    ("true", "true is true"),
    ("undefined", "args.missing is undefined"),
    ("upper", "'A' is upper"),
];

#[test]
fn every_filter_has_an_example_that_holds() {
    let scope = some_args();
    for (name, expression, expected) in FILTER_EXAMPLES {
        let source = format!("{{{{ {expression} }}}}");
        let value = value(&source, &scope).expect(expression);
        assert_eq!(value.to_string(), expected, "{name}");
    }
    let listed: Vec<_> = FILTERS.iter().map(|filter| filter.name).collect();
    assert_eq!(listed, FILTER_EXAMPLES.map(|(name, ..)| name));
}

#[test]
fn every_test_has_an_example_that_holds() {
    let scope = some_args();
    for (name, expression) in TEST_EXAMPLES {
        let source = format!("{{{{ {expression} }}}}");
        assert_eq!(value(&source, &scope), Some(Value::Bool(true)), "{name}");
    }
    assert_eq!(TESTS, TEST_EXAMPLES.map(|(name, _)| name));
}

#[test]
fn operators_are_tests_of_select() {
    for operator in OPERATOR_TESTS {
        template(&format!("{{{{ [1] | select('{operator}', 1) | list }}}}"));
    }
    assert_eq!(FUNCTIONS, ["dict", "range"]);
}

#[test]
fn the_words_of_the_module_s_documentation_are_those() {
    let documentation = include_str!("../mod.rs");
    for filter in FILTERS {
        assert!(
            documentation.contains(&format!("`{}`", filter.name)),
            "{}",
            filter.name
        );
    }
}

#[test]
fn filters_take_their_arguments() {
    let scope = some_args();
    for (expression, expected) in [
        ("'a,b,c' | split(',')", json!(["a", "b", "c"])),
        ("'a,b,c' | split(',', 1)", json!(["a", "b,c"])),
        ("'a,b,c' | split(',', 0)", json!(["a,b,c"])),
        ("'a,b,c' | split(',', -1)", json!(["a", "b", "c"])),
        ("' a  b  c ' | split(none, 1)", json!(["a", "b  c "])),
        ("' a  b  c ' | split(none, 9)", json!(["a", "b", "c"])),
        ("' a  b  c ' | split(none, 0)", json!(["a  b  c "])),
        ("'' | split", json!([])),
        ("'' | lines", json!([])),
        ("'aXbX' | trim('X')", json!("aXb")),
        ("'aaa' | replace('a', 'b', 2)", json!("bba")),
        (
            "{'a': [1]} | tojson(indent=2)",
            json!("{\n  \"a\": [\n    1\n  ]\n}"),
        ),
        ("{'a': 1} | tojson(2)", json!("{\n  \"a\": 1\n}")),
        ("[] | tojson(indent=2)", json!("[]")),
        ("[1] | tojson(indent=0)", json!("[1]")),
        ("[1] | tojson(indent=8)", json!("[\n        1\n]")),
        ("[1] | tojson(indent=9)", json!("[\n        1\n]")),
        ("range(3)", json!([0, 1, 2])),
        ("range(1, 3)", json!([1, 2])),
        ("range(0, 10, 4)", json!([0, 4, 8])),
        ("range(0, 8, 4)", json!([0, 4])),
        ("range(3, 0, -1)", json!([3, 2, 1])),
        ("range(10, 0, -4)", json!([10, 6, 2])),
        ("range(100000) | length", json!(100_000)),
        ("range(3, 0)", json!([])),
        ("range(0, 3, -1)", json!([])),
        ("range(-2)", json!([])),
        ("'n/a' | int(0)", json!(0)),
        ("args.missing | default('x') | upper", json!("X")),
        ("args.list | first | default('x')", json!(1)),
        ("[] | first | default('x')", json!("x")),
        ("[[1, 2], [3]] | map('first')", json!([1, 3])),
        (
            "['a b', 'c'] | map('urlencode') | join('&')",
            json!("a%20b&c"),
        ),
    ] {
        let source = format!("{{{{ {expression} }}}}");
        assert_eq!(value(&source, &scope), Some(expected), "{expression}");
    }
}

#[test]
fn filters_say_what_they_cannot_do() {
    let scope = some_args();
    for (expression, message) in [
        ("'{' | fromjson", "cannot be rendered: the text is not JSON"),
        (
            "'*' | b64decode",
            "cannot be rendered: the text is not base64 of UTF-8",
        ),
        (
            "'/w==' | b64decode",
            "cannot be rendered: the text is not base64 of UTF-8",
        ),
        (
            "range(0, 9, 0)",
            "cannot be rendered: a `range` with a step of 0 has no end",
        ),
        (
            "range(100001)",
            "cannot be rendered: a `range` has at most 100000 elements",
        ),
        ("'x' | int", "cannot be rendered: the text is not a number"),
        (
            "1 / 0",
            "cannot be rendered: a calculation has no result: a division by zero, or a number that is too large",
        ),
        (
            "[] + 1",
            "cannot be rendered: tried to use + operator on unsupported types iterable and number",
        ),
        (
            "1 | items",
            "cannot be rendered: cannot convert value into pairs",
        ),
        (
            "[1] | tojson(indnt=2)",
            "cannot be rendered: unknown keyword argument 'indnt'",
        ),
        (
            "'a' | replace",
            "cannot be rendered: an argument is missing",
        ),
        (
            "1 | abs(2)",
            "cannot be rendered: there are too many arguments",
        ),
        (
            "[1] | zip(1)",
            "cannot be rendered: the operation does not fit the value",
        ),
    ] {
        let source = format!("{{{{ {expression} }}}}");
        let error = template(&source)
            .value(&scope)
            .expect_err(expression)
            .to_string();
        let expected = format!("`{expression}` {message}");
        // The engine calls a literal list one or the other, depending on its folding.
        assert_eq!(error.replace("sequence and", "iterable and"), expected);
    }
}

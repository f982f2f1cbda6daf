//! Rule 4, encoded for where it stands: values in a URL.

use serde_json::json;

use super::super::{RenderErrorKind, Scope};
use super::{args, template};

fn url(source: &str, scope: &Scope) -> String {
    template(source).url(scope).expect(source).expect(source)
}

fn refused(source: &str, scope: &Scope) -> String {
    let error = template(source).url(scope).expect_err(source);
    assert_eq!(error.kind(), RenderErrorKind::Url, "{source}");
    error.to_string()
}

#[test]
fn each_value_is_encoded_once_wherever_it_stands() {
    let scope = args(json!({ "v": "a/b?c=d&e#f é%20+", "n": 30.0, "l": ["x", 1] }));
    let v = "a%2Fb%3Fc%3Dd%26e%23f%20%C3%A9%2520%2B";
    for (source, expected) in [
        (
            "https://a.example/x/{{ args.v }}/y",
            format!("https://a.example/x/{v}/y"),
        ),
        (
            "https://a.example/?q={{ args.v }}&n={{ args.n }}",
            format!("https://a.example/?q={v}&n=30"),
        ),
        (
            "/{{ args.v }}{% if true %}?q={{ args.v }}{% endif %}#{{ args.v }}",
            format!("/{v}?q={v}#{v}"),
        ),
        (
            "/{% for x in args.l %}{{ x }},{% endfor %}",
            "/x,1,".to_owned(),
        ),
        ("/{{ args.l }}", "/%5B%22x%22%2C1%5D".to_owned()),
        ("/{{ args.v | upper | lower }}", format!("/{v}")),
        ("/{{ 'a/b' }}/{{ args.n * 2 }}", "/a%2Fb/60".to_owned()),
        ("{{ args.v }}", v.to_owned()),
        ("{{ args.v ~ '' }}", v.to_owned()),
        (
            "/{% set x %}a/{{ args.v }}{% endset %}{{ x }}",
            format!("/a%2F{v}"),
        ),
        (
            "/{% filter upper %}a/{{ args.n }}{% endfilter %}",
            "/A%2F30".to_owned(),
        ),
        ("/a b{{ '' }}", "/a b".to_owned()),
    ] {
        assert_eq!(url(source, &scope), expected, "{source}");
    }
}

#[test]
fn what_the_author_wrote_stays_as_written() {
    let scope = Scope::new();
    assert_eq!(
        url("https://a.example/a b/../é?x=%zz", &scope),
        "https://a.example/a b/../é?x=%zz"
    );
    assert_eq!(url("/a b%2F{{ 1 }}?x=é", &scope), "/a b%2F1?x=é");
}

#[test]
fn raw_leaves_a_value_as_it_is() {
    let scope = args(json!({ "path": "a/b?c=1&d=%20", "n": 5, "host": "b.example:8080" }));
    for (source, expected) in [
        (
            "https://a.example/{{ args.path | raw }}",
            "https://a.example/a/b?c=1&d=%20",
        ),
        (
            "https://{{ args.host | raw }}/{{ args.n }}",
            "https://b.example:8080/5",
        ),
        ("{{ args.path | raw }}", "a/b?c=1&d=%20"),
        ("/{{ args.path | upper | raw }}", "/A/B?C=1&D=%20"),
        ("/{{ args.path | raw | string }}", "/a/b?c=1&d=%20"),
        (
            "/{% if true %}{{ args.path | raw }}{% endif %}",
            "/a/b?c=1&d=%20",
        ),
        ("/{{ args.n | raw }}", "/5"),
        // What is done to it afterwards is a value again.
        (
            "/{{ (args.path | raw) ~ '/' }}",
            "/a%2Fb%3Fc%3D1%26d%3D%2520%2F",
        ),
        (
            "/{% set x %}{{ args.path | raw }}{% endset %}{{ x }}",
            "/a%2Fb%3Fc%3D1%26d%3D%2520",
        ),
    ] {
        assert_eq!(url(source, &scope), expected, "{source}");
    }
    // In a text it changes nothing.
    assert_eq!(
        template("{{ args.path | raw }}!").text(&scope),
        Ok(Some("a/b?c=1&d=%20!".into()))
    );
}

#[test]
fn dot_segments_are_refused() {
    for (source, value) in [
        ("https://a.example/{{ args.v }}/x", ".."),
        ("https://a.example/{{ args.v }}/x", "."),
        ("https://a.example/x/{{ args.v }}", ".."),
        ("https://a.example/x/{{ args.v }}?q=1", ".."),
        ("https://a.example/x/{{ args.v }}#f", ".."),
        ("https://a.example/{{ args.v }}{{ args.v }}", "."),
        ("https://a.example/.{{ args.v }}/", "."),
        ("https://a.example/.{{ args.v }}/", ""),
        ("https://a.example/%2e{{ args.v }}/", "."),
        ("https://a.example/%2E{{ args.v }}/", ""),
        ("https://a.example\\{{ args.v }}\\x", ".."),
        ("https://a.example/{{ args.v }}\n/x", ".."),
        ("https://a.example/{{ args.v }}\n{{ args.v }}", "."),
        ("https://a.example/{{ args.v }} ", ".."),
        ("{{ args.v }}", ".."),
        ("{{ args.v ~ '' }}", ".."),
        ("{{ args.v }}/x", ".."),
        ("/x/{{ args.v }}", ".."),
        ("/x/{{ args.v | raw }}", "../../etc/passwd"),
        ("/x/{{ args.v | raw }}", "%2e%2E/y"),
        ("/x/{{ args.v | raw }}", ".\\..\\y"),
        ("/{% if true %}{{ args.v }}{% endif %}/x", ".."),
        ("/{% for x in ['.', args.v] %}{{ x }}{% endfor %}/x", "."),
    ] {
        let scope = args(json!({ "v": value }));
        let message = refused(source, &scope);
        assert!(
            message.ends_with("gives a `.` or `..` segment in the path of the URL"),
            "{message}"
        );
        assert!(!message.contains("etc/passwd"), "{message}");
    }
}

#[test]
fn dots_that_are_no_segment_are_fine() {
    for (source, value, expected) in [
        (
            "https://a.example/{{ args.v }}/x",
            "...",
            "https://a.example/.../x",
        ),
        (
            "https://a.example/{{ args.v }}",
            "v1..v2",
            "https://a.example/v1..v2",
        ),
        (
            "https://a.example/{{ args.v }}",
            ".git",
            "https://a.example/.git",
        ),
        (
            "https://a.example/x.{{ args.v }}",
            ".",
            "https://a.example/x..",
        ),
        // A host is no segment of a path.
        ("https://{{ args.v }}/x", "..", "https://../x"),
        (
            "https://a.example/?d={{ args.v }}",
            "..",
            "https://a.example/?d=..",
        ),
        (
            "https://a.example/#{{ args.v }}",
            "..",
            "https://a.example/#..",
        ),
        (
            "https://a.example?d=/{{ args.v }}/",
            "..",
            "https://a.example?d=/../",
        ),
        (
            "https://a.example/{{ args.v }}",
            "../..",
            "https://a.example/..%2F..",
        ),
        (
            "https://a.example/{{ args.v }}",
            "%2e%2e",
            "https://a.example/%252e%252e",
        ),
        (
            "https://a.example/{{ args.v }}/x",
            "",
            "https://a.example//x",
        ),
    ] {
        assert_eq!(
            url(source, &args(json!({ "v": value }))),
            expected,
            "{source}"
        );
    }
}

#[test]
fn raw_values_hold_no_control_characters_or_spaces() {
    for value in [
        "a\tb",
        ".\t.",
        "a\r\nHost: b",
        "a b",
        "a\0",
        "a\u{a0}b",
        "a\u{85}",
    ] {
        let scope = args(json!({ "v": value }));
        for source in [
            "/{{ args.v | raw }}",
            "/{{ args.v | string | raw }}",
            "{{ args.v | raw }}",
            "/{% if true %}{{ args.v | raw }}{% endif %}",
        ] {
            let message = refused(source, &scope);
            assert!(message.contains("through `raw`"), "{source}: {message}");
        }
    }
}

#[test]
fn an_undefined_part_is_an_error_and_a_lone_one_absent() {
    let scope = args(json!({}));
    let error = template("/x/{{ args.id }}")
        .url(&scope)
        .expect_err("undefined");
    assert_eq!(error.to_string(), "`args.id` is undefined");
    let error = template("/x/{{ args.id | raw }}")
        .url(&scope)
        .expect_err("undefined");
    assert_eq!(
        error.to_string(),
        "`args.id | raw` needs `args.id`, which is undefined"
    );
    assert_eq!(template("{{ args.id }}").url(&scope), Ok(None));
}

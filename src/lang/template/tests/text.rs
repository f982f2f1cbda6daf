//! Rule 1, native values, rule 2, absent means absent, and how values read as text.

use serde_json::{Number, Value, json};

use super::super::{RenderErrorKind, Scope, Template, text_of};
use super::{args, failure, shown, some_args, template, text, value};

#[test]
fn one_expression_keeps_the_type_of_its_value() {
    let scope = some_args();
    assert!(template("{{ args.page }}").is_native());
    assert!(template("{{ args.page + 1 }}").is_native());
    assert_eq!(value("{{ args.page }}", &scope), Some(json!(3)));
    assert_eq!(value("{{args.half}}", &scope), Some(json!(30.0)));
    assert_eq!(value("{{ args.flag }}", &scope), Some(json!(true)));
    assert_eq!(value("{{ args.nothing }}", &scope), Some(Value::Null));
    assert_eq!(
        value("{{ args.list }}", &scope),
        Some(json!([1, "two", 3.5]))
    );
    assert_eq!(value("{{- args.page -}}", &scope), Some(json!(3)));
    assert_eq!(value("{{ args.page + 1 }}", &scope), Some(json!(4)));
    assert_eq!(value("{{ args.list | first }}", &scope), Some(json!(1)));
    assert_eq!(
        value("{{ [args.page, 'x'] }}", &scope),
        Some(json!([3, "x"]))
    );
    let object = value("{{ {'b': args.page, 'a': none} }}", &scope);
    assert_eq!(
        object.expect("an object").to_string(),
        r#"{"b":3,"a":null}"#
    );
}

#[test]
fn anything_around_the_expression_makes_it_text() {
    let scope = some_args();
    for source in [
        " {{ args.page }}",
        "{{ args.page }} ",
        "{{ args.page }}\n",
        "{# note #}{{ args.page }}",
        "{{ args.page }}{{ '' }}",
        "{% if true %}{{ args.page }}{% endif %}",
    ] {
        assert!(!template(source).is_native(), "{source}");
        let text = source.replace("{{ args.page }}", "3");
        let text = text.replace("{# note #}", "").replace("{{ '' }}", "");
        let text = text.replace("{% if true %}", "").replace("{% endif %}", "");
        assert_eq!(value(source, &scope), Some(json!(text)), "{source}");
    }
}

#[test]
fn a_whole_root_is_a_native_value() {
    let scope = args(json!({ "z": 1, "a": [2] }));
    let whole = value("{{ args }}", &scope).expect("an object");
    assert_eq!(whole.to_string(), r#"{"z":1,"a":[2]}"#);
    assert_eq!(value("{{ args | length }}", &scope), Some(json!(2)));
    let scope = Scope::new().with("reply", json!([1]));
    assert_eq!(value("{{ reply }}", &scope), Some(json!([1])));
    assert_eq!(value("{{ reply[0] }}", &scope), Some(json!(1)));
}

#[test]
fn integers_are_exact_beyond_two_to_the_53() {
    for n in [
        json!(i64::MIN),
        json!(u64::MAX),
        json!(9_007_199_254_740_993_u64),
    ] {
        let scope = args(json!({ "n": n, "list": [n] }));
        assert_eq!(value("{{ args.n }}", &scope), Some(n.clone()));
        // Through the engine as well.
        assert_eq!(value("{{ args.list | first }}", &scope), Some(n.clone()));
        assert_eq!(shown("n={{ args.list | first }}", &scope), format!("n={n}"));
        assert_eq!(shown("n={{ args.n }}", &scope), format!("n={n}"));
    }
    let scope = args(json!({ "n": u64::MAX }));
    assert_eq!(shown("{{ args.n + 1 }}.", &scope), "18446744073709551616.");
    let error = template("{{ args.n + 1 }}")
        .value(&scope)
        .expect_err("too large");
    assert_eq!(
        error.to_string(),
        "`args.n + 1` cannot be rendered: an integer does not fit 64 bits"
    );
}

#[test]
fn an_undefined_lone_expression_is_absent() {
    let scope = some_args();
    for source in [
        "{{ args.missing }}",
        "{{ args.customer.phone }}",
        "{{ args.missing.deeper.still }}",
        "{{ args['missing'] }}",
        "{{ args.list[17] }}",
        "{{ args.list[-4] }}",
        "{{ args.page.digits }}",
        "{{ missing }}",
        "{{ 'x' if args.missing }}",
        "{{ args.list[args.page] }}",
        "{{ args.items[args.missing].sku }}",
        "{{ args.items[0][args.missing] }}",
    ] {
        assert_eq!(value(source, &scope), None, "{source}");
        assert_eq!(text(source, &scope), None, "{source}");
        assert_eq!(template(source).url(&scope), Ok(None), "{source}");
    }
}

#[test]
fn an_undefined_value_within_a_text_is_an_error_that_names_it() {
    let scope = some_args();
    for (source, message) in [
        ("p={{ args.missing }}", "`args.missing` is undefined"),
        ("p={{ args . missing }}", "`args . missing` is undefined"),
        ("p={{ args['missing'] }}", "`args['missing']` is undefined"),
        (
            "p={{ args.items[7]['n'] ~ '' }}",
            "`args.items[7]['n'] ~ ''` needs `args.items[7]['n']`, which is undefined",
        ),
        (
            "{{ args.query }} {{ args.customer.phone }}",
            "`args.customer.phone` is undefined",
        ),
        (
            "p={{ args.missing | upper }}",
            "`args.missing | upper` needs `args.missing`, which is undefined",
        ),
        (
            "{{ args.query ~ args.missing }}",
            "`args.query ~ args.missing` needs `args.missing`, which is undefined",
        ),
        (
            "{% if args.flag %}\n\n{{ args.query }}{{ args.missing }}{% endif %}",
            "`args.missing` is undefined",
        ),
        (
            "{% if args.missing.size > 3 %}{% endif %}",
            "`args.missing.size > 3` needs `args.missing.size`, which is undefined",
        ),
        (
            "{% if not args.missing > 3 %}{% endif %}",
            "`not args.missing > 3` needs `args.missing`, which is undefined",
        ),
        (
            "{% if args.page not in args.missing %}{% endif %}",
            "`args.page not in args.missing` needs `args.missing`, which is undefined",
        ),
        (
            "{% if args.missing | upper is not odd %}{% endif %}",
            "`args.missing | upper is not odd` needs `args.missing`, which is undefined",
        ),
        (
            "{% if args.page < args.missing < 3 %}{% endif %}",
            "`args.page < args.missing < 3` needs `args.missing`, which is undefined",
        ),
        (
            "{% set x = args.page if args.missing > 3 %}",
            "`args.page if args.missing > 3` needs `args.missing`, which is undefined",
        ),
        (
            "{% set x = range(3)[0] ~ args.missing %}",
            "`range(3)[0] ~ args.missing` needs `args.missing`, which is undefined",
        ),
        (
            "{% set x = dict(a=1).a ~ args.missing %}",
            "`dict(a=1).a ~ args.missing` needs `args.missing`, which is undefined",
        ),
        (
            "{% set x = args.list[1:] ~ args.missing %}",
            "`args.list[1:] ~ args.missing` needs `args.missing`, which is undefined",
        ),
        (
            "{% set x = -(args.missing ~ '') %}",
            "`-(args.missing ~ '')` needs `args.missing`, which is undefined",
        ),
        (
            "{% for x in args.items %}{{ x.sku }}{{ x.price }}{% endfor %}",
            "`x.price` is undefined",
        ),
        (
            "{% for x in args.missing %}{% endfor %}",
            "`args.missing` is undefined",
        ),
        (
            "{% set x = args.missing ~ '' %}",
            "`args.missing ~ ''` needs `args.missing`, which is undefined",
        ),
        (
            "{{ args.list | join(',') }} {{ [args.missing] | join(',') }}",
            "`[args.missing] | join(',')` needs `args.missing`, which is undefined",
        ),
        (
            "{{ [1, args.missing] }}",
            "`[1, args.missing]` needs `args.missing`, which is undefined",
        ),
    ] {
        let error = failure(source, &scope);
        assert_eq!(error.to_string(), message, "{source}");
        assert_eq!(error.kind(), RenderErrorKind::Undefined, "{source}");
        assert!(source.get(error.range()).is_some(), "{source}");
    }
}

#[test]
fn the_error_is_about_the_expression_and_not_the_template() {
    let source = "a {{ args.query }}\nb {{ args.missing }}";
    let error = failure(source, &some_args());
    assert_eq!(&source[error.range()], "args.missing");
}

#[test]
fn defaults_conditions_and_tests_take_what_is_undefined() {
    let scope = some_args();
    assert_eq!(value("{{ args.missing or 5 }}", &scope), Some(json!(5)));
    assert_eq!(
        value("{{ args.missing | default('d') }}", &scope),
        Some(json!("d"))
    );
    assert_eq!(value("{{ args.a.b.c | d(1) }}", &scope), Some(json!(1)));
    assert_eq!(
        value("{{ args.missing is defined }}", &scope),
        Some(json!(false))
    );
    assert_eq!(
        value("{{ args.page is defined }}", &scope),
        Some(json!(true))
    );
    assert_eq!(
        value("{{ args.missing is undefined }}", &scope),
        Some(json!(true))
    );
    assert_eq!(value("{{ not args.missing }}", &scope), Some(json!(true)));
    assert_eq!(
        value("{{ 1 if args.missing else 2 }}", &scope),
        Some(json!(2))
    );
    assert_eq!(
        shown("a{{ '&p=' ~ args.missing if args.missing }}b", &scope),
        "ab"
    );
    assert_eq!(
        shown("a{{ '&p=' ~ args.page if args.page }}b", &scope),
        "a&p=3b"
    );
    assert_eq!(
        shown("a{{ 1 if args.missing else 2 if args.missing }}b", &scope),
        "ab"
    );
    assert_eq!(
        shown("{% if args.missing %}a{% else %}b{% endif %}", &scope),
        "b"
    );
    assert_eq!(
        shown(
            "{% if args.flag %}{{ 1 if args.missing }}{% endif %}",
            &scope
        ),
        ""
    );
}

#[test]
fn what_is_undefined_compares_as_null() {
    let scope = some_args();
    for (source, expected) in [
        ("{{ args.missing == 'json' }}", false),
        ("{{ args.missing != 'json' }}", true),
        ("{{ args.missing == none }}", true),
        ("{{ args.nothing == none }}", true),
        ("{{ args.page == 3 }}", true),
        ("{{ args.half == 30 }}", true),
    ] {
        assert_eq!(value(source, &scope), Some(json!(expected)), "{source}");
    }
}

#[test]
fn values_read_as_text_by_one_rule() {
    let scope = args(json!({
        "float": 30.0, "tenth": 0.1, "large": 1e21, "small": 1e-7, "zero": -0.0, "int": -3,
        "yes": true, "null": null, "list": [1, "a", null, 2.5], "map": { "b": [], "a": {} },
        "text": "é\"",
    }));
    for (name, expected) in [
        ("float", "30"),
        ("tenth", "0.1"),
        ("large", "1000000000000000000000"),
        ("small", "0.0000001"),
        ("zero", "0"),
        ("int", "-3"),
        ("yes", "true"),
        ("null", "null"),
        ("list", r#"[1,"a",null,2.5]"#),
        ("map", r#"{"b":[],"a":{}}"#),
        ("text", "é\""),
    ] {
        for source in [
            format!("{{{{ args.{name} }}}}"),
            format!(
                "{{{{ args['{name}'] or 0 if args.yes and '{name}' != 'zero' else args.{name} }}}}"
            ),
        ] {
            if expected == "null" && source.contains(" or ") {
                continue;
            }
            assert_eq!(shown(&source, &scope), expected, "{source}");
        }
        let path = format!("args.{name}");
        assert_eq!(
            shown(&format!("<{{{{ {path} }}}}>"), &scope),
            format!("<{expected}>")
        );
        assert_eq!(
            shown(&format!("{{{{ {path} ~ '' }}}}"), &scope),
            expected,
            "~"
        );
        assert_eq!(
            shown(&format!("{{{{ {path} | string }}}}"), &scope),
            expected,
            "string"
        );
        assert_eq!(
            shown(&format!("{{{{ [{path}] | join(',') }}}}"), &scope),
            expected,
            "join"
        );
        assert_eq!(
            shown(
                &format!("{{% if true %}}{{{{ {path} }}}}{{% endif %}}"),
                &scope
            ),
            expected
        );
        assert_eq!(
            shown(
                &format!("{{% set x %}}{{{{ {path} }}}}{{% endset %}}{{{{ x }}}}"),
                &scope
            ),
            expected,
            "set block"
        );
    }
}

#[test]
fn computed_numbers_read_the_same() {
    let scope = some_args();
    assert_eq!(shown("{{ 10 / 5 }}", &scope), "2");
    assert_eq!(shown("{{ 10 / 4 }}", &scope), "2.5");
    assert_eq!(shown("{{ args.half + 0.5 }}px", &scope), "30.5px");
    assert_eq!(shown("{{ args.half ~ 'px' }}", &scope), "30px");
    assert_eq!(shown("{{ -args.half }}", &scope), "-30");
    assert_eq!(value("{{ 10 / 5 }}", &scope), Some(json!(2.0)));
    assert_eq!(
        failure("{{ 1e308 * 10 }}", &scope).kind(),
        RenderErrorKind::Operation
    );
}

#[test]
fn text_of_is_that_rule_for_callers() {
    assert_eq!(text_of(&json!("a b")), "a b");
    assert_eq!(text_of(&json!(30.0)), "30");
    assert_eq!(text_of(&json!([30])), "[30]");
    assert_eq!(text_of(&json!(null)), "null");
    let tiny = Value::Number(Number::from_f64(5e-324).expect("finite"));
    assert_eq!(text_of(&tiny).parse(), Ok(5e-324));
    assert!(!text_of(&tiny).contains('e'));
}

#[test]
fn a_string_without_tags_is_itself() {
    for source in ["", "plain", "{ }} %} #}", "a { b } c", "\n", "ünïcode\0"] {
        let template = template(source);
        assert!(template.is_literal(), "{source:?}");
        assert_eq!(template.literal(), Some(source));
        assert_eq!(template.value(&Scope::new()), Ok(Some(json!(source))));
        assert_eq!(template.text(&Scope::new()), Ok(Some(source.to_owned())));
        assert_eq!(template.literal_prefix(), source);
    }
    let literal = Template::literal_text("{{ args.page }} {%");
    assert_eq!(literal.literal(), Some("{{ args.page }} {%"));
    assert_eq!(literal.source(), "{{ args.page }} {%");
}

#[test]
fn templates_of_one_source_are_equal() {
    assert_eq!(template("{{ args.a }}"), template("{{ args.a }}"));
    assert_ne!(template("{{ args.a }}"), template("{{ args.b }}"));
}

#[test]
fn tags_that_depend_on_nothing_are_literal_too() {
    let template = template("a{# note #}b{% raw %}{{ c }}{% endraw %}\n");
    assert_eq!(template.literal(), Some("ab{{ c }}\n"));
    assert_eq!(super::template("{# note #}").literal(), Some(""));
    assert!(!super::template("{{ 1 }}").is_literal());
}

#[test]
fn the_literal_prefix_ends_at_the_first_tag() {
    for (source, prefix) in [
        (
            "https://a.example/v1/{{ args.id }}",
            "https://a.example/v1/",
        ),
        (
            "https://a.example/{% if args.id %}x{% endif %}",
            "https://a.example/",
        ),
        (
            "https://a{# note #}.example/{{ args.id }}",
            "https://a.example/",
        ),
        ("https://{{ args.host }}/", "https://"),
        ("{{ args.url }}", ""),
        ("{{ args.url }}/x", ""),
        ("{% if args.id %}x{% endif %}", ""),
    ] {
        assert_eq!(template(source).literal_prefix(), prefix, "{source}");
    }
}

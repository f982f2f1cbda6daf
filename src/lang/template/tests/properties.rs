//! What holds for any value and any source.

use percent_encoding::percent_decode_str;
use proptest::prelude::*;
use serde_json::{Map, Number, Value};

use super::super::vocabulary::{FILTERS, TESTS};
use super::super::{Declared, Names, Scope, Template, TemplateError, convert, text_of};
use super::{args, template};

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(|f| Number::from_f64(f).map_or(Value::Null, Value::Number)),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::Array),
            prop::collection::vec((any::<String>(), inner), 0..6)
                .prop_map(|members| Value::Object(Map::from_iter(members))),
        ]
    })
}

fn with(value: Value) -> Scope {
    args(Value::Object(Map::from_iter([("x".to_owned(), value)])))
}

/// Pieces that templates are made of, so that random sources reach deep.
fn source() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "{{",
        "}}",
        "{%",
        "%}",
        "{#",
        "#}",
        "{{-",
        "-}}",
        "{%-",
        "-%}",
        " ",
        "\n",
        "é",
        "x",
        "args",
        ".",
        "x",
        "[",
        "]",
        "(",
        ")",
        "{",
        "}",
        "0",
        "1",
        "-1",
        "1.5",
        "'s'",
        "\"",
        "'",
        "\\",
        ",",
        ":",
        "|",
        "upper",
        "map",
        "join",
        "raw",
        "default",
        "is",
        "defined",
        "odd",
        "not",
        "and",
        "or",
        "in",
        "if",
        "else",
        "elif",
        "endif",
        "for",
        "endfor",
        "set",
        "endset",
        "with",
        "endwith",
        "filter",
        "endfilter",
        "raw",
        "endraw",
        "include",
        "+",
        "-",
        "*",
        "/",
        "//",
        "%",
        "**",
        "~",
        "==",
        "!=",
        "<",
        ">=",
        "=",
        "loop",
        "index",
        "range",
        "dict",
        "none",
        "true",
        "{{ args.x }}",
        "{% if args.x %}",
        "{% endif %}",
        "{% for y in args.x %}",
        "{% endfor %}",
        "{% set z = ",
        " %}",
        "{{ y }}",
        "{{ z | ",
        " }}",
        "args.x",
        "args['x']",
        "args.x[0]",
        "$",
        "\0",
        "\u{fdd0}",
    ]);
    prop_oneof![
        any::<String>(),
        prop::collection::vec(pieces, 0..40).prop_map(|pieces| pieces.concat()),
    ]
}

fn within(source: &str, errors: &[TemplateError]) {
    for error in errors {
        assert!(
            source.get(error.range.clone()).is_some(),
            "{source:?}: {error:?}"
        );
        assert!(!error.message.is_empty());
    }
}

fn exercise(source: &str, scope: &Scope) {
    let names = Names::new()
        .with("args", Declared::names(["x"]))
        .with_members("secrets", Declared::names(["x"]), "declare it");
    let (template, used) = match Template::parse_used(source) {
        Ok(read) => read,
        Err(errors) => {
            assert!(!errors.is_empty());
            return within(source, &errors);
        }
    };
    within(source, &used.check(&names));
    assert_eq!(used.references(), template.references());
    for reference in template.references() {
        assert!(source.get(reference.range).is_some(), "{source:?}");
    }
    for raw in template.raw_filters() {
        assert_eq!(source.get(raw), Some("raw"), "{source:?}");
    }
    let results = [
        template.value(scope).err(),
        template.text(scope).err(),
        template.url(scope).err(),
    ];
    for error in results.into_iter().flatten() {
        assert!(source.get(error.range()).is_some(), "{source:?}: {error:?}");
    }
}

/// Expressions of all that the language has, on values that do not fit.
fn expression() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "args.x",
        "args.x.a",
        "args.x[0]",
        "args",
        "'s'",
        "''",
        "'%s %5d'",
        "0",
        "1",
        "2",
        "100000",
        "9223372036854775807",
        "(-9223372036854775807 - 1)",
        "1.5",
        "1e308",
        "none",
        "true",
        "[]",
        "{}",
        "[3, 1, 2]",
        "['b', 'A']",
        "{'a': 1}",
        "[[1, 2], [3]]",
        "[{'a': 2}, {'a': 1}]",
        "args.missing",
    ]);
    leaf.prop_map(str::to_owned)
        .prop_recursive(3, 16, 4, |inner| {
            let operator = prop::sample::select(vec![
                "+", "-", "*", "/", "//", "%", "**", "~", "and", "or", "==", "!=", "<", "<=", ">",
                ">=", "in", "not in",
            ]);
            let filter =
                prop::sample::select(FILTERS.iter().map(|filter| filter.name).collect::<Vec<_>>());
            let test = prop::sample::select(TESTS.to_vec());
            let word = prop::sample::select(vec![
                "'a'",
                "'upper'",
                "'odd'",
                "'=='",
                "attribute='a'",
                "reverse=true",
            ]);
            prop_oneof![
                (inner.clone(), operator, inner.clone())
                    .prop_map(|(a, op, b)| format!("({a} {op} {b})")),
                (inner.clone(), filter.clone()).prop_map(|(a, f)| format!("({a} | {f})")),
                (inner.clone(), filter.clone(), word)
                    .prop_map(|(a, f, w)| format!("({a} | {f}({w}))")),
                (inner.clone(), filter.clone(), inner.clone())
                    .prop_map(|(a, f, b)| format!("({a} | {f}({b}))")),
                (inner.clone(), filter, inner.clone(), inner.clone())
                    .prop_map(|(a, f, b, c)| format!("({a} | {f}({b}, {c}))")),
                (inner.clone(), test.clone()).prop_map(|(a, t)| format!("({a} is {t})")),
                (inner.clone(), test, inner.clone())
                    .prop_map(|(a, t, b)| format!("({a} is {t}({b}))")),
                (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a})[{b}]")),
                (inner.clone(), inner.clone(), inner.clone())
                    .prop_map(|(a, b, c)| format!("({a})[{b}:{c}]")),
                (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a})[::{b}]")),
                (inner.clone(), inner.clone(), inner.clone())
                    .prop_map(|(a, b, c)| format!("range({a}, {b}, {c})")),
                inner.clone().prop_map(|a| format!("dict({a}, z=1)")),
                inner.prop_map(|a| format!("(-{a})")),
            ]
        })
}

/// Expressions over small integers, in which the engine's meaning is this language's.
fn arithmetic() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "0",
        "1",
        "2",
        "7",
        "args.a",
        "args.b",
        "true",
        "[1, 2] | length",
    ]);
    leaf.prop_map(str::to_owned)
        .prop_recursive(6, 48, 3, |inner| {
            let operator = prop::sample::select(vec![
                "+", "-", "*", "//", "%", "and", "or", "==", "!=", "<", "<=", ">", ">=",
            ]);
            prop_oneof![
                (inner.clone(), operator, inner.clone())
                    .prop_map(|(a, op, b)| format!("{a} {op} {b}")),
                inner.clone().prop_map(|a| format!("({a})")),
                inner.clone().prop_map(|a| format!("(not {a})")),
                inner.clone().prop_map(|a| format!("-({a})")),
                inner.clone().prop_map(|a| format!("({a} is odd)")),
                inner.clone().prop_map(|a| format!("{a} not in [1, {a}]")),
                (inner.clone(), inner.clone(), inner)
                    .prop_map(|(a, b, c)| format!("{a} if {b} else {c}")),
            ]
        })
}

/// Texts with statements, in which the engine's meaning is this language's.
fn statements() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "a",
        " ",
        "\n",
        "{",
        "}",
        "{ {",
        "%}",
        "é",
        "{{ args.s }}",
        "{{- args.s }}",
        "{{ args.s -}}",
        "{#- c -#}",
        "{% raw %}{{ x }}{% endraw %}",
        "{%- raw -%} {%- endraw -%}",
        "{{ s }}",
        "{% set s = args.s %}",
        "{{ args.s | upper }}",
        "{{ '{{' }}",
    ]);
    let leaf = leaf.prop_map(str::to_owned);
    leaf.prop_recursive(4, 40, 5, |inner| {
        let body = prop::collection::vec(inner, 0..5).prop_map(|parts| parts.concat());
        prop_oneof![
            body.clone(),
            body.clone().prop_map(|b| format!(
                "{{% if args.s %}}{b}{{%- elif args.t %}}{b}{{% else %}}x{{% endif %}}"
            )),
            body.clone()
                .prop_map(|b| format!("{{% if args.e -%}} {b}{{% else %}}{b}{{%- endif %}}")),
            body.clone().prop_map(|b| format!(
                "{{% for s in args.l %}}{b}{{{{ loop.index }}}}{{% else %}}{b}{{% endfor %}}"
            )),
            body.clone().prop_map(|b| format!(
                "{{% for s in args.l if s != 'q' %}}{b}{{{{ loop.index }}}}{{%- endfor -%}}"
            )),
            body.clone()
                .prop_map(|b| format!("{{% with s = args.s ~ s %}}{b}{{% endwith %}}")),
            body.clone()
                .prop_map(|b| format!("{{% set v %}}{b}{{% endset %}}{{{{ v }}}}")),
            body.prop_map(|b| format!("{{% filter upper %}}{b}{{% endfilter %}}")),
        ]
    })
}

/// The engine alone, without this module.
fn plain_engine() -> minijinja::Environment<'static> {
    let mut engine = minijinja::Environment::new();
    engine.set_undefined_behavior(minijinja::UndefinedBehavior::SemiStrict);
    engine.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
    engine.set_syntax(super::super::scan::syntax());
    engine
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_value_passes_through_a_lone_expression(value in json()) {
        let scope = with(value.clone());
        let direct = template("{{ args.x }}").value(&scope).expect("renders").expect("present");
        prop_assert_eq!(&direct, &value);
        prop_assert_eq!(direct.to_string(), value.to_string());
        let engine = template("{{ [args.x] | first }}").value(&scope).expect("renders").expect("present");
        prop_assert_eq!(engine.to_string(), value.to_string());
    }

    #[test]
    fn any_value_reads_the_same_by_either_way(value in json()) {
        let scope = with(value.clone());
        let expected = format!("<{}>", text_of(&value));
        for source in ["<{{ args.x }}>", "<{{ [args.x] | first }}>", "{{ '<' ~ args.x ~ '>' }}",
            "{% if true %}<{{ args.x }}>{% endif %}"] {
            let text = template(source).text(&scope).expect("renders");
            prop_assert_eq!(text.as_deref(), Some(&*expected), "{}", source);
        }
    }

    #[test]
    fn a_float_reads_back_from_its_text(float in any::<f64>().prop_filter("finite", |f| f.is_finite())) {
        let text = text_of(&Value::Number(Number::from_f64(float).expect("finite")));
        prop_assert_eq!(text.parse::<f64>().expect("a number"), float);
        prop_assert!(!text.contains('e') && !text.ends_with(".0"), "{}", text);
    }

    #[test]
    fn a_value_in_a_url_decodes_to_itself(value in any::<String>()) {
        let scope = with(Value::String(value.clone()));
        for source in ["https://a.example/p{{ args.x }}/z", "https://a.example/?q=p{{ args.x }}&z=z",
            "/{% if true %}p{{ args.x }}{% endif %}?z", "p{{ args.x | string }}#"] {
            let url = template(source).url(&scope).expect("renders").expect("present");
            let (before, after) = source.split_once("{{ args.x").expect("an expression");
            let after = after.split_once("}}").expect("its end").1.replace("{% endif %}", "");
            let before = before.replace("{% if true %}", "");
            let encoded = url.strip_prefix(&*before).and_then(|url| url.strip_suffix(&*after));
            let encoded = encoded.expect("the author's text stays");
            prop_assert!(
                encoded.chars().all(|c| c.is_ascii_alphanumeric() || "-._~%".contains(c)),
                "{}", encoded
            );
            prop_assert_eq!(percent_decode_str(encoded).decode_utf8().expect("UTF-8"), &*value);
        }
    }

    #[test]
    fn no_values_make_a_dot_segment(a in "[./%2eE\\\\]{0,4}", b in "[./%2eE\\\\]{0,4}", raw in any::<bool>()) {
        let scope = args(serde_json::json!({ "a": a, "b": b }));
        let source = if raw { "https://h.example/x/{{ args.a | raw }}{{ args.b }}/y" }
            else { "https://h.example/x/{{ args.a }}{{ args.b }}/y" };
        if let Ok(Some(rendered)) = template(source).url(&scope) {
            let parsed = ::url::Url::parse(&rendered).expect("a URL");
            prop_assert!(parsed.path().starts_with("/x/") && parsed.path().ends_with("/y"), "{} {}", rendered, parsed);
        }
    }

    #[test]
    fn any_source_is_read_or_refused(source in source(), value in json()) {
        exercise(&source, &with(value));
    }

    #[test]
    fn any_expression_gives_a_value_or_an_error(expression in expression(), value in json()) {
        let scope = with(value);
        exercise(&format!("{{{{ {expression} }}}}"), &scope);
        exercise(&format!("a {{{{ {expression} }}}} b {{{{ args.x }}}}"), &scope);
        exercise(&format!("{{% for y in {expression} %}}{{{{ y }}}}{{{{ loop.index }}}}{{% endfor %}}"), &scope);
    }

    #[test]
    fn a_text_without_braces_is_itself(source in "[^{]*") {
        let rendered = template(&source).text(&Scope::new());
        prop_assert_eq!(rendered, Ok(Some(source)));
    }

    #[test]
    fn expressions_mean_what_the_engine_means(expression in arithmetic()) {
        let source = format!("{{{{ {expression} }}}}");
        let values = serde_json::json!({ "a": 3, "b": -2 });
        let engine = plain_engine();
        let context = convert::from_json(&serde_json::json!({ "args": values }));
        let Ok(compiled) = engine.compile_expression(&expression) else {
            prop_assert!(Template::parse(&source).is_err(), "{}", expression);
            return Ok(());
        };
        let expected = compiled.eval(context);
        let given = template(&source).value(&args(values));
        match expected {
            Ok(expected) => {
                let expected = serde_json::to_value(expected).expect("JSON");
                prop_assert_eq!(given, Ok(Some(expected)), "{}", expression);
            }
            Err(_) => prop_assert!(given.is_err(), "{}", expression),
        }
    }

    #[test]
    fn statements_mean_what_the_engine_means(source in statements()) {
        let Ok(template) = Template::parse(&source) else {
            return Ok(());
        };
        let values = serde_json::json!({ "s": "S{{", "t": "t", "e": "", "l": ["p", "q", "r"] });
        let engine = plain_engine();
        let context = convert::from_json(&serde_json::json!({ "args": values }));
        let expected = engine.render_str(&source, context).ok();
        prop_assert_eq!(template.text(&args(values)).ok().flatten(), expected, "{}", source);
    }
}

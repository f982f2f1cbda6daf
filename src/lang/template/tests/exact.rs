//! Just within a bound, and just past it.

use serde_json::{Value, json};

use super::super::TemplateErrorKind::TooLarge;
use super::super::{MAX_NESTING, MAX_VALUE_DEPTH, RenderErrorKind, Scope, Template};
use super::{args, failure, mistake, shown, template, value};

/// A value in so many lists, or in so many objects.
fn nested(levels: usize, wrap: fn(Value) -> Value) -> Value {
    (0..levels).fold(json!(1), |inner, _| wrap(inner))
}

#[test]
fn comparing_and_counting_end_at_the_deepest_value() {
    let list = |inner| json!([inner]);
    let object = |inner| json!({ "a": inner });
    for wrap in [list as fn(Value) -> Value, object] {
        let given = |levels: usize| {
            let deep = nested(levels, wrap);
            let inner = nested(levels - 1, wrap);
            args(json!({ "a": deep, "b": deep, "c": inner, "d": inner }))
        };
        for (source, expected) in [
            ("{{ args.a == args.b }}", json!(true)),
            ("{{ args.a != args.b }}", json!(false)),
            ("{{ args.a in [args.b] }}", json!(true)),
            ("{{ [args.c] == [args.d] }}", json!(true)),
            ("{{ [args.c, args.d] | unique | length }}", json!(1)),
            ("{{ ([args.c] * 2) | length }}", json!(2)),
        ] {
            let deepest = given(MAX_VALUE_DEPTH);
            assert_eq!(value(source, &deepest), Some(expected), "{source}");
            let error = failure(source, &given(MAX_VALUE_DEPTH + 1));
            assert_eq!(error.kind(), RenderErrorKind::Bound, "{source}");
            assert!(
                error.to_string().contains("nested more than 128"),
                "{error}"
            );
        }
    }
}

/// Two values that are compared are one of fuel, and so are 64 bytes of text.
#[test]
fn what_is_compared_costs_what_is_looked_at() {
    let bytes = |count: usize| "x".repeat(count);
    let lists = |length: usize| args(json!({ "a": vec![1; length], "b": vec![1; length] }));
    let (fewer, more) = (lists(400_000), lists(1_050_000));
    for source in ["{{ args.a == args.b }}", "{{ args.a in [args.b] }}"] {
        assert_eq!(value(source, &fewer), Some(json!(true)), "{source}");
        let error = failure(source, &more);
        assert_eq!(error.kind(), RenderErrorKind::Bound, "{source}");
    }
    let object = |length: usize| json!({ "x": vec![1; length], "y": vec![1; length] });
    let objects = args(json!({ "a": object(525_000), "b": object(525_000) }));
    let error = failure("{{ args.a == args.b }}", &objects);
    assert_eq!(error.kind(), RenderErrorKind::Bound);
    let texts = args(json!({ "a": bytes(1 << 24), "b": bytes(1 << 24) }));
    assert_eq!(value("{{ args.a == args.b }}", &texts), Some(json!(true)));
    let texts_of_a_quarter = args(json!({ "a": bytes(1 << 22), "b": bytes(1 << 22) }));
    let holds = value("{{ args.a in args.b }}", &texts_of_a_quarter);
    assert_eq!(holds, Some(json!(true)));
    for twice in [
        "{{ args.a == args.b and args.a == args.b }}",
        "{{ [args.a, args.a] == [args.b, args.b] }}",
    ] {
        let error = failure(twice, &texts);
        assert_eq!(error.kind(), RenderErrorKind::Bound, "{twice}");
    }
}

/// The work of what is repeated is what it holds, and not what it might.
#[test]
fn what_is_repeated_costs_what_it_holds() {
    let source = format!("{{{{ {} 0 }}}}", "([0] * 2) | length + ".repeat(20));
    assert_eq!(value(&source, &Scope::new()), Some(json!(40)));
    let large = "{% set x = [[0] * 900000] * 1 %}";
    assert_eq!(template(large).text(&Scope::new()).unwrap().unwrap(), "");
    let error = failure(&large.repeat(5), &Scope::new());
    assert_eq!(error.kind(), RenderErrorKind::Bound);
    // What is joined costs nothing until it is read.
    let joined = "{% for i in range(1000) %}{% set x = args.list + [i] %}{% endfor %}";
    let scope = args(json!({ "list": vec![0; 100_000] }));
    assert_eq!(template(joined).text(&scope).unwrap().unwrap(), "");
}

/// What an expression computes is bounded; what stands at a path is only handed on.
#[test]
fn a_path_alone_gives_what_stands_there_however_deep() {
    let deep = nested(MAX_VALUE_DEPTH * 2, |inner| json!([inner]));
    let scope = args(json!({ "deep": deep }));
    let text = deep.to_string();
    for source in ["{{ args.deep }}x", "{{ args.deep | raw }}x"] {
        assert_eq!(shown(source, &scope), format!("{text}x"), "{source}");
    }
    assert_eq!(value("{{ args.deep }}", &scope), Some(deep));
}

#[test]
fn a_list_that_is_joined_has_a_million_values_at_the_most_and_a_text_more() {
    let scope = args(json!({ "list": vec![0; 500_000], "text": "x".repeat(600_000) }));
    let length = |joined: &str| {
        let rendered = template(&format!("{{{{ ({joined}) | length }}}}")).value(&scope);
        rendered.map_err(|error| error.kind())
    };
    assert_eq!(length("args.list + args.list"), Ok(Some(json!(1_000_000))));
    assert_eq!(
        length("args.list + args.list + [1]"),
        Err(RenderErrorKind::Bound)
    );
    assert_eq!(length("args.text + args.text"), Ok(Some(json!(1_200_000))));
}

#[test]
fn a_source_nests_as_deep_as_it_may_and_no_deeper() {
    let operators = |more: usize, steps: usize| {
        let chain = "1 ~ ".repeat(more);
        format!("{{{{ {chain}args{} }}}} text", ".a".repeat(steps))
    };
    let brackets = |levels: usize, _| {
        let open = "(1 ~ 1 ~ ".repeat(levels);
        format!("{{{{ {open}1{} }}}}", ")".repeat(levels))
    };
    let blocks = |levels: usize, chained: usize| {
        let ends = "{% endif %}".repeat(levels);
        let chained = "{% elif a %}".repeat(chained);
        format!("{}{chained}{ends}", "{% if a %}".repeat(levels))
    };
    let words = |more: usize, _| format!("{{{{ {}1 }}}}", "1 or ".repeat(more));
    // A chain is one level and one more for each operator and for each step of its longest operand; so is
    // what stands around brackets; an `elif` is as deep as what it belongs to.
    for (source, most, with) in [
        (
            &operators as &dyn Fn(usize, usize) -> String,
            50,
            MAX_NESTING - 51,
        ),
        (&operators, MAX_NESTING - 1, 0),
        (&words, MAX_NESTING - 1, 0),
        (&operators, 0, MAX_NESTING - 1),
        (&brackets, (MAX_NESTING - 1) / 3, 0),
        (&blocks, MAX_NESTING, 0),
        (&blocks, 1, MAX_NESTING - 1),
    ] {
        let read = Template::parse(&source(most, with));
        assert!(read.is_ok(), "{most} {with}: {read:?}");
        assert_eq!(
            mistake(&source(most + 1, with)).kind,
            TooLarge,
            "{most} {with}"
        );
    }
}

#[test]
fn an_error_shows_a_long_expression_on_one_line_and_cut() {
    let expression = |names: usize| format!("{{{{ args.{} ~\n'' }}}}", "x".repeat(names));
    let shown = |names: usize| failure(&expression(names), &args(json!({}))).to_string();
    let name = |names: usize| format!("args.{}", "x".repeat(names));
    // Eighty characters: `args.`, the name, ` ~ ''`.
    assert_eq!(
        shown(70),
        format!("`{0} ~ ''` needs `{0}`, which is undefined", name(70))
    );
    assert_eq!(
        shown(71),
        format!("`{0} ~ '…` needs `{0}`, which is undefined", name(71))
    );
}

//! Rule 5, bounded: hostile sources and hostile values end in an error, soon and in little memory.

use serde_json::json;

use super::super::{
    MAX_OUTPUT_BYTES, MAX_SOURCE_BYTES, MAX_VALUE_DEPTH, MAX_VALUES, RenderErrorKind, Scope,
    Template, TemplateErrorKind, Tree,
};
use super::{args, failure, mistake, shown, template, value};

/// Each of these would take gigabytes or hours.
const BOMBS: [&str; 36] = [
    "{{ 'x' * 10**9 }}",
    "{{ 'x' * args.n }}",
    "{{ [0] * 10**9 }}",
    "{{ [0] * args.n }}",
    "{{ ([0] * 10000) * 10000 }}",
    "{{ [[[[0] * 1000] * 1000] * 1000] }}",
    "{{ range(10**9) }}",
    "{{ range(0, 10**18, 1) | length }}",
    "{{ range(9223372036854775807, -9223372036854775807, -1) }}",
    "{{ 10 ** 10 ** 10 }}",
    "{{ '%1000000000d' | format(1) }}",
    "{{ '%.1000000000f' | format(1.0) }}",
    "{{ args.text | indent(1000000000) }}",
    "{{ args.text | replace('', args.text) }}",
    "{{ [1] | batch(10**12, 'x') }}",
    "{{ [1] | slice(10**12) }}",
    "{{ args.text | join(args.text) }}",
    "{{ args.lines | split('') | length }}",
    "{{ args.lines | lines | length }}",
    "{{ range(100000) | map('string') | join(args.text) }}",
    "{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}",
    "{% for a in range(100000) %}{{ args.text }}{% endfor %}",
    "{% set x = 'x' %}{% for a in range(100000) %}{% set x = x ~ args.text * 99 %}{{ x }}{% endfor %}",
    "{% set x = args.text %}{% set x = x ~ x ~ x ~ x %}{% set x = x ~ x ~ x ~ x %}{% set x = x ~ x ~ x ~ x %}{% set x = x ~ x ~ x ~ x %}{% set x = x ~ x ~ x ~ x %}{{ x }}",
    "{% filter indent(100000000) %}a\nb{% endfilter %}",
    "{{ 1 in [0] * 10**8 }}",
    "{{ [0] * 10**8 < [0] * 10**8 }}",
    "{{ ([0] * 10**8)[99999999] }}",
    "{% set a, b = [0] * args.n %}{{ a }}",
    "{% for a, b in [[0] * args.n] %}{{ a }}{% endfor %}",
    "{% set a, b = [0] * 1000000 + [0] * 1000000 %}{{ a }}",
    "{{ [[[[0] * 1000] * 1000] * 1000] == [[[[0] * 1000] * 1000] * 1000] }}",
    "{{ [{'a': [0] * 1000}] * 1000 }}",
    "{% for i in range(100000) %}{% set x = [args.text] * 1000 %}{% endfor %}",
    "{% set x = range(100000) + range(100000) %}{% for i in range(100000) %}{{ x[199999] }}{% endfor %}",
    "{{ range(100000) | list + range(100000) | list | map('string') | map('replace', '', args.text) | list }}",
];

fn hostile() -> Scope {
    args(json!({
        "n": 100_000_000,
        "text": "0123456789".repeat(1_000),
        "lines": "\n".repeat(4 << 20),
    }))
}

#[test]
fn bombs_end_in_an_error() {
    let scope = hostile();
    for (i, source) in BOMBS.into_iter().enumerate() {
        let template = template(source);
        // The three ways share what bounds them; each is tried with a third of the bombs.
        let error = match i % 3 {
            0 => template.value(&scope).expect_err(source),
            1 => template.text(&scope).expect_err(source),
            _ => template.url(&scope).expect_err(source),
        };
        assert!(
            matches!(
                error.kind(),
                RenderErrorKind::Bound | RenderErrorKind::Operation
            ),
            "{source}: {error}"
        );
        assert!(error.to_string().len() < 400, "{source}");
    }
}

#[test]
fn what_is_bounded_is_not_small() {
    let scope = args(json!({ "body": "x".repeat(4 << 20), "list": vec![7; 100_000] }));
    assert_eq!(shown("<{{ args.body }}>", &scope).len(), (4 << 20) + 2);
    assert_eq!(
        shown("{% if true %}<{{ args.body | upper }}>{% endif %}", &scope).len(),
        (4 << 20) + 2
    );
    assert_eq!(value("{{ args.list | sum }}", &scope), Some(json!(700_000)));
    assert_eq!(
        shown(
            "{% for x in args.list %}{{ x }}{% endfor %}",
            &args(json!({ "list": vec![7; 20_000] }))
        )
        .len(),
        20_000
    );
}

#[test]
fn a_text_of_many_large_values_is_bounded() {
    let scope = args(json!({ "body": "x".repeat(4 << 20) }));
    let four = "{{ args.body }}".repeat(4);
    assert_eq!(shown(&four, &scope).len(), MAX_OUTPUT_BYTES);
    let five = format!("{four}{{{{ args.body }}}}");
    assert_eq!(failure(&five, &scope).kind(), RenderErrorKind::Bound);
    let error = template(&five).url(&scope).expect_err("too long");
    assert_eq!(error.kind(), RenderErrorKind::Bound);
}

#[test]
fn a_source_is_bounded() {
    let fits = format!("{{{{ 1 }}}}{}", "x".repeat(MAX_SOURCE_BYTES - 7));
    assert!(Template::parse(&fits).is_ok());
    let error = mistake(&format!("{fits}x"));
    assert_eq!(error.kind, TemplateErrorKind::TooLarge);
    assert_eq!(error.range, 0..MAX_SOURCE_BYTES + 1);
    // A text without tags is no template: nothing is read in it.
    assert!(Template::parse(&"x".repeat(MAX_SOURCE_BYTES * 2)).is_ok());
}

#[test]
fn deep_sources_are_refused_before_they_are_parsed() {
    for (open, middle, close, times) in [
        ("(", "1", ")", 30_000),
        ("[", "1", "]", 30_000),
        ("{1:", "1", "}", 10_000),
        ("not ", "1", "", 16_000),
        ("-", "1", "", 60_000),
        ("1+", "1", "", 30_000),
        ("1~", "1", "", 30_000),
        ("1**", "1", "", 20_000),
        ("1 or ", "1", "", 10_000),
        ("", "a", ".b", 30_000),
        ("", "a", "[0]", 20_000),
        ("", "a", "|d", 30_000),
        ("", "a", "()", 30_000),
        ("", "a", " is odd", 9_000),
        ("a if b else ", "1", "", 5_000),
        ("a[", "1", "]", 20_000),
        ("range(", "1", ")", 9_000),
        ("a in ", "b", "", 9_000),
    ] {
        let source = format!(
            "{{{{ {}{middle}{} }}}}",
            open.repeat(times),
            close.repeat(times)
        );
        assert_eq!(
            mistake(&source).kind,
            TemplateErrorKind::TooLarge,
            "{open}{middle}{close}"
        );
    }
    for (open, close, times) in [
        ("{% if a %}", "{% endif %}", 3_000),
        ("{% for a in b %}", "{% endfor %}", 2_000),
        ("{% with a = b %}", "{% endwith %}", 2_000),
        ("{% filter d %}", "{% endfilter %}", 2_000),
        ("{% set a %}", "{% endset %}", 2_900),
        ("{% if a %}{% elif b %}", "{% endif %}", 1_500),
        ("", "{% elif a %}", 5_000),
    ] {
        let source = format!(
            "{{% if a %}}{}{}{{% endif %}}",
            open.repeat(times),
            close.repeat(times)
        );
        assert_eq!(
            mistake(&source).kind,
            TemplateErrorKind::TooLarge,
            "{open}{close}"
        );
    }
}

/// The deepest that is read: blocks around brackets around a chain.
#[test]
fn the_deepest_source_fits_a_small_stack() {
    let deepest = || {
        let blocks = 30;
        let expression = format!("{}args.a{}", "[".repeat(50), "]".repeat(50));
        let expression = format!("{expression} ~ {}", vec!["args.a"; 30].join(" ~ "));
        let source = format!(
            "{}{{{{ {expression} }}}}{}",
            "{% for x in [1] %}".repeat(blocks),
            "{% endfor %}".repeat(blocks)
        );
        let (template, used) = Template::parse_used(&source).unwrap();
        assert!(used.check(&super::super::Names::new()).len() > 1);
        template
            .text(&args(json!({ "a": 1 })))
            .expect("renders")
            .expect("present")
    };
    let thread = std::thread::Builder::new()
        .stack_size(1 << 20)
        .spawn(deepest);
    let text = thread.expect("a thread").join().expect("no overflow");
    assert_eq!(
        text,
        format!("{}1{}{}", "[".repeat(50), "]".repeat(50), "1".repeat(30))
    );
}

#[test]
fn wide_sources_are_not_deep() {
    let list = vec!["1"; 20_000].join(",");
    let sum = value(&format!("{{{{ [{list}] | sum }}}}"), &Scope::new());
    assert_eq!(sum, Some(json!(20_000)));
    let many = "{{ args.a }}{% if args.a %}x{% elif args.b %}y{% endif %}".repeat(900);
    assert_eq!(shown(&many, &args(json!({ "a": 1 }))), "1x".repeat(900));
    let words = "{{ args.a + 1 }} ".repeat(3_000);
    assert_eq!(shown(&words, &args(json!({ "a": 1 }))), "2 ".repeat(3_000));
}

#[test]
fn values_that_multiply_are_refused_when_read() {
    for step in [
        "{% set a = [a] %}",
        "{% set a = [a, a] %}",
        "{% set a = {'a': a, 'b': a} %}",
        "{% set a = a + a %}",
        "{% set a = a[1:] %}",
        "{% set a = a | batch(1) %}",
        "{% set a = a | chain(a) %}",
        "{% set a = a | zip(a) %}",
        "{% set a = dict(x=a, y=a) %}",
        "{% set a, b = [[a, a], 1] %}",
    ] {
        let source = format!("{{% set a = args %}}{}{{{{ a }}}}", step.repeat(1_000));
        let errors = Template::parse(&source).expect_err(step);
        assert_eq!(errors[0].kind, TemplateErrorKind::TooLarge, "{step}");
    }
    // Loops begin each turn anew, so they do not multiply.
    let source =
        "{% set a = [1] %}{% for i in range(1000) %}{% set a = [a, a] %}{% endfor %}{{ a }}";
    assert_eq!(shown(source, &Scope::new()), "[1]");
    // What gives a text does not nest.
    let source = format!(
        "{{% set a = 'x' %}}{}{{{{ a }}}}",
        "{% set a = a | replace('x', 'y') %}".repeat(500)
    );
    assert_eq!(shown(&source, &Scope::new()), "y");
}

/// Each would look at billions of values, or at terabytes of text, before the engine's own fuel ends: a turn of
/// the loop is three of it.
#[test]
fn what_is_compared_in_a_loop_is_fuel() {
    let list = |last: i64| json!([[vec![0; 20_000], { "x": vec![1; 20_000] }, last]]);
    let scope = args(json!({
        "a": list(1),
        "b": list(1),
        "c": list(2),
        "text": "x".repeat(1 << 20),
        "same": "x".repeat(1 << 20),
    }));
    for compared in [
        "args.a == args.b",
        "args.a != args.b",
        "args.a < args.c",
        "args.a <= args.b",
        "args.a > args.c",
        "args.a >= args.b",
        "args.b in [args.c, args.a]",
        "args.b not in [args.c]",
        "args.a in {'x': 1}",
        "args.text in 'x'",
        "1 in [args.a] and args.b < args.c",
        "args.a < args.c < 1",
        "args.a is eq(args.b)",
        "args.a is ne(args.b)",
        "args.a is lessthan(args.c)",
        "args.b is in([args.c, args.a])",
        "[args.a] | select('==', args.b) | first",
        "[args.a] | reject('in', [args.b]) | first",
        "[args.a, args.b] | sort | first",
        "[args.a, args.b] | unique | first",
        "[args.a, args.b] | min",
        "[[args.a, args.b]] | map('max') | first",
        "[{'k': args.a}, {'k': args.b}] | groupby('k') | first",
        "{'k': args.a, 'l': args.b} | dictsort(by='value') | first",
        "loop.changed(args.a)",
        "args.text == args.same",
        "[args.text] < [args.same]",
        "args.text is eq(args.same)",
    ] {
        let source = format!(
            "{{% for i in range(100000) %}}{{% if {compared} %}}{{% endif %}}{{% endfor %}}"
        );
        let error = template(&source).text(&scope).expect_err(compared);
        assert_eq!(error.kind(), RenderErrorKind::Bound, "{compared}: {error}");
    }
}

/// What differs at once costs nothing, nor what is the same list, nor a number beside a long one.
#[test]
fn what_is_not_looked_at_is_no_fuel() {
    let scope = args(json!({ "a": [1, vec![0; 100_000]], "b": [2, vec![0; 100_000]] }));
    for compared in [
        "args.a == args.b",
        "args.a < args.b",
        "args.a == args.a",
        "args.a == 1",
    ] {
        let source = format!(
            "{{% for i in range(10000) %}}{{% if {compared} %}}{{% endif %}}{{% endfor %}}"
        );
        assert_eq!(shown(&source, &scope), "", "{compared}");
    }
}

/// Each would step through billions of items that no name is there for.
#[test]
fn no_more_is_unpacked_than_there_are_names() {
    let long = format!(
        "{{% set x = range(100000) %}}{}",
        "{% set x = x | chain(x) %}".repeat(15)
    );
    for unpacked in [
        "{% set a, b = x %}",
        "{% set a, (b, c) = [1, x] %}",
        "{% with (a, b) = x %}{{ a }}{% endwith %}",
        "{% for a, b in [x] %}{{ a }}{% endfor %}",
        "{% for a, (b, c) in [[1, x]] %}{{ a }}{% endfor %}",
    ] {
        let source = format!("{long}{unpacked}");
        let error = template(&source)
            .text(&Scope::new())
            .expect_err("unpacks all of it");
        assert_eq!(error.kind(), RenderErrorKind::Operation, "{unpacked}");
        let error = error.to_string();
        assert!(
            error.ends_with("sequence of wrong length (expected 2, got more)"),
            "{error}"
        );
    }
}

#[test]
fn deep_values_are_bounded() {
    let mut deep = json!(1);
    for _ in 0..120 {
        deep = json!([deep]);
    }
    let scope = args(json!({ "deep": deep }));
    assert_eq!(value("{{ args.deep }}", &scope), Some(deep.clone()));
    assert_eq!(value("{{ [args.deep] | first }}", &scope), Some(deep));
    let error = failure("{{ [[[[[[[[[[args.deep]]]]]]]]]] }}", &scope);
    assert_eq!(error.kind(), RenderErrorKind::Bound);
}

#[test]
fn the_deepest_value_has_exactly_as_many_levels() {
    let deep = (1..MAX_VALUE_DEPTH).fold(json!(1), |inner, _| json!([inner]));
    let scope = args(json!({ "deep": deep }));
    for (deepest, deeper) in [
        ("{{ [args.deep] }}", "{{ [[args.deep]] }}"),
        ("{{ {'a': args.deep} }}", "{{ {'a': {'a': args.deep}} }}"),
    ] {
        assert!(value(deepest, &scope).is_some());
        assert_eq!(failure(deeper, &scope).kind(), RenderErrorKind::Bound);
    }
}

/// More values than there may be are not made first: they would end the fuel, but in a hundred times the memory.
#[test]
fn more_than_a_million_values_are_not_made() {
    let length = |lines: usize, expression: &str| {
        let scope = args(json!({ "lines": "\n".repeat(lines) }));
        let rendered = template(&format!("{{{{ {expression} | length }}}}")).value(&scope);
        rendered.map_err(|error| (error.kind(), error.to_string()))
    };
    for expression in ["args.lines | lines", "args.lines | split('\n', -1)"] {
        let found = length(MAX_VALUES - 100_000, expression).expect(expression);
        assert!(found.is_some_and(|found| found.as_u64() >= Some(900_000)));
        // There is a part behind the last separator, and no line behind the last end of one.
        let more = MAX_VALUES + 1 - usize::from(expression.contains("split"));
        let (kind, message) = length(more, expression).expect_err(expression);
        assert_eq!(kind, RenderErrorKind::Bound);
        assert!(message.contains("values"), "{message}");
    }
}

#[test]
fn trees_are_bounded_in_depth() {
    let mut tree = Tree::template(template("{{ args.x }}"));
    let mut levels = 0;
    while let Ok(deeper) = Tree::list(vec![tree.clone()]) {
        tree = deeper;
        levels += 1;
    }
    assert_eq!(levels, MAX_VALUE_DEPTH);
    assert!(tree.value(&args(json!({ "x": 1 }))).is_ok());
}

#[test]
fn there_are_no_files() {
    for source in [
        "{% include '/etc/passwd' %}",
        "{% import '/etc/passwd' as x %}",
        "{% extends '/etc/passwd' %}",
    ] {
        assert_eq!(mistake(source).kind, TemplateErrorKind::Unavailable);
    }
    for function in [
        "debug()",
        "namespace()",
        "open('/etc/passwd')",
        "self()",
        "super()",
        "lipsum()",
    ] {
        let error = mistake(&format!("{{{{ {function} }}}}"));
        assert_eq!(error.kind, TemplateErrorKind::UnknownFunction, "{function}");
    }
}

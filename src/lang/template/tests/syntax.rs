//! Rule 3, checked when loaded: what is wrong in a source, and where.

use super::super::{Template, TemplateErrorKind as Kind};
use super::{mistake, spot, template};

#[test]
fn syntax_errors_are_at_the_token_that_does_not_fit() {
    for (source, place, message) in [
        (
            "a {{ b c }}",
            "c",
            "unexpected identifier, expected end of variable block",
        ),
        ("{{ a + * b }}", "*", "unexpected `*`"),
        ("{{ }}", "}}", "unexpected end of variable block"),
        (
            "x {{ a. }} y {{ b }}",
            "}}",
            "unexpected end of variable block, expected identifier or integer",
        ),
        ("é {{ a $ }}", "$", "unexpected character"),
        ("{{ é }}", "é", "unexpected character"),
        (
            "{{ a | }}",
            "}}",
            "unexpected end of variable block, expected identifier",
        ),
        ("{{ [1, 2 }}", "}", "unexpected `}`, expected `,`"),
        (
            "{% set loop = 1 %}",
            "loop",
            "cannot assign to reserved variable name loop",
        ),
        ("a\nb {{ 'c }}", "'c }}", "unexpected end of string"),
        ("a {# b", "{# b", "unexpected end of comment"),
        (
            "a {% raw %} b",
            "{% raw %} b",
            "unexpected end of raw block",
        ),
        (
            "a {{ b",
            "{{ b",
            "unexpected end of input, expected end of variable block",
        ),
        (
            "{% endif %}",
            "endif",
            "`endif` belongs to nothing that is open here",
        ),
        (
            "{% if x %}{% for a in b %}{% endif %}",
            "endif",
            "`endif` belongs to nothing that is open here",
        ),
        (
            "a {% if x %} b {% if y %}c{% endif %}",
            "{% if x %}",
            "`if` has no `{% endif %}`",
        ),
        (
            "{% if x %}a{% else %}b",
            "{% if x %}",
            "`if` has no `{% endif %}`",
        ),
        (
            "{% for x in y %}{{ x }}",
            "{% for x in y %}",
            "`for` has no `{% endfor %}`",
        ),
        (
            "{% set x %}{% set y = 1 %}",
            "{% set x %}",
            "`set` has no `{% endset %}`",
        ),
    ] {
        let error = mistake(source);
        let start = error.message.clone();
        assert_eq!(error.kind, Kind::Syntax, "{source}");
        assert_eq!(&source[error.range], place, "{source}: {start}");
        assert_eq!(start, format!("syntax error: {message}"), "{source}");
        assert_eq!(mistake(source).to_string(), start);
    }
}

#[test]
fn unknown_words_come_with_a_suggestion() {
    for (source, kind, place, message, help) in [
        (
            "{{ a | uper }}",
            Kind::UnknownFilter,
            "uper",
            "unknown filter `uper`",
            Some("did you mean `upper`?"),
        ),
        (
            "{{ a | qqqqqqqq }}",
            Kind::UnknownFilter,
            "qqqqqqqq",
            "unknown filter `qqqqqqqq`",
            None,
        ),
        // What has no letter of a word in common is no misspelling of it, such as `d`.
        (
            "{{ a | e }}",
            Kind::UnknownFilter,
            "e",
            "unknown filter `e`",
            None,
        ),
        (
            "{{ a is defned }}",
            Kind::UnknownTest,
            "defned",
            "unknown test `defned`",
            Some("did you mean `defined`?"),
        ),
        (
            "{{ a is not defned }}",
            Kind::UnknownTest,
            "defned",
            "unknown test `defned`",
            Some("did you mean `defined`?"),
        ),
        (
            "{{ rnage(3) }}",
            Kind::UnknownFunction,
            "rnage",
            "unknown function `rnage`",
            Some("did you mean `range`?"),
        ),
        (
            "{{ upper(a) }}",
            Kind::UnknownFunction,
            "upper",
            "unknown function `upper`",
            Some("`upper` is a filter: write `… | upper`"),
        ),
        (
            "{{ a.upper() }}",
            Kind::Unavailable,
            "upper",
            "values have no functions, such as `.upper()`",
            Some("`upper` is a filter: write `… | upper`"),
        ),
        (
            "{% fro x in y %}",
            Kind::Syntax,
            "fro",
            "unknown statement `fro`",
            Some("did you mean `for`?"),
        ),
        (
            "{{ a | map('uper') }}",
            Kind::UnknownFilter,
            "'uper'",
            "unknown filter `uper`",
            Some("did you mean `upper`?"),
        ),
        (
            "{{ a | select('od') }}",
            Kind::UnknownTest,
            "'od'",
            "unknown test `od`",
            Some("did you mean `odd`?"),
        ),
        (
            "{{ a | selectattr('x', 'equalt', 1) }}",
            Kind::UnknownTest,
            "'equalt'",
            "unknown test `equalt`",
            Some("did you mean `equalto`?"),
        ),
        (
            "{% filter uper %}{% endfilter %}",
            Kind::UnknownFilter,
            "uper",
            "unknown filter `uper`",
            Some("did you mean `upper`?"),
        ),
        (
            "{% set x | uper %}{% endset %}",
            Kind::UnknownFilter,
            "uper",
            "unknown filter `uper`",
            Some("did you mean `upper`?"),
        ),
        (
            "{% for x in y %}{{ loop.indx }}{% endfor %}",
            Kind::UnknownName,
            "indx",
            "unknown name `loop.indx`",
            Some("did you mean `loop.index`?"),
        ),
        (
            "{% for x in y %}{{ loop.cycel(1) }}{% endfor %}",
            Kind::UnknownFunction,
            "loop.cycel",
            "unknown function `loop.cycel`",
            Some("did you mean `loop.cycle`?"),
        ),
    ] {
        let error = mistake(source);
        assert_eq!(error.kind, kind, "{source}");
        assert_eq!(&source[error.range], place, "{source}");
        assert_eq!(error.message, message, "{source}");
        assert_eq!(error.help.as_deref(), help, "{source}");
    }
}

#[test]
fn what_jinja_has_and_templates_do_not_is_named() {
    for statement in [
        "include 'x'",
        "import 'x' as y",
        "from 'x' import y",
        "extends 'x'",
        "block x",
        "macro x()",
        "call x()",
        "autoescape true",
        "do x()",
        "break",
        "continue",
        "trans",
    ] {
        let source = format!("a {{% {statement} %}}");
        let name = statement.split(' ').next().expect("a word");
        let error = mistake(&source);
        assert_eq!(error.kind, Kind::Unavailable, "{source}");
        assert_eq!(
            error.message,
            format!("`{name}` is not available in templates").replace("x()`", "`")
        );
        assert_eq!(&source[error.range], name);
        assert!(error.help.is_some());
    }
    for (source, place) in [
        (
            "{% for x in y recursive %}{% endfor %}",
            "for x in y recursive %}{% endfor",
        ),
        ("{% for x in y %}{{ loop(y) }}{% endfor %}", "loop"),
        ("{{ range(*a) }}", "a"),
        ("{{ dict(**a) }}", "a"),
        ("{% set a.b = 1 %}", "set a.b = 1"),
        ("{% set a, b.c = [1, 2] %}", "set a, b.c = [1, 2]"),
        ("{{ a[0]() }}", "a[0]"),
    ] {
        let (found, message) = spot(source);
        assert_eq!(found, place, "{source}: {message}");
        assert_eq!(mistake(source).kind, Kind::Unavailable, "{source}");
    }
}

#[test]
fn words_of_operators_are_no_names() {
    for (source, place, help) in [
        (
            "{{ 1 + not (2) }}",
            "not",
            Some("put it in brackets: `(not …)`"),
        ),
        ("{{ 1 + not x }}", "x", None),
        ("{{ or }}", "or", None),
        ("a {{ and.x }}", "and", None),
        ("a {{ 1 + in }}", "in", None),
        ("{% if else %}{% endif %}", "else", None),
    ] {
        let error = mistake(source);
        assert_eq!(error.kind, Kind::Syntax, "{source}");
        assert_eq!(&source[error.range], place, "{source}: {}", error.message);
        assert_eq!(error.help.as_deref(), help, "{source}");
    }
}

#[test]
fn what_cannot_work_is_refused() {
    for (source, place) in [
        ("{% for x in y %}{{ loop }}{% endfor %}", "loop"),
        (
            "{% for x in y %}{{ loop.cycle() }}{% endfor %}",
            "loop.cycle",
        ),
        ("{{ a | map(b) }}", "map(b)"),
        ("{% set __x = 1 %}", "__x"),
        ("{{ 1e999 }}", "1e999"),
    ] {
        let (found, message) = spot(source);
        assert_eq!(found, place, "{source}: {message}");
        assert_eq!(mistake(source).kind, Kind::Misuse, "{source}");
    }
}

#[test]
fn everything_wrong_is_reported_in_order() {
    let source = "{{ a | uper }} {% if b is defned %}{{ foo(1) | lowr }}{% endif %}";
    let errors = Template::parse(source).expect_err("wrong");
    let places: Vec<_> = errors
        .iter()
        .map(|error| &source[error.range.clone()])
        .collect();
    assert_eq!(places, ["uper", "defned", "foo", "lowr"]);
    let source = "{% include 'a' %}{% macro b() %}";
    assert_eq!(Template::parse(source).expect_err("wrong").len(), 2);
}

#[test]
fn where_raw_stands_is_listed() {
    let source =
        "{{ args.a | raw }}/{{ args.b }}/{% if args.c %}{{ args.c | upper | raw }}{% endif %}";
    let places = template(source).raw_filters();
    let places: Vec<_> = places
        .into_iter()
        .map(|range| (range.start, &source[range]))
        .collect();
    assert_eq!(places, [(12, "raw"), (67, "raw")]);
    assert!(template("{{ args.a }} raw").raw_filters().is_empty());
    assert!(template("raw").raw_filters().is_empty());
}

#[test]
fn debug_shows_only_the_source() {
    assert_eq!(
        format!("{:?}", template("{{ args.a }}")),
        r#"Template("{{ args.a }}")"#
    );
    assert_eq!(template("{{ args.a }}").source(), "{{ args.a }}");
}

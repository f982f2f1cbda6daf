//! What templates can say: Jinja, as written for the engine anew.

use serde_json::json;

use super::{args, shown, some_args, value};

#[test]
fn statements() {
    let scope = some_args();
    for (source, expected) in [
        (
            "{% if args.page > 2 %}many{% elif args.page %}few{% else %}no{% endif %}",
            "many",
        ),
        (
            "{% if args.page > 3 %}a{% elif args.page > 2 %}b{% elif true %}c{% else %}d{% endif %}",
            "b",
        ),
        (
            "{% if false %}a{% elif false %}b{% else %}{% if true %}c{% endif %}{% endif %}",
            "c",
        ),
        (
            "{% for x in args.items %}{{ x.sku }}={{ x.n }}{% if not loop.last %}, {% endif %}{% endfor %}",
            "a=1, b=2",
        ),
        (
            "{% for x in args.items if x.n > 1 %}{{ loop.index }}{{ x.sku }}{% else %}none{% endfor %}",
            "1b",
        ),
        (
            "{% for x in args.items if x.n > 7 %}{{ x.sku }}{% else %}none{% endfor %}",
            "none",
        ),
        (
            "{% for k, v in {'a': 1, 'b': 2} | items %}{{ k }}{{ v }}{% endfor %}",
            "a1b2",
        ),
        (
            "{% for a, (b, c) in [[1, [2, 3]]] %}{{ c }}{{ b }}{{ a }}{% endfor %}",
            "321",
        ),
        (
            "{% for x in args.customer %}{{ x }} {% endfor %}",
            "email tags ",
        ),
        (
            "{% set x = args.page + 1 %}{{ x }}{% set x = x * 2 %}{{ x }}",
            "48",
        ),
        ("{% set a, b = [1, 2] %}{{ b }}{{ a }}", "21"),
        (
            "{% set a, (b, c) = [1, [2, 3]] %}{{ c }}{{ b }}{{ a }}",
            "321",
        ),
        ("{% set (a,) = [1] | chain([]) %}{{ a }}", "1"),
        ("{% for (a,) in [[1], [2]] %}{{ a }}{% endfor %}", "12"),
        ("{% with (a,) = [1] %}{{ a }}{% endwith %}", "1"),
        ("{% set a, b = {'x': 1, 'y': 2} %}{{ a }}{{ b }}", "xy"),
        (
            "{% set a, b = (a, 1) if false else [2] | zip([3]) | first %}{{ a }}{{ b }}",
            "23",
        ),
        (
            "{% for a, b in [[1, 2], [3, 4]] if a > 1 %}{{ loop.length }}{{ b }}{% endfor %}",
            "14",
        ),
        (
            "{% set x %}[{{ args.page }}]{% endset %}{{ x }}{{ x | length }}",
            "[3]3",
        ),
        (
            "{% set x | upper | replace('A', 'b') %}aa{{ args.page }}{% endset %}{{ x }}",
            "bb3",
        ),
        (
            "{% with a = args.page, b = a + 1 %}{{ a }}{{ b }}{% endwith %}",
            "34",
        ),
        (
            "{% with (a, b) = [1, 2] %}{{ a }}{{ b }}{% endwith %}",
            "12",
        ),
        (
            "{% filter upper %}x{{ args.query }}{% filter replace('X', 'y') %}x{% endfilter %}{% endfilter %}",
            "XRUST MCPX",
        ),
        (
            "{% for x in [1, 2, 3] %}{{ loop.cycle('a', 'b') }}{% endfor %}",
            "aba",
        ),
        (
            "{% for x in [1, 1, 2] %}{{ x if loop.changed(x) }}{% endfor %}",
            "12",
        ),
        (
            "{% for x in [1, 2] %}{% for y in [x] %}{{ loop.index }}{% endfor %}{{ loop.index }}{% endfor %}",
            "1112",
        ),
        (
            "{% for x in [1, 2] %}{{ loop.previtem or '-' }}{{ loop.nextitem or '-' }}{% endfor %}",
            "-21-",
        ),
        (
            "{% for x in [1] %}{% set y = x %}{% endfor %}{% if y is defined %}leaks{% endif %}.",
            ".",
        ),
        ("{% if true %}{% set y = 1 %}{% endif %}{{ y }}", "1"),
    ] {
        assert_eq!(shown(source, &scope), expected, "{source}");
    }
}

#[test]
fn names_that_are_set_shadow_nothing_before_them() {
    let scope = some_args();
    assert_eq!(
        shown(
            "{% set page = args.page %}{% for page in [page] %}{{ page }}{% endfor %}",
            &scope
        ),
        "3"
    );
    assert_eq!(
        shown(
            "{% set x = 1 %}{% with x = x + 1 %}{{ x }}{% endwith %}{{ x }}",
            &scope
        ),
        "21"
    );
    // A name of one's own may be the name of a path's part.
    assert_eq!(
        shown("{% set query = 1 %}{{ args.query }}", &scope),
        "rust mcp"
    );
}

#[test]
fn white_space_comments_and_raw_are_as_in_jinja() {
    let scope = some_args();
    for (source, expected) in [
        ("a  {{- args.page -}}  b", "a3b"),
        ("a \n {%- if true -%} \n x \n {%- endif %} b", "ax b"),
        ("a {#- note -#} b", "ab"),
        ("a {# {{ args.missing }} #} b", "a  b"),
        (
            "{% raw %}{{ args.page }} {% if %}{% endraw %}{{ args.page }}",
            "{{ args.page }} {% if %}3",
        ),
        (
            "a {%- raw -%} {{ x }} {%- endraw -%} b{{ 1 }}",
            "a{{ x }}b1",
        ),
        ("{{ '{{' }}{{ '}}' }}", "{{}}"),
        ("{{ args.page }}{ {{ args.page }}", "3{ 3"),
        (
            "{% if true %}{% raw %}{{%{% endraw %}{ x }}{% endif %}",
            "{{%{ x }}",
        ),
        ("{% if true %}a{% endif %}\n", "a\n"),
        ("line\n{{ args.page }}\n", "line\n3\n"),
        ("{% if true %}é{{ 'ü' }}\r\n{% endif %}", "éü\r\n"),
    ] {
        assert_eq!(shown(source, &scope), expected, "{source}");
    }
}

#[test]
fn expressions() {
    let scope = some_args();
    for (source, expected) in [
        ("{{ 1 + 2 * 3 - 4 }}", json!(3)),
        ("{{ (1 + 2) * (3 - 4) }}", json!(-3)),
        ("{{ 10 - 3 - 2 }}", json!(5)),
        ("{{ 2 ** 3 ** 2 }}", json!(64)),
        ("{{ 7 // 2 }}", json!(3)),
        ("{{ -7 % 3 }}", json!(2)),
        ("{{ - args.page ** 2 }}", json!(9)),
        ("{{ 1 < 2 < 3 }}", json!(true)),
        ("{{ 3 > 2 > 2 }}", json!(false)),
        ("{{ not 1 == 2 and true or false }}", json!(true)),
        ("{{ 1 if false else 2 if false else 3 }}", json!(3)),
        ("{{ 'a' ~ 1 + 2 ~ 'b' }}", json!("a12b")),
        ("{{ 'two' in args.list }}", json!(true)),
        ("{{ 'x' not in args.list }}", json!(true)),
        ("{{ args.page is not odd }}", json!(false)),
        ("{{ args.list[1:] }}", json!(["two", 3.5])),
        ("{{ args.list[::-1] }}", json!([3.5, "two", 1])),
        ("{{ args.list[:args.page - 1] }}", json!([1, "two"])),
        ("{{ args.list[::-9223372036854775807 - 1] }}", json!([3.5])),
        (
            "{{ args.list[-9223372036854775807 - 1:] }}",
            json!([1, "two", 3.5]),
        ),
        ("{{ args['customer']['email'] }}", json!("a@b.example")),
        ("{{ args.items[-1].sku }}", json!("b")),
        ("{{ args.items.0.sku }}", json!("a")),
        ("{{ args.query[0] }}", json!("r")),
        ("{{ args.query[-1] }}", json!("p")),
        ("{{ args.query[:4] }}", json!("rust")),
        ("{{ (1, 2) }}", json!([1, 2])),
        ("{{ [] }}", json!([])),
        ("{{ {} }}", json!({})),
        ("{{ {'a': {'b': [1]}}['a'].b[0] }}", json!(1)),
        (
            "{{ {1: 'x', 2.5: 'y', none: 'z'} }}",
            json!({ "1": "x", "2.5": "y", "null": "z" }),
        ),
        ("{{ 'it''s' }}", json!("its")),
        ("{{ \"q\\\"\\\\\\n\\u00e9\" }}", json!("q\"\\\né")),
        ("{{ 0x1f + 1_000 }}", json!(1031)),
        ("{{ 1.5e3 }}", json!(1500.0)),
        ("{{ 1e300 }}", json!(1e300)),
        ("{{ true and none }}", json!(null)),
        ("{{ args.items | map(attribute='n') | sum }}", json!(3)),
        ("{{ args.items | join('+', attribute='n') }}", json!("1+2")),
        ("{{ args.items | join('+', 'n') }}", json!("1+2")),
        ("{{ args.list | join(d='/') }}", json!("1/two/3.5")),
        ("{{ range(1, 4) | list }}", json!([1, 2, 3])),
        (
            "{{ dict(args.customer, email=1) }}",
            json!({ "email": 1, "tags": [] }),
        ),
    ] {
        assert_eq!(value(source, &scope), Some(expected), "{source}");
    }
}

#[test]
fn long_chains_stay_within_what_the_engine_nests() {
    let scope = args(json!({ "a": 1 }));
    let sum = vec!["args.a"; 90].join(" + ");
    assert_eq!(value(&format!("{{{{ {sum} }}}}"), &scope), Some(json!(90)));
    let words = vec!["args.a"; 90].join(" ~ ");
    assert_eq!(
        value(&format!("{{{{ {words} }}}}"), &scope),
        Some(json!("1".repeat(90)))
    );
    let filters = " | string".repeat(90);
    assert_eq!(
        value(&format!("{{{{ args.a{filters} }}}}"), &scope),
        Some(json!("1"))
    );
    let elifs = "{% elif args.b %}".repeat(90);
    assert_eq!(
        shown(
            &format!("{{% if args.b %}}{elifs}{{% else %}}x{{% endif %}}"),
            &scope
        ),
        "x"
    );
    let ifs = format!(
        "{}x{}",
        "{% if args.a %}".repeat(90),
        "{% endif %}".repeat(90)
    );
    assert_eq!(shown(&ifs, &scope), "x");
    let brackets = format!("{{{{ {}args.a{} }}}}", "(".repeat(60), ")".repeat(60));
    assert_eq!(value(&brackets, &scope), Some(json!(1)));
}

#[test]
fn a_step_is_the_same_written_and_computed() {
    let scope = some_args();
    for (written, computed, expected) in [
        ("1.0", "args.half - 29", Some(json!("two"))),
        ("true", "args.flag", Some(json!("two"))),
        ("not 0", "not args.nothing", Some(json!("two"))),
        ("-1", "args.page - 4", Some(json!(3.5))),
        ("1.5", "args.page + 0.5", None),
    ] {
        let list = |step: &str| value(&format!("{{{{ args.list[{step}] }}}}"), &scope);
        assert_eq!(list(written), expected, "{written}");
        assert_eq!(list(computed), expected, "{computed}");
    }
}

#[test]
fn bounds_of_slices_are_computed_from_either_end() {
    let scope = some_args();
    for (slice, expected) in [
        ("args.page - 2:", json!(["two", 3.5])),
        (":args.page - 2", json!([1])),
        ("args.page - 4:", json!([3.5])),
        ("::args.page - 1", json!([1, 3.5])),
        (
            ":9223372036854775806 + args.list[0]",
            json!([1, "two", 3.5]),
        ),
        ("args.page - 9223372036854775807:", json!([1, "two", 3.5])),
    ] {
        let source = format!("{{{{ args.list[{slice}] }}}}");
        assert_eq!(value(&source, &scope), Some(expected), "{source}");
    }
}

#[test]
fn an_order_is_the_same_by_operator_and_by_test() {
    let holds: [(&str, &[&str], [bool; 3]); 6] = [
        ("==", &["eq", "equalto"], [false, true, false]),
        ("!=", &["ne"], [true, false, true]),
        ("<", &["lt", "lessthan"], [true, false, false]),
        ("<=", &["le"], [true, true, false]),
        (">", &["gt", "greaterthan"], [false, false, true]),
        (">=", &["ge"], [false, true, true]),
    ];
    for (operator, tests, expected) in holds {
        let mut written = vec![
            format!("{{{{ [1 {operator} 2, 2 {operator} 2, 3 {operator} 2] }}}}"),
            format!("{{{{ [[1] {operator} [2], [2] {operator} [2], [3] {operator} [2]] }}}}"),
        ];
        for test in tests {
            written.push(format!(
                "{{{{ [1 is {test} 2, 2 is {test} 2, 3 is {test} 2] }}}}"
            ));
        }
        for source in written {
            assert_eq!(
                value(&source, &args(json!({}))),
                Some(json!(expected)),
                "{source}"
            );
        }
        let source = format!("{{{{ [1, 2, 3] | select('{operator}', 2) | list }}}}");
        let chosen: Vec<_> = (1..=3).zip(expected).filter(|(_, holds)| *holds).collect();
        let chosen: Vec<_> = chosen.into_iter().map(|(number, _)| number).collect();
        assert_eq!(
            value(&source, &args(json!({}))),
            Some(json!(chosen)),
            "{source}"
        );
    }
    // A list is no number, and no list is in an order with one.
    for (source, expected) in [
        ("{{ 1 == [1] }}", false),
        ("{{ [1] == 1 }}", false),
        ("{{ 1 != [1] }}", true),
        ("{{ {'a': 1} == [1] }}", false),
        ("{{ {'a': 1, 'b': [2]} == {'a': 1, 'b': [2]} }}", true),
        ("{{ {'a': 1, 'b': [2]} == {'a': 1, 'b': [3]} }}", false),
        ("{{ {'a': 1} == {'b': 1} }}", false),
    ] {
        assert_eq!(
            value(source, &args(json!({}))),
            Some(json!(expected)),
            "{source}"
        );
    }
}

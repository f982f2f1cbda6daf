//! Every shape that is refused, by name and place.

use super::super::{MAX_BYTES, MAX_VARIABLES, UriTemplate};

/// A template, what it has, and the part of it that is shown.
const REFUSED: &[(&str, &str, &str)] = &[
    // Operators and modifiers.
    ("x://h/{#a}", "a fragment expansion, `{#var}`", "{#a}"),
    ("x://h/{.a}", "a label expansion, `{.var}`", "{.a}"),
    ("x://h/{;a}", "a path-style parameter, `{;var}`", "{;a}"),
    (
        "x://h/{=a}",
        "the operator `=`, which RFC 6570 reserves",
        "{=a}",
    ),
    (
        "x://h/{,a}",
        "the operator `,`, which RFC 6570 reserves",
        "{,a}",
    ),
    (
        "x://h/{!a}",
        "the operator `!`, which RFC 6570 reserves",
        "{!a}",
    ),
    (
        "x://h/{@a}",
        "the operator `@`, which RFC 6570 reserves",
        "{@a}",
    ),
    (
        "x://h/{|a}",
        "the operator `|`, which RFC 6570 reserves",
        "{|a}",
    ),
    ("x://h/{a:3}", "a prefix modifier, `{var:n}`", "a:3"),
    ("x://h/a{?b:3}", "a prefix modifier, `{var:n}`", "b:3"),
    ("x://h/{a*}", "an exploded variable, `{var*}`", "{a*}"),
    ("x://h/{+a*}", "an exploded variable, `{+var*}`", "{+a*}"),
    ("x://{a*}/b", "an exploded variable, `{var*}`", "{a*}"),
    (
        "x://h/a{?b*}",
        "an exploded query variable, `{?var*}`",
        "b*",
    ),
    (
        "x://h/{a,b}",
        "several variables in one expression, `{a,b}`",
        "{a,b}",
    ),
    (
        "x://h/{+a,b}",
        "several variables in one expression, `{+a,b}`",
        "{+a,b}",
    ),
    (
        "x://{a,b}/c",
        "several variables in one expression, `{a,b}`",
        "{a,b}",
    ),
    (
        "x://h{/a,b}",
        "several variables in a path expression, `{/a,b}`",
        "{/a,b}",
    ),
    (
        "x://h{/a*,b}",
        "several variables in a path expression, `{/a,b}`",
        "{/a*,b}",
    ),
    // Where expressions may stand.
    (
        "x://h/v{version}",
        "a path segment with literal text and an expression",
        "v{version}",
    ),
    (
        "x://h/{name}.json",
        "a path segment with literal text and an expression",
        "{name}.json",
    ),
    ("x://h/{a}{b}", "or two expressions", "{a}{b}"),
    ("x://h/{a}{+b}", "or two expressions", "{a}{+b}"),
    (
        "x://h{/a}b",
        "a path segment with literal text and an expression",
        "{/a}b",
    ),
    ("x://h{/a}{b}", "or two expressions", "{/a}{b}"),
    (
        "x://h/{+a}{/b}",
        "more than one path expression of variable length",
        "{/b}",
    ),
    (
        "x://h{/a}/{+b}",
        "more than one path expression of variable length",
        "{+b}",
    ),
    (
        "x://h{/a}{/b*}",
        "more than one path expression of variable length",
        "{/b*}",
    ),
    (
        "x://h/{/a}",
        "`{/var}` behind a `/`, which leaves an empty segment",
        "/{/a}",
    ),
    ("x://h/a/", "an empty path segment", "/"),
    ("x://h//a", "an empty path segment", "//"),
    ("x://h/{+a}/", "an empty path segment", "/"),
    // The scheme and the authority.
    ("{s}://h/a", "an expression in its scheme", "{s}"),
    ("x{s}://h/a", "an expression in its scheme", "x{s}"),
    (
        "{+url}",
        "does not begin with a literal scheme and `://`",
        "{+url}",
    ),
    (
        "/a/{b}",
        "does not begin with a literal scheme and `://`",
        "/a/{b}",
    ),
    (
        "urn:isbn:{a}",
        "does not begin with a literal scheme and `://`",
        "urn:isbn:{a}",
    ),
    (
        "1x://h/{a}",
        "does not begin with a literal scheme and `://`",
        "1x://h/{a}",
    ),
    (
        "x://{+a}",
        "a reserved expansion, `{+var}`, in its authority",
        "{+a}",
    ),
    (
        "x://a{b}/c",
        "an authority that is not one literal or one `{var}`",
        "a{b}",
    ),
    (
        "x://{a}.org/c",
        "an authority that is not one literal or one `{var}`",
        "{a}.org",
    ),
    (
        "x://{a}{b}/c",
        "an authority that is not one literal or one `{var}`",
        "{a}{b}",
    ),
    (
        "x://{a}:{port}/c",
        "an authority that is not one literal or one `{var}`",
        "{a}:{port}",
    ),
    ("x://", "an empty authority that no `/` follows", ""),
    (
        "file://{/a*}",
        "an empty authority that no `/` follows",
        "{/a*}",
    ),
    ("x://{?a}", "an empty authority that no `/` follows", "{?a}"),
    ("x://h:80/{a}", "a port in its authority", "h:80"),
    ("x://u@h/{a}", "userinfo in its authority", "u@h"),
    // The query and the fragment.
    ("x://h?a=1", "a literal query", "?a=1"),
    ("x://h/{a}?b={b}", "a literal query", "?b="),
    ("x://h/a{&b}", "`{&…}` without a `{?…}` before it", "{&b}"),
    ("x://h/a{?b}{?c}", "more than one `{?…}`", "{?c}"),
    ("x://h/a{?b}/c", "more behind its query expression", "/"),
    ("x://h/a{?b}{c}", "more behind its query expression", "{c}"),
    ("x://h{?a}x", "more behind its query expression", "x"),
    ("x://h/a{?b,b}", "names the query parameter `b` twice", "b"),
    (
        "x://h/a{?b}{&b}",
        "names the query parameter `b` twice",
        "b",
    ),
    ("x://h/{a}#b", "a fragment", "#b"),
    // What is malformed.
    ("x://h/{}", "an expression without a variable", "{}"),
    ("x://h/{+}", "an expression without a variable", "{+}"),
    ("x://h/a{?}", "an expression without a variable", "{?}"),
    ("x://h/{a,}", "an expression without a variable", "{a,}"),
    ("x://h/{*}", "an expression without a variable", "{*}"),
    ("x://h/{a b}", "a variable named `a b`", "a b"),
    ("x://h/{ a }", "a variable named ` a `", " a "),
    ("x://h/{a-b}", "a variable named `a-b`", "a-b"),
    ("x://h/{ü}", "a variable named `ü`", "ü"),
    ("x://h/{a..b}", "a variable named `a..b`", "a..b"),
    ("x://h/{a%20}", "a variable named `a%20`", "a%20"),
    ("x://h/{uri}", "a variable named `uri`", "uri"),
    ("x://h/{a", "a `{` without a `}`", "{a"),
    ("x://h/a}", "a `}` without a `{`", "}"),
    ("x://h/{a{b}}", "an expression in an expression", "{a{b}"),
    ("x://h/%2", "a `%` without two hexadecimal digits", "%"),
    (
        "x://h/a%zz/{b}",
        "a `%` without two hexadecimal digits",
        "%",
    ),
    (
        "x://h/%ff/{b}",
        "percent-encoded bytes that are not UTF-8",
        "%ff",
    ),
    (
        "x://h/a b/{c}",
        "a character that must be percent-encoded",
        " ",
    ),
    (
        "x://h/bücher/{c}",
        "a character that must be percent-encoded",
        "ü",
    ),
    (
        "x://h/a\\b/{c}",
        "a character that must be percent-encoded",
        "\\",
    ),
    (
        "x://bücher/{c}",
        "a character that must be percent-encoded",
        "ü",
    ),
    ("x://[::/{c}", "a port in its authority", "[::"),
];

#[test]
fn a_refused_shape_is_named_with_its_place() {
    for (source, named, shown) in REFUSED {
        let error = UriTemplate::parse(source).expect_err(source);
        assert!(error.message.contains(named), "{source}: {error}");
        assert_eq!(
            source.get(error.range.clone()),
            Some(*shown),
            "{source}: {error}"
        );
    }
}

#[test]
fn bounds_are_exact() {
    let of_bytes = |bytes: usize| {
        let front = "x://h/{a}/";
        format!("{front}{}", "y".repeat(bytes - front.len()))
    };
    assert!(UriTemplate::parse(&of_bytes(MAX_BYTES)).is_ok());
    let error = UriTemplate::parse(&of_bytes(MAX_BYTES + 1)).expect_err("too long");
    assert_eq!(error.message, "the template has more than 1024 bytes");

    let of_variables = |count: usize| {
        let path: Vec<String> = (0..count - 2).map(|n| format!("/{{v{n}}}")).collect();
        format!("x://{{h}}{}{{?q}}", path.concat())
    };
    let found = UriTemplate::parse(&of_variables(MAX_VARIABLES)).expect("just enough");
    assert_eq!(found.variables().len(), MAX_VARIABLES);
    let error = UriTemplate::parse(&of_variables(MAX_VARIABLES + 1)).expect_err("too many");
    assert_eq!(error.message, "the template has more than 32 variables");

    let names: Vec<String> = (0..MAX_VARIABLES).map(|n| format!("q{n}")).collect();
    let source = format!("x://h{{?{}}}", names.join(","));
    let query: Vec<String> = names.iter().map(|name| format!("{name}=1")).collect();
    let bound = super::bound(&source, &format!("x://h?{}", query.join("&")));
    assert_eq!(bound.map(|bound| bound.len()), Some(MAX_VARIABLES));
}

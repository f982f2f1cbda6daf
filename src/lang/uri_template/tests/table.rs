//! Which URIs match, and what they bind.

use super::{Uri, bound, template};

const NONE: &[(&str, &str)] = &[];

/// A template, a URI that it matches, and what is bound.
type Match<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)]);

const MATCHES: &[Match<'_>] = &[
    // The table.
    (
        "hex://{name}/info",
        "hex://jason/info",
        &[("name", "jason")],
    ),
    (
        "files://{root}/{+path}",
        "files://docs/a/b.txt",
        &[("path", "a/b.txt"), ("root", "docs")],
    ),
    (
        "files://{root}/{+path}",
        "files://docs/a",
        &[("path", "a"), ("root", "docs")],
    ),
    (
        "hex://{name}{/version}",
        "hex://jason",
        &[("name", "jason")],
    ),
    (
        "hex://{name}{/version}",
        "hex://jason/1.4.0",
        &[("name", "jason"), ("version", "1.4.0")],
    ),
    (
        "hex://{name}/docs{/page*}",
        "hex://jason/docs",
        &[("name", "jason")],
    ),
    (
        "hex://{name}/docs{/page*}",
        "hex://jason/docs/a",
        &[("name", "jason"), ("page", "a")],
    ),
    (
        "hex://{name}/docs{/page*}",
        "hex://jason/docs/a/b",
        &[("name", "jason"), ("page", "a/b")],
    ),
    (
        "search://{index}{?q,lang}",
        "search://hex",
        &[("index", "hex")],
    ),
    (
        "search://{index}{?q,lang}",
        "search://hex?lang=en&q=json",
        &[("index", "hex"), ("lang", "en"), ("q", "json")],
    ),
    (
        "search://{index}{?q,lang}",
        "search://hex?lang=en",
        &[("index", "hex"), ("lang", "en")],
    ),
    (
        "search://hex/pkgs{?q}{&sort}",
        "search://hex/pkgs?q=js&sort=name",
        &[("q", "js"), ("sort", "name")],
    ),
    (
        "search://hex/pkgs{?q}{&sort}",
        "search://hex/pkgs?sort=name",
        &[("sort", "name")],
    ),
    // The authority.
    (
        "file:///{+path}",
        "file:///etc/hosts",
        &[("path", "etc/hosts")],
    ),
    (
        "HEX://{name}/info",
        "hex://jason/info",
        &[("name", "jason")],
    ),
    (
        "hex://{name}/info",
        "HeX://Jason/info",
        &[("name", "Jason")],
    ),
    ("x://Host/a", "x://hOST/a", NONE),
    ("x://[::1]/{a}", "x://[::1]/b", &[("a", "b")]),
    // The ends are matched from each side.
    (
        "x://h/a/{+mid}/{last}/z",
        "x://h/a/b/c/d/z",
        &[("last", "d"), ("mid", "b/c")],
    ),
    ("x://h/{one}{/rest*}/end", "x://h/1/end", &[("one", "1")]),
    (
        "x://h/{one}{/rest*}/end",
        "x://h/1/end/end",
        &[("one", "1"), ("rest", "end")],
    ),
    ("x://h{/v}/z", "x://h/z/z", &[("v", "z")]),
    // Values.
    ("x://h/a{?q}", "x://h/a?q=", &[("q", "")]),
    ("x://h/a{?q}", "x://h/a?q=a=b", &[("q", "a=b")]),
    ("x://h/a{?q}", "x://h/a?q=a/b?c", &[("q", "a/b?c")]),
    ("x://h/a{?q}", "x://h/a?q=a%26b", &[("q", "a&b")]),
    ("x://h/{a}", "x://h/a+b", &[("a", "a+b")]),
    ("x://h/{a}", "x://h/a%20b", &[("a", "a b")]),
    ("x://h/{a}", "x://h/%2520", &[("a", "%20")]),
    ("x://h/{a}", "x://h/a%2Fb", &[("a", "a/b")]),
    ("x://h/{a}", "x://h/%00", &[("a", "\0")]),
    ("x://h/{a}", "x://h/%c3%BC", &[("a", "ü")]),
    ("x://h/{a}", "x://h/..", &[("a", "..")]),
    ("x://h/{+a}", "x://h/b/../c/.", &[("a", "b/../c/.")]),
    ("x://h/{a}", "x://h/v1:b@c;d=e", &[("a", "v1:b@c;d=e")]),
    ("x://{h}/a", "x://b%C3%BCcher/a", &[("h", "bücher")]),
    // A variable that stands twice.
    ("x://{a}/{a}", "x://b/b", &[("a", "b")]),
    ("x://{a}/{a}", "x://b/%62", &[("a", "b")]),
    ("x://{a}/b{?a}", "x://c/b?a=c", &[("a", "c")]),
    ("x://{a}/b{?a}", "x://c/b", &[("a", "c")]),
    // Literals are compared as they are written.
    ("x://h/a%20b", "x://h/a%20b", NONE),
    ("x://h/~a:b/{v}", "x://h/~a:b/c", &[("v", "c")]),
    ("x://h", "x://h", NONE),
    ("x://h/{a.b}", "x://h/c", &[("a.b", "c")]),
];

/// A template and a URI that it does not match.
const MISSES: &[(&str, &str)] = &[
    ("hex://{name}/info", "hex://jason"),
    ("hex://{name}/info", "hex://jason/info/more"),
    ("hex://{name}/info", "hex://jason/INFO"),
    ("hex://{name}/info", "hex:///info"),
    ("hex://{name}/info", "hexx://jason/info"),
    ("hex://{name}/info", "hex:jason/info"),
    ("hex://{name}/info", "hex://jason/info/"),
    ("files://{root}/{+path}", "files://docs"),
    ("files://{root}/{+path}", "files://docs/"),
    ("files://{root}/{+path}", "files://docs//a"),
    ("files://{root}/{+path}", "files://docs/a//b"),
    ("files://{root}/{+path}", "files://docs/a/"),
    ("hex://{name}{/version}", "hex://jason/"),
    ("hex://{name}{/version}", "hex://jason/1/2"),
    ("hex://{name}/docs{/page*}", "hex://jason/docs/"),
    // The authority.
    ("file:///{+path}", "file://localhost/etc/hosts"),
    ("file:///{+path}", "file:/etc/hosts"),
    ("x://h/{a}", "x://h:80/b"),
    ("x://h/{a}", "x://h:/b"),
    ("x://h/{a}", "x://u@h/b"),
    ("x://h/{a}", "x://@h/b"),
    ("x://{h}/a", "x://h:80/a"),
    ("x://{h}/a", "x://u@h/a"),
    ("x://{h}/a", "x://[::1]/a"),
    // The query.
    ("search://{index}{?q,lang}", "search://hex?"),
    ("search://{index}{?q,lang}", "search://hex?q=a&"),
    ("search://{index}{?q,lang}", "search://hex?&q=a"),
    ("search://{index}{?q,lang}", "search://hex?q"),
    ("search://{index}{?q,lang}", "search://hex?q=a&q=a"),
    ("search://{index}{?q,lang}", "search://hex?other=a"),
    ("search://{index}{?q,lang}", "search://hex?q=a&other=a"),
    ("search://{index}{?q,lang}", "search://hex?Q=a"),
    ("search://{index}{?q,lang}", "search://hex?%71=a"),
    ("x://h/{a}", "x://h/b?q=a"),
    ("x://h/{a}", "x://h/b?"),
    // The fragment.
    ("x://h/{a}", "x://h/b#c"),
    ("x://h/a{?q}", "x://h/a?q=b#"),
    // Values.
    ("x://h/{a}", "x://h/%ff"),
    ("x://h/{a}", "x://h/%C3"),
    ("x://h/{a}", "x://h/%ED%A0%80"),
    ("x://h/{a}", "x://h/%2"),
    ("x://h/{a}", "x://h/%zz"),
    ("x://h/{a}", "x://h/ü"),
    ("x://h/{a}", "x://h/a b"),
    ("x://h/{a}", "x://h/a\0"),
    ("x://h/a{?q}", "x://h/a?q=%fe"),
    ("x://h/{+a}", "x://h/%C3/%BC"),
    ("x://{a}/{a}", "x://b/c"),
    ("x://{a}/{a}", "x://b/B"),
    ("x://{a}/b{?a}", "x://c/b?a=d"),
    // Literals are not decoded, nor are dots taken away.
    ("x://h/a%20b", "x://h/a%2520b"),
    ("x://h/a", "x://h/%61"),
    ("x://h/a", "x://h/b/../a"),
    ("x://h/a", "x://h//a"),
    // What is no URI at all.
    ("x://h/{a}", ""),
    ("x://h/{a}", "x"),
    ("x://h/{a}", "://h/a"),
];

#[test]
fn what_matches_binds_its_variables() {
    for (template, uri, expected) in MATCHES {
        let expected: Vec<(String, String)> = expected
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        assert_eq!(bound(template, uri), Some(expected), "{template} {uri}");
    }
}

#[test]
fn what_does_not_fit_does_not_match() {
    for (template, uri) in MISSES {
        assert_eq!(bound(template, uri), None, "{template} {uri}");
    }
}

#[test]
fn variables_are_told_in_order_and_once() {
    let found = template("x://{a}/{b}/{a}{/c*}{?d,b}");
    assert_eq!(found.variables(), ["a", "b", "c", "d"]);
    assert_eq!(found.one_segment_variables(), ["a", "b", "a"]);
    assert_eq!(found.required_variables(), ["a", "b", "a"]);
    let found = template("x://h/{+a}/{b}");
    assert_eq!(found.required_variables(), ["b", "a"]);
    assert_eq!(template("x://h{/v}").one_segment_variables(), ["v"]);
    assert_eq!(template("X://h/{a}").source(), "X://h/{a}");
}

#[test]
fn templates_that_differ_by_the_case_of_scheme_and_host_are_the_same() {
    let canonical = |source: &str| template(source).canonical();
    assert_eq!(canonical("X://Host/{A}/B"), "x://host/{A}/B");
    assert_eq!(canonical("X://{Host}/B"), "x://{Host}/B");
    assert_eq!(canonical("X:///{+A}"), "x:///{+A}");
}

#[test]
fn a_uri_that_cannot_be_expanded_is_none() {
    let found = template("x://h/{a}/{+b}{?c}");
    let expand = |a: Option<&'static str>, b: Option<&'static str>, c: Option<&'static str>| {
        found.expand(|name| match name {
            "a" => a,
            "b" => b,
            _ => c,
        })
    };
    let expected = "x://h/%3F/d/e%23?c=";
    assert_eq!(
        expand(Some("?"), Some("d/e#"), Some("")).as_deref(),
        Some(expected)
    );
    assert_eq!(expand(None, Some("d"), None), None);
    assert_eq!(expand(Some(""), Some("d"), None), None);
    assert_eq!(expand(Some("a"), None, None), None);
    assert_eq!(expand(Some("a"), Some("d//e"), None), None);
    assert_eq!(expand(Some("a"), Some("/d"), None), None);
}

#[test]
fn what_is_bound_is_found_by_its_name() {
    let template = template("x://h/{a}/{b}");
    let uri = Uri::parse("x://h/1/2").expect("a URI");
    let bound = template.matches(&uri).expect("a match");
    let found = ["a", "b", "c"].map(|name| bound.get(name));
    assert_eq!(found, [Some("1"), Some("2"), None]);
}

//! Exact URIs: RFC 3986.

use super::super::Uri;

#[test]
fn an_absolute_uri_is_read() {
    for uri in [
        "x://h/a",
        "file:///etc/hosts",
        "urn:isbn:0451450523",
        "mailto:a@b.c",
        "x:",
        "x:/a/b",
        "a1+b-c.d://h",
        "x://u:p@h:80/a;b=c?d=e/f?g",
        "x://[2001:db8::1]:80/",
        "x://[v1.a:b]/",
        "x://h/a//b/",
        "x://h/%C3%BC%00",
        "x://?a",
        "x://h:",
    ] {
        let read = Uri::parse(uri).unwrap_or_else(|error| panic!("{uri}: {error}"));
        assert_eq!(read.as_str(), uri);
    }
}

#[test]
fn what_is_no_absolute_uri_is_refused_with_its_place() {
    for (uri, message, shown) in [
        ("", "it does not begin with a scheme and `:`", ""),
        ("docs", "it does not begin with a scheme and `:`", "docs"),
        ("/a:b", "it does not begin with a scheme and `:`", "/a:b"),
        ("//h/a", "it does not begin with a scheme and `:`", "//h/a"),
        ("1x:a", "it does not begin with a scheme and `:`", "1x:a"),
        ("x y:a", "it does not begin with a scheme and `:`", "x y:a"),
        ("x://h/a#b", "it has a fragment", "#b"),
        (
            "x://h/a b",
            "it has a character that must be percent-encoded",
            " ",
        ),
        (
            "x://h/ü",
            "it has a character that must be percent-encoded",
            "ü",
        ),
        (
            "x://h/a\\b",
            "it has a character that must be percent-encoded",
            "\\",
        ),
        (
            "x://h/{a}",
            "it has a character that must be percent-encoded",
            "{",
        ),
        (
            "x://h/[a]",
            "it has a character that must be percent-encoded",
            "[",
        ),
        (
            "x://h?a[b]=c",
            "it has a character that must be percent-encoded",
            "[",
        ),
        (
            "x://h/a\u{0}",
            "it has a character that must be percent-encoded",
            "\u{0}",
        ),
        (
            "x://h h/a",
            "it has a character that must be percent-encoded",
            " ",
        ),
        (
            "x://a\"@h/a",
            "it has a character that must be percent-encoded",
            "\"",
        ),
        (
            "x://h/%",
            "it has a `%` without two hexadecimal digits",
            "%",
        ),
        (
            "x://h/%4",
            "it has a `%` without two hexadecimal digits",
            "%",
        ),
        (
            "x://h?%4x",
            "it has a `%` without two hexadecimal digits",
            "%",
        ),
        ("x://h:8a/", "its port is not a number", ":8a"),
        ("x://[::1]x/", "its port is not a number", "x"),
        ("x://[::1]80/", "its port is not a number", "80"),
        ("x://[::g]/", "its host is no address in `[…]`", "[::g]"),
        ("x://[v.a]/", "its host is no address in `[…]`", "[v.a]"),
        ("x://[v1.]/", "its host is no address in `[…]`", "[v1.]"),
        ("x://[vg.a]/", "its host is no address in `[…]`", "[vg.a]"),
        (
            "x://[v1.%20]/",
            "its host is no address in `[…]`",
            "[v1.%20]",
        ),
        (
            "x://a@b@h/",
            "it has a character that must be percent-encoded",
            "@",
        ),
    ] {
        let error = Uri::parse(uri).expect_err(uri);
        assert_eq!(error.message, message, "{uri}");
        assert_eq!(uri.get(error.range.clone()), Some(shown), "{uri}");
    }
}

/// RFC 3986 §3, character by character.
#[test]
fn each_part_has_its_characters() {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._~!$&'()*+,;=".contains(c);
    for c in (0..0x80).map(char::from) {
        for (uri, others) in [
            // What ends a part is no mistake in it.
            (format!("x://a{c}b/"), "@/?"),
            (format!("x://a{c}b@h/"), ":/?"),
            (format!("x://h/a{c}b"), ":@/?"),
            (format!("x://h?a{c}b"), ":@/?"),
        ] {
            let allowed = is_plain(c) || others.contains(c);
            assert_eq!(Uri::parse(&uri).is_ok(), allowed, "{uri:?}");
        }
        let scheme = format!("a{c}b://h");
        let allowed = c.is_ascii_alphanumeric() || "+-.".contains(c);
        // Behind the first colon the rest is a path.
        assert_eq!(
            Uri::parse(&scheme).is_ok(),
            allowed || c == ':',
            "{scheme:?}"
        );
    }
}

#[test]
fn scheme_and_host_are_the_same_in_any_case() {
    let canonical = |uri: &str| Uri::parse(uri).expect(uri).canonical();
    assert_eq!(canonical("X://U:P@HoSt:80/A?B"), "x://U:P@host:80/A?B");
    assert_eq!(canonical("URN:Isbn:1"), "urn:Isbn:1");
    assert_eq!(canonical("File:///A"), "file:///A");
    assert_eq!(canonical("x://h"), "x://h");
}

#[test]
fn what_is_meant_is_without_encoding_dots_and_order() {
    let meant = |uri: &str| {
        let (place, query) = Uri::parse(uri).expect(uri).meant();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
        let query = query.map(|pairs| pairs.into_iter().map(text).collect::<Vec<_>>());
        (text(place), query)
    };
    let of = |place: &str| place.to_owned();
    for (uri, place, query) in [
        (
            "X://H/a/./b/../c%2Fd//E/?z=1&a=%32&a=1",
            "x:/h/a/c/d/E",
            Some(vec![of("a=1"), of("a=2"), of("z=1")]),
        ),
        ("x://h/a?", "x:/h/a", Some(vec![of("")])),
        ("x://h/a", "x:/h/a", None),
        ("x:/../a", "a", None),
    ] {
        assert_eq!(meant(uri), (of(place), query), "{uri}");
    }
}

//! What holds for any template, any values and any URI.

use super::super::{MAX_BYTES, TemplateIndex, Uri, UriTemplate};
use super::{overlap, template};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Pieces of templates and URIs, so that random ones come near to what matches.
const PIECES: &[&str] = &[
    "x",
    "X",
    "://",
    "h",
    "H",
    "/",
    "/",
    "/",
    "//",
    "a",
    "b",
    "%41",
    "%2F",
    "%00",
    "%ff",
    "%C3%BC",
    "%",
    "..",
    ".",
    "?",
    "&",
    "=",
    "q",
    "r",
    "q=",
    "r=",
    "#",
    "@",
    ":",
    ":80",
    "[",
    "]",
    "[::1]",
    "+",
    " ",
    "\0",
    "ü",
    "\u{10ffff}",
    "{a}",
    "{b}",
    "{+a}",
    "{/a}",
    "{/a*}",
    "{?q}",
    "{?q,r}",
    "{&r}",
    "{",
    "}",
    "*",
    ",",
];

fn of_pieces(most: usize) -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..most).prop_map(|pieces| pieces.concat())
}

/// A template that is right by construction.
fn valid_template() -> impl Strategy<Value = String> {
    let segment = prop::sample::select(vec!["a", "b", "%20", "{a}", "{b}", "{c}"]);
    let open = prop::sample::select(vec!["", "/{+p}", "{/p}", "{/p*}"]);
    (
        prop::sample::select(vec!["h", "{h}", "{a}"]),
        prop::collection::vec(segment.clone(), 0..4),
        open,
        prop::collection::vec(segment, 0..3),
        prop::sample::select(vec!["", "{?q}", "{?q,r}", "{?q}{&a}"]),
    )
        .prop_map(|(host, before, open, after, query)| {
            let path = |parts: Vec<&str>| -> String {
                parts.iter().map(|part| format!("/{part}")).collect()
            };
            format!("x://{host}{}{open}{}{query}", path(before), path(after))
        })
}

fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z/.?#%+ ]{1,6}",
        any::<String>().prop_filter("not empty", |value| !value.is_empty()),
    ]
}

proptest! {
    #[test]
    fn what_is_expanded_matches_and_gives_the_values_back(
        source in valid_template(),
        values in prop::collection::btree_map(
            prop::sample::select(vec!["h", "a", "b", "c", "p", "q", "r"]), value(), 0..8),
    ) {
        let template = template(&source);
        if let Some(uri) = template.expand(|name| values.get(name).map(String::as_str)) {
            let parsed = Uri::parse(&uri).expect("an expansion is a URI");
            let bound = template.matches(&parsed);
            prop_assert!(bound.is_some(), "{} does not match {}", source, uri);
            let bound = bound.unwrap_or_default();
            let bound: BTreeMap<&str, &str> = bound.iter().collect();
            let expected: BTreeMap<&str, &str> = values
                .iter()
                .filter(|(name, _)| template.variables().contains(name))
                .map(|(name, value)| (*name, value.as_str()))
                .collect();
            prop_assert_eq!(bound, expected);
        } else {
            let missing = template.required_variables().iter().any(|name| !values.contains_key(name));
            let open = values.get("p").map(String::as_str).unwrap_or_default();
            let hollow = open.split('/').any(str::is_empty);
            prop_assert!(missing || hollow, "{} cannot be expanded", source);
        }
    }

    #[test]
    fn any_text_is_a_template_or_is_refused_with_a_place_in_it(source in of_pieces(24)) {
        match UriTemplate::parse(&source) {
            Ok(template) => prop_assert_eq!(template.source(), source),
            Err(error) => {
                prop_assert!(source.get(error.range.clone()).is_some(), "{:?}", error);
                prop_assert!(error.message.starts_with("the template "));
            }
        }
    }

    #[test]
    fn any_text_is_a_uri_or_is_refused_with_a_place_in_it(text in of_pieces(24)) {
        match Uri::parse(&text) {
            Ok(uri) => {
                // The same again is the same.
                let canonical = uri.canonical();
                prop_assert_eq!(Uri::parse(&canonical).expect("a URI").canonical(), canonical);
            }
            Err(error) => prop_assert!(text.get(error.range).is_some()),
        }
    }

    #[test]
    fn overlaps_are_found_whenever_a_uri_matches_both(
        one in valid_template(),
        two in valid_template(),
        values in prop::collection::btree_map(
            prop::sample::select(vec!["h", "a", "b", "c", "p"]),
            prop::sample::select(vec!["h", "a", "b", "x", "a/b"]), 5),
    ) {
        let (one, two) = (template(&one), template(&two));
        let uri = one.expand(|name| values.get(name).copied());
        let uri = uri.as_deref().and_then(|uri| Uri::parse(uri).ok());
        let both = uri.is_some_and(|uri| two.matches(&uri).is_some());
        // A variable that binds several segments and stands elsewhere too may be missed.
        let found = overlap(&one, &two).is_some();
        prop_assert!(found || !both, "{} {} {:?}", one.source(), two.source(), uri);
    }

    #[test]
    fn the_index_loses_no_match(sources in prop::collection::vec(valid_template(), 1..8), path in of_pieces(8)) {
        let templates: Vec<UriTemplate> = sources.iter().map(|source| template(source)).collect();
        let index = TemplateIndex::new(&templates);
        for uri in [format!("x://h/{path}"), format!("X://H{path}")] {
            let Ok(uri) = Uri::parse(&uri) else { continue };
            let candidates = index.candidates(&uri);
            for (place, template) in templates.iter().enumerate() {
                prop_assert!(template.matches(&uri).is_none() || candidates.contains(&place));
            }
        }
    }
}

/// Numbers that are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(bound).unwrap_or(1)).unwrap_or(0)
    }
}

/// Each URI is looked at a few times from end to end, whatever it and the template are.
fn work_is_linear(template: &UriTemplate, uri: &Uri<'_>) -> bool {
    let mut work = 0;
    template.matches_counting(uri, &mut work);
    // A path is split and decoded, and each of 32 variables may be compared with 31 others.
    work <= 3 * uri.as_str().len() + MAX_BYTES
}

#[test]
fn work_counts_every_byte_and_every_name_that_is_compared() {
    let template = template("x://{h}/a/{b}{/p*}/c{?q}");
    let uri = Uri::parse("x://h1/a/b2/p3/p4/c?q=5").expect("a URI");
    let mut work = 0;
    assert!(template.matches_counting(&uri, &mut work).is_some());
    // Read: `x`, `h1`, `/a`, `/b2`, `/c` and `q=5` with the sign before it. Decoded: `h1`, `b2`,
    // `p3/p4` and `5`, each with as many names as are bound before it.
    assert_eq!(
        work,
        1 + 2 + 2 + 3 + 2 + 4 + 2 + (2 + 1) + (5 + 2) + (1 + 3)
    );
}

#[test]
fn a_million_uris_neither_panic_nor_slow_the_matcher() {
    let templates = [
        "x://h/{a}",
        "x://h/{+a}",
        "x://{h}{/a}",
        "x://{a}/{a}{/b*}/{a}",
        "x://h/a{/b*}/b{?q,r}",
        "x:///{+p}",
        "x://h/%41/{a}{?q}{&r}",
        "x://[::1]{/a*}",
    ]
    .map(template);
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let (mut text, mut uris, mut matched) = (String::new(), 0_u32, 0_u32);
    for _ in 0..1_000_000 {
        text.clear();
        if numbers.below(4) > 0 {
            text.push_str(["x://h/", "x://h", "X://a/a", "x:///"][numbers.below(4)]);
        }
        for _ in 0..numbers.below(8) {
            // Without the pieces that only templates have.
            text.push_str(PIECES[numbers.below(38)]);
        }
        if let Ok(uri) = Uri::parse(&text) {
            let template = &templates[numbers.below(templates.len())];
            uris += 1;
            matched += u32::from(template.matches(&uri).is_some());
            assert!(
                work_is_linear(template, &uri),
                "{} {text}",
                template.source()
            );
        }
    }
    // The URIs are ones that reach the matcher, and some get through it.
    assert!(uris > 100_000 && matched > 1_000, "{uris} {matched}");
}

#[test]
fn long_uris_take_work_in_their_length() {
    let templates = [
        "x://h/{+a}/z",
        "x://h{/a*}/b/c/{d}",
        "x://{a}/{a}{/b*}",
        "x://h/a{?q,r}",
    ];
    let tails = ["/a", "/%2F", "/a%C3%BC", "&q=a", "?q=a", ".", "/..", "%25"];
    for template in templates.map(template) {
        for tail in tails {
            for times in [10, 1000, 100_000] {
                let text = format!("x://h/a{}", tail.repeat(times));
                let uri = Uri::parse(&text).expect("a URI");
                assert!(
                    work_is_linear(&template, &uri),
                    "{} {tail}",
                    template.source()
                );
            }
        }
    }
}

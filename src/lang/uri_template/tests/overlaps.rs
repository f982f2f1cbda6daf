//! Which templates are found to overlap.

use super::super::{TemplateIndex, Uri, UriTemplate, overlaps};
use super::{overlap, template};

fn meet(one: &str, two: &str) -> Option<String> {
    let (one, two) = (template(one), template(two));
    let found = overlap(&one, &two);
    assert_eq!(found.is_some(), overlap(&two, &one).is_some(), "both ways");
    if let Some(uri) = &found {
        let uri = Uri::parse(uri).expect("a URI");
        assert!(one.matches(&uri).is_some() && two.matches(&uri).is_some());
    }
    found
}

#[test]
fn templates_that_meet_are_found() {
    for (one, two) in [
        ("x://h/{+p}", "x://h/docs{/page*}"),
        ("x://h/{a}", "x://h/{b}"),
        ("x://h/{a}", "X://H/b"),
        ("x://h/{a}/b", "x://h/c/{d}"),
        ("x://{h}/a", "x://h/{a}"),
        ("x://h/{a}", "x://h/{+b}"),
        ("x://h{/a}", "x://h"),
        ("x://h{/a*}/z", "x://h/y{/b*}"),
        ("x://h{/a}/b/c", "x://h/a/b{/c}"),
        ("x://h/a{?q}", "x://h/{b}"),
        ("x://h/a{?q}", "x://h/a{?r}"),
        ("x://{a}/{a}", "x://h/{b}"),
        ("x://{a}/{a}", "x://h/h"),
        ("x://{a}/{b}/{a}", "x://{c}/{c}/d"),
        ("x://h/%20/{a}", "x://h/{b}/c"),
        ("x://{a}/{a}", "x://{b}/%41"),
        ("file:///{+p}", "file:///etc/{f}"),
        ("x://{a}{/a}", "x://h{/b*}"),
        ("x://{a}/{+a}", "x://h/{b}"),
        ("x://{a}/b/{+a}/c", "x://h/b/{d}/c"),
        ("x://h/a:b", "x://h/{c}"),
        // Not in the fewest segments that both can have.
        ("x://h/{+a}/y/z", "x://h/b/c/{+d}"),
    ] {
        assert!(meet(one, two).is_some(), "{one} {two}");
    }
}

#[test]
fn templates_that_cannot_meet_are_not() {
    for (one, two) in [
        ("x://h/{a}", "y://h/{a}"),
        ("x://h/{a}", "x://g/{a}"),
        ("x://h/a/{b}", "x://h/c/{b}"),
        ("x://h/{a}", "x://h/{a}/{b}"),
        ("x://h/{a}", "x://h"),
        ("x://h{/a}", "x://h/b/{+c}"),
        ("x://h/{+a}/y", "x://h/{+a}/z"),
        ("x:///{a}", "x://{h}/{a}"),
        ("x://h/{a}/{a}", "x://h/b/c"),
        ("x://{a}/{a}", "x://h/g"),
        ("x://{a}/{a}/{a}", "x://{b}/c/d"),
        ("x://[::1]/{a}", "x://{h}/{a}"),
        ("x://h/a/{+m}/z", "x://h/{b}/{c}"),
        ("x://{a}/{+a}", "x://h/b/c"),
    ] {
        assert_eq!(meet(one, two), None, "{one} {two}");
    }
}

#[test]
fn the_example_is_one_that_both_match() {
    assert_eq!(
        meet("x://h/{+p}", "x://h/docs{/page*}").as_deref(),
        Some("x://h/docs")
    );
}

#[test]
fn overlaps_among_many_are_found_with_their_places() {
    let sources = [
        "x://h/a/{b}",
        "x://h/c/{b}",
        "x://{h}/a/{b}",
        "y://h/{+p}",
        "x://h/{+p}",
    ];
    let templates: Vec<UriTemplate> = sources.iter().map(|source| template(source)).collect();
    let found = overlaps(&templates.iter().collect::<Vec<_>>());
    let pairs: Vec<(usize, usize)> = found
        .iter()
        .map(|found| (found.first, found.second))
        .collect();
    assert_eq!(pairs, [(0, 2), (0, 4), (1, 4), (2, 4)]);
}

#[test]
fn only_those_that_may_overlap_are_compared() {
    let sources = [
        "x://h/a/{b}",
        "x://h/c/{b}",
        "x://{h}/a/{b}",
        "y://h/{+p}",
        "X://H/{+p}",
        "x://g/{+p}",
        "x://{h}/{b}",
    ];
    let templates: Vec<UriTemplate> = sources.iter().map(|source| template(source)).collect();
    let index = TemplateIndex::new(&templates);
    let buckets = sources.len();
    for (source, rivals, looks) in [
        // Both are literal: four look-ups.
        ("x://h/a/b", &[0, 2, 4, 6][..], 4),
        ("x://h/d/b", &[4, 6], 4),
        // All buckets are gone through.
        ("x://h/{a}", &[0, 1, 2, 4, 6], buckets),
        ("x://{h}/c/d", &[1, 4, 5, 6], buckets),
        ("x://{h}/{a}", &[0, 1, 2, 4, 5, 6], buckets),
        ("y://{h}/{a}", &[3], buckets),
        ("z://{h}/{a}", &[], buckets),
    ] {
        assert_eq!(
            index.rivals(&template(source)),
            (rivals.to_vec(), looks),
            "{source}"
        );
    }
}

#[test]
fn five_thousand_templates_are_compared_in_bounded_work() {
    let apart: Vec<UriTemplate> = (0..5000)
        .map(|n| template(&format!("x://h/k{n}/{{id}}")))
        .collect();
    assert_eq!(overlaps(&apart.iter().collect::<Vec<_>>()), []);
    // All the same: told of a hundred times, not twelve million.
    let same: Vec<UriTemplate> = (0..5000)
        .map(|n| template(&format!("x://h/{{v{n}}}")))
        .collect();
    assert_eq!(overlaps(&same.iter().collect::<Vec<_>>()).len(), 100);
}

/// As many templates, and two that are the same behind them.
fn is_found_behind(count: usize, source: impl Fn(usize) -> String) -> bool {
    let mut templates: Vec<UriTemplate> = (0..count).map(|n| template(&source(n))).collect();
    templates.extend([template("y://h"), template("y://h")]);
    !overlaps(&templates.iter().collect::<Vec<_>>()).is_empty()
}

#[test]
fn the_search_ends_after_two_million_steps() {
    // Four steps a pair: it is taken up, and three places are compared.
    let of_one_bucket = |n: usize| format!("x://h/{{a}}/k{n}");
    assert!(is_found_behind(950, of_one_bucket));
    assert!(!is_found_behind(1050, of_one_bucket));
    // A step for each bucket that is looked into.
    let of_one_each = |n: usize| format!("x://h{n}/{{a}}");
    assert!(is_found_behind(1950, of_one_each));
    assert!(!is_found_behind(2050, of_one_each));
}

#[test]
fn the_index_leaves_those_that_may_match() {
    let sources = [
        "x://h/a/{b}",
        "x://h/c/{b}",
        "x://{h}/a/{b}",
        "y://h/{+p}",
        "X://H/{+p}",
        "x://h{/v}",
    ];
    let templates: Vec<UriTemplate> = sources.iter().map(|source| template(source)).collect();
    let index = TemplateIndex::new(&templates);
    let candidates = |uri: &str| index.candidates(&Uri::parse(uri).expect(uri));
    assert_eq!(candidates("x://h/a/b"), [0, 2, 4, 5]);
    assert_eq!(candidates("X://H/c/b"), [1, 4, 5]);
    assert_eq!(candidates("x://g/a/b"), [2]);
    assert_eq!(candidates("x://h"), [4, 5]);
    assert_eq!(candidates("x://h:80/a"), [] as [usize; 0]);
    assert_eq!(candidates("urn:a"), [] as [usize; 0]);
}

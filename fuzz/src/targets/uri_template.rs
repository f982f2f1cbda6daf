//! URI templates: any text is refused or parsed, any URI is matched or not, and what is bound leads back.
//!
//! The input is a template, a line feed, a URI, and perhaps another line feed and a second template.

use snodo::lang::uri_template::{Bindings, TemplateIndex, Uri, UriTemplate, overlaps};
use std::collections::BTreeMap;

pub fn run(input: &str) {
    let mut lines = input.splitn(3, '\n');
    let (first, uri) = (lines.next().unwrap_or(""), lines.next().unwrap_or(""));
    let uri = Uri::parse(uri);
    if let Ok(uri) = &uri {
        let canonical = uri.canonical();
        let again = Uri::parse(&canonical).expect("a canonical URI is a URI");
        assert_eq!(again.canonical(), canonical);
    }
    let Ok(one) = UriTemplate::parse(first) else {
        return;
    };
    if let Ok(uri) = &uri
        && let Some(bound) = one.matches(uri)
    {
        let index = TemplateIndex::new([&one]);
        assert_eq!(index.candidates(uri), [0], "the index misses a match");
        // The values, written into the template, lead to a URI with the same values.
        if let Some(expanded) = one.expand(|name| bound.get(name)) {
            let back = Uri::parse(&expanded).expect("an expansion is a URI");
            let again = one.matches(&back).expect("an expansion matches");
            let by_name = |bound: &Bindings<'_>| -> BTreeMap<String, String> {
                let values = bound.iter();
                values
                    .map(|(name, value)| (name.to_owned(), value.to_owned()))
                    .collect()
            };
            assert_eq!(by_name(&bound), by_name(&again), "{first} {expanded}");
        }
    }
    if let Some(Ok(two)) = lines.next().map(UriTemplate::parse) {
        let found = overlaps(&[&one, &two]);
        for both in &found {
            let both = Uri::parse(&both.example).expect("a proof is a URI");
            assert!(one.matches(&both).is_some() && two.matches(&both).is_some());
        }
        let both_match = |uri: &Uri<'_>| one.matches(uri).is_some() && two.matches(uri).is_some();
        if uri.is_ok_and(|uri| both_match(&uri)) && is_simple(&one) && is_simple(&two) {
            assert!(!found.is_empty(), "an overlap is missed");
        }
    }
}

/// Whether no variable stands twice: some overlaps of such templates are not found.
fn is_simple(template: &UriTemplate) -> bool {
    let expressions = template.source().split('{').skip(1);
    let names = expressions.map(|one| one.split('}').next().unwrap_or("").split(',').count());
    names.sum::<usize>() == template.variables().len()
}

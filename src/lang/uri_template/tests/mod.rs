//! The seeds' table and every rule below it, then what holds for any template and any URI.

mod overlaps;
mod properties;
mod refused;
mod table;
mod uris;

use super::{Uri, UriTemplate, overlaps};

fn template(source: &str) -> UriTemplate {
    UriTemplate::parse(source).unwrap_or_else(|error| panic!("{source}: {error}"))
}

/// A URI that both match, when one is found.
fn overlap(one: &UriTemplate, two: &UriTemplate) -> Option<String> {
    overlaps(&[one, two]).pop().map(|overlap| overlap.example)
}

/// What a match binds, sorted by name; `None` when there is no match, also for what is no URI.
fn bound(template: &str, uri: &str) -> Option<Vec<(String, String)>> {
    let template = self::template(template);
    let uri = Uri::parse(uri).ok()?;
    let bound = template.matches(&uri)?;
    let mut all: Vec<(String, String)> = bound
        .iter()
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    all.sort();
    Some(all)
}

//! Many templates, found by what is literal at their front.

use super::{Part, Uri, UriTemplate};
use std::collections::HashMap;

/// Finds the templates that may match a URI without asking all of them: four look-ups leave those
/// with the URI's scheme whose host and first path segment are the URI's, or a variable.
#[derive(Clone, Debug, Default)]
pub struct TemplateIndex {
    buckets: HashMap<Key, Vec<usize>>,
}

/// What all templates of a bucket have in common; `None` stands for anything.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    scheme: String,
    host: Option<String>,
    first: Option<String>,
}

impl Key {
    fn of(template: &UriTemplate) -> Self {
        let host = template.authority.literal();
        let first = template.before.first().and_then(Part::literal);
        Self {
            scheme: template.scheme.clone(),
            host: host.map(str::to_ascii_lowercase),
            first: first.map(str::to_owned),
        }
    }

    fn is_compatible(&self, other: &Self) -> bool {
        fn meet(one: &Option<String>, two: &Option<String>) -> bool {
            one.is_none() || two.is_none() || one == two
        }
        self.scheme == other.scheme
            && meet(&self.host, &other.host)
            && meet(&self.first, &other.first)
    }
}

impl TemplateIndex {
    /// The index of these templates; a template is named by its place among them.
    pub fn new<'t>(templates: impl IntoIterator<Item = &'t UriTemplate>) -> Self {
        let mut index = Self::default();
        for (place, template) in templates.into_iter().enumerate() {
            index.add(template, place);
        }
        index
    }

    /// Adds a template under this name.
    pub fn add(&mut self, template: &UriTemplate, place: usize) {
        let bucket = self.buckets.entry(Key::of(template)).or_default();
        bucket.push(place);
    }

    /// The templates that may match, in their order.
    pub fn candidates(&self, uri: &Uri<'_>) -> Vec<usize> {
        let Some(host) = uri.bare_host() else {
            return Vec::new();
        };
        let first = uri.path().strip_prefix('/');
        let first = first.map(|rest| rest.split_once('/').map_or(rest, |(first, _)| first));
        let key = Key {
            scheme: uri.scheme().to_ascii_lowercase(),
            host: Some(host.to_ascii_lowercase()),
            first: first.map(str::to_owned),
        };
        let mut found = self.at(&key);
        found.sort_unstable();
        found
    }

    /// The templates that may overlap with this one, in their order, and how many buckets were
    /// looked into.
    pub(super) fn rivals(&self, template: &UriTemplate) -> (Vec<usize>, usize) {
        let key = Key::of(template);
        let (mut found, looks) = match (&key.host, &key.first) {
            (Some(_), Some(_)) => (self.at(&key), 4),
            _ => {
                let all = self.buckets.iter();
                let fitting = all.filter(|(other, _)| key.is_compatible(other));
                let found = fitting.flat_map(|(_, places)| places.iter().copied());
                (found.collect(), self.buckets.len())
            }
        };
        found.sort_unstable();
        (found, looks)
    }

    /// What stands in the bucket of this key and in those of its less certain forms.
    fn at(&self, key: &Key) -> Vec<usize> {
        let mut found = Vec::new();
        let firsts = [key.first.clone(), None];
        for host in [key.host.clone(), None] {
            // Without a first segment both forms are the same.
            for first in firsts.iter().skip(usize::from(key.first.is_none())) {
                let key = Key {
                    scheme: key.scheme.clone(),
                    host: host.clone(),
                    first: first.clone(),
                };
                found.extend(self.buckets.get(&key).into_iter().flatten());
            }
        }
        found
    }
}

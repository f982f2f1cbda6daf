//! Whether one URI can match two templates.
//!
//! The proof is a URI that both match. It is put together segment by segment: what either template
//! says literally, and anything elsewhere. Places that one variable binds must hold the same. What
//! is found is tried with the matcher itself, so nothing is said that is not so. A variable that
//! stands twice, once for several segments, is the only case that may be missed.

use super::decode::{decoded, push_encoded};
use super::{OpenKind, Part, TemplateIndex, Uri, UriTemplate};
use std::collections::HashMap;

/// Pairs, buckets and segments that are compared before the search ends: some tens of milliseconds.
const WORK: usize = 2_000_000;

/// Overlaps that are told of at the most.
const TOLD: usize = 100;

/// Two templates that both match a URI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overlap {
    /// The place of the one.
    pub first: usize,
    /// The place of the other, behind the first.
    pub second: usize,
    /// A URI that both match.
    pub example: String,
}

/// The overlaps among these templates by the second's place: the first 100, as far as a
/// bounded search finds them.
pub fn overlaps(templates: &[&UriTemplate]) -> Vec<Overlap> {
    let mut found = Vec::new();
    let mut index = TemplateIndex::default();
    let mut work = 0;
    for (second, template) in templates.iter().enumerate() {
        let (rivals, looks) = index.rivals(template);
        work += looks;
        for first in rivals {
            work += 1;
            if work > WORK || found.len() >= TOLD {
                return found;
            }
            let rival = templates.get(first);
            if let Some(example) = rival.and_then(|rival| proof(rival, template, &mut work)) {
                found.push(Overlap {
                    first,
                    second,
                    example,
                });
            }
        }
        index.add(template, second);
    }
    found
}

/// A URI that both match; the index has found their schemes and literal hosts to be the same.
fn proof(one: &UriTemplate, two: &UriTemplate, work: &mut usize) -> Option<String> {
    let ((least_one, most_one), (least_two, most_two)) = (one.segments(), two.segments());
    let least = least_one.max(least_two);
    // Beyond this many, the literals of both ends are apart and one segment more changes nothing.
    let apart = one.before.len().max(two.before.len()) + one.after.len().max(two.after.len()) + 1;
    let most = most_one.min(most_two).min(least.max(apart));
    (least..=most).find_map(|count| {
        *work += count + 1;
        candidate(one, two, count).filter(|uri| {
            let uri = Uri::parse(uri);
            uri.is_ok_and(|uri| one.matches(&uri).is_some() && two.matches(&uri).is_some())
        })
    })
}

/// What a template says of one place: the authority, or a path segment.
#[derive(Clone, Copy)]
enum Cell<'t> {
    Literal(&'t str),
    Variable(&'t str),
    /// One of several segments of an open expression.
    Free,
}

/// A URI with this many segments that both templates may match.
fn candidate(one: &UriTemplate, two: &UriTemplate, count: usize) -> Option<String> {
    // Most pairs differ in a literal: that is found before anything is built.
    for place in 1..=count {
        if let (Cell::Literal(one), Cell::Literal(two)) =
            (one.cell(place, count), two.cell(place, count))
            && one != two
        {
            return None;
        }
    }
    let mut classes = Classes::new(count + 1);
    for template in [one, two] {
        let mut first: HashMap<&str, usize> = HashMap::new();
        for place in 0..=count {
            if let Cell::Variable(name) = template.cell(place, count) {
                let first = *first.entry(name).or_insert(place);
                classes.join(first, place);
            }
        }
    }
    let mut values: HashMap<usize, String> = HashMap::new();
    for place in 0..=count {
        for template in [one, two] {
            if let Cell::Literal(literal) = template.cell(place, count) {
                let value = decoded(literal)?;
                let known = values
                    .entry(classes.of(place))
                    .or_insert_with(|| value.clone());
                let same = match place {
                    // Hosts are compared without case.
                    0 => known.eq_ignore_ascii_case(&value),
                    _ => *known == value,
                };
                if !same {
                    return None;
                }
            }
        }
    }
    let mut uri = format!("{}://", one.scheme);
    for place in 0..=count {
        if place > 0 {
            uri.push('/');
        }
        let cells = [one.cell(place, count), two.cell(place, count)];
        let literal = cells.iter().find_map(|cell| match cell {
            Cell::Literal(literal) => Some(literal),
            _ => None,
        });
        match (literal, values.get(&classes.of(place))) {
            (Some(literal), _) => uri.push_str(literal),
            (None, Some(value)) => push_encoded(&mut uri, value),
            (None, None) => uri.push('x'),
        }
    }
    Some(uri)
}

impl UriTemplate {
    /// What it says of a place (0 is the authority) of a URI with `count` segments, a number that it
    /// can match.
    fn cell(&self, place: usize, count: usize) -> Cell<'_> {
        let part = if place == 0 {
            Some(&self.authority)
        } else if place <= self.before.len() {
            self.before.get(place - 1)
        } else {
            let from_end = count - place;
            let after = self.after.len();
            (from_end < after)
                .then(|| self.after.get(after - 1 - from_end))
                .flatten()
        };
        match (part, &self.open) {
            (Some(Part::Literal(literal)), _) => Cell::Literal(literal),
            (Some(Part::Variable(name)), _) => Cell::Variable(name),
            (None, Some(open)) => {
                let covers = count - self.before.len() - self.after.len();
                let is_one = covers == 1 || open.kind == OpenKind::Optional;
                if is_one {
                    Cell::Variable(&open.name)
                } else {
                    Cell::Free
                }
            }
            (None, None) => Cell::Free,
        }
    }
}

/// Places that hold the same value.
struct Classes(Vec<usize>);

impl Classes {
    fn new(places: usize) -> Self {
        Self((0..places).collect())
    }

    fn of(&self, mut place: usize) -> usize {
        while let Some(&next) = self.0.get(place)
            && next != place
        {
            place = next;
        }
        place
    }

    fn join(&mut self, one: usize, two: usize) {
        let (one, two) = (self.of(one), self.of(two));
        if let Some(slot) = self.0.get_mut(two) {
            *slot = one;
        }
    }
}

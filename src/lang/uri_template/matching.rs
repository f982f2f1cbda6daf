//! Whether a template matches a URI, and what its variables bind.

use super::decode::decoded;
use super::syntax::is_ip_literal;
use super::{Part, Uri, UriTemplate};

/// What a match binds: each variable once, decoded. An absent optional one is not there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bindings<'t>(Vec<(&'t str, String)>);

impl<'t> Bindings<'t> {
    /// The value of a variable.
    pub fn get(&self, name: &str) -> Option<&str> {
        let mut all = self.0.iter();
        let found = all.find(|(known, _)| *known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// All variables and their values.
    pub fn iter(&self) -> impl Iterator<Item = (&'t str, &str)> {
        self.0.iter().map(|(name, value)| (*name, value.as_str()))
    }

    /// Binds a piece of the URI. `None` when it is not UTF-8, or not what the variable is already.
    fn bind(&mut self, name: &'t str, text: &str, work: &mut usize) -> Option<()> {
        *work += text.len() + self.0.len();
        let value = decoded(text)?;
        match self.get(name) {
            Some(known) => (known == value).then_some(()),
            None => {
                self.0.push((name, value));
                Some(())
            }
        }
    }
}

impl UriTemplate {
    /// What the variables bind when the template matches this URI.
    pub fn matches(&self, uri: &Uri<'_>) -> Option<Bindings<'_>> {
        self.matches_counting(uri, &mut 0)
    }

    /// The same; `work` grows by every byte that is looked at, so that a test can count.
    pub(super) fn matches_counting(&self, uri: &Uri<'_>, work: &mut usize) -> Option<Bindings<'_>> {
        *work += self.scheme.len();
        if !uri.scheme().eq_ignore_ascii_case(&self.scheme) {
            return None;
        }
        // Whatever can be told without decoding comes first.
        let (least, most) = self.segments();
        let count = uri.segments()?;
        if count < least || count > most || uri.query().is_some() && self.query.is_empty() {
            return None;
        }
        let mut bound = Bindings::default();
        self.match_authority(uri.bare_host()?, &mut bound, work)?;
        self.match_path(uri.path(), &mut bound, work)?;
        if let Some(query) = uri.query() {
            self.match_query(query, &mut bound, work)?;
        }
        Some(bound)
    }

    fn match_authority<'t>(
        &'t self,
        host: &str,
        bound: &mut Bindings<'t>,
        work: &mut usize,
    ) -> Option<()> {
        *work += host.len();
        match &self.authority {
            Part::Literal(literal) => host.eq_ignore_ascii_case(literal).then_some(()),
            // An address in brackets is not what a value expands to.
            Part::Variable(_) if host.is_empty() || is_ip_literal(host) => None,
            Part::Variable(name) => bound.bind(name, host, work),
        }
    }

    /// The path has as many segments as the template needs, and none is empty.
    fn match_path<'t>(
        &'t self,
        path: &str,
        bound: &mut Bindings<'t>,
        work: &mut usize,
    ) -> Option<()> {
        let mut rest = path;
        for part in &self.before {
            let inside = rest.strip_prefix('/')?;
            let (segment, behind) = inside.split_at(inside.find('/').unwrap_or(inside.len()));
            *work += segment.len() + 1;
            part.matches(segment, bound, work)?;
            rest = behind;
        }
        for part in self.after.iter().rev() {
            let at = rest.rfind('/')?;
            let (before, segment) = (&rest[..at], &rest[at + 1..]);
            *work += segment.len() + 1;
            part.matches(segment, bound, work)?;
            rest = before;
        }
        match (&self.open, rest.strip_prefix('/')) {
            (Some(open), Some(between)) => bound.bind(&open.name, between, work),
            _ => Some(()),
        }
    }

    fn match_query<'t>(
        &'t self,
        query: &str,
        bound: &mut Bindings<'t>,
        work: &mut usize,
    ) -> Option<()> {
        let mut given = 0_u32;
        for pair in query.split('&') {
            *work += pair.len() + 1;
            let (name, value) = pair.split_once('=')?;
            // Also bounds the pairs that are looked at.
            let place = self.query.iter().position(|known| known == name)?;
            let flag = 1_u32.checked_shl(u32::try_from(place).ok()?)?;
            if given & flag != 0 {
                return None;
            }
            given |= flag;
            bound.bind(self.query.get(place)?, value, work)?;
        }
        Some(())
    }
}

impl Part {
    fn matches<'t>(
        &'t self,
        segment: &str,
        bound: &mut Bindings<'t>,
        work: &mut usize,
    ) -> Option<()> {
        match self {
            Self::Literal(literal) => (segment == literal).then_some(()),
            Self::Variable(name) => bound.bind(name, segment, work),
        }
    }
}

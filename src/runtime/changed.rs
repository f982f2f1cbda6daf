//! Which resources have changed, and which URIs lead to them.

use crate::lang::uri_template::{TemplateIndex, Uri};
use crate::model::{Component as _, Resource};
use std::collections::HashSet;
use std::sync::Arc;

/// Resources of which a read may give something else than before.
#[derive(Clone, Debug, Default)]
pub struct Changed {
    /// URIs, as [`Uri::canonical`] has them.
    exact: HashSet<String>,
    templates: Vec<Template>,
    index: TemplateIndex,
}

/// A template, whose URIs have changed: all of them, or those that bind a variable to one of these
/// values.
#[derive(Clone, Debug)]
struct Template {
    resource: Arc<Resource>,
    only: Option<(String, HashSet<String>)>,
}

impl Changed {
    /// Adds what is read at a URI. What is no URI leads to nothing, and is left out.
    pub fn uri(&mut self, uri: &str) {
        self.exact
            .extend(Uri::parse(uri).ok().map(|uri| uri.canonical()));
    }

    /// Adds a resource: all URIs that lead to it.
    pub fn resource(&mut self, resource: &Arc<Resource>) {
        match resource.template {
            Some(_) => self.template(resource, None),
            None => {
                self.exact.insert(resource.key().to_owned());
            }
        }
    }

    /// Adds those URIs of a template that bind the variable to one of these values, however they
    /// spell it.
    pub fn values(&mut self, resource: &Arc<Resource>, variable: &str, values: HashSet<String>) {
        if !values.is_empty() {
            self.template(resource, Some((variable.to_owned(), values)));
        }
    }

    fn template(&mut self, resource: &Arc<Resource>, only: Option<(String, HashSet<String>)>) {
        if let Some(template) = &resource.template {
            self.index.add(template, self.templates.len());
            self.templates.push(Template {
                resource: Arc::clone(resource),
                only,
            });
        }
    }

    /// True when nothing was added.
    pub fn is_empty(&self) -> bool {
        self.exact.is_empty() && self.templates.is_empty()
    }

    /// Whether something that this resource is read for is among it.
    pub(super) fn concerns(&self, resource: &Resource) -> bool {
        let mut templates = self.templates.iter();
        if templates.any(|changed| changed.resource.key() == resource.key()) {
            return true;
        }
        match &resource.template {
            None => self.exact.contains(resource.key()),
            Some(template) => self
                .exact
                .iter()
                .any(|uri| Uri::parse(uri).is_ok_and(|uri| template.matches(&uri).is_some())),
        }
    }

    /// Which of a listener's URIs lead to what has changed. `keys` are their canonical forms in byte
    /// order, each with the URI as the listener wrote it.
    pub(super) fn among<'k>(&'k self, keys: &'k [(Box<str>, Arc<str>)]) -> Vec<Arc<str>> {
        let told = |(_, uri): &(Box<str>, Arc<str>)| Arc::clone(uri);
        if self.templates.is_empty() && self.exact.len() < keys.len() {
            let exact = self.exact.iter();
            return exact
                .flat_map(|uri| {
                    let first = keys.partition_point(|(key, _)| **key < **uri);
                    let same = keys.get(first..).unwrap_or_default().iter();
                    same.take_while(move |(key, _)| **key == **uri).map(told)
                })
                .collect();
        }
        let touched = keys.iter().filter(|(key, _)| self.touches(key));
        touched.map(told).collect()
    }

    fn touches(&self, canonical: &str) -> bool {
        self.exact.contains(canonical)
            || !self.templates.is_empty()
                && Uri::parse(canonical).is_ok_and(|uri| {
                    let mut candidates = self.index.candidates(&uri).into_iter();
                    candidates.any(|place| self.templates.get(place).is_some_and(|t| t.leads(&uri)))
                })
    }
}

impl Template {
    fn leads(&self, uri: &Uri<'_>) -> bool {
        let template = self.resource.template.as_ref();
        let Some(bound) = template.and_then(|template| template.matches(uri)) else {
            return false;
        };
        match &self.only {
            None => true,
            Some((variable, values)) => bound
                .get(variable)
                .is_some_and(|value| values.contains(value)),
        }
    }
}

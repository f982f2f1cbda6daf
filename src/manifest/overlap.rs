//! Resources that answer for the same URI.

use super::lower::codes::OVERLAP;
use crate::lang::diag::Diagnostic;
use crate::lang::uri_template::{self, TemplateIndex, Uri, UriTemplate};
use crate::model::Resource;
use std::sync::Arc;

/// Pairs of a URI and a template that are looked at, at the most.
const WORK: usize = 1_000_000;

/// Overlaps of URIs with templates that are told of, at the most.
const TOLD: usize = 100;

/// A warning for each overlap that can be proved, at the second of its two places.
pub(super) fn overlaps(resources: &[Arc<Resource>]) -> Vec<Diagnostic> {
    let templates: Vec<(&Resource, &UriTemplate)> = resources
        .iter()
        .filter_map(|resource| Some((&**resource, resource.template.as_ref()?)))
        .collect();
    if templates.is_empty() {
        return Vec::new();
    }
    let mut found = of_templates(&templates);
    of_uris(resources, &templates, &mut found);
    found
}

fn of_templates(templates: &[(&Resource, &UriTemplate)]) -> Vec<Diagnostic> {
    let bare: Vec<&UriTemplate> = templates.iter().map(|(_, template)| *template).collect();
    let overlaps = uri_template::overlaps(&bare).into_iter();
    let told = overlaps.filter_map(|overlap| {
        let (first, _) = templates.get(overlap.first)?;
        let (second, _) = templates.get(overlap.second)?;
        let message = format!(
            "`{}` matches this template and `{}`: reading it fails",
            overlap.example, first.declaration.uri
        );
        Some(warning(first, second, message).help("give them literal segments that differ"))
    });
    told.collect()
}

fn of_uris(
    resources: &[Arc<Resource>],
    templates: &[(&Resource, &UriTemplate)],
    found: &mut Vec<Diagnostic>,
) {
    let index = TemplateIndex::new(templates.iter().map(|(_, template)| *template));
    let (mut work, most) = (0, found.len() + TOLD);
    for resource in resources
        .iter()
        .filter(|resource| resource.template.is_none())
    {
        let Ok(uri) = Uri::parse(&resource.declaration.uri) else {
            continue;
        };
        for place in index.candidates(&uri) {
            work += 1;
            if work > WORK || found.len() >= most {
                return;
            }
            let Some((other, template)) = templates.get(place) else {
                continue;
            };
            if template.matches(&uri).is_some() {
                let message = format!(
                    "the template `{}` matches this URI too, and does not answer for it",
                    template.source()
                );
                found.push(warning(other, resource, message));
            }
        }
    }
}

fn warning(first: &Resource, second: &Resource, message: String) -> Diagnostic {
    Diagnostic::warning(OVERLAP, second.at.clone(), message)
        .label(format!("in resource \"{}\"", second.declaration.uri))
        .related(first.at.clone(), "the other one")
}

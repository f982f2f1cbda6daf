//! What components send to actors, held against the actors of all files.

use super::LoadedFile;
use crate::lang::diag::Diagnostic;
use crate::lang::diag::suggest::did_you_mean;
use crate::manifest::lower::codes::UNKNOWN_ACTOR;
use crate::manifest::lower::unknown_message;
use crate::manifest::read::At;
use crate::model::{Actor, AnyComponent, Kind, SendSpec, sends_of};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// Says which targets and which messages do not exist.
pub(super) fn check(files: &[Arc<LoadedFile>], diagnostics: &mut Vec<Diagnostic>) {
    let components = || files.iter().flat_map(|file| &file.components);
    let mut actors: BTreeMap<&str, Option<&Actor>> = BTreeMap::new();
    for lowered in components().filter(|lowered| lowered.kind == Kind::Actor) {
        if let Some(key) = &lowered.key {
            let actor = match &lowered.component {
                Some(AnyComponent::Actor(actor)) => Some(&**actor),
                // It is broken: what it would take is not known.
                _ => None,
            };
            actors.entry(&key.value).or_insert(actor);
        }
    }
    // What a file's defaults say is wrong once, however many components take it from there.
    let mut told = HashSet::new();
    for component in components().filter_map(|lowered| lowered.component.as_ref()) {
        for spec in sends(component) {
            let found = found(spec, &actors);
            let is_new = |found: &Diagnostic| {
                let at = found.at.as_ref();
                told.insert(at.map(|at| (Arc::as_ptr(&at.file), at.start)))
            };
            diagnostics.extend(found.filter(is_new));
        }
    }
}

fn sends(component: &AnyComponent) -> Vec<&Arc<SendSpec>> {
    match component {
        AnyComponent::Tool(tool) => sends_of(&**tool).collect(),
        AnyComponent::Resource(resource) => sends_of(&**resource).collect(),
        AnyComponent::Prompt(prompt) => sends_of(&**prompt).collect(),
        AnyComponent::Actor(_) => Vec::new(),
    }
}

fn found(spec: &SendSpec, actors: &BTreeMap<&str, Option<&Actor>>) -> Option<Diagnostic> {
    let label = format!("in {}", spec.sender);
    let Some(actor) = actors.get(spec.target.as_str()) else {
        let message = format!("there is no actor `{}`", spec.target.escape_debug());
        let help = did_you_mean(&spec.target, actors.keys().copied())
            .unwrap_or_else(|| "declare it: `[[actor]]`".to_owned());
        let found = Diagnostic::error(UNKNOWN_ACTOR, spec.target_at.clone(), message);
        return Some(found.label(label).help(help));
    };
    let message = At {
        value: spec.message.clone(),
        at: spec.message_at.clone(),
    };
    let found = unknown_message(&message, &(*actor)?.body)?;
    Some(
        found
            .label(label)
            .related((*actor)?.at.clone(), "the actor"),
    )
}

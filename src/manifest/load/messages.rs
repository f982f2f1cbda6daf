//! What components send to actors, held against the actors of all files.

use super::LoadedFile;
use crate::lang::diag::Diagnostic;
use crate::lang::diag::suggest::did_you_mean;
use crate::manifest::lower::codes::UNKNOWN_ACTOR;
use crate::manifest::lower::unknown_message;
use crate::manifest::read::At;
use crate::model::{ActionSpec, Actor, AnyComponent, Kind, SendSpec, actions_of};
use std::collections::BTreeMap;
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
    for component in components().filter_map(|lowered| lowered.component.as_ref()) {
        for spec in sends(component) {
            diagnostics.extend(found(spec, &actors));
        }
    }
}

fn sends(component: &AnyComponent) -> Vec<&SendSpec> {
    fn of(action: &ActionSpec) -> Option<&SendSpec> {
        match action {
            ActionSpec::Actor(spec) => Some(spec),
            _ => None,
        }
    }
    match component {
        AnyComponent::Tool(tool) => actions_of(&**tool).filter_map(of).collect(),
        AnyComponent::Resource(resource) => actions_of(&**resource).filter_map(of).collect(),
        AnyComponent::Prompt(prompt) => actions_of(&**prompt).filter_map(of).collect(),
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

//! From a model to a runtime: folders opened, clients made, lists written.

use super::ask::Asking;
use super::resources::Resources;
use super::set::{Entry, Set};
use super::shown::Shown;
use super::{Runtime, SharedValues};
use crate::access::Access;
use crate::action::Toolbox;
use crate::action::http::StandIn;
use crate::action::outputs::Outputs;
use crate::actor::{Actors, StartError};
use crate::lang::diag::Diagnostic;
use crate::manifest::lower::codes::NOT_READY;
use crate::manifest::read::OUT_OF_RANGE;
use crate::model::{
    ActionSpec, Actor, Catalog, Component, Kind, Prompt, Resource, Settings, Tool, actions_of,
};
use crate::process::own_binary;
use crate::protocol::{Behaviour, Face, Offer, Protocols, REVISIONS};
use crate::shutdown::Shutdown;
use std::path::PathBuf;
use std::sync::Arc;

/// A runtime, and what it had to do without.
#[derive(Debug)]
pub struct Built {
    /// The runtime.
    pub runtime: Runtime,
    /// Why some components are not in it.
    pub left_out: Vec<Diagnostic>,
}

/// Builds the runtime of this catalog. What `previous` had ready for a component that has not
/// changed is taken over: open folders, connection pools. One that cannot be made ready is left out
/// when `may_miss` says so of its kind and name. `actors` are those that run for it.
///
/// # Errors
/// What cannot be made ready: a folder that is gone, a certificate that cannot be used.
pub fn build(
    settings: &Settings,
    catalog: &Catalog,
    previous: Option<&Runtime>,
    shutdown: &Shutdown,
    actors: &Actors,
    may_miss: impl Fn(Kind, &str) -> bool,
) -> Result<Built, Vec<Diagnostic>> {
    let mut toolbox = Toolbox::new(shutdown, settings.server.grace, helper(), actors);
    if let Some(previous) = previous {
        toolbox.take_over(previous.actions());
        toolbox.keep_outputs_in(&previous.outputs);
    }
    make(settings, catalog, previous, toolbox, may_miss)
}

/// Builds the runtime of one tool for a test of it: what the tool asks of an upstream reaches the
/// stand-in.
///
/// # Errors
/// What cannot be made ready.
pub fn build_for_test(
    settings: &Settings,
    tool: &Arc<Tool>,
    upstream: Arc<StandIn>,
    shutdown: &Shutdown,
    actors: &Actors,
) -> Result<Runtime, Vec<Diagnostic>> {
    let toolbox = Toolbox::new(shutdown, settings.server.grace, helper(), actors);
    let toolbox = toolbox.standing_in(upstream);
    let catalog = Catalog {
        tools: vec![Arc::clone(tool)],
        ..Catalog::default()
    };
    make(settings, &catalog, None, toolbox, |_, _| false).map(|built| built.runtime)
}

fn make(
    settings: &Settings,
    catalog: &Catalog,
    previous: Option<&Runtime>,
    toolbox: Toolbox,
    may_miss: impl Fn(Kind, &str) -> bool,
) -> Result<Built, Vec<Diagnostic>> {
    let mut builder = Builder {
        toolbox,
        may_miss,
        left_out: Vec::new(),
        errors: Vec::new(),
    };
    let tools = builder.ready(&catalog.tools, previous.map(|before| &before.tools));
    let before = previous.map(|before| &before.resources.set);
    let resources = builder.ready(&catalog.resources, before);
    let before = previous.map(|before| &before.prompts);
    let prompts = builder.ready(&catalog.prompts, before);
    // One that was left out does not run.
    let running = catalog.actors.iter();
    let running = running.filter(|actor| builder.toolbox.actors().runs(&actor.name));
    let running: Vec<Arc<Actor>> = running.cloned().collect();
    let running = builder.ready(&running, previous.map(|before| &before.actors));
    let Builder {
        toolbox,
        left_out,
        mut errors,
        ..
    } = builder;
    let protocols = protocols(settings, &mut errors);
    let access = match access(settings, previous) {
        Ok(access) if errors.is_empty() => access,
        Ok(_) => return Err(errors),
        Err(error) => {
            errors.push(*error);
            return Err(errors);
        }
    };
    Ok(Built {
        runtime: assemble(
            settings,
            protocols,
            (tools, resources, prompts, running),
            (access, toolbox.outputs()),
        ),
        left_out,
    })
}

/// What components are made ready with, and what came of it so far.
struct Builder<M> {
    toolbox: Toolbox,
    may_miss: M,
    left_out: Vec<Diagnostic>,
    errors: Vec<Diagnostic>,
}

impl<M: Fn(Kind, &str) -> bool> Builder<M> {
    /// The components of one kind that can be made ready.
    fn ready<C: Component>(
        &mut self,
        components: &[Arc<C>],
        before: Option<&Set<C>>,
    ) -> Vec<Entry<C>> {
        let mut entries = Vec::with_capacity(components.len());
        for component in components {
            match Entry::prepare(component, before, &mut self.toolbox) {
                Ok(entry) => entries.push(entry),
                Err(error) => {
                    let missed = (self.may_miss)(C::KIND, component.key());
                    let found = match missed {
                        true => &mut self.left_out,
                        false => &mut self.errors,
                    };
                    found.push(not_ready(&**component, &error));
                }
            }
        }
        entries
    }
}

/// This program, for commands and workers that run under limits.
pub fn helper() -> PathBuf {
    own_binary().unwrap_or_else(|_| PathBuf::from("snodo"))
}

/// What keeps an actor from being there, as a finding.
pub fn not_started(actor: &Actor, error: &StartError) -> Diagnostic {
    not_ready(actor, error)
}

fn not_ready<C: Component>(component: &C, error: &impl std::fmt::Display) -> Diagnostic {
    let (kind, key) = (C::KIND, component.key());
    let message = format!("the {kind} cannot be served: {error}");
    Diagnostic::error(NOT_READY, component.at().clone(), message)
        .label(format!("in {kind} \"{key}\""))
}

/// Who listens is told of every change of a list.
const NOTIFIED: Behaviour = Behaviour {
    list_changed: true,
    subscribe: false,
};

/// The revisions to speak. One that there is none of is an error.
fn protocols(settings: &Settings, errors: &mut Vec<Diagnostic>) -> Protocols {
    let Some(listed) = &settings.server.protocols else {
        return Protocols::ALL;
    };
    for revision in listed {
        if !REVISIONS.contains(&revision.name.as_str()) {
            let message = format!("`{}` is no revision that is spoken here", revision.name);
            let found = Diagnostic::error(OUT_OF_RANGE, revision.at.clone(), message);
            errors.push(found.help(format!("there are {}", REVISIONS.join(", "))));
        }
    }
    let names: Vec<&str> = listed.iter().map(|one| one.name.as_str()).collect();
    Protocols::of(&names)
}

/// All that is served, ready to run.
type Entries = (
    Vec<Entry<Tool>>,
    Vec<Entry<Resource>>,
    Vec<Entry<Prompt>>,
    Vec<Entry<Actor>>,
);

fn assemble(
    settings: &Settings,
    protocols: Protocols,
    (tools, resources, prompts, actors): Entries,
    (access, outputs): (Arc<Access>, &Outputs),
) -> Runtime {
    let offer = Offer {
        tools: (!tools.is_empty()).then_some(NOTIFIED),
        prompts: (!prompts.is_empty()).then_some(NOTIFIED),
        // A long output is a resource too, though none that is listed.
        resources: (!resources.is_empty() || tools.iter().any(overflows)).then_some(Behaviour {
            subscribe: true,
            ..NOTIFIED
        }),
        completions: prompts.iter().any(completes)
            || resources.iter().any(completes)
            || resources.iter().any(Resources::completes_paths),
        logging: tools.iter().any(logs) || resources.iter().any(logs) || prompts.iter().any(logs),
    };
    let mirrored = tools.iter().map(|entry| {
        let tool = &entry.component;
        let mirrored = (tool.mirrored.as_slice(), &tool.scopes);
        (tool.declaration.name.as_str(), mirrored)
    });
    let face = Face::new(&settings.server.identity, offer)
        .speaking(protocols, settings.server.secret.as_ref())
        .knowing(&settings.server.earlier_secrets)
        .with_mirrored(mirrored);
    let (tools, prompts) = (Set::new(tools), Set::new(prompts));
    let resources = Resources::new(resources);
    Runtime {
        discovery: face.discover_result(settings.server.caches.discovery),
        shown: Shown::new(settings, &face, &tools, &resources, &prompts),
        tools,
        resources,
        prompts,
        access,
        read_cache: settings.server.caches.resources,
        actors: Set::new(actors),
        values: SharedValues::of(&settings.values),
        asking: Asking::new(settings),
        outputs: outputs.clone(),
        face,
    }
}

/// Who calls: as before, unless the settings say something else.
fn access(settings: &Settings, previous: Option<&Runtime>) -> Result<Arc<Access>, Box<Diagnostic>> {
    let (auth, realm) = (&settings.auth, &settings.server.identity.name);
    let before = previous.map(|before| &before.access);
    if let Some(before) = before.filter(|before| before.is_of(auth, realm)) {
        return Ok(Arc::clone(before));
    }
    let made = Access::new(auth, realm).map_err(|error| {
        let message = format!("`auth.oauth` cannot be used: {error}");
        Box::new(Diagnostic::placeless(NOT_READY, message))
    })?;
    Ok(Arc::new(made))
}

fn overflows<C: Component>(entry: &Entry<C>) -> bool {
    actions_of(&*entry.component).any(ActionSpec::overflows)
}

fn logs<C: Component>(entry: &Entry<C>) -> bool {
    actions_of(&*entry.component).any(ActionSpec::logs)
}

fn completes<C: Component>(entry: &Entry<C>) -> bool {
    !entry.component.completions().is_empty()
}

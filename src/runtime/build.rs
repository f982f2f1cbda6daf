//! From a model to a runtime: folders opened, clients made, lists written.

use super::cursor::Cursors;
use super::{Entry, Runtime, SharedValues, ToolSet};
use crate::action::http::StandIn;
use crate::action::shell::own_binary;
use crate::action::{Action, PrepareError, Toolbox};
use crate::lang::diag::Diagnostic;
use crate::manifest::lower::codes::NOT_READY;
use crate::model::{Settings, Tool, ToolDeclaration};
use crate::protocol::{Face, Listed, Offer};
use crate::shutdown::Shutdown;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

/// A runtime, and what it had to do without.
#[derive(Debug)]
pub struct Built {
    /// The runtime.
    pub runtime: Runtime,
    /// Why some tools are not in it.
    pub left_out: Vec<Diagnostic>,
}

/// Builds the runtime of these tools. What `previous` had ready for a tool that has not changed is
/// taken over: open folders, connection pools. A tool that cannot be made ready is left out when
/// `may_miss` says so of its name.
///
/// # Errors
/// What cannot be made ready: a folder that is gone, a certificate that cannot be used.
pub fn build(
    settings: &Settings,
    tools: &[Arc<Tool>],
    previous: Option<&Runtime>,
    shutdown: &Shutdown,
    may_miss: impl Fn(&str) -> bool,
) -> Result<Built, Vec<Diagnostic>> {
    let mut toolbox = Toolbox::new(shutdown, settings.server.grace, helper());
    if let Some(previous) = previous {
        let actions = previous.tools.by_name.values();
        toolbox.take_over(actions.filter_map(|entry| entry.action.as_deref()));
    }
    let mut served = Vec::with_capacity(tools.len());
    let (mut left_out, mut errors) = (Vec::new(), Vec::new());
    for tool in tools {
        match entry(tool, previous, &mut toolbox) {
            Ok(entry) => served.push(entry),
            Err(error) => {
                let missed = may_miss(&tool.declaration.name);
                let found = if missed { &mut left_out } else { &mut errors };
                found.push(not_ready(tool, &error));
            }
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    Ok(Built {
        runtime: assemble(settings, served),
        left_out,
    })
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
) -> Result<Runtime, PrepareError> {
    let toolbox = Toolbox::new(shutdown, settings.server.grace, helper());
    let served = entry(tool, None, &mut toolbox.standing_in(upstream))?;
    Ok(assemble(settings, vec![served]))
}

/// This program, for commands that run under limits.
fn helper() -> PathBuf {
    own_binary().unwrap_or_else(|_| PathBuf::from("snodo"))
}

/// A tool with its action: the one that ran it before, when neither has changed.
fn entry(
    tool: &Arc<Tool>,
    previous: Option<&Runtime>,
    toolbox: &mut Toolbox,
) -> Result<Entry, PrepareError> {
    let known = previous.and_then(|previous| previous.tools.by_name.get(&tool.declaration.name));
    let known = known.filter(|known| known.tool.definition == tool.definition);
    let action = match (known, &tool.action) {
        (Some(known), _) if known.is_current() => known.action.clone(),
        (_, None) => None,
        (_, Some(spec)) => Some(Arc::new(Action::prepare(spec, toolbox)?)),
    };
    Ok(Entry {
        tool: Arc::clone(tool),
        action,
    })
}

fn not_ready(tool: &Tool, error: &PrepareError) -> Diagnostic {
    let name = &tool.declaration.name;
    let message = format!("the tool cannot be served: {error}");
    Diagnostic::error(NOT_READY, tool.at.clone(), message).label(format!("in tool \"{name}\""))
}

fn assemble(settings: &Settings, served: Vec<Entry>) -> Runtime {
    let offer = Offer {
        tools: (!served.is_empty()).then(Listed::default),
    };
    let mirrored = served.iter().map(|entry| {
        let tool = &entry.tool;
        (tool.declaration.name.as_str(), tool.mirrored.as_slice())
    });
    let face = Face::new(&settings.server.identity, offer).with_mirrored(mirrored);
    let discovery = face.discover_result(settings.server.discovery_cache);
    let secret = settings.server.secret.as_ref();
    let cursors = Cursors::new(
        "tools",
        served.iter().map(|entry| entry.tool.fingerprint.as_str()),
        settings.server.page_size,
        secret.map(crate::secret::Secret::reveal),
    );
    let pages = pages(settings, &face, &served, &cursors);
    let definitions = served.iter().map(|entry| entry.tool.definition).collect();
    let by_name: HashMap<String, Entry> = served
        .into_iter()
        .map(|entry| (entry.tool.declaration.name.clone(), entry))
        .collect();
    Runtime {
        face,
        discovery,
        tools: ToolSet {
            by_name,
            pages,
            definitions,
        },
        values: SharedValues::of(&settings.values),
        cursors,
    }
}

fn pages(
    settings: &Settings,
    face: &Face,
    served: &[Entry],
    cursors: &Cursors,
) -> Vec<crate::ops::Ready> {
    let size = settings.server.page_size.max(1);
    let declarations: Vec<&ToolDeclaration> =
        served.iter().map(|entry| &entry.tool.declaration).collect();
    let count = declarations.len().div_ceil(size).max(1);
    (0..count)
        .map(|page| {
            let from = page * size;
            let to = (from + size).min(declarations.len());
            let next = u32::try_from(page + 1)
                .ok()
                .filter(|_| page + 1 < count)
                .map(|next| cursors.write(next));
            let shown = declarations.get(from..to).unwrap_or_default();
            face.tools_page(shown, next.as_deref(), settings.server.tools_cache)
        })
        .collect()
}

//! From a model to a runtime: folders opened, clients made, lists written.

use super::cursor::Cursors;
use super::{Entry, Runtime, SharedValues, ToolSet};
use crate::action::shell::own_binary;
use crate::action::{Action, Toolbox};
use crate::lang::diag::Diagnostic;
use crate::manifest::lower::codes::NOT_READY;
use crate::model::{Settings, Tool, ToolDeclaration};
use crate::protocol::{Face, Listed, Offer};
use crate::shutdown::Shutdown;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

/// Builds the runtime of these tools. What `previous` had ready for a tool that has not changed is
/// taken over: open folders, connection pools.
///
/// # Errors
/// What cannot be made ready: a folder that is gone, a certificate that cannot be used.
pub fn build(
    settings: &Settings,
    tools: &[Arc<Tool>],
    previous: Option<&Runtime>,
    shutdown: &Shutdown,
) -> Result<Runtime, Vec<Diagnostic>> {
    let offer = Offer {
        tools: (!tools.is_empty()).then(Listed::default),
    };
    let face = Face::new(&settings.server.identity, offer);
    let discovery = face.discover_result(settings.server.discovery_cache);
    let secret = settings.server.secret.as_ref();
    let cursors = Cursors::new(
        "tools",
        tools.iter().map(|tool| tool.fingerprint.as_str()),
        secret.map(crate::secret::Secret::reveal),
    );
    let pages = pages(settings, &face, tools, &cursors);
    let toolbox = Toolbox::new(shutdown, settings.server.grace, helper());
    let by_name = entries(tools, previous, toolbox)?;
    Ok(Runtime {
        face,
        discovery,
        tools: ToolSet { by_name, pages },
        values: SharedValues::of(&settings.values),
        cursors,
    })
}

/// This program, for commands that run under limits.
fn helper() -> PathBuf {
    own_binary().unwrap_or_else(|_| PathBuf::from("snodo"))
}

fn pages(
    settings: &Settings,
    face: &Face,
    tools: &[Arc<Tool>],
    cursors: &Cursors,
) -> Vec<crate::ops::Ready> {
    let size = settings.server.page_size.max(1);
    let declarations: Vec<&ToolDeclaration> = tools.iter().map(|tool| &tool.declaration).collect();
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

fn entries(
    tools: &[Arc<Tool>],
    previous: Option<&Runtime>,
    mut toolbox: Toolbox,
) -> Result<HashMap<String, Entry>, Vec<Diagnostic>> {
    let mut by_name = HashMap::with_capacity(tools.len());
    let mut errors = Vec::new();
    if let Some(previous) = previous {
        let actions = previous.tools.by_name.values();
        toolbox.take_over(actions.filter_map(|entry| entry.action.as_deref()));
    }
    for tool in tools {
        let name = &tool.declaration.name;
        let known = previous.and_then(|previous| previous.tools.by_name.get(name));
        if let Some(known) = known.filter(|known| Arc::ptr_eq(&known.tool, tool)) {
            by_name.insert(name.clone(), known.clone());
            continue;
        }
        let action = match &tool.action {
            None => None,
            Some(spec) => match Action::prepare(spec, &mut toolbox) {
                Ok(action) => Some(Arc::new(action)),
                Err(error) => {
                    let message = format!("the tool cannot be served: {error}");
                    let found = Diagnostic::error(NOT_READY, tool.at.clone(), message);
                    errors.push(found.label(format!("in tool \"{name}\"")));
                    continue;
                }
            },
        };
        let entry = Entry {
            tool: Arc::clone(tool),
            action,
        };
        by_name.insert(name.clone(), entry);
    }
    if errors.is_empty() {
        Ok(by_name)
    } else {
        Err(errors)
    }
}

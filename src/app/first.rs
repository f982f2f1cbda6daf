//! The first load: what the server starts with, or why it does not start.

use super::Refused;
use crate::actor::Actors;
use crate::lang::schema::SchemaCache;
use crate::manifest::environment::Environment;
use crate::manifest::load::{self, Loaded};
use crate::manifest::settings::{self, Asked};
use crate::model::{Actor, OnError, Settings};
use crate::process::Starter;
use crate::reload::{self, State};
use crate::runtime::{self, Runtime};
use crate::shutdown::Shutdown;
use crate::telemetry::{self, LogGuard};
use anyhow::Context as _;
use std::io::IsTerminal as _;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;

/// How often files that are being changed are read again, and how soon.
const AGAIN: (u32, Duration) = (20, Duration::from_millis(50));

/// What the first load made.
pub(super) struct First {
    /// What it was given, and what it came to.
    pub(super) state: State,
    /// What is served at first.
    pub(super) runtime: Runtime,
    /// Logging, which ends with it.
    pub(super) log: LogGuard,
}

/// Reads everything and makes it ready. Blocks on the file system.
///
/// # Errors
/// What is wrong; with `on_error = "skip"` a broken manifest is not.
pub(super) fn load(
    asked: Asked,
    environment: Environment,
    shutdown: &Shutdown,
) -> Result<First, Refused> {
    let no_color = environment.asks_for_no_color();
    let (settings, mut found) = settings::load(&asked, &environment);
    let Some(settings) = settings else {
        return Err(Refused::Manifests { found, no_color });
    };
    let schemas = Arc::new(SchemaCache::new());
    let loaded = settled(&settings, &environment, &schemas);
    found.extend(loaded.diagnostics.iter().cloned());
    let skip = settings.server.on_error == OnError::Skip;
    if loaded.errors() > 0 && !skip {
        return Err(Refused::Manifests { found, no_color });
    }
    let mut to = settings.log.clone();
    to.color = !no_color && !to.journal && std::io::stderr().is_terminal();
    // Actors log from their start on.
    let log = telemetry::init(&to).context("cannot set up logging")?;
    let state_dir = settings.server.state_dir.clone();
    let actors = Actors::new(shutdown, Starter::new(runtime::helper()), state_dir);
    let catalog = &loaded.catalog;
    let started = Handle::current().block_on(actors.prepare(&catalog.actors, false, |_| skip));
    let not_started = |(actor, error): &(Arc<Actor>, _)| runtime::not_started(actor, error);
    let prepared = match started {
        Ok(prepared) => prepared,
        Err(errors) => {
            found.extend(errors.iter().map(not_started));
            return Err(Refused::Manifests { found, no_color });
        }
    };
    found.extend(prepared.left_out().iter().map(not_started));
    let built = match runtime::build(&settings, catalog, None, shutdown, &actors, |_, _| skip) {
        Ok(built) => built,
        Err(errors) => {
            found.extend(errors);
            return Err(Refused::Manifests { found, no_color });
        }
    };
    found.extend(built.left_out);
    prepared.commit();
    if !found.is_empty() {
        tracing::warn!("the manifests are served with these findings");
        reload::say(&found, settings.log.format);
    }
    let state = State {
        asked,
        environment,
        schemas,
        settings,
        loaded,
        found,
        actors,
    };
    Ok(First {
        state,
        runtime: built.runtime,
        log,
    })
}

/// Loads until no file comes or goes meanwhile.
fn settled(settings: &Settings, environment: &Environment, schemas: &SchemaCache) -> Loaded {
    let (times, pause) = AGAIN;
    let mut loaded = load::load(settings, environment, schemas, None);
    for _ in 1..times {
        if !loaded.unsettled {
            break;
        }
        std::thread::sleep(pause);
        loaded = load::load(settings, environment, schemas, Some(&loaded));
    }
    loaded
}

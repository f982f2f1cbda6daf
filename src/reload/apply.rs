//! The one path from files to a new runtime: all or nothing.

use super::watch::Watched;
use crate::lang::diag::{self, Diagnostic, RenderStyle};
use crate::lang::schema::SchemaCache;
use crate::manifest::environment::Environment;
use crate::manifest::load::{Loaded, load};
use crate::manifest::settings::{self, Asked};
use crate::model::{OnError, Settings};
use crate::runtime::{self, Diff, Handle, Runtime};
use crate::shutdown::Shutdown;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// What became of a look at the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applied {
    /// The files say what they said before.
    Unchanged,
    /// A new runtime serves.
    Swapped,
    /// Something is wrong; the runtime before goes on.
    Refused,
    /// A file came or went while the set was read.
    Unsettled,
}

/// What the last load was given, and what it came to. Never changed; the next load makes another.
#[derive(Debug)]
pub struct State {
    /// What the command line said.
    pub asked: Asked,
    /// The process's environment.
    pub environment: Environment,
    /// Compiled schemas.
    pub schemas: Arc<SchemaCache>,
    /// The settings.
    pub settings: Settings,
    /// The manifests.
    pub loaded: Loaded,
}

/// Puts what the files say in the place of what is served.
#[derive(Debug)]
pub struct Reloader {
    state: Arc<State>,
    handle: Handle,
    shutdown: Shutdown,
    /// The text of the last complaint, so that the same one is not printed twice.
    complained: Option<String>,
}

impl Reloader {
    /// Goes on from the first load.
    pub fn new(first: State, handle: Handle, shutdown: Shutdown) -> Self {
        Self {
            state: Arc::new(first),
            handle,
            shutdown,
            complained: None,
        }
    }

    /// Looks at the files, and swaps when they say something new and nothing is wrong. `whole`
    /// reads everything again, as SIGHUP asks. The reading is done off the async threads.
    pub async fn apply(&mut self, whole: bool) -> Applied {
        let began = Instant::now();
        let before = self.handle.snapshot();
        let state = Arc::clone(&self.state);
        let shutdown = self.shutdown.clone();
        let base = Arc::clone(&before);
        let looked =
            tokio::task::spawn_blocking(move || look(&state, &base, &shutdown, whole)).await;
        match looked {
            Ok(Looked::Unsettled) => Applied::Unsettled,
            Ok(Looked::Unchanged) => Applied::Unchanged,
            Ok(Looked::Broken(found)) => {
                self.complain(&found);
                Applied::Refused
            }
            Ok(Looked::Whole(ready)) => {
                self.swap(&before, *ready, began);
                Applied::Swapped
            }
            Err(panic) => {
                tracing::error!(%panic, "a reload failed; the server goes on with what it had");
                Applied::Refused
            }
        }
    }

    fn swap(&mut self, before: &Arc<Runtime>, ready: Ready, began: Instant) {
        if ready.state.settings.http != self.state.settings.http {
            tracing::warn!(
                "`[http]` has changed; listeners and limits change when the server is started again"
            );
        }
        let diff = Diff::between(before, &ready.runtime);
        self.handle.swap(Arc::new(ready.runtime));
        self.state = Arc::new(ready.state);
        if self.complained.take().is_some() {
            tracing::info!("the manifests are whole again");
        }
        tracing::info!(
            tools = self.state.loaded.tools.len(),
            added = ?diff.added,
            changed = ?diff.changed,
            removed = ?diff.removed,
            ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
            "reloaded"
        );
    }

    /// Prints what is wrong, once for the same text.
    fn complain(&mut self, found: &[Diagnostic]) {
        let text = diag::render(found, &RenderStyle::default());
        if self.complained.as_deref() != Some(text.as_str()) {
            tracing::error!(
                "the manifests were not reloaded; the server goes on with what it had\n{text}"
            );
            self.complained = Some(text);
        }
    }

    /// Every place whose change is worth a look: the manifests' folders, the folders above them
    /// (a folder may be replaced whole), the server file's folder, and the folders of files that
    /// manifests name.
    pub fn watched(&self) -> Vec<Watched> {
        let mut watched = BTreeSet::new();
        let mut folder_of = |path: &Path| {
            let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
            if let Some(parent) = path.parent() {
                watched.insert(Watched {
                    path: parent.to_owned(),
                    recursive: false,
                });
            }
        };
        if let Some(config) = &self.state.settings.server_file {
            folder_of(config);
        }
        for outside in self.state.loaded.outside() {
            folder_of(outside);
        }
        let manifests = &self.state.settings.manifests;
        for path in manifests {
            folder_of(path);
        }
        watched.extend(
            manifests
                .iter()
                .filter(|path| path.is_dir())
                .map(|path| Watched {
                    path: path.clone(),
                    recursive: true,
                }),
        );
        watched.into_iter().collect()
    }
}

/// What a look at the files came to.
enum Looked {
    Unsettled,
    Unchanged,
    Broken(Vec<Diagnostic>),
    Whole(Box<Ready>),
}

/// A runtime that can be swapped in, and what it was made of.
struct Ready {
    runtime: Runtime,
    state: State,
}

fn look(state: &State, before: &Arc<Runtime>, shutdown: &Shutdown, whole: bool) -> Looked {
    let (settings, mut found) = settings::load(&state.asked, &state.environment);
    let Some(settings) = settings else {
        return Looked::Broken(found);
    };
    let same_settings = settings == state.settings;
    let previous = (same_settings && !whole).then_some(&state.loaded);
    let loaded = load(&settings, &state.environment, &state.schemas, previous);
    if loaded.unsettled {
        return Looked::Unsettled;
    }
    if previous.is_some_and(|previous| loaded.says_the_same(previous)) {
        return Looked::Unchanged;
    }
    found.extend(loaded.diagnostics.iter().cloned());
    if loaded.errors() > 0 && settings.server.on_error == OnError::Refuse {
        return Looked::Broken(found);
    }
    match runtime::build(&settings, &loaded.tools, Some(before), shutdown) {
        Ok(runtime) => Looked::Whole(Box::new(Ready {
            runtime,
            state: State {
                asked: state.asked.clone(),
                environment: state.environment.clone(),
                schemas: Arc::clone(&state.schemas),
                settings,
                loaded,
            },
        })),
        Err(errors) => {
            found.extend(errors);
            Looked::Broken(found)
        }
    }
}

//! The one path from files to a new runtime: all or nothing.

use super::awaited::Awaited;
use super::doors::Doors;
use super::files::KnownFiles;
use super::places::Places;
use super::restart;
use super::say::{Said, most, say, short};
use crate::actor::{Actors, Prepared};
use crate::lang::diag::{self, Diagnostic, RenderStyle, Severity};
use crate::lang::schema::SchemaCache;
use crate::manifest::environment::Environment;
use crate::manifest::load::{Loaded, load};
use crate::manifest::lower::codes::NOT_READY;
use crate::manifest::settings::{self, Asked};
use crate::model::{ActionSpec, Kind, OnError, Settings};
use crate::ops::{Caller, ListKind};
use crate::runtime::{self, Diff, Handle, Hub, Runtime};
use crate::server::Watch;
use crate::service::{Findings, Outcome, Status};
use crate::shutdown::Shutdown;
use crate::transport::http::Mover;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// What became of a look at the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applied {
    /// What is served is what the files say.
    Unchanged,
    /// A new runtime serves.
    Swapped,
    /// Something is wrong; the runtime before goes on.
    Refused,
    /// The files are being changed: looking again will tell.
    Unsettled,
}

/// What the first load was given, and what it came to.
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
    /// What was found and has been said.
    pub found: Vec<Diagnostic>,
    /// The actors that run.
    pub actors: Actors,
}

/// Puts what the files say in the place of what is served. Its methods block on the file system.
#[derive(Debug)]
pub struct Reloader {
    asked: Asked,
    environment: Environment,
    schemas: Arc<SchemaCache>,
    handle: Handle,
    hub: Hub,
    actors: Actors,
    shutdown: Shutdown,
    status: Status,
    watch: Watch,
    files: KnownFiles,
    /// The settings that hold until the process ends, whatever the server file says later.
    started: Settings,
    /// What is served.
    served: Look,
    /// The last look, when it was refused.
    refused: Option<RefusedLook>,
    said: Said,
    doors: Doors,
    awaited_sources: Awaited,
    awaited_manifests: Awaited,
}

/// A look that came as far as the manifests.
#[derive(Debug)]
struct Look {
    settings: Settings,
    loaded: Loaded,
}

#[derive(Debug)]
struct RefusedLook {
    /// `None` when the server file is what is wrong.
    look: Option<Look>,
    /// What was printed.
    text: String,
}

impl Reloader {
    /// Goes on from the first load, which is what `handle` serves, on the listener that `mover`
    /// moves. `hub` hears of what each reload changed, `status` of how it went, `watch` of what
    /// is served then.
    pub fn new(
        first: State,
        handle: Handle,
        hub: Hub,
        shutdown: Shutdown,
        (status, watch): (Status, Watch),
        mover: Option<Mover>,
    ) -> Self {
        let mut said = Said::default();
        said.new_of(&first.found);
        Self {
            asked: first.asked,
            environment: first.environment,
            schemas: first.schemas,
            handle,
            hub,
            actors: first.actors,
            shutdown,
            status,
            watch,
            files: KnownFiles::default(),
            started: first.settings.clone(),
            served: Look {
                settings: first.settings,
                loaded: first.loaded,
            },
            refused: None,
            said,
            doors: Doors::new(mover),
            awaited_sources: Awaited::default(),
            awaited_manifests: Awaited::default(),
        }
    }

    /// The same, and watched files are looked at before a runtime with them serves.
    #[must_use]
    pub fn looking_at(self, files: KnownFiles) -> Self {
        Self { files, ..self }
    }

    /// Looks at the files, and swaps when they say something new and nothing is wrong. `whole`
    /// reads everything anew and waits for nothing to come back, as SIGHUP asks.
    pub fn apply(&mut self, whole: bool) -> Applied {
        let began = Instant::now();
        let (settings, found) = settings::load(&self.asked, &self.environment);
        let missing = self.missing_sources();
        if self.awaited_sources.may_come_back(&missing) && !whole {
            return Applied::Unsettled;
        }
        let Some(settings) = settings else {
            return self.refuse(found, None);
        };
        let base = self
            .last_look()
            .filter(|last| !whole && last.settings == settings);
        let base = base.map(|last| &last.loaded);
        let loaded = load(&settings, &self.environment, &self.schemas, base);
        let missing = self.missing_manifests(&loaded);
        if self.awaited_manifests.may_come_back(&missing) && !whole || loaded.unsettled {
            return Applied::Unsettled;
        }
        self.decide(Look { settings, loaded }, found, whole, began)
    }

    fn decide(
        &mut self,
        look: Look,
        mut found: Vec<Diagnostic>,
        whole: bool,
        began: Instant,
    ) -> Applied {
        found.extend(look.loaded.diagnostics.iter().cloned());
        if self.is_broken(&look) {
            return self.refuse(found, Some(look));
        }
        let before = self.handle.snapshot();
        let same_server = look.settings == self.served.settings;
        // Who reads everything anew has seen to what an actor was down for.
        let revive = whole && self.actors.has_down();
        let is_same = same_server && before.serves_just(&look.loaded.catalog);
        if is_same && before.is_current() && !revive {
            return self.keep(look, &found, whole);
        }
        // As at the start: what never was served may be missing, when the server file says so.
        let skip = look.settings.server.on_error == OnError::Skip;
        let may_miss = |kind: Kind, key: &str| skip && !before.serves(kind, key);
        let (settings, catalog) = (&look.settings, &look.loaded.catalog);
        // New actors run from here on; dropped with what was refused, they stop.
        let actors = match self.prepare(&look, whole, |name| may_miss(Kind::Actor, name)) {
            Ok(actors) => actors,
            Err(errors) => {
                found.extend(errors);
                return self.refuse(found, Some(look));
            }
        };
        found.extend(
            actors
                .left_out()
                .iter()
                .map(|(actor, error)| runtime::not_started(actor, error)),
        );
        let (shutdown, all) = (&self.shutdown, &self.actors);
        match runtime::build(settings, catalog, Some(&before), shutdown, all, may_miss) {
            Err(errors) => {
                found.extend(errors);
                self.refuse(found, Some(look))
            }
            Ok(built) => {
                found.extend(built.left_out);
                if same_server && built.runtime.serves_as(&before) {
                    actors.commit();
                    return self.keep(look, &found, whole);
                }
                match self.doors.open(&look.settings.http.listen) {
                    Err(error) => {
                        found.push(Diagnostic::placeless(NOT_READY, error.to_string()));
                        self.refuse(found, Some(look))
                    }
                    Ok(opened) => {
                        actors.commit();
                        self.swap(&before, look, built.runtime, &found, began);
                        self.doors.enter(opened);
                        self.doors.exchange(self.served.settings.http.tls.as_ref());
                        Applied::Swapped
                    }
                }
            }
        }
    }

    /// Makes ready what the look says of actors. With `whole` those that are down begin anew.
    fn prepare(
        &self,
        look: &Look,
        whole: bool,
        may_miss: impl Fn(&str) -> bool,
    ) -> Result<Prepared, Vec<Diagnostic>> {
        let wanted = &look.loaded.catalog.actors;
        let prepared = tokio::runtime::Handle::current()
            .block_on(self.actors.prepare(wanted, whole, may_miss));
        prepared.map_err(|errors| {
            let errors = errors.iter();
            errors
                .map(|(actor, error)| runtime::not_started(actor, error))
                .collect()
        })
    }

    /// Whether this look is not to be served. With `on_error = "skip"` a file that is broken goes on
    /// without serving anything; a file that serves may not break.
    fn is_broken(&self, look: &Look) -> bool {
        let loaded = &look.loaded;
        if loaded.errors() == 0 {
            return false;
        }
        if look.settings.server.on_error == OnError::Refuse {
            return true;
        }
        let served: HashSet<&Path> = self.served.loaded.whole_files().collect();
        let known = &self.served.loaded.diagnostics;
        let mut errors = loaded.diagnostics.iter();
        errors.any(|error| {
            error.severity == Severity::Error
                && match &error.at {
                    Some(at) => served.contains(at.file.path()),
                    None => !known.iter().any(|known| known.message == error.message),
                }
        })
    }

    /// What is served is what the files say.
    fn keep(&mut self, look: Look, found: &[Diagnostic], whole: bool) -> Applied {
        let changed = !look.loaded.says_the_same(&self.served.loaded);
        self.served = look;
        let counts = self.handle.snapshot().counts();
        let findings = count(found);
        if whole || self.refused.is_some() || self.status.now().findings != findings {
            self.status.looked(Outcome::Unchanged, counts, findings);
        }
        self.say_whole_again();
        self.say_findings(found);
        if whole {
            tracing::info!(components = %counts, "read everything again; nothing has changed");
        } else if changed {
            tracing::debug!("files have changed; the components are the same");
        }
        Applied::Unchanged
    }

    fn swap(
        &mut self,
        before: &Runtime,
        look: Look,
        runtime: Runtime,
        found: &[Diagnostic],
        began: Instant,
    ) {
        let diff = Diff::between(before, &runtime);
        let what = if diff.is_empty() && look.settings != self.served.settings {
            "reloaded the server file"
        } else {
            "reloaded"
        };
        let counts = runtime.counts();
        // Before, so that nothing that the new one does goes uncounted.
        self.watch.serve(&runtime);
        let runtime = Arc::new(runtime);
        self.files.begin(&runtime, self.shutdown.token());
        self.handle.swap(runtime);
        if !Arc::ptr_eq(before.access(), self.handle.snapshot().access()) {
            before.access().revoke();
        }
        // Who asks because of this is answered by the new runtime.
        let after = self.handle.snapshot();
        for list in [ListKind::Tools, ListKind::Prompts, ListKind::Resources] {
            let is_shown = |caller: &Caller| after.shows_anew(before, list, caller);
            self.hub.list_changed(list, is_shown);
        }
        self.hub.updated(&diff.resources);
        let settings = std::mem::replace(&mut self.served, look).settings;
        self.say_whole_again();
        self.say_restart(&settings);
        self.say_findings(found);
        self.status.looked(Outcome::Reloaded, counts, count(found));
        tracing::info!(
            components = %counts,
            added = short(&diff.added),
            changed = short(&diff.changed),
            removed = short(&diff.removed),
            ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
            "{what}"
        );
    }

    /// Prints what is wrong, once for the same content, and remembers it.
    fn refuse(&mut self, found: Vec<Diagnostic>, look: Option<Look>) -> Applied {
        let text = diag::render(&most(&found), &RenderStyle::default());
        let same = self.refused.as_ref().is_some_and(|refused| {
            refused.text == text
                && match (&refused.look, &look) {
                    (Some(before), Some(now)) => {
                        now.settings == before.settings && now.loaded.says_the_same(&before.loaded)
                    }
                    (before, now) => before.is_none() && now.is_none(),
                }
        });
        if !same {
            tracing::error!("the manifests were not reloaded; the server goes on with what it had");
            say(&found, self.started.log.format);
            let counts = self.handle.snapshot().counts();
            self.status.looked(Outcome::Refused, counts, count(&found));
        }
        self.refused = Some(RefusedLook { look, text });
        Applied::Refused
    }

    fn say_whole_again(&mut self) {
        if self.refused.take().is_some() {
            tracing::info!("the manifests are whole again");
        }
    }

    fn say_findings(&mut self, found: &[Diagnostic]) {
        say(&self.said.new_of(found), self.started.log.format);
    }

    fn say_restart(&self, before: &Settings) {
        for key in restart::needed_for(&self.served.settings, before, &self.started) {
            tracing::warn!("`{key}` has changed; it takes effect when the server is started again");
        }
    }

    /// The files that the settings were read from and that are gone or empty.
    fn missing_sources(&self) -> Vec<PathBuf> {
        let is_missing =
            |path: &&PathBuf| std::fs::metadata(path).map_or(true, |data| data.len() == 0);
        let sources = self.served.settings.sources.iter();
        sources.filter(is_missing).cloned().collect()
    }

    /// The files that are gone or empty and whose components would go with them.
    fn missing_manifests(&self, loaded: &Loaded) -> Vec<PathBuf> {
        let mut keys = HashSet::new();
        let mut files = HashSet::new();
        for (path, declared) in loaded.keys() {
            files.insert(path);
            keys.extend(declared);
        }
        let served = self.served.loaded.keys();
        let missing = served.filter_map(|(path, mut declared)| {
            let goes = !files.contains(path) && declared.any(|key| !keys.contains(&key));
            goes.then(|| path.to_path_buf())
        });
        missing.collect()
    }

    /// The last look: the one whose unchanged files may be taken over.
    fn last_look(&self) -> Option<&Look> {
        match &self.refused {
            Some(refused) => refused.look.as_ref(),
            None => Some(&self.served),
        }
    }

    /// Everything that another look depends on.
    pub(super) fn places(&self) -> Places {
        let mut places = Places::default();
        let look = self.last_look().unwrap_or(&self.served);
        for path in look.settings.sources.iter().chain(&look.loaded.links) {
            places.path(path);
        }
        for path in &look.settings.manifests {
            places.path(path);
        }
        for folder in &look.loaded.folders {
            places.tree(folder);
        }
        for path in look.loaded.outside() {
            places.path(path);
        }
        let actions = look.loaded.catalog.actions();
        let roots: HashSet<&Path> = actions
            .filter_map(|action| match action {
                ActionSpec::File(spec) => Some(spec.root.as_path()),
                _ => None,
            })
            .collect();
        for root in roots {
            places.path(root);
        }
        places
    }
}

/// How many errors and warnings these are.
pub fn count(found: &[Diagnostic]) -> Findings {
    let errors = found.iter().filter(|one| one.severity == Severity::Error);
    let errors = errors.count();
    Findings {
        errors,
        warnings: found.len() - errors,
    }
}

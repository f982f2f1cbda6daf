//! All actors of the process, and how a reload changes them: in two steps, so that what cannot be
//! started leaves everything as it was.

use super::error::StartError;
use super::event::{EventStream, Events};
use super::life::{Host, Life, Running};
use super::mailbox::{Address, Mailbox};
use super::store::{StateDir, StateError};
use super::worker::launch;
use crate::model::{Actor, Body};
use crate::process::Starter;
use crate::shutdown::Shutdown;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use tokio::time::Instant;

/// The actors of the process. They outlive the runtimes that message them. Clones are one.
#[derive(Clone, Debug)]
pub struct Actors(Arc<All>);

#[derive(Debug)]
struct All {
    host: Host,
    state_dir: Option<PathBuf>,
    known: Mutex<HashMap<String, Known>>,
}

/// An actor that is there, or was and may still be messaged.
#[derive(Clone)]
struct Known {
    mailbox: Arc<Mailbox>,
    definition: [u8; 32],
}

impl std::fmt::Debug for Known {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.mailbox.name())
    }
}

/// The actors of the next runtime: new ones run, nothing else has changed yet. Dropped without
/// [`Prepared::commit`], the new ones stop.
#[derive(Debug)]
pub struct Prepared {
    actors: Actors,
    started: Vec<Known>,
    changed: Vec<(Known, Arc<Actor>)>,
    /// All that will be there.
    wanted: HashMap<String, Known>,
    left_out: Vec<(Arc<Actor>, StartError)>,
    committed: bool,
}

impl Actors {
    /// No actors. States are kept below `state_dir`; `starter` starts the workers, and their tasks are
    /// those of `shutdown`.
    pub fn new(shutdown: &Shutdown, starter: Starter, state_dir: Option<PathBuf>) -> Self {
        Self::with(shutdown, starter, state_dir, true)
    }

    /// No actors, for a test of a manifest: nothing is kept on disk.
    pub fn for_test(shutdown: &Shutdown, starter: Starter) -> Self {
        Self::with(shutdown, starter, None, false)
    }

    fn with(
        shutdown: &Shutdown,
        starter: Starter,
        state_dir: Option<PathBuf>,
        keeps: bool,
    ) -> Self {
        Self(Arc::new(All {
            host: Host {
                shutdown: shutdown.clone(),
                starter,
                dir: Arc::new(OnceLock::new()),
                keeps,
                events: Events::new(),
            },
            state_dir,
            known: Mutex::default(),
        }))
    }

    /// What workers tell from now on.
    pub fn subscribe(&self) -> EventStream {
        self.0.host.events.subscribe()
    }

    /// Makes ready that these and no others are there: starts new ones, and looks whether changed ones
    /// can be. One that cannot is left out when `may_miss` says so of its name. With `revive`, those
    /// that are down begin anew. One call at a time; must be called inside a tokio runtime.
    ///
    /// # Errors
    /// Those that cannot be started, each with why. Everything is as it was.
    pub async fn prepare(
        &self,
        wanted: &[Arc<Actor>],
        revive: bool,
        may_miss: impl Fn(&str) -> bool,
    ) -> Result<Prepared, Vec<(Arc<Actor>, StartError)>> {
        let mut prepared = Prepared {
            actors: self.clone(),
            started: Vec::new(),
            changed: Vec::new(),
            wanted: HashMap::new(),
            left_out: Vec::new(),
            committed: false,
        };
        let mut errors = Vec::new();
        for actor in wanted {
            if let Err(error) = prepared.add(actor, revive).await {
                match may_miss(&actor.name) {
                    true => prepared.left_out.push((Arc::clone(actor), error)),
                    false => errors.push((Arc::clone(actor), error)),
                }
            }
        }
        match errors.is_empty() {
            true => Ok(prepared),
            false => Err(errors),
        }
    }

    /// Tells all to handle what waits and to stop. Their tasks are waited for with those of the
    /// shutdown.
    pub fn stop(&self) {
        for known in self.known().values() {
            known.mailbox.drain();
        }
    }

    /// How the actor of this name is reached, also before it is there and after it was.
    pub fn address(&self, name: &str) -> Address {
        Address::new(&self.mailbox(name))
    }

    /// Whether there is an actor of this name, down or up.
    pub fn runs(&self, name: &str) -> bool {
        let known = self.known();
        known
            .get(name)
            .is_some_and(|known| !known.mailbox.is_closed())
    }

    /// Whether any is down.
    pub fn has_down(&self) -> bool {
        self.known().values().any(|known| known.mailbox.is_down())
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        let known = self.known();
        let there = known.values().filter(|known| !known.mailbox.is_closed());
        there.count()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn mailbox(&self, name: &str) -> Arc<Mailbox> {
        let mut known = self.known();
        let known = known.entry(name.to_owned()).or_insert_with(|| Known {
            mailbox: Mailbox::new(name),
            definition: [0; 32],
        });
        Arc::clone(&known.mailbox)
    }

    fn known(&self) -> MutexGuard<'_, HashMap<String, Known>> {
        // Nothing panics while it is held.
        self.0.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens the folder of states when an actor is the first that needs it.
    async fn open_dir_for(&self, actor: &Actor) -> Result<(), StateError> {
        let host = &self.0.host;
        if !actor.persist || !host.keeps || host.dir.get().is_some() {
            return Ok(());
        }
        let path = self.0.state_dir.clone().ok_or(StateError::Nowhere)?;
        let opened = tokio::task::spawn_blocking(move || StateDir::open(&path)).await;
        // The blocking thread only ends early when the process does.
        let dir = opened.unwrap_or(Err(StateError::Nowhere))?;
        // Actors are prepared by one task at a time, so nobody else has opened it meanwhile.
        host.dir.get_or_init(|| Arc::new(dir));
        Ok(())
    }

    /// Lets an actor live behind a mailbox that no task reads.
    fn spawn(&self, actor: &Arc<Actor>, mailbox: &Arc<Mailbox>, running: Running) {
        mailbox.open(actor.mailbox);
        let host = &self.0.host;
        let life = Life::new(actor, mailbox, host, running);
        host.shutdown.tasks().spawn(life.live());
    }
}

impl Prepared {
    async fn add(&mut self, actor: &Arc<Actor>, revive: bool) -> Result<(), StartError> {
        let known = self.actors.known().get(&actor.name).cloned();
        if let Some(known) = known.filter(|known| !known.mailbox.is_closed()) {
            let stays = known.definition == actor.definition
                && !known.mailbox.is_draining()
                && !(revive && known.mailbox.is_down());
            if !stays {
                self.check(actor).await?;
                let next = Known {
                    definition: actor.definition,
                    ..known.clone()
                };
                self.changed.push((next, Arc::clone(actor)));
            }
            let next = Known {
                definition: actor.definition,
                ..known
            };
            self.wanted.insert(actor.name.clone(), next);
            return Ok(());
        }
        let known = self.start(actor).await?;
        self.started.push(known.clone());
        self.wanted.insert(actor.name.clone(), known);
        Ok(())
    }

    /// Whether a changed actor can be started in the place of the one before, as far as can be seen.
    async fn check(&self, actor: &Actor) -> Result<(), StartError> {
        self.actors.open_dir_for(actor).await?;
        if let Body::Worker(spec) = &actor.body {
            launch(spec).resolve()?;
        }
        Ok(())
    }

    async fn start(&self, actor: &Arc<Actor>) -> Result<Known, StartError> {
        self.actors.open_dir_for(actor).await?;
        let running = Running::start(actor, &self.actors.0.host, None).await?;
        let mailbox = self.actors.mailbox(&actor.name);
        self.actors.spawn(actor, &mailbox, running);
        Ok(Known {
            mailbox,
            definition: actor.definition,
        })
    }

    /// Those that could not be started and may be missing.
    pub fn left_out(&self) -> &[(Arc<Actor>, StartError)] {
        &self.left_out
    }

    /// Makes it so: changed ones finish their message, stop and begin anew; those that are not wanted
    /// any more handle what waits and stop.
    pub fn commit(mut self) {
        self.committed = true;
        for (known, actor) in &self.changed {
            // One that was stopping has stopped meanwhile: its task starts what it is made of.
            if !known.mailbox.become_next(Arc::clone(actor)) {
                let now = Running::Pausing(Instant::now());
                self.actors.spawn(actor, &known.mailbox, now);
            }
        }
        let mut all = self.actors.known();
        let gone: HashSet<&String> = all
            .keys()
            .filter(|name| !self.wanted.contains_key(*name))
            .collect();
        for known in gone.into_iter().filter_map(|name| all.get(name)) {
            known.mailbox.drain();
        }
        all.extend(self.wanted.drain());
        // What is closed and has no address any more is forgotten.
        all.retain(|_, known| !known.mailbox.is_closed() || Arc::strong_count(&known.mailbox) > 1);
    }
}

impl Drop for Prepared {
    fn drop(&mut self) {
        if !self.committed {
            for known in &self.started {
                known.mailbox.drain();
            }
        }
    }
}

//! What each kind of caller is shown: the lists, without what a caller lacks the scopes for.
//!
//! Callers that may use the same components are shown the same pages, with the same cursors. Where
//! no component asks for scopes there is one kind of caller, and nothing here costs anything.

use super::Runtime;
use super::list::{List, Pager};
use super::resources::{self, Resources, stands_for};
use super::set::Set;
use crate::model::{Cache, CacheScope, Caches, Component, Prompt, Settings, Tool};
use crate::ops::{Caller, ListKind};
use crate::protocol::Face;
use std::collections::BTreeSet;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

/// Most kinds of callers whose pages are kept, beside the kind that is shown everything. The one that
/// asked longest ago is forgotten first, and its pages are written again when it asks.
const MOST_KINDS: usize = 64;

/// The pages of all lists as one kind of caller is shown them.
#[derive(Debug)]
pub(super) struct Lists {
    pub(super) tools: List,
    pub(super) prompts: List,
    /// `None` when it has files, whose folders are looked at each time.
    pub(super) resources: Option<List>,
    pub(super) templates: List,
}

/// What is shown, by kind of caller.
#[derive(Debug)]
pub(super) struct Shown {
    all: Lists,
    draft: Draft,
    /// The lists of scopes that components ask for, each once.
    requirements: Vec<Arc<[String]>>,
    /// Those whom something is hidden from, the latest last: which requirements they meet, and their
    /// lists. A memo of what the components say, never of more than [`MOST_KINDS`].
    others: Mutex<Vec<(Kind, Arc<Lists>)>>,
}

/// Which requirements a caller meets, in their order.
type Kind = Box<[bool]>;

/// How pages are written.
#[derive(Clone, Debug)]
struct Draft {
    pager: Pager,
    caches: Caches,
}

/// The lists that a caller is shown.
pub(super) enum Seen<'r> {
    All(&'r Lists),
    Some(Arc<Lists>),
}

impl Deref for Seen<'_> {
    type Target = Lists;

    fn deref(&self) -> &Lists {
        match self {
            Self::All(lists) => lists,
            Self::Some(lists) => lists,
        }
    }
}

impl Shown {
    pub(super) fn new(
        settings: &Settings,
        face: &Face,
        tools: &Set<Tool>,
        resources: &Resources,
        prompts: &Set<Prompt>,
    ) -> Self {
        let draft = Draft {
            pager: Pager::new(settings),
            caches: Caches {
                tools: kept(settings.server.caches.tools, tools),
                resources: kept(settings.server.caches.resources, &resources.set),
                prompts: kept(settings.server.caches.prompts, prompts),
                ..settings.server.caches
            },
        };
        let mut requirements = BTreeSet::new();
        requirements.extend(needed(tools));
        requirements.extend(needed(&resources.set));
        requirements.extend(needed(prompts));
        let everything = |_: &[String]| true;
        Self {
            all: draft.lists(face, tools, resources, prompts, everything),
            requirements: requirements.into_iter().cloned().collect(),
            draft,
            others: Mutex::default(),
        }
    }

    /// Whether everybody is shown the same.
    fn is_same_for_all(&self) -> bool {
        self.requirements.is_empty()
    }
}

impl Draft {
    /// The lists of what `may` be used, by the scopes that it takes.
    fn lists(
        &self,
        face: &Face,
        tools: &Set<Tool>,
        resources: &Resources,
        prompts: &Set<Prompt>,
        may: impl Fn(&[String]) -> bool,
    ) -> Lists {
        let Caches {
            tools: tools_kept,
            prompts: prompts_kept,
            resources: resources_kept,
            ..
        } = self.caches;
        let pager = &self.pager;
        let shown = tools.in_order().filter(|tool| may(tool.scopes()));
        let shown = shown.map(|tool| (tool.fingerprint(), &tool.declaration));
        let tools = List::new(pager, "tools", shown, |page, next| {
            face.tools_page(page, next, tools_kept)
        });
        let shown = prompts.in_order().filter(|prompt| may(prompt.scopes()));
        let shown = shown.map(|prompt| (prompt.fingerprint(), &prompt.declaration));
        let prompts = List::new(pager, "prompts", shown, |page, next| {
            face.prompts_page(page, next, prompts_kept)
        });
        let all = || resources.set.in_order().filter(|each| may(each.scopes()));
        let templates = all().filter(|each| each.template.is_some());
        let templates = templates.map(resources::shown);
        let templates = List::new(pager, "resource templates", templates, |page, next| {
            face.templates_page(page, next, resources_kept)
        });
        let exact = all().filter(|each| each.template.is_none());
        let exact = exact.map(resources::shown);
        let exact = (!resources.has_files()).then(|| {
            List::new(pager, resources::LIST, exact, |page, next| {
                face.resources_page(page, next, resources_kept)
            })
        });
        Lists {
            tools,
            prompts,
            resources: exact,
            templates,
        }
    }
}

/// How long and for whom a list may be kept: for its caller alone when others are shown another.
fn kept<C: Component>(cache: Cache, set: &Set<C>) -> Cache {
    match needed(set).next() {
        Some(_) => Cache {
            scope: CacheScope::Private,
            ..cache
        },
        None => cache,
    }
}

fn needed<C: Component>(set: &Set<C>) -> impl Iterator<Item = &Arc<[String]>> {
    let scopes = set.in_order().map(|component| component.scopes());
    scopes.filter(|scopes| !scopes.is_empty())
}

impl Runtime {
    /// The lists that this caller is shown.
    pub(super) fn seen_by(&self, caller: &Caller) -> Seen<'_> {
        let shown = &self.shown;
        let met = shown.requirements.iter().map(|scopes| caller.has(scopes));
        let kind: Kind = met.collect();
        if kind.iter().all(|met| *met) {
            return Seen::All(&shown.all);
        }
        let mut others = shown.others();
        if let Some(at) = others.iter().position(|(known, _)| *known == kind) {
            let known = others.remove(at);
            let lists = Arc::clone(&known.1);
            others.push(known);
            return Seen::Some(lists);
        }
        drop(others);
        let lists = Arc::new(shown.draft.lists(
            &self.face,
            &self.tools,
            &self.resources,
            &self.prompts,
            |scopes| caller.has(scopes),
        ));
        let mut others = shown.others();
        // Another request may have written the same meanwhile.
        others.retain(|(known, _)| *known != kind);
        if others.len() >= MOST_KINDS {
            others.remove(0);
        }
        others.push((kind, Arc::clone(&lists)));
        Seen::Some(lists)
    }

    /// How pages are cut that are written when they are asked for, and how long and for whom they may
    /// be kept.
    pub(super) fn resource_pages(&self) -> (&Pager, Cache) {
        (&self.shown.draft.pager, self.shown.draft.caches.resources)
    }

    /// Whether this caller is shown something else in a list than by the runtime before, or in
    /// another order. What is in a listed folder is not looked at.
    pub fn shows_anew(&self, before: &Self, list: ListKind, caller: &Caller) -> bool {
        if self.shown.is_same_for_all() && before.shown.is_same_for_all() {
            let (now, before) = (&self.shown.all, &before.shown.all);
            match list {
                ListKind::Tools => return now.tools.differs(&before.tools),
                ListKind::Prompts => return now.prompts.differs(&before.prompts),
                // Those with files have no list of all.
                ListKind::Resources => {}
            }
        }
        match list {
            ListKind::Tools => differ(&self.tools, &before.tools, caller),
            ListKind::Prompts => differ(&self.prompts, &before.prompts, caller),
            ListKind::Resources => {
                let now = visible(&self.resources.set, caller).map(|each| stands_for(each));
                let known = visible(&before.resources.set, caller);
                !now.eq(known.map(|each| stands_for(each)))
            }
        }
    }
}

fn differ<C: Component>(now: &Set<C>, before: &Set<C>, caller: &Caller) -> bool {
    let now = visible(now, caller).map(|each| each.fingerprint());
    !now.eq(visible(before, caller).map(|each| each.fingerprint()))
}

fn visible<'s, C: Component>(set: &'s Set<C>, caller: &Caller) -> impl Iterator<Item = &'s Arc<C>> {
    set.in_order().filter(|each| caller.has(each.scopes()))
}

impl Shown {
    fn others(&self) -> std::sync::MutexGuard<'_, Vec<(Kind, Arc<Lists>)>> {
        // Nothing that can leave it half changed panics while it is held.
        self.others.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

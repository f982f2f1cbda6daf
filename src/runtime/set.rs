//! The components of one kind, made ready: found by what they are asked for by.

use crate::action::{Action, PrepareError, Toolbox};
use crate::guard::Wraps;
use crate::model::{CompleteSpec, Component};
use std::collections::HashMap;
use std::sync::Arc;

/// The components of one kind.
#[derive(Debug)]
pub(super) struct Set<C> {
    by_key: HashMap<String, Entry<C>>,
    /// In the order of the manifests.
    in_order: Vec<Arc<C>>,
}

/// A component with its actions ready to run.
#[derive(Debug)]
pub(super) struct Entry<C> {
    pub(super) component: Arc<C>,
    pub(super) action: Option<Arc<Action>>,
    /// What stands around its actions.
    pub(super) wraps: Arc<Wraps>,
    /// What gives the candidates of completions, by what is completed.
    completers: Vec<(String, Arc<Action>)>,
}

impl<C: Component> Set<C> {
    /// Of these, in this order.
    pub(super) fn new(entries: Vec<Entry<C>>) -> Self {
        Self {
            in_order: entries
                .iter()
                .map(|entry| Arc::clone(&entry.component))
                .collect(),
            by_key: entries
                .into_iter()
                .map(|entry| (entry.component.key().to_owned(), entry))
                .collect(),
        }
    }

    /// The one of this key.
    pub(super) fn get(&self, key: &str) -> Option<&Entry<C>> {
        self.by_key.get(key)
    }

    /// All of them, in the order of the manifests.
    pub(super) fn in_order(&self) -> impl Iterator<Item = &Arc<C>> {
        self.in_order.iter()
    }

    fn definitions(&self) -> impl Iterator<Item = &[u8; 32]> {
        self.in_order.iter().map(|component| component.definition())
    }

    /// What each is asked for by.
    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.by_key.keys().map(String::as_str)
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.by_key.len()
    }

    /// The actions of those that have one.
    pub(super) fn actions(&self) -> impl Iterator<Item = &Action> {
        self.by_key
            .values()
            .flat_map(Entry::actions)
            .map(|action| &**action)
    }

    /// Whether these components, in this order, are the ones that are here.
    pub(super) fn holds_just(&self, components: &[Arc<C>]) -> bool {
        let wanted = components.iter().map(|component| component.definition());
        wanted.eq(self.definitions())
    }

    /// Whether what was opened for them is still what its names lead to. Asks the file system.
    pub(super) fn is_current(&self) -> bool {
        self.by_key.values().all(Entry::is_current)
    }

    /// Whether both are the same components in the same order with the same actions.
    pub(super) fn is_as(&self, other: &Self) -> bool {
        self.definitions().eq(other.definitions())
            && self.by_key.iter().all(|(key, entry)| {
                let same = other.by_key.get(key);
                same.is_some_and(|same| entry.has_actions_of(same))
            })
    }

    /// What has come, changed and gone from `before`, by name.
    pub(super) fn differs(&self, before: &Self, diff: &mut super::Diff) {
        for (key, entry) in &self.by_key {
            match before.by_key.get(key) {
                None => diff.added.push((C::KIND, key.clone())),
                Some(old) if old.component.definition() != entry.component.definition() => {
                    diff.changed.push((C::KIND, key.clone()));
                }
                Some(_) => {}
            }
        }
        let gone = before.by_key.keys();
        let gone = gone.filter(|key| !self.by_key.contains_key(*key));
        diff.removed.extend(gone.map(|key| (C::KIND, key.clone())));
    }
}

impl<C: Component> Entry<C> {
    /// A component with its action: the one that ran it before, when neither has changed.
    pub(super) fn prepare(
        component: &Arc<C>,
        before: Option<&Set<C>>,
        toolbox: &mut Toolbox,
    ) -> Result<Self, PrepareError> {
        let known = before.and_then(|before| before.get(component.key()));
        let known = known.filter(|known| known.component.definition() == component.definition());
        let wraps = known.map(|known| Arc::clone(&known.wraps));
        let fresh = || Arc::new(Wraps::new(component.wraps(), toolbox.actors()));
        let wraps = wraps.unwrap_or_else(fresh);
        if let Some(known) = known.filter(|known| known.is_current()) {
            return Ok(Self {
                wraps,
                component: Arc::clone(component),
                action: known.action.clone(),
                completers: known.completers.clone(),
            });
        }
        let mut prepare = |spec| Action::prepare(spec, toolbox).map(Arc::new);
        let action = component.action().map(&mut prepare).transpose()?;
        let mut completers = Vec::new();
        for (name, complete) in component.completions() {
            if let CompleteSpec::Live(live) = complete
                && let Some(spec) = &live.action
            {
                completers.push((name.clone(), prepare(spec)?));
            }
        }
        Ok(Self {
            component: Arc::clone(component),
            action,
            wraps,
            completers,
        })
    }

    /// What gives the candidates for this value; `None` when no action does.
    pub(super) fn completer(&self, name: &str) -> Option<&Action> {
        let mut completers = self.completers.iter();
        let (_, action) = completers.find(|(completed, _)| completed == name)?;
        Some(action)
    }

    fn actions(&self) -> impl Iterator<Item = &Arc<Action>> {
        let completers = self.completers.iter().map(|(_, action)| action);
        self.action.iter().chain(completers)
    }

    fn is_current(&self) -> bool {
        self.actions().all(|action| action.is_current())
    }

    fn has_actions_of(&self, other: &Self) -> bool {
        self.actions().count() == other.actions().count()
            && self
                .actions()
                .zip(other.actions())
                .all(|(one, two)| Arc::ptr_eq(one, two))
    }
}

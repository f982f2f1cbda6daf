//! The components of one kind, made ready: found by what they are asked for by.

use crate::action::{Action, PrepareError, Toolbox};
use crate::model::Component;
use std::collections::HashMap;
use std::sync::Arc;

/// The components of one kind.
#[derive(Debug)]
pub(super) struct Set<C> {
    by_key: HashMap<String, Entry<C>>,
    /// What the manifests say of each, in the order of the list.
    definitions: Vec<[u8; 32]>,
}

/// A component with its action ready to run.
#[derive(Debug)]
pub(super) struct Entry<C> {
    pub(super) component: Arc<C>,
    pub(super) action: Option<Arc<Action>>,
}

impl<C: Component> Set<C> {
    /// Of these, in this order.
    pub(super) fn new(entries: Vec<Entry<C>>) -> Self {
        Self {
            definitions: entries
                .iter()
                .map(|entry| *entry.component.definition())
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

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.by_key.len()
    }

    /// The actions of those that have one.
    pub(super) fn actions(&self) -> impl Iterator<Item = &Action> {
        let entries = self.by_key.values();
        entries.filter_map(|entry| entry.action.as_deref())
    }

    /// Whether these components, in this order, are the ones that are here.
    pub(super) fn holds_just(&self, components: &[Arc<C>]) -> bool {
        let wanted = components.iter().map(|component| component.definition());
        wanted.eq(&self.definitions)
    }

    /// Whether what was opened for them is still what its names lead to. Asks the file system.
    pub(super) fn is_current(&self) -> bool {
        self.by_key.values().all(Entry::is_current)
    }

    /// Whether both are the same components in the same order with the same actions.
    pub(super) fn is_as(&self, other: &Self) -> bool {
        self.definitions == other.definitions
            && self.by_key.iter().all(|(key, entry)| {
                let same = other.by_key.get(key);
                same.is_some_and(|same| entry.has_action_of(same))
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
        let action = match (known, component.action()) {
            (Some(known), _) if known.is_current() => known.action.clone(),
            (_, None) => None,
            (_, Some(spec)) => Some(Arc::new(Action::prepare(spec, toolbox)?)),
        };
        Ok(Self {
            component: Arc::clone(component),
            action,
        })
    }

    fn is_current(&self) -> bool {
        let action = self.action.as_ref();
        action.is_none_or(|action| action.is_current())
    }

    fn has_action_of(&self, other: &Self) -> bool {
        match (&self.action, &other.action) {
            (Some(one), Some(two)) => Arc::ptr_eq(one, two),
            (one, two) => one.is_none() && two.is_none(),
        }
    }
}

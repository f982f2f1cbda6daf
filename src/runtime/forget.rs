//! Forgetting what wrappers keep of resources that have changed.

use super::{Changed, Runtime};
use crate::guard::Wraps;
use crate::model::Resource;

impl Runtime {
    /// Forgets the answers that are kept of these resources. Called before anybody is told that they
    /// have changed, so that who reads one because of that is given what is there now.
    pub fn forget(&self, changed: &Changed) {
        let keeping = self.keeping();
        let touched = keeping.filter(|(resource, _)| changed.concerns(resource));
        touched.for_each(|(_, wraps)| wraps.forget_answers());
    }

    /// The same for all resources.
    pub fn forget_all(&self) {
        self.keeping().for_each(|(_, wraps)| wraps.forget_answers());
    }

    /// The resources of which answers are kept.
    fn keeping(&self) -> impl Iterator<Item = (&Resource, &Wraps)> {
        let keeping = self.resources.keeping.iter();
        keeping.filter_map(|key| {
            let entry = self.resources.set.get(key)?;
            Some((&*entry.component, &*entry.wraps))
        })
    }
}

//! What a reload changed, by name. Pure: it looks at two runtimes and touches neither.

use super::{Changed, Runtime};
use crate::model::Kind;

/// The components that came, went, or are not what they were, each by kind and name, in order.
#[derive(Clone, Debug, Default)]
pub struct Diff {
    /// New ones.
    pub added: Vec<(Kind, String)>,
    /// Those whose manifest says something else now; what callers see of them may be the same.
    pub changed: Vec<(Kind, String)>,
    /// Those that are gone.
    pub removed: Vec<(Kind, String)>,
    /// Resources of which a read may give something else.
    pub resources: Changed,
}

impl Diff {
    /// What changed from one runtime to the next.
    pub fn between(before: &Runtime, after: &Runtime) -> Self {
        let mut diff = Self::default();
        after.tools.differs(&before.tools, &mut diff);
        let resources = &after.resources.set;
        resources.differs(&before.resources.set, &mut diff);
        after.prompts.differs(&before.prompts, &mut diff);
        after.actors.differs(&before.actors, &mut diff);
        for resource in after.resources.changed(&before.resources) {
            diff.resources.resource(&resource);
        }
        diff.added.sort();
        diff.changed.sort();
        diff.removed.sort();
        diff
    }

    /// True when nothing came, went or changed. The order may have.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.changed.is_empty() && self.removed.is_empty()
    }
}

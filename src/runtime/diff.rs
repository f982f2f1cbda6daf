//! What a reload changed, by name. Pure: it looks at two runtimes and touches neither.

use super::Runtime;
use std::sync::Arc;

/// The names of tools that came, went, or are not what they were, each in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diff {
    /// New names.
    pub added: Vec<String>,
    /// Names whose tool was declared anew; what callers see of it may be the same.
    pub changed: Vec<String>,
    /// Names that are gone.
    pub removed: Vec<String>,
}

impl Diff {
    /// What changed from one runtime to the next.
    pub fn between(before: &Runtime, after: &Runtime) -> Self {
        let mut diff = Self::default();
        for (name, entry) in &after.tools.by_name {
            match before.tools.by_name.get(name) {
                None => diff.added.push(name.clone()),
                Some(old) if !Arc::ptr_eq(&old.tool, &entry.tool) => {
                    diff.changed.push(name.clone())
                }
                Some(_) => {}
            }
        }
        for name in before.tools.by_name.keys() {
            if !after.tools.by_name.contains_key(name) {
                diff.removed.push(name.clone());
            }
        }
        diff.added.sort();
        diff.changed.sort();
        diff.removed.sort();
        diff
    }
}

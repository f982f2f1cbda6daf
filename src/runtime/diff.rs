//! What a reload changed, by name. Pure: it looks at two runtimes and touches neither.

use super::Runtime;

/// The names of tools that came, went, or are not what they were, each in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diff {
    /// New names.
    pub added: Vec<String>,
    /// Names whose manifest says something else now; what callers see of it may be the same.
    pub changed: Vec<String>,
    /// Names that are gone.
    pub removed: Vec<String>,
}

impl Diff {
    /// What changed from one runtime to the next.
    pub fn between(before: &Runtime, after: &Runtime) -> Self {
        let (before, after) = (&before.tools.by_name, &after.tools.by_name);
        let mut diff = Self::default();
        for (name, entry) in after {
            match before.get(name) {
                None => diff.added.push(name.clone()),
                Some(old) if old.tool.definition != entry.tool.definition => {
                    diff.changed.push(name.clone());
                }
                Some(_) => {}
            }
        }
        let gone = before.keys().filter(|name| !after.contains_key(*name));
        diff.removed.extend(gone.cloned());
        diff.added.sort();
        diff.changed.sort();
        diff.removed.sort();
        diff
    }

    /// True when no tool came, went or changed. Their order may have.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.changed.is_empty() && self.removed.is_empty()
    }
}

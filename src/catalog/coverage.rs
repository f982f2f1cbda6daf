//! What has no description.

use super::collect::{Catalog, items, text};
use super::rows::rows;
use serde_json::Value;

/// How much of what a server offers is described.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Coverage {
    /// Of each kind: what it is called, how many there are, and how many are described.
    pub kinds: Vec<(&'static str, usize, usize)>,
    /// What is not described, in the catalog's order: "tool `x`", "tool `x`, argument `y`".
    pub gaps: Vec<String>,
}

impl Coverage {
    /// How many components and arguments there are.
    pub fn total(&self) -> usize {
        self.kinds.iter().map(|(_, total, _)| total).sum()
    }

    /// How many of them are described.
    pub fn described(&self) -> usize {
        self.kinds.iter().map(|(_, _, described)| described).sum()
    }

    /// The part that is described, in whole percent, rounded down; 100 of nothing.
    pub fn percent(&self) -> usize {
        match self.total() {
            0 => 100,
            total => self.described() * 100 / total,
        }
    }
}

/// Counts. A title is no description.
pub fn coverage(catalog: &Catalog) -> Coverage {
    let mut coverage = Coverage::default();
    let tools = parts(&catalog.tools, "tool", |tool| {
        let schema = tool.get("inputSchema").cloned().unwrap_or_default();
        let rows = rows(&schema).rows.into_iter();
        rows.map(|row| (row.path, row.description.is_some()))
            .collect()
    });
    coverage.add("tools", "tool arguments", tools);
    for (kind, one, list) in [
        ("resources", "resource", &catalog.resources),
        ("templates", "template", &catalog.templates),
    ] {
        coverage.add(kind, "", parts(list, one, |_| Vec::new()));
    }
    let prompts = parts(&catalog.prompts, "prompt", |prompt| {
        let arguments = items(prompt, "arguments");
        let name = |argument| text(argument, "name").unwrap_or("?").to_owned();
        arguments
            .map(|argument| (name(argument), text(argument, "description").is_some()))
            .collect()
    });
    coverage.add("prompts", "prompt arguments", prompts);
    coverage
}

/// One component: what it is called in a gap, whether it is described, and its arguments.
struct Part {
    called: String,
    described: bool,
    arguments: Vec<(String, bool)>,
}

fn parts(
    list: &[Value],
    one: &str,
    arguments: impl Fn(&Value) -> Vec<(String, bool)>,
) -> Vec<Part> {
    let called = |item| {
        let names = ["uriTemplate", "uri", "name"];
        let name = names.iter().find_map(|name| text(item, name));
        format!("{one} `{}`", name.unwrap_or("?"))
    };
    list.iter()
        .map(|item| Part {
            called: called(item),
            described: text(item, "description").is_some(),
            arguments: arguments(item),
        })
        .collect()
}

impl Coverage {
    fn add(&mut self, kind: &'static str, of_arguments: &'static str, parts: Vec<Part>) {
        let described = parts.iter().filter(|part| part.described).count();
        self.kinds.push((kind, parts.len(), described));
        if !of_arguments.is_empty() {
            let all = || parts.iter().flat_map(|part| &part.arguments);
            let described = all().filter(|(_, described)| *described).count();
            self.kinds.push((of_arguments, all().count(), described));
        }
        for part in parts {
            if !part.described {
                self.gaps.push(part.called.clone());
            }
            let missing = part.arguments.iter().filter(|(_, described)| !described);
            let missing = missing.map(|(name, _)| format!("{}, argument `{name}`", part.called));
            self.gaps.extend(missing);
        }
    }
}

//! Templates in strings: parsed and checked where they stand.

use super::entry::{At, Entry};
use super::json::{scalar_text, to_json};
use super::literal::within;
use super::table::{Table, WRONG_TYPE};
use crate::lang::diag::{Code, Diagnostic, Severity, Span};
use crate::lang::template::{
    Names, Template, TemplateError, TemplateErrorKind, TooDeep, Tree, Used,
};
use toml::de::DeValue;

/// A template that cannot be parsed, or uses what does not exist; or that fails when it is loaded.
pub const BAD_TEMPLATE: Code = Code("bad-template");
/// A name in a template that holds nothing here.
pub(super) const UNKNOWN_NAME: Code = Code("unknown-name");

/// What `snodo check --explain` prints for the codes of this file.
pub(super) const EXPLAIN: &[(Code, &str)] = &[
    (
        BAD_TEMPLATE,
        "The text between `{{` and `}}` (or `{%` and `%}`) is not a template expression, or uses a \
         filter, test, function or statement that does not exist here. docs/manifest.md lists the \
         filters; `include`, `import`, `extends` and file access do not exist. The templates of \
         `[actor.process]` are filled in when they are loaded; there it is also an expression that \
         fails on the values that there are.",
    ),
    (
        UNKNOWN_NAME,
        "The template uses a name that holds nothing in this place: an argument that is not \
         declared, a secret or variable that the server file does not list, a member of `output` \
         that this action does not give. Templates are checked when they are loaded so that a \
         misspelt name is found before the first call.",
    ),
];

/// Reads templates that may use these names.
#[derive(Debug)]
pub struct Templates<'n> {
    names: &'n Names,
    /// What is said of a secret in one of these templates.
    of_secrets: Option<(Severity, Code, &'static str)>,
}

impl<'n> Templates<'n> {
    /// For templates that see these names.
    pub fn new(names: &'n Names) -> Self {
        Self {
            names,
            of_secrets: None,
        }
    }

    /// For templates whose text is shown: a secret in one is a warning of this kind.
    pub fn shown(names: &'n Names, code: Code, message: &'static str) -> Self {
        Self {
            names,
            of_secrets: Some((Severity::Warning, code, message)),
        }
    }

    /// For templates that may hold no secret: one is an error of this kind.
    pub fn without_secrets(names: &'n Names, code: Code, message: &'static str) -> Self {
        Self {
            names,
            of_secrets: Some((Severity::Error, code, message)),
        }
    }

    /// Reads a key's text as a template.
    pub fn key<'a>(&self, table: &Table<'a>, key: &'a str) -> Option<At<Template>> {
        let entry = table.entry(key)?;
        self.read(table, &entry)
    }

    /// An entry's text as a template. A number, a boolean or a date counts as its text.
    pub fn read(&self, table: &Table<'_>, entry: &Entry<'_>) -> Option<At<Template>> {
        let Some(text) = scalar_text(table, entry) else {
            table.error(
                WRONG_TYPE,
                entry.at.clone(),
                format!(
                    "{} must be a string, not {}",
                    entry.name(),
                    super::type_name(entry.value)
                ),
            );
            return None;
        };
        let text = text?;
        match Template::parse_used(&text) {
            Ok((template, used)) => {
                let errors = used.check(self.names);
                for error in &errors {
                    table.report(finding(error, &entry.at));
                }
                self.say_of_secrets(table, entry, used);
                errors.is_empty().then(|| entry.with(template))
            }
            Err(errors) => {
                let of_names = Template::check_source(&text, self.names);
                for error in errors.iter().chain(&of_names) {
                    table.report(finding(error, &entry.at));
                }
                None
            }
        }
    }

    fn say_of_secrets(&self, table: &Table<'_>, entry: &Entry<'_>, used: Used) {
        let Some((severity, code, message)) = self.of_secrets else {
            return;
        };
        for reference in used.references() {
            if reference.root == "secrets" {
                let at = within(&entry.at, reference.range);
                table.report(Diagnostic {
                    severity,
                    ..Diagnostic::error(code, at, message)
                });
            }
        }
    }

    /// An entry's value with templates in its strings.
    pub fn tree(&self, table: &Table<'_>, entry: &Entry<'_>) -> Option<Tree> {
        match entry.value {
            DeValue::String(_) => self
                .read(table, entry)
                .map(|read| Tree::template(read.value)),
            DeValue::Array(_) => {
                let items = entry.items();
                let trees: Vec<Tree> = items
                    .iter()
                    .filter_map(|item| self.tree(table, item))
                    .collect();
                (trees.len() == items.len())
                    .then(|| self.bounded(table, entry, Tree::list(trees)))
                    .flatten()
            }
            DeValue::Table(_) => {
                let members = entry.members();
                let trees: Vec<(String, Tree)> = members
                    .iter()
                    .filter_map(|member| Some((member.key.to_owned(), self.tree(table, member)?)))
                    .collect();
                (trees.len() == members.len())
                    .then(|| self.bounded(table, entry, Tree::map(trees)))
                    .flatten()
            }
            _ => to_json(table, entry).map(Tree::constant),
        }
    }

    /// A key's value with templates in its strings; tables are merged by key with those of the layers
    /// below.
    pub fn merged_tree<'a>(&self, table: &Table<'a>, key: &'a str) -> Option<Tree> {
        let entry = table.entry(key)?;
        if !matches!(entry.value, DeValue::Table(_)) {
            return self.tree(table, &entry);
        }
        let merged = table.table(key)?;
        let members = merged.entries();
        let trees: Vec<(String, Tree)> = members
            .iter()
            .filter_map(|member| {
                let tree = self.merged_tree(&merged, member.key)?;
                Some((member.key.to_owned(), tree))
            })
            .collect();
        (trees.len() == members.len())
            .then(|| self.bounded(table, &entry, Tree::map(trees)))
            .flatten()
    }

    fn bounded(
        &self,
        table: &Table<'_>,
        entry: &Entry<'_>,
        tree: Result<Tree, TooDeep>,
    ) -> Option<Tree> {
        tree.map_err(|error| table.error(BAD_TEMPLATE, entry.at.clone(), error.to_string()))
            .ok()
    }
}

/// A template's error at its place in the file; `at` is the string with its quotes.
fn finding(error: &TemplateError, at: &Span) -> Diagnostic {
    let place = within(at, error.range.clone());
    let code = match error.kind {
        TemplateErrorKind::UnknownName => UNKNOWN_NAME,
        _ => BAD_TEMPLATE,
    };
    let diagnostic = Diagnostic::error(code, place, error.message.clone());
    match &error.help {
        Some(help) => diagnostic.help(help.clone()),
        None => diagnostic,
    }
}

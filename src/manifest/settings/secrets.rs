//! Values that come from outside the file: the environment, a file, a systemd credential.

use super::sections::{Reader, section};
use crate::lang::diag::{Diagnostic, SourceFile, Span};
use crate::manifest::lower::codes::{BAD_NAME, CONFLICT, MISSING_VALUE, UNREADABLE};
use crate::manifest::read::{At, Entry, MISSING_KEY, Table, WRONG_TYPE};
use crate::manifest::regular;
use crate::secret::Secret;
use std::collections::BTreeMap;
use std::path::Path;
use toml::de::DeValue;

/// Bytes of a file that holds a secret: 1 MiB.
const MAX_SECRET_BYTES: u64 = 1 << 20;

/// Where a secret may come from.
const SOURCES: [&str; 3] = ["env", "file", "credential"];

impl Reader<'_> {
    /// `[secrets]`: each `{ env = … }`, `{ file = … }` or `{ credential = … }`. One that is missing is
    /// declared all the same: its uses are not called unknown.
    pub(super) fn secrets(&self, table: &Table<'_>) -> BTreeMap<String, Secret> {
        let Some(section) = section(table, "secrets") else {
            return BTreeMap::new();
        };
        let mut secrets = BTreeMap::new();
        for entry in section.entries() {
            let place = format!("in secret \"{}\"", entry.key);
            let secret = self.secret(&section, &entry, &place);
            let secret = secret.unwrap_or_else(|| Secret::new(""));
            secrets.insert(entry.key.to_owned(), secret);
        }
        secrets
    }

    /// One secret's value.
    pub(super) fn secret<'a>(
        &self,
        table: &Table<'a>,
        entry: &Entry<'a>,
        place: &str,
    ) -> Option<Secret> {
        const HELP: &str =
            "write `{ env = \"NAME\" }`, `{ file = \"path\" }` or `{ credential = \"name\" }`";
        let source = match entry.value {
            DeValue::Table(_) => table.sub_table(entry),
            _ => {
                let message = format!("`{}` must say where the secret comes from", entry.key);
                let found = Diagnostic::error(WRONG_TYPE, blackened(entry), message);
                table.report(found.help(HELP));
                None
            }
        };
        let mut source = source?;
        source.set_place(place);
        let given = source.alternatives(&SOURCES);
        match given.as_slice() {
            [] => {
                let message = "the secret says not where it comes from";
                let found = Diagnostic::error(MISSING_KEY, source.at(), message);
                source.report(found.help(HELP));
            }
            [_] => {}
            [_, second, ..] => source.error(
                CONFLICT,
                second.key_at.clone(),
                "`env`, `file` and `credential` exclude each other",
            ),
        }
        let value = match given.as_slice() {
            [only] => self.value(&source, only),
            _ => None,
        };
        source.finish();
        value
    }

    fn value<'a>(&self, source: &Table<'a>, entry: &Entry<'a>) -> Option<Secret> {
        let named = source.as_literal(entry)?;
        let secret = match entry.key {
            "env" => self.env_value(source, &named),
            "file" => {
                let path = self.resolve(&named.at, &named.value);
                self.file_value(source, &named, &path)
            }
            _ => self.credential_value(source, &named),
        }?;
        if secret.reveal().is_empty() {
            let message = format!("`{}` holds an empty secret", named.value);
            source.error(MISSING_VALUE, named.at, message);
            return None;
        }
        Some(secret)
    }

    fn env_value(&self, source: &Table<'_>, name: &At<String>) -> Option<Secret> {
        let value = self.environment.get(&name.value);
        if value.is_none() {
            let why = self.why_missing(&name.value);
            source.error(MISSING_VALUE, name.at.clone(), why);
        }
        value.map(Secret::new)
    }

    /// Why a variable has no value.
    pub(super) fn why_missing(&self, name: &str) -> String {
        match self.environment.has(name) {
            true => format!("the variable `{name}` is not UTF-8"),
            false => format!("the variable `{name}` is not set"),
        }
    }

    fn credential_value(&self, source: &Table<'_>, name: &At<String>) -> Option<Secret> {
        let Some(folder) = self.environment.get("CREDENTIALS_DIRECTORY") else {
            source.error(
                MISSING_VALUE,
                name.at.clone(),
                "there are no systemd credentials here: `CREDENTIALS_DIRECTORY` is not set",
            );
            return None;
        };
        if name.value.is_empty() || name.value.starts_with('.') || name.value.contains(['/', '\0'])
        {
            let message = format!("`{}` is not a credential's name", name.value.escape_debug());
            source.error(BAD_NAME, name.at.clone(), message);
            return None;
        }
        self.file_value(source, name, &Path::new(folder).join(&name.value))
    }

    /// A file's text, without the line ends at its end.
    fn file_value(&self, source: &Table<'_>, named: &At<String>, path: &Path) -> Option<Secret> {
        let shown = path.display();
        let read = regular::read(path, MAX_SECRET_BYTES);
        self.sources.borrow_mut().push(path.to_owned());
        let text = match read.map(String::from_utf8) {
            Ok(Ok(text)) => return Some(Secret::new(text.trim_end_matches(['\r', '\n']))),
            Ok(Err(_)) => format!("cannot use `{shown}`: it is not UTF-8"),
            Err(error) => format!("cannot read `{shown}`: {error}"),
        };
        source.error(UNREADABLE, named.at.clone(), text);
        None
    }
}

/// The place of a value that is shown as stars: it may be the secret itself.
fn blackened(entry: &Entry<'_>) -> Span {
    starred(&entry.at)
}

/// The place of a text that is shown as stars: a secret may have been written instead of it.
pub(super) fn blackened_text(text: &At<String>) -> Span {
    starred(&text.at)
}

fn starred(at: &Span) -> Span {
    let text = at.file.text();
    let (before, rest) = text.split_at_checked(at.start).unwrap_or((text, ""));
    let len = at.end.saturating_sub(at.start);
    let (value, after) = rest.split_at_checked(len).unwrap_or((rest, ""));
    let stars: String = value
        .chars()
        .map(|letter| if letter == '\n' { '\n' } else { '*' })
        .collect();
    Span {
        start: before.len(),
        end: before.len() + stars.len(),
        file: SourceFile::new(at.file.path(), format!("{before}{stars}{after}")),
    }
}

//! Values that come from outside the file: the environment, a file, a systemd credential.

use super::sections::Reader;
use crate::lang::diag::Diagnostic;
use crate::manifest::lower::codes::{CONFLICT, MISSING_VALUE, UNREADABLE};
use crate::manifest::read::{At, Entry, MISSING_KEY, Table};
use crate::manifest::regular;
use crate::secret::Secret;
use std::collections::BTreeMap;
use std::path::PathBuf;

impl Reader<'_> {
    /// `[secrets]`: each `{ env = … }`, `{ file = … }` or `{ credential = … }`.
    pub(super) fn secrets(&self, table: &Table<'_>) -> BTreeMap<String, Secret> {
        let Some(section) = table.table("secrets") else {
            return BTreeMap::new();
        };
        section
            .entries()
            .iter()
            .filter_map(|entry| Some((entry.key.to_owned(), self.secret(&section, entry)?)))
            .collect()
    }

    /// One secret's value.
    pub(super) fn secret(&self, table: &Table<'_>, entry: &Entry<'_>) -> Option<Secret> {
        let mut source = table.sub_table(entry)?;
        source.set_place(format!("in secret \"{}\"", entry.key));
        let env = source.string("env");
        let file = source.string("file");
        let credential = source.string("credential");
        let given = [&env, &file, &credential].into_iter().flatten().count();
        if given > 1 {
            source.error(
                CONFLICT,
                source.at(),
                "`env`, `file` and `credential` exclude each other",
            );
        } else if given == 0
            && !["env", "file", "credential"]
                .iter()
                .any(|key| source.has(key))
        {
            source.report(
                Diagnostic::error(MISSING_KEY, source.at(), "the secret says not where it comes from")
                    .help("write `{ env = \"NAME\" }`, `{ file = \"path\" }` or `{ credential = \"name\" }`"),
            );
        }
        let value = match (env, file, credential) {
            (Some(name), None, None) => self.env_value(&source, &name),
            (None, Some(path), None) => {
                let place = self.folder.join(&path.value);
                self.file_value(&source, &path, place)
            }
            (None, None, Some(name)) => self.credential_value(&source, &name),
            _ => None,
        };
        source.finish();
        value
    }

    fn env_value(&self, source: &Table<'_>, name: &At<String>) -> Option<Secret> {
        let value = self.environment.get(&name.value);
        if value.is_none() {
            source.error(
                MISSING_VALUE,
                name.at.clone(),
                format!("the variable `{}` is not set", name.value),
            );
        }
        value.map(Secret::new)
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
            source.error(
                MISSING_VALUE,
                name.at.clone(),
                "that is not a credential's name",
            );
            return None;
        }
        self.file_value(source, name, PathBuf::from(folder).join(&name.value))
    }

    fn file_value(&self, source: &Table<'_>, named: &At<String>, path: PathBuf) -> Option<Secret> {
        let read = regular::read(&path, super::MAX_BYTES).map_err(|error| error.to_string());
        let text = read.and_then(|bytes| {
            String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned())
        });
        self.sources.borrow_mut().push(path.clone());
        match text {
            Ok(text) => Some(Secret::new(text.trim_end_matches(['\r', '\n']))),
            Err(error) => {
                source.error(
                    UNREADABLE,
                    named.at.clone(),
                    format!("cannot read `{}`: {error}", path.display()),
                );
                None
            }
        }
    }
}

//! The process's environment, read once. What templates and commands see of it is listed by the
//! author; everything else of the program asks this value, never the process.

use crate::model::DEFAULT_PATH;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

/// A copy of the environment as it was when the program started.
#[derive(Clone, Debug, Default)]
pub struct Environment(BTreeMap<OsString, OsString>);

impl Environment {
    /// Reads the process's environment. The one place that does.
    pub fn of_process() -> Self {
        #[expect(clippy::disallowed_methods, reason = "this is the one place")]
        Self(std::env::vars_os().collect())
    }

    /// A variable's value when it is set and is UTF-8.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(std::ffi::OsStr::new(name))?.to_str()
    }

    /// All variables, for a child that is the user's own as much as this program is.
    pub fn all(&self) -> Vec<(OsString, OsString)> {
        let pairs = self.0.iter();
        pairs
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect()
    }

    /// The file that a command name stands for: itself when it holds a `/`, else the first
    /// executable file of that name in PATH.
    pub fn find_command(&self, name: &str) -> Option<PathBuf> {
        let search = self.get("PATH").unwrap_or(DEFAULT_PATH);
        self.find_command_in(name, search)
    }

    /// The same, with the folders that are searched, as PATH writes them.
    pub fn find_command_in(&self, name: &str, search: &str) -> Option<PathBuf> {
        if name.contains('/') {
            let path = PathBuf::from(name);
            return is_executable(&path).then_some(path);
        }
        std::env::split_paths(search)
            .map(|folder| folder.join(name))
            .find(|path| is_executable(path))
    }

    /// Whether NO_COLOR asks for plain text (no-color.org): set, and not empty.
    pub fn asks_for_no_color(&self) -> bool {
        self.get("NO_COLOR").is_some_and(|value| !value.is_empty())
    }

    /// Whether a variable is set, UTF-8 or not.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(std::ffi::OsStr::new(name))
    }
}

fn is_executable(path: &std::path::Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path)
        .is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

//! What a child is started with, and the program it names.

use super::error::ProcessError;
use crate::model::{DEFAULT_PATH, LimitsSpec};
use rustix::fs::{Access, access};
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// What a child is started with, complete: nothing of the daemon's own environment is added to it.
#[derive(Clone, Copy)]
pub struct Launch<'a> {
    /// The program, then its arguments; each is one element of the child's `argv`, no shell between.
    pub argv: &'a [OsString],
    /// The child's whole environment. Of two entries with one name the last counts.
    pub env: &'a [(OsString, OsString)],
    /// The folder the child starts in.
    pub cwd: &'a Path,
    /// Limits the child runs under.
    pub limits: LimitsSpec,
}

impl Launch<'_> {
    /// The program as the author wrote it, for messages.
    pub fn program(&self) -> String {
        let program = self.argv.first().map(OsString::as_os_str);
        program.unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Checks what no child can be given, then finds the program: a name with a `/` is a path from
    /// `cwd`, any other is looked up in the `PATH` of the child's own environment, as execvp(3) does.
    ///
    /// # Errors
    /// What keeps the child from being started, as far as that can be seen before.
    pub fn resolve(&self) -> Result<PathBuf, ProcessError> {
        let program = match self.argv.first() {
            Some(program) if !program.is_empty() => program,
            _ => return Err(ProcessError::NoProgram),
        };
        self.check_strings()?;
        self.check_folder()?;
        let found = if program.as_bytes().contains(&b'/') {
            self.look(OsStr::new(""), program)
        } else {
            self.search(program)
        };
        match found {
            Found::Program(path) => Ok(path),
            Found::NotExecutable => Err(ProcessError::NotExecutable(self.program())),
            Found::Nothing if program.as_bytes().contains(&b'/') => {
                Err(ProcessError::NoSuchFile(self.program()))
            }
            Found::Nothing => Err(ProcessError::NotInPath(self.program())),
        }
    }

    fn check_strings(&self) -> Result<(), ProcessError> {
        let nul = |text: &OsStr| text.as_bytes().contains(&0);
        if let Some(index) = self.argv.iter().position(|argument| nul(argument)) {
            return Err(ProcessError::NulInArgument(index));
        }
        for (name, value) in self.env {
            let shown = || name.to_string_lossy().into_owned();
            if name.is_empty() || nul(name) || name.as_bytes().contains(&b'=') {
                return Err(ProcessError::VariableName(shown()));
            }
            if nul(value) {
                return Err(ProcessError::NulInVariable(shown()));
            }
        }
        if nul(self.cwd.as_os_str()) {
            return Err(ProcessError::NoFolder(self.cwd.to_owned()));
        }
        Ok(())
    }

    fn check_folder(&self) -> Result<(), ProcessError> {
        match std::fs::metadata(self.cwd) {
            Err(_) => Err(ProcessError::NoFolder(self.cwd.to_owned())),
            Ok(found) if !found.is_dir() => Err(ProcessError::NotAFolder(self.cwd.to_owned())),
            Ok(_) if access(self.cwd, Access::EXEC_OK).is_err() => {
                Err(ProcessError::ClosedFolder(self.cwd.to_owned()))
            }
            Ok(_) => Ok(()),
        }
    }

    fn search(&self, program: &OsStr) -> Found {
        let path = self.env.iter().rfind(|(name, _)| name == "PATH");
        let path = path.map_or(OsStr::new(DEFAULT_PATH), |(_, value)| value);
        let mut best = Found::Nothing;
        for folder in path.as_bytes().split(|byte| *byte == b':') {
            match self.look(OsStr::from_bytes(folder), program) {
                Found::Nothing => {}
                Found::NotExecutable => best = Found::NotExecutable,
                found @ Found::Program(_) => return found,
            }
        }
        best
    }

    /// `folder` and `program` seen from the child's folder; an empty folder is that folder itself.
    fn look(&self, folder: &OsStr, program: &OsStr) -> Found {
        let path = self.cwd.join(folder).join(program);
        match std::fs::metadata(&path) {
            Err(_) => Found::Nothing,
            Ok(found) if found.is_file() && access(&path, Access::EXEC_OK).is_ok() => {
                absolute(path)
            }
            Ok(_) => Found::NotExecutable,
        }
    }
}

/// The child changes folder before it starts the program, so the path must not depend on it.
fn absolute(path: PathBuf) -> Found {
    Found::Program(std::path::absolute(&path).unwrap_or(path))
}

enum Found {
    Program(PathBuf),
    NotExecutable,
    Nothing,
}

impl fmt::Debug for Launch<'_> {
    /// Arguments and environment may hold secrets: only the program is shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Launch")
            .field("program", &self.argv.first())
            .field("cwd", &self.cwd)
            .finish_non_exhaustive()
    }
}

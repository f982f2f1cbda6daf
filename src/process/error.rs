//! Why a command could not be run at all. What it does once it runs is an outcome, not an error.

use rustix::io::Errno;
use std::io;
use std::path::{Path, PathBuf};

/// The command was not started, or could not be watched. Messages name the program or the folder,
/// never an argument or a value of the environment.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// `argv` is empty, or its first element is.
    #[error("the command names no program")]
    NoProgram,
    /// An element of `argv` holds NUL; the number is its index.
    #[error("argument {0} of the command holds a NUL byte, which no program can be given")]
    NulInArgument(usize),
    /// An environment variable's name is empty, or holds `=` or NUL.
    #[error("`{0}` cannot be the name of an environment variable")]
    VariableName(String),
    /// The value of this environment variable holds NUL.
    #[error("environment variable `{0}` holds a NUL byte, which no program can be given")]
    NulInVariable(String),
    /// A bare name, and no folder of the child's `PATH` has it.
    #[error("program `{0}` is in no folder of the command's PATH")]
    NotInPath(String),
    /// A path, and nothing is there.
    #[error("program `{0}` does not exist")]
    NoSuchFile(String),
    /// It is there, but is no file that this user may execute.
    #[error("`{0}` is not an executable file")]
    NotExecutable(String),
    /// The kernel knows no way to run the file (ENOEXEC).
    #[error("`{0}` is not a program this system can run, nor a script that begins with `#!`")]
    Format(String),
    /// The file is a script or a linked program whose interpreter is missing.
    #[error("the interpreter that `{0}` asks for does not exist")]
    Interpreter(String),
    /// The file is open for writing (ETXTBSY).
    #[error("program `{0}` is being written by somebody else")]
    Busy(String),
    /// The working folder is missing.
    #[error("the command's folder `{}` does not exist", .0.display())]
    NoFolder(PathBuf),
    /// The working folder is a file.
    #[error("the command's folder `{}` is not a folder", .0.display())]
    NotAFolder(PathBuf),
    /// The working folder may not be entered by this user.
    #[error("the command's folder `{}` cannot be entered by this user", .0.display())]
    ClosedFolder(PathBuf),
    /// Arguments and environment together are over the system's limit (E2BIG).
    #[error("the arguments and environment of `{0}` are longer than the system allows")]
    TooLong(String),
    /// No process or no memory is left for another one (EAGAIN, ENOMEM).
    #[error("the system has no room for another process to run `{0}`")]
    NoProcess(String),
    /// No file descriptor is left (EMFILE, ENFILE).
    #[error("no file descriptor is left to run `{0}`")]
    NoDescriptor(String),
    /// This program's own binary, which sets the limits, could not be started.
    #[error("the limits of `{0}` could not be set: this server's own program is gone")]
    NoHelper(String),
    /// Under its own limits the command could not even start (EAGAIN, ENOMEM).
    #[error("the limits of `{0}` leave it no room to start; raise them")]
    Limited(String),
    /// The task that owned the command is gone: the runtime ends, or a tap panicked. So is the group.
    #[error("`{0}` was abandoned by the server")]
    Abandoned(String),
    /// Anything else.
    #[error("`{program}` could not be run")]
    Other {
        /// The program as the author wrote it.
        program: String,
        /// What the system said.
        source: io::Error,
    },
}

impl ProcessError {
    /// As [`ProcessError::from_io`], for a command that already ran under its limits.
    pub fn from_limited(error: io::Error, program: String, cwd: &Path) -> Self {
        match Self::from_io(error, program, cwd) {
            Self::NoProcess(program) => Self::Limited(program),
            other => other,
        }
    }

    /// What `error` means for a program and a folder that were there a moment ago.
    pub fn from_io(error: io::Error, program: String, cwd: &Path) -> Self {
        match Errno::from_io_error(&error) {
            Some(Errno::NOENT | Errno::NOTDIR) if !cwd.is_dir() => Self::NoFolder(cwd.to_owned()),
            Some(Errno::NOENT | Errno::NOTDIR) => Self::Interpreter(program),
            Some(Errno::ACCESS | Errno::PERM | Errno::ISDIR) => Self::NotExecutable(program),
            Some(Errno::NOEXEC) => Self::Format(program),
            Some(Errno::TOOBIG) => Self::TooLong(program),
            Some(Errno::TXTBSY) => Self::Busy(program),
            Some(Errno::AGAIN | Errno::NOMEM) => Self::NoProcess(program),
            Some(Errno::MFILE | Errno::NFILE) => Self::NoDescriptor(program),
            _ => Self::Other {
                program,
                source: error,
            },
        }
    }
}

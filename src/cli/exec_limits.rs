//! `snodo __exec-limits`: sets limits on itself, then becomes the program.
//!
//! Not for people: `process` starts limited commands this way, because a limit must be set
//! in the child, and code of ours between fork and exec would make every spawn a fork.

use crate::model::LimitsSpec;
use crate::process::{EXEC_FAILED, report};
use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, getrlimit, nice, setrlimit};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

/// The exit code for arguments that cannot be read.
const USAGE: u8 = 2;

/// Runs with the arguments after `__exec-limits`:
/// `[--nice N] [--memory BYTES] [--cpu SECONDS] [--processes N] -- PATH ARGV0 [ARGV…]`.
///
/// PATH is a path (nothing is looked up), and the environment, the folder, the group and the streams
/// stay as they are. Returns only when the program could not be started: having said why on stderr,
/// in the form the runner reads, with [`EXEC_FAILED`]; or with 2 when the arguments are wrong.
/// To be called before any thread is started.
pub(super) fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let (code, message) = match parse(arguments) {
        Ok(request) => (EXEC_FAILED, report(&become_program(request))),
        Err(error) => (
            USAGE,
            format!("snodo __exec-limits: {error}\n").into_bytes(),
        ),
    };
    // Where stderr is closed there is nobody to tell; the code still says it.
    let _unheard = std::io::stderr().write_all(&message);
    ExitCode::from(code)
}

/// What the arguments ask for.
#[derive(Debug, PartialEq, Eq)]
struct Request {
    limits: LimitsSpec,
    path: OsString,
    argv: Vec<OsString>,
}

/// Arguments that no runner writes.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
enum UsageError {
    #[error("unknown option `{0}`")]
    Unknown(String),
    #[error("`{0}` needs a number that fits")]
    Value(String),
    #[error("`--`, a path and the program's own name must follow the options")]
    Program,
}

fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Request, UsageError> {
    let mut arguments = arguments.into_iter();
    let mut limits = LimitsSpec::default();
    loop {
        let option = arguments.next().ok_or(UsageError::Program)?;
        match option.to_str() {
            Some("--") => break,
            Some("--nice") => limits.nice = Some(number(&option, arguments.next())?),
            Some("--memory") => limits.memory_bytes = Some(number(&option, arguments.next())?),
            Some("--cpu") => limits.cpu_seconds = Some(number(&option, arguments.next())?),
            Some("--processes") => limits.processes = Some(number(&option, arguments.next())?),
            _ => return Err(UsageError::Unknown(option.to_string_lossy().into())),
        }
    }
    if limits.nice.is_some_and(|nice| !(-20..=19).contains(&nice)) {
        return Err(UsageError::Value("--nice".into()));
    }
    let path = arguments.next().ok_or(UsageError::Program)?;
    let argv: Vec<OsString> = arguments.collect();
    if path.is_empty() || argv.is_empty() {
        return Err(UsageError::Program);
    }
    Ok(Request { limits, path, argv })
}

fn number<N: std::str::FromStr>(option: &OsStr, value: Option<OsString>) -> Result<N, UsageError> {
    let value = value.as_deref().and_then(OsStr::to_str);
    value
        .and_then(|value| value.parse().ok())
        .ok_or_else(|| UsageError::Value(option.to_string_lossy().into()))
}

/// Everything the last step needs is allocated before the limits are set.
fn become_program(request: Request) -> std::io::Error {
    let mut program = Command::new(&request.path);
    if let Some((name, arguments)) = request.argv.split_first() {
        program.arg0(name).args(arguments);
    }
    if !is_program(&request.path) {
        return Errno::NOEXEC.into();
    }
    apply(request.limits);
    program.exec()
}

/// False for a file that execvp(3) would hand to `/bin/sh` because the kernel cannot run it: no shell
/// reads what is not a script of one. (Formats of binfmt_misc count as none; their interpreter can be
/// named instead.) A file that cannot be read cannot be read by a shell either.
fn is_program(path: &OsStr) -> bool {
    /// ELF, and Mach-O in both widths and byte orders, and with several architectures.
    const FORMATS: [[u8; 4]; 6] = [
        *b"\x7fELF",
        [0xfe, 0xed, 0xfa, 0xce],
        [0xfe, 0xed, 0xfa, 0xcf],
        [0xce, 0xfa, 0xed, 0xfe],
        [0xcf, 0xfa, 0xed, 0xfe],
        [0xca, 0xfe, 0xba, 0xbe],
    ];
    let mut head = [0; 4];
    match File::open(path).and_then(|mut file| file.read(&mut head)) {
        Ok(_) => head.starts_with(b"#!") || FORMATS.contains(&head),
        Err(_) => true,
    }
}

/// A limit that cannot be set as wanted is set as near as may be: the command runs all the same.
fn apply(limits: LimitsSpec) {
    if let Some(increment) = limits.nice {
        // Only a privileged process may lower the value.
        let _refused = nice(increment);
    }
    if let Some(seconds) = limits.cpu_seconds {
        // SIGXCPU can be ignored; one second later the hard limit sends SIGKILL.
        limit(Resource::Cpu, seconds, seconds.saturating_add(1));
    }
    #[cfg(not(any(target_os = "solaris", target_os = "illumos", target_os = "cygwin")))]
    if let Some(count) = limits.processes {
        limit(Resource::Nproc, count, count);
    }
    #[cfg(not(target_os = "openbsd"))]
    if let Some(bytes) = limits.memory_bytes {
        limit(Resource::As, bytes, bytes);
    }
    #[cfg(target_os = "openbsd")]
    if let Some(bytes) = limits.memory_bytes {
        limit(Resource::Data, bytes, bytes);
    }
}

fn limit(resource: Resource, soft: u64, hard: u64) {
    let ceiling = getrlimit(resource).maximum.unwrap_or(u64::MAX);
    let wanted = Rlimit {
        current: Some(soft.min(ceiling)),
        maximum: Some(hard.min(ceiling)),
    };
    let _refused = setrlimit(resource, wanted);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStringExt;

    fn parsed(text: &str) -> Result<Request, UsageError> {
        parse(text.split(' ').map(OsString::from))
    }

    #[test]
    fn every_limit_is_read() {
        let text =
            "--nice -5 --memory 1048576 --cpu 3 --processes 18446744073709551615 -- /a b --nice";
        let request = parsed(text).unwrap();
        assert_eq!(
            request.limits,
            LimitsSpec {
                nice: Some(-5),
                memory_bytes: Some(1_048_576),
                cpu_seconds: Some(3),
                processes: Some(u64::MAX),
            }
        );
        assert_eq!(request.path, "/a");
        assert_eq!(request.argv, ["b", "--nice"]);
        assert!(parsed("-- /a b").unwrap().limits.is_empty());
    }

    #[test]
    fn arguments_of_the_program_stay_bytes() {
        let odd = OsString::from_vec(vec![0xff, b'\n']);
        let arguments = [
            "--".into(),
            "/a".into(),
            odd.clone(),
            "".into(),
            "--".into(),
        ];
        let request = parse(arguments).unwrap();
        assert_eq!(request.argv, [odd, "".into(), "--".into()]);
    }

    #[test]
    fn other_arguments_are_refused() {
        let cases = [
            ("--nice", UsageError::Value("--nice".into())),
            ("--nice x -- /a b", UsageError::Value("--nice".into())),
            ("--nice 20 -- /a b", UsageError::Value("--nice".into())),
            ("--cpu -1 -- /a b", UsageError::Value("--cpu".into())),
            (
                "--memory 18446744073709551616 -- /a b",
                UsageError::Value("--memory".into()),
            ),
            ("--cpus 1 -- /a b", UsageError::Unknown("--cpus".into())),
            ("/a b", UsageError::Unknown("/a".into())),
            ("--cpu 1", UsageError::Program),
            ("--", UsageError::Program),
            ("-- /a", UsageError::Program),
            ("--  b", UsageError::Program),
        ];
        for (text, error) in cases {
            assert_eq!(parsed(text), Err(error), "{text}");
        }
        assert_eq!(run([]), ExitCode::from(USAGE));
    }
}

//! The `shell` action of a component: templates to an argument list, an exit to success or failure.

use super::output::{Overflow, ShellOutput, noted, tail};
use super::told::taps;
use super::{Command, Finished, Runner, Stop};
use crate::action::outputs::Outputs;
use crate::action::{Call, Failure, render};
use crate::model::{ArgSpec, Program, ShellSpec};
use crate::ops::Caller;
use crate::process::Exit;
use crate::secret::Mask;
use crate::units::Time;
use bytes::Bytes;
use rustix::process::Signal;
use std::ffi::OsString;
use std::sync::Arc;

/// A shell action ready to run.
#[derive(Debug)]
pub struct ShellAction {
    spec: Arc<ShellSpec>,
    runner: Runner,
    outputs: Outputs,
}

impl ShellAction {
    /// An action of this kind.
    pub fn new(spec: &Arc<ShellSpec>, runner: Runner, outputs: Outputs) -> Self {
        Self {
            spec: Arc::clone(spec),
            runner,
            outputs,
        }
    }

    /// Runs the command to its end. Dropping the future ends its whole process group.
    ///
    /// # Errors
    /// An argument that cannot be made or is refused, a program that cannot be started, a timeout,
    /// an exit code that does not count as success, output that is not what `parse` says.
    pub async fn run(&self, call: Call<'_>) -> Result<ShellOutput, Failure> {
        let command = self.command(call)?;
        let finished = self.runner.run(command, taps(&self.spec, call)).await;
        let mut finished = finished.map_err(|error| Failure(error.to_string()))?;
        let trouble = self.trouble(&finished);
        let overflow = self.overflow(&mut finished, trouble.is_some(), call.caller);
        if let Some(trouble) = trouble {
            return Err(report(trouble, &finished, &call.mask()));
        }
        ShellOutput::new(finished, overflow, &self.spec)
    }

    /// Keeps output that is longer than its answer may be, and cuts it to that.
    fn overflow(
        &self,
        finished: &mut Finished,
        has_failed: bool,
        caller: &Caller,
    ) -> Option<Overflow> {
        let ttl = self.spec.overflow?;
        let limit = self.spec.max_output;
        let stdout = &mut finished.stdout;
        let kept = (stdout.bytes.len() > limit && !has_failed).then(|| {
            let bytes = Bytes::copy_from_slice(&stdout.bytes);
            let (size, is_cut) = (bytes.len(), stdout.truncated());
            let uri = self.outputs.keep(bytes, is_cut, ttl, caller.principal())?;
            Some(Overflow { uri, size, is_cut })
        });
        stdout.limit(limit);
        kept.flatten()
    }

    fn command(&self, call: Call<'_>) -> Result<Command, Failure> {
        let spec = &*self.spec;
        Ok(Command {
            argv: argv(&spec.program, call)?,
            env: self.env(call)?,
            cwd: spec.cwd.clone(),
            stdin: match &spec.stdin {
                Some(stdin) => render::text("stdin", stdin, call.scope)?.map(Bytes::from),
                None => None,
            },
            timeout: spec.timeout,
            max_stdout: match spec.overflow {
                Some(_) => ShellSpec::MOST_KEPT,
                None => spec.max_output,
            },
            max_stderr: spec.max_output,
            kill_after: spec.kill_after,
            limits: spec.limits,
        })
    }

    /// Nothing of the daemon's environment but what the manifest lists; the last of a name counts.
    fn env(&self, call: Call<'_>) -> Result<Vec<(OsString, OsString)>, Failure> {
        let mut env: Vec<(OsString, OsString)> = self
            .spec
            .pass_env
            .iter()
            .map(|(name, value)| (name.into(), value.into()))
            .collect();
        for (name, value) in [
            ("TRACEPARENT", &call.trace.parent),
            ("TRACESTATE", &call.trace.state),
        ] {
            if let Some(value) = value {
                env.push((name.into(), value.into()));
            }
        }
        for (name, value) in &self.spec.env {
            if let Some(value) = render::text(&format!("env.{name}"), value, call.scope)? {
                env.push((name.into(), value.into()));
            }
        }
        Ok(env)
    }

    /// Why the end of the command is no success; `None` when it is one.
    fn trouble(&self, finished: &Finished) -> Option<String> {
        Some(match (finished.stopped, finished.exit) {
            (Some(Stop::Timeout), _) => format!("timed out after {}", Time(self.spec.timeout)),
            (Some(Stop::Shutdown), _) => "the server is stopping; the command was ended".to_owned(),
            (None, Exit::Code(code)) if self.spec.success.contains(&code) => return None,
            (None, Exit::Code(code)) => format!("the command failed with exit code {code}"),
            (None, Exit::Signal(signal)) => self.signalled(signal),
            (None, Exit::Unknown) => "how the command ended is not known".to_owned(),
        })
    }

    fn signalled(&self, signal: i32) -> String {
        let name = signal_name(signal).map_or_else(String::new, |name| format!(" ({name})"));
        let text = format!("the command was ended by signal {signal}{name}");
        match self.spec.limits.cpu_seconds {
            Some(limit) if signal == Signal::XCPU.as_raw() => {
                format!("{text}: it used its {limit} s of processor time")
            }
            _ => text,
        }
    }
}

/// The argument list. A list becomes several elements; an absent value becomes none.
fn argv(program: &Program, call: Call<'_>) -> Result<Vec<OsString>, Failure> {
    let args = match program {
        Program::Script { interpreter, text } => {
            let words = interpreter.iter().chain(std::iter::once(text));
            return Ok(words.map(OsString::from).collect());
        }
        Program::Command(args) => args,
    };
    let mut argv = Vec::with_capacity(args.len());
    for arg in args {
        match arg.value.literal() {
            Some(literal) => argv.push(literal.into()),
            None => {
                let Some(value) = render::value("command", &arg.value, call.scope)? else {
                    continue;
                };
                for text in render::texts(&value) {
                    guard(arg, &text)?;
                    argv.push(text.into());
                }
            }
        }
    }
    Ok(argv)
}

/// A value must not become an option of the program. An option that the author names is the author's
/// word: `--path={{ … }}`. Dashes alone before the value would let it choose which.
fn guard(arg: &ArgSpec, text: &str) -> Result<(), Failure> {
    let source = arg.value.source();
    let named = !arg
        .value
        .literal_prefix()
        .trim_start_matches('-')
        .is_empty();
    if text.starts_with('-') && !named && !arg.allow_dash {
        return Err(Failure(format!(
            "the value of `{source}` begins with `-` and would be read as an option"
        )));
    }
    if text.contains('\0') {
        return Err(Failure(format!(
            "the value of `{source}` holds a NUL character"
        )));
    }
    Ok(())
}

/// What happened, and what the command last said of it.
fn report(mut text: String, finished: &Finished, mask: &Mask) -> Failure {
    let stdout = &finished.stdout;
    let stderr = tail(&finished.stderr, mask);
    if finished.stopped.is_some() && stdout.total > 0 {
        let so_far = noted(&mask.hide(stdout.text()), stdout);
        text.push_str(&format!("\noutput so far:\n{}", so_far.trim_end()));
        if !stderr.is_empty() {
            text.push_str("\nstandard error:");
        }
    }
    // Programs that say nothing on stderr say on stdout what failed.
    let said = if stderr.is_empty() && finished.stopped.is_none() {
        tail(stdout, mask)
    } else {
        stderr
    };
    if !said.is_empty() {
        text.push_str(&format!("\n{said}"));
    }
    Failure(text)
}

/// The names of the signals that commonly end a program.
fn signal_name(signal: i32) -> Option<&'static str> {
    const NAMES: [(Signal, &str); 14] = [
        (Signal::HUP, "SIGHUP"),
        (Signal::INT, "SIGINT"),
        (Signal::QUIT, "SIGQUIT"),
        (Signal::ILL, "SIGILL"),
        (Signal::TRAP, "SIGTRAP"),
        (Signal::ABORT, "SIGABRT"),
        (Signal::BUS, "SIGBUS"),
        (Signal::FPE, "SIGFPE"),
        (Signal::KILL, "SIGKILL"),
        (Signal::SEGV, "SIGSEGV"),
        (Signal::PIPE, "SIGPIPE"),
        (Signal::TERM, "SIGTERM"),
        (Signal::XCPU, "SIGXCPU"),
        (Signal::XFSZ, "SIGXFSZ"),
    ];
    let found = NAMES.iter().find(|(known, _)| known.as_raw() == signal);
    found.map(|(_, name)| *name)
}

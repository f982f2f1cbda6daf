//! The `shell` action of a component: templates to an argument list, an exit to an answer.

use super::{Captured, Command, Exit, Finished, Limits, Runner, Stop, Taps};
use crate::action::{Call, Failure, Output, render};
use crate::model::{ArgSpec, Parse, Program, ShellSpec};
use crate::ops::{Block, Payload, ToolOutcome};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde_json::{Map, Value};
use std::ffi::OsString;
use std::sync::Arc;

/// How much of standard error a failure shows, in lines and bytes.
const ERROR_LINES: usize = 20;
const ERROR_BYTES: usize = 2048;

/// A shell action ready to run.
#[derive(Debug)]
pub struct ShellAction {
    spec: Arc<ShellSpec>,
    runner: Runner,
}

/// What a command that ran well left.
#[derive(Debug)]
pub struct ShellOutput {
    finished: Finished,
    spec: Arc<ShellSpec>,
}

impl ShellAction {
    /// An action of this kind.
    pub fn new(spec: &Arc<ShellSpec>, runner: Runner) -> Self {
        Self {
            spec: Arc::clone(spec),
            runner,
        }
    }

    /// Runs the command to its end. Dropping the future ends its whole process group.
    ///
    /// # Errors
    /// An argument that cannot be made or is refused, a program that cannot be started, a timeout,
    /// an exit code that does not count as success.
    pub async fn run(&self, call: Call<'_>) -> Result<ShellOutput, Failure> {
        let command = self.command(call)?;
        let finished = self.runner.run(command, Taps::default()).await;
        let finished = finished.map_err(|error| Failure(error.to_string()))?;
        self.judge(&finished)?;
        Ok(ShellOutput {
            finished,
            spec: Arc::clone(&self.spec),
        })
    }

    fn command(&self, call: Call<'_>) -> Result<Command, Failure> {
        let spec = &*self.spec;
        let limits = spec.limits;
        Ok(Command {
            argv: argv(&spec.program, call)?,
            env: self.env(call)?,
            cwd: spec.cwd.clone(),
            stdin: match &spec.stdin {
                Some(stdin) => render::text("stdin", stdin, call.scope)?.map(Bytes::from),
                None => None,
            },
            timeout: spec.timeout,
            max_output: spec.max_output,
            kill_after: spec.kill_after,
            limits: Limits {
                nice: limits.nice,
                memory_bytes: limits.memory_bytes,
                cpu_seconds: limits.cpu_seconds,
                processes: limits.processes,
            },
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
            if let Some(value) = render::text(name, value, call.scope)? {
                env.push((name.into(), value.into()));
            }
        }
        Ok(env)
    }

    /// Whether the exit counts as success.
    fn judge(&self, finished: &Finished) -> Result<(), Failure> {
        let stderr = tail(&finished.stderr.text());
        let mut text = match (finished.stopped, finished.exit) {
            (Some(Stop::Timeout), _) => format!("timed out after {} s", seconds(self.spec.timeout)),
            (Some(Stop::Shutdown), _) => "the server is stopping; the command was ended".to_owned(),
            (None, Exit::Code(code)) if self.spec.success.contains(&code) => return Ok(()),
            (None, Exit::Code(code)) => format!("the command failed with exit code {code}"),
            (None, Exit::Signal(signal)) => format!("the command was ended by signal {signal}"),
            (None, Exit::Unknown) => "how the command ended is not known".to_owned(),
        };
        if finished.stopped.is_some() {
            let stdout = finished.stdout.text();
            if !stdout.is_empty() {
                text.push_str(&format!(
                    "\noutput so far:\n{}",
                    noted(&stdout, &finished.stdout)
                ));
            }
        }
        if !stderr.is_empty() {
            text.push_str(&format!("\n{stderr}"));
        }
        Err(Failure(text))
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

impl Output for ShellOutput {
    fn answer(&self) -> Result<ToolOutcome, Failure> {
        let stdout = &self.finished.stdout;
        let text = stdout.text();
        Ok(match &self.spec.parse {
            Parse::Text => ToolOutcome {
                content: vec![Block::text(noted(&text, stdout))],
                ..ToolOutcome::default()
            },
            Parse::Json => structured(self.json()?, text.into_owned()),
            Parse::Lines => structured(lines(&text), noted(&text, stdout)),
            Parse::Media(mime_type) => {
                if stdout.truncated() {
                    return Err(Failure(format!(
                        "the output is larger than {} bytes, and a part of it is no `{mime_type}`",
                        self.spec.max_output
                    )));
                }
                ToolOutcome {
                    content: vec![media(mime_type, STANDARD.encode(&stdout.bytes))],
                    ..ToolOutcome::default()
                }
            }
        })
    }

    fn value(&self) -> Value {
        let finished = &self.finished;
        let stdout = finished.stdout.text();
        let mut output = Map::new();
        if self.spec.parse == Parse::Json
            && let Ok(json) = self.json()
        {
            output.insert("json".into(), json);
        }
        output.insert("lines".into(), lines(&stdout));
        output.insert("stdout".into(), stdout.into_owned().into());
        output.insert("stderr".into(), finished.stderr.text().into_owned().into());
        match finished.exit {
            Exit::Code(code) => output.insert("exit_code".into(), code.into()),
            Exit::Signal(signal) => output.insert("signal".into(), signal.into()),
            Exit::Unknown => None,
        };
        output.insert("truncated".into(), finished.stdout.truncated().into());
        Value::Object(output)
    }
}

impl ShellOutput {
    fn json(&self) -> Result<Value, Failure> {
        let stdout = &self.finished.stdout;
        if stdout.truncated() {
            return Err(Failure(format!(
                "the output is larger than {} bytes, and a part of it is no JSON",
                self.spec.max_output
            )));
        }
        serde_json::from_slice(&stdout.bytes)
            .map_err(|error| Failure(format!("the output is not JSON: {error}")))
    }
}

fn structured(value: Value, text: String) -> ToolOutcome {
    ToolOutcome {
        content: vec![Block::text(text)],
        structured: Some(value),
        ..ToolOutcome::default()
    }
}

fn lines(text: &str) -> Value {
    text.lines().map(Value::from).collect()
}

fn media(mime_type: &str, data: String) -> Block {
    let mime_type = mime_type.to_owned();
    if mime_type.starts_with("image/") {
        Block::Image {
            data,
            mime_type,
            annotations: None,
        }
    } else if mime_type.starts_with("audio/") {
        Block::Audio {
            data,
            mime_type,
            annotations: None,
        }
    } else {
        Block::Resource {
            uri: "snodo://output".to_owned(),
            mime_type: Some(mime_type),
            payload: Payload::Blob(data),
            annotations: None,
        }
    }
}

/// The kept text, and a note when more was written.
fn noted(text: &str, captured: &Captured) -> String {
    if captured.truncated() {
        format!(
            "{text}\n[output cut: {} of {} bytes are shown]",
            captured.bytes.len(),
            captured.total
        )
    } else {
        text.to_owned()
    }
}

/// The last lines of a text, within bounds.
fn tail(text: &str) -> String {
    let text = text.trim_end();
    let mut start = text.len().saturating_sub(ERROR_BYTES);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    let kept = text.get(start..).unwrap_or(text);
    let lines: Vec<&str> = kept.lines().collect();
    let skip = lines.len().saturating_sub(ERROR_LINES);
    lines.get(skip..).unwrap_or_default().join("\n")
}

fn seconds(duration: std::time::Duration) -> String {
    let seconds = duration.as_secs_f64();
    if seconds.fract() == 0.0 {
        format!("{seconds:.0}")
    } else {
        format!("{seconds}")
    }
}

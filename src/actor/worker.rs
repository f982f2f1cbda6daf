//! A worker: a process that is given messages as lines of JSON and answers with lines of JSON.

mod lines;
mod said;
mod speak;

use super::error::{CallError, StartError};
use super::event::Events;
use super::mailbox::{Envelope, ReplyTo};
use super::store::StateDir;
use crate::model::{Actor, WorkerSpec};
use crate::process::{Exit, Group, Launch, ProcessError, Starter};
use crate::shutdown::Shutdown;
use bytes::{Buf, Bytes};
use lines::{Line, Lines};
use said::Said;
use speak::Log;
use std::os::fd::OwnedFd;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::unix::pipe;
use tokio::time::{Instant, sleep, sleep_until, timeout};

/// How long after its end, or the end of one of its streams, a worker's last lines are waited for.
const PATIENCE: Duration = Duration::from_millis(250);
/// How long a killed group is waited for: what is inside the kernel can hang.
const UNKILLABLE: Duration = Duration::from_secs(1);
/// Longest line of standard error that is logged whole.
const MAX_ERROR_LINE: usize = 4096;

/// A running worker.
pub(super) struct Worker {
    actor: String,
    group: Group,
    input: Option<pipe::Sender>,
    /// What is still to be written.
    rest: Bytes,
    output: Lines,
    errors: Lines,
    at_hand: Option<AtHand>,
    last_id: u64,
    timeout: Duration,
    kill_after: Duration,
    /// When the end is taken for granted: the worker has ended, or closed a stream.
    ending: Option<Instant>,
    exited: bool,
    log: Log,
    events: Events,
}

/// The message that the worker has.
struct AtHand {
    /// `None` for a cast, which is done once it is written.
    call: Option<(u64, ReplyTo)>,
    due: Instant,
}

/// How a worker ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct End {
    /// It was no orderly end.
    pub(super) failed: bool,
    /// In words: `ended with exit code 1`.
    pub(super) how: String,
}

impl Worker {
    /// Starts the process.
    ///
    /// # Errors
    /// When it cannot be started.
    pub(super) async fn start(
        actor: &Actor,
        spec: &WorkerSpec,
        starter: &Starter,
        dir: Option<&Arc<StateDir>>,
        events: &Events,
    ) -> Result<Self, StartError> {
        let mut env = spec.env.clone();
        if let Some(dir) = dir.filter(|_| actor.persist) {
            let folder = dir.worker_folder(&actor.name)?;
            env.push(("SNODO_STATE_DIR".into(), folder.into()));
        }
        let launch = Launch {
            env: &env,
            ..launch(spec)
        };
        let mut group = starter.start(launch, true).await?;
        let child = group.child();
        let input = child.stdin.take().map(OwnedFd::from);
        let output = child.stdout.take().map(OwnedFd::from);
        let errors = child.stderr.take().map(OwnedFd::from);
        let failed = |error| ProcessError::from_io(error, launch.program(), &spec.cwd);
        let receiver = |end: Option<OwnedFd>| {
            let end = end.map(pipe::Receiver::from_owned_fd);
            end.transpose().map_err(failed)
        };
        Ok(Self {
            actor: actor.name.clone(),
            input: input
                .map(pipe::Sender::from_owned_fd)
                .transpose()
                .map_err(failed)?,
            output: Lines::new(receiver(output)?, spec.max_line),
            errors: Lines::new(receiver(errors)?, MAX_ERROR_LINE),
            rest: Bytes::new(),
            group,
            at_hand: None,
            last_id: 0,
            timeout: spec.timeout,
            kill_after: spec.kill_after,
            ending: None,
            exited: false,
            log: Log::new(&actor.name, spec),
            events: events.clone(),
        })
    }

    /// Whether it can be given a message.
    pub(super) fn is_idle(&self) -> bool {
        self.at_hand.is_none() && self.ending.is_none()
    }

    /// Gives it a message.
    pub(super) fn give(&mut self, envelope: Envelope) {
        let Envelope {
            message,
            payload,
            reply,
        } = envelope;
        let call = reply.map(|reply| {
            self.last_id += 1;
            (self.last_id, reply)
        });
        let id = call.as_ref().map(|(id, _)| *id);
        self.rest = speak::line(id, &message, &payload);
        self.at_hand = Some(AtHand {
            call,
            due: Instant::now() + self.timeout,
        });
    }

    /// Serves its streams until the message at hand is done (`None`), or it has ended. May be dropped
    /// and called again.
    pub(super) async fn serve(&mut self) -> Option<End> {
        loop {
            let due = self.at_hand.as_ref().map(|at_hand| at_hand.due);
            // In no order of preference: a worker that never stops writing is still written to.
            tokio::select! {
                () = until(due) => return Some(self.hung()),
                line = self.output.next() => match line {
                    Line::Text { bytes, cut } => {
                        if self.hear(&bytes, cut) {
                            return None;
                        }
                    }
                    Line::End => self.end_soon(),
                },
                line = self.errors.next() => match line {
                    Line::Text { bytes, cut } => self.log.error_line(&bytes, cut),
                    Line::End => {}
                },
                written = write(&mut self.input, &self.rest), if !self.rest.is_empty() => {
                    if self.wrote(written) {
                        return None;
                    }
                }
                () = self.group.exited(), if !self.exited => {
                    self.exited = true;
                    self.end_soon();
                }
                () = until(self.ending) => return Some(self.ended()),
            }
            // After the end all that is left to read is read, and no longer waited for.
            if self.exited && self.output.is_over() && self.errors.is_over() {
                self.ending = Some(Instant::now());
            }
        }
    }

    /// Takes one line of its output. True when the message at hand is done by it.
    fn hear(&mut self, bytes: &[u8], cut: bool) -> bool {
        if cut {
            self.log.junk(bytes, cut, "a line that is too long");
            return self.answer(None, Err("the worker's answer is too long".to_owned()));
        }
        match Said::of(bytes) {
            Said::Answer { id, result } => {
                let is_awaited = self.awaited() == Some(id);
                if !is_awaited {
                    self.log
                        .junk(bytes, cut, "an answer to nothing that was asked");
                    return false;
                }
                self.answer(Some(id), result)
            }
            Said::ResourceUpdated(uri) => {
                self.events.updated(uri);
                false
            }
            Said::Log { level, data } => {
                self.log.said(level, &data);
                false
            }
            Said::Blank => false,
            Said::Junk(why) => {
                self.log.junk(bytes, cut, why);
                false
            }
        }
    }

    fn awaited(&self) -> Option<u64> {
        let call = self.at_hand.as_ref()?.call.as_ref()?;
        Some(call.0)
    }

    /// Answers the call at hand, whatever its number when none is given. True when there was one.
    fn answer(&mut self, id: Option<u64>, result: Result<serde_json::Value, String>) -> bool {
        if self.awaited().is_none() || id.is_some() && id != self.awaited() {
            return false;
        }
        let call = self
            .at_hand
            .as_mut()
            .and_then(|at_hand| at_hand.call.take());
        if let Some((_, reply)) = call {
            // A caller that has gone does not hear it: a late answer ends here.
            let _late = reply.send(result.map_err(CallError::Failed));
        }
        self.is_through()
    }

    /// Notes what was written. True when the message at hand is done by it.
    fn wrote(&mut self, written: std::io::Result<usize>) -> bool {
        match written {
            Ok(count) => self.rest.advance(count),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            // Nobody reads any more.
            Err(_) => {
                self.rest.clear();
                self.end_soon();
                return false;
            }
        }
        self.is_through()
    }

    /// Whether the message at hand is answered, or needs no answer, and all of it is written. Then it
    /// is at hand no longer.
    fn is_through(&mut self) -> bool {
        let at_hand = self.at_hand.as_ref();
        let through = self.rest.is_empty() && at_hand.is_some_and(|at| at.call.is_none());
        if through {
            self.at_hand = None;
        }
        through
    }

    fn end_soon(&mut self) {
        if self.ending.is_none() {
            self.ending = Some(Instant::now() + PATIENCE);
        }
    }

    fn hung(&mut self) -> End {
        let how = format!(
            "was ended because it took longer than {} for a message",
            crate::units::Time(self.timeout)
        );
        self.die(End { failed: true, how })
    }

    fn ended(&mut self) -> End {
        self.group.reap();
        let end = match self.group.exit() {
            Exit::Code(0) => End {
                failed: false,
                how: "ended with exit code 0".to_owned(),
            },
            Exit::Code(code) => End {
                failed: true,
                how: format!("ended with exit code {code}"),
            },
            Exit::Signal(signal) => End {
                failed: true,
                how: format!("was ended by signal {signal}"),
            },
            Exit::Unknown => End {
                failed: true,
                how: "closed its input or output".to_owned(),
            },
        };
        self.die(end)
    }

    /// Fails the call at hand.
    fn die(&mut self, end: End) -> End {
        let call = self.at_hand.take().and_then(|at_hand| at_hand.call);
        if let Some((_, reply)) = call {
            let _gone = reply.send(Err(CallError::Died {
                name: self.actor.clone(),
                how: end.how.clone(),
            }));
        }
        end
    }

    /// Ends it and all of its group: the end of its input asks it to leave, after half of `kill_after`
    /// SIGTERM, and at the end of that time SIGKILL; in a hurry at once.
    pub(super) async fn stop(mut self, shutdown: &Shutdown) {
        self.input = None;
        self.rest.clear();
        let half = self.kill_after / 2;
        let hurried = shutdown.hurried().clone();
        let over = tokio::select! {
            over = self.leave(half) => over,
            () = hurried.cancelled() => false,
        };
        if !over {
            self.group.kill();
            let _hung = timeout(UNKILLABLE, self.over()).await;
        }
        // What is in its pipes was written before it ended.
        let _rest = timeout(PATIENCE, self.drain()).await;
    }

    async fn leave(&mut self, half: Duration) -> bool {
        if timeout(half, self.over()).await.is_ok() {
            return true;
        }
        self.group.ask();
        timeout(half, self.over()).await.is_ok()
    }

    /// Waits until nothing of the group is left, and reads what it writes meanwhile.
    async fn over(&mut self) {
        // Looking is not cheap: once for the whole wait, not for each line.
        let mut over = pin!(self.group.over());
        loop {
            tokio::select! {
                () = &mut over => return,
                _ = self.output.next() => {}
                line = self.errors.next() => if let Line::Text { bytes, cut } = line {
                    self.log.error_line(&bytes, cut);
                },
            }
        }
    }

    async fn drain(&mut self) {
        while let Line::Text { bytes, cut } = self.errors.next().await {
            self.log.error_line(&bytes, cut);
        }
    }
}

/// What a worker is started with, but for what depends on the server.
pub(super) fn launch(spec: &WorkerSpec) -> Launch<'_> {
    Launch {
        argv: &spec.argv,
        env: &spec.env,
        cwd: &spec.cwd,
        limits: spec.limits,
    }
}

async fn until(when: Option<Instant>) {
    match when {
        Some(when) => sleep_until(when).await,
        None => std::future::pending().await,
    }
}

/// Writes some of it. Without a pipe it waits for ever: the worker is ending.
async fn write(pipe: &mut Option<pipe::Sender>, bytes: &[u8]) -> std::io::Result<usize> {
    match pipe {
        Some(pipe) => pipe.write(bytes).await,
        None => {
            sleep(UNKILLABLE).await;
            Err(std::io::ErrorKind::BrokenPipe.into())
        }
    }
}

//! Starting a command, serving its streams, and ending it: by itself, by timeout, by cancel.

use super::capture::Captured;
use super::command::Command;
use super::pipes::{Pipes, Taps};
use crate::process::{EXEC_FAILED, Exit, Group, ProcessError, REPORT_MAX, Starter, read_report};
use crate::shutdown::Shutdown;
use std::path::PathBuf;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep, timeout};

/// How long what outlives its leader may hold a pipe, or take to end by itself, before it is ended.
const PATIENCE: Duration = Duration::from_millis(250);

/// `kill_after` at most for what outlives its leader, and for everything once the grace is over.
const HURRY: Duration = Duration::from_millis(500);

/// How long an answer waits for a group to go after SIGKILL: what is inside the kernel can hang.
const UNKILLABLE: Duration = Duration::from_secs(1);

/// Why a command was ended before it ended itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// It ran for its whole `timeout`.
    Timeout,
    /// The server is stopping and the grace is over.
    Shutdown,
}

/// A command that ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// What it wrote to stdout, up to the ceiling, also when it was ended.
    pub stdout: Captured,
    /// What it wrote to stderr, likewise.
    pub stderr: Captured,
    /// How it ended; when `stopped` is set, by what it made of SIGTERM or by SIGKILL.
    pub exit: Exit,
    /// Set when it was ended.
    pub stopped: Option<Stop>,
}

/// Runs commands. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Runner {
    shutdown: Shutdown,
    grace: Duration,
    starter: Starter,
}

impl Runner {
    /// Commands still running `grace` after `shutdown` has begun are ended. `helper` is this
    /// program's own binary, from [`own_binary`](crate::process::own_binary): limited commands start by it.
    pub fn new(shutdown: Shutdown, grace: Duration, helper: PathBuf) -> Self {
        Self {
            shutdown,
            grace,
            starter: Starter::new(helper),
        }
    }

    /// Runs a command to its end. Must be called inside a tokio runtime with I/O and time.
    ///
    /// The child leads its own process group. At the timeout, at the end of the grace, and when the
    /// future is dropped, the group gets SIGTERM, after `kill_after` SIGKILL, and is reaped: in the
    /// first two cases before this returns. What a command leaves in its group when it exits has a
    /// quarter of a second to end before it goes the same way, with half a second between the
    /// signals; the answer waits for it no longer than that quarter, and only while it holds stdout
    /// or stderr. All of this is one task of [`Shutdown::tasks`], which ends when nothing is left.
    ///
    /// The child gets the three standard descriptors and no other of this program's own, and the
    /// default action of SIGPIPE, which Rust ignores: the standard library sees to both.
    ///
    /// # Errors
    /// When the command could not be started; see [`ProcessError`]. An exit code other than 0, a
    /// signal and a timeout are not errors.
    pub async fn run(&self, command: Command, taps: Taps) -> Result<Finished, ProcessError> {
        let life = self.start(&command, taps).await?;
        let (answer, finished) = oneshot::channel();
        self.shutdown
            .tasks()
            .spawn(life.live(command.timeout, answer));
        match finished.await {
            Ok(finished) => accept(finished, &command),
            Err(_) => Err(ProcessError::Abandoned(command.launch().program())),
        }
    }

    async fn start(&self, command: &Command, taps: Taps) -> Result<Life, ProcessError> {
        let launch = command.launch();
        let mut group = self.starter.start(launch, command.stdin.is_some()).await?;
        let limited = !command.limits.is_empty();
        let report = if limited { REPORT_MAX } else { 0 };
        let ceilings = [command.max_stdout, command.max_stderr.max(report)];
        let pipes = Pipes::of(group.child(), command.stdin.clone(), ceilings, taps)
            .map_err(|error| ProcessError::from_io(error, launch.program(), &command.cwd))?;
        Ok(Life {
            group,
            pipes,
            kill_after: command.kill_after,
            stopping: Stopping {
                shutdown: self.shutdown.clone(),
                grace: self.grace,
                began: None,
            },
        })
    }
}

/// Turns the helper's report into the error it stands for, and takes its extra room back.
fn accept(mut finished: Finished, command: &Command) -> Result<Finished, ProcessError> {
    if command.limits.is_empty() {
        return Ok(finished);
    }
    if finished.exit == Exit::Code(EXEC_FAILED.into())
        && finished.stdout.total == 0
        && let Some(error) = read_report(&finished.stderr.bytes)
    {
        return Err(ProcessError::from_limited(
            error,
            command.launch().program(),
            &command.cwd,
        ));
    }
    finished.stderr.limit(command.max_stderr);
    Ok(finished)
}

/// One command from its start until nothing is left of it.
struct Life {
    group: Group,
    pipes: Pipes,
    kill_after: Duration,
    stopping: Stopping,
}

enum Event {
    Exit,
    Stop(Stop),
    Cancel,
}

impl Life {
    async fn live(mut self, limit: Duration, mut answer: oneshot::Sender<Finished>) {
        let event = self.first_event(limit, &mut answer).await;
        match event {
            Event::Exit => self.settle().await,
            Event::Stop(_) | Event::Cancel => self.end().await,
        }
        let [stdout, stderr] = self.pipes.take();
        let finished = Finished {
            stdout,
            stderr,
            exit: self.group.exit(),
            stopped: match event {
                Event::Stop(stop) => Some(stop),
                Event::Exit | Event::Cancel => None,
            },
        };
        // Nobody is there to hear of it after a cancel.
        let _unheard = answer.send(finished);
        self.end_rest().await;
    }

    async fn first_event(
        &mut self,
        limit: Duration,
        answer: &mut oneshot::Sender<Finished>,
    ) -> Event {
        tokio::select! {
            biased;
            () = self.group.exited() => Event::Exit,
            () = answer.closed() => Event::Cancel,
            () = sleep(limit) => Event::Stop(Stop::Timeout),
            () = self.stopping.grace_over() => Event::Stop(Stop::Shutdown),
            never = self.pipes.serve() => match never {},
        }
    }

    /// After the leader's exit: reads what it wrote. Whoever still holds a pipe at the end of the
    /// patience is asked to end while the zombie keeps the group's number.
    async fn settle(&mut self) {
        if timeout(PATIENCE, self.pipes.drain()).await.is_err() {
            self.group.ask();
        }
        self.group.reap();
    }

    /// SIGTERM, `kill_after`, SIGKILL; the streams are served all the while. In a hurry SIGKILL
    /// follows at once.
    async fn end(&mut self) {
        self.group.ask();
        let over = tokio::select! {
            biased;
            () = self.group.over() => true,
            () = self.stopping.kill_due(self.kill_after) => false,
            never = self.pipes.serve() => match never {},
        };
        if !over {
            self.group.kill();
            tokio::select! {
                biased;
                () = self.group.over() => {}
                () = sleep(UNKILLABLE) => {}
                never = self.pipes.serve() => match never {},
            }
        }
        // Only a process that left the group can still hold a pipe.
        let _held = timeout(PATIENCE, self.pipes.drain()).await;
    }

    /// Ends what has outlived its leader. The last wait has no bound but the kernel's: a leader that
    /// even SIGKILL has not ended yet must be reaped one day.
    async fn end_rest(mut self) {
        if !self.group.is_gone() {
            if !self.group.is_asked() {
                let _late = timeout(PATIENCE, self.group.over()).await;
            }
            self.kill_after = self.kill_after.min(HURRY);
            self.end().await;
        }
        self.group.exited().await;
        self.group.reap();
    }
}

/// What the server's own stopping means for one command.
struct Stopping {
    shutdown: Shutdown,
    grace: Duration,
    began: Option<Instant>,
}

impl Stopping {
    /// Waits for the end of the grace, which a hurry is too. May be dropped and called again.
    async fn grace_over(&mut self) {
        let began = match self.began {
            Some(began) => began,
            None => {
                self.shutdown.token().cancelled().await;
                *self.began.insert(Instant::now())
            }
        };
        let left = self.grace.saturating_sub(began.elapsed());
        let hurried = self.shutdown.hurried();
        // An early end of the wait is the hurry.
        let _hurried = timeout(left, hurried.cancelled()).await;
    }

    /// Waits for the moment of SIGKILL: `after` from now, sooner when the grace is over, at once in
    /// a hurry.
    async fn kill_due(&mut self, after: Duration) {
        let hurried = self.shutdown.hurried().clone();
        let late = async {
            self.grace_over().await;
            sleep(HURRY).await;
        };
        tokio::select! {
            () = sleep(after) => {}
            () = late => {}
            () = hurried.cancelled() => {}
        }
    }
}

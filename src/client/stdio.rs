//! A server that is a child of this program: one message a line, in both directions.
//!
//! Four tasks belong to it: one writes what is sent, one reads and hands each answer to whoever
//! waits for it, one passes standard error on, and one waits for the end of the child. They end with
//! it; without [`Stdio::close`] they end with the runtime, which kills the child.

use super::error::{ClientError, Ending};
use super::options::{Aside, Program};
use super::waiting::{Heard, Waiting};
use crate::model::LimitsSpec;
use crate::process::{Exit, Group, Launch, ProcessError, Starter};
use crate::protocol::client::{
    ELICIT, Message, Notice, RpcError, Said, To, answer, cancelled, decode, refusal,
};
use bytes::Bytes;
use serde_json::{Value, json};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::unix::pipe;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// How many messages may wait to be written.
const OUTGOING: usize = 64;
/// How long the server has to end by itself, then after SIGTERM, then after SIGKILL.
const PATIENCE: [Duration; 3] = [
    Duration::from_secs(3),
    Duration::from_secs(2),
    Duration::from_secs(1),
];
/// How long its exit code is waited for once its output has ended.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// The connection.
pub(super) struct Stdio {
    shown: String,
    outgoing: mpsc::Sender<Bytes>,
    waiting: Arc<Waiting>,
    /// The revision has a handshake: what the server asks is answered.
    shook: Arc<AtomicBool>,
    exit: watch::Receiver<Option<Exit>>,
    stop: CancellationToken,
}

impl Stdio {
    /// Starts the program.
    pub(super) async fn start(
        program: Program,
        max_bytes: usize,
        said: Said,
    ) -> Result<Self, ClientError> {
        let launch = Launch {
            argv: &program.argv,
            env: &program.env,
            cwd: &program.cwd,
            limits: LimitsSpec::default(),
        };
        // Without limits no helper takes part in it.
        let mut group = Starter::new(PathBuf::new()).start(launch, true).await?;
        let child = group.child();
        let (stdin, stdout, stderr) =
            match (child.stdin.take(), child.stdout.take(), child.stderr.take()) {
                (Some(stdin), Some(stdout), Some(stderr)) => (stdin, stdout, stderr),
                _ => return Err(ProcessError::Abandoned(program.shown).into()),
            };
        let reader = |end: OwnedFd| pipe::Receiver::from_owned_fd(end).map_err(ClientError::Pipes);
        let stdin = pipe::Sender::from_owned_fd(stdin.into()).map_err(ClientError::Pipes)?;
        let (stdout, stderr) = (reader(stdout.into())?, reader(stderr.into())?);
        let (outgoing, messages) = mpsc::channel(OUTGOING);
        let (ended, exit) = watch::channel(None);
        let (stop, waiting) = (CancellationToken::new(), Arc::new(Waiting::default()));
        let shook = Arc::new(AtomicBool::new(false));
        tokio::spawn(write(stdin, messages, stop.clone()));
        let heard = Reader {
            at: program.shown.clone(),
            waiting: Arc::clone(&waiting),
            outgoing: outgoing.clone(),
            bound: max_bytes,
            asks: said.asks,
            shook: Arc::clone(&shook),
            aside: Arc::clone(&program.stderr),
        };
        tokio::spawn(heard.read(stdout));
        let passing = tokio::spawn(pass(stderr, program.stderr));
        let stopping = stop.clone();
        tokio::spawn(async move {
            let exit = live(group, &stopping).await;
            // What it wrote last is shown before its end is told of.
            let _late = timeout(LAST_WORDS, passing).await;
            ended.send_replace(Some(exit));
        });
        Ok(Self {
            shown: program.shown,
            outgoing,
            waiting,
            shook,
            exit,
            stop,
        })
    }

    /// Sends a request and waits for its answer. Dropped before, it cancels the request if that is
    /// `cancellable`.
    pub(super) async fn ask(
        &self,
        id: u64,
        message: Bytes,
        cancellable: bool,
        on: &mut (dyn FnMut(Notice) + Send),
    ) -> Result<Result<Value, RpcError>, ClientError> {
        let mut asked = Asked {
            link: self,
            id,
            cancellable,
            heard: self.waiting.enter(id),
        };
        if self.outgoing.send(message).await.is_err() {
            return Err(self.ended().await);
        }
        loop {
            match asked.heard.recv().await {
                Some(Heard::Notice(notice)) => on(notice),
                Some(Heard::Answer(outcome)) => {
                    asked.cancellable = false;
                    return Ok(outcome);
                }
                Some(Heard::Wrong(error)) => return Err(error),
                None => return Err(self.ended().await),
            }
        }
    }

    /// Sends `initialize` and waits for its answer.
    pub(super) async fn shake_hands(
        &self,
        id: u64,
        message: Bytes,
    ) -> Result<Result<Value, RpcError>, ClientError> {
        self.shook.store(true, Ordering::Relaxed);
        self.ask(id, message, false, &mut |_| {}).await
    }

    /// Keeps what the server tells to nobody in particular from now on, for [`Stdio::hear`].
    pub(super) fn listen(&self, id: u64) -> mpsc::Receiver<Heard> {
        self.waiting.enter(id)
    }

    /// Hears what is kept, until the server ends.
    pub(super) async fn hear(
        &self,
        mut heard: mpsc::Receiver<Heard>,
        on: &mut (dyn FnMut(Notice) + Send),
    ) -> Result<(), ClientError> {
        while let Some(heard) = heard.recv().await {
            match heard {
                Heard::Notice(notice) => on(notice),
                Heard::Answer(_) => {}
                Heard::Wrong(error) => return Err(error),
            }
        }
        Err(self.ended().await)
    }

    /// Sends a notification.
    pub(super) async fn tell(&self, message: Bytes) -> Result<(), ClientError> {
        match self.outgoing.send(message).await {
            Ok(()) => Ok(()),
            Err(_) => Err(self.ended().await),
        }
    }

    /// What the server is called in messages.
    pub(super) fn shown(&self) -> &str {
        &self.shown
    }

    /// Ends the server's input and waits for its end, then makes it end.
    pub(super) async fn close(&self) {
        self.stop.cancel();
        let mut exit = self.exit.clone();
        let bound = PATIENCE.iter().sum::<Duration>() + LAST_WORDS;
        let _ended = timeout(bound, exit.wait_for(Option::is_some)).await;
    }

    async fn ended(&self) -> ClientError {
        let mut exit = self.exit.clone();
        let how = match timeout(LAST_WORDS * 2, exit.wait_for(Option::is_some)).await {
            Ok(Ok(exit)) => exit.map_or(Ending::Closed, Ending::Exit),
            _ => Ending::Closed,
        };
        ClientError::Ended {
            program: self.shown.clone(),
            how,
        }
    }
}

/// A request that is waited for.
struct Asked<'l> {
    link: &'l Stdio,
    id: u64,
    cancellable: bool,
    heard: mpsc::Receiver<Heard>,
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        self.link.waiting.leave(self.id);
        if self.cancellable {
            // A server that reads nothing is not told either.
            let _full = self.link.outgoing.try_send(cancelled(self.id));
        }
    }
}

/// Writes each message as a line until nobody has one any more, or nobody reads. What was said before
/// the end is still written: a cancellation, say. A server that does not read is ended, and so is this.
async fn write(
    mut stdin: pipe::Sender,
    mut messages: mpsc::Receiver<Bytes>,
    stop: CancellationToken,
) {
    loop {
        let message = tokio::select! {
            biased;
            message = messages.recv() => message,
            () = stop.cancelled() => None,
        };
        let Some(message) = message else {
            return;
        };
        let line = [&message[..], b"\n"].concat();
        if stdin.write_all(&line).await.is_err() {
            return;
        }
    }
}

/// Passes standard error on.
async fn pass(mut stderr: pipe::Receiver, to: Aside) {
    let mut part = vec![0; 16 * 1024];
    while let Ok(read @ 1..) = stderr.read(&mut part).await {
        to(part.get(..read).unwrap_or_default());
    }
}

/// Waits for the end of the child; once it is to stop, sees to it.
async fn live(mut group: Group, stop: &CancellationToken) -> Exit {
    tokio::select! {
        () = group.exited() => {}
        () = stop.cancelled() => end(&mut group).await,
    }
    group.reap();
    let exit = group.exit();
    // Whatever it left behind in its group goes with it.
    if !group.is_gone() {
        group.ask();
        let [_, asked, killed] = PATIENCE;
        if timeout(asked, group.over()).await.is_err() {
            group.kill();
            let _hangs = timeout(killed, group.over()).await;
        }
    }
    exit
}

async fn end(group: &mut Group) {
    let [itself, asked, killed] = PATIENCE;
    if timeout(itself, group.exited()).await.is_ok() {
        return;
    }
    group.ask();
    if timeout(asked, group.exited()).await.is_ok() {
        return;
    }
    group.kill();
    let _hangs = timeout(killed, group.exited()).await;
}

/// Reads lines and hands each message to whom it is for.
struct Reader {
    at: String,
    waiting: Arc<Waiting>,
    outgoing: mpsc::Sender<Bytes>,
    bound: usize,
    /// Questions are passed on.
    asks: bool,
    shook: Arc<AtomicBool>,
    /// Where standard error goes.
    aside: Aside,
}

impl Reader {
    async fn read(self, stdout: pipe::Receiver) {
        let mut stdout = BufReader::new(stdout);
        let mut line = Vec::new();
        loop {
            line.clear();
            let limit = u64::try_from(self.bound)
                .unwrap_or(u64::MAX)
                .saturating_add(1);
            let mut limited = (&mut stdout).take(limit);
            match limited.read_until(b'\n', &mut line).await {
                Ok(0) | Err(_) => break,
                Ok(_) if line.len() > self.bound => {
                    let (at, bound) = (self.at.clone(), self.bound);
                    self.waiting.fail(|| ClientError::TooLarge {
                        at: at.clone(),
                        bound,
                    });
                    break;
                }
                Ok(_) => self.message(line.trim_ascii()),
            }
        }
        self.waiting.end();
    }

    fn message(&self, line: &[u8]) {
        if line.is_empty() {
            return;
        }
        match decode(line) {
            Ok(Message::Answer { to, outcome }) => match to {
                To::Request(id) => self.waiting.answer(Some(id), outcome),
                To::Unsaid => self.waiting.answer(None, outcome),
                To::Nothing => self.passed_over("it answers nothing that was asked", line),
            },
            Ok(Message::Notice(owner, notice)) => self.waiting.notice(owner, &notice),
            // Not allowed without a handshake, and neither is an answer to it.
            Ok(Message::Request { .. }) if !self.shook.load(Ordering::Relaxed) => {}
            Ok(Message::Request { id, method, params }) => {
                let reply = match method.as_str() {
                    "ping" => answer(&id, json!({})),
                    ELICIT if self.asks => {
                        let asked = Notice::Asked { id, method, params };
                        return self.waiting.notice(None, &asked);
                    }
                    _ => refusal(&id),
                };
                // A server that asks faster than it reads goes without an answer.
                let _full = self.outgoing.try_send(reply);
            }
            // Many a server greets on its standard output. That answers nothing.
            Err(why) => self.passed_over(&why, line),
        }
    }

    fn passed_over(&self, why: &str, line: &[u8]) {
        let shown: String = String::from_utf8_lossy(line).chars().take(200).collect();
        let shown = shown.escape_debug();
        let said = format!("passed over a line that is no message ({why}): {shown}\n");
        (self.aside)(said.as_bytes());
    }
}

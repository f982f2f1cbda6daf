//! Logging: what is written, where to, and that writing it never holds anybody up.
//!
//! Log lines go to stderr and, when wanted, to files; never to stdout, which belongs to the
//! protocol. They pass through bounded queues: when stderr is not read, lines are dropped and
//! counted, and no request waits. Spans of requests wait in a queue of their own.

mod escape;
mod filter;
mod format;
mod journal;
mod lines;
mod metrics;
mod panic;
mod queue;
mod request;
mod rolling;
mod stderr;
mod traces;

pub use filter::{LogFilter, LogFilterError};
pub use journal::is_journal;
pub use lines::{Dropped, Lines};
pub use metrics::{Histogram, Metrics, Outcome, Present, Text};
pub use request::RequestId;
pub use traces::{Begun, Ended, Finished, Span, SpanCounts, Traces};

use queue::{Queue, QueueWriter};
use rolling::RollingFile;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use stderr::Stderr;
use tracing::Subscriber;
use tracing_appender::rolling::InitError;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::{Layer, Registry, fmt};

/// How long the end of the process waits, at the most, for lines that are still queued.
const FLUSH_WITHIN: Duration = Duration::from_secs(1);

/// What is logged, how and where.
#[derive(Clone, Debug, PartialEq)]
pub struct LogSettings {
    /// Which events are logged.
    pub level: LogFilter,
    /// How an event is written, to stderr and to files alike.
    pub format: LogFormat,
    /// Log files beside stderr.
    pub file: Option<FileLog>,
    /// Who called what.
    pub audit: Option<AuditLog>,
    /// Whether text on stderr has ANSI colours. Never in files or in the journal.
    pub color: bool,
    /// Whether stderr is systemd's journal ([`is_journal`]): text then begins with the priority
    /// that sd-daemon(3) describes, and has neither time nor colours, which the journal adds.
    pub journal: bool,
}

impl Default for LogSettings {
    /// Text of level `info` and above to stderr, without colours.
    fn default() -> Self {
        Self {
            level: LogFilter::default(),
            format: LogFormat::Text,
            file: None,
            audit: None,
            color: false,
            journal: false,
        }
    }
}

/// How an event is written: one line in either case, with control characters escaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// `TIME LEVEL span{field=value}: target: message field=value`, time in UTC.
    Text,
    /// An object: `timestamp` (UTC, RFC 3339), `level`, `target`, `fields` (with `message`) and
    /// `spans`, a list of objects of `name` and `fields`, the outermost first.
    Json,
}

/// Log files: `snodo.DATE.log` in a folder that is made when it is missing, open to owner and group
/// only (0750). The files themselves have what the process's umask leaves of 0666, as
/// `tracing-appender` opens them: in a folder that others may enter, set the umask to 0027.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileLog {
    /// The folder.
    pub dir: PathBuf,
    /// When a new file is begun.
    pub rotate: Rotate,
    /// Files that are kept at the most, the current one included; less than 2 is taken as 2. The
    /// oldest by creation are removed at the start, one more than need be when the current file is
    /// there already, and when a new file is begun.
    /// Without meaning for [`Rotate::Never`].
    ///
    /// Whatever else begins with `snodo` and ends with `log` would be removed too: at the start
    /// it is an error, later nothing protects it. Other files in the folder are not touched.
    pub keep: usize,
}

/// The audit log: a line for each call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditLog {
    /// Files `audit.DATE.log`, as [`FileLog`] has them; without, lines are events of the log.
    pub file: Option<FileLog>,
    /// Whether arguments are written down.
    pub arguments: bool,
}

/// When a new log file is begun, in UTC. When it cannot be, `tracing-appender` says so on stderr
/// in words of its own, and lines go on into the old file until it is time for the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rotate {
    /// `snodo.2026-11-03.log`
    Daily,
    /// `snodo.2026-11-03-14.log`
    Hourly,
    /// `snodo.log`, kept open: logrotate must copy and cut it (`copytruncate`), not rename it.
    Never,
}

/// Why logging cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// [`init`] was called before in this process, or another library has set up `tracing`.
    #[error("logging is already set up in this process")]
    AlreadySet,
    /// The folder for log files is not there and cannot be made, is none, or cannot be listed.
    #[error("cannot use the log directory `{}`: {source}", dir.display())]
    Directory {
        /// The folder.
        dir: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A log file cannot be opened for writing.
    #[error("cannot write log files in the directory `{}`: {source}", dir.display())]
    File {
        /// The folder.
        dir: PathBuf,
        /// Why not.
        source: InitError,
    },
    /// A file is no log file but looks like one to what removes them ([`FileLog::keep`]).
    #[error("`{}` would be removed with old log files: move it out of the log directory", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// A link, a FIFO or the like has a log file's name: lines would go where it leads.
    #[error("`{}` is not a regular file: remove it", path.display())]
    NotAFile {
        /// The entry of the folder.
        path: PathBuf,
    },
    /// The thread that writes lines cannot be started.
    #[error("cannot start the log writer: {0}")]
    Thread(#[source] io::Error),
}

/// Keeps logging alive. Dropping it writes the lines still queued, within one second in all: what
/// a blocked stderr does not take by then is given up.
#[derive(Debug)]
#[must_use = "dropping the guard ends logging"]
pub struct LogGuard {
    queues: Vec<Queue>,
    audit: Option<Lines>,
}

impl LogGuard {
    /// Lines lost so far, also by whoever asks later.
    pub fn dropped(&self) -> Dropped {
        Dropped::of(self.queues.iter().map(Queue::writer).collect())
    }

    /// Where lines of the audit log go, when it has files.
    pub fn audit(&self) -> Option<Lines> {
        self.audit.clone()
    }
}

impl Drop for LogGuard {
    fn drop(&mut self) {
        let deadline = Instant::now() + FLUSH_WITHIN;
        // All begin to end before any is waited for: they share the time.
        for queue in &self.queues {
            queue.close();
        }
        for queue in &mut self.queues {
            queue.wait(deadline);
        }
    }
}

/// Sets up logging for the whole process, panics included, and hands out what ends it.
///
/// A panic is then an event of level error (target `snodo::panic`) that says the message and the
/// place; what a panic does to its thread does not change.
///
/// # Errors
/// [`LogError`]; the second call always fails. Nothing is set up then.
pub fn init(settings: &LogSettings) -> Result<LogGuard, LogError> {
    let stderr = Queue::start("stderr", Stderr::new()).map_err(LogError::Thread)?;
    let mut outlets = vec![outlet(
        settings,
        stderr.writer(),
        !settings.journal,
        settings.color,
    )];
    let mut queues = vec![stderr];
    if let Some(file) = &settings.file {
        let file = RollingFile::open(file, rolling::LOG)?;
        let queue = Queue::start("log file", file).map_err(LogError::Thread)?;
        outlets.push(outlet(settings, queue.writer(), true, false));
        queues.push(queue);
    }
    let mut audit = None;
    if let Some(file) = settings
        .audit
        .as_ref()
        .and_then(|audit| audit.file.as_ref())
    {
        let file = RollingFile::open(file, rolling::AUDIT)?;
        let queue = Queue::start("audit log", file).map_err(LogError::Thread)?;
        audit = Some(Lines::new(queue.writer()));
        queues.push(queue);
    }
    tracing::subscriber::set_global_default(subscriber(settings, outlets))
        .map_err(|_| LogError::AlreadySet)?;
    panic::install();
    Ok(LogGuard { queues, audit })
}

type Outlet = Box<dyn Layer<Registry> + Send + Sync>;

fn subscriber(settings: &LogSettings, outlets: Vec<Outlet>) -> impl Subscriber + Send + Sync {
    Registry::default()
        .with(outlets)
        .with(settings.level.targets())
}

fn outlet<W>(settings: &LogSettings, writer: W, timed: bool, color: bool) -> Outlet
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let layer = fmt::layer()
        .with_writer(writer)
        .with_ansi(false)
        .log_internal_errors(false);
    match settings.format {
        LogFormat::Text => layer
            .fmt_fields(format::TextFields)
            .event_format(format::Text {
                timed,
                color: color && timed,
            })
            .boxed(),
        LogFormat::Json => layer
            .fmt_fields(fmt::format::JsonFields::new())
            .event_format(format::Json)
            .boxed(),
    }
}

impl<'w> MakeWriter<'w> for QueueWriter {
    type Writer = &'w QueueWriter;

    fn make_writer(&'w self) -> Self::Writer {
        self
    }
}

#[cfg(test)]
mod tests;

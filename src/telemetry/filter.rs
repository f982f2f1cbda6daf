//! Which events are logged: `info`, `warn,snodo::reload=debug`.

use std::fmt;
use std::str::FromStr;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;

/// The most bytes of a filter, and the most parts of it.
const MAX_BYTES: usize = 4096;

/// The libraries that talk to upstreams. Below `info` they log the hosts that are asked, which may be
/// secrets, so that they do so only when they are named.
const NETWORK: [&str; 3] = ["h2", "hyper_util", "rustls"];

/// A level for everything, and levels for targets (modules) that differ from it.
///
/// Written as parts between commas: at most one level (`off`, `error`, `warn`, `info`, `debug`,
/// `trace`, in any case), which is `info` when left out, and any number of `TARGET=LEVEL`. The
/// longest target that an event's target begins with decides. Panics are logged in any case, and the
/// libraries that talk to upstreams below `info` only when they are named (`hyper_util=trace`).
#[derive(Clone, Debug, PartialEq)]
pub struct LogFilter {
    default: LevelFilter,
    targets: Vec<(String, LevelFilter)>,
}

/// Why a text is no [`LogFilter`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LogFilterError {
    /// A word that should be a level is none.
    #[error("`{0}` is not a log level: use one of off, error, warn, info, debug, trace")]
    Level(String),
    /// What stands before `=` is not a module's path.
    #[error("`{0}` is not a log target: use a module's path such as `snodo::reload`")]
    Target(String),
    /// Two levels for everything, or for one target.
    #[error("`{0}` sets a log level that was set before")]
    Twice(String),
    /// More than 4,096 bytes.
    #[error("the log level is longer than 4096 bytes")]
    TooLong,
}

impl Default for LogFilter {
    /// Level `info` for everything.
    fn default() -> Self {
        Self {
            default: LevelFilter::INFO,
            targets: Vec::new(),
        }
    }
}

impl LogFilter {
    pub(super) fn targets(&self) -> Targets {
        let network = self.default.min(LevelFilter::INFO);
        Targets::new()
            .with_default(self.default)
            .with_targets(NETWORK.map(|target| (target, network)))
            .with_target(super::panic::TARGET, LevelFilter::ERROR)
            .with_targets(self.targets.iter().cloned())
    }
}

impl FromStr for LogFilter {
    type Err = LogFilterError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.len() > MAX_BYTES {
            return Err(LogFilterError::TooLong);
        }
        let mut default = None;
        let mut targets: Vec<(String, LevelFilter)> = Vec::new();
        for part in text.split(',').map(str::trim) {
            if let Some((target, word)) = part.split_once('=') {
                let (target, level) = (target.trim(), level(word.trim())?);
                if !is_target(target) {
                    return Err(LogFilterError::Target(target.to_owned()));
                }
                if targets.iter().any(|(name, _)| name == target) {
                    return Err(LogFilterError::Twice(part.to_owned()));
                }
                targets.push((target.to_owned(), level));
            } else if default.replace(level(part)?).is_some() {
                return Err(LogFilterError::Twice(part.to_owned()));
            }
        }
        Ok(Self {
            default: default.unwrap_or(LevelFilter::INFO),
            targets,
        })
    }
}

/// As [`FromStr`] reads it.
impl fmt::Display for LogFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.default)?;
        for (target, level) in &self.targets {
            write!(f, ",{target}={level}")?;
        }
        Ok(())
    }
}

/// The levels by name only: `tracing` also reads numbers.
fn level(word: &str) -> Result<LevelFilter, LogFilterError> {
    Ok(match word.to_ascii_lowercase().as_str() {
        "off" => LevelFilter::OFF,
        "error" => LevelFilter::ERROR,
        "warn" | "warning" => LevelFilter::WARN,
        "info" => LevelFilter::INFO,
        "debug" => LevelFilter::DEBUG,
        "trace" => LevelFilter::TRACE,
        _ => return Err(LogFilterError::Level(word.to_owned())),
    })
}

fn is_target(target: &str) -> bool {
    let plain = |ch: char| ch.is_ascii_alphanumeric() || ch == '_';
    target
        .split("::")
        .all(|part| !part.is_empty() && part.chars().all(plain))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tracing::Level;

    fn enabled(filter: &str, target: &str, level: Level) -> bool {
        let filter: LogFilter = filter.parse().unwrap();
        filter.targets().would_enable(target, &level)
    }

    #[test]
    fn libraries_that_name_hosts_do_so_only_when_they_are_named() {
        assert!(!enabled("trace", "hyper_util::client", Level::DEBUG));
        assert!(enabled("trace", "hyper_util::client", Level::INFO));
        assert!(!enabled("error", "rustls", Level::WARN));
        assert!(enabled("info,h2=trace", "h2::codec", Level::TRACE));
    }

    #[test]
    fn one_level_for_everything() {
        assert!(enabled("warn", "snodo", Level::WARN));
        assert!(!enabled("warn", "hyper", Level::INFO));
        assert!(enabled(" TRACE ", "hyper", Level::TRACE));
        assert!(!enabled("off", "snodo", Level::ERROR));
    }

    #[test]
    fn the_longest_target_decides() {
        let filter = "warn, snodo=info,snodo::reload = debug";
        assert!(enabled(filter, "snodo::reload::watch", Level::DEBUG));
        assert!(!enabled(filter, "snodo::server", Level::DEBUG));
        assert!(enabled(filter, "snodo::server", Level::INFO));
        assert!(!enabled(filter, "h2", Level::INFO));
    }

    #[test]
    fn info_when_only_targets_are_named() {
        assert!(enabled("snodo::reload=debug", "snodo", Level::INFO));
        assert!(!enabled("snodo::reload=debug", "snodo", Level::DEBUG));
    }

    #[test]
    fn panics_are_always_logged() {
        for filter in ["off", "snodo=off", "off,h2=trace"] {
            assert!(enabled(filter, "snodo::panic", Level::ERROR), "{filter}");
        }
    }

    #[test]
    fn mistakes_are_said() {
        let error = |text: &str| text.parse::<LogFilter>().unwrap_err().to_string();
        let levels = "use one of off, error, warn, info, debug, trace";
        assert_eq!(
            error("inof"),
            format!("`inof` is not a log level: {levels}")
        );
        assert_eq!(error(""), format!("`` is not a log level: {levels}"));
        assert_eq!(error("info,"), format!("`` is not a log level: {levels}"));
        assert_eq!(error("3"), format!("`3` is not a log level: {levels}"));
        assert_eq!(
            error("snodo=loud"),
            format!("`loud` is not a log level: {levels}")
        );
        assert_eq!(
            error("a:b=info"),
            "`a:b` is not a log target: use a module's path such as `snodo::reload`"
        );
        assert_eq!(
            error("info,debug"),
            "`debug` sets a log level that was set before"
        );
        assert_eq!(
            error("a=info,a=warn"),
            "`a=warn` sets a log level that was set before"
        );
        assert_eq!(
            error(&"x".repeat(5000)),
            "the log level is longer than 4096 bytes"
        );
    }

    #[test]
    fn printed_as_read() {
        let filter: LogFilter = "Warn, snodo::reload=debug".parse().unwrap();
        assert_eq!(filter.to_string(), "warn,snodo::reload=debug");
        assert_eq!(LogFilter::default().to_string(), "info");
    }
}

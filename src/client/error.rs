//! Why a server could not be asked: where, what, and what to do about it.

use crate::process::{Exit, ProcessError};
use crate::protocol::client::{RpcError, Version};
use crate::units::{Size, Time};
use http::StatusCode;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The program of a server cannot be started.
    #[error("cannot start the server: {0}")]
    Start(#[from] ProcessError),
    /// Its pipes cannot be used.
    #[error("cannot use the pipes of the server: {0}")]
    Pipes(#[source] std::io::Error),
    /// The program ended, or closed its output, with a request unanswered.
    #[error("the server `{program}` ended before it answered{how}")]
    Ended {
        /// What was started.
        program: String,
        /// How it ended.
        how: Ending,
    },
    /// Nobody is reached there.
    #[error("cannot reach {at}: {why}")]
    Unreachable {
        /// The address.
        at: String,
        /// Why.
        why: String,
    },
    /// A socket cannot be connected to.
    #[error("cannot reach the socket `{at}`: {error}")]
    Socket {
        /// Its path.
        at: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// The exchange broke off.
    #[error("{at}: {why}")]
    Broken {
        /// The address.
        at: String,
        /// How.
        why: String,
    },
    /// An HTTP answer that carries no message.
    #[error("{at} answered with status {status}{}", text_after(.text))]
    Status {
        /// The address.
        at: String,
        /// The status.
        status: StatusCode,
        /// The beginning of a readable body, on one line.
        text: String,
    },
    /// What came is no message of the protocol.
    #[error("{at} sent something that is no message: {why}")]
    NotAMessage {
        /// Who.
        at: String,
        /// What is wrong with it.
        why: String,
    },
    /// What came is no answer to what was asked.
    #[error("the answer to `{method}` {why}")]
    Answer {
        /// What was asked.
        method: &'static str,
        /// What is wrong with the answer.
        why: String,
    },
    /// A message is over the bound.
    #[error("{at} sent a message larger than {}", Size(*.bound))]
    TooLarge {
        /// Who.
        at: String,
        /// The bound, in bytes.
        bound: usize,
    },
    /// No answer in time.
    #[error("no answer to `{method}` within {}", Time(*.after))]
    TimedOut {
        /// What was asked.
        method: &'static str,
        /// The bound.
        after: Duration,
    },
    /// The server answered with an error.
    #[error("the server refused `{method}`: {} ({})", .error.message, .error.code)]
    Refused {
        /// What was asked.
        method: &'static str,
        /// Its words.
        error: RpcError,
    },
    /// There is no revision in common.
    #[error("{at} speaks protocol {theirs}, and this program does not")]
    Version {
        /// Who.
        at: String,
        /// What it speaks.
        theirs: String,
    },
    /// A certificate that was given cannot be used.
    #[error("{0}")]
    Certificate(#[from] crate::action::http::ClientError),
    /// The address cannot be used.
    #[error("`{0}` is no address that can be used")]
    Address(String),
}

/// How a server's program ended, for a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It runs, but its output is closed.
    Closed,
    /// It ended like this.
    Exit(Exit),
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exit(Exit::Code(code)) => write!(f, ": exit code {code}"),
            Self::Exit(Exit::Signal(signal)) => write!(f, ": signal {signal}"),
            Self::Closed | Self::Exit(Exit::Unknown) => Ok(()),
        }
    }
}

fn text_after(text: &str) -> String {
    if text.is_empty() {
        String::new()
    } else {
        format!(": {text}")
    }
}

impl ClientError {
    /// What can be done about it.
    pub fn help(&self) -> Option<String> {
        Some(match self {
            Self::Unreachable { .. } => "is the server running, and is this its address?".into(),
            Self::Socket { .. } => {
                "is the server running, with this socket among its `http.listen`?".into()
            }
            Self::Status { status, .. } => match status.as_u16() {
                401 | 403 => {
                    "--token-env NAME sends the access token that the variable NAME holds, and --header \
                     any other credentials"
                        .into()
                }
                404 | 405 => "name the whole address, which often ends in /mcp".into(),
                300..=399 => "name the address that it redirects to".into(),
                _ => return None,
            },
            Self::Ended {
                how: Ending::Exit(Exit::Code(127)),
                ..
            } => "127 is what a shell says of a command that it does not find".into(),
            Self::Ended { .. } => "what it wrote to standard error stands above".into(),
            Self::NotAMessage { at, .. } if at.starts_with("http") => {
                "is this the address of the server's endpoint? It often ends in /mcp".into()
            }
            Self::NotAMessage { .. } => {
                "a server on standard streams writes nothing but messages to standard output".into()
            }
            Self::TimedOut { .. } => "--timeout SECONDS gives it longer".into(),
            Self::Version { .. } => {
                let known = Version::ALL.map(Version::name);
                format!("known here are {}", known.join(", "))
            }
            _ => return None,
        })
    }
}

//! Running a command.

mod action;
mod capture;
mod command;
mod error;
mod group;
mod limits;
mod members;
mod output;
mod pipes;
mod process;
mod watch;

// They look into /proc.
#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests;

pub use action::ShellAction;
pub use capture::{Captured, Tap, text};
pub use command::Command;
pub use error::ProcessError;
pub use group::Exit;
pub use limits::{EXEC_FAILED, SUBCOMMAND, own_binary, report};
pub use output::ShellOutput;
pub use pipes::Taps;
pub use process::{Finished, Runner, Stop};

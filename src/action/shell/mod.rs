//! Running a command.

mod action;
mod capture;
mod command;
mod lines;
mod output;
mod pipes;
mod process;
mod told;

// They look into /proc.
#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests;

pub use action::ShellAction;
pub use capture::{Captured, Tap, text};
pub use command::Command;
pub use output::ShellOutput;
pub use pipes::Taps;
pub use process::{Finished, Runner, Stop};

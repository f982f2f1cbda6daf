//! Children of this program: what they are started with, the group that each leads, and the limits
//! they run under. What is said to a child and read from it is its starter's business.

mod error;
mod group;
mod launch;
mod limits;
mod members;
mod orphans;
mod starter;
mod watch;

pub use error::ProcessError;
pub use group::{Exit, Group, running, started};
pub use launch::Launch;
pub use limits::{EXEC_FAILED, REPORT_MAX, SUBCOMMAND, own_binary, read_report, report};
pub use orphans::reap_orphans;
pub use starter::Starter;

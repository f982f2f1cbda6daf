//! What the tests share: a folder of manifests, the real program, and a client of each transport
//! that shows bytes as they are.

mod both;
mod fifo;
mod http;
mod process;
mod project;
mod rpc;
mod stdio;
mod two;

pub use both::Both;
pub use fifo::{Fifo, gone};
pub use http::{Connection, Daemon, Events, Reply};
pub use process::{DEADLINE, handles, kill, skipped, within};
pub use project::{Checked, Project};
pub use rpc::{call, discover, list, list_after, modern, text_of, wanting};
pub use stdio::Stdio;

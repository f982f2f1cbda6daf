//! The stdio transport: one message a line, in on standard input, out on standard output
//! (specification, basic/transports, stdio).
//!
//! One task reads and hands each message to the session; work runs beside it, a task each; one
//! task writes. So reading never waits for work, and a line is never torn. What bounds them is
//! said in `outbox.rs`.

mod input;
mod lines;
mod options;
mod outbox;
mod output;
mod serve;
#[cfg(test)]
mod tests;
mod writer;

pub use options::{Ended, StdioOptions};
pub use serve::{serve, serve_standard_streams};

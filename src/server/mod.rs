//! Dispatch: one message in, its answers out. The wire's rules are `protocol`'s and the meaning is
//! the runtime's; here stands what a request needs while it runs: one snapshot of the runtime, a
//! bound on its time, a wall around its panics, and in a stream its place among those in flight.

mod admission;
mod asking;
mod audit;
mod calls;
mod care;
mod carry_out;
mod endpoint;
mod execute;
mod in_flight;
mod listen;
mod noted;
mod outliving;
mod report;
mod serve;
mod session;
mod sessions;
mod spans;
mod told;

#[cfg(test)]
mod tests;

pub use audit::Audit;
pub use care::Watch;
pub use endpoint::{Endpoint, Part, Parts, Received, Reply, Session, Work};
pub use execute::{Execute, Snapshots};
pub use report::{Report, Reporter};
pub use serve::{Limits, Server};
pub use session::StreamSession;
pub use spans::Spans;

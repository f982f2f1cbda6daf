//! The dialects of the revisions with a handshake, 2025-11-25 and 2025-06-18: `initialize` settles
//! the revision and what both sides can do, and what follows relies on it. Over standard streams the
//! stream itself remembers it; over HTTP the client carries it, sealed, in `Mcp-Session-Id`.

mod change;
mod initialize;
mod outcome;
mod pages;
mod read;
mod session;

pub(super) use change::change;
pub(super) use initialize::{initialize, initialize_response};
pub(super) use outcome::{
    completion_response, done, prompt_response, resource_response, tool_response,
};
pub(super) use pages::{prompts_page, resources_page, templates_page, tools_page};
pub(super) use read::{What, read};
pub use session::SessionKey;
pub(super) use session::{Agreed, PURPOSE, Session};

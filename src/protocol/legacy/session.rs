//! What a handshake has settled, and how it is carried in `Mcp-Session-Id` (specification of
//! 2025-11-25: transports §Session Management).
//!
//! The id is the settlement itself under a seal, so nothing is kept for it and any server with the
//! same secret understands it. It is never required. What it holds, in this order:
//!
//! | bytes | what |
//! |---|---|
//! | 1 | the form: 1 |
//! | 1 | the revision, by its place |
//! | 1 | what the server declared |
//! | 1 | what the client can do |
//! | 8 | when it ends: seconds since 1970 |
//! | 16 | random: what tells sessions from one another |
//! | the rest | the client's name, 0, its version; each cut at 64 bytes |

use crate::ops::{ClientInfo, LogLevel};
use crate::protocol::seal::Sealer;
use crate::protocol::version::{Legacy, Protocols};
use std::sync::Arc;

/// What sessions are sealed for.
pub(in crate::protocol) const PURPOSE: &str = "snodo session 1";

const FORM: u8 = 1;
/// Bytes before the client's name.
const HEAD: usize = 28;
/// Most bytes of a client's name, and of its version.
const NAME: usize = 64;
/// How long a session lasts: 30 days. Few clients begin another by themselves.
pub(in crate::protocol) const LASTS: u64 = 30 * 24 * 60 * 60;

/// What tells one session from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SessionKey(pub(in crate::protocol) [u8; 16]);

/// What a handshake has settled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::protocol) struct Agreed {
    pub(in crate::protocol) revision: Legacy,
    pub(in crate::protocol) declared: Declared,
    pub(in crate::protocol) capabilities: ClientCapabilities,
    /// Who the client says it is.
    pub(in crate::protocol) client: Option<ClientInfo>,
}

/// Which notifications the server has declared: it sends no others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::protocol) struct Declared {
    pub(in crate::protocol) tools: bool,
    pub(in crate::protocol) prompts: bool,
    pub(in crate::protocol) resources: bool,
    pub(in crate::protocol) subscribe: bool,
}

/// What a client says it can do for a server that asks it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClientCapabilities {
    /// Put a form before the user.
    pub elicitation_form: bool,
    /// Send the user to a URL.
    pub elicitation_url: bool,
    /// Ask its model.
    pub sampling: bool,
    /// Ask its model, with tools.
    pub sampling_tools: bool,
    /// Ask its model, with context.
    pub sampling_context: bool,
    /// Say where it works.
    pub roots: bool,
}

/// A session that a request belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// What tells it from others.
    pub key: SessionKey,
    pub(in crate::protocol) agreed: Agreed,
    until: u64,
}

/// What a request says of its session.
#[derive(Clone, Debug)]
pub enum Presented {
    /// Nothing: it has no `Mcp-Session-Id`.
    Nothing,
    /// It is of this session, and log messages are wanted from this level on.
    Session(Arc<Session>, Option<LogLevel>),
    /// A session that is over, or never was.
    Gone,
}

impl Presented {
    /// The session's key.
    pub fn key(&self) -> Option<SessionKey> {
        match self {
            Self::Session(session, _) => Some(session.key),
            Self::Nothing | Self::Gone => None,
        }
    }
}

impl Agreed {
    /// What is taken for granted of a client that made no handshake here: nothing but the revision.
    pub(in crate::protocol) fn assumed(revision: Legacy) -> Self {
        Self {
            revision,
            declared: Declared::default(),
            capabilities: ClientCapabilities::default(),
            client: None,
        }
    }
}

impl Session {
    /// A session that begins at `now`, in seconds since 1970.
    pub(in crate::protocol) fn new(agreed: Agreed, key: [u8; 16], now: u64) -> Self {
        Self {
            key: SessionKey(key),
            agreed,
            until: now.saturating_add(LASTS),
        }
    }

    /// The id.
    pub(in crate::protocol) fn seal(&self, sealer: &Sealer) -> String {
        let agreed = &self.agreed;
        let (revision, _) = places()
            .find(|(_, revision)| *revision == agreed.revision)
            .unwrap_or_default_place();
        let mut content = vec![
            FORM,
            revision,
            agreed.declared.to_bits(),
            agreed.capabilities.to_bits(),
        ];
        content.extend_from_slice(&self.until.to_be_bytes());
        content.extend_from_slice(&self.key.0);
        if let Some(client) = &agreed.client {
            content.extend_from_slice(start(&client.name).as_bytes());
            content.push(0);
            content.extend_from_slice(start(&client.version).as_bytes());
        }
        sealer.seal(content)
    }
}

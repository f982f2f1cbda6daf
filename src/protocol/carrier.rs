//! How a message came: what else than its bytes there is to know of it.

use super::legacy::{Agreed, Session, SessionKey};
use super::{Face, Fault};
use crate::ops::Caller;
use http::HeaderMap;

/// How a message came.
#[derive(Debug)]
pub enum Carrier<'a> {
    /// As the body of an HTTP POST.
    Http(Head<'a>),
    /// In a stream of messages: the standard streams.
    Stream(&'a mut Conversation),
}

/// The head of an HTTP request.
#[derive(Clone, Copy)]
pub struct Head<'a> {
    /// Its headers.
    pub headers: &'a HeaderMap,
    /// Who sent it.
    pub caller: &'a Caller,
    /// When it came: seconds since 1970.
    pub now: u64,
    /// Whether a session was ended by its client.
    pub is_over: &'a dyn Fn(SessionKey) -> bool,
}

/// What the messages of one stream have agreed on so far. Nothing, in a revision where every
/// request stands alone; a revision with a handshake keeps here what came of it.
#[derive(Debug, Default)]
pub struct Conversation {
    pub(super) agreed: Option<Agreed>,
    /// Who is at the other end.
    pub caller: Caller,
}

/// Which revision the headers name.
#[derive(Clone, Copy, Debug)]
pub(super) enum Named<'a> {
    Nothing,
    One(&'a str),
    /// Something that no client means: two of them, or bytes that are no text.
    Garbled,
}

const SESSION: &str = "mcp-session-id";
const VERSION: &str = "mcp-protocol-version";

impl Carrier<'_> {
    /// Who sent it.
    pub(super) fn caller(&self) -> &Caller {
        match self {
            Self::Http(head) => head.caller,
            Self::Stream(conversation) => &conversation.caller,
        }
    }
}

impl<'a> Head<'a> {
    /// The session that the request belongs to; `None` when it names none.
    ///
    /// # Errors
    /// The session is over or never was, or there are several.
    pub(super) fn session(&self, face: &Face) -> Result<Option<Session>, Fault> {
        let mut ids = self.headers.get_all(SESSION).iter();
        let Some(id) = ids.next() else {
            return Ok(None);
        };
        let opened = face
            .sealer
            .as_ref()
            .filter(|_| ids.next().is_none())
            .and_then(|sealer| Session::open(id.as_bytes(), sealer, self.now))
            // What was settled holds as long as the revision is spoken.
            .filter(|session| face.protocols.speaks(session.agreed.revision.revision()))
            // Another caller's session is nobody's (security best practices: session hijacking).
            .filter(|session| session.is_of(self.caller))
            .filter(|session| !(self.is_over)(session.key));
        opened.map(Some).ok_or(Fault::SessionGone)
    }

    /// The revision in `MCP-Protocol-Version`.
    pub(super) fn version(&self) -> Named<'a> {
        let mut values = self.headers.get_all(VERSION).iter();
        match (values.next(), values.next()) {
            (None, _) => Named::Nothing,
            (Some(value), None) => value.to_str().map_or(Named::Garbled, Named::One),
            (Some(_), Some(_)) => Named::Garbled,
        }
    }
}

impl std::fmt::Debug for Head<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Head").field("now", &self.now).finish()
    }
}

//! Why a message is refused, and the only table from that to a JSON-RPC code and an HTTP status
//! (specification: basic §Error Codes, streamable-http §Protocol Version Header).

use super::version::{Dialect, Protocols};
use crate::ops::OpError;
use http::StatusCode;

/// Why a message is answered with an error.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Fault {
    /// The bytes are no JSON that is read here.
    #[error("Parse error: {0}")]
    Parse(String),
    /// JSON, but no message of the protocol.
    #[error("Invalid request: {0}")]
    InvalidRequest(String),
    /// What every request must carry is missing or malformed.
    #[error("Invalid params: {0}")]
    MissingMeta(String),
    /// An HTTP header that mirrors the body is missing, malformed or different.
    #[error("Header mismatch: {0}")]
    HeaderMismatch(String),
    /// The request names a revision that is not served.
    #[error("Unsupported protocol version")]
    UnsupportedVersion {
        /// The revision it names.
        requested: String,
        /// Those that are.
        supported: Protocols,
    },
    /// A handshake, where no revision that has one is served. Its sender has no other way to learn
    /// what is, so the message names it (specification: versioning §Backward Compatibility).
    #[error(
        "Unsupported protocol version: this server speaks {supported}, which has no `initialize`; send the \
         version in each request's `_meta`"
    )]
    Handshake {
        /// The revision it asks for, when it names one.
        requested: Option<String>,
        /// Those that are served.
        supported: Protocols,
    },
    /// The session that the request names is over, or never was.
    #[error("Session not found: it is over, or not one of this server's; send `initialize` again")]
    SessionGone,
    /// The operation itself was refused, or failed.
    #[error(transparent)]
    Op(#[from] OpError),
}

/// The code of [`Fault::Parse`], in every dialect.
pub const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
const METHOD_NOT_FOUND: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;
const INTERNAL_ERROR: i64 = -32603;
const HEADER_MISMATCH: i64 = -32020;
const MISSING_CLIENT_CAPABILITY: i64 = -32021;
/// Only in the revisions with a handshake.
const RESOURCE_NOT_FOUND: i64 = -32002;
/// What the official SDKs of those revisions answer; the specification names no code.
const SESSION_NOT_FOUND: i64 = -32001;
const UNSUPPORTED_PROTOCOL_VERSION: i64 = -32022;

/// The JSON-RPC code of a fault and the status it has over HTTP. A revision with a handshake has
/// errors in the answers to requests, and an HTTP error only for what could not be taken as one.
pub(super) fn of(dialect: Dialect, fault: &Fault) -> (i64, StatusCode) {
    let is_modern = dialect == Dialect::Modern;
    match fault {
        Fault::Parse(_) => (PARSE_ERROR, StatusCode::BAD_REQUEST),
        Fault::InvalidRequest(_) => (INVALID_REQUEST, StatusCode::BAD_REQUEST),
        Fault::MissingMeta(_) if is_modern => (INVALID_PARAMS, StatusCode::BAD_REQUEST),
        Fault::MissingMeta(_) => (INVALID_PARAMS, StatusCode::OK),
        Fault::HeaderMismatch(_) => (HEADER_MISMATCH, StatusCode::BAD_REQUEST),
        Fault::UnsupportedVersion { .. } | Fault::Handshake { .. } if is_modern => {
            (UNSUPPORTED_PROTOCOL_VERSION, StatusCode::BAD_REQUEST)
        }
        Fault::UnsupportedVersion { .. } | Fault::Handshake { .. } => {
            (INVALID_REQUEST, StatusCode::BAD_REQUEST)
        }
        Fault::SessionGone => (SESSION_NOT_FOUND, StatusCode::NOT_FOUND),
        Fault::Op(OpError::MethodNotFound(_)) if is_modern => {
            (METHOD_NOT_FOUND, StatusCode::NOT_FOUND)
        }
        Fault::Op(error @ OpError::Forbidden(_)) => {
            (of_operation(dialect, error), StatusCode::FORBIDDEN)
        }
        Fault::Op(OpError::LacksCapabilities(_)) if is_modern => {
            (MISSING_CLIENT_CAPABILITY, StatusCode::BAD_REQUEST)
        }
        Fault::Op(error) => (of_operation(dialect, error), StatusCode::OK),
    }
}

fn of_operation(dialect: Dialect, error: &OpError) -> i64 {
    match error {
        OpError::MethodNotFound(_) => METHOD_NOT_FOUND,
        OpError::ResourceNotFound(_) => match dialect {
            Dialect::Modern => INVALID_PARAMS,
            Dialect::Legacy(_) => RESOURCE_NOT_FOUND,
        },
        OpError::UnknownTool(_)
        | OpError::UnknownPrompt(_)
        | OpError::InvalidCursor
        | OpError::InvalidParams(_) => INVALID_PARAMS,
        OpError::Forbidden(_) => INVALID_REQUEST,
        OpError::Internal(_) | OpError::Failed(_) => INTERNAL_ERROR,
        OpError::LacksCapabilities(_) => match dialect {
            Dialect::Modern => MISSING_CLIENT_CAPABILITY,
            Dialect::Legacy(_) => INTERNAL_ERROR,
        },
        OpError::Declared { code, .. } => *code,
    }
}

/// The JSON-RPC code that an operation's error has in the newest revision.
pub fn error_code(error: &OpError) -> i64 {
    of(Dialect::Modern, &Fault::Op(error.clone())).0
}

/// What the error says. A fault's own words are short; a name that the caller sent may not be.
pub(super) fn message(fault: &Fault) -> String {
    match fault {
        Fault::Op(OpError::UnknownTool(name)) => {
            OpError::UnknownTool(excerpt(name).into()).to_string()
        }
        Fault::Op(OpError::UnknownPrompt(name)) => {
            OpError::UnknownPrompt(excerpt(name).into()).to_string()
        }
        _ => fault.to_string(),
    }
}

/// The start of what somebody sent, for a message: long enough to recognise, bounded so that a
/// request cannot make its error as large as itself.
pub(super) fn excerpt(text: &str) -> &str {
    const LIMIT: usize = 200;
    excerpt_of(text, LIMIT)
}

/// The start of what somebody sent, of this many bytes at the most.
pub(super) fn excerpt_of(text: &str, limit: usize) -> &str {
    text.get(..text.floor_char_boundary(limit))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::ClientCapabilities;
    use crate::protocol::version::Legacy;

    #[test]
    fn http_statuses_follow_decision_10() {
        let text = String::new;
        let supported = Protocols::ALL;
        let table = [
            (Fault::Parse(text()), -32700, 400),
            (Fault::InvalidRequest(text()), -32600, 400),
            (Fault::MissingMeta(text()), -32602, 400),
            (Fault::HeaderMismatch(text()), -32020, 400),
            (
                Fault::UnsupportedVersion {
                    requested: text(),
                    supported,
                },
                -32022,
                400,
            ),
            (
                Fault::Handshake {
                    requested: None,
                    supported,
                },
                -32022,
                400,
            ),
            (Fault::SessionGone, -32001, 404),
            (OpError::MethodNotFound(text()).into(), -32601, 404),
            (OpError::UnknownTool(text()).into(), -32602, 200),
            (OpError::UnknownPrompt(text()).into(), -32602, 200),
            (OpError::ResourceNotFound(text()).into(), -32602, 200),
            (OpError::Failed(text()).into(), -32603, 200),
            (OpError::InvalidCursor.into(), -32602, 200),
            (OpError::InvalidParams(text()).into(), -32602, 200),
            (OpError::Internal(text()).into(), -32603, 200),
            (
                OpError::LacksCapabilities(ClientCapabilities::default()).into(),
                -32021,
                400,
            ),
            (
                OpError::Declared {
                    code: 1042,
                    message: text(),
                    data: None,
                }
                .into(),
                1042,
                200,
            ),
        ];
        for (fault, code, status) in table {
            let (found, answered) = of(Dialect::Modern, &fault);
            assert_eq!((found, answered.as_u16()), (code, status), "{fault:?}");
        }
        // Where the revisions with a handshake differ.
        for (fault, code, status) in [
            (Fault::MissingMeta(text()), -32602, 200),
            (OpError::MethodNotFound(text()).into(), -32601, 200),
            (OpError::ResourceNotFound(text()).into(), -32002, 200),
            (OpError::UnknownTool(text()).into(), -32602, 200),
            (
                Fault::UnsupportedVersion {
                    requested: text(),
                    supported,
                },
                -32600,
                400,
            ),
            (Fault::SessionGone, -32001, 404),
            (Fault::InvalidRequest(text()), -32600, 400),
        ] {
            let (found, answered) = of(Dialect::Legacy(Legacy::V2025_06_18), &fault);
            assert_eq!((found, answered.as_u16()), (code, status), "{fault:?}");
        }
    }

    #[test]
    fn an_excerpt_ends_on_a_character() {
        let text = "é".repeat(150);
        assert_eq!(excerpt(&text), "é".repeat(100));
        assert_eq!(excerpt("short"), "short");
        assert_eq!(excerpt(&format!("a{text}")).len(), 199);
    }
}

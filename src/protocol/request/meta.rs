//! `params._meta`: what every request carries (specification: basic §_meta).

use super::trace;
use crate::ops::{ClientCapabilities, ClientInfo, LogLevel, OpError, ProgressToken, Trace};
use crate::protocol::capabilities;
use crate::protocol::codes::{Fault, excerpt};
use crate::protocol::jsonrpc::{Id, text};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::cell::RefCell;
use std::sync::Arc;

/// The members of `_meta` the specification reserves, as they stand. `null` is absent.
#[derive(Debug, Default, Deserialize)]
pub(in crate::protocol) struct Meta<'a> {
    #[serde(borrow, rename = "io.modelcontextprotocol/protocolVersion")]
    pub(in crate::protocol) version: Option<&'a RawValue>,
    #[serde(borrow, rename = "io.modelcontextprotocol/clientCapabilities")]
    capabilities: Option<&'a RawValue>,
    #[serde(borrow, rename = "io.modelcontextprotocol/clientInfo")]
    client: Option<&'a RawValue>,
    #[serde(borrow, rename = "io.modelcontextprotocol/logLevel")]
    log_level: Option<&'a RawValue>,
    #[serde(borrow, rename = "progressToken")]
    progress: Option<&'a RawValue>,
    #[serde(borrow)]
    traceparent: Option<&'a RawValue>,
    #[serde(borrow)]
    tracestate: Option<&'a RawValue>,
}

impl<'a> Meta<'a> {
    /// Finds the members.
    ///
    /// # Errors
    /// It is no object, or a member stands twice.
    pub(in crate::protocol) fn find(raw: &'a RawValue) -> Result<Self, Fault> {
        if !raw.get().starts_with('{') {
            return Err(Fault::MissingMeta(
                "`params._meta` must be an object".into(),
            ));
        }
        serde_json::from_str(raw.get())
            .map_err(|error| Fault::MissingMeta(format!("`params._meta`: {error}")))
    }

    /// The revision the request says it is of.
    ///
    /// # Errors
    /// It says none; then the error names all that is missing.
    pub(in crate::protocol) fn version(&self) -> Result<Cow<'a, str>, Fault> {
        let Some(raw) = self.version else {
            let and_capabilities = match self.capabilities {
                Some(_) => "",
                None => " and `io.modelcontextprotocol/clientCapabilities`",
            };
            return Err(Fault::MissingMeta(format!(
                "`params._meta` lacks `io.modelcontextprotocol/protocolVersion`{and_capabilities}"
            )));
        };
        text(raw).ok_or_else(|| {
            Fault::MissingMeta("`io.modelcontextprotocol/protocolVersion` must be a string".into())
        })
    }

    /// What the request says that its client can do.
    ///
    /// # Errors
    /// It does not say it.
    pub(in crate::protocol) fn capabilities(&self) -> Result<ClientCapabilities, Fault> {
        let what = match self.capabilities {
            Some(raw) if raw.get().starts_with('{') => return Ok(capabilities::read(raw)),
            Some(_) => "`io.modelcontextprotocol/clientCapabilities` must be an object",
            None => "`params._meta` lacks `io.modelcontextprotocol/clientCapabilities`",
        };
        Err(Fault::MissingMeta(what.into()))
    }

    /// Whether it holds what only a request has that needs no handshake.
    pub(in crate::protocol) fn is_of_one_request(&self) -> bool {
        let reserved = [self.version, self.capabilities, self.client, self.log_level];
        reserved.iter().any(Option::is_some)
    }

    /// Who the caller says it is.
    ///
    /// # Errors
    /// It is no Implementation: no object with a `name` and a `version`.
    pub(in crate::protocol) fn client(&self) -> Result<Option<Arc<ClientInfo>>, OpError> {
        let Some(raw) = self.client else {
            return Ok(None);
        };
        known(raw).map(Some).ok_or_else(|| {
            OpError::InvalidParams(
                "`io.modelcontextprotocol/clientInfo` must be an object with a `name` and a \
                 `version`"
                    .into(),
            )
        })
    }

    /// The least severity of log notifications the caller wants.
    ///
    /// # Errors
    /// It is none of RFC 5424's.
    pub(in crate::protocol) fn log_level(&self) -> Result<Option<LogLevel>, OpError> {
        let name = "io.modelcontextprotocol/logLevel";
        self.log_level.map(|raw| level(name, raw)).transpose()
    }

    /// The token progress is to be reported under: a string or an integer, like an id.
    ///
    /// # Errors
    /// It is neither.
    pub(in crate::protocol) fn progress(&self) -> Result<Option<ProgressToken>, OpError> {
        let Some(raw) = self.progress else {
            return Ok(None);
        };
        match Id::read(raw) {
            Some(token) => Ok(Some(ProgressToken(token.as_json().into()))),
            None => Err(OpError::InvalidParams(
                "`progressToken` must be a string or an integer".into(),
            )),
        }
    }

    /// Trace context, where it is sound. What is not is left out, as W3C asks.
    pub(in crate::protocol) fn trace(&self) -> Trace {
        let parent = self.traceparent.and_then(text);
        let state = self.tracestate.and_then(text);
        trace::context(parent.as_deref(), state.as_deref())
    }
}

/// The severity of this name; `what` names what holds it.
///
/// # Errors
/// It is none of RFC 5424's.
pub(in crate::protocol) fn level(what: &str, raw: &RawValue) -> Result<LogLevel, OpError> {
    Ok(match text(raw).as_deref() {
        Some("debug") => LogLevel::Debug,
        Some("info") => LogLevel::Info,
        Some("notice") => LogLevel::Notice,
        Some("warning") => LogLevel::Warning,
        Some("error") => LogLevel::Error,
        Some("critical") => LogLevel::Critical,
        Some("alert") => LogLevel::Alert,
        Some("emergency") => LogLevel::Emergency,
        _ => {
            return Err(OpError::InvalidParams(format!(
                "`{what}` is {}; it must be one of debug, info, notice, warning, error, critical, \
                 alert, emergency",
                excerpt(raw.get())
            )));
        }
    })
}

/// Most bytes of an Implementation that is remembered.
const MOST_REMEMBERED: usize = 512;

/// As [`implementation`]: a client says in every request the same, so what was read last is remembered.
fn known(raw: &RawValue) -> Option<Arc<ClientInfo>> {
    thread_local! {
        static LAST: RefCell<Option<(Box<str>, Arc<ClientInfo>)>> = const { RefCell::new(None) };
    }
    LAST.with_borrow_mut(|last| {
        if let Some((text, client)) = last
            && **text == *raw.get()
        {
            return Some(Arc::clone(client));
        }
        let client = Arc::new(implementation(raw)?);
        if raw.get().len() <= MOST_REMEMBERED {
            *last = Some((raw.get().into(), Arc::clone(&client)));
        }
        Some(client)
    })
}

/// Reads an Implementation; `None` when it is no object with a `name` and a `version`.
pub(in crate::protocol) fn implementation(raw: &RawValue) -> Option<ClientInfo> {
    #[derive(Deserialize)]
    struct Implementation {
        name: String,
        version: String,
    }
    let raw = Some(raw.get()).filter(|raw| raw.starts_with('{'))?;
    let Implementation { name, version } = serde_json::from_str(raw).ok()?;
    Some(ClientInfo { name, version })
}

//! Who sends a request over HTTP, and what a request that may not be served is answered with
//! (specification: authorization).
//!
//! What a caller may do is decided where it is done: here is only found out who it is.

mod bearer;
mod challenge;
mod metadata;
mod oauth;

use crate::action::http::ClientError;
use crate::model::{AuthSettings, CallerSpec, OauthSpec};
use crate::ops::Caller;
use bearer::Tokens;
use bytes::Bytes;
use challenge::{Asked, Challenge};
use http::{HeaderMap, HeaderValue, StatusCode};
use oauth::{Oauth, Refused};
use tokio_util::sync::CancellationToken;

/// Finds out who sends a request. It does not change; a reload that changes who may call makes
/// another.
#[derive(Debug)]
pub struct Access {
    settings: AuthSettings,
    tokens: Tokens,
    oauth: Option<Oauth>,
    stdio: Caller,
    /// Names this server in challenges.
    realm: String,
    revoked: CancellationToken,
}

/// A request that is not served, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Denied {
    /// 400, 401, 403 or 503.
    pub status: StatusCode,
    /// `WWW-Authenticate`, when showing something else would help.
    pub challenge: Option<HeaderValue>,
    /// Why, for the caller; it repeats nothing of what was sent.
    pub why: &'static str,
}

impl Access {
    /// As the settings say, for a server of this name.
    ///
    /// # Errors
    /// What is to be trusted when keys are fetched cannot be read.
    pub fn new(settings: &AuthSettings, realm: &str) -> Result<Self, ClientError> {
        let revoked = CancellationToken::new();
        let known = |caller: &CallerSpec| {
            let scopes = settings.closure(caller.scopes.iter().map(String::as_str));
            Caller::known(&*caller.principal, scopes, None, revoked.clone())
        };
        let tokens = settings.tokens.iter();
        let oauth = settings.oauth.as_ref();
        Ok(Self {
            oauth: oauth.map(|spec| Oauth::new(spec, realm)).transpose()?,
            tokens: Tokens::new(tokens.map(|token| (token.sha256, known(&token.caller)))),
            stdio: settings.stdio.as_ref().map(known).unwrap_or_default(),
            settings: settings.clone(),
            realm: realm.to_owned(),
            revoked,
        })
    }

    /// Whether it is what [`Access::new`] would make of these.
    pub fn is_of(&self, settings: &AuthSettings, realm: &str) -> bool {
        self.settings == *settings && self.realm == realm
    }

    /// Ends what goes on for those who were let in by it: listening, for one.
    pub fn revoke(&self) {
        self.revoked.cancel();
    }

    /// The caller on the standard streams: whoever started the process, who needs no token (OAuth is
    /// not for it, specification: authorization §Protocol Requirements).
    pub fn stdio(&self) -> &Caller {
        &self.stdio
    }

    /// Whether callers by HTTP are asked who they are.
    pub fn asks(&self) -> bool {
        self.settings.on
    }

    /// Who sends a request with these headers.
    ///
    /// # Errors
    /// The answer to a request that is not served.
    pub async fn admit(&self, headers: &HeaderMap) -> Result<Caller, Denied> {
        if !self.settings.on {
            return Ok(Caller::default());
        }
        let token = match bearer::presented(headers) {
            Ok(Some(token)) => token,
            Ok(None) if self.settings.anonymous => return Ok(Caller::default()),
            Ok(None) => return Err(self.denied(Challenge::Missing)),
            Err(why) => return Err(self.denied(Challenge::Malformed(why))),
        };
        if let Some(caller) = self.tokens.holder(token) {
            return Ok(caller.clone());
        }
        let Some(oauth) = &self.oauth else {
            return Err(self.denied(Challenge::Invalid("the access token is not valid")));
        };
        let held = Box::pin(oauth.holder(token, &self.settings, &self.revoked)).await;
        held.map_err(|refused| match refused {
            Refused::Invalid(why) => self.denied(Challenge::Invalid(why)),
            Refused::Unavailable => self.denied(Challenge::Unavailable),
        })
    }

    /// The document that says whose tokens are good here, if it is found at this path of the server
    /// (RFC 9728).
    pub fn document(&self, path: &str) -> Option<Bytes> {
        let oauth = self.oauth.as_ref()?;
        let spec = self.settings.oauth.as_ref()?;
        let rest = path.strip_prefix(metadata::WELL_KNOWN)?;
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        (rest.is_empty() || rest == metadata::path(&spec.resource))
            .then(|| oauth.metadata().clone())
    }

    /// The answer to a caller that lacks scopes: which ones it takes, all in one challenge. Who has
    /// shown nothing is asked to.
    pub fn forbidden(&self, caller: &Caller, scopes: &[String]) -> Denied {
        let scopes = scopes.join(" ");
        match (self.settings.on, caller.principal()) {
            (false, _) => Denied {
                status: StatusCode::FORBIDDEN,
                challenge: None,
                why: challenge::INSUFFICIENT,
            },
            (true, None) => self.denied(Challenge::MissingFor(&scopes)),
            (true, Some(_)) => self.denied(Challenge::Insufficient(&scopes)),
        }
    }

    fn denied(&self, challenge: Challenge<'_>) -> Denied {
        Denied {
            status: challenge.status(),
            why: challenge.why(),
            challenge: challenge.header(&self.asked()),
        }
    }
}

impl Access {
    /// What every challenge says.
    fn asked(&self) -> Asked<'_> {
        let spec: Option<&OauthSpec> = self.settings.oauth.as_ref();
        Asked {
            realm: &self.realm,
            metadata: spec.map(|spec| metadata::url(&spec.resource)),
            scopes: spec.map(|spec| spec.scopes_supported.join(" ")),
        }
    }
}

impl Default for Access {
    /// Asks nobody who they are.
    fn default() -> Self {
        Self {
            settings: AuthSettings::default(),
            tokens: Tokens::new(std::iter::empty()),
            oauth: None,
            stdio: Caller::NOBODY,
            realm: String::new(),
            revoked: CancellationToken::new(),
        }
    }
}

#[cfg(test)]
mod tests;

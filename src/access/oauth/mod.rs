//! Access tokens of an authorization server (OAuth 2.1 §5, RFC 9068): this is a resource server.
//!
//! A token is good when it is a JWT that the issuer has signed, for this server, and whose time has
//! come and is not over.

mod document;
mod keys;
mod signature;

use super::metadata;
use crate::action::http::{Client, ClientError, ClientOptions};
use crate::model::{AuthSettings, OauthSpec, is_scope, resource_identifier};
use crate::ops::Caller;
use bytes::Bytes;
use jsonwebtoken::{Algorithm, Validation, decode, decode_header};
use keys::{Keys, Unavailable};
use serde_json::{Map, Value};
use std::fmt;
use std::str::FromStr as _;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio_util::sync::CancellationToken;
use url::Url;

/// Most scopes of one token.
const MOST_SCOPES: usize = 1000;
/// The claims that scopes may stand in, the first that is there (RFC 8693 §4.2; others write `scp`).
const SCOPE_CLAIMS: [&str; 2] = ["scope", "scp"];

/// Why a token lets nobody in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// It is not good; the words are for whoever sent it.
    Invalid(&'static str),
    /// There is no telling.
    Unavailable,
}

impl From<Unavailable> for Refused {
    fn from(_: Unavailable) -> Self {
        Self::Unavailable
    }
}

/// Judges the tokens of one authorization server.
pub(super) struct Oauth {
    spec: Arc<OauthSpec>,
    algorithms: Vec<Algorithm>,
    keys: Arc<Keys>,
    metadata: Bytes,
}

impl fmt::Debug for Oauth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Oauth").field(&self.spec.issuer).finish()
    }
}

impl Oauth {
    /// Asks nobody yet. `name` is what the server is called.
    ///
    /// # Errors
    /// The certificates to trust cannot be read.
    pub(super) fn new(spec: &OauthSpec, name: &str) -> Result<Self, ClientError> {
        signature::install();
        let client = Client::new(&ClientOptions {
            ca: spec.ca.clone(),
            identity: None,
        })?;
        let spec = Arc::new(spec.clone());
        let algorithms = spec.algorithms.iter();
        Ok(Self {
            algorithms: algorithms
                .filter_map(|name| Algorithm::from_str(name).ok())
                .collect(),
            keys: Keys::new(Arc::clone(&spec), client),
            metadata: metadata::document(&spec, name),
            spec,
        })
    }

    /// The document that says whose tokens are good here.
    pub(super) fn metadata(&self) -> &Bytes {
        &self.metadata
    }

    /// Whose token it is.
    pub(super) async fn holder(
        &self,
        token: &str,
        auth: &AuthSettings,
        revoked: &CancellationToken,
    ) -> Result<Caller, Refused> {
        let claims = self.claims(token).await?;
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let leeway = self.spec.leeway;
        let time = |name: &str| claims.get(name).and_then(Value::as_f64).map(seconds);
        let expires = match time("exp") {
            Some(Some(expires)) => expires.saturating_add(leeway),
            _ => {
                return Err(Refused::Invalid(
                    "the access token does not say when it ends",
                ));
            }
        };
        if expires <= now {
            return Err(Refused::Invalid("the access token has expired"));
        }
        match (claims.get("nbf"), time("nbf")) {
            (None, _) => {}
            (Some(_), Some(Some(begins))) if begins <= now.saturating_add(leeway) => {}
            _ => return Err(Refused::Invalid("the access token is not valid yet")),
        }
        let principal = claims
            .get(&self.spec.principal_claim)
            .and_then(Value::as_str);
        let principal = principal
            .filter(|name| (1..=256).contains(&name.len()) && !name.contains(char::is_control));
        let Some(principal) = principal else {
            return Err(Refused::Invalid("the access token names no caller"));
        };
        let scopes = scopes(&claims);
        let scopes = auth.closure(scopes.iter().map(String::as_str));
        let expires = UNIX_EPOCH.checked_add(expires);
        Ok(Caller::known(principal, scopes, expires, revoked.clone()))
    }

    /// What a token says, once it is sure that the issuer says it, and says it to this server.
    async fn claims(&self, token: &str) -> Result<Map<String, Value>, Refused> {
        let invalid = Refused::Invalid("the access token is not valid");
        let header = decode_header(token).map_err(|_| invalid)?;
        if !self.algorithms.contains(&header.alg) {
            return Err(invalid);
        }
        let fitting = self.keys.fitting(header.kid.as_deref(), header.alg).await?;
        let mut validation = Validation::new(header.alg);
        // Times are looked at by `holder`, in whatever form of number they are.
        validation.validate_exp = false;
        validation.set_required_spec_claims(&["iss", "aud"]);
        validation.set_issuer(&[&self.spec.issuer]);
        validation.validate_aud = false;
        let mut decoded = fitting
            .iter()
            .filter_map(|key| decode::<Map<String, Value>>(token, key, &validation).ok());
        let claims = decoded.next().ok_or(invalid)?.claims;
        // One issuer, not one among several.
        let issuer = claims.get("iss").and_then(Value::as_str);
        let is_ours = names_us(claims.get("aud"), &self.spec.audience);
        match issuer == Some(&*self.spec.issuer) && is_ours {
            true => Ok(claims),
            false => Err(invalid),
        }
    }
}

/// Whether one of the audiences (RFC 7519 §4.1.3) is one of ours, as it stands or as the URL that it
/// is: clients write scheme and host in any case, and a slash at the end or not (specification:
/// authorization §Canonical Server URI).
fn names_us(audience: Option<&Value>, ours: &[String]) -> bool {
    let is_one = |named: &Value| {
        let Some(named) = named.as_str() else {
            return false;
        };
        let same = Url::parse(named).map(|url| resource_identifier(&url));
        ours.iter()
            .any(|own| own == named || same.as_ref().is_ok_and(|same| own == same))
    };
    match audience {
        Some(Value::Array(several)) => several.iter().any(is_one),
        Some(one) => is_one(one),
        None => false,
    }
}

/// A NumericDate (RFC 7519 §2) as the time since 1970.
fn seconds(number: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(number).ok()
}

/// The scopes of a token: a text with blanks between them, or a list. What cannot be one is passed
/// over.
fn scopes(claims: &Map<String, Value>) -> Vec<String> {
    let claim = SCOPE_CLAIMS.iter().find_map(|name| claims.get(*name));
    let all: Vec<&str> = match claim {
        Some(Value::String(text)) => text.split(' ').collect(),
        Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let usable = all.into_iter().filter(|scope| is_scope(scope));
    usable.take(MOST_SCOPES).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn scopes_are_read_in_each_form() {
        let read = |claims: Value| scopes(claims.as_object().unwrap());
        assert_eq!(read(json!({ "scope": "a b:c  d" })), ["a", "b:c", "d"]);
        assert_eq!(read(json!({ "scp": ["a", 5, "b c", "d"] })), ["a", "d"]);
        assert_eq!(read(json!({ "scp": "a b" })), ["a", "b"]);
        assert_eq!(read(json!({ "scope": "a", "scp": "b" })), ["a"]);
        assert!(read(json!({ "scope": 5 })).is_empty());
    }

    #[test]
    fn a_token_is_for_us_however_our_url_is_written() {
        let ours = ["https://a.example/mcp".to_owned(), "shop".to_owned()];
        for (named, is_ours) in [
            (json!("https://a.example/mcp"), true),
            (json!("HTTPS://A.Example:443/mcp/"), true),
            (json!(["https://b.example/mcp", "shop"]), true),
            (json!("Shop"), false),
            (json!("https://a.example/MCP"), false),
            (json!("https://a.example/mcp/x"), false),
            (json!("https://a.example"), false),
            (json!("https://u@a.example/mcp"), false),
            (json!("https://a.example/mcp?x"), false),
            (json!("https://a.example:8443/mcp"), false),
            (json!("http://a.example/mcp"), false),
            (json!([]), false),
            (json!([["shop"]]), false),
            (json!({ "shop": 1 }), false),
        ] {
            assert_eq!(names_us(Some(&named), &ours), is_ours, "{named}");
        }
        assert!(!names_us(None, &ours));
    }

    #[test]
    fn times_are_numbers_of_any_form() {
        assert_eq!(seconds(1.5), Some(Duration::from_millis(1500)));
        for wrong in [-1.0, f64::NAN, f64::INFINITY, 1e300] {
            assert_eq!(seconds(wrong), None, "{wrong}");
        }
    }
}

//! Bearer tokens (RFC 6750): what a request presents, and whose it is.

use crate::ops::Caller;
use http::HeaderMap;
use http::header::AUTHORIZATION;
use ring::digest::{SHA256, digest};
use subtle::ConstantTimeEq as _;

/// The tokens that are known, by the digests of their bytes.
#[derive(Debug)]
pub(super) struct Tokens(Vec<([u8; 32], Caller)>);

impl Tokens {
    pub(super) fn new(tokens: impl Iterator<Item = ([u8; 32], Caller)>) -> Self {
        Self(tokens.collect())
    }

    /// Whose token it is. Each digest is compared, in a time that does not depend on how much of it
    /// is the same.
    pub(super) fn holder(&self, token: &str) -> Option<&Caller> {
        let presented = digest(&SHA256, token.as_bytes());
        let mut holder = None;
        for (known, caller) in &self.0 {
            if bool::from(known.as_slice().ct_eq(presented.as_ref())) {
                holder = Some(caller);
            }
        }
        holder
    }
}

/// The token that a request presents; `None` when it presents none. Other schemes than `Bearer` are
/// not known here, and tokens in a query are not looked at (OAuth 2.1 §5.1).
///
/// # Errors
/// Why it cannot be told which.
pub(super) fn presented(headers: &HeaderMap) -> Result<Option<&str>, &'static str> {
    let mut fields = headers.get_all(AUTHORIZATION).iter();
    let Some(field) = fields.next() else {
        return Ok(None);
    };
    if fields.next().is_some() {
        return Err("there is more than one Authorization");
    }
    let text = field
        .to_str()
        .map_err(|_| "Authorization is not ASCII text")?;
    let (scheme, rest) = text.split_once(' ').unwrap_or((text, ""));
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Ok(None);
    }
    let token = rest.trim_matches(' ');
    match is_token(token) {
        true => Ok(Some(token)),
        false => Err("what follows Bearer is not a token"),
    }
}

/// RFC 6750 §2.1, `b64token`.
fn is_token(text: &str) -> bool {
    let body = text.trim_end_matches('=');
    !body.is_empty()
        && body
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-._~+/".contains(&byte))
}

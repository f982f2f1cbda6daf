//! `[auth]`: who may call, and what each may do.

use super::OauthSpec;
use std::collections::{BTreeMap, BTreeSet};

/// Who may call over HTTP, and as whom the standard streams are served.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuthSettings {
    /// Requests over HTTP are asked who sends them.
    pub on: bool,
    /// The authorization server whose tokens are good here too.
    pub oauth: Option<OauthSpec>,
    /// Bearer tokens whose holders are known.
    pub tokens: Vec<TokenSpec>,
    /// A request without credentials is served too, as a caller without a name and without scopes.
    pub anonymous: bool,
    /// The caller on the standard streams; without one it has neither a name nor scopes.
    pub stdio: Option<CallerSpec>,
    /// The scopes that a scope brings with it, directly.
    pub implies: BTreeMap<String, Vec<String>>,
}

/// A caller that the server file names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallerSpec {
    /// What it is called: one line of 1 to 256 bytes.
    pub principal: String,
    /// The scopes it has, without those they imply.
    pub scopes: Vec<String>,
}

/// A bearer token that the server knows. Only its digest is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenSpec {
    /// Whose it is.
    pub caller: CallerSpec,
    /// The SHA-256 digest of the token's bytes.
    pub sha256: [u8; 32],
}

impl AuthSettings {
    /// These scopes with all that they imply, in byte order, each once.
    pub fn closure<'s>(&'s self, scopes: impl IntoIterator<Item = &'s str>) -> Vec<String> {
        let mut all = BTreeSet::new();
        let mut next: Vec<&str> = scopes.into_iter().collect();
        while let Some(scope) = next.pop() {
            if all.insert(scope) {
                let implied = self.implies.get(scope).into_iter().flatten();
                next.extend(implied.map(String::as_str));
            }
        }
        all.into_iter().map(str::to_owned).collect()
    }

    /// Whether some caller may come to hold this scope.
    pub fn can_grant(&self, scope: &str) -> bool {
        // Which ones an authorization server gives is its own affair.
        if self.oauth.is_some() {
            return true;
        }
        let named = self.tokens.iter().map(|token| &token.caller);
        named.chain(&self.stdio).any(|caller| {
            let held = self.closure(caller.scopes.iter().map(String::as_str));
            held.iter().any(|held| held == scope)
        })
    }
}

/// Whether a text is a scope: printable ASCII without blanks, `"` and `\` (RFC 6749 §3.3), of 1 to 256
/// bytes.
pub fn is_scope(text: &str) -> bool {
    (1..=256).contains(&text.len())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_implied_is_found_through_others_and_in_circles() {
        let one = |name: &str, brings: &[&str]| {
            let brings = brings.iter().map(|scope| (*scope).to_owned());
            (name.to_owned(), brings.collect())
        };
        let auth = AuthSettings {
            implies: [one("admin", &["write"]), one("write", &["read", "admin"])].into(),
            ..AuthSettings::default()
        };
        assert_eq!(auth.closure(["admin"]), ["admin", "read", "write"]);
        assert_eq!(auth.closure(["read", "x", "read"]), ["read", "x"]);
        assert!(auth.closure([]).is_empty());
    }

    #[test]
    fn scopes_are_what_a_header_can_carry() {
        for text in ["a", "orders:read", "https://x/y?z", "!#[]~"] {
            assert!(is_scope(text), "{text}");
        }
        let long = "a".repeat(257);
        for text in ["", "a b", "a\"", "a\\", "é", "a\n", &long] {
            assert!(!is_scope(text), "{text}");
        }
    }
}

//! `[auth.oauth]`: the authorization server whose tokens are good here.

use std::time::Duration;
use url::{Host, Url};

/// What is asked of access tokens, and where the keys that they are signed with are found.
#[derive(Clone, PartialEq, Eq)]
pub struct OauthSpec {
    /// The authorization server's identifier, as it stands in its tokens and documents.
    pub issuer: String,
    /// This server's own identifier: the URL that clients use.
    pub resource: Url,
    /// What a token must be for: one of these.
    pub audience: Vec<String>,
    /// Where the keys are; without it, where the issuer's own document says.
    pub jwks_url: Option<Url>,
    /// The signature algorithms that are taken, by their names in JWS.
    pub algorithms: Vec<String>,
    /// The scopes that a client should ask for first.
    pub scopes_supported: Vec<String>,
    /// The claim that names the caller.
    pub principal_claim: String,
    /// How far clocks may be apart.
    pub leeway: Duration,
    /// Certificates, PEM, that are trusted beside the platform's when keys are fetched.
    pub ca: Vec<Vec<u8>>,
}

impl OauthSpec {
    /// The algorithms that can be taken, all of them with public keys.
    pub const ALGORITHMS: [&str; 9] = [
        "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA",
    ];
}

impl std::fmt::Debug for OauthSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OauthSpec")
            .field("issuer", &self.issuer)
            .finish_non_exhaustive()
    }
}

/// A resource's identifier, without a slash at its end (specification: authorization §Canonical
/// Server URI).
pub fn resource_identifier(resource: &Url) -> String {
    resource.as_str().trim_end_matches('/').to_owned()
}

/// Whether nobody on the way can change what comes from there: it comes by TLS, or from this machine.
pub fn is_out_of_reach(url: &Url) -> bool {
    let is_here = match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    url.scheme() == "https" || (url.scheme() == "http" && is_here)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_over_tls_or_from_this_machine() {
        for (url, safe) in [
            ("https://a.example/k", true),
            ("http://127.0.0.1:1/k", true),
            ("http://[::1]/k", true),
            ("http://localhost/k", true),
            ("http://a.example/k", false),
            ("http://localhost.a.example/k", false),
            ("ftp://a.example/k", false),
        ] {
            assert_eq!(is_out_of_reach(&Url::parse(url).unwrap()), safe, "{url}");
        }
    }
}

//! `[auth.oauth]`: the authorization server whose tokens are good here.

use super::sections::Reader;
use crate::lang::diag::Diagnostic;
use crate::manifest::lower::codes::{BAD_URL, NO_EFFECT};
use crate::manifest::lower::scope_is_usable;
use crate::manifest::read::{At, OUT_OF_RANGE, Table};
use crate::model::{OauthSpec, is_out_of_reach, resource_identifier};
use std::time::Duration;
use url::Url;

/// Most audiences of one server.
const MOST: usize = 16;

impl Reader<'_> {
    /// `[auth.oauth]`.
    pub(super) fn oauth(&self, auth: &Table<'_>) -> Option<OauthSpec> {
        let oauth = auth.table("oauth")?;
        let issuer = oauth.required_string("issuer");
        let issuer = issuer.filter(|issuer| url(&oauth, issuer, "issuer").is_some());
        let resource = oauth.required_string("resource");
        let resource = resource.and_then(|resource| own_url(&oauth, &resource));
        let jwks_url = oauth.string("jwks_url");
        let jwks_url = jwks_url.and_then(|named| url(&oauth, &named, "jwks_url"));
        let audience = audience(&oauth);
        let algorithms = algorithms(&oauth);
        let scopes = oauth.strings("scopes_supported").unwrap_or_default();
        let scopes = scopes
            .into_iter()
            .filter(|scope| scope_is_usable(&oauth, scope) && is_no_refresh(&oauth, scope));
        let scopes_supported = scopes.map(|scope| scope.value).collect();
        let principal_claim = oauth.string("principal_claim");
        let leeway = oauth.millis("leeway_ms", 0..=600_000);
        let ca = oauth.string("ca_file").map(|file| {
            let read = self.pem(&oauth, &file);
            read.into_iter().collect()
        });
        oauth.finish();
        let resource = resource?;
        Some(OauthSpec {
            issuer: issuer?.value,
            audience: audience.unwrap_or_else(|| vec![resource_identifier(&resource)]),
            resource,
            jwks_url,
            algorithms,
            scopes_supported,
            principal_claim: principal_claim.map_or_else(|| "sub".to_owned(), |read| read.value),
            leeway: leeway.map_or(Duration::from_secs(60), |read| read.value),
            ca: ca.unwrap_or_default(),
        })
    }
}

/// A URL whose answers nobody on the way can change.
fn url(table: &Table<'_>, named: &At<String>, key: &str) -> Option<Url> {
    let parsed = Url::parse(&named.value).ok();
    let safe = parsed.filter(|url| is_out_of_reach(url) && url.fragment().is_none());
    if safe.is_none() {
        let message = format!("`{key}` must be an absolute https URL without a fragment");
        table.report(
            Diagnostic::error(BAD_URL, named.at.clone(), message)
                .help("http is for addresses of this machine alone (127.0.0.1, localhost)"),
        );
    }
    safe
}

/// This server's own URL, as its clients write it.
fn own_url(table: &Table<'_>, named: &At<String>) -> Option<Url> {
    let parsed = Url::parse(&named.value).ok().filter(|url| {
        matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.fragment().is_none()
            && url.query().is_none()
    });
    if parsed.is_none() {
        let message = "`resource` must be this server's own URL, without query and fragment";
        table.report(
            Diagnostic::error(BAD_URL, named.at.clone(), message)
                .help("write what clients connect to, such as `https://mcp.example.com/mcp`"),
        );
    }
    parsed
}

/// What tokens must be for.
fn audience(table: &Table<'_>) -> Option<Vec<String>> {
    let entry = table.entry("audience")?;
    let read = match entry.value {
        toml::de::DeValue::String(_) => table.as_string(&entry).into_iter().collect(),
        _ => table.strings("audience").unwrap_or_default(),
    };
    if read.is_empty() || read.len() > MOST || read.iter().any(|name| name.value.is_empty()) {
        let message = format!("`audience` must be a text or a list of 1 to {MOST} texts");
        table.error(OUT_OF_RANGE, entry.at, message);
        return None;
    }
    Some(read.into_iter().map(|name| name.value).collect())
}

/// The signature algorithms that are taken.
fn algorithms(table: &Table<'_>) -> Vec<String> {
    let all = || OauthSpec::ALGORITHMS.map(str::to_owned).to_vec();
    let Some(named) = table.strings("algorithms") else {
        return all();
    };
    let words = OauthSpec::ALGORITHMS.map(|name| (name, name));
    let known = named
        .into_iter()
        .filter_map(|name| table.as_word("algorithms", name, &words));
    let known: Vec<String> = known.map(|name| name.value.to_owned()).collect();
    if known.is_empty()
        && let Some(entry) = table.entry("algorithms")
        && entry.items().is_empty()
    {
        let message = "`algorithms` must name at least one";
        table.error(OUT_OF_RANGE, entry.at, message);
    }
    known
}

/// A client asks for refresh tokens by itself: they are nothing that a server needs (specification:
/// authorization §Refresh Tokens).
fn is_no_refresh(table: &Table<'_>, scope: &At<String>) -> bool {
    let is_one = scope.value == "offline_access";
    if is_one {
        let message =
            "`offline_access` is not named to clients: refresh tokens are their own affair";
        table.report(Diagnostic::warning(NO_EFFECT, scope.at.clone(), message));
    }
    !is_one
}

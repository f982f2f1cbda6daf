//! Documents of the authorization server: where its keys are (RFC 8414, OpenID Connect Discovery),
//! and the keys (RFC 7517). Everything about a fetch is bounded, and no redirect is followed.

use crate::action::http::Client;
use crate::model::{OauthSpec, is_out_of_reach};
use bytes::Bytes;
use http::header::{ACCEPT, USER_AGENT};
use http::{HeaderValue, Request, StatusCode};
use http_body_util::{BodyExt as _, Full, Limited};
use serde_json::Value;
use std::time::Duration;
use tokio::time::timeout;
use url::Url;

/// How long all of a fetch may take, and how large a document may be.
const PATIENCE: Duration = Duration::from_secs(5);
const MOST: usize = 1 << 20;

/// Why there is no document. What the other side wrote is not repeated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum NoDocument {
    #[error("no answer within 5 s")]
    Late,
    #[error("{0}")]
    Unreachable(String),
    #[error("it answered with status {}", .0.as_u16())]
    Status(StatusCode),
    #[error("its answer is larger than 1 MiB, or broke off")]
    Broken,
    #[error("its answer is not the JSON that it should be")]
    Form,
    #[error("its document is another issuer's")]
    OtherIssuer,
    #[error("its document names no `jwks_uri` that can be used")]
    NoKeys,
}

/// The key set of this issuer: a JSON object.
pub(super) async fn keys(client: &Client, spec: &OauthSpec) -> Result<Value, NoDocument> {
    let fetched = async {
        let at = match &spec.jwks_url {
            Some(at) => at.clone(),
            None => place_of_keys(client, spec).await?,
        };
        fetch(client, &at).await
    };
    timeout(PATIENCE, fetched)
        .await
        .unwrap_or(Err(NoDocument::Late))
}

/// Where the issuer says that its keys are.
async fn place_of_keys(client: &Client, spec: &OauthSpec) -> Result<Url, NoDocument> {
    let mut last = NoDocument::NoKeys;
    for at in places(&spec.issuer) {
        let document = match fetch(client, &at).await {
            Ok(document) => document,
            Err(error) => {
                last = error;
                continue;
            }
        };
        // As RFC 8414 §3.3 asks: a document that says it is of somebody else is not used.
        if document.get("issuer").and_then(Value::as_str) != Some(&spec.issuer) {
            return Err(NoDocument::OtherIssuer);
        }
        let named = document.get("jwks_uri").and_then(Value::as_str);
        let named = named.and_then(|named| Url::parse(named).ok());
        return named.filter(is_out_of_reach).ok_or(NoDocument::NoKeys);
    }
    Err(last)
}

/// The well-known places of an issuer's document, in the order in which they are tried
/// (specification: authorization-server-discovery).
fn places(issuer: &str) -> Vec<Url> {
    let Ok(issuer) = Url::parse(issuer) else {
        return Vec::new();
    };
    let path = issuer.path().trim_end_matches('/').to_owned();
    let at = |path: String| {
        let mut at = issuer.clone();
        at.set_path(&path);
        at.set_query(None);
        at.set_fragment(None);
        at
    };
    let mut places = vec![
        at(format!("/.well-known/oauth-authorization-server{path}")),
        at(format!("/.well-known/openid-configuration{path}")),
    ];
    if !path.is_empty() {
        places.push(at(format!("{path}/.well-known/openid-configuration")));
    }
    places
}

async fn fetch(client: &Client, at: &Url) -> Result<Value, NoDocument> {
    let mut request = Request::new(Full::new(Bytes::new()));
    *request.uri_mut() = at.as_str().parse().map_err(|_| NoDocument::NoKeys)?;
    let headers = request.headers_mut();
    headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
    let agent = concat!("snodo/", env!("CARGO_PKG_VERSION"));
    headers.insert(USER_AGENT, HeaderValue::from_static(agent));
    let opened = client.open(request).await;
    let response = opened.map_err(|fault| NoDocument::Unreachable(fault.to_string()))?;
    if response.status() != StatusCode::OK {
        return Err(NoDocument::Status(response.status()));
    }
    let body = Limited::new(response.into_body(), MOST).collect().await;
    let body = body.map_err(|_| NoDocument::Broken)?.to_bytes();
    let document: Value = serde_json::from_slice(&body).map_err(|_| NoDocument::Form)?;
    document
        .is_object()
        .then_some(document)
        .ok_or(NoDocument::Form)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_looked_for_where_the_specification_says() {
        let places =
            |issuer: &str| -> Vec<String> { places(issuer).iter().map(Url::to_string).collect() };
        assert_eq!(
            places("https://a.example/tenant1"),
            [
                "https://a.example/.well-known/oauth-authorization-server/tenant1",
                "https://a.example/.well-known/openid-configuration/tenant1",
                "https://a.example/tenant1/.well-known/openid-configuration",
            ]
        );
        assert_eq!(
            places("https://a.example/"),
            [
                "https://a.example/.well-known/oauth-authorization-server",
                "https://a.example/.well-known/openid-configuration",
            ]
        );
    }
}

//! OAuth 2.0 Protected Resource Metadata (RFC 9728): whose tokens are good here.

use crate::model::{OauthSpec, resource_identifier};
use bytes::Bytes;
use serde_json::json;
use url::Url;

/// Where such a document is found, without the resource's path.
pub(super) const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// The document, for a server of this name.
pub(super) fn document(spec: &OauthSpec, name: &str) -> Bytes {
    let mut document = json!({
        "resource": resource_identifier(&spec.resource),
        "authorization_servers": [spec.issuer],
        "bearer_methods_supported": ["header"],
        "resource_name": name,
    });
    if !spec.scopes_supported.is_empty() {
        document["scopes_supported"] = spec.scopes_supported.clone().into();
    }
    document.to_string().into()
}

/// The URL of the document of a resource (RFC 9728 §3.1).
pub(super) fn url(resource: &Url) -> String {
    let mut url = resource.clone();
    url.set_path(&format!("{WELL_KNOWN}{}", path(resource)));
    url.into()
}

/// A resource's path, empty for that of a whole host.
pub(super) fn path(resource: &Url) -> &str {
    resource.path().trim_end_matches('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_a_resource_stands_behind_the_well_known_one() {
        for (resource, expected) in [
            (
                "https://a.example/mcp",
                "https://a.example/.well-known/oauth-protected-resource/mcp",
            ),
            (
                "https://a.example:8443",
                "https://a.example:8443/.well-known/oauth-protected-resource",
            ),
            (
                "https://A.example/x/mcp/",
                "https://a.example/.well-known/oauth-protected-resource/x/mcp",
            ),
        ] {
            assert_eq!(url(&Url::parse(resource).unwrap()), expected);
        }
    }
}

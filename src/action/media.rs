//! Bytes as content blocks, by their media type.

use crate::ops::{Base64, Block, Payload};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// An image or a sound by its type, else an embedded resource. `uri` names it where it is a
/// resource.
pub(super) fn block(mime_type: String, data: Base64, uri: impl FnOnce() -> String) -> Block {
    if mime_type.starts_with("image/") {
        Block::Image {
            data,
            mime_type,
            annotations: None,
        }
    } else if mime_type.starts_with("audio/") {
        Block::Audio {
            data,
            mime_type,
            annotations: None,
        }
    } else {
        resource(mime_type, Payload::Blob(data), uri())
    }
}

/// An embedded resource.
pub(super) fn resource(mime_type: String, payload: Payload, uri: String) -> Block {
    Block::Resource {
        uri,
        mime_type: Some(mime_type),
        payload,
        annotations: None,
    }
}

/// A name for bytes that have none: their digest as a URI (RFC 6920 §3). It promises nothing that
/// could be read again, and is the same for the same bytes alone.
pub(super) fn digest_uri(bytes: &[u8]) -> String {
    let digest = ring::digest::digest(&ring::digest::SHA256, bytes);
    format!("ni:///sha-256;{}", URL_SAFE_NO_PAD.encode(digest))
}

/// True for a type, lower case and without parameters, whose content is text: `text/*`, and what
/// is written in JSON, XML, YAML and the like.
pub(super) fn is_textual(mime_type: &str) -> bool {
    const TEXTUAL: [&str; 10] = [
        "application/ecmascript",
        "application/graphql",
        "application/javascript",
        "application/json",
        "application/sql",
        "application/toml",
        "application/x-ndjson",
        "application/x-www-form-urlencoded",
        "application/xml",
        "application/yaml",
    ];
    mime_type.starts_with("text/")
        || TEXTUAL.contains(&mime_type)
        || ["+json", "+xml", "+yaml"]
            .iter()
            .any(|suffix| mime_type.ends_with(suffix) && !mime_type.starts_with("image/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_named_as_rfc_6920_does() {
        // The example of RFC 6920 §8.1.
        assert_eq!(
            digest_uri(b"Hello World!"),
            "ni:///sha-256;f4OxZX_x_FO5LcGBSKHWXfwtSx-j1ncoSt3SABJtkGk"
        );
    }

    #[test]
    fn text_is_known_by_its_type() {
        for (mime_type, textual) in [
            ("text/html", true),
            ("application/json", true),
            ("application/problem+json", true),
            ("application/atom+xml", true),
            ("image/svg+xml", false),
            ("application/pdf", false),
            ("application/octet-stream", false),
        ] {
            assert_eq!(is_textual(mime_type), textual, "{mime_type}");
        }
    }
}

//! Content blocks of results, as every revision knows them.

use serde_json::{Map, Value};

/// Whom a block is meant for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The person.
    User,
    /// The model.
    Assistant,
}

/// Hints about a block or a resource.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Annotations {
    /// Whom it is meant for; empty when not said.
    pub audience: Vec<Role>,
    /// 0.0 (optional) to 1.0 (required).
    pub priority: Option<f64>,
    /// An ISO 8601 time.
    pub last_modified: Option<String>,
}

/// The content of a resource: text, or bytes already in base64.
#[derive(Clone, Debug, PartialEq)]
pub enum Payload {
    /// UTF-8 text.
    Text(String),
    /// Base64 of the bytes.
    Blob(String),
}

/// One content block.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// `text`.
    Text {
        /// The text.
        text: String,
        /// Hints.
        annotations: Option<Annotations>,
    },
    /// `image`.
    Image {
        /// Base64 of the bytes.
        data: String,
        /// Such as `image/png`.
        mime_type: String,
        /// Hints.
        annotations: Option<Annotations>,
    },
    /// `audio`.
    Audio {
        /// Base64 of the bytes.
        data: String,
        /// Such as `audio/wav`.
        mime_type: String,
        /// Hints.
        annotations: Option<Annotations>,
    },
    /// `resource`: a resource's content inside the result.
    Resource {
        /// The resource's URI.
        uri: String,
        /// Its type, when known.
        mime_type: Option<String>,
        /// Its content.
        payload: Payload,
        /// Hints.
        annotations: Option<Annotations>,
    },
    /// `resource_link`: a resource the caller may read.
    ResourceLink {
        /// The members of a Resource (`uri`, `name`, …) in the specification's names.
        resource: Map<String, Value>,
        /// Hints.
        annotations: Option<Annotations>,
    },
}

impl Block {
    /// A text block without annotations.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text {
            text: text.into(),
            annotations: None,
        }
    }
}

//! Content blocks of results, as every revision knows them.

use super::Base64;
pub use crate::model::{Annotations, Role};
use serde_json::{Map, Value};

/// The content of a resource: text or bytes.
#[derive(Clone, Debug, PartialEq)]
pub enum Payload {
    /// UTF-8 text.
    Text(String),
    /// The bytes.
    Blob(Base64),
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
        /// The bytes.
        data: Base64,
        /// Such as `image/png`.
        mime_type: String,
        /// Hints.
        annotations: Option<Annotations>,
    },
    /// `audio`.
    Audio {
        /// The bytes.
        data: Base64,
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

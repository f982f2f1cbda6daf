//! How an action's outcome becomes the answer: the validated form of `result`.

use super::Annotations;
use crate::lang::template::{Template, Tree};

/// A tool's `result`.
#[derive(Debug, Default)]
pub struct ResultSpec {
    /// One text block.
    pub text: Option<Template>,
    /// Structured content.
    pub structured: Option<Tree>,
    /// Content blocks.
    pub content: Option<Vec<BlockSpec>>,
    /// The answer is an error with this text when it renders non-empty.
    pub error: Option<Template>,
    /// The answer is a protocol error.
    pub protocol_error: Option<ProtocolErrorSpec>,
    /// `_meta` of the result: an object.
    pub metadata: Option<Tree>,
}

impl ResultSpec {
    /// It says what the content is. Otherwise the action's own answer stands.
    pub fn says_content(&self) -> bool {
        self.text.is_some() || self.structured.is_some() || self.content.is_some()
    }
}

/// `protocol_error`: a JSON-RPC error of the author's own.
#[derive(Debug)]
pub struct ProtocolErrorSpec {
    /// Only when this holds; always when absent.
    pub when: Option<Template>,
    /// The code.
    pub code: i64,
    /// The message.
    pub message: Template,
    /// `data`.
    pub data: Option<Tree>,
}

/// One content block.
#[derive(Debug)]
pub struct BlockSpec {
    /// What it holds.
    pub kind: BlockKind,
    /// Hints.
    pub annotations: Option<Annotations>,
}

/// What a content block holds.
#[derive(Debug)]
pub enum BlockKind {
    /// `text`.
    Text(Template),
    /// `image`.
    Image(MediaSpec),
    /// `audio`.
    Audio(MediaSpec),
    /// `resource`.
    Resource {
        /// The URI.
        uri: Template,
        /// Its type.
        mime_type: Option<Template>,
        /// Its content.
        payload: PayloadSpec,
    },
    /// `resource_link`: the members of a Resource.
    ResourceLink(Tree),
}

/// The bytes of an image or a sound.
#[derive(Debug)]
pub struct MediaSpec {
    /// Base64 text.
    pub data: Template,
    /// Such as `image/png`.
    pub mime_type: Template,
}

/// The content of an embedded resource.
#[derive(Debug)]
pub enum PayloadSpec {
    /// Text.
    Text(Template),
    /// Base64 text.
    Blob(Template),
}

//! What a caller asks for.

use super::Reference;
use std::collections::BTreeMap;

/// A tool's arguments as sent: an object. Absent and `null` have become the empty object.
pub type Arguments = serde_json::Map<String, serde_json::Value>;

/// Texts by name: what a prompt takes.
pub type Texts = BTreeMap<String, String>;

/// One request, decoded by a dialect, whatever revision it came in.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// `server/discover`.
    Discover,
    /// `tools/list`.
    ListTools {
        /// An opaque cursor as the caller sent it; `None` for the first page.
        cursor: Option<String>,
    },
    /// `tools/call`.
    CallTool {
        /// The tool's name as sent.
        name: String,
        /// Its arguments.
        arguments: Arguments,
    },
    /// `resources/list`.
    ListResources {
        /// As for tools.
        cursor: Option<String>,
    },
    /// `resources/templates/list`.
    ListResourceTemplates {
        /// As for tools.
        cursor: Option<String>,
    },
    /// `resources/read`.
    ReadResource {
        /// The URI as sent.
        uri: String,
    },
    /// `prompts/list`.
    ListPrompts {
        /// As for tools.
        cursor: Option<String>,
    },
    /// `prompts/get`.
    GetPrompt {
        /// The prompt's name as sent.
        name: String,
        /// Its arguments.
        arguments: Texts,
    },
    /// `completion/complete`.
    Complete {
        /// What the value belongs to.
        reference: Reference,
        /// Which argument or variable is being typed.
        argument: String,
        /// What has been typed.
        typed: String,
        /// The other arguments so far.
        others: Texts,
    },
}

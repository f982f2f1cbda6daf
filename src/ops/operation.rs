//! What a caller asks for.

/// A tool's arguments as sent: an object. Absent and `null` have become the empty object.
pub type Arguments = serde_json::Map<String, serde_json::Value>;

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
}

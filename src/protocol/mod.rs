//! The wire: JSON-RPC and a dialect for each protocol revision. No IO, no await.

/// What a dialect needs to know of the server to write an answer; made once per runtime.
#[derive(Clone, Debug, Default)]
pub struct Face {}

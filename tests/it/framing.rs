//! JSON-RPC and the stdio transport: every line of the requirements on framing.

//! The stdio transport.

//! The wire: JSON-RPC and a dialect for each protocol revision. No IO, no await.

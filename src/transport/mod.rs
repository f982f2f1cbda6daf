//! Transports: bytes in, bytes out.

pub mod http;
pub mod stdio;

//! What a component does when it is called.

pub mod file;
pub mod http;
pub mod shell;

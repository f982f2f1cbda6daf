//! The small languages: diagnostics, templates, schemas. Pure; nothing here does IO.

pub mod diag;
pub mod schema;
pub mod template;

//! The small languages: diagnostics, templates, URI templates, globs,
//! schemas. Pure; nothing here does IO.

pub mod diag;
pub mod glob;
pub mod schema;
pub mod template;
pub mod uri_template;

//! Validated components: what a manifest means once it has been checked. Valid by construction;
//! nothing here knows TOML, and nothing here does IO.

mod declaration;

pub use declaration::{Cache, CacheScope, Icon, Identity, Theme, ToolAnnotations, ToolDeclaration};

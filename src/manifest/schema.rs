//! JSON Schemas of the files that people write, for editors. They are data beside this file: what the
//! reader asks for and they do not know, or the other way round, fails `tests/it/schema.rs`.

/// The schema of a manifest, draft-07 because editors of TOML read no later one.
pub const MANIFEST: &str = include_str!("schema/manifest.json");

/// The schema of a server file, draft-07 too.
pub const CONFIG: &str = include_str!("schema/config.json");

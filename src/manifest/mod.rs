//! TOML to model.

pub mod discover;

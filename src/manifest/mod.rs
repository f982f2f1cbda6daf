//! TOML to model.

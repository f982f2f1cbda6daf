//! Validated components.

//! A string that never shows itself: not in `Debug`, not in an error, not in a log line; and what
//! hides it where others repeat it.

mod mask;

pub use mask::Mask;

use std::fmt;
use std::sync::Arc;

/// A secret value. Cloning shares it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Arc<str>);

impl Secret {
    /// Takes the value in.
    pub fn new(value: impl Into<Arc<str>>) -> Self {
        Self(value.into())
    }

    /// The value itself, for the one place that needs it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

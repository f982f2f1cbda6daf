//! How large the values of an expression can become, measured against the values it is given.
//!
//! The engine shares parts: `{% set a = [a, a] %}` written forty times is a value of 2^40 parts
//! that takes no memory, until it is compared or shown. Fuel does not see that, so it is refused
//! when the template is read.

use std::ops::Range;

use super::super::error::{TemplateError, TemplateErrorKind};

/// Levels that an expression may add around its values.
const MAX_DEPTH: u32 = 64;

/// Copies of its values that an expression may hold.
const MAX_COPIES: u64 = 100_000;

/// The most that an expression gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Size {
    /// Levels of lists and objects around the values it is given.
    depth: u32,
    /// How many values it holds.
    copies: u64,
}

impl Size {
    /// A value that is given, or a constant.
    pub(super) const ONE: Self = Self {
        depth: 0,
        copies: 1,
    };

    const NOTHING: Self = Self {
        depth: 0,
        copies: 0,
    };

    /// The size of something made of these.
    pub(super) fn of_all(parts: impl IntoIterator<Item = Self>) -> Self {
        parts.into_iter().fold(Self::NOTHING, Self::and)
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self {
            depth: self.depth.max(other.depth),
            copies: self.copies.saturating_add(other.copies),
        }
    }

    /// The same inside of so many lists or objects.
    pub(super) fn nested(self, levels: u32) -> Self {
        Self {
            depth: self.depth.saturating_add(levels),
            copies: self.copies.max(1),
        }
    }

    pub(super) fn check(self, range: Range<usize>) -> Result<(), TemplateError> {
        if self.depth <= MAX_DEPTH && self.copies <= MAX_COPIES {
            return Ok(());
        }
        Err(TemplateError::new(
            TemplateErrorKind::TooLarge,
            range,
            "this builds a value that is too large: it nests or repeats its parts too often",
        ))
    }
}

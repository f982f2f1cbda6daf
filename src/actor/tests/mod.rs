//! Whole actors.

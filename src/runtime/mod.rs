//! The immutable runtime built from a model.

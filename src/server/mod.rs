//! Dispatch: one message in, one answer out.

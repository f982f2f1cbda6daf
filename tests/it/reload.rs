//! Hot reload: every way a file changes, and what must not change with it.

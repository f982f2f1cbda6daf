//! The server file, `--set`, secrets, and what they refuse.

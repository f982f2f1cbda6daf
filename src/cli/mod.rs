//! The command line.

pub mod exec_limits;

//! The command line: start, stop, signals, exit codes.

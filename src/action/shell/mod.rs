//! Running a command.

//! Reading a file inside a folder that the caller cannot leave.

mod action;
mod binary;
mod blocking;
mod cached;
mod content;
mod encode;
mod error;
mod folder;
mod mime;
mod options;
mod part;
mod room;
mod source;
#[cfg(test)]
mod tests;
mod time;
mod walk;

pub use action::{FileAction, FileOutput};
pub use content::{Body, Entry, EntryKind, FileContent, Found, Listing};
pub use error::{FileError, RootError};
pub use options::ReadOptions;
pub use source::{Fixed, Root};
pub use walk::{FileState, Listed, files_below};

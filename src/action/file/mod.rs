//! Reading a file inside a folder.

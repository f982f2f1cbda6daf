//! What a request says, found the same way in every revision: the members of its `params` and of their
//! `_meta`, and the operation that a method and its parameters are.

mod arguments;
mod at_once;
mod complete;
mod meta;
mod operation;
mod params;
mod trace;

pub(super) use at_once::at_once;
pub(super) use meta::{implementation, level};
pub(super) use operation::{object, operation, string};
pub(super) use params::Params;

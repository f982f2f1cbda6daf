//! `snodo check`: what is wrong with manifests, where, and what to do.

mod codes;
mod discovery;
mod expand;
pub mod fixtures;
mod hostile;
mod options;
mod several;

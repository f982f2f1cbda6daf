//! `snodo check`: what is wrong with manifests, where, and what to do.

mod codes;
mod discovery;
mod expand;
mod fixtures;
mod hostile;
mod options;
mod several;

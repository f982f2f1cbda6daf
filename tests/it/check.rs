//! `snodo check`: what is wrong with manifests, where, and what to do.

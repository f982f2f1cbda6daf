//! Tests through the public face: a manifest folder in, wire bytes out.

mod support;

mod actions;
mod calls;
mod check;
mod cli;
mod docs;
mod framing;
mod house;
mod http;
mod reload;
mod settings;

//! Tests through the public face: a manifest folder in, wire bytes out.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used,
    unreachable_pub,
    reason = "a test starts programs and fails by panicking; what is public is so to other tests"
)]

mod support;

mod access;
mod actions;
mod actors;
mod asking;
mod calls;
mod check;
mod cli;
mod client;
mod docs;
mod faults;
mod framing;
mod house;
mod http;
mod legacy;
mod notices;
mod prompts;
mod reload;
mod resources;
mod schema;
mod seeds;
mod service;
mod settings;
mod subscriptions;
mod traces;
mod wraps;

//! snodo turns a folder of TOML manifests into a Model Context Protocol server.
//!
//! The modules are declared in layer order; each imports only what stands above it here.
//! ARCHITECTURE.md describes the two ways through them: a request and a reload.

// L0: small languages, units, logging, secrets, shutdown, the service manager. Pure, or knowing only
// the process.
pub mod lang;
pub mod secret;
pub mod service;
pub mod shutdown;
pub mod telemetry;
pub mod units;

// L1: validated components.
pub mod model;

// L2: TOML to model; the neutral protocol; children and their groups.
pub mod manifest;
pub mod ops;
pub mod process;

// L3: the wire; actors; what a component does.
pub mod action;
pub mod actor;
pub mod protocol;

// L3: what stands before an action; who calls; spans on their way to a collector.
pub mod access;
pub mod guard;
pub mod otlp;

// L4: the immutable runtime.
pub mod runtime;

// L5: a message in, an answer out; the tests that stand beside tools.
pub mod server;
pub mod testing;

// L6: bytes in, bytes out; the other end of them.
pub mod client;
pub mod transport;

// L7: watching manifests; what a server offers, written down.
pub mod catalog;
pub mod reload;

// L8: the only place that constructs everything.
pub mod app;

// L9: the command line.
pub mod cli;

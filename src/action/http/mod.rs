//! Fetching over HTTP.

mod action;
mod address;
mod body;
mod call;
mod client;
mod connector;
mod decode;
mod dial;
mod error;
mod failure;
mod headers;
mod hop;
mod network;
mod origin;
mod output;
mod request;
mod retry;
mod stand_in;
mod stream;
mod tls;

#[cfg(test)]
mod tests;

pub use action::{HttpAction, HttpClients};
pub use client::Client;
pub use error::{Fault, FetchError};
pub use network::{Network, SystemNetwork};
pub use origin::Origin;
pub use output::HttpOutput;
pub use request::{Fetch, Fetched};
pub use stand_in::{Record, SeenRequest, StandIn, StandInReply};
pub use tls::{ClientError, ClientOptions};

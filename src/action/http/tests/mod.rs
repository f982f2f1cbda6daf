//! The client against servers on this machine.

mod basics;
mod bodies;
mod guard;
mod pool;
mod redirects;
mod retries;
mod secrets;
mod server;
mod streams;
mod tls;

use super::*;
use crate::model::{ClientIdentity, HttpTarget, KeyPem, RetrySpec};
use crate::ops::Notices;
use http::{HeaderName, HeaderValue, Method};
use std::time::Duration;
use url::Url;

/// A GET as the manifest's defaults make it, of a host that stands in the manifest.
fn get(url: &str) -> Fetch {
    Fetch {
        method: Method::GET,
        url: Url::parse(url).expect("a URL"),
        headers: Vec::new(),
        secret_headers: Vec::new(),
        body: None,
        secret_body: false,
        timeout: Duration::from_secs(10),
        max_bytes: 4 << 20,
        accept_status: Vec::new(),
        redirects: 5,
        retry: RetrySpec::default(),
        notices: Notices::none(),
        target: HttpTarget::Fixed {
            allow_private: false,
        },
    }
}

fn header(name: &'static str, value: &'static str) -> (HeaderName, HeaderValue) {
    (
        HeaderName::from_static(name),
        HeaderValue::from_static(value),
    )
}

/// A host that came with the call, and what it may be.
fn from_caller(allow: &[&str]) -> HttpTarget {
    HttpTarget::FromCaller {
        allow_hosts: allow
            .iter()
            .map(|entry| entry.parse().expect("a pattern"))
            .collect(),
        allow_private: false,
    }
}

fn client() -> Client {
    Client::new(&ClientOptions::default()).expect("a client")
}

/// The fault of a fetch that must fail.
async fn fault(client: &Client, fetch: Fetch) -> Fault {
    match client.fetch(fetch).await {
        Err(error) => error.fault().clone(),
        Ok(fetched) => panic!("the fetch fails, but: {}", fetched.status),
    }
}

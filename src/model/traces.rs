//! `[traces]`: where spans of requests are exported, and which.

use crate::secret::Secret;
use http::HeaderName;
use std::time::Duration;
use url::Url;

/// Where spans go (OTLP over HTTP), and which are recorded.
#[derive(Clone, PartialEq)]
pub struct TracesSettings {
    /// The collector's URL for traces.
    pub endpoint: Url,
    /// What it is sent beside the spans: its credentials.
    pub headers: Vec<(HeaderName, Secret)>,
    /// How long one request to it may take.
    pub timeout: Duration,
    /// How many requests that belong to no trace are recorded: 0 to 1.
    pub ratio: f64,
    /// `service.name`; the server's name when absent.
    pub service: Option<String>,
    /// Further attributes of the resource that spans are of.
    pub resource: Vec<(String, String)>,
    /// Certificates, PEM, that are trusted beside the platform's.
    pub ca: Vec<Vec<u8>>,
}

impl std::fmt::Debug for TracesSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TracesSettings").finish_non_exhaustive()
    }
}

//! Fetching over HTTP.

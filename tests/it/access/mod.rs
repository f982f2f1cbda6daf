//! Who may call, and what each is shown and may use.

mod asked;
mod attacks;
mod hidden;
mod issuer;
mod listening;
mod oauth;
mod sessions;
mod settings;
mod tls;
mod token;
mod tokens;

use crate::support::{Connection, Daemon, Project};
use ring::digest::{SHA256, digest};

/// The lines of a server file for a token of this principal.
fn known(principal: &str, scopes: &str, token: &str) -> String {
    let sha256: String = digest(&SHA256, token.as_bytes())
        .as_ref()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!(
        "[[auth.tokens]]\nprincipal = \"{principal}\"\nscopes = [{scopes}]\nsha256 = \"{sha256}\"\n"
    )
}

/// A project with this manifest and this server file, less `manifests`.
fn project(manifest: &str, server: &str) -> Project {
    Project::with(manifest)
        .file(
            "snodo.toml",
            format!("manifests = [\"manifests\"]\n{server}"),
        )
        .arg("--config")
        .arg("snodo.toml")
        .set("log.level=debug")
}

/// A connection of somebody with this token.
fn with(daemon: &Daemon, token: &str) -> Connection {
    daemon.connect().bearer(token)
}

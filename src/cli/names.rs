//! What was meant by a name that a server does not know.

use super::remote::Failed;
use crate::client::{Client, ClientError, Kind};
use crate::lang::diag::suggest::did_you_mean;

/// By which servers say that there is no such thing.
const UNKNOWN: [i64; 2] = [-32602, -32002];

/// The failure, or, where a name of the server's is near, that there is no such thing and what was meant. Only a server that refused is asked for
/// its list.
pub(super) async fn meant(client: &Client, kind: Kind, name: &str, failed: Failed) -> Failed {
    let Failed::Client(ClientError::Refused { error, .. }) = &failed else {
        return failed;
    };
    if !UNKNOWN.contains(&error.code) {
        return failed;
    }
    let Ok(listed) = client.list(kind).await else {
        return failed;
    };
    let (member, what) = match kind {
        Kind::Resources => ("uri", "resource"),
        Kind::Templates => ("uriTemplate", "resource"),
        Kind::Prompts => ("name", "prompt"),
        Kind::Tools => ("name", "tool"),
    };
    let names = listed
        .items
        .iter()
        .filter_map(|item| item.get(member)?.as_str());
    let names: Vec<&str> = names.collect();
    if names.contains(&name) {
        return failed;
    }
    match did_you_mean(name, names) {
        Some(help) => Failed::Misused(format!("there is no {what} `{name}`"), Some(help)),
        None => failed,
    }
}

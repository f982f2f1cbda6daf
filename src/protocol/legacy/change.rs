//! What the server says by itself: a list or a resource has changed.

use crate::ops::{Change, ListKind};
use crate::protocol::jsonrpc;
use bytes::Bytes;

/// The notification of a change.
pub(in crate::protocol) fn change(change: &Change) -> Bytes {
    let method = match change {
        Change::List(ListKind::Tools) => "notifications/tools/list_changed",
        Change::List(ListKind::Prompts) => "notifications/prompts/list_changed",
        Change::List(ListKind::Resources) => "notifications/resources/list_changed",
        Change::Resource(_) => "notifications/resources/updated",
    };
    jsonrpc::notification(method, |params| {
        if let Change::Resource(uri) = change {
            params.text("uri", uri);
        }
    })
}

//! `subscriptions/listen` and what is sent to who listens (specification: subscriptions). Every
//! message carries the id of the request that began the listening.

use super::outcome::SERVER_INFO;
use crate::ops::{Change, Filter, ListKind, OpError};
use crate::protocol::face::{Face, Offer};
use crate::protocol::json::{self, Members};
use crate::protocol::jsonrpc::{self, Id};
use crate::protocol::request::Params;
use bytes::Bytes;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::sync::Arc;

const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";

/// The members of a SubscriptionFilter. Others are kinds of notifications that are not known here;
/// they are left out of the acknowledgement.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Asked {
    tools_list_changed: Option<bool>,
    prompts_list_changed: Option<bool>,
    resources_list_changed: Option<bool>,
    resource_subscriptions: Option<Vec<String>>,
}

/// Reads the filter: what was asked for and is offered.
///
/// # Errors
/// It is missing or malformed, or names too many resources.
pub(super) fn filter(offer: Offer, params: &Params<'_>) -> Result<Filter, OpError> {
    let raw = params.notifications.map(serde_json::value::RawValue::get);
    let Some(raw) = raw.filter(|raw| raw.starts_with('{')) else {
        return Err(OpError::InvalidParams(
            "`notifications` must be an object that says what to listen for".into(),
        ));
    };
    let asked: Asked = serde_json::from_str(raw)
        .map_err(|error| OpError::InvalidParams(format!("`notifications`: {error}")))?;
    let uris: Option<BTreeSet<String>> = asked
        .resource_subscriptions
        .map(|uris| uris.into_iter().collect());
    if uris.as_ref().is_some_and(|uris| uris.len() > Filter::MOST) {
        return Err(OpError::InvalidParams(format!(
            "`notifications.resourceSubscriptions` names more than {} resources",
            Filter::MOST
        )));
    }
    let bytes: usize = uris.iter().flatten().map(String::len).sum();
    if bytes > Filter::MOST_BYTES {
        return Err(OpError::InvalidParams(format!(
            "the URIs in `notifications.resourceSubscriptions` have {bytes} bytes, more than {}; \
             listen in several requests",
            Filter::MOST_BYTES
        )));
    }
    let wants = |asked: Option<bool>, offered: bool| offered && asked == Some(true);
    Ok(Filter {
        tools: wants(asked.tools_list_changed, offer.tools.is_some()),
        prompts: wants(asked.prompts_list_changed, offer.prompts.is_some()),
        resources: wants(asked.resources_list_changed, offer.resources.is_some()),
        uris: uris
            .filter(|_| offer.resources.is_some())
            .map(|uris| uris.into_iter().map(Arc::from).collect()),
    })
}

/// `notifications/subscriptions/acknowledged`: what is listened for.
pub(in crate::protocol) fn acknowledged(id: &Id, filter: &Filter) -> Bytes {
    jsonrpc::notification("notifications/subscriptions/acknowledged", |params| {
        subscription(id, params);
        let mut members = Members::open(params.member("notifications"));
        for (name, wanted) in [
            ("toolsListChanged", filter.tools),
            ("promptsListChanged", filter.prompts),
            ("resourcesListChanged", filter.resources),
        ] {
            if wanted {
                members.raw(name, b"true");
            }
        }
        if let Some(uris) = &filter.uris {
            json::array(members.member("resourceSubscriptions"), uris, |out, uri| {
                json::string(out, uri);
            });
        }
        members.close();
    })
}

/// The notification of a change.
pub(in crate::protocol) fn change(id: &Id, change: &Change) -> Bytes {
    let method = match change {
        Change::List(ListKind::Tools) => "notifications/tools/list_changed",
        Change::List(ListKind::Prompts) => "notifications/prompts/list_changed",
        Change::List(ListKind::Resources) => "notifications/resources/list_changed",
        Change::Resource(_) => "notifications/resources/updated",
    };
    jsonrpc::notification(method, |params| {
        subscription(id, params);
        if let Change::Resource(uri) = change {
            params.text("uri", uri);
        }
    })
}

/// `notifications/cancelled`: the server ends the listening. The response comes after it.
pub(in crate::protocol) fn cancelled(id: &Id) -> Bytes {
    jsonrpc::notification("notifications/cancelled", |params| {
        subscription(id, params);
        params.raw("requestId", id.as_json().as_bytes());
        params.text("reason", "the server ends the subscription");
    })
}

/// The response, once the server has ended the listening (schema: SubscriptionsListenResult).
pub(in crate::protocol) fn listen_response(face: &Face, id: &Id) -> Bytes {
    let mut out = jsonrpc::begin_result(id, 256);
    let mut result = Members::open(&mut out);
    result.text("resultType", "complete");
    let mut meta = Members::open(result.member("_meta"));
    meta.raw(SUBSCRIPTION_ID, id.as_json().as_bytes());
    meta.raw(SERVER_INFO, &face.server_info);
    meta.close();
    result.close();
    out.push(b'}');
    out.into()
}

fn subscription(id: &Id, params: &mut Members<'_>) {
    let mut meta = Members::open(params.member("_meta"));
    meta.raw(SUBSCRIPTION_ID, id.as_json().as_bytes());
    meta.close();
}

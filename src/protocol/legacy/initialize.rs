//! `initialize` (specification: lifecycle §Initialization): which revision is spoken from then on,
//! and what either side can do.

use super::session::{Agreed, Declared};
use crate::ops::{ClientCapabilities, ClientCapability, OpError};
use crate::protocol::capabilities;
use crate::protocol::declare;
use crate::protocol::face::Face;
use crate::protocol::json::Members;
use crate::protocol::jsonrpc::{self, Id, Request, text};
use crate::protocol::request;
use crate::protocol::version::{Legacy, Revision};
use bytes::Bytes;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::sync::Arc;

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Asked<'a> {
    #[serde(borrow)]
    protocol_version: Option<&'a RawValue>,
    #[serde(borrow)]
    capabilities: Option<&'a RawValue>,
    #[serde(borrow)]
    client_info: Option<&'a RawValue>,
}

/// What is settled: the revision that the client asks for when it is spoken here, `newest`
/// otherwise. What the client leaves out, it cannot do, or does not want known.
///
/// # Errors
/// No revision is asked for, or a member is of another type.
pub(in crate::protocol) fn initialize(
    face: &Face,
    newest: Legacy,
    request: &Request<'_>,
) -> Result<Agreed, OpError> {
    let asked: Asked<'_> = match request.params {
        Some(params) => serde_json::from_str(params.get())
            .map_err(|error| OpError::InvalidParams(format!("`params`: {error}")))?,
        None => Asked::default(),
    };
    let version = asked.protocol_version.and_then(text);
    let version = version.ok_or_else(|| must_be("protocolVersion", "a string"))?;
    let revision = face.protocols.find(&version).and_then(Revision::legacy);
    let revision = revision.unwrap_or(newest);
    let capabilities = match asked.capabilities {
        Some(raw) if raw.get().starts_with('{') => meant(revision, capabilities::read(raw)),
        Some(_) => return Err(must_be("capabilities", "an object")),
        None => ClientCapabilities::default(),
    };
    let client = match asked.client_info {
        Some(raw) => {
            let client = request::implementation(raw)
                .ok_or_else(|| must_be("clientInfo", "an object with a `name` and a `version`"))?;
            Some(Arc::new(client))
        }
        None => None,
    };
    let of = |kind: Option<crate::protocol::Behaviour>| kind.unwrap_or_default();
    let offer = &face.offer;
    Ok(Agreed {
        revision,
        declared: Declared {
            tools: of(offer.tools).list_changed,
            prompts: of(offer.prompts).list_changed,
            resources: of(offer.resources).list_changed,
            subscribe: of(offer.resources).subscribe,
            logging: offer.logging,
        },
        capabilities,
        client,
    })
}

/// What a client means by its capabilities in this revision. 2025-06-18 has no parts of them: to be
/// asked is to be asked by a form, and sampling may come with context.
fn meant(revision: Legacy, declared: ClientCapabilities) -> ClientCapabilities {
    use ClientCapability::{Form, Roots, Sampling, SamplingContext, Url};
    match revision {
        Legacy::V2025_11_25 => declared,
        Legacy::V2025_06_18 => [
            (Form, declared.has(Form) || declared.has(Url)),
            (Sampling, declared.has(Sampling)),
            (SamplingContext, declared.has(Sampling)),
            (Roots, declared.has(Roots)),
        ]
        .into_iter()
        .filter_map(|(capability, is_there)| is_there.then_some(capability))
        .collect(),
    }
}

fn must_be(name: &str, what: &str) -> OpError {
    OpError::InvalidParams(format!("`{name}` must be {what}"))
}

/// The response (schema: InitializeResult).
pub(in crate::protocol) fn initialize_response(face: &Face, id: &Id, revision: Legacy) -> Bytes {
    let mut out = jsonrpc::begin_result(id, room(face));
    let mut result = Members::open(&mut out);
    result.text("protocolVersion", revision.revision().name());
    declare::capabilities(face, result.member("capabilities"));
    result.raw("serverInfo", &face.server_info);
    result.maybe_text("instructions", face.instructions.as_deref());
    result.close();
    out.push(b'}');
    out.into()
}

/// How many bytes the result may take.
fn room(face: &Face) -> usize {
    512 + face.server_info.len() + face.instructions.as_ref().map_or(0, |text| text.len())
}

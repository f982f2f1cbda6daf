//! Resources: their two lists, and what is read of them (specification: resources).

use super::declare::{SHAPE, cacheable, page};
use super::outcome::meta;
use crate::model::{Cache, ResourceDeclaration};
use crate::ops::ResourceOutcome;
use crate::protocol::declare;
use crate::protocol::face::Face;
use crate::protocol::json::Members;
use crate::protocol::jsonrpc::{self, Id};
use crate::protocol::pieces::{Cuts, Pieces};
use crate::protocol::results;
use bytes::Bytes;

/// One page of `resources/list` (schema: ListResourcesResult).
pub(in crate::protocol) fn resources_page(
    face: &Face,
    resources: &[&ResourceDeclaration],
    next_cursor: Option<&str>,
    cache: Cache,
) -> Bytes {
    let write = |out: &mut Vec<u8>, item: &ResourceDeclaration| {
        declare::resource(out, "uri", item, SHAPE);
    };
    page(face, "resources", resources, write, next_cursor, cache)
}

/// One page of `resources/templates/list` (schema: ListResourceTemplatesResult).
pub(in crate::protocol) fn templates_page(
    face: &Face,
    templates: &[&ResourceDeclaration],
    next_cursor: Option<&str>,
    cache: Cache,
) -> Bytes {
    let write = |out: &mut Vec<u8>, item: &ResourceDeclaration| {
        declare::resource(out, "uriTemplate", item, SHAPE);
    };
    page(
        face,
        "resourceTemplates",
        templates,
        write,
        next_cursor,
        cache,
    )
}

/// The response to `resources/read` (schema: ReadResourceResult).
pub(in crate::protocol) fn resource_response(
    face: &Face,
    id: &Id,
    outcome: &ResourceOutcome,
) -> Pieces {
    let room = face.server_info.len() + results::room_of_resource(outcome);
    let mut out = jsonrpc::begin_result(id, room);
    let mut cuts = Cuts::some();
    let mut result = Members::open(&mut out);
    result.text("resultType", "complete");
    results::contents(result.member("contents"), outcome, &mut cuts);
    cacheable(&mut result, outcome.cache);
    meta(face, &mut result, &outcome.meta);
    result.close();
    out.push(b'}');
    cuts.applied(out)
}

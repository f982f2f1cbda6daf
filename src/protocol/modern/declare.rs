//! Results that are the same for every request of a runtime: discovery and the lists. Members stand
//! in the schema's order; what is absent is left out.

use super::outcome::server_meta;
use crate::model::{Cache, CacheScope, PromptDeclaration, ToolDeclaration};
use crate::protocol::declare;
use crate::protocol::face::Face;
use crate::protocol::json::{self, Members};
use crate::protocol::version::{Dialect, Shape};
use bytes::Bytes;

pub(super) const SHAPE: Shape = Dialect::Modern.shape();

/// `server/discover` (schema: DiscoverResult).
pub(in crate::protocol) fn discover_result(face: &Face, cache: Cache) -> Bytes {
    let mut out = Vec::new();
    let mut result = Members::open(&mut out);
    result.text("resultType", "complete");
    face.protocols.write(result.member("supportedVersions"));
    declare::capabilities(face, result.member("capabilities"));
    server_meta(face, &mut result);
    result.maybe_text("instructions", face.instructions.as_deref());
    cacheable(&mut result, cache);
    result.close();
    out.into()
}

/// One page of `tools/list` (schema: ListToolsResult).
pub(in crate::protocol) fn tools_page(
    face: &Face,
    tools: &[&ToolDeclaration],
    next_cursor: Option<&str>,
    cache: Cache,
) -> Bytes {
    let write = |out: &mut Vec<u8>, item: &ToolDeclaration| declare::tool(out, item, SHAPE);
    page(face, "tools", tools, write, next_cursor, cache)
}

/// One page of `prompts/list` (schema: ListPromptsResult).
pub(in crate::protocol) fn prompts_page(
    face: &Face,
    prompts: &[&PromptDeclaration],
    next_cursor: Option<&str>,
    cache: Cache,
) -> Bytes {
    let write = |out: &mut Vec<u8>, item: &PromptDeclaration| declare::prompt(out, item, SHAPE);
    page(face, "prompts", prompts, write, next_cursor, cache)
}

/// One page of a list; each item is written by `write` into the member `name`.
pub(super) fn page<T>(
    face: &Face,
    name: &str,
    items: &[&T],
    write: impl Fn(&mut Vec<u8>, &T),
    next_cursor: Option<&str>,
    cache: Cache,
) -> Bytes {
    let mut out = Vec::new();
    let mut result = Members::open(&mut out);
    result.text("resultType", "complete");
    json::array(result.member(name), items, |out, item| write(out, item));
    result.maybe_text("nextCursor", next_cursor);
    cacheable(&mut result, cache);
    server_meta(face, &mut result);
    result.close();
    out.into()
}

/// Writes how long and for whom the result may be kept (schema: CacheableResult).
pub(super) fn cacheable(result: &mut Members<'_>, cache: Cache) {
    json::display(result.member("ttlMs"), cache.ttl_ms);
    result.text(
        "cacheScope",
        match cache.scope {
            CacheScope::Public => "public",
            CacheScope::Private => "private",
        },
    );
}

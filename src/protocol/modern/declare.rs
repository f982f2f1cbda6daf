//! Results that are the same for every request of a runtime: discovery and the lists. Members stand
//! in the schema's order; what is absent is left out.

use super::outcome::server_meta;
use crate::model::{Cache, CacheScope, Icon, Theme, ToolAnnotations, ToolDeclaration};
use crate::protocol::face::Face;
use crate::protocol::json::{self, Members};
use crate::protocol::version;
use bytes::Bytes;

/// `server/discover` (schema: DiscoverResult).
pub(in crate::protocol) fn discover_result(face: &Face, cache: Cache) -> Bytes {
    let mut out = Vec::new();
    let mut result = Members::open(&mut out);
    result.text("resultType", "complete");
    version::write_list(result.member("supportedVersions"));
    capabilities(face, result.member("capabilities"));
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
    let mut out = Vec::new();
    let mut result = Members::open(&mut out);
    result.text("resultType", "complete");
    json::array(result.member("tools"), tools, |out, tool| {
        self::tool(out, tool)
    });
    result.maybe_text("nextCursor", next_cursor);
    cacheable(&mut result, cache);
    server_meta(face, &mut result);
    result.close();
    out.into()
}

/// Writes ServerCapabilities.
fn capabilities(face: &Face, out: &mut Vec<u8>) {
    let mut capabilities = Members::open(out);
    if let Some(tools) = face.offer.tools {
        let mut tools_members = Members::open(capabilities.member("tools"));
        if tools.list_changed {
            tools_members.raw("listChanged", b"true");
        }
        tools_members.close();
    }
    capabilities.close();
}

/// Writes how long and for whom the result may be kept (schema: CacheableResult).
fn cacheable(result: &mut Members<'_>, cache: Cache) {
    json::display(result.member("ttlMs"), cache.ttl_ms);
    result.text(
        "cacheScope",
        match cache.scope {
            CacheScope::Public => "public",
            CacheScope::Private => "private",
        },
    );
}

/// Writes a Tool.
fn tool(out: &mut Vec<u8>, tool: &ToolDeclaration) {
    let mut members = Members::open(out);
    members.text("name", &tool.name);
    members.maybe_text("title", tool.title.as_deref());
    if !tool.icons.is_empty() {
        json::array(members.member("icons"), &tool.icons, icon);
    }
    members.maybe_text("description", tool.description.as_deref());
    json::value(members.member("inputSchema"), &tool.input_schema);
    if let Some(schema) = &tool.output_schema {
        json::value(members.member("outputSchema"), schema);
    }
    if tool.annotations != ToolAnnotations::default() {
        annotations(members.member("annotations"), &tool.annotations);
    }
    if !tool.metadata.is_empty() {
        json::object(members.member("_meta"), &tool.metadata);
    }
    members.close();
}

/// Writes an Icon.
fn icon(out: &mut Vec<u8>, icon: &Icon) {
    let mut members = Members::open(out);
    members.text("src", &icon.src);
    members.maybe_text("mimeType", icon.mime_type.as_deref());
    if !icon.sizes.is_empty() {
        json::array(members.member("sizes"), &icon.sizes, |out, size| {
            json::string(out, size);
        });
    }
    members.maybe_text(
        "theme",
        icon.theme.map(|theme| match theme {
            Theme::Light => "light",
            Theme::Dark => "dark",
        }),
    );
    members.close();
}

/// Writes ToolAnnotations.
fn annotations(out: &mut Vec<u8>, hints: &ToolAnnotations) {
    let mut members = Members::open(out);
    members.maybe_text("title", hints.title.as_deref());
    for (name, hint) in [
        ("readOnlyHint", hints.read_only),
        ("destructiveHint", hints.destructive),
        ("idempotentHint", hints.idempotent),
        ("openWorldHint", hints.open_world),
    ] {
        if let Some(hint) = hint {
            members.raw(name, if hint { b"true" } else { b"false" });
        }
    }
    members.close();
}

//! Results that are the same for every request of a runtime: discovery and the lists. Members stand
//! in the schema's order; what is absent is left out.

use super::outcome::server_meta;
use crate::model::{
    Cache, CacheScope, Icon, PromptArgument, PromptDeclaration, Theme, ToolAnnotations,
    ToolDeclaration,
};
use crate::protocol::face::{Behaviour, Face};
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
    page(face, "tools", tools, tool, next_cursor, cache)
}

/// One page of `prompts/list` (schema: ListPromptsResult).
pub(in crate::protocol) fn prompts_page(
    face: &Face,
    prompts: &[&PromptDeclaration],
    next_cursor: Option<&str>,
    cache: Cache,
) -> Bytes {
    page(face, "prompts", prompts, prompt, next_cursor, cache)
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

/// Writes ServerCapabilities.
fn capabilities(face: &Face, out: &mut Vec<u8>) {
    let mut capabilities = Members::open(out);
    // In the order of the schema.
    if face.offer.logging {
        capabilities.raw("logging", b"{}");
    }
    if face.offer.completions {
        capabilities.raw("completions", b"{}");
    }
    if let Some(prompts) = face.offer.prompts {
        capability(capabilities.member("prompts"), prompts);
    }
    if let Some(resources) = face.offer.resources {
        capability(capabilities.member("resources"), resources);
    }
    if let Some(tools) = face.offer.tools {
        capability(capabilities.member("tools"), tools);
    }
    capabilities.close();
}

fn capability(out: &mut Vec<u8>, behaviour: Behaviour) {
    let mut members = Members::open(out);
    if behaviour.subscribe {
        members.raw("subscribe", b"true");
    }
    if behaviour.list_changed {
        members.raw("listChanged", b"true");
    }
    members.close();
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

/// Writes a Prompt.
fn prompt(out: &mut Vec<u8>, prompt: &PromptDeclaration) {
    let mut members = Members::open(out);
    members.text("name", &prompt.name);
    members.maybe_text("title", prompt.title.as_deref());
    if !prompt.icons.is_empty() {
        json::array(members.member("icons"), &prompt.icons, icon);
    }
    members.maybe_text("description", prompt.description.as_deref());
    if !prompt.arguments.is_empty() {
        json::array(members.member("arguments"), &prompt.arguments, argument);
    }
    if !prompt.metadata.is_empty() {
        json::object(members.member("_meta"), &prompt.metadata);
    }
    members.close();
}

/// Writes a PromptArgument.
fn argument(out: &mut Vec<u8>, argument: &PromptArgument) {
    let mut members = Members::open(out);
    members.text("name", &argument.name);
    members.maybe_text("title", argument.title.as_deref());
    members.maybe_text("description", argument.description.as_deref());
    members.raw(
        "required",
        if argument.required { b"true" } else { b"false" },
    );
    members.close();
}

/// Writes an Icon.
pub(super) fn icon(out: &mut Vec<u8>, icon: &Icon) {
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

//! Lists, the same for every request of a runtime. Members stand in the schema's order.

use crate::model::{PromptDeclaration, ResourceDeclaration, ToolDeclaration};
use crate::protocol::declare;
use crate::protocol::json::{self, Members};
use crate::protocol::version::Shape;
use bytes::Bytes;

/// One page of `tools/list` (schema: ListToolsResult).
pub(in crate::protocol) fn tools_page(
    tools: &[&ToolDeclaration],
    next_cursor: Option<&str>,
    shape: Shape,
) -> Bytes {
    let write = |out: &mut Vec<u8>, item: &ToolDeclaration| declare::tool(out, item, shape);
    page("tools", tools, write, next_cursor)
}

/// One page of `prompts/list` (schema: ListPromptsResult).
pub(in crate::protocol) fn prompts_page(
    prompts: &[&PromptDeclaration],
    next_cursor: Option<&str>,
    shape: Shape,
) -> Bytes {
    let write = |out: &mut Vec<u8>, item: &PromptDeclaration| declare::prompt(out, item, shape);
    page("prompts", prompts, write, next_cursor)
}

/// One page of `resources/list` (schema: ListResourcesResult).
pub(in crate::protocol) fn resources_page(
    resources: &[&ResourceDeclaration],
    next_cursor: Option<&str>,
    shape: Shape,
) -> Bytes {
    let write = |out: &mut Vec<u8>, item: &ResourceDeclaration| {
        declare::resource(out, "uri", item, shape);
    };
    page("resources", resources, write, next_cursor)
}

/// One page of `resources/templates/list` (schema: ListResourceTemplatesResult).
pub(in crate::protocol) fn templates_page(
    templates: &[&ResourceDeclaration],
    next_cursor: Option<&str>,
    shape: Shape,
) -> Bytes {
    let write = |out: &mut Vec<u8>, item: &ResourceDeclaration| {
        declare::resource(out, "uriTemplate", item, shape);
    };
    page("resourceTemplates", templates, write, next_cursor)
}

/// One page of a list; each item is written by `write` into the member `name`.
fn page<T>(
    name: &str,
    items: &[&T],
    write: impl Fn(&mut Vec<u8>, &T),
    next_cursor: Option<&str>,
) -> Bytes {
    let mut out = Vec::new();
    let mut result = Members::open(&mut out);
    json::array(result.member(name), items, |out, item| write(out, item));
    result.maybe_text("nextCursor", next_cursor);
    result.close();
    out.into()
}

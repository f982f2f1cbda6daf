//! What a server declares, in the form its revisions share: capabilities, tools, resources, prompts.
//! Members stand in the schema's order; what is absent is left out.

use super::content;
use super::face::{Behaviour, Face};
use super::json::{self, Members};
use super::version::Shape;
use crate::model::{
    Annotations, Icon, PromptArgument, PromptDeclaration, ResourceDeclaration, Theme,
    ToolAnnotations, ToolDeclaration,
};
use serde_json::Value;

/// Writes ServerCapabilities.
pub(super) fn capabilities(face: &Face, out: &mut Vec<u8>) {
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

/// Writes a Tool.
pub(super) fn tool(out: &mut Vec<u8>, tool: &ToolDeclaration, shape: Shape) {
    let mut members = Members::open(out);
    members.text("name", &tool.name);
    members.maybe_text("title", tool.title.as_deref());
    icons(&mut members, &tool.icons, shape);
    members.maybe_text("description", tool.description.as_deref());
    json::value(members.member("inputSchema"), &tool.input_schema);
    let output = tool.output_schema.as_ref();
    if let Some(schema) = output.filter(|schema| shape.any_output || is_of_objects(schema)) {
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
pub(super) fn prompt(out: &mut Vec<u8>, prompt: &PromptDeclaration, shape: Shape) {
    let mut members = Members::open(out);
    members.text("name", &prompt.name);
    members.maybe_text("title", prompt.title.as_deref());
    icons(&mut members, &prompt.icons, shape);
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

/// A schema that only objects conform to says so at its root (schema: Tool, `outputSchema`).
fn is_of_objects(schema: &Value) -> bool {
    schema.get("type").and_then(Value::as_str) == Some("object")
}

/// Writes the member `icons`, where there are some and the revision knows them.
fn icons(members: &mut Members<'_>, icons: &[Icon], shape: Shape) {
    if shape.icons && !icons.is_empty() {
        json::array(members.member("icons"), icons, icon);
    }
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

/// Writes a Resource or a ResourceTemplate; `address` is the member that says where it is.
pub(super) fn resource(out: &mut Vec<u8>, address: &str, item: &ResourceDeclaration, shape: Shape) {
    let mut members = Members::open(out);
    members.text("name", &item.name);
    members.maybe_text("title", item.title.as_deref());
    icons(&mut members, &item.icons, shape);
    members.text(address, &item.uri);
    members.maybe_text("description", item.description.as_deref());
    members.maybe_text("mimeType", item.mime_type.as_deref());
    let hints = item.annotations.as_ref();
    if let Some(hints) = hints.filter(|hints| **hints != Annotations::default()) {
        content::annotations(members.member("annotations"), hints);
    }
    if let Some(size) = item.size {
        json::display(members.member("size"), size);
    }
    if !item.metadata.is_empty() {
        json::object(members.member("_meta"), &item.metadata);
    }
    members.close();
}

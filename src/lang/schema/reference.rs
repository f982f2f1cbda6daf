//! Where references lead: always into the document itself. Nothing is ever fetched
//! (specification: basic, `$ref` resolution).

use super::bounds::MAX_SUBSCHEMAS;
use super::dialect::Dialect;
use super::document::{Document, Edge, NodeId};
use super::error::{SchemaError, SchemaErrorKind, quote};
use super::keywords::Step;
use super::pointer;
use jsonschema::Validator;
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};
use std::sync::LazyLock;

/// Adds an edge for every `$ref` and `$dynamicRef`, and the subschemas only they lead to.
pub(super) fn resolve(document: &mut Document<'_>, errors: &mut Vec<SchemaError>) {
    let mut id = 0;
    // A reference can add subschemas, whose references follow in their turn.
    while id < document.nodes.len() && document.nodes.len() <= MAX_SUBSCHEMAS {
        refuse_foreign(document, id, errors);
        for (keyword, step) in [("$ref", Step::Ref), ("$dynamicRef", Step::DynamicRef)] {
            let Some((text, place)) = keyword_of(document, id, keyword) else {
                continue;
            };
            if keyword == "$dynamicRef" && document.dialect == Dialect::Draft7 {
                continue;
            }
            match target(document, id, text, &place, errors) {
                Ok(to) => add_edges(document, id, step, text, to),
                Err(error) => errors.push(error),
            }
        }
        id += 1;
    }
}

/// Whether it is a URI reference (RFC 3986 §4.1) by the validator's own, strict, reading.
pub(super) fn is_uri_reference(text: &str) -> bool {
    static FORMAT: LazyLock<Option<Validator>> = LazyLock::new(|| {
        jsonschema::options()
            .should_validate_formats(true)
            .offline()
            .build(&json!({ "format": "uri-reference" }))
            .ok()
    });
    FORMAT
        .as_ref()
        .is_none_or(|format| format.is_valid(&Value::String(text.to_owned())))
}

fn keyword_of<'a>(document: &Document<'a>, id: NodeId, keyword: &str) -> Option<(&'a str, String)> {
    let node = document.nodes.get(id)?;
    let text = node.schema.get(keyword)?.as_str()?;
    Some((text, pointer::join(&node.pointer, keyword)))
}

/// References of other dialects would be ignored in silence, so that the schema allows more than
/// its author wrote.
fn refuse_foreign(document: &Document<'_>, id: NodeId, errors: &mut Vec<SchemaError>) {
    let foreign: &[&str] = match document.dialect {
        Dialect::Draft202012 => &["$recursiveRef"],
        Dialect::Draft7 => &["$recursiveRef", "$dynamicRef"],
    };
    let Some(node) = document.nodes.get(id) else {
        return;
    };
    for keyword in foreign {
        if node.schema.get(keyword).is_some() {
            errors.push(
                SchemaError::new(
                    SchemaErrorKind::Unsupported,
                    pointer::join(&node.pointer, keyword),
                    format!("`{keyword}` is not part of {}", document.dialect.name()),
                )
                .help("refer to it by `$ref`"),
            );
        }
    }
}

fn target(
    document: &mut Document<'_>,
    from: NodeId,
    text: &str,
    place: &str,
    errors: &mut Vec<SchemaError>,
) -> Result<NodeId, SchemaError> {
    if !is_uri_reference(text) {
        return Err(SchemaError::new(
            SchemaErrorKind::DanglingReference,
            place,
            format!("`{}` is not a URI reference", quote(text)),
        )
        .help("write spaces and characters outside ASCII percent-encoded"));
    }
    let (uri, fragment) = text.split_once('#').unwrap_or((text, ""));
    let resource =
        resource_of(document, from, uri).ok_or_else(|| external(document, text, place))?;
    let dangling = |what: &str| {
        SchemaError::new(
            SchemaErrorKind::DanglingReference,
            place,
            format!("`{}` {what}", quote(text)),
        )
    };
    let fragment = percent_decode_str(fragment)
        .decode_utf8()
        .map_err(|_| dangling("is not UTF-8 once decoded"))?;
    let root = document.resources.get(resource).map_or(0, |r| r.root);
    if fragment.is_empty() {
        return Ok(root);
    }
    if !fragment.starts_with('/') {
        return document
            .anchored(resource, &fragment)
            .ok_or_else(|| dangling("names no anchor of this document"));
    }
    let top = document.nodes.get(root).map_or("", |node| &node.pointer);
    let absolute = format!("{top}{fragment}");
    if let Some(known) = document.at(&absolute) {
        return Ok(known);
    }
    match document.root.pointer(&absolute) {
        Some(schema @ (Value::Object(_) | Value::Bool(_))) => {
            Ok(document.add_stray(schema, absolute, errors))
        }
        Some(_) => Err(dangling("leads to something that is not a schema")),
        None => Err(dangling("leads to nothing in this document")),
    }
}

fn resource_of(document: &Document<'_>, from: NodeId, uri: &str) -> Option<usize> {
    let resource = document.nodes.get(from)?.resource;
    if uri.is_empty() {
        return Some(resource);
    }
    let base = document.resources.get(resource)?.base.as_ref()?;
    let mut url = base.join(uri).ok()?;
    url.set_fragment(None);
    document.resource_of(&url)
}

fn external(document: &Document<'_>, text: &str, place: &str) -> SchemaError {
    let container = match document.dialect {
        Dialect::Draft202012 => "$defs",
        Dialect::Draft7 => "definitions",
    };
    SchemaError::new(
        SchemaErrorKind::ExternalReference,
        place,
        format!(
            "`{}` leads out of the document, and nothing is fetched",
            quote(text)
        ),
    )
    .help(format!(
        "copy what it names into `{container}` and refer to it as `#/{container}/NAME`"
    ))
}

fn add_edges(
    document: &mut Document<'_>,
    from: NodeId,
    step: Step<'static>,
    text: &str,
    to: NodeId,
) {
    let mut targets = vec![to];
    // Which of the equally named dynamic anchors it is depends on the way there.
    if step == Step::DynamicRef
        && let Some((_, anchor)) = text.split_once('#')
        && let Some(candidates) = document.dynamic_anchors.get(anchor)
        && candidates.contains(&to)
    {
        targets.clone_from(candidates);
    }
    if let Some(node) = document.nodes.get_mut(from) {
        let edges = targets.into_iter().map(|to| Edge { step, to });
        node.edges.extend(edges);
    }
}

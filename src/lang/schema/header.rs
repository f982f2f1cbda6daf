//! Arguments mirrored into HTTP headers by `x-mcp-header` (specification: streamable HTTP, custom
//! headers from tool parameters).

use super::dialect::Dialect;
use super::document::{Document, NodeId};
use super::error::{SchemaError, SchemaErrorKind, quote};
use super::keywords::Step;
use super::{bounds, pointer};
use serde_json::{Map, Value};
use std::collections::HashMap;

const KEYWORD: &str = "x-mcp-header";

/// An argument that a caller also sends as the header `Mcp-Param-{name}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderParam {
    /// The header's name after `Mcp-Param-`, as declared. A token (RFC 9110 §5.6.2), unique in its
    /// schema whatever the case.
    pub name: String,
    /// Keys from the arguments object to the value. At least one.
    pub path: Vec<String>,
    /// The declared type.
    pub kind: HeaderKind,
}

/// What the mirrored value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderKind {
    /// `type: "string"`.
    String,
    /// `type: "integer"`. A caller sends it within ±(2^53 − 1), and it is compared as a number.
    Integer,
    /// `type: "boolean"`: `true` or `false`.
    Boolean,
}

impl HeaderParam {
    /// The argument's value; `None` when absent or `null`, where no header is expected.
    pub fn value<'v>(&self, arguments: &'v Map<String, Value>) -> Option<&'v Value> {
        let (first, rest) = self.path.split_first()?;
        let value = rest
            .iter()
            .try_fold(arguments.get(first)?, |value, key| value.get(key))?;
        (!value.is_null()).then_some(value)
    }
}

/// The mirrored arguments of an input schema, in document order.
///
/// # Errors
///
/// Every annotation that breaks a rule, with its pointer: the name is a non-empty token, unique
/// ignoring case; the type is `string`, `integer` or `boolean` alone; the property is reached from
/// the root through `properties` only.
pub fn header_params(schema: &Value) -> Result<Vec<HeaderParam>, Vec<SchemaError>> {
    if !mentions(schema, bounds::MAX_DEPTH) {
        return Ok(Vec::new());
    }
    bounds::check(schema).map_err(|error| vec![error])?;
    let dialect = Dialect::of(schema).map_err(|error| vec![error])?;
    // What else is wrong with the document is not the question here.
    let document = Document::read(schema, dialect, &mut Vec::new());
    let paths = static_paths(&document);
    let (mut params, mut errors) = (Vec::new(), Vec::new());
    for (id, node) in document.nodes.iter().enumerate() {
        let Some(name) = node.schema.get(KEYWORD) else {
            continue;
        };
        let at = pointer::join(&node.pointer, KEYWORD);
        match param(name, paths.get(&id), node.schema) {
            Ok(param) => params.push((at, param)),
            Err(error) => errors.push(SchemaError::new(SchemaErrorKind::Header, at, error)),
        }
    }
    refuse_repeated(&params, &mut errors);
    if !errors.is_empty() {
        return Err(errors);
    }
    Ok(in_document_order(schema, params))
}

/// Whether the keyword occurs at all: most schemas have none.
fn mentions(value: &Value, depth: usize) -> bool {
    match value {
        // Too deep: the bounds check says so.
        _ if depth == 0 => true,
        Value::Object(members) => members
            .iter()
            .any(|(key, member)| key == KEYWORD || mentions(member, depth - 1)),
        Value::Array(items) => items.iter().any(|item| mentions(item, depth - 1)),
        _ => false,
    }
}

/// The keys to every subschema that is reached through `properties` alone.
fn static_paths(document: &Document<'_>) -> HashMap<NodeId, Vec<String>> {
    let mut paths = HashMap::from([(0, Vec::new())]);
    let mut open = vec![0];
    while let Some(id) = open.pop() {
        let Some(node) = document.nodes.get(id) else {
            continue;
        };
        let path: Vec<String> = paths.get(&id).cloned().unwrap_or_default();
        for edge in &node.edges {
            if let Step::Property(name) = edge.step
                && !paths.contains_key(&edge.to)
            {
                let mut path = path.clone();
                path.push(name.to_owned());
                paths.insert(edge.to, path);
                open.push(edge.to);
            }
        }
    }
    paths
}

fn param(name: &Value, path: Option<&Vec<String>>, schema: &Value) -> Result<HeaderParam, String> {
    let Value::String(name) = name else {
        return Err(format!("`{KEYWORD}` must be a string: the header's name"));
    };
    if name.is_empty() {
        return Err(format!("`{KEYWORD}` must not be empty"));
    }
    if !name.bytes().all(is_token_byte) {
        return Err(format!(
            "`{}` is not a header name: only letters, digits and !#$%&'*+-.^_`|~ are allowed",
            quote(name)
        ));
    }
    let Some(path) = path else {
        return Err(format!(
            "`{KEYWORD}` is only allowed on a property reached from the root through `properties` \
             alone, not through items, composition, conditions or references"
        ));
    };
    if path.is_empty() {
        return Err(format!(
            "`{KEYWORD}` belongs to a property, not to the whole schema"
        ));
    }
    let kind = match schema.get("type").and_then(Value::as_str) {
        Some("string") => HeaderKind::String,
        Some("integer") => HeaderKind::Integer,
        Some("boolean") => HeaderKind::Boolean,
        _ => {
            return Err(format!(
                "a property with `{KEYWORD}` must have the type `string`, `integer` or `boolean`"
            ));
        }
    };
    Ok(HeaderParam {
        name: name.clone(),
        path: path.clone(),
        kind,
    })
}

/// `tchar` (RFC 9110 §5.6.2).
fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

fn refuse_repeated(params: &[(String, HeaderParam)], errors: &mut Vec<SchemaError>) {
    let mut known: HashMap<String, &str> = HashMap::new();
    for (at, param) in params {
        if let Some(first) = known.insert(param.name.to_ascii_lowercase(), at) {
            errors.push(
                SchemaError::new(
                    SchemaErrorKind::Header,
                    at,
                    format!("the header name `{}` is used twice", param.name),
                )
                .help(format!(
                    "the other is at {first}; case does not tell them apart"
                )),
            );
        }
    }
}

/// Subschemas are not found in document order; headers are listed in it.
fn in_document_order(schema: &Value, params: Vec<(String, HeaderParam)>) -> Vec<HeaderParam> {
    let mut params: Vec<HeaderParam> = params.into_iter().map(|(_, param)| param).collect();
    params.sort_by_cached_key(|param| positions(schema, &param.path));
    params
}

fn positions(schema: &Value, path: &[String]) -> Vec<usize> {
    let mut place = Some(schema);
    let mut positions = Vec::with_capacity(path.len());
    for key in path {
        let properties = place.and_then(|place| place.get("properties")?.as_object());
        let position = properties.and_then(|members| members.keys().position(|k| k == key));
        positions.push(position.unwrap_or(usize::MAX));
        place = properties.and_then(|members| members.get(key));
    }
    positions
}

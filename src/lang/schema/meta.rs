//! Checks a schema against its dialect's meta-schema and says what each keyword wants instead.

use super::dialect::Dialect;
use super::document::{Document, NodeId};
use super::error::{MAX_ERRORS, SchemaError, SchemaErrorKind};
use super::pointer;
use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::meta::MetaValidator;

/// Every place where the document breaks the meta-schema. The meta-schema itself is only read for a
/// document with something else than plain keywords: it is a large part of a short start.
pub(super) fn check(document: &Document<'_>, errors: &mut Vec<SchemaError>) {
    if !document.surely_fits() {
        check_all(document, errors);
    }
}

fn check_all(document: &Document<'_>, errors: &mut Vec<SchemaError>) {
    let meta = match document.dialect {
        Dialect::Draft202012 => jsonschema::draft202012::meta::validator(),
        Dialect::Draft7 => jsonschema::draft7::meta::validator(),
    };
    let first = errors.len();
    check_part(document, 0, &meta, errors);
    for &stray in &document.strays {
        check_part(document, stray, &meta, errors);
    }
    // The meta-schema is made of parts that say the same thing more than once.
    let mut unique: Vec<SchemaError> = Vec::new();
    for error in errors.drain(first..) {
        if !unique.contains(&error) {
            unique.push(error);
        }
    }
    errors.extend(unique);
}

fn check_part(
    document: &Document<'_>,
    part: NodeId,
    meta: &MetaValidator<'_>,
    errors: &mut Vec<SchemaError>,
) {
    let Some(node) = document.nodes.get(part) else {
        return;
    };
    if meta.is_valid(node.schema) {
        return;
    }
    let mut found = Vec::new();
    for error in meta.iter_errors(node.schema).take(MAX_ERRORS) {
        flatten(&error, &mut |error| {
            found.push(describe(document, &node.pointer, error))
        });
    }
    errors.extend(found.into_iter().take(MAX_ERRORS));
}

/// Gives `each` the errors that mean something to an author. Where draft-07 allows a schema or a
/// list, what is wrong deeper down in the one that is there says more than that both failed.
fn flatten(error: &ValidationError<'_>, each: &mut impl FnMut(&ValidationError<'_>)) {
    match error.kind() {
        // A pattern's own check knows the reason.
        ValidationErrorKind::Format { format } if format == "regex" => {}
        ValidationErrorKind::AnyOf { context } => {
            let here = error.instance_path().as_str();
            let is_below = |inner: &ValidationError<'_>| inner.instance_path().as_str() != here;
            match context.iter().find(|branch| branch.iter().all(is_below)) {
                Some(branch) => {
                    for inner in branch {
                        flatten(inner, each);
                    }
                }
                None => each(error),
            }
        }
        _ => each(error),
    }
}

fn describe(document: &Document<'_>, part: &str, error: &ValidationError<'_>) -> SchemaError {
    let place = format!("{part}{}", error.instance_path().as_str());
    let holder = document.enclosing(&place);
    let holder = document.nodes.get(holder).map_or("", |node| &node.pointer);
    let keyword = pointer::token_after(&place, holder);
    let message = match (&keyword, wants_schema(error.kind())) {
        (_, true) => "must be a schema: an object, `true` or `false`".to_owned(),
        (Some(keyword), false) => match expected(keyword) {
            Some(expected) => format!("`{keyword}` must be {expected}"),
            None => format!(
                "`{keyword}` breaks `{}` of the meta-schema",
                error.kind().keyword()
            ),
        },
        (None, false) => format!("breaks `{}` of the meta-schema", error.kind().keyword()),
    };
    let finding = SchemaError::new(SchemaErrorKind::MetaSchema, place, message);
    match keyword.and_then(|keyword| hint(document.dialect, &keyword, error)) {
        Some(help) => finding.help(help),
        None => finding,
    }
}

/// Whether the meta-schema wanted a whole subschema here: nothing else may be of one of several types.
fn wants_schema(kind: &ValidationErrorKind) -> bool {
    matches!(
        kind,
        ValidationErrorKind::Type {
            kind: TypeKind::Multiple(_)
        }
    )
}

/// What a keyword's value has to be.
fn expected(keyword: &str) -> Option<&'static str> {
    Some(match keyword {
        "type" => {
            "a type (`array`, `boolean`, `integer`, `null`, `number`, `object`, `string`) \
             or a list of different ones"
        }
        "enum" => "a list of values",
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties"
        | "minContains" | "maxContains" => "a whole number, 0 or more",
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => "a number",
        "multipleOf" => "a number greater than 0",
        "pattern" | "format" | "title" | "description" | "$comment" | "contentEncoding"
        | "contentMediaType" | "$ref" | "$dynamicRef" | "$schema" => "a string",
        "uniqueItems" | "deprecated" | "readOnly" | "writeOnly" => "`true` or `false`",
        "required" => "a list of different property names",
        "dependentRequired" => "an object whose values are lists of different property names",
        "dependencies" => "an object whose values are schemas or lists of property names",
        "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" => {
            "an object whose values are schemas"
        }
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => "a list of schemas, at least one",
        "items"
        | "additionalItems"
        | "additionalProperties"
        | "contains"
        | "not"
        | "if"
        | "then"
        | "else"
        | "propertyNames"
        | "unevaluatedItems"
        | "unevaluatedProperties"
        | "contentSchema" => "a schema: an object, `true` or `false`",
        "examples" => "a list",
        "$id" => "a URI reference without a fragment",
        "$anchor" | "$dynamicAnchor" => {
            "a name: a letter or `_`, then letters, digits, `-`, `_`, `.`"
        }
        _ => return None,
    })
}

/// Help for the mistakes that come from other dialects and other languages.
fn hint(dialect: Dialect, keyword: &str, error: &ValidationError<'_>) -> Option<String> {
    let found = error.instance();
    match keyword {
        "required" if found.is_boolean() => {
            Some("name the property in the `required` list of the object that holds it".to_owned())
        }
        "items" if found.is_array() && dialect == Dialect::Draft202012 => {
            Some("a schema for each place is `prefixItems` in 2020-12".to_owned())
        }
        "exclusiveMinimum" | "exclusiveMaximum" if found.is_boolean() => {
            Some(format!("give the bound itself as `{keyword}`"))
        }
        "type" => {
            let meant = match found.as_str()? {
                "int" | "long" => "integer",
                "float" | "double" | "decimal" => "number",
                "bool" => "boolean",
                "str" | "text" => "string",
                "list" | "tuple" => "array",
                "dict" | "map" | "table" => "object",
                "none" | "nil" => "null",
                "any" => return Some("leave `type` out to allow every type".to_owned()),
                _ => return None,
            };
            Some(format!("did you mean `{meant}`?"))
        }
        _ => None,
    }
}

/// What the meta-schema itself says of a schema, and whether it would not be asked.
#[cfg(test)]
pub(super) fn judged_for_tests(
    schema: &serde_json::Value,
    dialect: Dialect,
) -> (bool, Vec<SchemaError>) {
    let mut errors = Vec::new();
    let document = Document::read(schema, dialect, &mut Vec::new());
    check_all(&document, &mut errors);
    (document.surely_fits(), errors)
}

//! The dialects of JSON Schema: 2020-12, which is the default, and draft-07.

use super::error::{SchemaError, SchemaErrorKind, quote};
use jsonschema::Draft;
use serde_json::Value;

/// A dialect a schema may be written in (specification: basic, JSON Schema usage).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// <https://json-schema.org/draft/2020-12/schema>, also when `$schema` is absent.
    Draft202012,
    /// <http://json-schema.org/draft-07/schema>.
    Draft7,
}

impl Dialect {
    /// The dialect `schema` names by `$schema`.
    pub(super) fn of(schema: &Value) -> Result<Self, SchemaError> {
        match schema.get("$schema") {
            None => Ok(Self::Draft202012),
            Some(Value::String(uri)) => Self::from_uri(uri).ok_or_else(|| unsupported(uri)),
            Some(_) => Err(SchemaError::new(
                SchemaErrorKind::Dialect,
                "/$schema",
                "`$schema` must be a string: the URI of a dialect",
            )),
        }
    }

    /// The dialect of a meta-schema's URI, with or without an empty fragment, http or https.
    pub(super) fn from_uri(uri: &str) -> Option<Self> {
        let uri = uri.strip_suffix('#').unwrap_or(uri);
        let rest = uri
            .strip_prefix("https://")
            .or_else(|| uri.strip_prefix("http://"))?;
        match rest {
            "json-schema.org/draft/2020-12/schema" => Some(Self::Draft202012),
            "json-schema.org/draft-07/schema" => Some(Self::Draft7),
            _ => None,
        }
    }

    /// How messages call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Draft202012 => "2020-12",
            Self::Draft7 => "draft-07",
        }
    }

    pub(super) fn draft(self) -> Draft {
        match self {
            Self::Draft202012 => Draft::Draft202012,
            Self::Draft7 => Draft::Draft7,
        }
    }
}

fn unsupported(uri: &str) -> SchemaError {
    SchemaError::new(
        SchemaErrorKind::Dialect,
        "/$schema",
        format!("the dialect `{}` is not supported", quote(uri)),
    )
    .help(
        "write the schema in 2020-12 (leave `$schema` out) or in draft-07 \
         (`http://json-schema.org/draft-07/schema#`)",
    )
}

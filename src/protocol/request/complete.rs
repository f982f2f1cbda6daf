//! The parameters of `completion/complete` (schema: CompleteRequestParams).

use super::Params;
use super::operation::{string, texts};
use crate::ops::{OpError, Operation, Reference};
use crate::protocol::codes::excerpt;
use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
struct RawReference<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<&'a RawValue>,
    #[serde(borrow)]
    name: Option<&'a RawValue>,
    #[serde(borrow)]
    uri: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Argument<'a> {
    #[serde(borrow)]
    name: Option<&'a RawValue>,
    #[serde(borrow)]
    value: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
struct Surroundings<'a> {
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

/// Reads them.
pub(super) fn complete(params: &Params<'_>) -> Result<Operation, OpError> {
    let reference: RawReference<'_> = object("ref", params.reference)?;
    let kind = string("ref.type", reference.kind)?;
    let reference = match kind.as_str() {
        "ref/prompt" => Reference::Prompt(string("ref.name", reference.name)?),
        "ref/resource" => Reference::Resource(string("ref.uri", reference.uri)?),
        other => {
            return Err(OpError::InvalidParams(format!(
                "`ref.type` is `{}`; it must be `ref/prompt` or `ref/resource`",
                excerpt(other)
            )));
        }
    };
    let argument: Argument<'_> = object("argument", params.argument)?;
    let others: Surroundings<'_> = match params.context {
        None => Surroundings::default(),
        Some(_) => object("context", params.context)?,
    };
    Ok(Operation::Complete {
        reference,
        argument: string("argument.name", argument.name)?,
        typed: string("argument.value", argument.value)?,
        others: texts("context.arguments", others.arguments)?,
    })
}

fn object<'a, T: Deserialize<'a>>(name: &str, raw: Option<&'a RawValue>) -> Result<T, OpError> {
    let raw = raw.filter(|raw| raw.get().starts_with('{'));
    let Some(raw) = raw else {
        return Err(OpError::InvalidParams(format!(
            "`{name}` must be an object"
        )));
    };
    serde_json::from_str(raw.get())
        .map_err(|error| OpError::InvalidParams(format!("`{name}`: {error}")))
}

//! From an action's output and a tool's `result` to what the tool answers.

use super::{Failure, Output, render};
use crate::lang::template::{Scope, text_of};
use crate::model::{
    BlockKind, BlockSpec, MediaSpec, PayloadSpec, ProtocolErrorSpec, ResultSpec, Tool,
};
use crate::ops::{Block, OpError, Payload, ToolOutcome};
use serde_json::{Map, Value};
use std::sync::Arc;

/// What the tool answers: from its `result`, or by default what its action gives.
///
/// # Errors
/// The protocol error that the manifest declares.
pub fn from_result(
    tool: &Tool,
    scope: &Scope,
    output: Option<Arc<dyn Output>>,
) -> Result<ToolOutcome, OpError> {
    let Some(result) = &tool.result else {
        return Ok(match output {
            Some(output) => output.answer().unwrap_or_else(failed),
            None => ToolOutcome::default(),
        });
    };
    let scope = match &output {
        Some(output) => {
            let output = Arc::clone(output);
            scope.clone().with_lazy("output", move || output.value())
        }
        None => scope.clone(),
    };
    match made(result, &scope, output.as_deref()) {
        Ok(outcome) => Ok(outcome),
        Err(NoAnswer::Failed(failure)) => Ok(failed(failure)),
        Err(NoAnswer::Declared(error)) => Err(error),
    }
}

/// What a tool with an output schema answers is structured and fits it; an error is neither.
pub fn conforming(tool: &Tool, outcome: ToolOutcome) -> ToolOutcome {
    let Some(schema) = &tool.output else {
        return outcome;
    };
    if outcome.is_error {
        return outcome;
    }
    let Some(structured) = &outcome.structured else {
        return ToolOutcome::error(
            "the tool has an output schema, and its answer has no structured content",
        );
    };
    match schema.check(structured) {
        Ok(()) => outcome,
        Err(violations) => ToolOutcome::error(violations.output_text()),
    }
}

/// Why there is no answer to give.
enum NoAnswer {
    Failed(Failure),
    Declared(OpError),
}

impl From<Failure> for NoAnswer {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

fn failed(Failure(text): Failure) -> ToolOutcome {
    ToolOutcome::error(text)
}

fn made(
    result: &ResultSpec,
    scope: &Scope,
    output: Option<&dyn Output>,
) -> Result<ToolOutcome, NoAnswer> {
    if let Some(error) = &result.protocol_error {
        declared(error, scope)?;
    }
    if let Some(error) = &result.error
        && let Some(text) = render::text("result.error", error, scope)?
        && !text.is_empty()
    {
        return Ok(ToolOutcome::error(text));
    }
    let says_nothing =
        result.text.is_none() && result.structured.is_none() && result.content.is_none();
    let mut outcome = match output {
        Some(output) if says_nothing => output.answer()?,
        _ => ToolOutcome::default(),
    };
    if let Some(structured) = &result.structured {
        let value = render::tree("result.structured", structured, scope)?;
        outcome.structured = Some(value.unwrap_or(Value::Null));
    }
    if let Some(text) = &result.text {
        let text = render::text("result.text", text, scope)?;
        outcome.content = vec![Block::text(text.unwrap_or_default())];
    } else if let Some(content) = &result.content {
        outcome.content = content
            .iter()
            .map(|spec| block(spec, scope))
            .collect::<Result<_, _>>()?;
    } else if let Some(structured) = &outcome.structured
        && result.structured.is_some()
    {
        outcome.content = vec![Block::text(structured.to_string())];
    }
    if let Some(metadata) = &result.metadata
        && let Some(Value::Object(members)) = render::tree("result.metadata", metadata, scope)?
    {
        outcome.meta = members;
    }
    Ok(outcome)
}

/// The declared protocol error, when it applies.
fn declared(error: &ProtocolErrorSpec, scope: &Scope) -> Result<(), NoAnswer> {
    let applies = match &error.when {
        None => true,
        Some(when) => holds(&render::value("result.protocol_error.when", when, scope)?),
    };
    if !applies {
        return Ok(());
    }
    let message = render::text("result.protocol_error.message", &error.message, scope)?;
    let data = match &error.data {
        Some(data) => render::tree("result.protocol_error.data", data, scope)?,
        None => None,
    };
    Err(NoAnswer::Declared(OpError::Declared {
        code: error.code,
        message: message.unwrap_or_default(),
        data,
    }))
}

/// What counts as true in a template.
fn holds(value: &Option<Value>) -> bool {
    match value {
        None | Some(Value::Null) => false,
        Some(Value::Bool(value)) => *value,
        Some(Value::Number(number)) => number.as_f64() != Some(0.0),
        Some(Value::String(text)) => !text.is_empty(),
        Some(Value::Array(items)) => !items.is_empty(),
        Some(Value::Object(members)) => !members.is_empty(),
    }
}

fn block(spec: &BlockSpec, scope: &Scope) -> Result<Block, Failure> {
    let annotations = spec.annotations.clone();
    let must = |key: &str, template: &_| -> Result<String, Failure> {
        let key = format!("result.content.{key}");
        let text = render::text(&key, template, scope)?;
        text.ok_or_else(|| Failure(format!("cannot make `{key}`: its value is absent")))
    };
    let media = |media: &MediaSpec| -> Result<(String, String), Failure> {
        Ok((
            must("data", &media.data)?,
            must("mime_type", &media.mime_type)?,
        ))
    };
    Ok(match &spec.kind {
        BlockKind::Text(text) => Block::Text {
            text: must("text", text)?,
            annotations,
        },
        BlockKind::Image(spec) => {
            let (data, mime_type) = media(spec)?;
            Block::Image {
                data,
                mime_type,
                annotations,
            }
        }
        BlockKind::Audio(spec) => {
            let (data, mime_type) = media(spec)?;
            Block::Audio {
                data,
                mime_type,
                annotations,
            }
        }
        BlockKind::Resource {
            uri,
            mime_type,
            payload,
        } => Block::Resource {
            uri: must("uri", uri)?,
            mime_type: match mime_type {
                Some(mime_type) => render::text("result.content.mime_type", mime_type, scope)?,
                None => None,
            },
            payload: match payload {
                PayloadSpec::Text(text) => Payload::Text(must("text", text)?),
                PayloadSpec::Blob(blob) => Payload::Blob(must("blob", blob)?),
            },
            annotations,
        },
        BlockKind::ResourceLink(tree) => Block::ResourceLink {
            resource: link(render::tree("result.content", tree, scope)?),
            annotations,
        },
    })
}

/// A Resource's members; all but its size are texts, whatever type the template gave.
fn link(value: Option<Value>) -> Map<String, Value> {
    let Some(Value::Object(mut members)) = value else {
        return Map::new();
    };
    for (name, value) in &mut members {
        if name != "size" && !value.is_string() {
            *value = text_of(value).into();
        }
    }
    members
}

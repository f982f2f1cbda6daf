//! From an action's output and a tool's `result` to what the tool answers.
//!
//! In this order: a declared protocol error, a declared error, then the content. What is absent is
//! left out, whatever it is: a text, a block, structured content.

use super::{Failure, Output, block, metadata, render};
use crate::lang::template::{Scope, Template, text_of};
use crate::model::{ProtocolErrorSpec, ResultSpec, Tool};
use crate::ops::{Block, OpError, ToolOutcome};
use serde_json::Value;
use std::sync::Arc;

/// What the tool answers: from its `result`, or by default what its action gives.
///
/// # Errors
/// The protocol error that the manifest declares.
pub fn from_result(
    tool: &Tool,
    scope: Scope,
    output: Option<Arc<dyn Output>>,
) -> Result<ToolOutcome, OpError> {
    let Some(result) = &tool.result else {
        return Ok(match output {
            Some(output) => output.answer().unwrap_or_else(failed),
            None => ToolOutcome::default(),
        });
    };
    let scope = render::with_output(scope, output.as_ref());
    outcome(made(result, &scope, output.as_deref()))
}

/// What the tool answers when the user declines: from its `refused`, or an error that says so. It is
/// an error too where the tool has an output schema and this has no structured content.
///
/// # Errors
/// The protocol error that the manifest declares.
pub fn refused(tool: &Tool, scope: &Scope) -> Result<ToolOutcome, OpError> {
    let Some(refused) = &tool.refused else {
        return Ok(ToolOutcome::error(DECLINED));
    };
    let mut outcome = outcome(made(refused, scope, None))?;
    outcome.is_error |= tool.output.is_some() && outcome.structured.is_none();
    Ok(conforming(tool, outcome))
}

/// What is said where the user declines and the manifest says nothing else.
pub(super) const DECLINED: &str = "the user declined";

fn outcome(made: Result<ToolOutcome, NoAnswer>) -> Result<ToolOutcome, OpError> {
    match made {
        Ok(outcome) => Ok(outcome),
        Err(NoAnswer::Failed(failure)) => Ok(failed(failure)),
        Err(NoAnswer::Declared(error)) => Err(error),
    }
}

/// What a tool answers when something else than its action gives the answer: an object is structured
/// content, a text one block.
///
/// # Errors
/// It is neither.
pub fn given(tool: &Tool, given: Value) -> Result<ToolOutcome, String> {
    let outcome = match given {
        Value::Object(_) => ToolOutcome {
            content: vec![Block::text(given.to_string())],
            structured: Some(given),
            ..ToolOutcome::default()
        },
        Value::String(text) => ToolOutcome {
            content: vec![Block::text(text)],
            ..ToolOutcome::default()
        },
        _ => return Err("gave an answer that is neither an object nor a text".to_owned()),
    };
    Ok(conforming(tool, outcome))
}

/// What a tool with an output schema answers is structured and fits it; an error is neither.
pub fn conforming(tool: &Tool, outcome: ToolOutcome) -> ToolOutcome {
    let Some(schema) = &tool.output else {
        return outcome;
    };
    if outcome.is_error {
        return outcome;
    }
    let wrong = match &outcome.structured {
        None => "the tool has an output schema, and its answer has no structured content".into(),
        Some(structured) => match schema.check(structured) {
            Ok(()) => return outcome,
            Err(violations) => violations.output_text(),
        },
    };
    ToolOutcome {
        meta: outcome.meta,
        ..ToolOutcome::error(wrong)
    }
}

/// Why there is no answer to give.
pub(super) enum NoAnswer {
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
        && let Some(text) = error_text(error, scope)?
    {
        return Ok(ToolOutcome {
            // The error is what matters: metadata that cannot be made does not take its place.
            meta: metadata(result.metadata.as_ref(), scope).unwrap_or_default(),
            ..ToolOutcome::error(text)
        });
    }
    let mut outcome = match output {
        Some(output) if !result.says_content() => output.answer()?,
        _ => content(result, scope)?,
    };
    outcome.meta = metadata(result.metadata.as_ref(), scope)?;
    Ok(outcome)
}

/// The text of the declared error, when it applies: not when its value counts as false, which is
/// how upstreams say that nothing is wrong (`"error": null`), nor when it is blank.
fn error_text(error: &Template, scope: &Scope) -> Result<Option<String>, Failure> {
    let value = render::value("result.error", error, scope)?;
    Ok(value.filter(holds).map(|value| text_of(&value)))
}

/// The content that `result` says.
fn content(result: &ResultSpec, scope: &Scope) -> Result<ToolOutcome, Failure> {
    let structured = match &result.structured {
        Some(structured) => render::tree("result.structured", structured, scope)?,
        None => None,
    };
    let text = match &result.text {
        Some(text) => render::text("result.text", text, scope)?,
        None => None,
    };
    let content = if let Some(blocks) = &result.content {
        let blocks = blocks.iter().map(|spec| block::made(spec, scope));
        blocks
            .filter_map(Result::transpose)
            .collect::<Result<_, _>>()?
    } else {
        let text = text.or_else(|| structured.as_ref().map(Value::to_string));
        text.map(Block::text).into_iter().collect()
    };
    Ok(ToolOutcome {
        content,
        structured,
        ..ToolOutcome::default()
    })
}

/// The declared protocol error, when it applies.
pub(super) fn declared(error: &ProtocolErrorSpec, scope: &Scope) -> Result<(), NoAnswer> {
    if let Some(when) = &error.when
        && !render::value("result.protocol_error.when", when, scope)?
            .is_some_and(|when| holds(&when))
    {
        return Ok(());
    }
    let message = render::needed("result.protocol_error.message", &error.message, scope)?;
    let data = match &error.data {
        Some(data) => render::tree("result.protocol_error.data", data, scope)?,
        None => None,
    };
    Err(NoAnswer::Declared(OpError::Declared {
        code: error.code,
        message,
        data,
    }))
}

/// What counts as true in a template; a blank text does not.
pub(super) fn holds(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(value) => *value,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.trim().is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
    }
}

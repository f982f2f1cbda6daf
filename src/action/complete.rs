//! From an action's output to the candidates of a completion.

use super::{Failure, Output, render};
use crate::lang::template::{Scope, text_of};
use crate::model::LiveSpec;
use crate::ops::Block;
use serde_json::Value;
use std::sync::Arc;

/// The candidates, in the order given: of `values`, or by default what the action answers, which is
/// a list or a text's lines. A text in the place of a list is its lines too; what is blank is left
/// out.
///
/// # Errors
/// `values` cannot be rendered or is no list; the action's own answer is an error.
pub fn candidates(
    spec: &LiveSpec,
    scope: Scope,
    output: Option<Arc<dyn Output>>,
) -> Result<Vec<String>, Failure> {
    let Some(values) = &spec.values else {
        return output.map_or(Ok(Vec::new()), |output| of_output(&*output));
    };
    let scope = render::with_output(scope, output.as_ref());
    match render::value("complete.values", values, &scope)? {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(items)) => Ok(of_items(&items)),
        Some(Value::String(text)) => Ok(of_lines(&text)),
        Some(_) => Err(Failure(
            "cannot make `complete.values`: its value is not a list".into(),
        )),
    }
}

/// The candidates when something else than an action gives them: a list, or a text's lines; `None`
/// when it is neither.
pub fn given(given: &Value) -> Option<Vec<String>> {
    match given {
        Value::Array(items) => Some(of_items(items)),
        Value::String(text) => Some(of_lines(text)),
        _ => None,
    }
}

fn of_output(output: &dyn Output) -> Result<Vec<String>, Failure> {
    let answer = output.answer()?;
    if let Some(Value::Array(items)) = answer.structured.as_ref().filter(|_| !answer.is_error) {
        return Ok(of_items(items));
    }
    let texts = answer.content.iter().filter_map(|block| match block {
        Block::Text { text, .. } => Some(text.as_str()),
        _ => None,
    });
    let text = texts.collect::<Vec<_>>().join("\n");
    match answer.is_error {
        true => Err(Failure(text)),
        false => Ok(of_lines(&text)),
    }
}

fn of_items(items: &[Value]) -> Vec<String> {
    let texts = items.iter().filter(|item| !item.is_null()).map(text_of);
    texts.filter(|text| !text.trim().is_empty()).collect()
}

fn of_lines(text: &str) -> Vec<String> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.map(str::to_owned).collect()
}

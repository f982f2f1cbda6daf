//! From an action's output and a prompt's `result` to the messages it gives.

use super::answer::DECLINED;
use super::{Failure, Output, block, metadata, render};
use crate::lang::template::Scope;
use crate::model::{MessageSpec, Prompt, PromptResultSpec, Role};
use crate::ops::{Block, Message, PromptOutcome};
use serde_json::{Map, Value};
use std::sync::Arc;

/// The messages of a prompt: from its `result`, or by default what its action gives, each block as
/// a message of the user.
///
/// # Errors
/// A template that cannot be rendered; an action whose own answer is an error.
pub fn messages(
    prompt: &Prompt,
    scope: Scope,
    output: Option<Arc<dyn Output>>,
) -> Result<PromptOutcome, Failure> {
    let scope = render::with_output(scope, output.as_ref());
    made(prompt, prompt.result.as_ref(), &scope, output)
}

/// The messages of a prompt whose user declines: those of its `refused`.
///
/// # Errors
/// It has none; a template that cannot be rendered.
pub fn refused(prompt: &Prompt, scope: &Scope) -> Result<PromptOutcome, Failure> {
    match &prompt.refused {
        Some(refused) => made(prompt, Some(refused), scope, None),
        None => Err(Failure(DECLINED.into())),
    }
}

fn made(
    prompt: &Prompt,
    result: Option<&PromptResultSpec>,
    scope: &Scope,
    output: Option<Arc<dyn Output>>,
) -> Result<PromptOutcome, Failure> {
    let description = match result.and_then(|result| result.description.as_ref()) {
        Some(description) => render::text("result.description", description, scope)?,
        None => None,
    };
    let messages = match (result.and_then(|result| result.messages.as_ref()), &output) {
        (Some(messages), _) => said(messages, scope)?,
        (None, Some(output)) => of_output(&**output)?,
        (None, None) => Vec::new(),
    };
    Ok(PromptOutcome {
        description: description.or_else(|| prompt.declaration.description.clone()),
        messages,
        meta: metadata(result.and_then(|result| result.metadata.as_ref()), scope)?,
    })
}

/// The messages when something else than the prompt's action gives them: a text is one of the user; an
/// object has `messages`, each a `role` and the text of its `content`, and perhaps a `description`.
///
/// # Errors
/// It is neither.
pub fn given(prompt: &Prompt, given: Value) -> Result<PromptOutcome, String> {
    let (messages, description) = match &given {
        Value::String(text) => (Some(vec![message(Role::User, text)]), None),
        Value::Object(members) => {
            let messages = members.get("messages").and_then(Value::as_array);
            let messages = messages.map(|messages| messages.iter().map(given_message).collect());
            let description = members.get("description").and_then(Value::as_str);
            (messages.unwrap_or_default(), description)
        }
        _ => (None, None),
    };
    let messages: Vec<Message> = messages
        .ok_or_else(|| "gave an answer that is neither a text nor has `messages`".to_owned())?;
    Ok(PromptOutcome {
        description: description
            .map(str::to_owned)
            .or_else(|| prompt.declaration.description.clone()),
        messages,
        meta: Map::new(),
    })
}

fn given_message(given: &Value) -> Option<Message> {
    let role = match given.get("role")?.as_str()? {
        "user" => Role::User,
        "assistant" => Role::Assistant,
        _ => return None,
    };
    Some(message(role, given.get("content")?.as_str()?))
}

fn message(role: Role, text: &str) -> Message {
    Message {
        role,
        content: Block::text(text),
    }
}

/// The messages that `result` says, those that are there.
fn said(specs: &[MessageSpec], scope: &Scope) -> Result<Vec<Message>, Failure> {
    let made = specs.iter().map(|spec| {
        let content = block::made(&spec.content, scope)?;
        Ok(content.map(|content| Message {
            role: spec.role,
            content,
        }))
    });
    made.filter_map(Result::transpose).collect()
}

fn of_output(output: &dyn Output) -> Result<Vec<Message>, Failure> {
    let answer = output.answer()?;
    if answer.is_error {
        let texts = answer.content.into_iter().filter_map(|block| match block {
            Block::Text { text, .. } => Some(text),
            _ => None,
        });
        return Err(Failure(texts.collect::<Vec<_>>().join("\n")));
    }
    let message = |content| Message {
        role: Role::User,
        content,
    };
    Ok(answer.content.into_iter().map(message).collect())
}

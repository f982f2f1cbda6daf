//! Questions put into words for one call, and answers held against what was asked.

use super::{Call, Failure, answer, block, render};
use crate::lang::template::Template;
use crate::model::{FormSpec, QuestionKind, SampleSpec};
use crate::ops::{InputRequest, Message};
use serde_json::{Map, Value};

/// What came of a question.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// It is answered; this is what `answers.NAME` holds.
    Answered(Value),
    /// The user does not want to.
    Declined,
    /// There is no answer, or none that fits: it is to be asked again.
    Unanswered,
}

/// The question as this call puts it.
///
/// # Errors
/// A template that cannot be rendered, or a URL that is none.
pub fn request(question: &QuestionKind, call: Call<'_>) -> Result<InputRequest, Failure> {
    let made = match question {
        QuestionKind::Form(form) => {
            render::needed("ask.form", &form.message, call.scope).map(|message| {
                InputRequest::Form {
                    message,
                    schema: form.shown.clone(),
                }
            })
        }
        QuestionKind::Url { message, url } => self::url(message, url, call),
        QuestionKind::Sample(sample) => self::sample(sample, call),
        QuestionKind::Roots => Ok(InputRequest::Roots),
    };
    made.map_err(|failure| call.hidden(failure))
}

/// Whether a round is asked.
///
/// # Errors
/// The condition cannot be rendered.
pub fn holds(when: &Template, call: Call<'_>) -> Result<bool, Failure> {
    let value = render::value("ask.when", when, call.scope);
    let value = value.map_err(|failure| call.hidden(failure))?;
    Ok(value.is_some_and(|value| answer::holds(&value)))
}

fn url(message: &Template, url: &Template, call: Call<'_>) -> Result<InputRequest, Failure> {
    let message = render::needed("ask.message", message, call.scope)?;
    let url = url
        .url(call.scope)
        .map_err(|error| render::failed("ask.url", &error))?
        .ok_or_else(|| render::absent("ask.url"))?;
    let is_web = url::Url::parse(&url).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
    match is_web {
        true => Ok(InputRequest::Url { message, url }),
        false => Err(Failure("cannot make `ask.url`: no URL of the web".into())),
    }
}

fn sample(sample: &SampleSpec, call: Call<'_>) -> Result<InputRequest, Failure> {
    let made = sample.messages.iter().map(|spec| {
        let content = block::made(&spec.content, call.scope)?;
        Ok(content.map(|content| Message {
            role: spec.role,
            content,
        }))
    });
    let messages: Vec<Message> = made
        .filter_map(Result::transpose)
        .collect::<Result<_, Failure>>()?;
    if messages.is_empty() {
        return Err(render::absent("ask.sample.messages"));
    }
    let mut others = sample.others.clone();
    if let Some(prompt) = &sample.system_prompt
        && let Some(prompt) = render::text("ask.sample.system_prompt", prompt, call.scope)?
    {
        others.insert("systemPrompt".into(), prompt.into());
    }
    if let Some(metadata) = &sample.metadata
        && let Some(metadata) = render::tree("ask.sample.metadata", metadata, call.scope)?
    {
        others.insert("metadata".into(), metadata);
    }
    Ok(InputRequest::Sample { messages, others })
}

/// Whether a response, to whatever question, says that the user does not want to.
pub fn is_declined(response: &Value) -> bool {
    let action = response.get("action").and_then(Value::as_str);
    matches!(action, Some("decline" | "cancel"))
}

/// What a response to the question means.
pub fn reply(question: &QuestionKind, response: Option<&Value>) -> Reply {
    if response.is_some_and(is_declined) {
        return Reply::Declined;
    }
    let Some(Value::Object(response)) = response else {
        return Reply::Unanswered;
    };
    let action = response.get("action").and_then(Value::as_str);
    let answer = match question {
        QuestionKind::Form(form) if action == Some("accept") => filled_in(form, response),
        QuestionKind::Url { .. } if action == Some("accept") => Some(Value::Object(Map::new())),
        QuestionKind::Form(_) | QuestionKind::Url { .. } => None,
        QuestionKind::Sample(_) => sampled(response),
        QuestionKind::Roots => roots(response),
    };
    answer.map_or(Reply::Unanswered, Reply::Answered)
}

/// The fields of a form, those that it has, defaults filled in.
fn filled_in(form: &FormSpec, response: &Map<String, Value>) -> Option<Value> {
    let nothing = Value::Object(Map::new());
    let content = match response.get("content") {
        None | Some(Value::Null) => &nothing,
        Some(content) => content,
    };
    form.schema.check(content).ok()?;
    let fields = form.shown.get("properties")?.as_object()?;
    let sent = content.as_object()?.iter();
    let mut known: Map<String, Value> = sent
        .filter(|(name, _)| fields.contains_key(*name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    form.schema.apply_defaults(&mut known).ok()?;
    Some(Value::Object(known))
}

/// What a model said: its text, and the message itself.
fn sampled(response: &Map<String, Value>) -> Option<Value> {
    let role = response.get("role")?.as_str()?;
    let model = response.get("model")?.as_str()?;
    let content = response.get("content")?;
    let blocks = match content {
        Value::Array(blocks) => blocks.as_slice(),
        Value::Object(_) => std::slice::from_ref(content),
        _ => return None,
    };
    let texts = blocks.iter().filter_map(|block| {
        let text = block.get("text").and_then(Value::as_str);
        text.filter(|_| block.get("type").and_then(Value::as_str) == Some("text"))
    });
    let text = texts.collect::<Vec<_>>().join("\n");
    let mut answer = Map::new();
    answer.insert("text".into(), text.into());
    answer.insert("role".into(), role.into());
    answer.insert("model".into(), model.into());
    if let Some(reason) = response.get("stopReason").and_then(Value::as_str) {
        answer.insert("stop_reason".into(), reason.into());
    }
    answer.insert("content".into(), content.clone());
    Some(Value::Object(answer))
}

/// Where the caller works: `{ uri, name }` each.
fn roots(response: &Map<String, Value>) -> Option<Value> {
    let roots = response.get("roots")?.as_array()?;
    let is_root = |root: &Value| root.get("uri").is_some_and(Value::is_string);
    if !roots.iter().all(is_root) {
        return None;
    }
    let mut answer = Map::new();
    answer.insert("roots".into(), Value::Array(roots.clone()));
    Some(Value::Object(answer))
}

//! The audit log: who called what, what came of it, how long it took. A line for each call, read,
//! prompt and completion. Lists and discovery, which say what everybody may know, are not in it.

use super::admission::does_work;
use crate::ops::{Context, Operation, Reference};
use crate::secret::Mask;
use crate::telemetry::{Lines, Outcome, RequestId};
use arc_swap::ArcSwap;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Duration;

/// Bytes of arguments that are written down, at the most.
const MOST_ARGUMENTS: usize = 4096;
/// Bytes of a name that the caller chose.
const MOST_NAME: usize = 256;

/// Where calls are written down, if anywhere. Clones are one.
#[derive(Clone, Debug, Default)]
pub struct Audit(Option<Arc<Book>>);

struct Book {
    /// Files of their own; events of the log otherwise.
    lines: Option<Lines>,
    arguments: bool,
    /// What is never written down.
    mask: ArcSwap<Mask>,
}

/// What is known of a call before it is worked on.
#[derive(Debug)]
pub(super) struct Entry {
    book: Arc<Book>,
    request: RequestId,
    members: Map<String, Value>,
}

impl Audit {
    /// Writes lines to these files, or without them into the log; with arguments, if they are asked
    /// for.
    pub fn new(lines: Option<Lines>, arguments: bool) -> Self {
        Self(Some(Arc::new(Book {
            lines,
            arguments,
            mask: ArcSwap::default(),
        })))
    }

    /// These values are not to be written down, whoever says them.
    pub fn hide(&self, secrets: &Map<String, Value>) {
        if let Some(book) = &self.0 {
            book.mask.store(Arc::new(Mask::of(secrets)));
        }
    }

    /// Begins the line of a request, if it has one.
    pub(super) fn begin(
        &self,
        request: RequestId,
        operation: &Operation,
        context: &Context,
    ) -> Option<Entry> {
        let book = self.0.as_ref().filter(|_| does_work(operation))?;
        let mut members = Map::new();
        members.insert("id".into(), cut(&context.request_id, MOST_NAME).into());
        members.insert("method".into(), context.method.into());
        let (name, arguments) = subject(operation, book.arguments);
        if let Some(name) = name {
            members.insert("name".into(), cut(name, MOST_NAME).into());
        }
        if let Some(principal) = context.caller.principal() {
            members.insert("principal".into(), cut(principal, MOST_NAME).into());
        }
        if let Some(client) = &context.client {
            let (name, version) = (
                cut(&client.name, MOST_NAME),
                cut(&client.version, MOST_NAME),
            );
            members.insert("client".into(), json!({ "name": name, "version": version }));
        }
        if let Some(arguments) = arguments {
            let text = arguments.to_string();
            let hidden = book.mask.load().hide(text).into_owned();
            members.insert("arguments".into(), cut(&hidden, MOST_ARGUMENTS).into());
        }
        Some(Entry {
            book: Arc::clone(book),
            request,
            members,
        })
    }
}

impl Entry {
    /// Ends the line and writes it.
    pub(super) fn end(mut self, outcome: Outcome, code: Option<i64>, bytes: usize, took: Duration) {
        let members = &mut self.members;
        members.insert("outcome".into(), outcome.word().into());
        if let Some(code) = code {
            members.insert("code".into(), code.into());
        }
        members.insert("bytes".into(), bytes.into());
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        members.insert("ms".into(), json!(micros as f64 / 1000.0));
        // The caller chose its name, its client's and its id: they may repeat a secret too.
        let members = std::mem::take(members);
        let mask = self.book.mask.load();
        let text = mask.hide(Value::Object(members).to_string());
        match &self.book.lines {
            Some(lines) => {
                let rest = text.get(1..).unwrap_or_default();
                let (now, request) = (Lines::now(), self.request);
                lines.put(&format!(
                    "{{\"timestamp\":\"{now}\",\"request\":\"{request}\",{rest}"
                ));
            }
            None => tracing::info!(target: "snodo::audit", request = %self.request, "{text}"),
        }
    }
}

/// What is called, and with what.
fn subject(operation: &Operation, wanted: bool) -> (Option<&str>, Option<Value>) {
    let texts = |texts: &crate::ops::Texts| wanted.then(|| json!(texts));
    match operation {
        Operation::CallTool { name, arguments } => {
            let arguments = wanted.then(|| Value::Object(arguments.clone()));
            (Some(name), arguments)
        }
        Operation::ReadResource { uri } => (Some(uri), None),
        Operation::GetPrompt { name, arguments } => (Some(name), texts(arguments)),
        Operation::Complete {
            reference, others, ..
        } => {
            let name = match reference {
                Reference::Prompt(name) => name,
                Reference::Resource(uri) => uri,
            };
            (Some(name), texts(others))
        }
        Operation::Discover
        | Operation::ListTools { .. }
        | Operation::ListResources { .. }
        | Operation::ListResourceTemplates { .. }
        | Operation::ListPrompts { .. } => (None, None),
    }
}

/// So many bytes of a text, whole characters.
fn cut(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most)).unwrap_or(text)
}

impl std::fmt::Debug for Book {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Book")
            .field("lines", &self.lines)
            .finish_non_exhaustive()
    }
}

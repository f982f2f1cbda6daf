//! Carrying out an operation: one match over all of them.

use super::Runtime;
use super::set::Entry;
use crate::action::{Call, Failure, answer};
use crate::lang::template::Scope;
use crate::model::Tool;
use crate::ops::{Answer, Arguments, Context, OpError, Operation, ToolOutcome};
use serde_json::{Map, Value};
use std::sync::Arc;

impl Runtime {
    /// Carries out one operation.
    ///
    /// # Errors
    /// A protocol error; a tool's own failure is an [`Answer::Tool`] with `is_error`.
    pub async fn execute(
        &self,
        operation: Operation,
        context: &Context,
    ) -> Result<Answer, OpError> {
        match operation {
            Operation::Discover => Ok(Answer::Ready(self.discovery.clone())),
            Operation::ListTools { cursor } => self.tools.list.page(cursor.as_deref()),
            Operation::CallTool { name, arguments } => {
                let Some(entry) = self.tools.set.get(&name) else {
                    return Err(OpError::UnknownTool(name));
                };
                self.call_tool(entry, arguments, context)
                    .await
                    .map(Answer::Tool)
            }
        }
    }

    async fn call_tool(
        &self,
        entry: &Entry<Tool>,
        arguments: Arguments,
        context: &Context,
    ) -> Result<ToolOutcome, OpError> {
        let tool = &*entry.component;
        // What the caller sent is checked, then what it left out is filled in.
        let sent = Value::Object(arguments);
        if let Err(violations) = tool.input.check(&sent) {
            return Ok(ToolOutcome::error(violations.arguments_text()));
        }
        let Value::Object(mut arguments) = sent else {
            return Err(OpError::InvalidParams("arguments must be an object".into()));
        };
        if let Err(error) = tool.input.apply_defaults(&mut arguments) {
            return Ok(ToolOutcome::error(error.to_string()));
        }
        let scope = self.scope(arguments, context);
        let outcome = match &entry.action {
            None => answer::from_result(tool, &scope, None)?,
            Some(action) => {
                let call = Call {
                    scope: &scope,
                    trace: &context.trace,
                    secrets: &self.values.secrets,
                };
                match action.run(call).await {
                    Ok(output) => answer::from_result(tool, &scope, Some(output))?,
                    Err(Failure(text)) => ToolOutcome::error(text),
                }
            }
        };
        Ok(answer::conforming(tool, outcome))
    }

    /// The names that a call's templates see.
    fn scope(&self, arguments: Arguments, context: &Context) -> Scope {
        let request_id = context.request_id.clone();
        let method = context.method;
        let client = context.client.clone();
        Scope::new()
            .with("args", Arc::new(arguments))
            .with("secrets", Arc::clone(&self.values.secrets))
            .with("env", Arc::clone(&self.values.env))
            .with_lazy("request", move || {
                let mut request = Map::new();
                request.insert("id".into(), request_id.clone().into());
                request.insert("method".into(), method.into());
                Value::Object(request)
            })
            .with_lazy("client", move || {
                let mut members = Map::new();
                if let Some(client) = &client {
                    members.insert("name".into(), client.name.clone().into());
                    members.insert("version".into(), client.version.clone().into());
                }
                Value::Object(members)
            })
            .with_lazy("auth", || Value::Object(Map::new()))
    }
}

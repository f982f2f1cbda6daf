//! Carrying out an operation: one match over all of them.

use super::Runtime;
use super::ask::{Asked, NotAsked, check_caller};
use super::set::Entry;
use crate::action::{Call, Failure, answer};
use crate::guard::{Inside, Outcome, Stop};
use crate::lang::template::Scope;
use crate::model::{Component, Kind, Tool};
use crate::ops::{Answer, Arguments, Caller, Context, Notices, OpError, Operation, ToolOutcome};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};
use std::sync::Arc;

/// What every operation has beside what it asks for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request<'a> {
    /// What came with it.
    pub(super) context: &'a Context,
    /// Where it says how it goes.
    pub(super) notices: &'a Notices,
}

/// A tool's call inside the wrappers of the tool.
struct ToolCall<'a> {
    runtime: &'a Runtime,
    entry: &'a Entry<Tool>,
    request: Request<'a>,
}

impl Inside for ToolCall<'_> {
    fn component(&self) -> (Kind, &str) {
        (Kind::Tool, self.entry.component.key())
    }

    fn root(&self) -> &'static str {
        "args"
    }

    fn checked(&self, arguments: Arguments) -> Result<Arguments, String> {
        let checked = checked(&self.entry.component, arguments);
        checked.map_err(|wrong| format!("went on with other arguments: {wrong}"))
    }

    fn answer(&self, given: Value) -> Result<Answer, String> {
        answer::given(&self.entry.component, given).map(Answer::Tool)
    }

    fn run(&self, scope: Scope) -> BoxFuture<'_, Outcome> {
        let act = async move {
            let acted = self.runtime.act(self.entry, scope, self.request).await?;
            Ok(Answer::Tool(acted))
        };
        act.boxed()
    }
}

/// Arguments as they were sent, checked; then what was left out is filled in.
fn checked(tool: &Tool, arguments: Arguments) -> Result<Arguments, String> {
    let sent = Value::Object(arguments);
    let fits = tool.input.check(&sent);
    fits.map_err(|violations| violations.arguments_text())?;
    let Value::Object(mut arguments) = sent else {
        return Err("arguments must be an object".to_owned());
    };
    let filled = tool.input.apply_defaults(&mut arguments);
    filled.map_err(|error| error.to_string())?;
    Ok(arguments)
}

impl Runtime {
    /// Carries out one operation, and tells `notices` how it goes.
    ///
    /// # Errors
    /// A protocol error; a tool's own failure is an [`Answer::Tool`] with `is_error`.
    pub async fn execute(
        &self,
        operation: Operation,
        context: &Context,
        notices: &Notices,
    ) -> Result<Answer, OpError> {
        let request = Request { context, notices };
        match operation {
            Operation::Discover => Ok(Answer::Ready(self.discovery.clone())),
            Operation::ListTools { cursor } => {
                let seen = self.seen_by(&context.caller);
                seen.tools.page(cursor.as_deref())
            }
            Operation::CallTool { name, arguments } => {
                let Some(entry) = self.tools.get(&name) else {
                    return Err(OpError::UnknownTool(name));
                };
                permit(&*entry.component, &context.caller)?;
                self.call_tool(entry, arguments, request).await
            }
            Operation::ListResources { cursor } => {
                let page = self.resource_page(cursor.as_deref(), &context.caller);
                Box::pin(page).await
            }
            Operation::ListResourceTemplates { cursor } => {
                let seen = self.seen_by(&context.caller);
                seen.templates.page(cursor.as_deref())
            }
            Operation::ReadResource { uri } => Box::pin(self.read_resource(uri, request)).await,
            Operation::ListPrompts { cursor } => {
                let seen = self.seen_by(&context.caller);
                seen.prompts.page(cursor.as_deref())
            }
            Operation::GetPrompt { name, arguments } => {
                Box::pin(self.get_prompt(name, arguments, request)).await
            }
            Operation::Complete {
                reference,
                argument,
                typed,
                others,
            } => {
                let completed = self.complete(reference, &argument, typed, others, request);
                Box::pin(completed).await
            }
        }
    }

    async fn call_tool(
        &self,
        entry: &Entry<Tool>,
        arguments: Arguments,
        request: Request<'_>,
    ) -> Result<Answer, OpError> {
        let tool = &*entry.component;
        let refused = |text: String| Ok(Answer::Tool(ToolOutcome::error(text)));
        check_caller(tool, request.context.capabilities)?;
        let arguments = match checked(tool, arguments) {
            Ok(arguments) => Arc::new(arguments),
            Err(wrong) => return refused(wrong),
        };
        let scope = self.scope("args", Arc::clone(&arguments), request.context);
        let scope = match self.ask(tool, scope, &arguments, request) {
            Ok(Asked::Answered(scope)) => scope,
            Ok(Asked::Open(required)) => return Ok(Answer::NeedsInput(required)),
            Ok(Asked::Declined(scope)) => return answer::refused(tool, &scope).map(Answer::Tool),
            Err(NotAsked::Failed(Failure(text))) => return refused(text),
            Err(NotAsked::Error(error)) => return Err(error),
        };
        if entry.wraps.is_empty() {
            return self.act(entry, scope, request).await.map(Answer::Tool);
        }
        let inside = ToolCall {
            runtime: self,
            entry,
            request,
        };
        match entry.wraps.around(&inside, scope).await {
            Ok(answer) => Ok(answer),
            // An actor's text may hold anything.
            Err(Stop::Refused(text)) => refused(self.hidden(&text)),
            Err(Stop::Error(error)) => Err(error),
        }
    }

    /// What the tool does, and what it answers.
    async fn act(
        &self,
        entry: &Entry<Tool>,
        scope: Scope,
        request: Request<'_>,
    ) -> Result<ToolOutcome, OpError> {
        let tool = &*entry.component;
        let outcome = match &entry.action {
            None => answer::from_result(tool, scope, None)?,
            Some(action) => match action.run(self.call(tool, &scope, request)).await {
                Ok(output) => answer::from_result(tool, scope, Some(output))?,
                Err(Failure(text)) => ToolOutcome::error(text),
            },
        };
        Ok(answer::conforming(tool, outcome))
    }

    /// What an action is run with.
    pub(super) fn call<'a, C: Component>(
        &'a self,
        component: &'a C,
        scope: &'a Scope,
        request: Request<'a>,
    ) -> Call<'a> {
        Call {
            scope,
            trace: &request.context.trace,
            secrets: &self.values.secrets,
            notices: request.notices,
            name: component.key(),
            caller: &request.context.caller,
        }
    }

    /// The names that a call's templates see; what it brings stands under `root`.
    pub(super) fn scope(
        &self,
        root: &'static str,
        brought: Arc<Map<String, Value>>,
        context: &Context,
    ) -> Scope {
        let request_id = Arc::clone(&context.request_id);
        let method = context.method;
        let client = context.client.clone();
        let caller = context.caller.clone();
        Scope::new()
            .with(root, brought)
            .with("secrets", Arc::clone(&self.values.secrets))
            .with("env", Arc::clone(&self.values.env))
            .with_each_lazy(["request", "client", "auth"], move |name| match name {
                "request" => {
                    let mut request = Map::new();
                    request.insert("id".into(), (*request_id).into());
                    request.insert("method".into(), method.into());
                    Value::Object(request)
                }
                "client" => {
                    let mut members = Map::new();
                    if let Some(client) = &client {
                        members.insert("name".into(), client.name.clone().into());
                        members.insert("version".into(), client.version.clone().into());
                    }
                    Value::Object(members)
                }
                _ => auth(&caller),
            })
    }
}

/// What `auth` holds in templates: nothing, when the caller has not shown who it is.
fn auth(caller: &Caller) -> Value {
    let mut members = Map::new();
    if let Some(principal) = caller.principal() {
        members.insert("principal".into(), principal.into());
        members.insert("scopes".into(), caller.scopes().into());
    }
    Value::Object(members)
}

/// Lets a caller use a component if it has the scopes for it.
///
/// # Errors
/// It has not; the error names all of them.
pub(super) fn permit<C: Component>(component: &C, caller: &Caller) -> Result<(), OpError> {
    match caller.has(component.scopes()) {
        true => Ok(()),
        false => Err(OpError::Forbidden(Arc::clone(component.scopes()))),
    }
}

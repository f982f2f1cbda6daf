//! `prompts/get` and `completion/complete`.

use super::ask::{Asked, NotAsked, check_caller};
use super::complete::choose;
use super::execute::{Request, permit};
use super::set::Entry;
use super::{Runtime, resources};
use crate::action::{Failure, complete, prompt};
use crate::guard::{Outcome, Stop, Wrapped};
use crate::lang::template::Scope;
use crate::lang::uri_template::UriTemplate;
use crate::model::{CompleteSpec, Component, LiveSpec, Prompt};
use crate::ops::{Answer, Completion, OpError, PromptOutcome, Reference, Texts};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};
use std::sync::Arc;

impl Runtime {
    /// A prompt's messages, given its arguments.
    pub(super) async fn get_prompt(
        &self,
        name: String,
        arguments: Texts,
        request: Request<'_>,
    ) -> Result<Answer, OpError> {
        let Some(entry) = self.prompts.get(&name) else {
            return Err(OpError::UnknownPrompt(name));
        };
        let prompt = &*entry.component;
        permit(prompt, &request.context.caller)?;
        check_caller(prompt, request.context.capabilities)?;
        let declared = prompt.declaration.arguments.iter();
        let missing: Vec<&str> = declared
            .filter(|argument| argument.required && !arguments.contains_key(&argument.name))
            .map(|argument| argument.name.as_str())
            .collect();
        if !missing.is_empty() {
            let missing = missing.join(", ");
            return Err(OpError::InvalidParams(format!(
                "Missing required arguments: {missing}"
            )));
        }
        let arguments = values(arguments);
        let scope = self.scope("args", Arc::clone(&arguments), request.context);
        let asked = self.ask(prompt, scope, &arguments, request);
        let scope = match asked.map_err(NotAsked::into_error)? {
            Asked::Answered(scope) => scope,
            Asked::Open(required) => return Ok(Answer::NeedsInput(required)),
            Asked::Declined(scope) => {
                let refused = prompt::refused(prompt, &scope).map(Answer::Prompt);
                return refused.map_err(|Failure(text)| OpError::Failed(text));
            }
        };
        let call = async {
            let made = self.prompt(entry, &scope, request).await;
            made.map(Answer::Prompt).map_err(failed)
        };
        wrapped(entry, &scope, "", call.boxed()).await
    }

    async fn prompt(
        &self,
        entry: &Entry<Prompt>,
        scope: &Scope,
        request: Request<'_>,
    ) -> Result<PromptOutcome, Failure> {
        let output = match &entry.action {
            None => None,
            Some(action) => Some(
                action
                    .run(self.call(&*entry.component, scope, request))
                    .await?,
            ),
        };
        prompt::messages(&entry.component, scope, output)
    }

    /// Values for an argument that is being typed. Arguments that nothing completes have none.
    pub(super) async fn complete(
        &self,
        reference: Reference,
        argument: &str,
        typed: String,
        others: Texts,
        request: Request<'_>,
    ) -> Result<Answer, OpError> {
        let name = match reference {
            Reference::Prompt(name) => name,
            Reference::Resource(uri) => {
                let completed = self.complete_variable(uri, argument, typed, others, request);
                return completed.await;
            }
        };
        let Some(entry) = self.prompts.get(&name) else {
            return Err(OpError::UnknownPrompt(name));
        };
        permit(&*entry.component, &request.context.caller)?;
        let declared = entry.component.declaration.arguments.iter();
        if !declared.clone().any(|declared| declared.name == argument) {
            let names: Vec<&str> = declared.map(|declared| declared.name.as_str()).collect();
            return Err(OpError::InvalidParams(format!(
                "`argument.name` is none of the prompt's arguments: {}",
                names.join(", ")
            )));
        }
        let completion = self.completion(entry, "args", argument, typed, others, request);
        completion.await
    }

    /// Values for a variable of a URI template that is being typed: those that the manifest names, or
    /// the files that are listed.
    async fn complete_variable(
        &self,
        uri: String,
        variable: &str,
        typed: String,
        others: Texts,
        request: Request<'_>,
    ) -> Result<Answer, OpError> {
        let Some(entry) = self.resources.named(&uri) else {
            return Err(OpError::ResourceNotFound(uri));
        };
        permit(&*entry.component, &request.context.caller)?;
        let resource = &entry.component;
        let variables = resource.template.as_ref().map(UriTemplate::variables);
        let variables = variables.unwrap_or_default();
        if !variables.contains(&variable) {
            return Err(OpError::InvalidParams(format!(
                "`argument.name` is none of the template's variables: {}",
                variables.join(", ")
            )));
        }
        let mut declared = resource.completions().iter();
        if !declared.any(|(name, _)| name == variable)
            && let Some(paths) = resources::paths(entry, variable).await
        {
            let paths = paths.iter().map(String::as_str);
            return Ok(Answer::Completion(choose(paths, &typed, true)));
        }
        self.completion(entry, "params", variable, typed, others, request)
            .await
    }

    async fn completion<C: Component>(
        &self,
        entry: &Entry<C>,
        root: &'static str,
        argument: &str,
        typed: String,
        mut others: Texts,
        request: Request<'_>,
    ) -> Result<Answer, OpError> {
        let mut completions = entry.component.completions().iter();
        match completions.find(|(name, _)| name == argument) {
            None => Ok(Answer::Completion(Completion::default())),
            Some((_, CompleteSpec::List(values))) => {
                let values = values.iter().map(String::as_str);
                Ok(Answer::Completion(choose(values, &typed, true)))
            }
            Some((_, CompleteSpec::Live(live))) => {
                others.insert(argument.to_owned(), typed.clone());
                let scope = self.scope(root, values(others), request.context);
                let call = async {
                    let asked = self.candidates(entry, argument, live, &scope, request);
                    let values = asked.await.map_err(failed)?;
                    let values = values.iter().map(String::as_str);
                    Ok(Answer::Completion(choose(values, &typed, live.filter)))
                };
                wrapped(entry, &scope, argument, call.boxed()).await
            }
        }
    }

    async fn candidates<C: Component>(
        &self,
        entry: &Entry<C>,
        argument: &str,
        live: &LiveSpec,
        scope: &Scope,
        request: Request<'_>,
    ) -> Result<Vec<String>, Failure> {
        let output = match entry.completer(argument) {
            None => None,
            Some(action) => Some(
                action
                    .run(self.call(&*entry.component, scope, request))
                    .await?,
            ),
        };
        complete::candidates(live, scope, output)
    }
}

/// A call inside the wrappers of its component. A component that is no tool has no other way to say
/// that it refuses than a protocol error.
pub(super) async fn wrapped<C: Component>(
    entry: &Entry<C>,
    scope: &Scope,
    slot: &str,
    call: BoxFuture<'_, Outcome>,
) -> Result<Answer, OpError> {
    match entry.wraps.around(Wrapped { scope, slot }, call).await {
        Ok(answer) => Ok(answer),
        Err(Stop::Refused(text)) => Err(OpError::Failed(text)),
        Err(Stop::Error(error)) => Err(error),
    }
}

pub(super) fn failed(Failure(text): Failure) -> Stop {
    Stop::Error(OpError::Failed(text))
}

fn values(texts: Texts) -> Arc<Map<String, Value>> {
    let texts = texts.into_iter();
    Arc::new(texts.map(|(name, text)| (name, text.into())).collect())
}

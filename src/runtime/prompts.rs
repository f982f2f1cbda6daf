//! `prompts/get` and `completion/complete`.

use super::complete::choose;
use super::execute::Request;
use super::set::Entry;
use super::{Runtime, resources};
use crate::action::{Failure, complete, prompt};
use crate::lang::template::Scope;
use crate::lang::uri_template::UriTemplate;
use crate::model::{CompleteSpec, Component, LiveSpec, Prompt};
use crate::ops::{Answer, Completion, OpError, PromptOutcome, Reference, Texts};
use serde_json::{Map, Value};
use std::sync::Arc;

impl Runtime {
    /// A prompt's messages, given its arguments.
    pub(super) async fn get_prompt(
        &self,
        name: String,
        arguments: Texts,
        request: Request<'_>,
    ) -> Result<PromptOutcome, OpError> {
        let Some(entry) = self.prompts.set.get(&name) else {
            return Err(OpError::UnknownPrompt(name));
        };
        let declared = entry.component.declaration.arguments.iter();
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
        let scope = self.scope("args", values(arguments), request.context);
        let made = self.prompt(entry, &scope, request).await;
        made.map_err(|Failure(text)| OpError::Failed(text))
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
                let completed = self.complete_variable(uri, argument, typed, others, context);
                return completed.await.map(Answer::Completion);
            }
        };
        let Some(entry) = self.prompts.set.get(&name) else {
            return Err(OpError::UnknownPrompt(name));
        };
        let declared = entry.component.declaration.arguments.iter();
        if !declared.clone().any(|declared| declared.name == argument) {
            let names: Vec<&str> = declared.map(|declared| declared.name.as_str()).collect();
            return Err(OpError::InvalidParams(format!(
                "`argument.name` is none of the prompt's arguments: {}",
                names.join(", ")
            )));
        }
        let completion = self.completion(entry, "args", argument, typed, others, request);
        completion.await.map(Answer::Completion)
    }

    /// Values for a variable of a URI template that is being typed: those that the manifest names, or
    /// the files that are listed.
    async fn complete_variable(
        &self,
        uri: String,
        variable: &str,
        typed: String,
        others: Texts,
        context: &Context,
    ) -> Result<Completion, OpError> {
        let Some(entry) = self.resources.named(&uri) else {
            return Err(OpError::ResourceNotFound(uri));
        };
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
            return Ok(choose(paths.iter().map(String::as_str), &typed, true));
        }
        self.completion(entry, "params", variable, typed, others, context)
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
    ) -> Result<Completion, OpError> {
        let mut completions = entry.component.completions().iter();
        match completions.find(|(name, _)| name == argument) {
            None => Ok(Completion::default()),
            Some((_, CompleteSpec::List(values))) => {
                Ok(choose(values.iter().map(String::as_str), &typed, true))
            }
            Some((_, CompleteSpec::Live(live))) => {
                others.insert(argument.to_owned(), typed.clone());
                let scope = self.scope(root, values(others), request.context);
                let asked = self.candidates(entry, argument, live, &scope, request);
                match asked.await {
                    Ok(values) => Ok(choose(
                        values.iter().map(String::as_str),
                        &typed,
                        live.filter,
                    )),
                    Err(Failure(text)) => Err(OpError::Failed(text)),
                }
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

fn values(texts: Texts) -> Arc<Map<String, Value>> {
    let texts = texts.into_iter();
    Arc::new(texts.map(|(name, text)| (name, text.into())).collect())
}

//! `prompts/get` and `completion/complete`.

use super::ask::{Asked, NotAsked, check_caller};
use super::complete::choose;
use super::execute::{Request, permit};
use super::set::Entry;
use super::{Runtime, resources};
use crate::action::{Failure, complete, prompt};
use crate::guard::{Inside, Outcome, Stop};
use crate::lang::template::Scope;
use crate::lang::uri_template::UriTemplate;
use crate::model::{CompleteSpec, Component, Kind, LiveSpec, Prompt};
use crate::ops::{Answer, Completion, OpError, PromptOutcome, Reference, Texts};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};
use std::collections::HashSet;
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
        let given = arguments.keys().map(String::as_str);
        complete_arguments(prompt, given).map_err(OpError::InvalidParams)?;
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
        let inside = Getting {
            runtime: self,
            entry,
            request,
        };
        self.wrapped(entry, &inside, scope).await
    }

    async fn prompt(
        &self,
        entry: &Entry<Prompt>,
        scope: Scope,
        request: Request<'_>,
    ) -> Result<PromptOutcome, Failure> {
        let output = match &entry.action {
            None => None,
            Some(action) => Some(
                action
                    .run(self.call(&*entry.component, &scope, request))
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
                let inside = Completing {
                    runtime: self,
                    entry,
                    root,
                    argument,
                    live,
                    typed: &typed,
                    request,
                };
                self.wrapped(entry, &inside, scope).await
            }
        }
    }

    async fn candidates<C: Component>(
        &self,
        entry: &Entry<C>,
        argument: &str,
        live: &LiveSpec,
        scope: Scope,
        request: Request<'_>,
    ) -> Result<Vec<String>, Failure> {
        let output = match entry.completer(argument) {
            None => None,
            Some(action) => Some(
                action
                    .run(self.call(&*entry.component, &scope, request))
                    .await?,
            ),
        };
        complete::candidates(live, scope, output)
    }

    /// A call inside the wrappers of its component. A component that is no tool has no other way to
    /// say that it refuses than a protocol error.
    pub(super) async fn wrapped<C: Component>(
        &self,
        entry: &Entry<C>,
        inside: &dyn Inside,
        scope: Scope,
    ) -> Result<Answer, OpError> {
        match entry.wraps.around(inside, scope).await {
            Ok(answer) => Ok(answer),
            Err(Stop::Refused(text)) => Err(OpError::Failed(self.hidden(&text))),
            Err(Stop::Error(error)) => Err(error),
        }
    }
}

/// Whether all required arguments are among the given ones.
fn complete_arguments<'g>(
    prompt: &Prompt,
    given: impl Iterator<Item = &'g str>,
) -> Result<(), String> {
    let given: HashSet<&str> = given.collect();
    let declared = prompt.declaration.arguments.iter();
    let missing: Vec<&str> = declared
        .filter(|argument| argument.required && !given.contains(argument.name.as_str()))
        .map(|argument| argument.name.as_str())
        .collect();
    match missing.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "Missing required arguments: {}",
            missing.join(", ")
        )),
    }
}

/// A prompt inside its wrappers.
struct Getting<'a> {
    runtime: &'a Runtime,
    entry: &'a Entry<Prompt>,
    request: Request<'a>,
}

impl Inside for Getting<'_> {
    fn component(&self) -> (Kind, &str) {
        (Kind::Prompt, self.entry.component.key())
    }

    fn root(&self) -> &'static str {
        "args"
    }

    fn checked(&self, arguments: Map<String, Value>) -> Result<Map<String, Value>, String> {
        let arguments = texts(arguments)?;
        let given = arguments.keys().map(String::as_str);
        let complete = complete_arguments(&self.entry.component, given);
        complete.map_err(|wrong| format!("went on with other arguments: {wrong}"))?;
        Ok(arguments)
    }

    fn answer(&self, given: Value) -> Result<Answer, String> {
        prompt::given(&self.entry.component, given).map(Answer::Prompt)
    }

    fn run(&self, scope: Scope) -> BoxFuture<'_, Outcome> {
        let made = async move {
            let made = self.runtime.prompt(self.entry, scope, self.request).await;
            made.map(Answer::Prompt).map_err(failed)
        };
        made.boxed()
    }
}

/// A live completion inside the wrappers of its component.
struct Completing<'a, C> {
    runtime: &'a Runtime,
    entry: &'a Entry<C>,
    root: &'static str,
    argument: &'a str,
    live: &'a LiveSpec,
    typed: &'a str,
    request: Request<'a>,
}

impl<C: Component> Inside for Completing<'_, C> {
    fn component(&self) -> (Kind, &str) {
        (C::KIND, self.entry.component.key())
    }

    fn slot(&self) -> &str {
        self.argument
    }

    fn root(&self) -> &'static str {
        self.root
    }

    fn checked(&self, arguments: Map<String, Value>) -> Result<Map<String, Value>, String> {
        texts(arguments)
    }

    fn answer(&self, given: Value) -> Result<Answer, String> {
        let Some(values) = complete::given(&given) else {
            return Err("gave an answer that is no list of texts".to_owned());
        };
        let values = values.iter().map(String::as_str);
        Ok(Answer::Completion(choose(values, "", false)))
    }

    fn run(&self, scope: Scope) -> BoxFuture<'_, Outcome> {
        let completed = async move {
            let (argument, request) = (self.argument, self.request);
            let asked = self
                .runtime
                .candidates(self.entry, argument, self.live, scope, request);
            let values = asked.await.map_err(failed)?;
            let values = values.iter().map(String::as_str);
            let chosen = choose(values, self.typed, self.live.filter);
            Ok(Answer::Completion(chosen))
        };
        completed.boxed()
    }
}

/// Arguments that are all texts.
fn texts(arguments: Map<String, Value>) -> Result<Map<String, Value>, String> {
    match arguments.iter().find(|(_, value)| !value.is_string()) {
        None => Ok(arguments),
        Some((name, _)) => Err(format!("went on with a `{name}` that is no text")),
    }
}

fn failed(Failure(text): Failure) -> Stop {
    Stop::Error(OpError::Failed(text))
}

fn values(texts: Texts) -> Arc<Map<String, Value>> {
    let texts = texts.into_iter();
    Arc::new(texts.map(|(name, text)| (name, text.into())).collect())
}

//! Running the tests that stand beside tools: each against a runtime of its own tool alone, by the
//! same way as a real call, with a stand-in where an upstream would be.

mod answer;
mod ask;
mod block;
mod json_diff;
mod problem;
mod text_diff;
mod upstream;

pub use json_diff::Difference;
pub use problem::{Problem, Told};
pub use text_diff::Change;

use crate::actor::Actors;
use crate::lang::diag::Diagnostic;
use crate::model::{ActionSpec, Actor, Settings, Tool, ToolTest, sends_of};
use crate::ops::{
    Answer, Caller, ClientCapability, Context, Notices, OpError, Operation, ToolOutcome,
};
use crate::process::Starter;
use crate::runtime::{Runtime, build_for_test, helper, not_started};
use crate::secret::Secret;
use crate::shutdown::Shutdown;
use crate::units::Time;
use futures_util::FutureExt as _;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The method of the call, as templates see it.
const METHOD: &str = "tools/call";

/// What `secrets.NAME` holds in tests: `secret-NAME`. Tests need no secret, send none, and show none.
pub fn stand_in_for_secrets(settings: &mut Settings) {
    for (name, secret) in &mut settings.values.secrets {
        *secret = Secret::new(format!("secret-{name}"));
    }
}

/// Runs one test and gives what is not as it must be. Bounded by the tool's own timeout and
/// `request_timeout`; dropping the future ends what it started. An actor of `actors` that the tool
/// messages begins anew for each test, and keeps nothing.
pub async fn run(
    settings: &Settings,
    tool: &Arc<Tool>,
    actors: &[Arc<Actor>],
    test: &ToolTest,
    shutdown: &Shutdown,
) -> Vec<Problem> {
    let running = Actors::for_test(shutdown, Starter::new(helper()));
    let messaged = |actor: &&Arc<Actor>| sends_of(&**tool).any(|spec| spec.target == actor.name);
    let messaged: Vec<_> = actors.iter().filter(messaged).cloned().collect();
    match running.prepare(&messaged, false, |_| false).await {
        Ok(prepared) => prepared.commit(),
        Err(errors) => {
            let errors = errors
                .iter()
                .map(|(actor, error)| not_started(actor, error));
            return plain(errors);
        }
    }
    let problems = call(settings, tool, test, shutdown, &running).await;
    running.stop();
    problems
}

/// What kept the call from being made.
fn plain(found: impl Iterator<Item = Diagnostic>) -> Vec<Problem> {
    let problems = found.map(|one| Problem::new("call", Told::Plain(one.message)));
    problems.collect()
}

async fn call(
    settings: &Settings,
    tool: &Arc<Tool>,
    test: &ToolTest,
    shutdown: &Shutdown,
    actors: &Actors,
) -> Vec<Problem> {
    let timeout = match &tool.action {
        Some(ActionSpec::Http(spec)) => spec.timeout,
        _ => Duration::ZERO,
    };
    let stand_in = match upstream::stand_in(&test.upstream, timeout).await {
        Ok(stand_in) => Arc::new(stand_in),
        Err(problem) => return vec![problem],
    };
    let upstream = Arc::clone(&stand_in);
    let runtime = match build_for_test(settings, tool, upstream, shutdown, actors) {
        Ok(runtime) => runtime,
        Err(found) => return plain(found.into_iter()),
    };
    let answered = match ended(settings, tool, test, &runtime).await {
        Ok(answered) => answered,
        Err(problem) => return vec![problem],
    };
    let mut problems = answer::compare(&test.expect, &answered);
    let said = answer::said(&answered);
    problems.extend(upstream::compare(&test.upstream, &stand_in, &said));
    problems
}

/// Calls the tool until it asks no more.
async fn ended(
    settings: &Settings,
    tool: &Tool,
    test: &ToolTest,
    runtime: &Runtime,
) -> Result<Result<ToolOutcome, OpError>, Problem> {
    let none = Notices::none();
    let mut given = Vec::new();
    let mut context = Context {
        request_id: "test".into(),
        method: METHOD,
        // A test is of what the tool does: its caller may use it.
        caller: Caller::known("test", tool.scopes.to_vec(), None, CancellationToken::new()),
        // Whoever runs tests can be asked anything.
        capabilities: ClientCapability::WORDS
            .map(|(_, one)| one)
            .into_iter()
            .collect(),
        ..Context::default()
    };
    loop {
        let operation = Operation::CallTool {
            name: tool.declaration.name.clone(),
            arguments: test.arguments.clone(),
        };
        let call = Box::pin(runtime.execute(operation, &context, &none));
        let call = AssertUnwindSafe(call).catch_unwind();
        let ended = tokio::time::timeout(settings.request_timeout, call).await;
        return Ok(match ended {
            // Each question is answered once, so this comes to an end.
            Ok(Ok(Ok(Answer::NeedsInput(required)))) => {
                context.input = ask::answer(test, required, &mut given)?;
                continue;
            }
            Ok(Ok(Ok(Answer::Tool(outcome)))) => Ok(outcome),
            Ok(Ok(Ok(_))) => Ok(ToolOutcome::default()),
            Ok(Ok(Err(error))) => Err(error),
            Ok(Err(_)) => Err(OpError::Internal("the call panicked".into())),
            Err(_) => Err(OpError::Internal(format!(
                "request timed out after {}",
                Time(settings.request_timeout)
            ))),
        });
    }
}

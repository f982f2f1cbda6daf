//! What the server needs of the runtime. The runtime is the one implementation in the program; the
//! server's own tests bring another, whose tools hang and panic when they are told to.

use crate::access::Access;
use crate::model::Kind;
use crate::ops::{Answer, Caller, Context, Notices, OpError, Operation};
use crate::protocol::Face;
use crate::runtime::{Handle, Runtime};
use std::sync::Arc;
use std::time::Duration;

/// Carries out operations. It does not change while a request runs.
pub trait Execute: Send + Sync + 'static {
    /// What the dialects need to know to read a request and write its answer.
    fn face(&self) -> &Face;

    /// Whether a resource of this URI may be there: it is declared, or fits a template.
    fn knows(&self, uri: &str) -> bool;

    /// Whether there is what this asks for by name: a tool, a prompt.
    fn serves(&self, _operation: &Operation) -> bool {
        true
    }

    /// Who calls. What does not say it asks nobody.
    fn access(&self) -> Arc<Access> {
        Arc::default()
    }

    /// How long a request waits for the answers of its caller, each time that it asks.
    fn waits_for_answers(&self) -> Duration;

    /// Lets this caller hear that the resource of this URI has changed.
    ///
    /// # Errors
    /// It lacks scopes for it.
    fn may_hear_of(&self, _uri: &str, _caller: &Caller) -> Result<(), OpError> {
        Ok(())
    }

    /// Carries out one operation, and tells `notices` how it goes. Dropping the future cancels it.
    ///
    /// # Errors
    /// A protocol error; a tool's own failure is an answer.
    fn execute(
        &self,
        operation: Operation,
        context: &Context,
        notices: &Notices,
    ) -> impl Future<Output = Result<Answer, OpError>> + Send;
}

/// Where a request finds what carries it out: it takes one snapshot and uses nothing else.
pub trait Snapshots: Clone + Send + Sync + 'static {
    /// What a snapshot is of.
    type Runtime: Execute;

    /// The runtime as it is now.
    fn snapshot(&self) -> Arc<Self::Runtime>;
}

impl Execute for Runtime {
    fn face(&self) -> &Face {
        Runtime::face(self)
    }

    fn knows(&self, uri: &str) -> bool {
        Runtime::knows(self, uri)
    }

    fn serves(&self, operation: &Operation) -> bool {
        match operation {
            Operation::CallTool { name, .. } => Runtime::serves(self, Kind::Tool, name),
            Operation::GetPrompt { name, .. } => Runtime::serves(self, Kind::Prompt, name),
            _ => true,
        }
    }

    fn access(&self) -> Arc<Access> {
        Arc::clone(Runtime::access(self))
    }

    fn waits_for_answers(&self) -> Duration {
        Runtime::waits_for_answers(self)
    }

    fn may_hear_of(&self, uri: &str, caller: &Caller) -> Result<(), OpError> {
        Runtime::may_hear_of(self, uri, caller)
    }

    fn execute(
        &self,
        operation: Operation,
        context: &Context,
        notices: &Notices,
    ) -> impl Future<Output = Result<Answer, OpError>> + Send {
        Runtime::execute(self, operation, context, notices)
    }
}

impl Snapshots for Handle {
    type Runtime = Runtime;

    fn snapshot(&self) -> Arc<Runtime> {
        Handle::snapshot(self)
    }
}

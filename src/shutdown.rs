//! Stopping: one token that everything watches, and the tasks that must end before the process does.

use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Handed to whatever runs on its own. Cloning is cheap; all clones are one.
#[derive(Clone, Debug, Default)]
pub struct Shutdown {
    token: CancellationToken,
    given_up: CancellationToken,
    hurry: CancellationToken,
    tasks: TaskTracker,
}

impl Shutdown {
    /// Not yet begun, no tasks.
    pub fn new() -> Self {
        Self::default()
    }

    /// The token that is cancelled when the process begins to stop.
    pub fn token(&self) -> &CancellationToken {
        &self.token
    }

    /// The tasks that [`Shutdown::wait`] waits for. Reaping a killed process group is one.
    pub fn tasks(&self) -> &TaskTracker {
        &self.tasks
    }

    /// Begins to stop. Later calls do nothing.
    pub fn begin(&self) {
        self.token.cancel();
    }

    /// Ends the patience with requests in flight. Later calls do nothing.
    pub fn give_up(&self) {
        self.token.cancel();
        self.given_up.cancel();
    }

    /// The token that is cancelled when requests still in flight are answered with an error.
    pub fn given_up(&self) -> &CancellationToken {
        &self.given_up
    }

    /// The token that is cancelled when there is no more patience: children are killed, not asked.
    pub fn hurried(&self) -> &CancellationToken {
        &self.hurry
    }

    /// Gives up every grace. Later calls do nothing.
    pub fn hurry(&self) {
        self.give_up();
        self.hurry.cancel();
    }

    /// Waits until every tracked task has ended, `grace` at the most. True when all ended.
    pub async fn wait(&self, grace: Duration) -> bool {
        self.tasks.close();
        tokio::time::timeout(grace, self.tasks.wait()).await.is_ok()
    }
}

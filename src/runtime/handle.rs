//! The current runtime, swapped by a reload.

use super::Runtime;
use arc_swap::ArcSwap;
use std::sync::Arc;

/// Points at the current runtime. A request takes one snapshot at its start and keeps it.
#[derive(Clone, Debug)]
pub struct Handle(Arc<ArcSwap<Runtime>>);

impl Handle {
    /// Starts with this runtime.
    pub fn new(runtime: Arc<Runtime>) -> Self {
        Self(Arc::new(ArcSwap::from(runtime)))
    }

    /// The runtime as it is now.
    pub fn snapshot(&self) -> Arc<Runtime> {
        self.0.load_full()
    }

    /// Puts another in its place. Requests that run keep the one they took.
    pub fn swap(&self, runtime: Arc<Runtime>) {
        self.0.store(runtime);
    }
}

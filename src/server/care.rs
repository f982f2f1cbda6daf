//! What every request is carried out with: its bounds, and who watches.

use super::{Audit, Limits};
use crate::runtime::Runtime;
use crate::shutdown::Shutdown;
use crate::telemetry::Metrics;
use std::time::Duration;

/// Who watches requests: what they are counted in, and where they are written down.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    /// The counters.
    pub metrics: Metrics,
    /// The audit log.
    pub audit: Audit,
}

impl Watch {
    /// This runtime serves from now on.
    pub fn serve(&self, runtime: &Runtime) {
        self.metrics.serve(runtime.tool_names());
        self.audit.hide(runtime.secrets());
    }
}

/// What every request is carried out with.
#[derive(Clone, Debug)]
pub(super) struct Care {
    /// How long a request may take.
    pub(super) limit: Duration,
    pub(super) shutdown: Shutdown,
    pub(super) watch: Watch,
}

impl Care {
    pub(super) fn new(limits: Limits, shutdown: Shutdown, watch: Watch) -> Self {
        Self {
            limit: limits.request_timeout,
            shutdown,
            watch,
        }
    }
}

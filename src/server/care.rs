//! What every request is carried out with: its bounds, its turn, and who watches.

use super::admission::{Admission, Turn, does_work};
use super::asking::Asking;
use super::spans::About;
use super::{Audit, Limits, Spans};
use crate::ops::{OpError, Operation};
use crate::protocol::{Call, Listen, Response};
use crate::runtime::Runtime;
use crate::shutdown::Shutdown;
use crate::telemetry::{Metrics, RequestId, Span};
use crate::units::Time;
use http::StatusCode;
use std::time::Duration;

/// Who watches requests: what they are counted in, and where they are written down.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    /// The counters.
    pub metrics: Metrics,
    /// The audit log.
    pub audit: Audit,
    /// The spans of traces.
    pub spans: Spans,
}

impl Watch {
    /// This runtime serves from now on.
    pub fn serve(&self, runtime: &Runtime) {
        self.metrics.serve(runtime.tool_names());
        self.audit.hide(runtime.secrets());
        self.spans.hide(runtime.secrets());
    }
}

/// What every request is carried out with.
#[derive(Clone, Debug)]
pub(super) struct Care {
    /// How long a request may take.
    pub(super) limit: Duration,
    /// The questions that are open.
    pub(super) asking: Asking,
    pub(super) shutdown: Shutdown,
    pub(super) watch: Watch,
    /// Where turns are given: not on a stream, whose requests have a bound of their own.
    admission: Option<Admission>,
}

impl Care {
    /// Of what comes by HTTP.
    pub(super) fn new(limits: Limits, shutdown: Shutdown, watch: Watch) -> Self {
        let metrics = watch.metrics.clone();
        Self {
            limit: limits.request_timeout,
            asking: Asking::default(),
            shutdown,
            watch,
            admission: Some(Admission::new(limits.in_flight, limits.queued, metrics)),
        }
    }

    /// Whether requests come by HTTP.
    pub(super) fn is_by_http(&self) -> bool {
        self.admission.is_some()
    }

    /// The same, without turns.
    pub(super) fn without_turns(&self) -> Self {
        Self {
            admission: None,
            ..self.clone()
        }
    }

    /// The span of a request to be told of changes.
    pub(super) fn begin_listening(&self, listen: &mut Listen) -> Option<Span> {
        self.watch.spans.begin(|| About {
            request: RequestId::next(),
            operation: None,
            context: &mut listen.context,
            revision: listen.subscription.revision(),
            session: None,
            by_http: self.is_by_http(),
        })
    }

    /// The turn of a call that does work, where turns are given. The error is its answer.
    pub(super) async fn turn(&self, call: &Call) -> Result<Option<Turn>, Response> {
        let why = match self.take_turn(&call.operation).await {
            Ok(turn) => return Ok(turn),
            Err(why) => why,
        };
        tracing::debug!(method = call.context.method, why, "turned a request away");
        let mut response = call.reply_to.refuse(&OpError::Internal(why).into());
        response.status = StatusCode::SERVICE_UNAVAILABLE;
        Err(response)
    }

    /// The turn of an operation that does work, where turns are given. The error says why there is
    /// none.
    pub(super) async fn take_turn(&self, operation: &Operation) -> Result<Option<Turn>, String> {
        let wanted = self.admission.as_ref();
        let Some(admission) = wanted.filter(|_| does_work(operation)) else {
            return Ok(None);
        };
        if let Some(turn) = admission.turn() {
            return Ok(Some(turn));
        }
        let given_up = self.shutdown.given_up();
        let queued = given_up.run_until_cancelled(admission.queue());
        Err(
            match Box::pin(tokio::time::timeout(self.limit, queued)).await {
                Ok(Some(Ok(turn))) => return Ok(Some(turn)),
                Ok(Some(Err(busy))) => busy.to_string(),
                Ok(None) => "the server is stopping".into(),
                Err(_) => format!("no turn came within {}", Time(self.limit)),
            },
        )
    }
}

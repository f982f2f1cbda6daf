//! What traces say of a request: OpenTelemetry's semantic conventions for MCP.

use crate::ops::{Context, Operation};
use crate::protocol::{Response, SessionKey};
use crate::secret::Mask;
use crate::telemetry::{Outcome, RequestId, Span, SpanCounts, Traces};
use arc_swap::ArcSwap;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Makes the spans of requests. The default makes none, and is a null pointer. Clones are one.
#[derive(Clone, Debug, Default)]
pub struct Spans(Option<Arc<Maker>>);

struct Maker {
    traces: Traces,
    /// What is never written down.
    mask: ArcSwap<Mask>,
}

/// A request, as far as a span tells of it.
pub(super) struct About<'a> {
    pub(super) request: RequestId,
    /// What is asked for, and whether there is such a thing. `None` for listening.
    pub(super) operation: Option<(&'a Operation, bool)>,
    pub(super) context: &'a mut Context,
    /// The name of the revision that it is in.
    pub(super) revision: &'static str,
    pub(super) session: Option<SessionKey>,
    pub(super) by_http: bool,
}

impl Spans {
    /// Spans that go there.
    pub fn new(traces: Traces) -> Self {
        Self(Some(Arc::new(Maker {
            traces,
            mask: ArcSwap::default(),
        })))
    }

    /// These values are not to be written down, whoever says them.
    pub(super) fn hide(&self, secrets: &Map<String, Value>) {
        if let Some(maker) = &self.0 {
            maker.mask.store(Arc::new(Mask::of(secrets)));
        }
    }

    /// What became of spans so far; `None` where none are made.
    pub(super) fn counts(&self) -> Option<SpanCounts> {
        self.0.as_ref().map(|maker| maker.traces.counts())
    }

    /// A request begins. From here on its context hands on the span instead of what it came with. `about`
    /// is only asked where spans are made.
    pub(super) fn begin<'a>(&self, about: impl FnOnce() -> About<'a>) -> Option<Span> {
        let maker = self.0.as_ref()?;
        let about = about();
        let trace = &mut about.context.trace;
        let begun = maker
            .traces
            .begin(trace.parent.as_deref(), trace.state.as_deref());
        if let Some(parent) = begun.parent {
            trace.parent = Some(parent);
        }
        let mut span = begun.span?;
        maker.tell(&mut span, &about);
        Some(span)
    }
}

impl Maker {
    fn tell(&self, span: &mut Span, about: &About<'_>) {
        let method = about.context.method;
        let mut name = method.to_owned();
        span.say("mcp.method.name", method);
        span.say("mcp.protocol.version", about.revision);
        let mask = self.mask.load();
        let mut say = |key, text: &str| span.say(key, &mask.hide(text));
        say("jsonrpc.request.id", &about.context.request_id);
        if let Some((operation, is_served)) = about.operation {
            let target = match operation {
                Operation::CallTool { name, .. } => {
                    say("gen_ai.operation.name", "execute_tool");
                    Some(("gen_ai.tool.name", name))
                }
                Operation::GetPrompt { name, .. } => Some(("gen_ai.prompt.name", name)),
                Operation::ReadResource { uri } => {
                    say("mcp.resource.uri", uri);
                    None
                }
                _ => None,
            };
            if let Some((key, target)) = target {
                say(key, target);
                // Names that callers make up do not become names of spans.
                if is_served {
                    name.push(' ');
                    name.push_str(target);
                }
            }
        }
        if let Some(session) = about.session {
            say("mcp.session.id", &session.to_string());
        }
        say("snodo.request", &about.request.to_string());
        let transport = if about.by_http { "tcp" } else { "pipe" };
        span.say("network.transport", transport);
        if about.by_http {
            span.say("network.protocol.name", "http");
        }
        span.name(name);
    }
}

impl std::fmt::Debug for Maker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Maker").field(&self.traces).finish()
    }
}

/// How a request ended, in its span. `code` is that of a protocol error.
pub(super) fn end(span: &mut Span, outcome: Outcome, code: Option<i64>) {
    match (code, outcome) {
        (Some(code), _) => {
            let code = code.to_string();
            span.say("rpc.response.status_code", &code);
            span.fail(&code);
        }
        (None, Outcome::Ok) => {}
        (None, other) => span.fail(other.word()),
    }
}

/// The answer to a request that is refused, after its span says so.
pub(super) fn refused(span: &mut Option<Span>, response: Response) -> Response {
    if let Some(span) = span {
        end(span, Outcome::Error, response.code);
    }
    response
}

//! Tests that stand beside a tool: a call, what the upstream would answer, what must come of it.

use crate::lang::diag::Span;
use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method};
use regex::Regex;
use serde_json::{Map, Value};
use std::path::PathBuf;
use url::Url;

/// One `[[tool.test]]`.
#[derive(Clone, Debug)]
pub struct ToolTest {
    /// The tool that it is a test of; it may be left out here.
    pub tool: String,
    /// Its name, unique for its tool.
    pub name: String,
    /// The arguments of the call. They need not fit the tool's schema.
    pub arguments: Map<String, Value>,
    /// What whoever is asked says, by the questions' names.
    pub answers: Vec<(String, TestAnswer)>,
    /// What stands in for the upstream, one answer a request, in order.
    pub upstream: Vec<UpstreamAnswer>,
    /// What must come of it.
    pub expect: Expectation,
    /// Where it stands, for messages.
    pub at: Span,
}

/// What is said to one question.
#[derive(Clone, Debug, PartialEq)]
pub enum TestAnswer {
    /// This.
    Accepted(Map<String, Value>),
    /// The user does not want to.
    Declined,
    /// The user does not say.
    Cancelled,
}

/// What must come of a call. Absent parts may be anything.
#[derive(Clone, Debug)]
pub struct Expectation {
    /// How the call ends.
    pub ending: Ending,
    /// The answer's text.
    pub text: Option<String>,
    /// What is found in the answer's text.
    pub text_matches: Option<Regex>,
    /// Parts of the answer's text.
    pub text_contains: Vec<String>,
    /// Parts of an error's text.
    pub error_contains: Vec<String>,
    /// Structured content.
    pub structured: Option<Value>,
    /// A part of structured content.
    pub structured_matches: Option<Value>,
    /// The blocks, each with the members that it must have, by the manifest's names.
    pub content: Option<Vec<Map<String, Value>>>,
    /// The result's `_meta`.
    pub metadata: Option<Value>,
}

/// How a call ends.
#[derive(Clone, Debug, PartialEq)]
pub enum Ending {
    /// With a result that is no error.
    Success,
    /// With a result that has `isError`.
    Error,
    /// With a JSON-RPC error.
    ProtocolError(ProtocolErrorExpectation),
}

/// What a JSON-RPC error must be. Absent parts may be anything.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProtocolErrorExpectation {
    /// Its code.
    pub code: Option<i64>,
    /// Its message.
    pub message: Option<String>,
    /// Its `data`.
    pub data: Option<Value>,
}

/// One answer of the stand-in for an upstream.
#[derive(Clone, Debug)]
pub struct UpstreamAnswer {
    /// What must have been asked.
    pub expect: RequestExpectation,
    /// What is answered.
    pub reply: UpstreamReply,
}

/// What a request must be. Absent parts may be anything.
#[derive(Clone, Debug, Default)]
pub struct RequestExpectation {
    /// The method.
    pub method: Option<Method>,
    /// The whole URL, query included.
    pub url: Option<Url>,
    /// Fields that must be there; others may be too.
    pub headers: Vec<(HeaderName, String)>,
    /// The body as JSON.
    pub json: Option<Value>,
    /// The body as text.
    pub body: Option<String>,
}

/// What the stand-in does with a request.
#[derive(Clone, Debug)]
pub enum UpstreamReply {
    /// It answers.
    Response {
        /// The status, 200 to 599.
        status: u16,
        /// Header fields, in order.
        headers: Vec<(HeaderName, HeaderValue)>,
        /// The body.
        body: UpstreamBody,
    },
    /// There is no answer.
    Fault(UpstreamFault),
}

/// The body of an answer.
#[derive(Clone, Debug)]
pub enum UpstreamBody {
    /// These bytes.
    Bytes(Bytes),
    /// What this file holds when the test runs.
    File(PathBuf),
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpstreamFault {
    /// Nobody listens.
    Refused,
    /// The tool's `timeout_ms` passes.
    Timeout,
    /// The connection ends before the answer.
    Closed,
    /// The host has no address.
    UnknownHost,
}

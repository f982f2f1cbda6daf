//! One request and its answer: the checks, in their order, and the call of the server.

use super::body::{Intake, discard};
use super::guard::{HostRule, Origin, OriginRule};
use super::link::Link;
use super::negotiate::{self, Form};
use super::refusal::{Refusal, Refused, denied_by};
use super::tls::Doorman;
use super::{Body, cors, sse};
use crate::server::{Endpoint, Reply, Report};
use bytes::Bytes;
use http::header::{ALLOW, CACHE_CONTROL, CONNECTION, CONTENT_TYPE, EXPECT, RETRY_AFTER};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, Version};
use hyper::body::{Body as _, Incoming};
use std::sync::Arc;

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
const EVENT_STREAM: HeaderValue = HeaderValue::from_static("text/event-stream");

/// What all connections of a listener share.
pub(super) struct Site<E> {
    pub(super) endpoint: Arc<E>,
    /// The endpoint's path, without a slash at the end; `None` where no messages are taken.
    pub(super) path: Option<String>,
    pub(super) origins: OriginRule,
    pub(super) intake: Intake,
    /// What TCP connections begin with, when they speak TLS.
    pub(super) doorman: Option<Doorman>,
}

/// What all requests of a connection share.
pub(super) struct Peer<E> {
    pub(super) site: Arc<Site<E>>,
    pub(super) hosts: Arc<HostRule>,
    pub(super) link: Arc<Link>,
}

/// A request in flight. Dropping it says that it is over.
pub(super) struct InFlight<E>(Arc<Peer<E>>);

impl<E> InFlight<E> {
    /// Begins one.
    pub(super) fn begin(peer: &Arc<Peer<E>>) -> Self {
        peer.link.begin();
        Self(Arc::clone(peer))
    }
}

impl<E> Drop for InFlight<E> {
    fn drop(&mut self) {
        self.0.link.end();
    }
}

impl<E: Endpoint> InFlight<E> {
    /// Answers the request. Dropping the future cancels it.
    pub(super) async fn answer(self, request: Request<Incoming>) -> Response<Body> {
        let peer = &*self.0;
        let (mut head, mut body) = request.into_parts();
        let origin = peer.site.origins.judge(&head.headers);
        let outcome = match peer.admit(&head, &origin) {
            Ok(Wish::Message) => {
                peer.site
                    .post(&mut head.headers, &mut body, &peer.link)
                    .await
            }
            Ok(Wish::Stream) => Box::pin(peer.site.stream(&head.headers, &peer.link)).await,
            Ok(Wish::End) => Box::pin(peer.site.end(&head.headers, &peer.link)).await,
            // Who may not come in is not told which methods there are.
            Ok(Wish::Other) => match peer.site.endpoint.admit(&head.headers).await {
                Ok(_) => Err(Refusal::MethodNotAllowed.into()),
                Err(denied) => Err(denied.into()),
            },
            Ok(Wish::Document(document)) => Ok(public(document)),
            Ok(Wish::Report(report)) => Ok(reported(report)),
            Ok(Wish::Options) => Ok(cors::options(
                &head.headers,
                peer.site.methods(),
                matches!(origin, Origin::Allowed(_)),
            )),
            Err(refusal) => Err(refusal.into()),
        };
        let taken = head.method == Method::POST && outcome.is_ok();
        let closes = outcome.as_ref().is_err_and(Refused::closes);
        let mut response = outcome.unwrap_or_else(Refused::response);
        if response.status() == StatusCode::METHOD_NOT_ALLOWED {
            let methods = peer.site.methods();
            response.headers_mut().insert(ALLOW, methods);
        }
        if !taken && !body.is_end_stream() {
            peer.abandon(&head, body, closes, response.headers_mut());
        }
        if let Origin::Allowed(origin) = origin {
            cors::expose(response.headers_mut(), origin);
        }
        response
    }
}

/// What a request is for.
enum Wish {
    /// To bring a message.
    Message,
    /// To hear what the server says by itself.
    Stream,
    /// To end a session.
    End,
    /// To learn what can be asked.
    Options,
    /// Something that is not served.
    Other,
    /// This document.
    Document(Bytes),
    /// To learn how the server is.
    Report(Report),
}

impl<E: Endpoint> Peer<E> {
    /// The checks that need no body, in their order: host, origin, path, method.
    fn admit(&self, head: &Parts, origin: &Origin) -> Result<Wish, Refusal> {
        self.hosts.judge(head)?;
        if *origin == Origin::Refused {
            return Err(Refusal::OriginNotAllowed);
        }
        let path = head.uri.path();
        let bare = path.strip_suffix('/').unwrap_or(path);
        let ours = self.site.path.as_deref() == Some(bare);
        if !ours
            && (head.method == Method::GET || head.method == Method::HEAD)
            && let Some(report) = self.site.endpoint.report(path)
            && (self.site.path.is_none() || !report.inner)
        {
            return Ok(Wish::Report(report));
        }
        if !ours
            && path.starts_with("/.well-known/")
            && let Some(document) = self.site.endpoint.document(path)
        {
            return match head.method {
                Method::GET | Method::HEAD => Ok(Wish::Document(document)),
                Method::OPTIONS => Ok(Wish::Options),
                _ => Err(Refusal::MethodNotAllowed),
            };
        }
        match head.method {
            // `OPTIONS *` asks about the server as a whole (RFC 9110 §9.3.7).
            Method::OPTIONS if ours || path == "*" => Ok(Wish::Options),
            _ if !ours => Err(Refusal::UnknownPath),
            Method::POST => Ok(Wish::Message),
            Method::GET if self.site.endpoint.has_sessions() => Ok(Wish::Stream),
            Method::DELETE if self.site.endpoint.has_sessions() => Ok(Wish::End),
            _ => Ok(Wish::Other),
        }
    }

    /// Answers without the rest of the body. On HTTP/1 the connection must end after it, unless all
    /// of the body is here already.
    fn abandon(&self, head: &Parts, mut body: Incoming, closes: bool, answer: &mut HeaderMap) {
        if head.version >= Version::HTTP_2 {
            return;
        }
        // Reading is what makes hyper say 100 Continue; a client that waits for it must not be told to.
        if closes || head.headers.contains_key(EXPECT) || !discard(&mut body) {
            answer.insert(CONNECTION, HeaderValue::from_static("close"));
            self.link.refuse();
        }
    }
}

impl<E: Endpoint> Site<E> {
    /// A message for the server. Of its headers only the allocation is left afterwards.
    async fn post(
        &self,
        headers: &mut HeaderMap,
        body: &mut Incoming,
        link: &Arc<Link>,
    ) -> Result<Response<Body>, Refused> {
        let caller = self.endpoint.admit(headers).await?;
        negotiate::content(headers)?;
        let form = negotiate::form(headers)?;
        let message = self.intake.collect(body).await?;
        let reply = self
            .endpoint
            .post(caller, headers, message, form.may_stream())
            .await;
        // hyper keeps an answer's header map for the next request, so handing it the request's own
        // back makes a connection do with one.
        headers.clear();
        Ok(respond(reply, form, std::mem::take(headers), link))
    }

    /// A stream for what the server says by itself. Whether there is one for these headers is settled
    /// before the form: who asks without a session is told that there is none, whatever it accepts.
    async fn stream(
        &self,
        headers: &HeaderMap,
        link: &Arc<Link>,
    ) -> Result<Response<Body>, Refused> {
        let caller = self.endpoint.admit(headers).await?;
        let reply = self.endpoint.stream(caller, headers);
        match reply.ok_or(Refusal::MethodNotAllowed)? {
            Reply::Stream(parts) => {
                if !negotiate::form(headers)?.may_stream() {
                    return Err(Refusal::NoStream.into());
                }
                let mut headers = HeaderMap::new();
                events(&mut headers);
                let mut response = Response::new(Body::listening(parts, link));
                *response.headers_mut() = headers;
                Ok(response)
            }
            other => Ok(respond(other, Form::Json, HeaderMap::new(), link)),
        }
    }

    /// The end of a session.
    async fn end(&self, headers: &HeaderMap, link: &Arc<Link>) -> Result<Response<Body>, Refused> {
        let caller = self.endpoint.admit(headers).await?;
        let reply = self.endpoint.end(caller, headers);
        let reply = reply.ok_or(Refusal::MethodNotAllowed)?;
        Ok(respond(reply, Form::Json, HeaderMap::new(), link))
    }

    /// What `Allow` says.
    fn methods(&self) -> HeaderValue {
        match self.endpoint.has_sessions() {
            true => HeaderValue::from_static("GET, POST, DELETE, OPTIONS"),
            false => HeaderValue::from_static("POST, OPTIONS"),
        }
    }
}

fn respond(reply: Reply, form: Form, mut headers: HeaderMap, link: &Arc<Link>) -> Response<Body> {
    let (status, body) = match reply {
        Reply::Accepted => (StatusCode::ACCEPTED, Body::default()),
        Reply::Ended => (StatusCode::NO_CONTENT, Body::default()),
        Reply::Began { session, body } => {
            // The id is visible ASCII, so it is a header's value.
            if let Ok(session) = HeaderValue::try_from(session) {
                headers.insert(SESSION_ID, session);
            }
            let status = StatusCode::OK;
            return respond(Reply::Message { status, body }, form, headers, link);
        }
        // An error status is for the client's HTTP layer, which does not look for events.
        Reply::Message { status, body } if form == Form::Event && status == StatusCode::OK => {
            events(&mut headers);
            (status, Body::whole(sse::event(&body.into_bytes())))
        }
        Reply::Stream(parts) => {
            events(&mut headers);
            (StatusCode::OK, Body::events(parts, link))
        }
        Reply::Denied(denied, body) => {
            headers.insert(CONTENT_TYPE, JSON);
            denied_by(&denied, &mut headers);
            (denied.status, Body::whole(body))
        }
        Reply::Message { status, body } => {
            if status == StatusCode::SERVICE_UNAVAILABLE {
                headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
            }
            headers.insert(CONTENT_TYPE, JSON);
            (status, Body::whole(body))
        }
    };
    let mut response = Response::new(body);
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}

/// A document for everybody.
fn public(document: Bytes) -> Response<Body> {
    let mut response = Response::new(Body::whole(document));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, JSON);
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("max-age=300"));
    response
}

fn reported(report: Report) -> Response<Body> {
    let mut response = Response::new(Body::whole(report.body));
    *response.status_mut() = report.status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, report.media_type);
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// The headers of events: nobody on the way is to keep them, or to wait for more of them.
fn events(headers: &mut HeaderMap) {
    headers.insert(CONTENT_TYPE, EVENT_STREAM);
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(
        HeaderName::from_static("x-accel-buffering"),
        HeaderValue::from_static("no"),
    );
}

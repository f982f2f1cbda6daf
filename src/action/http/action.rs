//! The `http` action of a component: templates to a request, a response to success or failure.

use super::output::{HttpOutput, refusal};
use super::{Client, ClientError, ClientOptions, Fetch, FetchError, StandIn};
use crate::action::{Call, Failure, render};
use crate::lang::template::{RenderErrorKind, Scope, Tree};
use crate::model::{HttpBody, HttpSpec, HttpTarget};
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderName, HeaderValue};
use std::fmt;
use std::sync::{Arc, OnceLock};
use url::Url;

/// An HTTP action ready to run.
pub struct HttpAction {
    spec: Arc<HttpSpec>,
    client: Arc<Client>,
    /// A template of the body uses a secret.
    secret_body: bool,
    /// The URL's template does.
    secret_url: bool,
    /// The URL, once it is known to be the same in every call.
    fixed_url: OnceLock<Url>,
}

/// The clients of a runtime, one for each choice of certificates.
#[derive(Default)]
pub struct HttpClients {
    known: Vec<(ClientOptions, Arc<Client>)>,
    /// In a test of a manifest: what every client reaches instead of the network.
    stand_in: Option<Arc<StandIn>>,
}

impl fmt::Debug for HttpAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpAction")
            .field("spec", &self.spec)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for HttpClients {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HttpClients({})", self.known.len())
    }
}

impl HttpClients {
    /// Clients that reach nobody but a stand-in.
    pub fn standing_in(upstream: Arc<StandIn>) -> Self {
        Self {
            known: Vec::new(),
            stand_in: Some(upstream),
        }
    }

    /// Keeps an action's client, with its open connections, for the actions that come.
    pub fn add(&mut self, action: &HttpAction) {
        let options = options(&action.spec);
        if !self.known.iter().any(|(known, _)| *known == options) {
            self.known.push((options, Arc::clone(&action.client)));
        }
    }

    fn client(&mut self, spec: &HttpSpec) -> Result<Arc<Client>, ClientError> {
        let options = options(spec);
        let mut known = self.known.iter();
        if let Some((_, client)) = known.find(|(known, _)| *known == options) {
            return Ok(Arc::clone(client));
        }
        let client = Arc::new(match &self.stand_in {
            None => Client::new(&options)?,
            Some(upstream) => Client::with_stand_in(&options, upstream)?,
        });
        self.known.push((options, Arc::clone(&client)));
        Ok(client)
    }
}

fn options(spec: &HttpSpec) -> ClientOptions {
    ClientOptions {
        ca: spec.ca_pem.iter().cloned().collect(),
        identity: spec.client_pem.clone(),
    }
}

impl HttpAction {
    /// Finds or makes the client.
    ///
    /// # Errors
    /// Certificates that cannot be used.
    pub fn prepare(spec: &Arc<HttpSpec>, clients: &mut HttpClients) -> Result<Self, ClientError> {
        Ok(Self {
            client: clients.client(spec)?,
            secret_body: is_secret_body(&spec.body),
            secret_url: spec.url.uses("secrets"),
            fixed_url: OnceLock::new(),
            spec: Arc::clone(spec),
        })
    }

    /// Sends the request and reads the response. Dropping the future closes the connection.
    ///
    /// # Errors
    /// A part that cannot be made, a network fault, a status that does not count as success.
    pub async fn run(&self, call: Call<'_>) -> Result<HttpOutput, Failure> {
        let fetch = self.fetch(call)?;
        let asked = (!self.secret_url).then(|| fetch.url.clone());
        let fetched = self.client.fetch(fetch).await;
        let fetched = fetched.map_err(|error| self.failure(&error))?;
        if fetched.status.is_success() || self.spec.accept_status.contains(&fetched.status.as_u16())
        {
            return Ok(HttpOutput::new(fetched, asked));
        }
        Err(refusal(&fetched, &call.mask()))
    }

    /// Why no response came, and from where, unless that is a secret.
    fn failure(&self, error: &FetchError) -> Failure {
        let is_caller_named = matches!(self.spec.target, HttpTarget::FromCaller { .. });
        Failure(if is_caller_named && self.secret_url {
            error.fault().to_string()
        } else {
            error.to_string()
        })
    }

    fn fetch(&self, call: Call<'_>) -> Result<Fetch, Failure> {
        let spec = &*self.spec;
        let (body, content_type) = body(&spec.body, call.scope)?;
        let mut headers = Vec::new();
        let mut secret_headers = Vec::new();
        for (name, value) in [
            ("traceparent", &call.trace.parent),
            ("tracestate", &call.trace.state),
        ] {
            if let Some(Ok(value)) = value.as_ref().map(|value| HeaderValue::from_str(value)) {
                headers.push((HeaderName::from_static(name), value));
            }
        }
        for header in &spec.headers {
            let key = header.name.as_str();
            let place = format!("headers.{key}");
            let Some(text) = render::text(&place, &header.value, call.scope)? else {
                continue;
            };
            let value = HeaderValue::from_bytes(text.as_bytes()).map_err(|_| {
                Failure(format!(
                    "the header `{key}` cannot be sent: its value holds a control character"
                ))
            })?;
            headers.retain(|(known, _)| *known != header.name);
            headers.push((header.name.clone(), value));
            if header.secret {
                secret_headers.push(header.name.clone());
            }
        }
        if let Some(content_type) = content_type
            && !headers.iter().any(|(name, _)| name == CONTENT_TYPE)
        {
            headers.push((CONTENT_TYPE, HeaderValue::from_static(content_type)));
        }
        Ok(Fetch {
            method: spec.method.clone(),
            url: self.url(call.scope)?,
            headers,
            secret_headers,
            secret_body: self.secret_body,
            body,
            timeout: spec.timeout,
            max_bytes: spec.max_bytes,
            accept_status: spec.accept_status.clone(),
            redirects: spec.redirects,
            retry: spec.retry.clone(),
            notices: call.notices.clone(),
            target: spec.target.clone(),
        })
    }

    fn url(&self, scope: &Scope) -> Result<Url, Failure> {
        if let Some(url) = self.fixed_url.get() {
            return Ok(url.clone());
        }
        let url = self.rendered_url(scope)?;
        if self.spec.url.is_literal() && self.spec.query.is_empty() {
            return Ok(self.fixed_url.get_or_init(|| url).clone());
        }
        Ok(url)
    }

    fn rendered_url(&self, scope: &Scope) -> Result<Url, Failure> {
        let text = self.spec.url.url(scope).map_err(|error| {
            let is_whole = error.range() == (0..self.spec.url.source().len());
            // It would be told with the whole URL, userinfo included.
            if error.kind() == RenderErrorKind::Url && is_whole && !self.spec.url.is_native() {
                Failure("cannot make `url`: its path would have a `.` or `..` segment".into())
            } else {
                render::failed("url", &error)
            }
        })?;
        let text = text.ok_or_else(|| Failure("cannot make `url`: its value is absent".into()))?;
        let mut url =
            Url::parse(&text).map_err(|error| Failure(format!("cannot make `url`: {error}")))?;
        let pairs = pairs("query", &self.spec.query, scope)?;
        if !pairs.is_empty() {
            url.query_pairs_mut().extend_pairs(pairs);
        }
        Ok(url)
    }
}

/// The body's bytes and the type it has unless the manifest says another.
fn body(body: &HttpBody, scope: &Scope) -> Result<(Option<Bytes>, Option<&'static str>), Failure> {
    Ok(match body {
        HttpBody::Empty => (None, None),
        HttpBody::Json(tree) => match render::tree("json", tree, scope)? {
            Some(value) => (Some(value.to_string().into()), Some("application/json")),
            None => (None, None),
        },
        HttpBody::Form(fields) => {
            let pairs = pairs("form", fields, scope)?;
            let text = url::form_urlencoded::Serializer::new(String::new())
                .extend_pairs(pairs)
                .finish();
            (Some(text.into()), Some("application/x-www-form-urlencoded"))
        }
        HttpBody::Text(template) => match render::text("body", template, scope)? {
            Some(text) => (Some(text.into()), Some("text/plain; charset=utf-8")),
            None => (None, None),
        },
    })
}

/// Keys and values; a list repeats its key, an absent value leaves its key out.
fn pairs(
    place: &str,
    fields: &[(String, Tree)],
    scope: &Scope,
) -> Result<Vec<(String, String)>, Failure> {
    let mut pairs = Vec::new();
    for (key, tree) in fields {
        if let Some(value) = render::tree(&format!("{place}.{key}"), tree, scope)? {
            let texts = render::texts(&value);
            pairs.extend(texts.into_iter().map(|text| (key.clone(), text)));
        }
    }
    Ok(pairs)
}

fn is_secret_body(body: &HttpBody) -> bool {
    match body {
        HttpBody::Empty => false,
        HttpBody::Json(tree) => is_secret(tree),
        HttpBody::Form(fields) => are_secret(fields),
        HttpBody::Text(template) => template.uses("secrets"),
    }
}

fn are_secret(fields: &[(String, Tree)]) -> bool {
    fields.iter().any(|(_, tree)| is_secret(tree))
}

fn is_secret(tree: &Tree) -> bool {
    tree.templates()
        .iter()
        .any(|template| template.uses("secrets"))
}

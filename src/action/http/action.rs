//! The `http` action of a component: templates to a request, a response to an answer.

use super::{
    Client, ClientError, ClientOptions, Fetch, Fetched, HostPattern, HostPatternError, Identity,
    Retry, Target,
};
use crate::action::{Call, Failure, Output, render};
use crate::lang::template::{Scope, Tree};
use crate::model::{ClientIdentity, HttpBody, HttpSpec, HttpTarget};
use crate::ops::{Block, Payload, ToolOutcome};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderName, HeaderValue};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use url::Url;

/// How much of a body a failure shows, in bytes.
const ERROR_BYTES: usize = 2048;

/// An HTTP action ready to run.
pub struct HttpAction {
    spec: Arc<HttpSpec>,
    client: Arc<Client>,
    target: Target,
    /// A template of the body uses a secret.
    secret_body: bool,
}

/// The clients of a runtime, one for each choice of certificates.
#[derive(Default)]
pub struct HttpClients(Vec<(Certificates, Arc<Client>)>);

type Certificates = (Option<Vec<u8>>, Option<ClientIdentity>);

/// Why an action cannot be made ready.
#[derive(Debug, thiserror::Error)]
pub enum HttpPrepareError {
    /// The certificates cannot be used.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// An entry of `allow_hosts` is no host pattern.
    #[error("`allow_hosts`: {0}")]
    Host(#[from] HostPatternError),
}

/// A response that counts as success.
#[derive(Debug)]
pub struct HttpOutput(Fetched);

impl fmt::Debug for HttpAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpAction")
            .field("spec", &self.spec)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for HttpClients {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HttpClients({})", self.0.len())
    }
}

impl HttpClients {
    /// Keeps an action's client, with its open connections, for the actions that come.
    pub fn add(&mut self, action: &HttpAction) {
        let certificates = certificates(&action.spec);
        if !self.0.iter().any(|(known, _)| *known == certificates) {
            self.0.push((certificates, Arc::clone(&action.client)));
        }
    }

    fn client(&mut self, spec: &HttpSpec) -> Result<Arc<Client>, ClientError> {
        let certificates = certificates(spec);
        if let Some((_, client)) = self.0.iter().find(|(known, _)| *known == certificates) {
            return Ok(Arc::clone(client));
        }
        let client = Arc::new(Client::new(&ClientOptions {
            ca: spec.ca_pem.iter().cloned().collect(),
            identity: spec.client_pem.as_ref().map(|identity| Identity {
                certificates: identity.chain.clone(),
                key: identity.key.0.clone(),
            }),
        })?);
        self.0.push((certificates, Arc::clone(&client)));
        Ok(client)
    }
}

fn certificates(spec: &HttpSpec) -> Certificates {
    (spec.ca_pem.clone(), spec.client_pem.clone())
}

impl HttpAction {
    /// Finds or makes the client.
    ///
    /// # Errors
    /// Certificates or host patterns that cannot be used.
    pub fn prepare(
        spec: &Arc<HttpSpec>,
        clients: &mut HttpClients,
    ) -> Result<Self, HttpPrepareError> {
        let target = match &spec.target {
            HttpTarget::Fixed => Target::Fixed {
                allow_private: false,
            },
            HttpTarget::FromCaller {
                allow_hosts,
                allow_private,
            } => Target::FromCaller {
                allow_hosts: allow_hosts
                    .iter()
                    .map(|host| host.parse::<HostPattern>())
                    .collect::<Result<_, _>>()?,
                allow_private: *allow_private,
            },
        };
        Ok(Self {
            client: clients.client(spec)?,
            secret_body: uses_secret(&spec.body),
            spec: Arc::clone(spec),
            target,
        })
    }

    /// Sends the request and reads the response. Dropping the future closes the connection.
    ///
    /// # Errors
    /// A part that cannot be made, a network fault, a status that does not count as success.
    pub async fn run(&self, call: Call<'_>) -> Result<HttpOutput, Failure> {
        let fetch = self.fetch(call)?;
        let fetched = self.client.fetch(fetch).await;
        let fetched = fetched.map_err(|error| Failure(error.to_string()))?;
        if fetched.status.is_success() || self.spec.accept_status.contains(&fetched.status.as_u16())
        {
            return Ok(HttpOutput(fetched));
        }
        let mut text = format!("the upstream answered {}", fetched.status);
        let body = text_of(&fetched);
        let shown = head(&body, ERROR_BYTES);
        if !shown.trim().is_empty() {
            text.push_str(&format!("\n{shown}"));
        }
        Err(Failure(text))
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
            let Some(text) = render::text(key, &header.value, call.scope)? else {
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
            redirects: spec.redirects,
            retry: Retry {
                attempts: spec.retry.attempts,
                backoff: spec.retry.backoff,
                on: spec.retry.on.clone(),
                any_method: spec.retry.any_method,
            },
            target: self.target.clone(),
        })
    }

    fn url(&self, scope: &Scope) -> Result<Url, Failure> {
        let text = self
            .spec
            .url
            .url(scope)
            .map_err(|error| render::failed("url", &error))?;
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

impl Output for HttpOutput {
    fn answer(&self) -> Result<ToolOutcome, Failure> {
        let fetched = &self.0;
        let mime_type = mime(fetched);
        if let Some(json) = json(fetched) {
            return Ok(ToolOutcome {
                content: vec![Block::text(text_of(fetched))],
                structured: Some(json),
                ..ToolOutcome::default()
            });
        }
        let is_text = mime_type.starts_with("text/")
            || (std::str::from_utf8(&fetched.body).is_ok() && !is_media(&mime_type));
        let block = if is_text {
            Block::text(text_of(fetched))
        } else {
            media(fetched, mime_type)
        };
        Ok(ToolOutcome {
            content: vec![block],
            ..ToolOutcome::default()
        })
    }

    fn value(&self) -> Value {
        let fetched = &self.0;
        let mut headers = Map::new();
        for (name, value) in &fetched.headers {
            let text = String::from_utf8_lossy(value.as_bytes()).into_owned();
            match headers.get_mut(name.as_str()) {
                Some(Value::String(first)) => {
                    first.push_str(", ");
                    first.push_str(&text);
                }
                _ => {
                    headers.insert(name.as_str().to_owned(), text.into());
                }
            }
        }
        let mut output = Map::new();
        output.insert("status".into(), fetched.status.as_u16().into());
        output.insert("headers".into(), Value::Object(headers));
        output.insert("body".into(), text_of(fetched).into());
        if let Some(json) = json(fetched) {
            output.insert("json".into(), json);
        }
        output.insert("bytes".into(), STANDARD.encode(&fetched.body).into());
        output.insert("mime".into(), mime(fetched).into());
        Value::Object(output)
    }
}

/// The media type without parameters, lower case.
fn mime(fetched: &Fetched) -> String {
    let whole = fetched
        .content_type
        .as_deref()
        .unwrap_or("application/octet-stream");
    whole
        .split(';')
        .next()
        .unwrap_or(whole)
        .trim()
        .to_ascii_lowercase()
}

fn is_media(mime_type: &str) -> bool {
    ["image/", "audio/", "video/", "font/"]
        .iter()
        .any(|prefix| mime_type.starts_with(prefix))
}

/// The body parsed, when its type says JSON and it is.
fn json(fetched: &Fetched) -> Option<Value> {
    let mime_type = mime(fetched);
    let says_json = mime_type == "application/json" || mime_type.ends_with("+json");
    says_json
        .then(|| serde_json::from_slice(&fetched.body).ok())
        .flatten()
}

fn media(fetched: &Fetched, mime_type: String) -> Block {
    let data = STANDARD.encode(&fetched.body);
    if mime_type.starts_with("image/") {
        Block::Image {
            data,
            mime_type,
            annotations: None,
        }
    } else if mime_type.starts_with("audio/") {
        Block::Audio {
            data,
            mime_type,
            annotations: None,
        }
    } else {
        // A query may hold a key, so the URI names the place without it.
        let mut url = fetched.url.clone();
        url.set_query(None);
        Block::Resource {
            uri: url.into(),
            mime_type: Some(mime_type),
            payload: Payload::Blob(data),
            annotations: None,
        }
    }
}

/// The body as text, invalid UTF-8 replaced.
fn text_of(fetched: &Fetched) -> String {
    String::from_utf8_lossy(&fetched.body).into_owned()
}

fn head(text: &str, bytes: usize) -> Cow<'_, str> {
    if text.len() <= bytes {
        return Cow::Borrowed(text);
    }
    let mut end = bytes;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    Cow::Owned(format!("{}…", text.get(..end).unwrap_or("")))
}

/// True when a template of the body uses a secret.
fn uses_secret(body: &HttpBody) -> bool {
    let in_tree = |tree: &Tree| {
        tree.templates()
            .iter()
            .any(|template| template.uses("secrets"))
    };
    match body {
        HttpBody::Empty => false,
        HttpBody::Json(tree) => in_tree(tree),
        HttpBody::Form(fields) => fields.iter().any(|(_, tree)| in_tree(tree)),
        HttpBody::Text(template) => template.uses("secrets"),
    }
}

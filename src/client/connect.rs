//! Connecting: which revision is spoken is found out by asking (specification: versioning
//! §Backward Compatibility).

use super::error::ClientError;
use super::http::Http;
use super::options::{Options, Target};
use super::stdio::Stdio;
use super::{About, Client, Link, within};
use crate::protocol::client::{
    Offered, Request, RpcError, Version, chosen, initialize, initialized,
};
use serde_json::Value;
use std::sync::atomic::AtomicU64;
use std::time::Duration;
use tokio::time::timeout;

/// How long a program may say nothing to the first question before the handshake is tried. Some
/// servers with one do not answer what comes before it.
const SILENCE: Duration = Duration::from_secs(10);

/// The error codes by which a server shows that it needs no handshake.
const MODERN: [i64; 3] = [-32020, -32021, -32022];

impl Client {
    /// Connects, and agrees on a revision.
    ///
    /// # Errors
    /// Why that fails. A program that was started has been ended then.
    pub async fn connect(target: Target, options: &Options) -> Result<Self, ClientError> {
        let link = match target {
            Target::Http(url) => Link::Http(Box::new(Http::at(&url, options)?)),
            Target::Unix(path, at) => Link::Http(Box::new(Http::on(path, &at, options)?)),
            Target::Program(program) => {
                Link::Stdio(Stdio::start(program, options.max_bytes, options.said).await?)
            }
        };
        let mut client = Self {
            link,
            version: options.version.unwrap_or(Version::NEWEST),
            said: options.said,
            timeout: options.timeout,
            bound: options.max_bytes,
            next: AtomicU64::new(1),
            about: About::default(),
        };
        match client.agree(options.version).await {
            Ok(()) => Ok(client),
            Err(error) => {
                client.close().await;
                Err(error)
            }
        }
    }

    async fn agree(&mut self, wanted: Option<Version>) -> Result<(), ClientError> {
        if !self.version.is_modern() {
            return self.shake_hands(self.version, wanted).await;
        }
        let discovered = self.discover().await;
        let answer = match discovered {
            Ok(Some(answer)) => answer,
            // It says nothing to a question it does not know.
            Ok(None) => return self.shake_hands(Version::NEWEST_LEGACY, wanted).await,
            // Something is there, and it does not take this request.
            Err(ClientError::Status { status, .. })
                if matches!(status.as_u16(), 400 | 404..=406 | 422) && wanted.is_none() =>
            {
                return self.shake_hands(Version::NEWEST_LEGACY, wanted).await;
            }
            Err(error) => return Err(error),
        };
        match (chosen(&answer), answer) {
            (Some(Offered::Both(version)), Ok(result)) if version.is_modern() => {
                self.version = version;
                self.about = about(result, "_meta");
                Ok(())
            }
            (Some(Offered::Both(version)), _) if wanted.is_none_or(|w| w == version) => {
                self.shake_hands(version, wanted).await
            }
            (Some(_), answer) => Err(self.no_common(&answer)),
            (None, Err(error)) if MODERN.contains(&error.code) || wanted.is_some() => {
                Err(ClientError::Refused {
                    method: "server/discover",
                    error,
                })
            }
            (None, _) => self.shake_hands(Version::NEWEST_LEGACY, wanted).await,
        }
    }

    /// Asks what the server speaks. `None` is a program's silence.
    async fn discover(&self) -> Result<Option<Result<Value, RpcError>>, ClientError> {
        let request = Request::new("server/discover");
        let mut unheard = |_| {};
        let asked = self.outcome(&request, &mut unheard);
        match &self.link {
            Link::Http(_) => asked.await.map(Some),
            Link::Stdio(_) => match timeout(SILENCE, asked).await {
                Ok(outcome) => outcome.map(Some),
                Err(_) => Ok(None),
            },
        }
    }

    /// The handshake of earlier revisions.
    async fn shake_hands(
        &mut self,
        ask_for: Version,
        wanted: Option<Version>,
    ) -> Result<(), ClientError> {
        let (version, about) = self.greet(ask_for, wanted).await?;
        (self.version, self.about) = (version, about);
        self.tell("notifications/initialized", initialized()).await
    }

    /// Makes the handshake once more, with a server that forgot the session.
    ///
    /// # Errors
    /// It does not agree to the same.
    pub(super) async fn renew(&self) -> Result<(), ClientError> {
        self.greet(self.version, Some(self.version)).await?;
        self.tell("notifications/initialized", initialized()).await
    }

    async fn greet(
        &self,
        ask_for: Version,
        wanted: Option<Version>,
    ) -> Result<(Version, About), ClientError> {
        let id = self.number();
        let message = initialize(ask_for, self.said, id);
        let method = "initialize";
        let asked = self.link.shake_hands(id, message);
        let outcome = within(self.timeout, method, asked).await?;
        let result = outcome.map_err(|error| ClientError::Refused { method, error })?;
        let theirs = result.get("protocolVersion").and_then(Value::as_str);
        let Some(theirs) = theirs else {
            return Err(ClientError::Answer {
                method,
                why: "names no `protocolVersion`".into(),
            });
        };
        let version = Version::find(theirs).filter(|version| !version.is_modern());
        match version {
            Some(version) if wanted.is_none_or(|wanted| wanted == version) => {
                Ok((version, about(result, "serverInfo")))
            }
            _ => Err(ClientError::Version {
                at: self.link.shown().to_owned(),
                theirs: theirs.chars().take(40).collect(),
            }),
        }
    }

    fn no_common(&self, answer: &Result<Value, RpcError>) -> ClientError {
        let (list, data) = match answer {
            Ok(result) => ("supportedVersions", Some(result)),
            Err(error) => ("supported", error.data.as_ref()),
        };
        let names = data.and_then(|data| data.get(list)?.as_array());
        let names: Vec<&str> = names
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        ClientError::Version {
            at: self.link.shown().to_owned(),
            theirs: names.join(", ").chars().take(200).collect(),
        }
    }
}

/// What the first answer says of the server. Its name stands in the member `place`: at the top after
/// a handshake, else in the metadata.
fn about(mut result: Value, place: &str) -> About {
    let mut object = |name: &str| match result.get_mut(name).map(Value::take) {
        Some(Value::Object(members)) => members,
        _ => serde_json::Map::new(),
    };
    let capabilities = object("capabilities");
    let mut server = object(place);
    if place == "_meta" {
        server = match server.remove("io.modelcontextprotocol/serverInfo") {
            Some(Value::Object(members)) => members,
            _ => serde_json::Map::new(),
        };
    }
    let instructions = result.get("instructions").and_then(Value::as_str);
    About {
        server,
        capabilities,
        instructions: instructions.map(str::to_owned),
    }
}

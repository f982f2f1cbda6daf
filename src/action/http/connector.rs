//! What the pool calls for a new connection: a checked TCP connection, with TLS upon it for https.

use super::dial::{Reach, dial};
use super::error::Fault;
use super::network::Network;
use super::stand_in::StandIn;
use super::stream::Tracked;
use super::tls::{self, Tls};
use futures_util::future::BoxFuture;
use http::Uri;
use http::uri::Scheme;
use hyper_rustls::{HttpsConnector, MaybeHttpsStream};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tower_service::Service;
use url::Host;

/// How long resolving, connecting and the TLS handshake may take together. The pool lets a
/// connection that nobody waits for any more finish, so this must not hang on a request's own bound.
const HANDSHAKE: Duration = Duration::from_secs(15);

/// Makes TCP connections to where `reach` allows.
#[derive(Clone)]
pub(super) struct Dialer {
    pub(super) network: Arc<dyn Network>,
    pub(super) reach: Reach,
}

impl Service<Uri> for Dialer {
    type Response = Tracked;
    type Error = Fault;
    type Future = BoxFuture<'static, Result<Tracked, Fault>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Fault>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let Self { network, reach } = self.clone();
        Box::pin(async move {
            let host = uri
                .host()
                .and_then(|host| Host::parse(host).ok())
                .ok_or(Fault::Url)?;
            let default = if uri.scheme() == Some(&Scheme::HTTPS) {
                443
            } else {
                80
            };
            let port = uri.port_u16().unwrap_or(default);
            let stream = dial(network.as_ref(), reach, &host, port).await?;
            Ok(Tracked::new(stream))
        })
    }
}

/// Makes connections for one pool.
#[derive(Clone)]
pub(super) enum Connector {
    /// Over the network.
    Network {
        dialer: Dialer,
        tls: Arc<Tls>,
        /// Whether the client's own certificate is shown to a server that asks for it.
        identity: bool,
    },
    /// In a test of a manifest: to the stand-in, whoever is asked for.
    StandIn {
        upstream: Arc<StandIn>,
        reach: Reach,
        /// Ends its connections.
        stop: CancellationToken,
    },
}

impl Service<Uri> for Connector {
    type Response = MaybeHttpsStream<Tracked>;
    type Error = Fault;
    type Future = BoxFuture<'static, Result<Self::Response, Fault>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Fault>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let connector = self.clone();
        Box::pin(async move {
            let (mut dialer, tls, identity) = match connector {
                Self::Network {
                    dialer,
                    tls,
                    identity,
                } => (dialer, tls, identity),
                Self::StandIn {
                    upstream,
                    reach,
                    stop,
                } => {
                    let stream = upstream.connect(&uri, reach, &stop);
                    return stream.map(MaybeHttpsStream::Http);
                }
            };
            if uri.scheme() != Some(&Scheme::HTTPS) {
                return dialer.call(uri).await.map(MaybeHttpsStream::Http);
            }
            let config = tls.config(identity).await?;
            let mut https = HttpsConnector::from((dialer, config));
            match timeout(HANDSHAKE, https.call(uri)).await {
                Ok(Ok(stream)) => Ok(stream),
                Ok(Err(error)) => Err(tls::fault(error.as_ref()).unwrap_or(Fault::Closed)),
                Err(_) => Err(Fault::ConnectTimeout(HANDSHAKE)),
            }
        })
    }
}

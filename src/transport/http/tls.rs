//! TLS on TCP sockets: one configuration for all connections, whose certificate can be exchanged.
//! Connections that are open keep what they were shown.

use crate::model::TlsSettings;
use arc_swap::ArcSwap;
use rustls::ServerConfig;
use rustls::crypto::ring::default_provider;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use std::fmt;
use std::io;
use std::sync::Arc;
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

/// The certificate that is shown. Clones are one.
#[derive(Clone)]
pub(super) struct Certificate(Arc<ArcSwap<CertifiedKey>>);

impl Certificate {
    pub(super) fn new(tls: &TlsSettings) -> Self {
        Self(Arc::new(ArcSwap::from(Arc::clone(tls.certified()))))
    }

    /// Shows another one from now on.
    pub(super) fn exchange(&self, tls: &TlsSettings) {
        self.0.store(Arc::clone(tls.certified()));
    }
}

impl ResolvesServerCert for Certificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.0.load_full())
    }
}

impl fmt::Debug for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Certificate(…)")
    }
}

/// Shakes hands: TLS 1.2 and 1.3, HTTP/2 and HTTP/1.1.
#[derive(Clone)]
pub(super) struct Doorman(Option<TlsAcceptor>);

impl Doorman {
    pub(super) fn new(certificate: Certificate) -> Self {
        let builder = ServerConfig::builder_with_provider(Arc::new(default_provider()));
        // Without a version of TLS, which the provider has, nobody is let in.
        let builder = builder.with_safe_default_protocol_versions().ok();
        Self(builder.map(|builder| {
            let mut config = builder
                .with_no_client_auth()
                .with_cert_resolver(Arc::new(certificate));
            config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
            TlsAcceptor::from(Arc::new(config))
        }))
    }

    /// The caller bounds the time.
    ///
    /// # Errors
    /// The peer does not speak TLS, or wants something else of it, or is gone.
    pub(super) async fn shake(&self, stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
        match &self.0 {
            Some(acceptor) => acceptor.accept(stream).await,
            None => Err(io::Error::other("no version of TLS")),
        }
    }
}

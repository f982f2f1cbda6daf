//! TLS: the platform's roots, a manifest's own, and the client's certificate.

use super::error::Fault;
use crate::model::ClientIdentity;
use rustls::client::ResolvesClientCert;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, InvalidDnsNameError, PrivateKeyDer};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::{AlertDescription, CertificateError, ClientConfig, RootCertStore};
use std::error::Error;
use std::sync::Arc;
use tokio::sync::OnceCell;

/// What a client is built from.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ClientOptions {
    /// The contents of each `ca_file`, PEM: trusted in addition to the platform's roots.
    pub ca: Vec<Vec<u8>>,
    /// The certificate shown to servers that ask for one. Only hosts that the manifest names get
    /// it, and none that a redirect led to.
    pub identity: Option<ClientIdentity>,
}

/// Why a client cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClientError {
    /// A `ca_file` is not PEM, or holds no certificate.
    #[error("the CA file holds no certificate in PEM form")]
    Ca,
    /// A `ca_file` holds something that is no certificate.
    #[error("the CA file holds a certificate that cannot be read")]
    CaCertificate,
    /// The client certificate is not PEM, or not there.
    #[error("the client certificate file holds no certificate in PEM form")]
    Certificate,
    /// The key is not PEM, not there, or encrypted.
    #[error("the client key file holds no private key in PEM form without a passphrase")]
    Key,
    /// The key is of a kind that is not supported, or another certificate's.
    #[error("the client key does not fit the client certificate")]
    KeyMismatch,
}

/// The platform's roots, read once in a process: some hundred kilobytes of files.
static PLATFORM: OnceCell<Arc<RootCertStore>> = OnceCell::const_new();

/// The configurations of one client, made when first needed.
pub(super) struct Tls {
    ca: Vec<CertificateDer<'static>>,
    identity: Option<Arc<SingleCertAndKey>>,
    plain: OnceCell<Arc<ClientConfig>>,
    identified: OnceCell<Arc<ClientConfig>>,
}

impl Tls {
    /// Checks what the manifest gave; reads nothing of the platform's yet.
    pub(super) fn new(options: &ClientOptions) -> Result<Self, ClientError> {
        let mut ca = Vec::new();
        let mut roots = RootCertStore::empty();
        for pem in &options.ca {
            let own = certificates(pem).ok_or(ClientError::Ca)?;
            for certificate in &own {
                roots
                    .add(certificate.clone())
                    .map_err(|_| ClientError::CaCertificate)?;
            }
            ca.extend(own);
        }
        Ok(Self {
            ca,
            identity: options.identity.as_ref().map(certified_key).transpose()?,
            plain: OnceCell::new(),
            identified: OnceCell::new(),
        })
    }

    /// The configuration, with the client's certificate or without. The two share no sessions: one
    /// resumed without the certificate would still be that client's.
    pub(super) async fn config(&self, identity: bool) -> Result<Arc<ClientConfig>, Fault> {
        let identity = self.identity.as_ref().filter(|_| identity);
        let cell = if identity.is_some() {
            &self.identified
        } else {
            &self.plain
        };
        let config = cell
            .get_or_try_init(|| self.build(identity.cloned()))
            .await?;
        Ok(Arc::clone(config))
    }

    async fn build(
        &self,
        identity: Option<Arc<SingleCertAndKey>>,
    ) -> Result<Arc<ClientConfig>, Fault> {
        let mut roots = platform_roots().await.as_ref().clone();
        roots.add_parsable_certificates(self.ca.iter().cloned());
        if roots.is_empty() {
            return Err(Fault::NoRoots);
        }
        let builder = ClientConfig::builder_with_provider(Arc::new(provider()))
            .with_safe_default_protocol_versions()
            .map_err(|_| Fault::Tls("no version in common"))?
            .with_root_certificates(roots);
        let mut config = match identity {
            Some(key) => builder.with_client_cert_resolver(key as Arc<dyn ResolvesClientCert>),
            None => builder.with_no_client_auth(),
        };
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Arc::new(config))
    }
}

fn provider() -> CryptoProvider {
    ring::default_provider()
}

/// The platform's roots; empty when there are none, which is not kept: they may come later.
async fn platform_roots() -> Arc<RootCertStore> {
    let load = || async {
        let loading = tokio::task::spawn_blocking(|| {
            let mut roots = RootCertStore::empty();
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            roots
        });
        let roots = loading.await.unwrap_or_else(|_| RootCertStore::empty());
        if roots.is_empty() {
            Err(())
        } else {
            Ok(Arc::new(roots))
        }
    };
    match PLATFORM.get_or_try_init(load).await {
        Ok(roots) => Arc::clone(roots),
        Err(()) => Arc::new(RootCertStore::empty()),
    }
}

/// The certificates of a PEM file; `None` when there is none, or one is not PEM.
fn certificates(pem: &[u8]) -> Option<Vec<CertificateDer<'static>>> {
    let all: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    all.ok().filter(|all| !all.is_empty())
}

fn certified_key(identity: &ClientIdentity) -> Result<Arc<SingleCertAndKey>, ClientError> {
    let chain = certificates(&identity.chain).ok_or(ClientError::Certificate)?;
    let key = PrivateKeyDer::from_pem_slice(&identity.key.0).map_err(|_| ClientError::Key)?;
    let key =
        CertifiedKey::from_der(chain, key, &provider()).map_err(|_| ClientError::KeyMismatch)?;
    Ok(Arc::new(SingleCertAndKey::from(key)))
}

/// What an error says about TLS, or about the connection below it; `None` when it says neither.
/// The words are this crate's own: what a peer wrote is never shown.
pub(super) fn fault(error: &(dyn Error + 'static)) -> Option<Fault> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(fault) = error.downcast_ref::<Fault>() {
            return Some(fault.clone());
        }
        if let Some(tls) = error.downcast_ref::<rustls::Error>() {
            return Some(tls_fault(tls));
        }
        if error.is::<InvalidDnsNameError>() {
            return Some(Fault::Tls("no certificate can name this host"));
        }
        next = match error.downcast_ref::<std::io::Error>() {
            // The source of an io::Error is its inner error's source: step into the inner first.
            Some(io) => io.get_ref().map(|inner| inner as &(dyn Error + 'static)),
            None => error.source(),
        };
    }
    None
}

fn tls_fault(error: &rustls::Error) -> Fault {
    match error {
        rustls::Error::InvalidCertificate(certificate) => {
            Fault::Certificate(certificate_fault(certificate))
        }
        rustls::Error::AlertReceived(alert) => Fault::Tls(alert_fault(*alert)),
        rustls::Error::InvalidMessage(_) => Fault::Tls("the server does not speak TLS"),
        rustls::Error::PeerIncompatible(_) => Fault::Tls("no version or cipher in common"),
        rustls::Error::NoApplicationProtocol => Fault::Tls("no HTTP version in common"),
        _ => Fault::Tls("the handshake went wrong"),
    }
}

fn certificate_fault(error: &CertificateError) -> &'static str {
    use CertificateError as E;
    match error {
        E::Expired | E::ExpiredContext { .. } => "expired",
        E::NotValidYet | E::NotValidYetContext { .. } => "not valid yet",
        E::UnknownIssuer => "unknown issuer",
        E::NotValidForName | E::NotValidForNameContext { .. } => "issued for another host",
        E::Revoked => "revoked",
        E::BadEncoding => "cannot be read",
        E::BadSignature => "wrong signature",
        E::InvalidPurpose | E::InvalidPurposeContext { .. } => "not issued for servers",
        _ => "not acceptable",
    }
}

fn alert_fault(alert: AlertDescription) -> &'static str {
    use AlertDescription as A;
    match alert {
        A::CertificateRequired => "the server asks for a client certificate",
        A::BadCertificate
        | A::UnsupportedCertificate
        | A::CertificateRevoked
        | A::CertificateExpired
        | A::CertificateUnknown
        | A::UnknownCA
        | A::AccessDenied => "the server refused the client certificate",
        A::ProtocolVersion | A::InsufficientSecurity => "no version or cipher in common",
        A::UnrecognisedName => "the server does not know the host name",
        A::NoApplicationProtocol => "no HTTP version in common",
        _ => "the server refused the handshake",
    }
}

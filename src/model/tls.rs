//! The certificate that the listener shows.

use super::KeyPem;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;
use std::fmt;
use std::sync::Arc;

/// `[http.tls]`: a certificate with its chain, and its private key.
#[derive(Clone)]
pub struct TlsSettings {
    certified: Arc<CertifiedKey>,
    /// What they were read from.
    chain: Vec<u8>,
    key: KeyPem,
}

/// Why a certificate cannot be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TlsError {
    /// The certificate is not PEM, or not there.
    #[error("it holds no certificate in PEM form")]
    Certificate,
    /// The key is not PEM, not there, or encrypted.
    #[error("it holds no private key in PEM form without a passphrase")]
    Key,
    /// The key is of a kind that is not supported, or another certificate's.
    #[error("the key does not fit the certificate")]
    Mismatch,
}

impl TlsSettings {
    /// Of a certificate with its chain, its own first, and its key (PKCS #8, PKCS #1 or SEC 1), both
    /// PEM.
    ///
    /// # Errors
    /// They cannot be used.
    pub fn new(chain: Vec<u8>, key: KeyPem) -> Result<Self, TlsError> {
        let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&chain).collect();
        let certificates = certificates.ok().filter(|all| !all.is_empty());
        let certificates = certificates.ok_or(TlsError::Certificate)?;
        let private = PrivateKeyDer::from_pem_slice(&key.0).map_err(|_| TlsError::Key)?;
        let certified = CertifiedKey::from_der(certificates, private, &default_provider())
            .map_err(|_| TlsError::Mismatch)?;
        Ok(Self {
            certified: Arc::new(certified),
            chain,
            key,
        })
    }

    /// What is shown, and what shows that it is one's own.
    pub fn certified(&self) -> &Arc<CertifiedKey> {
        &self.certified
    }
}

impl PartialEq for TlsSettings {
    /// The same bytes.
    fn eq(&self, other: &Self) -> bool {
        self.chain == other.chain && self.key == other.key
    }
}

impl Eq for TlsSettings {}

impl fmt::Debug for TlsSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TlsSettings(…)")
    }
}

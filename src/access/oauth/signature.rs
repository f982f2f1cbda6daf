//! The signatures of tokens, by the cryptography that TLS uses: only those of public keys, which are
//! the only ones that a resource server has any business with.

use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{ErrorKind, Result};
use jsonwebtoken::signature::{Error, Verifier};
use jsonwebtoken::{Algorithm, DecodingKey, DecodingKeyKind, EncodingKey};
use ring::signature as keys;
use ring::signature::{RsaParameters, UnparsedPublicKey, VerificationAlgorithm};

/// Makes it the process's own. What was before it stays.
pub(super) fn install() {
    static PROVIDER: CryptoProvider = CryptoProvider {
        signer_factory: no_signer,
        verifier_factory: verifier,
        // Nothing here makes keys of other keys.
        key_utils: KeyUtils::new_unimplemented(),
    };
    let _before = PROVIDER.install_default();
}

fn no_signer(_: &Algorithm, _: &EncodingKey) -> Result<Box<dyn JwtSigner>> {
    Err(ErrorKind::InvalidAlgorithm.into())
}

fn verifier(algorithm: &Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>> {
    let check = match algorithm {
        Algorithm::RS256 => Check::Rsa(&keys::RSA_PKCS1_2048_8192_SHA256),
        Algorithm::RS384 => Check::Rsa(&keys::RSA_PKCS1_2048_8192_SHA384),
        Algorithm::RS512 => Check::Rsa(&keys::RSA_PKCS1_2048_8192_SHA512),
        Algorithm::PS256 => Check::Rsa(&keys::RSA_PSS_2048_8192_SHA256),
        Algorithm::PS384 => Check::Rsa(&keys::RSA_PSS_2048_8192_SHA384),
        Algorithm::PS512 => Check::Rsa(&keys::RSA_PSS_2048_8192_SHA512),
        Algorithm::ES256 => Check::Point(&keys::ECDSA_P256_SHA256_FIXED),
        Algorithm::ES384 => Check::Point(&keys::ECDSA_P384_SHA384_FIXED),
        Algorithm::EdDSA => Check::Point(&keys::ED25519),
        _ => return Err(ErrorKind::InvalidAlgorithm.into()),
    };
    if key.family() != algorithm.family() {
        return Err(ErrorKind::InvalidKeyFormat.into());
    }
    Ok(Box::new(Checker {
        algorithm: *algorithm,
        check,
        key: key.clone(),
    }))
}

/// How a signature is checked.
enum Check {
    Rsa(&'static RsaParameters),
    /// The key is the bytes of a point.
    Point(&'static dyn VerificationAlgorithm),
}

struct Checker {
    algorithm: Algorithm,
    check: Check,
    key: DecodingKey,
}

impl Verifier<Vec<u8>> for Checker {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> std::result::Result<(), Error> {
        let checked = match (&self.check, self.key.kind()) {
            (Check::Rsa(parameters), DecodingKeyKind::RsaModulusExponent { n, e }) => {
                keys::RsaPublicKeyComponents { n, e }.verify(parameters, message, signature)
            }
            (Check::Point(algorithm), DecodingKeyKind::SecretOrDer(point)) => {
                UnparsedPublicKey::new(*algorithm, point).verify(message, signature)
            }
            _ => return Err(Error::new()),
        };
        checked.map_err(|_| Error::new())
    }
}

impl JwtVerifier for Checker {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}

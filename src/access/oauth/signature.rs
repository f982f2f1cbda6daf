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

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use jsonwebtoken::{Validation, decode};
    use ring::rand::SystemRandom;
    use serde_json::{Map, Value, json};

    /// The modulus of a key of 2048 bits that is thrown away, and what it has signed.
    const MODULUS: &str = "3UcYVC6HXD3UDB-34xACXdcI72dpxBChETRHI4a4q0Y9-\
         eMj7arVbXANaXzuvmhYHt97vbqZPIY8c4_mJsKGigYlRSsZ0cMrjY4J3KP2kSzAMoPyw92E2MAxT7jvSSgC_\
         X0F3RIoarhAvz6x6WYNCnJ4FWMfqwYJyW9lDK7ZlAii2oLTg40WyZSf6YZ3BOgIpk6W_1YBnfFPYm5a-\
         mcX6ql2DELpB_OUjAjc0-fg_OkBP8qkSYymXaJaVJVswmJzhfMF3EZ5HVoOOxkJU14I9b2_8pZX52lPXl-\
         GLu8cm4KqAC7iXoZlLcQf3ej50r88Zlnn1bcDXwmRLWMMwaVD2w";
    const RS256: &str = "eyJhbGciOiAiUlMyNTYifQ.eyJzdWIiOiAiYWRhIn0.LAbTFNdGR8PUj2cah8oqt_qhR-\
         Z136CnHCzsjqjncmUwOeSEXgxq_ur97BhnuArgO9JDq6SeCtLYoInc8LKd1NstaJww3rR_9fio8j9-\
         KQqaa5ReQhwZBJ_rn0jownr6FfA8zKNj3CzO5q1Q8AI5iXteDwSLQosrAWfd3ImSQjsPlMsK0fz8LSWpQi6E\
         Zuvm_4Py1b7r7R3OF0Nche72U2M8VmWPCDUUYUK_xsKwjm17AHkse9Bvap2GA13DVbm-\
         ttesBWPA43jEja9kKhyA-\
         TpFIBMum8BT8A_McuI4SCSdElkK4zb3den6o57GXK3hijwneb70BTZLWhaJJycNoQ";
    const PS256: &str = "eyJhbGciOiAiUFMyNTYifQ.eyJzdWIiOiAiYWRhIn0.Ifces3Oi49WJr1_1wNmUyvQR6C6m30MUOsYGMFine\
         80Wm1G68nmaUaQhxApRfDiIdX-AVFpif31YX0_XAs4JYJPgg6LLPwUVo-Qe5inNRTv2sXi1pZwJ7D-\
         2se18wR5mu37Pc2R3JYISMsqjuG0-XrDehYeQY0L2jh9RyplVTHc-V1iObZrkMZEGVW-PaAf4oL1QV3eEqjf\
         rPw4oMQfpo46E7UL8AYeDkFfUvYNv7yauEsglu9x8IhW24Kd1jP4Lhz_LaTudyw7-\
         HzUHPne8t0vrk88j19mtSW3g1FYPisewwwsefIt9aKolCVGa5SOv6SRxldXNcVowCq7lyXzMpQ";

    fn is_good(token: &str, key: &DecodingKey, algorithm: Algorithm) -> bool {
        install();
        let mut validation = Validation::new(algorithm);
        validation.validate_exp = false;
        validation.required_spec_claims.clear();
        decode::<Map<String, Value>>(token, key, &validation).is_ok()
    }

    /// The token with one bit of its signature turned.
    fn bent(token: &str) -> String {
        let (message, signature) = token.rsplit_once('.').unwrap();
        let mut signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
        signature[9] ^= 1;
        format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature))
    }

    #[test]
    fn signatures_of_rsa_keys() {
        let key = DecodingKey::from_rsa_components(MODULUS, "AQAB").unwrap();
        for (token, algorithm, other) in [
            (RS256, Algorithm::RS256, Algorithm::RS384),
            (PS256, Algorithm::PS256, Algorithm::RS256),
        ] {
            assert!(is_good(token, &key, algorithm), "{algorithm:?}");
            assert!(!is_good(&bent(token), &key, algorithm), "{algorithm:?}");
            assert!(!is_good(token, &key, other), "{algorithm:?}");
        }
    }

    #[test]
    fn signatures_of_points() {
        let message = |name: &str| {
            let encode = |value: Value| URL_SAFE_NO_PAD.encode(value.to_string());
            let header = encode(json!({ "alg": name }));
            format!("{header}.{}", encode(json!({ "sub": "ada" })))
        };
        let random = SystemRandom::new();
        let pkcs8 = keys::Ed25519KeyPair::generate_pkcs8(&random).unwrap();
        let pair = keys::Ed25519KeyPair::from_pkcs8(pkcs8.as_ref()).unwrap();
        let point = URL_SAFE_NO_PAD.encode(keys::KeyPair::public_key(&pair));
        let message_of = message("EdDSA");
        let signature = URL_SAFE_NO_PAD.encode(pair.sign(message_of.as_bytes()));
        let token = format!("{message_of}.{signature}");
        let key = DecodingKey::from_ed_components(&point).unwrap();
        assert!(is_good(&token, &key, Algorithm::EdDSA));
        assert!(!is_good(&bent(&token), &key, Algorithm::EdDSA));

        let signing = &keys::ECDSA_P384_SHA384_FIXED_SIGNING;
        let pkcs8 = keys::EcdsaKeyPair::generate_pkcs8(signing, &random).unwrap();
        let pair = keys::EcdsaKeyPair::from_pkcs8(signing, pkcs8.as_ref(), &random).unwrap();
        let point = keys::KeyPair::public_key(&pair).as_ref()[1..].to_vec();
        let (x, y) = point.split_at(48);
        let (x, y) = (URL_SAFE_NO_PAD.encode(x), URL_SAFE_NO_PAD.encode(y));
        let message_of = message("ES384");
        let signature = pair.sign(&random, message_of.as_bytes()).unwrap();
        let token = format!("{message_of}.{}", URL_SAFE_NO_PAD.encode(signature));
        let key = DecodingKey::from_ec_components(&x, &y).unwrap();
        assert!(is_good(&token, &key, Algorithm::ES384));
        assert!(!is_good(&bent(&token), &key, Algorithm::ES384));
        // A key of another curve is none.
        assert!(!is_good(&token, &key, Algorithm::ES256));
    }
}

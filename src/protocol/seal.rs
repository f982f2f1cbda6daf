//! Text that only this server can have made: what it gave a client, and gets back unchanged.
//!
//! What is sealed can be read by whoever holds it, and not be changed by anyone: it is for what the
//! client has said itself. No state is kept for it.

use crate::secret::Secret;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::hmac;
use ring::rand::{SystemRandom, generate};
use std::sync::OnceLock;

/// Bytes of the seal: HMAC-SHA256, whole.
const SEAL: usize = 32;

/// Seals for one purpose, and knows its seals again.
#[derive(Clone, Debug)]
pub struct Sealer {
    key: hmac::Key,
    /// What was sealed with before, and is still understood.
    earlier: Vec<hmac::Key>,
}

impl Sealer {
    /// For this purpose. `secret` makes servers that share it understand each other's seals; without
    /// one the key lasts as long as the process. `None` when there is no randomness to make it of.
    pub fn new(purpose: &str, secret: Option<&str>) -> Option<Self> {
        let base = match secret {
            Some(secret) => hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes()),
            None => process_key()?,
        };
        Some(Self {
            key: of_purpose(&base, purpose),
            earlier: Vec::new(),
        })
    }

    /// The same that also knows the seals of these secrets, which were the secret before.
    #[must_use]
    pub fn knowing(mut self, purpose: &str, earlier: &[Secret]) -> Self {
        let keys = earlier.iter().map(|secret| {
            let base = hmac::Key::new(hmac::HMAC_SHA256, secret.reveal().as_bytes());
            of_purpose(&base, purpose)
        });
        self.earlier.extend(keys);
        self
    }

    /// The content under its seal: letters, digits, `-` and `_`.
    pub fn seal(&self, mut content: Vec<u8>) -> String {
        let seal = hmac::sign(&self.key, &content);
        content.extend_from_slice(seal.as_ref());
        URL_SAFE_NO_PAD.encode(content)
    }

    /// What was sealed; `None` when it was not sealed here.
    pub fn open(&self, sealed: &[u8]) -> Option<Vec<u8>> {
        let mut content = URL_SAFE_NO_PAD.decode(sealed).ok()?;
        let seal = content.split_off(content.len().checked_sub(SEAL)?);
        let mut keys = std::iter::once(&self.key).chain(&self.earlier);
        let is_ours = keys.any(|key| hmac::verify(key, &content, &seal).is_ok());
        is_ours.then_some(content)
    }
}

fn of_purpose(base: &hmac::Key, purpose: &str) -> hmac::Key {
    let derived = hmac::sign(base, purpose.as_bytes());
    hmac::Key::new(hmac::HMAC_SHA256, derived.as_ref())
}

/// Sixteen random bytes; `None` when there is no randomness.
pub fn random() -> Option<[u8; 16]> {
    let bytes = generate::<[u8; 16]>(&SystemRandom::new()).ok()?;
    Some(bytes.expose())
}

/// A key of this process alone.
fn process_key() -> Option<hmac::Key> {
    static KEY: OnceLock<Option<[u8; 32]>> = OnceLock::new();
    let bytes = KEY.get_or_init(|| {
        let made = generate::<[u8; 32]>(&SystemRandom::new());
        made.ok().map(|made| made.expose())
    });
    bytes.map(|bytes| hmac::Key::new(hmac::HMAC_SHA256, &bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sealer(purpose: &str, secret: Option<&str>) -> Sealer {
        Sealer::new(purpose, secret).unwrap()
    }

    #[test]
    fn a_seal_is_of_one_purpose_and_one_key() {
        let sealed = sealer("a", Some("k")).seal(b"x".to_vec());
        let opened = |by: Sealer| by.open(sealed.as_bytes());
        assert_eq!(opened(sealer("a", Some("k"))), Some(b"x".to_vec()));
        assert_eq!(opened(sealer("b", Some("k"))), None);
        assert_eq!(opened(sealer("a", Some("l"))), None);
        assert_eq!(opened(sealer("a", None)), None);
        let knowing = |secret: &str| sealer("a", Some("n")).knowing("a", &[Secret::new(secret)]);
        assert_eq!(opened(knowing("k")), Some(b"x".to_vec()));
        assert_eq!(opened(knowing("l")), None);
        let own = sealer("a", None).seal(Vec::new());
        assert_eq!(sealer("a", None).open(own.as_bytes()), Some(Vec::new()));
    }

    proptest! {
        #[test]
        fn what_was_sealed_comes_back_and_nothing_else_does(
            content in proptest::collection::vec(any::<u8>(), 0..100),
            noise in proptest::collection::vec(any::<u8>(), 0..100),
            at in any::<proptest::sample::Index>(),
            by in 1_u8..=255,
        ) {
            let sealer = sealer("a", Some("k"));
            let sealed = sealer.seal(content.clone());
            prop_assert!(sealed.bytes().all(|byte| (0x21..=0x7e).contains(&byte)));
            prop_assert_eq!(sealer.open(sealed.as_bytes()), Some(content));
            prop_assert_eq!(sealer.open(&noise), None);
            let mut changed = sealed.into_bytes();
            let at = at.index(changed.len());
            changed[at] ^= by;
            prop_assert_eq!(sealer.open(&changed), None);
            changed.truncate(at);
            prop_assert_eq!(sealer.open(&changed), None);
        }
    }
}

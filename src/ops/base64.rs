//! Bytes in base64.

use base64_simd::STANDARD;
use bytes::Bytes;
use std::collections::TryReserveError;
use std::fmt;

/// Bytes in base64: RFC 4648 §4, padded, without line breaks. Copies share the text.
#[derive(Clone, PartialEq, Eq)]
pub struct Base64(Bytes);

impl Base64 {
    /// Encodes bytes.
    pub fn encode(bytes: &[u8]) -> Self {
        Self(STANDARD.encode_to_string(bytes).into())
    }

    /// Encodes bytes in this memory, as far as it suffices; what is in it is forgotten. When the last
    /// copy is gone, `back` is given the memory.
    pub fn encode_in(room: Vec<u8>, bytes: &[u8], back: fn(Vec<u8>)) -> Self {
        let mut encoder = Base64Encoder::new(room);
        STANDARD.encode_append(bytes, &mut encoder.0);
        encoder.finish(back)
    }

    /// Takes text that is base64 already; `None` when it is not.
    pub fn read(text: String) -> Option<Self> {
        STANDARD.check(text.as_bytes()).ok()?;
        Some(Self(text.into()))
    }

    /// The text. Nothing in it needs an escape in JSON.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }

    /// The text's bytes, shared.
    pub fn as_bytes(&self) -> &Bytes {
        &self.0
    }
}

/// Base64 that is made of one part after another.
#[derive(Debug)]
pub struct Base64Encoder(Vec<u8>);

impl Base64Encoder {
    /// Writes in this memory, as far as it suffices; what is in it is forgotten.
    pub fn new(mut room: Vec<u8>) -> Self {
        room.clear();
        Self(room)
    }

    /// Encodes the next part. The length of each but the last is a multiple of three.
    ///
    /// # Errors
    /// There is no memory for it.
    pub fn push(&mut self, part: &[u8]) -> Result<(), TryReserveError> {
        self.0.try_reserve(STANDARD.encoded_length(part.len()))?;
        STANDARD.encode_append(part, &mut self.0);
        Ok(())
    }

    /// All of it. When the last copy is gone, `back` is given the memory.
    pub fn finish(self, back: fn(Vec<u8>)) -> Base64 {
        Base64(Bytes::from_owner(Lent { room: self.0, back }))
    }
}

/// Memory that goes back to whoever lent it.
struct Lent {
    room: Vec<u8>,
    back: fn(Vec<u8>),
}

impl AsRef<[u8]> for Lent {
    fn as_ref(&self) -> &[u8] {
        &self.room
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        (self.back)(std::mem::take(&mut self.room));
    }
}

impl fmt::Debug for Base64 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Base64").field(&self.as_str()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine as _;
    use base64::engine::general_purpose;
    use proptest::prelude::*;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    static BACK: AtomicUsize = AtomicUsize::new(0);

    #[test]
    fn bytes_are_encoded_and_their_text_is_taken_back() {
        let encoded = Base64::encode(b"\xffa");
        assert_eq!(encoded.as_str(), "/2E=");
        for room in [Vec::new(), vec![b'x'; 9]] {
            let copy = Base64::encode_in(room, b"\xffa", |room| {
                assert_eq!(room, b"/2E=");
                BACK.fetch_add(1, Relaxed);
            });
            let before = BACK.load(Relaxed);
            assert_eq!(copy.clone(), encoded);
            assert_eq!(BACK.load(Relaxed), before);
            drop(copy);
            assert_eq!(BACK.load(Relaxed), before + 1);
        }
        assert_eq!(Base64::read("/2E=".into()), Some(encoded));
    }

    #[test]
    fn what_is_no_base64_is_not_taken() {
        for text in [
            "/2E", "/2F=", "_2E=", "/2E=\n", "/2E=/2E=", "=", "é===", "\"",
        ] {
            assert_eq!(Base64::read(text.into()), None, "{text:?}");
        }
    }

    proptest! {
        // What a manifest's author writes is checked by the other library when it is loaded.
        #[test]
        fn two_libraries_agree_on_what_base64_is(text in "[A-Z/+=_\"a ]{0,9}") {
            let decoded = general_purpose::STANDARD.decode(&text);
            prop_assert_eq!(Base64::read(text).is_some(), decoded.is_ok());
        }
    }
}

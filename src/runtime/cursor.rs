//! Cursors: opaque, bound to the list as it is, and not to be made up.
//!
//! A cursor is the number of a page under a keyed digest of the list's content, so one of another
//! list, of a list that has changed since, or of somebody's own making is refused (specification:
//! pagination, "Error Handling").

use crate::secret::Secret;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{Context, SHA256};
use ring::hmac;
use ring::rand::SystemRandom;
use std::sync::OnceLock;

/// Bytes of the digest that a cursor carries: 128 bits.
const TAG: usize = 16;

/// Makes and reads the cursors of one list.
#[derive(Clone, Debug)]
pub(super) struct Cursors {
    key: hmac::Key,
    /// What cursors were made with before, and are still understood.
    earlier: Vec<hmac::Key>,
}

impl Cursors {
    /// For the list `name` with this content, in pages of this size. `secret` makes instances that share it understand
    /// each other's cursors; without one the key lasts as long as the process. Those made with what was the secret before,
    /// `earlier`, are understood too.
    pub(super) fn new<'t>(
        name: &str,
        content: impl Iterator<Item = &'t str>,
        page_size: usize,
        secret: Option<&Secret>,
        earlier: &[Secret],
    ) -> Self {
        let mut digest = Context::new(&SHA256);
        digest.update(b"snodo cursor\0");
        digest.update(name.as_bytes());
        // The same page of another size begins somewhere else.
        digest.update(format!("\0{page_size}\0").as_bytes());
        for part in content {
            digest.update(&u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
            digest.update(part.as_bytes());
        }
        let list = digest.finish();
        let of_list = |base: &hmac::Key| {
            hmac::Key::new(hmac::HMAC_SHA256, hmac::sign(base, list.as_ref()).as_ref())
        };
        Self {
            key: of_list(&secret.map_or_else(process_key, key)),
            earlier: earlier.iter().map(|secret| of_list(&key(secret))).collect(),
        }
    }

    /// The cursor of a page.
    pub(super) fn write(&self, page: u32) -> String {
        cursor(&self.key, page)
    }

    /// The page that a cursor stands for; `None` when it is not one of this list's.
    pub(super) fn read(&self, cursor: &str) -> Option<usize> {
        let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
        let page = u32::from_be_bytes(bytes.first_chunk::<4>().copied()?);
        let mut keys = std::iter::once(&self.key).chain(&self.earlier);
        let is_ours = keys.any(|key| is_same(&self::cursor(key, page), cursor));
        is_ours.then(|| usize::try_from(page).ok()).flatten()
    }
}

fn cursor(key: &hmac::Key, page: u32) -> String {
    let number = page.to_be_bytes();
    let tag = hmac::sign(key, &number);
    let mut bytes = number.to_vec();
    bytes.extend(tag.as_ref().iter().take(TAG));
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Comparing what was sent with what would have been given needs no parsing of the tag.
fn is_same(expected: &str, sent: &str) -> bool {
    let pairs = expected.bytes().zip(sent.bytes());
    expected.len() == sent.len() && pairs.fold(0, |differences, (a, b)| differences | (a ^ b)) == 0
}

fn key(secret: &Secret) -> hmac::Key {
    hmac::Key::new(hmac::HMAC_SHA256, secret.reveal().as_bytes())
}

/// A key of this process alone.
fn process_key() -> hmac::Key {
    static KEY: OnceLock<[u8; 32]> = OnceLock::new();
    let bytes = KEY.get_or_init(|| {
        let random = SystemRandom::new();
        let made = ring::rand::generate::<[u8; 32]>(&random);
        // Without randomness cursors are only as good as the content digest, which is still bound
        // to the list.
        made.map(ring::rand::Random::expose).unwrap_or([0; 32])
    });
    hmac::Key::new(hmac::HMAC_SHA256, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cursors(name: &str, content: &[&str], secret: Option<&str>) -> Cursors {
        let secret = secret.map(Secret::new);
        Cursors::new(name, content.iter().copied(), 10, secret.as_ref(), &[])
    }

    #[test]
    fn gives_back_the_page() {
        let list = cursors("tools", &["a", "b"], None);
        for page in [0, 1, 77, u32::MAX] {
            assert_eq!(list.read(&list.write(page)), usize::try_from(page).ok());
        }
    }

    #[test]
    fn refuses_what_is_not_its_own() {
        let list = cursors("tools", &["a", "b"], None);
        let cursor = list.write(1);
        assert_eq!(cursors("resources", &["a", "b"], None).read(&cursor), None);
        assert_eq!(cursors("tools", &["ab"], None).read(&cursor), None);
        assert_eq!(
            cursors("tools", &["a", "b"], Some("key")).read(&cursor),
            None
        );
        let other_size = Cursors::new("tools", ["a", "b"].into_iter(), 11, None, &[]);
        assert_eq!(other_size.read(&cursor), None);
        for bad in ["", "x", "AAAAAQ", &cursor[1..], &format!("{cursor}A"), "é"] {
            assert_eq!(list.read(bad), None, "{bad}");
        }
        let mut forged = cursor.into_bytes();
        for at in 0..forged.len() {
            let was = forged[at];
            forged[at] = if was == b'A' { b'B' } else { b'A' };
            let text = std::str::from_utf8(&forged).unwrap();
            assert_ne!(list.read(text), Some(1), "{text}");
            forged[at] = was;
        }
    }

    #[test]
    fn instances_with_one_secret_agree() {
        let one = cursors("tools", &["a"], Some("key"));
        let other = cursors("tools", &["a"], Some("key"));
        assert_eq!(other.read(&one.write(3)), Some(3));
    }

    proptest! {
        #[test]
        fn any_page_comes_back_and_nothing_else_is_one(page in any::<u32>(), text in any::<String>()) {
            let list = cursors("tools", &["a"], Some("key"));
            prop_assert_eq!(list.read(&list.write(page)), usize::try_from(page).ok());
            prop_assert_eq!(list.read(&text), None);
        }
    }
}

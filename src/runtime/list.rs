//! The pages of one list, written when the runtime is built.

use super::cursor::Cursors;
use crate::model::Settings;
use crate::ops::{Answer, OpError, Ready};

/// One list as callers page through it.
#[derive(Debug)]
pub(super) struct List {
    pages: Vec<Ready>,
    cursors: Cursors,
    /// What is shown, whatever the size of a page.
    content: [u8; 32],
}

impl List {
    /// The list `name` of what is shown, each with its fingerprint; `page` writes one page, given the
    /// cursor of the next unless it is the last.
    pub(super) fn new<'t, T: Copy>(
        settings: &Settings,
        name: &str,
        shown: impl Iterator<Item = (&'t str, T)>,
        page: impl Fn(&[T], Option<&str>) -> Ready,
    ) -> Self {
        let size = settings.server.page_size.max(1);
        let (fingerprints, shown): (Vec<&str>, Vec<T>) = shown.unzip();
        let content = digest(&fingerprints);
        let secret = settings.server.secret.as_ref();
        let cursors = Cursors::new(
            name,
            fingerprints.into_iter(),
            size,
            secret.map(crate::secret::Secret::reveal),
        );
        let count = shown.len().div_ceil(size).max(1);
        let pages = (0..count).map(|number| {
            let from = number * size;
            let to = (from + size).min(shown.len());
            let next = u32::try_from(number + 1)
                .ok()
                .filter(|_| number + 1 < count)
                .map(|next| cursors.write(next));
            page(shown.get(from..to).unwrap_or_default(), next.as_deref())
        });
        Self {
            pages: pages.collect(),
            cursors,
            content,
        }
    }

    /// Whether the lists show different things, or in another order.
    pub(super) fn differs(&self, other: &Self) -> bool {
        self.content != other.content
    }

    /// The page that a cursor stands for; the first without one.
    ///
    /// # Errors
    /// The cursor is not one of this list as it now is.
    pub(super) fn page(&self, cursor: Option<&str>) -> Result<Answer, OpError> {
        let page = match cursor {
            None => 0,
            Some(cursor) => self.cursors.read(cursor).ok_or(OpError::InvalidCursor)?,
        };
        let page = self.pages.get(page).ok_or(OpError::InvalidCursor)?;
        Ok(Answer::Ready(page.clone()))
    }
}

fn digest(fingerprints: &[&str]) -> [u8; 32] {
    let mut context = ring::digest::Context::new(&ring::digest::SHA256);
    for fingerprint in fingerprints {
        context.update(fingerprint.as_bytes());
        context.update(b"\n");
    }
    let mut digest = [0; 32];
    for (to, from) in digest.iter_mut().zip(context.finish().as_ref()) {
        *to = *from;
    }
    digest
}

//! The pages of a list: written when the runtime is built, or when a page is asked for.

use super::cursor::Cursors;
use crate::model::Settings;
use crate::ops::{Answer, OpError, Ready};
use crate::secret::Secret;

/// How lists are cut into pages.
#[derive(Clone, Debug)]
pub(super) struct Pager {
    /// Entries of a page, at least 1.
    size: usize,
    /// What cursors are sealed with; without one, the process's own key.
    secret: Option<Secret>,
    /// What they were sealed with before.
    earlier: Vec<Secret>,
}

impl Pager {
    /// As the settings say.
    pub(super) fn new(settings: &Settings) -> Self {
        Self {
            size: settings.server.page_size.max(1),
            secret: settings.server.secret.clone(),
            earlier: settings.server.earlier_secrets.clone(),
        }
    }

    /// The page that a cursor stands for, written now, of a list whose pages are not kept: as
    /// [`List::new`] and [`List::page`] give it.
    ///
    /// # Errors
    /// The cursor is not one of this list as it now is.
    pub(super) fn page<'t, T: Copy>(
        &self,
        name: &str,
        shown: impl Iterator<Item = (&'t str, T)>,
        cursor: Option<&str>,
        page: impl Fn(&[T], Option<&str>) -> Ready,
    ) -> Result<Answer, OpError> {
        let list = Uncut::new(self, name, shown);
        let number = list.cursors.number(cursor)?;
        if number >= list.pages(self) {
            return Err(OpError::InvalidCursor);
        }
        Ok(Answer::Ready(list.page(self, number, page)))
    }
}

/// A list before it is cut into pages.
struct Uncut<T> {
    shown: Vec<T>,
    cursors: Cursors,
}

impl<T: Copy> Uncut<T> {
    fn new<'t>(pager: &Pager, name: &str, shown: impl Iterator<Item = (&'t str, T)>) -> Self {
        let (fingerprints, shown): (Vec<&str>, Vec<T>) = shown.unzip();
        let (secret, earlier) = (pager.secret.as_ref(), &pager.earlier);
        let cursors = Cursors::new(name, fingerprints.into_iter(), pager.size, secret, earlier);
        Self { shown, cursors }
    }

    fn pages(&self, pager: &Pager) -> usize {
        self.shown.len().div_ceil(pager.size).max(1)
    }

    fn page(
        &self,
        pager: &Pager,
        number: usize,
        page: impl Fn(&[T], Option<&str>) -> Ready,
    ) -> Ready {
        let from = number * pager.size;
        let to = (from + pager.size).min(self.shown.len());
        let next = u32::try_from(number + 1)
            .ok()
            .filter(|_| number + 1 < self.pages(pager))
            .map(|next| self.cursors.write(next));
        page(
            self.shown.get(from..to).unwrap_or_default(),
            next.as_deref(),
        )
    }
}

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
        pager: &Pager,
        name: &str,
        shown: impl Iterator<Item = (&'t str, T)>,
        page: impl Fn(&[T], Option<&str>) -> Ready,
    ) -> Self {
        let (fingerprints, shown): (Vec<&str>, Vec<T>) = shown.unzip();
        let content = digest(&fingerprints);
        let list = Uncut::new(pager, name, fingerprints.into_iter().zip(shown));
        let numbers = 0..list.pages(pager);
        let pages = numbers.map(|number| list.page(pager, number, &page));
        Self {
            pages: pages.collect(),
            cursors: list.cursors,
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
        let page = self.pages.get(self.cursors.number(cursor)?);
        let page = page.ok_or(OpError::InvalidCursor)?;
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

impl Cursors {
    /// The number of the page that a cursor stands for; 0 without one.
    fn number(&self, cursor: Option<&str>) -> Result<usize, OpError> {
        match cursor {
            None => Ok(0),
            Some(cursor) => self.read(cursor).ok_or(OpError::InvalidCursor),
        }
    }
}

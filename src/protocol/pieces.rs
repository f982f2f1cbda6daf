//! The bytes of one message: what was there before it need not be copied into it.

use crate::ops::Base64;
use bytes::Bytes;
use std::collections::VecDeque;

/// How long a part must be that is worth a piece of its own: to copy less is cheaper than to send
/// one piece more.
pub(super) const WORTH: usize = 16 * 1024;

/// One line of JSON without a line feed: one piece, or several in a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pieces {
    /// Empty only when nothing is left.
    first: Bytes,
    others: VecDeque<Bytes>,
}

/// Where pieces are to stand in a message that is being written.
#[derive(Debug)]
pub(super) struct Cuts {
    worth: usize,
    places: Vec<(usize, Bytes)>,
}

impl Pieces {
    /// The number of bytes that are left.
    pub fn len(&self) -> usize {
        let others = self.others.iter().map(Bytes::len);
        self.first.len() + others.sum::<usize>()
    }

    /// Whether there are no bytes left.
    pub fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    /// All that is left, in one piece. Copies it when there are several.
    pub fn into_bytes(self) -> Bytes {
        if self.others.is_empty() {
            return self.first;
        }
        let mut all = Vec::with_capacity(self.len());
        for piece in std::iter::once(self.first).chain(self.others) {
            all.extend_from_slice(&piece);
        }
        all.into()
    }

    /// Takes the next piece, which is not empty.
    pub fn pop(&mut self) -> Option<Bytes> {
        if self.first.is_empty() {
            return None;
        }
        let next = self.others.pop_front().unwrap_or_default();
        Some(std::mem::replace(&mut self.first, next))
    }

    fn push(&mut self, piece: Bytes) {
        if self.first.is_empty() {
            self.first = piece;
        } else if !piece.is_empty() {
            self.others.push_back(piece);
        }
    }
}

impl<const N: usize> From<[Bytes; N]> for Pieces {
    fn from(pieces: [Bytes; N]) -> Self {
        let mut all = Self::default();
        for piece in pieces {
            all.push(piece);
        }
        all
    }
}

impl From<Bytes> for Pieces {
    fn from(whole: Bytes) -> Self {
        Self::from([whole])
    }
}

impl From<Vec<u8>> for Pieces {
    fn from(whole: Vec<u8>) -> Self {
        Self::from(Bytes::from(whole))
    }
}

impl Cuts {
    /// For a message that may have several pieces: [`Cuts::applied`] makes it.
    pub(super) fn some() -> Self {
        Self {
            worth: WORTH,
            places: Vec::new(),
        }
    }

    /// For what must be one piece.
    pub(super) fn none() -> Self {
        Self {
            worth: usize::MAX,
            places: Vec::new(),
        }
    }

    /// Writes base64 as a JSON string, or leaves its place.
    pub(super) fn base64(&mut self, out: &mut Vec<u8>, data: &Base64) {
        let data = data.as_bytes();
        out.push(b'"');
        if data.len() < self.worth {
            out.extend_from_slice(data);
        } else {
            self.places.push((out.len(), data.clone()));
        }
        out.push(b'"');
    }

    /// The message, with everything in its place.
    pub(super) fn applied(self, out: Vec<u8>) -> Pieces {
        let mut rest = Bytes::from(out);
        let mut pieces = Pieces::default();
        let mut begin = 0;
        for (place, piece) in self.places {
            pieces.push(rest.split_to(place - begin));
            pieces.push(piece);
            begin = place;
        }
        pieces.push(rest);
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_base64_is_a_piece_of_its_own_and_all_of_it_is_one_message() {
        let (small, large) = (Base64::encode(&[1; 6]), Base64::encode(&[2; WORTH]));
        let mut out = b"[".to_vec();
        let mut cuts = Cuts::some();
        for data in [&large, &small, &large] {
            cuts.base64(&mut out, data);
            out.push(b',');
        }
        let mut pieces = cuts.applied(out);
        let expected = format!("[\"{0}\",\"{1}\",\"{0}\",", large.as_str(), small.as_str());
        assert_eq!(pieces.len(), expected.len());
        assert_eq!(pieces.clone().into_bytes(), expected);
        assert_eq!(std::iter::from_fn(|| pieces.pop()).count(), 5);
    }

    #[test]
    fn where_no_cuts_are_wanted_all_is_written() {
        let large = Base64::encode(&[2; WORTH]);
        let mut out = Vec::new();
        Cuts::none().base64(&mut out, &large);
        assert_eq!(out.len(), large.as_str().len() + 2);
    }

    #[test]
    fn empty_pieces_are_none() {
        let mut pieces = Pieces::from([Bytes::new(), "a".into(), Bytes::new(), "b".into()]);
        assert_eq!((pieces.pop(), pieces.len()), (Some("a".into()), 1));
        assert!(!pieces.is_empty());
        assert_eq!(pieces.pop(), Some("b".into()));
        assert!(pieces.is_empty() && pieces.pop().is_none());
        assert!(Pieces::default().into_bytes().is_empty());
    }
}

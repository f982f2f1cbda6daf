//! The protocol revisions this program speaks, and the dialects they are spoken in. A revision's
//! date stands here and in the folder of its dialect, nowhere else.

use super::json;

/// One revision of the specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Revision {
    /// Stateless: every request carries its version and its client's capabilities.
    V2026_07_28,
}

/// A way of reading and writing messages. The number is its place in a [`crate::ops::Ready`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Every request carries its version, capabilities and client (2026-07-28 and later).
    Modern = 0,
}

/// Every revision that is served, newest first.
pub(super) const SERVED: &[Revision] = &[Revision::V2026_07_28];

impl Revision {
    /// The revision of this name, when it is served. Names are compared as they stand.
    pub(super) fn find(name: &str) -> Option<Self> {
        SERVED.iter().copied().find(|known| known.name() == name)
    }

    /// The name on the wire.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::V2026_07_28 => "2026-07-28",
        }
    }
}

/// The served revisions for a sentence: `2026-07-28, 2025-11-25`.
pub(super) fn sentence() -> String {
    let names: Vec<&str> = SERVED.iter().map(|revision| revision.name()).collect();
    names.join(", ")
}

/// Writes the served revisions as a JSON array, as `supported` and `supportedVersions` hold them.
pub(super) fn write_list(out: &mut Vec<u8>) {
    json::array(out, SERVED, |out, revision| {
        json::string(out, revision.name())
    });
}

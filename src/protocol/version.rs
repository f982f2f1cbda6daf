//! The protocol revisions this program speaks, and the dialects they are spoken in. A revision's
//! date stands here and in the folder of its dialect, nowhere else.

use super::json;
use std::fmt;

/// One revision of the specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Revision {
    /// Stateless: every request carries its version and its client's capabilities.
    V2026_07_28,
    /// Begins with a handshake.
    V2025_11_25,
    /// As the one after it, without icons.
    V2025_06_18,
}

/// A revision that begins with a handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Legacy {
    V2025_11_25,
    V2025_06_18,
}

/// A way of reading and writing messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Every request carries its version, capabilities and client (2026-07-28 and later).
    Modern,
    /// A handshake comes first.
    Legacy(Legacy),
}

/// Where the revisions differ in what they write.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// Things have icons.
    pub(super) icons: bool,
    /// What a tool gives may be any JSON; else only an object, and an output schema of anything else
    /// is not shown.
    pub(super) any_output: bool,
    /// A form says that it is one; its choices may have titles, and several may be chosen.
    pub(super) titled_choices: bool,
}

/// The names of all revisions that can be served, newest first.
pub const REVISIONS: [&str; 3] = [
    Revision::ALL[0].name(),
    Revision::ALL[1].name(),
    Revision::ALL[2].name(),
];

/// The revisions that a server speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Protocols([bool; Revision::ALL.len()]);

impl Revision {
    /// Newest first.
    const ALL: [Self; 3] = [Self::V2026_07_28, Self::V2025_11_25, Self::V2025_06_18];

    /// The name on the wire.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::V2026_07_28 => "2026-07-28",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2025_06_18 => "2025-06-18",
        }
    }

    /// Which it is of those with a handshake.
    pub(super) const fn legacy(self) -> Option<Legacy> {
        match self {
            Self::V2026_07_28 => None,
            Self::V2025_11_25 => Some(Legacy::V2025_11_25),
            Self::V2025_06_18 => Some(Legacy::V2025_06_18),
        }
    }
}

impl Legacy {
    /// Newest first.
    pub(super) const ALL: [Self; 2] = [Self::V2025_11_25, Self::V2025_06_18];

    pub(super) const fn revision(self) -> Revision {
        match self {
            Self::V2025_11_25 => Revision::V2025_11_25,
            Self::V2025_06_18 => Revision::V2025_06_18,
        }
    }
}

impl Dialect {
    /// In the order of their places.
    pub(super) const ALL: [Self; 3] = [
        Self::Modern,
        Self::Legacy(Legacy::V2025_11_25),
        Self::Legacy(Legacy::V2025_06_18),
    ];

    /// Its place in a [`crate::ops::Ready`].
    pub(super) const fn place(self) -> usize {
        match self {
            Self::Modern => 0,
            Self::Legacy(Legacy::V2025_11_25) => 1,
            Self::Legacy(Legacy::V2025_06_18) => 2,
        }
    }

    /// The revision that it is of.
    pub(super) const fn revision(self) -> Revision {
        match self {
            Self::Modern => Revision::V2026_07_28,
            Self::Legacy(legacy) => legacy.revision(),
        }
    }

    /// What it writes.
    pub(super) const fn shape(self) -> Shape {
        let (icons, any_output, titled_choices) = match self {
            Self::Modern => (true, true, true),
            Self::Legacy(Legacy::V2025_11_25) => (true, false, true),
            Self::Legacy(Legacy::V2025_06_18) => (false, false, false),
        };
        Shape {
            icons,
            any_output,
            titled_choices,
        }
    }

    /// Whether it is spoken in any of these.
    pub(super) fn is_of(self, protocols: Protocols) -> bool {
        protocols.speaks(self.revision())
    }
}

impl Protocols {
    /// Every revision that can be served.
    pub const ALL: Self = Self([true; Revision::ALL.len()]);

    /// Those of these names; unknown ones are passed over.
    pub fn of<N: AsRef<str>>(names: &[N]) -> Self {
        Self(REVISIONS.map(|known| names.iter().any(|name| name.as_ref() == known)))
    }

    /// Those that are spoken, newest first.
    pub(super) fn iter(self) -> impl Iterator<Item = Revision> {
        let all = Revision::ALL.into_iter().zip(self.0);
        all.filter_map(|(revision, spoken)| spoken.then_some(revision))
    }

    /// The revision of this name, when it is spoken. Names are compared as they stand.
    pub(super) fn find(self, name: &str) -> Option<Revision> {
        self.iter().find(|revision| revision.name() == name)
    }

    pub(super) fn speaks(self, revision: Revision) -> bool {
        self.iter().any(|spoken| spoken == revision)
    }

    /// What a handshake is answered with when it asks for something else.
    pub(super) fn newest_legacy(self) -> Option<Legacy> {
        self.iter().find_map(Revision::legacy)
    }

    /// What is spoken with who says nothing of it.
    pub(super) fn oldest_legacy(self) -> Option<Legacy> {
        self.iter().filter_map(Revision::legacy).last()
    }

    /// Writes them as a JSON array, as `supported` and `supportedVersions` hold them.
    pub(super) fn write(self, out: &mut Vec<u8>) {
        let all: Vec<Revision> = self.iter().collect();
        json::array(out, &all, |out, revision| {
            json::string(out, revision.name());
        });
    }
}

impl Default for Protocols {
    fn default() -> Self {
        Self::ALL
    }
}

/// For a sentence: `2026-07-28, 2025-11-25`.
impl fmt::Display for Protocols {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.iter().map(Revision::name).collect();
        f.write_str(&names.join(", "))
    }
}

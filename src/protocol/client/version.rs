//! The revisions that this program speaks as a client.

use super::decode::RpcError;
use serde_json::Value;

/// A revision of the specification, as a client speaks it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// Every request carries its version and its client's capabilities.
    V2026_07_28,
    /// Begins with a handshake, as all before it.
    V2025_11_25,
    /// As the one after it, to a client that asks nothing of it.
    V2025_06_18,
    /// Without structured content.
    V2025_03_26,
    /// Over standard streams only: its HTTP transport is another one.
    V2024_11_05,
}

/// What a server says it speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offered {
    /// A revision that both speak.
    Both(Version),
    /// None that is spoken here.
    None,
}

impl Version {
    /// All of them, newest first.
    pub const ALL: [Self; 5] = [
        Self::V2026_07_28,
        Self::V2025_11_25,
        Self::V2025_06_18,
        Self::V2025_03_26,
        Self::V2024_11_05,
    ];
    /// What is asked for first.
    pub const NEWEST: Self = Self::V2026_07_28;
    /// What a handshake asks for unless another one is wanted.
    pub const NEWEST_LEGACY: Self = Self::V2025_11_25;

    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::V2026_07_28 => "2026-07-28",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2024_11_05 => "2024-11-05",
        }
    }

    /// The revision of this name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|version| version.name() == name)
    }

    /// Whether there is no handshake: each request says what it is of.
    pub const fn is_modern(self) -> bool {
        matches!(self, Self::V2026_07_28)
    }

    /// The newest of these names that is spoken here.
    fn best<'n>(names: impl Iterator<Item = &'n str>) -> Offered {
        let known: Vec<Self> = names.filter_map(Self::find).collect();
        let best = Self::ALL
            .into_iter()
            .find(|version| known.contains(version));
        best.map_or(Offered::None, Offered::Both)
    }
}

/// What the answer to `server/discover` says of revisions (specification: versioning, §Backward
/// Compatibility). `None` when the server speaks no revision of the modern kind: then a handshake is
/// to be tried, whatever the error.
pub fn chosen(answer: &Result<Value, RpcError>) -> Option<Offered> {
    const UNSUPPORTED: i64 = -32022;
    let list = match answer {
        Ok(result) => result.get("supportedVersions"),
        Err(error) if error.code == UNSUPPORTED => {
            error.data.as_ref().and_then(|data| data.get("supported"))
        }
        Err(_) => None,
    };
    let names = list?.as_array()?.iter().filter_map(Value::as_str);
    Some(Version::best(names))
}

//! What a handshake has settled, and how it is carried in `Mcp-Session-Id` (specification of
//! 2025-11-25: transports §Session Management).
//!
//! The id is the settlement itself under a seal, so nothing is kept for it and any server with the
//! same secret understands it. It is never required. What it holds, in this order:
//!
//! | bytes | what |
//! |---|---|
//! | 1 | the form: 2 |
//! | 1 | the revision, by its place |
//! | 1 | what the server declared |
//! | 1 | what the client can do |
//! | 8 | when it ends: seconds since 1970 |
//! | 16 | random: what tells sessions from one another |
//! | 16 | whose it is: the start of a digest of the caller's name, zeros for one without |
//! | the rest | the client's name, 0, its version; each cut at 64 bytes. Empty when it named itself not |

use crate::ops::{Caller, ClientCapabilities, ClientInfo};
use crate::protocol::codes::excerpt_of;
use crate::protocol::seal::Sealer;
use crate::protocol::version::Legacy;
use std::sync::Arc;

/// What sessions are sealed for.
pub(in crate::protocol) const PURPOSE: &str = "snodo session 1";

const FORM: u8 = 2;
/// Most bytes of a client's name, and of its version.
const NAME: usize = 64;
/// How long a session lasts, in seconds: 30 days. Few clients begin another by themselves.
const LASTS: u64 = 30 * 24 * 60 * 60;

/// What tells one session from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SessionKey(pub(in crate::protocol) [u8; 16]);

/// In hexadecimal digits: it names the session and opens nothing.
impl std::fmt::Display for SessionKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:032x}", u128::from_be_bytes(self.0))
    }
}

#[cfg(test)]
impl SessionKey {
    /// One for tests of what is keyed by it.
    pub fn numbered(number: usize) -> Self {
        Self((number as u128).to_be_bytes())
    }
}

/// What a handshake has settled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::protocol) struct Agreed {
    pub(in crate::protocol) revision: Legacy,
    pub(in crate::protocol) declared: Declared,
    /// What the client can do.
    pub(in crate::protocol) capabilities: ClientCapabilities,
    /// Who the client says it is.
    pub(in crate::protocol) client: Option<Arc<ClientInfo>>,
}

/// Which notifications the server has declared: it sends no others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::protocol) struct Declared {
    pub(in crate::protocol) tools: bool,
    pub(in crate::protocol) prompts: bool,
    pub(in crate::protocol) resources: bool,
    pub(in crate::protocol) subscribe: bool,
    pub(in crate::protocol) logging: bool,
}

/// A session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::protocol) struct Session {
    pub(in crate::protocol) key: SessionKey,
    pub(in crate::protocol) agreed: Agreed,
    /// In seconds since 1970.
    until: u64,
    owner: [u8; 16],
}

impl Agreed {
    /// What is taken for granted of a client that made no handshake: nothing but the revision.
    pub(in crate::protocol) fn assumed(revision: Legacy) -> Self {
        Self {
            revision,
            declared: Declared::default(),
            capabilities: ClientCapabilities::default(),
            client: None,
        }
    }
}

impl Session {
    /// A session that begins at `now`, in seconds since 1970.
    pub(in crate::protocol) fn new(agreed: Agreed, key: [u8; 16], now: u64) -> Self {
        Self {
            key: SessionKey(key),
            agreed,
            until: now.saturating_add(LASTS),
            owner: [0; 16],
        }
    }

    /// The same session as this caller's own.
    #[must_use]
    pub(in crate::protocol) fn of(mut self, caller: &Caller) -> Self {
        self.owner = owner(caller);
        self
    }

    /// Whether it is this caller's.
    pub(in crate::protocol) fn is_of(&self, caller: &Caller) -> bool {
        self.owner == owner(caller)
    }

    /// The id: visible ASCII.
    pub(in crate::protocol) fn seal(&self, sealer: &Sealer) -> String {
        let agreed = &self.agreed;
        let mut content = vec![
            FORM,
            place(agreed.revision),
            agreed.declared.to_bits(),
            agreed.capabilities.to_bits(),
        ];
        content.extend_from_slice(&self.until.to_be_bytes());
        content.extend_from_slice(&self.key.0);
        content.extend_from_slice(&self.owner);
        if let Some(client) = &agreed.client {
            // A name with a 0 in it would be read back as another.
            let name = client.name.replace('\0', "");
            content.extend_from_slice(excerpt_of(&name, NAME).as_bytes());
            content.push(0);
            content.extend_from_slice(excerpt_of(&client.version, NAME).as_bytes());
        }
        sealer.seal(content)
    }

    /// The session of an id; `None` when it was not sealed here, or is over at `now`.
    pub(in crate::protocol) fn open(id: &[u8], sealer: &Sealer, now: u64) -> Option<Self> {
        let content = sealer.open(id)?;
        let (&[form, revision, declared, capabilities], rest) = content.split_first_chunk()?;
        let (until, rest) = rest.split_first_chunk()?;
        let (key, rest) = rest.split_first_chunk()?;
        let (owner, rest) = rest.split_first_chunk()?;
        let until = u64::from_be_bytes(*until);
        if form != FORM || until <= now {
            return None;
        }
        let mut client = None;
        if let Some(end) = rest.iter().position(|byte| *byte == 0) {
            let (name, version) = rest.split_at(end);
            client = Some(Arc::new(ClientInfo {
                name: String::from_utf8(name.to_vec()).ok()?,
                version: String::from_utf8(version.get(1..)?.to_vec()).ok()?,
            }));
        }
        Some(Self {
            owner: *owner,
            key: SessionKey(*key),
            agreed: Agreed {
                revision: *Legacy::ALL.get(usize::from(revision))?,
                declared: Declared::of_bits(declared),
                capabilities: ClientCapabilities::of_bits(capabilities),
                client,
            },
            until,
        })
    }
}

/// A revision's place. Another one gets a place behind these.
fn place(revision: Legacy) -> u8 {
    match revision {
        Legacy::V2025_11_25 => 0,
        Legacy::V2025_06_18 => 1,
    }
}

impl Declared {
    fn to_bits(self) -> u8 {
        let all = [
            self.tools,
            self.prompts,
            self.resources,
            self.subscribe,
            self.logging,
        ];
        bits(&all)
    }

    fn of_bits(bits: u8) -> Self {
        Self {
            tools: bit(bits, 0),
            prompts: bit(bits, 1),
            resources: bit(bits, 2),
            subscribe: bit(bits, 3),
            logging: bit(bits, 4),
        }
    }
}

/// The first of these is the lowest bit.
fn bits(all: &[bool]) -> u8 {
    let higher_first = all.iter().rev();
    higher_first.fold(0, |bits, is_set| bits << 1 | u8::from(*is_set))
}

fn bit(bits: u8, place: u8) -> bool {
    bits >> place & 1 == 1
}

fn owner(caller: &Caller) -> [u8; 16] {
    let digest = caller.principal().map(|principal| {
        let digest = ring::digest::digest(&ring::digest::SHA256, principal.as_bytes());
        digest.as_ref().first_chunk().copied().unwrap_or_default()
    });
    digest.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sealer() -> Sealer {
        Sealer::new(PURPOSE, Some("k")).unwrap()
    }

    fn session(client: Option<Arc<ClientInfo>>, declared: u8, can: u8, old: bool) -> Session {
        let agreed = Agreed {
            revision: Legacy::ALL[usize::from(old)],
            declared: Declared::of_bits(declared),
            capabilities: ClientCapabilities::of_bits(can),
            client,
        };
        Session::new(agreed, [7; 16], 1000)
    }

    #[test]
    fn a_session_ends() {
        let id = session(None, 0, 0, false).seal(&sealer());
        let open = |now| Session::open(id.as_bytes(), &sealer(), now);
        assert!(open(1000).is_some());
        assert!(open(1000 + LASTS - 1).is_some());
        assert!(open(1000 + LASTS).is_none());
        assert!(open(u64::MAX).is_none());
    }

    #[test]
    fn a_session_is_its_callers_own() {
        let known = |name: &str| Caller::known(name, vec![], None, Default::default());
        let of = |caller: &Caller| {
            let id = session(None, 0, 0, false).of(caller).seal(&sealer());
            Session::open(id.as_bytes(), &sealer(), 1000).unwrap()
        };
        let callers = [Caller::NOBODY, known("a"), known("b")];
        for (at, owner) in callers.iter().enumerate() {
            let opened = of(owner);
            let is_of = callers.iter().map(|caller| opened.is_of(caller));
            let expected = (0..3).map(|other| other == at);
            assert!(is_of.eq(expected), "{owner:?}");
        }
    }

    #[test]
    fn what_was_not_declared_is_not_read() {
        for bits in 0..32 {
            assert_eq!(Declared::of_bits(bits).to_bits(), bits);
        }
        assert_eq!(Declared::of_bits(0), Declared::default());
    }

    #[test]
    fn a_session_is_named_by_its_random_bytes() {
        let key = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255];
        assert_eq!(
            SessionKey(key).to_string(),
            "000102030405060708090a0b0c0d0eff"
        );
    }

    #[test]
    fn another_form_or_a_revision_to_come_is_no_session() {
        let sound = || {
            let mut content = vec![FORM, 0, 0, 0];
            content.extend_from_slice(&u64::MAX.to_be_bytes());
            content.extend_from_slice(&[0; 32]);
            content
        };
        let open = |content: Vec<u8>| {
            let id = sealer().seal(content);
            Session::open(id.as_bytes(), &sealer(), 0)
        };
        assert!(open(sound()).is_some());
        let changed = |at: usize, to: u8| {
            let mut content = sound();
            content[at] = to;
            content
        };
        for content in [
            changed(0, 1),
            changed(1, 2),
            sound()[..43].to_vec(),
            [sound(), vec![0xff, 0, b'1']].concat(),
        ] {
            assert_eq!(open(content), None);
        }
    }

    #[test]
    fn all_revisions_have_their_place() {
        for (at, revision) in Legacy::ALL.into_iter().enumerate() {
            assert_eq!(usize::from(place(revision)), at);
        }
    }

    proptest! {
        #[test]
        fn what_was_settled_comes_back(
            declared in 0_u8..32, can in 0_u8..64, old in any::<bool>(),
            name in ".{0,100}", version in ".{0,100}", named in any::<bool>(),
        ) {
            let client = named.then(|| Arc::new(ClientInfo { name, version }));
            let sealed = session(client.clone(), declared, can, old);
            let id = sealed.seal(&sealer());
            prop_assert!(id.len() < 400 && id.bytes().all(|byte| (0x21..=0x7e).contains(&byte)));
            let opened = Session::open(id.as_bytes(), &sealer(), 1000).unwrap();
            prop_assert_eq!(opened.agreed.declared, sealed.agreed.declared);
            prop_assert_eq!(opened.agreed.capabilities, sealed.agreed.capabilities);
            prop_assert_eq!(opened.agreed.revision, sealed.agreed.revision);
            match (opened.agreed.client, client) {
                (Some(read), Some(said)) => {
                    prop_assert!(said.name.replace('\0', "").starts_with(&read.name));
                    prop_assert!(said.version.starts_with(&read.version));
                }
                (read, said) => prop_assert_eq!(read, said),
            }
        }
    }
}

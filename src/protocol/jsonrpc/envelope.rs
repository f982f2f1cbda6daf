//! The members of a message's object, found without looking into them.

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

/// The members JSON-RPC knows, as they stand. Others are passed over.
#[derive(Default)]
pub(super) struct Envelope<'a> {
    pub(super) jsonrpc: Option<&'a RawValue>,
    pub(super) id: Option<&'a RawValue>,
    pub(super) method: Option<&'a RawValue>,
    pub(super) params: Option<&'a RawValue>,
    pub(super) result: Option<&'a RawValue>,
    pub(super) error: Option<&'a RawValue>,
    /// A member that stands more than once. Readers disagree on which one counts, so neither does.
    pub(super) repeated: Option<&'static str>,
}

impl<'a> Envelope<'a> {
    fn set(&mut self, member: Member, value: &'a RawValue) {
        let (name, place) = match member {
            Member::JsonRpc => ("jsonrpc", &mut self.jsonrpc),
            Member::Id => ("id", &mut self.id),
            Member::Method => ("method", &mut self.method),
            Member::Params => ("params", &mut self.params),
            Member::Result => ("result", &mut self.result),
            Member::Error => ("error", &mut self.error),
            Member::Other => return,
        };
        if place.replace(value).is_some() {
            self.repeated = Some(name);
        }
    }
}

impl<'de> Deserialize<'de> for Envelope<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = Envelope<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut envelope = Envelope::default();
                while let Some(member) = map.next_key()? {
                    if matches!(member, Member::Other) {
                        map.next_value::<IgnoredAny>()?;
                    } else {
                        envelope.set(member, map.next_value()?);
                    }
                }
                Ok(envelope)
            }
        }

        deserializer.deserialize_map(Members)
    }
}

/// A member's name.
enum Member {
    JsonRpc,
    Id,
    Method,
    Params,
    Result,
    Error,
    Other,
}

impl<'de> Deserialize<'de> for Member {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Name;

        impl Visitor<'_> for Name {
            type Value = Member;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a member's name")
            }

            fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
                Ok(match name {
                    "jsonrpc" => Member::JsonRpc,
                    "id" => Member::Id,
                    "method" => Member::Method,
                    "params" => Member::Params,
                    "result" => Member::Result,
                    "error" => Member::Error,
                    _ => Member::Other,
                })
            }
        }

        deserializer.deserialize_identifier(Name)
    }
}

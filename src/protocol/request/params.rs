//! The members of a request's `params`. They are found without looking into them, but for a call's
//! arguments where the request is ordinary.

use super::arguments::{Given, Read};
use super::at_once::Object;
use super::meta::Meta;
use crate::protocol::codes::Fault;
use serde::Deserialize;
use serde_json::value::RawValue;

/// The members of `params` that a served method or a mirrored header knows. Others are passed over;
/// one that stands twice makes the request malformed, since readers disagree on which one counts.
#[derive(Debug, Default)]
pub(in crate::protocol) struct Params<'a> {
    pub(in crate::protocol) meta: Meta<'a>,
    pub(in crate::protocol) name: Option<&'a RawValue>,
    pub(in crate::protocol) uri: Option<&'a RawValue>,
    pub(in crate::protocol) arguments: Option<Given<'a>>,
    pub(in crate::protocol) cursor: Option<&'a RawValue>,
    pub(in crate::protocol) reference: Option<&'a RawValue>,
    pub(in crate::protocol) argument: Option<&'a RawValue>,
    pub(in crate::protocol) context: Option<&'a RawValue>,
    pub(in crate::protocol) notifications: Option<&'a RawValue>,
    pub(in crate::protocol) level: Option<&'a RawValue>,
    pub(in crate::protocol) input_responses: Option<&'a RawValue>,
    pub(in crate::protocol) request_state: Option<&'a RawValue>,
}

/// The same as they are read, with a `_meta` and `arguments` that may be read with them.
#[derive(Deserialize)]
#[serde(bound(deserialize = "M: Deserialize<'de>, A: Deserialize<'de>"))]
pub(super) struct Members<'a, M, A> {
    #[serde(rename = "_meta")]
    meta: Option<M>,
    #[serde(borrow)]
    name: Option<&'a RawValue>,
    #[serde(borrow)]
    uri: Option<&'a RawValue>,
    arguments: Option<A>,
    #[serde(borrow)]
    cursor: Option<&'a RawValue>,
    #[serde(borrow, rename = "ref")]
    reference: Option<&'a RawValue>,
    #[serde(borrow)]
    argument: Option<&'a RawValue>,
    #[serde(borrow)]
    context: Option<&'a RawValue>,
    #[serde(borrow)]
    notifications: Option<&'a RawValue>,
    #[serde(borrow, rename = "inputResponses")]
    input_responses: Option<&'a RawValue>,
    #[serde(borrow, rename = "requestState")]
    request_state: Option<&'a RawValue>,
    #[serde(borrow)]
    level: Option<&'a RawValue>,
}

impl<'a> Params<'a> {
    /// Finds the members. `null` is absent.
    ///
    /// # Errors
    /// A member that stands twice, or a `_meta` that is no object.
    pub(in crate::protocol) fn read(params: Option<&'a RawValue>) -> Result<Self, Fault> {
        let Some(params) = params else {
            return Ok(Self::default());
        };
        let members: Members<'_, &RawValue, &RawValue> = serde_json::from_str(params.get())
            .map_err(|error| Fault::MissingMeta(format!("`params`: {error}")))?;
        let meta = members.meta.map(Meta::find).transpose()?;
        let arguments = members.arguments.map(Given::Raw);
        Ok(members.with(meta, arguments))
    }

    /// Whether the request says which revision it is of.
    pub(in crate::protocol) fn names_version(&self) -> bool {
        self.meta.version.is_some()
    }

    /// Whether the request says of itself something that in other revisions a handshake has said.
    pub(in crate::protocol) fn stands_alone(&self) -> bool {
        self.meta.is_of_one_request()
    }
}

impl<'a, M, A> Members<'a, M, A> {
    fn with(self, meta: Option<Meta<'a>>, arguments: Option<Given<'a>>) -> Params<'a> {
        Params {
            meta: meta.unwrap_or_default(),
            name: self.name,
            uri: self.uri,
            arguments,
            cursor: self.cursor,
            reference: self.reference,
            argument: self.argument,
            context: self.context,
            notifications: self.notifications,
            level: self.level,
            input_responses: self.input_responses,
            request_state: self.request_state,
        }
    }
}

impl<'a> From<Members<'a, Object<Meta<'a>>, Read>> for Params<'a> {
    fn from(mut members: Members<'a, Object<Meta<'a>>, Read>) -> Self {
        let meta = members.meta.take().map(|Object(meta)| meta);
        let arguments = members.arguments.take();
        members.with(
            meta,
            arguments.map(|Read(arguments)| Given::Read(arguments)),
        )
    }
}

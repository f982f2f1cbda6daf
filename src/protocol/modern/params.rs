//! The members of a request's `params`, found without looking into them.

use super::meta::Meta;
use crate::protocol::codes::Fault;
use serde::Deserialize;
use serde_json::value::RawValue;

/// The members of `params` that a served method or a mirrored header knows. Others are passed over;
/// one that stands twice makes the request malformed, since readers disagree on which one counts.
#[derive(Debug, Default)]
pub(in crate::protocol) struct Params<'a> {
    pub(super) meta: Meta<'a>,
    pub(super) name: Option<&'a RawValue>,
    pub(super) uri: Option<&'a RawValue>,
    pub(super) arguments: Option<&'a RawValue>,
    pub(super) cursor: Option<&'a RawValue>,
    pub(super) reference: Option<&'a RawValue>,
    pub(super) argument: Option<&'a RawValue>,
    pub(super) context: Option<&'a RawValue>,
    pub(super) notifications: Option<&'a RawValue>,
    pub(super) input_responses: Option<&'a RawValue>,
    pub(super) request_state: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
struct Members<'a> {
    #[serde(borrow, rename = "_meta")]
    meta: Option<&'a RawValue>,
    #[serde(borrow)]
    name: Option<&'a RawValue>,
    #[serde(borrow)]
    uri: Option<&'a RawValue>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
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
}

impl<'a> Params<'a> {
    /// Finds the members. `null` is absent.
    ///
    /// # Errors
    /// A member that stands twice, or a `_meta` that is no object.
    pub(in crate::protocol) fn read(params: Option<&'a RawValue>) -> Result<Self, Fault> {
        let members = match params {
            Some(params) => serde_json::from_str(params.get())
                .map_err(|error| Fault::MissingMeta(format!("`params`: {error}")))?,
            None => Members::default(),
        };
        Ok(Self {
            meta: members
                .meta
                .map(Meta::find)
                .transpose()?
                .unwrap_or_default(),
            name: members.name,
            uri: members.uri,
            arguments: members.arguments,
            cursor: members.cursor,
            reference: members.reference,
            argument: members.argument,
            context: members.context,
            notifications: members.notifications,
            input_responses: members.input_responses,
            request_state: members.request_state,
        })
    }

    /// The request says which revision it is of: it is of this dialect, whatever else it carries.
    pub(in crate::protocol) fn names_version(&self) -> bool {
        self.meta.version.is_some()
    }
}

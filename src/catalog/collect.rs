//! Collecting through the client.

use crate::client::{About, Client, ClientError, Kind};
use serde_json::Value;

/// All that a server offers, item by item as it sent them, in its order.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    /// What it says of itself.
    pub about: About,
    /// The revision that was spoken.
    pub protocol: &'static str,
    /// Tools.
    pub tools: Vec<Value>,
    /// Resources.
    pub resources: Vec<Value>,
    /// Templates of resources.
    pub templates: Vec<Value>,
    /// Prompts.
    pub prompts: Vec<Value>,
    /// Why it may not be all.
    pub cut: Vec<String>,
}

/// Asks for every list.
///
/// # Errors
/// One could not be had.
pub async fn collect(client: &Client) -> Result<Catalog, ClientError> {
    let mut catalog = Catalog {
        about: client.about().clone(),
        protocol: client.version().name(),
        ..Catalog::default()
    };
    for kind in Kind::ALL {
        let listed = client.list(kind).await?;
        catalog.cut.extend(listed.warnings().cloned());
        *match kind {
            Kind::Tools => &mut catalog.tools,
            Kind::Resources => &mut catalog.resources,
            Kind::Templates => &mut catalog.templates,
            Kind::Prompts => &mut catalog.prompts,
        } = listed.items;
    }
    Ok(catalog)
}

/// The member of this name, when it is text that says something.
pub(super) fn text<'v>(item: &'v Value, name: &str) -> Option<&'v str> {
    let text = item.get(name).and_then(Value::as_str).map(str::trim);
    text.filter(|text| !text.is_empty())
}

/// The items of the member of this name, when it is a list.
pub(super) fn items<'v>(item: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> {
    let list = item.get(name).and_then(Value::as_array);
    list.into_iter().flatten()
}

//! What a server offers, written down for people: collected through the client, so that what a client
//! sees is what is written.

mod collect;
mod coverage;
mod markdown;
mod prose;
mod rows;

#[cfg(test)]
mod tests;

pub use collect::{Catalog, collect};
pub use coverage::{Coverage, coverage};
pub use markdown::markdown;
pub use rows::resolved;

use serde_json::{Value, json};

/// The catalog as JSON: what the server sent but for sizes and times of resources, and the coverage.
pub fn to_json(catalog: &Catalog) -> Value {
    let coverage = coverage(catalog);
    json!({
        "server": catalog.about.server,
        "protocol": catalog.protocol,
        "instructions": catalog.about.instructions,
        "capabilities": catalog.about.capabilities,
        "tools": catalog.tools,
        "resources": catalog.resources.iter().map(steady).collect::<Vec<_>>(),
        "templates": catalog.templates,
        "prompts": catalog.prompts,
        "coverage": {
            "described": coverage.described(),
            "total": coverage.total(),
            "percent": coverage.percent(),
            "gaps": coverage.gaps,
        },
    })
}

/// A resource without what changes from day to day.
fn steady(resource: &Value) -> Value {
    let mut resource = resource.clone();
    if let Some(members) = resource.as_object_mut() {
        members.shift_remove("size");
        if let Some(annotations) = members
            .get_mut("annotations")
            .and_then(Value::as_object_mut)
        {
            annotations.shift_remove("lastModified");
        }
    }
    resource
}

//! What a client says it can do (schema: ClientCapabilities), in the form all revisions share.

use super::json::Members;
use crate::ops::{ClientCapabilities, ClientCapability};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// A capability is declared by an object; what else stands there declares nothing.
type Object = BTreeMap<String, IgnoredAny>;

#[derive(Default, Deserialize)]
struct Declared<'a> {
    #[serde(borrow)]
    elicitation: Option<&'a RawValue>,
    #[serde(borrow)]
    sampling: Option<&'a RawValue>,
    #[serde(borrow)]
    roots: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
struct Elicitation {
    form: Option<Object>,
    url: Option<Object>,
}

#[derive(Default, Deserialize)]
struct Sampling {
    context: Option<Object>,
    tools: Option<Object>,
}

/// Reads what a client declares. What is not of the form is not declared.
pub(super) fn read(raw: &RawValue) -> ClientCapabilities {
    let nothing = ClientCapabilities::default();
    // Most say nothing.
    if raw.get() == "{}" {
        return nothing;
    }
    let Ok(declared) = serde_json::from_str::<Declared<'_>>(raw.get()) else {
        return nothing;
    };
    let mut read = nothing;
    if let Some(elicitation) = declared.elicitation.and_then(object::<Elicitation>) {
        // Neither mode named is the form alone (specification: client, elicitation, Capabilities).
        if elicitation.form.is_some() || elicitation.url.is_none() {
            read = read.with(ClientCapability::Form);
        }
        if elicitation.url.is_some() {
            read = read.with(ClientCapability::Url);
        }
    }
    if let Some(sampling) = declared.sampling.and_then(object::<Sampling>) {
        read = read.with(ClientCapability::Sampling);
        if sampling.context.is_some() {
            read = read.with(ClientCapability::SamplingContext);
        }
        if sampling.tools.is_some() {
            read = read.with(ClientCapability::SamplingTools);
        }
    }
    if declared.roots.and_then(object::<Object>).is_some() {
        read = read.with(ClientCapability::Roots);
    }
    read
}

fn object<'a, T: Deserialize<'a>>(raw: &'a RawValue) -> Option<T> {
    let text = Some(raw.get()).filter(|text| text.starts_with('{'));
    serde_json::from_str(text?).ok()
}

/// Writes capabilities in the form in which a client declares them.
pub(super) fn write(out: &mut Vec<u8>, capabilities: ClientCapabilities) {
    use ClientCapability::{Form, Roots, Sampling, SamplingContext, SamplingTools, Url};
    let mut all = Members::open(out);
    for (name, whole, parts) in [
        ("elicitation", None, [(Form, "form"), (Url, "url")]),
        (
            "sampling",
            Some(Sampling),
            [(SamplingContext, "context"), (SamplingTools, "tools")],
        ),
    ] {
        let parts = parts.into_iter();
        let held: Vec<_> = parts.filter(|(part, _)| capabilities.has(*part)).collect();
        if held.is_empty() && !whole.is_some_and(|whole| capabilities.has(whole)) {
            continue;
        }
        let mut members = Members::open(all.member(name));
        for (_, part) in held {
            members.raw(part, b"{}");
        }
        members.close();
    }
    if capabilities.has(Roots) {
        all.raw("roots", b"{}");
    }
    all.close();
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn words(declared: Value) -> Vec<&'static str> {
        let raw = RawValue::from_string(declared.to_string()).unwrap();
        read(&raw).words().collect()
    }

    #[test]
    fn what_is_declared_is_read() {
        for (declared, expected) in [
            (json!({}), &[][..]),
            (json!({"elicitation": {}}), &["elicitation"]),
            (json!({"elicitation": {"form": {}}}), &["elicitation"]),
            (json!({"elicitation": {"url": {}}}), &["elicitation.url"]),
            (
                json!({"elicitation": {"form": {}, "url": {"x": 1}}}),
                &["elicitation", "elicitation.url"],
            ),
            (json!({"sampling": {}}), &["sampling"]),
            (
                json!({"sampling": {"tools": {}, "context": {}}, "roots": {"listChanged": true}}),
                &["sampling", "sampling.tools", "sampling.context", "roots"],
            ),
            (
                json!({"elicitation": null, "sampling": true, "roots": []}),
                &[],
            ),
            (
                json!({"experimental": {"elicitation": {}}, "extensions": {}}),
                &[],
            ),
        ] {
            assert_eq!(words(declared.clone()), expected, "{declared}");
        }
    }

    #[test]
    fn what_is_written_is_what_a_client_declares() {
        for declared in [
            json!({}),
            json!({"elicitation": {"form": {}}}),
            json!({"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}}),
            json!({"sampling": {"context": {}, "tools": {}}}),
        ] {
            let raw = RawValue::from_string(declared.to_string()).unwrap();
            let mut out = Vec::new();
            write(&mut out, read(&raw));
            assert_eq!(serde_json::from_slice::<Value>(&out).unwrap(), declared);
        }
    }
}

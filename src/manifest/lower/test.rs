//! `[[tool.test]]`: a call beside the tool, and what must come of it. Tests are checked with the rest
//! of the manifest; they change nothing of what is served.

use super::codes::{BAD_NAME, CONFLICT, MISPLACED};
use super::{Cx, schema, test_answers, test_expect, test_upstream};
use crate::lang::diag::Diagnostic;
use crate::manifest::load::DUPLICATE_NAME;
use crate::manifest::read::{At, Entry, Table, WRONG_TYPE, to_json};
use crate::model::{Ending, ToolTest, UpstreamAnswer};
use serde_json::{Map, Value};
use std::collections::HashMap;
use toml::de::DeValue;

/// Bytes of a test's name.
const MAX_NAME: usize = 200;

/// Reads the tests of a tool, in their order. Those of one without a name are read for what is wrong
/// with them.
pub(super) fn tests(
    cx: &Cx<'_>,
    tool: &Table<'_>,
    tool_name: Option<&At<String>>,
) -> Vec<ToolTest> {
    let tool_name = tool_name.map(|name| name.value.as_str());
    let mut named = HashMap::new();
    let mut tests = Vec::new();
    for mut table in tool.tables("test") {
        let label = tool.place().to_owned();
        let name = name(&table);
        if let Some(name) = &name {
            table.set_place(format!("{label}, test \"{}\"", name.value));
            if let Some(first) = named.get(&name.value) {
                let message = format!("the tool has a test `{}` already", name.value);
                let found = Diagnostic::error(DUPLICATE_NAME, name.at.clone(), message);
                table.report(found.related(Clone::clone(first), "first declared here"));
            } else {
                named.insert(name.value.clone(), name.at.clone());
            }
        }
        tests.extend(test(cx, tool, tool_name, table, name));
    }
    tests
}

fn test(
    cx: &Cx<'_>,
    tool: &Table<'_>,
    tool_name: Option<&str>,
    table: Table<'_>,
    name: Option<At<String>>,
) -> Option<ToolTest> {
    let at = match &name {
        Some(name) => name.at.clone(),
        None => table.at(),
    };
    let arguments = arguments(&table);
    let expect = match table.table("expect") {
        Some(expect) => test_expect::expectation(cx, expect),
        None => {
            if !table.has("expect") {
                table.missing_with(
                    "expect",
                    "say what must come of the call: `expect.text = \"…\"`, or `expect.is_error = false`",
                );
            }
            None
        }
    };
    let ending = expect.as_ref().map(|expect| &expect.ending);
    let upstream = upstream(cx, tool, &table, ending);
    let answers = test_answers::answers(tool, &table);
    table.finish();
    Some(ToolTest {
        tool: tool_name?.to_owned(),
        name: name?.value,
        arguments: arguments?,
        answers,
        upstream: upstream?,
        expect: expect?,
        at,
    })
}

fn name(table: &Table<'_>) -> Option<At<String>> {
    let name = table.required_string("name")?;
    let is_line = !name.value.trim().is_empty() && !name.value.contains(char::is_control);
    if is_line && name.value.len() <= MAX_NAME {
        return Some(name);
    }
    let found = Diagnostic::error(BAD_NAME, name.at, "this cannot be a test's name");
    table.report(found.help(format!("write one line of 1 to {MAX_NAME} bytes")));
    None
}

/// A table or a string of JSON; none is the empty object.
fn arguments(table: &Table<'_>) -> Option<Map<String, Value>> {
    let Some(entry) = table.entry("arguments") else {
        return Some(Map::new());
    };
    let value = match entry.value {
        DeValue::Table(_) | DeValue::String(_) => json(table, &entry)?,
        _ => return table.wrong_type(&entry, "a table or a string of JSON"),
    };
    match value {
        Value::Object(members) => Some(members),
        _ => {
            let message = "`arguments` must hold a JSON object";
            table.error(WRONG_TYPE, entry.at.clone(), message);
            None
        }
    }
}

/// What stands in for the upstream, which a tool with an `http` action needs unless its call is
/// expected to be refused before.
fn upstream(
    cx: &Cx<'_>,
    tool: &Table<'_>,
    table: &Table<'_>,
    ending: Option<&Ending>,
) -> Option<Vec<UpstreamAnswer>> {
    let is_http = tool.has("http");
    let Some(entry) = table.entry("http") else {
        if is_http && ending == Some(&Ending::Success) {
            table.missing_with(
                "http",
                "tests have no network: write what the upstream answers, such as `http = { json = {} }`",
            );
            return None;
        }
        return Some(Vec::new());
    };
    if !is_http {
        let message = "`http` stands in for an upstream, and the tool has no `http` action";
        table.error(MISPLACED, entry.key_at, message);
        return None;
    }
    test_upstream::answers(cx, table, &entry)
}

/// A JSON value: as TOML, or as a string of JSON, which can hold null.
pub(super) fn json(table: &Table<'_>, entry: &Entry<'_>) -> Option<Value> {
    match entry.value {
        DeValue::String(text) => schema::json_text(table, entry, text),
        _ => to_json(table, entry),
    }
}

/// Refuses a second of keys that exclude each other; `why` ends the message.
pub(super) fn exclude<'a>(table: &Table<'a>, first: &'a str, others: &[&'a str], why: &str) {
    let Some(one) = table.entry(first) else {
        return;
    };
    for other in others.iter().filter_map(|key| table.entry(key)) {
        let message = format!("`{first}` and `{}` exclude each other{why}", other.key);
        table.report(
            Diagnostic::error(CONFLICT, other.key_at, message)
                .related(one.key_at.clone(), format!("`{first}`")),
        );
    }
}

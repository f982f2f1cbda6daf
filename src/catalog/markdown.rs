//! The catalog as Markdown. The same server gives the same bytes: what changes from day to day (sizes
//! and times of resources) is left out.

use super::collect::{Catalog, items, text};
use super::coverage::{Coverage, coverage};
use super::prose::{bars, cell, code, prose};
use super::rows::{Row, Rows, rows};
use crate::lang::diag::tame;
use serde_json::{Map, Value};
use std::fmt::Write as _;

/// Writes the document.
pub fn markdown(catalog: &Catalog) -> String {
    let mut out = String::new();
    head(&mut out, catalog);
    section(&mut out, "Tools", &catalog.tools, tool);
    if !catalog.resources.is_empty() {
        out.push_str("## Resources\n\n| URI | name | type | description |\n|---|---|---|---|\n");
        for item in &catalog.resources {
            resource(&mut out, item, "uri");
        }
        out.push('\n');
    }
    if !catalog.templates.is_empty() {
        out.push_str("## Resource templates\n\n");
        out.push_str("| URI template | name | type | description |\n|---|---|---|---|\n");
        for item in &catalog.templates {
            resource(&mut out, item, "uriTemplate");
        }
        out.push('\n');
    }
    section(&mut out, "Prompts", &catalog.prompts, prompt);
    covered(&mut out, &coverage(catalog));
    // It may be shown on a terminal.
    tame(&out).into_owned()
}

/// Writes a line. Writing to a string cannot fail.
macro_rules! line {
    ($out:expr, $($part:tt)*) => {{ let _ = writeln!($out, $($part)*); }};
}

fn head(out: &mut String, catalog: &Catalog) {
    let server = Value::Object(catalog.about.server.clone());
    let name = text(&server, "name").unwrap_or("a server");
    let title = text(&server, "title").unwrap_or(name);
    line!(out, "# {}\n", cell(title));
    let version = text(&server, "version").map(|version| format!(" {}", cell(version)));
    line!(
        out,
        "{}{}, protocol {}\n",
        code(name),
        version.unwrap_or_default(),
        catalog.protocol
    );
    if let Some(instructions) = &catalog.about.instructions {
        line!(out, "{}\n", prose(instructions));
    }
    for why in &catalog.cut {
        line!(out, "**Not all of it:** {}.\n", cell(why));
    }
}

fn section(out: &mut String, heading: &str, list: &[Value], write: fn(&mut String, &Value)) {
    if list.is_empty() {
        return;
    }
    line!(out, "## {heading}\n");
    for item in list {
        write(out, item);
    }
}

/// Name, title and description.
fn beginning(out: &mut String, item: &Value) {
    line!(out, "### {}\n", code(text(item, "name").unwrap_or("?")));
    let hints = item.get("annotations");
    let title = text(item, "title").or_else(|| hints.and_then(|hints| text(hints, "title")));
    if let Some(title) = title {
        line!(out, "**{}**\n", cell(title));
    }
    if let Some(description) = text(item, "description") {
        line!(out, "{}\n", prose(description));
    }
}

fn tool(out: &mut String, item: &Value) {
    beginning(out, item);
    if let Some(hints) = item.get("annotations").and_then(Value::as_object) {
        let words = hints_in_words(hints);
        if !words.is_empty() {
            line!(out, "*{}*\n", words.join(", "));
        }
    }
    let input = item.get("inputSchema").cloned().unwrap_or_default();
    let arguments = rows(&input);
    if arguments.rows.is_empty() {
        line!(out, "No arguments.\n");
    } else {
        table(out, "argument", &arguments.rows);
    }
    whole(out, "input", &input, &arguments);
    if let Some(output) = item.get("outputSchema") {
        let fields = rows(output);
        line!(out, "Structured result:\n");
        if fields.rows.is_empty() {
            let kind = text(output, "type").unwrap_or("any");
            line!(out, "{}\n", code(kind));
        } else {
            table(out, "field", &fields.rows);
        }
        whole(out, "output", output, &fields);
    }
}

/// The schema itself, where the table does not say all of it.
fn whole(out: &mut String, which: &str, schema: &Value, rows: &Rows) {
    if rows.partial {
        let json = serde_json::to_string_pretty(schema).unwrap_or_default();
        line!(
            out,
            "<details><summary>The whole {which} schema</summary>\n\n```json\n{json}\n```\n\n</details>\n"
        );
    }
}

fn hints_in_words(hints: &Map<String, Value>) -> Vec<&'static str> {
    let words = [
        ("readOnlyHint", "changes nothing", "changes things"),
        ("destructiveHint", "may destroy", "destroys nothing"),
        (
            "idempotentHint",
            "twice is the same as once",
            "twice is more than once",
        ),
        (
            "openWorldHint",
            "reaches the outside world",
            "stays within itself",
        ),
    ];
    let said = words
        .iter()
        .filter_map(|(name, yes, no)| match hints.get(*name) {
            Some(Value::Bool(true)) => Some(*yes),
            Some(Value::Bool(false)) => Some(*no),
            _ => None,
        });
    said.collect()
}

fn table(out: &mut String, what: &str, rows: &[Row]) {
    line!(
        out,
        "| {what} | type | required | default | description | constraints |"
    );
    out.push_str("|---|---|---|---|---|---|\n");
    for row in rows {
        let default = row.default.as_deref().map(|default| bars(&code(default)));
        line!(
            out,
            "| {} | {} | {} | {} | {} | {} |",
            bars(&code(&row.path)),
            cell(&row.kind),
            if row.required { "yes" } else { "no" },
            default.unwrap_or_default(),
            cell(row.description.as_deref().unwrap_or_default()),
            bars(&row.constraints.join("; "))
        );
    }
    out.push('\n');
}

fn resource(out: &mut String, item: &Value, place: &str) {
    let title = text(item, "title").map(|title| format!("{}. ", title.trim_end_matches('.')));
    let description = text(item, "description").unwrap_or_default();
    let meant = meant(item.get("annotations").unwrap_or(&Value::Null));
    line!(
        out,
        "| {} | {} | {} | {} |",
        bars(&code(text(item, place).unwrap_or("?"))),
        cell(text(item, "name").unwrap_or_default()),
        cell(text(item, "mimeType").unwrap_or_default()),
        cell(format!("{}{description}{meant}", title.unwrap_or_default()).trim())
    );
}

/// For whom a resource is, and how much it matters.
fn meant(annotations: &Value) -> String {
    let audience: Vec<&str> = items(annotations, "audience")
        .filter_map(Value::as_str)
        .collect();
    let priority = annotations
        .get("priority")
        .filter(|value| value.is_number());
    let mut words = Vec::new();
    if !audience.is_empty() {
        words.push(format!("for the {}", audience.join(" and the ")));
    }
    words.extend(priority.map(|priority| format!("priority {priority}")));
    match words.is_empty() {
        true => String::new(),
        false => format!("\n*{}*", words.join(", ")),
    }
}

fn prompt(out: &mut String, item: &Value) {
    beginning(out, item);
    let mut arguments = items(item, "arguments").peekable();
    if arguments.peek().is_none() {
        line!(out, "No arguments.\n");
        return;
    }
    out.push_str("| argument | required | description |\n|---|---|---|\n");
    for argument in arguments {
        let words = text(argument, "description").or_else(|| text(argument, "title"));
        let required = argument.get("required") == Some(&Value::Bool(true));
        line!(
            out,
            "| {} | {} | {} |",
            bars(&code(text(argument, "name").unwrap_or("?"))),
            if required { "yes" } else { "no" },
            cell(words.unwrap_or_default())
        );
    }
    out.push('\n');
}

fn covered(out: &mut String, coverage: &Coverage) {
    out.push_str("## Coverage\n\n| | all | with a description |\n|---|---|---|\n");
    for (kind, total, described) in &coverage.kinds {
        if *total > 0 {
            line!(out, "| {kind} | {total} | {described} |");
        }
    }
    let (percent, total) = (coverage.percent(), coverage.total());
    line!(
        out,
        "| together | {total} | {} ({percent} %) |",
        coverage.described()
    );
    if !coverage.gaps.is_empty() {
        out.push_str("\nWithout a description:\n\n");
        for gap in &coverage.gaps {
            line!(out, "- {}", prose(&gap.replace('\n', " ")));
        }
    }
}

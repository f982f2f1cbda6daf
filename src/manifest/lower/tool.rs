//! `[[tool]]`: one tool, whole.

use super::codes::{AWKWARD_NAME, BAD_NAME, CONFLICT, EMPTY_COMPONENT};
use super::{Cx, available, base, names, schema};
use crate::lang::diag::{Diagnostic, Span};
use crate::manifest::read::{At, Digest, Table};
use crate::model::{ActionSpec, Place, ResultSpec, Tool, ToolDeclaration};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::sync::Arc;

/// A tool and where its name stands.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The tool; `None` when it is broken or left out here.
    pub tool: Option<Arc<Tool>>,
    /// Its name, when it has a usable one: a name is taken even by a broken tool.
    pub name: Option<At<String>>,
}

/// Reads one `[[tool]]`. `defaults` is the file's `[defaults]`, when it has one.
pub fn tool(cx: &Cx<'_>, mut table: Table<'_>, defaults: Option<&Table<'_>>) -> Lowered {
    let before = cx.findings.errors();
    let outside_before = cx.outside.borrow().len();
    let name = table
        .required_string("name")
        .filter(|name| check_name(&table, name));
    if let Some(name) = &name {
        table.set_place(format!("in tool \"{}\"", name.value));
    } else {
        table.set_place("in a tool without a usable name");
    }
    let is_available = available::available(cx, &table);
    let mut tool = build(cx, &table, name.as_ref(), defaults);
    if let Some(tool) = &mut tool {
        tool.definition = definition(cx, &table, defaults, outside_before);
    }
    base::refuse_unserved(
        &table,
        &[
            "actor", "ask", "refused", "requires", "scopes", "state", "test", "wrap",
        ],
    );
    table.finish();
    let whole = is_available && cx.findings.errors() == before;
    Lowered {
        tool: tool.filter(|_| whole).map(Arc::new),
        name,
    }
}

fn build(
    cx: &Cx<'_>,
    table: &Table<'_>,
    name: Option<&At<String>>,
    defaults: Option<&Table<'_>>,
) -> Option<Tool> {
    let title = table.string("title").map(|read| read.value);
    let description = table.string("description").map(|read| read.value);
    let icons = base::icons(table);
    let metadata = base::metadata(cx, table);
    let annotations = base::tool_annotations(table.table_over("annotations", defaults));
    let input = schema::input(cx, table);
    let output = schema::output(cx, table);
    let call = names::call(cx, input.as_deref().map(|schema| schema.json().as_ref()));
    let action = action(cx, table, defaults, &call);
    let result = self::result(cx, table, &call, action.as_ref());
    let place = place(table.at());
    let (name, input, output) = (name?, input?, output?);
    let declaration = ToolDeclaration {
        name: name.value.clone(),
        title,
        description,
        icons,
        annotations,
        metadata,
        input_schema: Arc::clone(input.json()),
        output_schema: output.as_ref().map(|schema| Arc::clone(schema.json())),
    };
    Some(Tool {
        fingerprint: fingerprint(&declaration),
        declaration,
        input,
        output,
        action: action?,
        result,
        definition: [0; 32],
        place,
    })
}

/// The tool's one action. The outer `None` means that it is broken.
fn action(
    cx: &Cx<'_>,
    table: &Table<'_>,
    defaults: Option<&Table<'_>>,
    call: &names::Call,
) -> Option<Option<ActionSpec>> {
    let mut given = ["http", "shell", "file"]
        .into_iter()
        .filter(|key| table.has(key));
    let Some(kind) = given.next() else {
        return Some(None);
    };
    if let Some(second) = given.next()
        && let Some(entry) = table.entry(second)
    {
        table.error(
            CONFLICT,
            entry.key_at,
            format!("a component has one action, and `{kind}` is one already"),
        );
        return None;
    }
    let names = call.names();
    Some(Some(match kind {
        "http" => ActionSpec::Http(Arc::new(super::http::http(
            cx,
            table.table_over("http", defaults)?,
            names,
        )?)),
        "shell" => ActionSpec::Shell(Arc::new(super::shell::shell(
            cx,
            table.table_over("shell", defaults)?,
            names,
        )?)),
        _ => ActionSpec::File(Arc::new(super::file::file(
            cx,
            table.table_over("file", defaults)?,
            names,
        )?)),
    }))
}

fn result(
    cx: &Cx<'_>,
    table: &Table<'_>,
    call: &names::Call,
    action: Option<&Option<ActionSpec>>,
) -> Option<ResultSpec> {
    let Some(result) = table.table("result") else {
        if matches!(action, Some(None)) && !table.has("actor") {
            table.report(
                Diagnostic::error(
                    EMPTY_COMPONENT,
                    table.at(),
                    "the tool has neither an action nor a `result`",
                )
                .help("add `[tool.shell]`, `[tool.http]`, `[tool.file]` or `[tool.result]`"),
            );
        }
        return None;
    };
    let names = call.names_with_output(action.and_then(Option::as_ref));
    Some(super::result::result(cx, result, &names))
}

/// The characters and length of a tool's name (MCP 2026-07-28, tools, "Tool Names").
fn check_name(table: &Table<'_>, name: &At<String>) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    if name.value.is_empty() || name.value.len() > 128 || !name.value.bytes().all(allowed) {
        table.report(
            Diagnostic::error(
                BAD_NAME,
                name.at.clone(),
                format!("`{}` cannot be a tool's name", name.value.escape_debug()),
            )
            .help("use 1 to 128 letters, digits, `_`, `-` and `.`"),
        );
        return false;
    }
    let awkward = if name.value.contains('.') {
        Some("several clients do not take a `.` in a tool's name")
    } else if name.value.len() > 64 {
        Some("several clients do not take a tool's name of more than 64 characters")
    } else {
        None
    };
    if let Some(why) = awkward {
        table.report(Diagnostic::warning(AWKWARD_NAME, name.at.clone(), why));
    }
    true
}

/// A digest of everything that makes the tool what it is: its own table, its file's defaults, the
/// folder that relative paths count from, and the files that were read for it.
fn definition(
    cx: &Cx<'_>,
    table: &Table<'_>,
    defaults: Option<&Table<'_>>,
    outside_before: usize,
) -> [u8; 32] {
    let mut digest = Digest::new();
    digest.table(table);
    if let Some(defaults) = defaults {
        digest.table(defaults);
    }
    digest.bytes(cx.folder.as_os_str().as_encoded_bytes());
    for outside in cx.outside.borrow().iter().skip(outside_before) {
        digest.bytes(outside.path.as_os_str().as_encoded_bytes());
        digest.bytes(outside.content.as_deref().unwrap_or_default());
    }
    digest.finish()
}

/// A digest of everything that is shown.
fn fingerprint(declaration: &ToolDeclaration) -> String {
    let shown = format!("{declaration:?}");
    let digest = ring::digest::digest(&ring::digest::SHA256, shown.as_bytes());
    STANDARD.encode(digest)
}

fn place(at: Span) -> Place {
    let line = at
        .file
        .text()
        .get(..at.start)
        .unwrap_or("")
        .matches('\n')
        .count()
        + 1;
    Place {
        file: at.file.path().to_owned(),
        line,
    }
}

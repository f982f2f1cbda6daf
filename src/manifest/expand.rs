//! `snodo check --expand`: components as TOML with their file's defaults filled in. What is printed
//! means the same in the same folder without any `[defaults]`.

use super::lower::{ACTIONS, http_url};
use super::read::{Entry, Findings, Layer, Table, parse};
use super::write;
use crate::lang::diag::SourceFile;
use crate::lang::diag::suggest::closest;
use crate::lang::template::Template;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;
use toml::de::DeValue;

/// Names that no component has.
#[derive(Debug, thiserror::Error)]
#[error("error: there is no component `{}`{}", .name.escape_debug(), help(.near.as_deref()))]
pub struct UnknownName {
    name: String,
    near: Option<String>,
}

fn help(near: Option<&str>) -> String {
    match near {
        Some(near) => format!("\n  = help: did you mean `{}`?", near.escape_debug()),
        None => "\n  = help: `--expand all` prints every component".to_owned(),
    }
}

/// The components of these names, or every one when a name is `all`, in the order of files.
///
/// # Errors
/// The first name that no component has. What stands in a file that is not TOML is not found.
pub fn expand(files: &[Arc<SourceFile>], names: &[String]) -> Result<String, UnknownName> {
    let all = names.iter().any(|name| name == "all");
    let mut out = String::new();
    let mut known = BTreeSet::new();
    for file in files {
        let findings = Findings::default();
        let Some(document) = parse(file, &findings) else {
            continue;
        };
        let layer = Layer {
            file,
            table: &document,
            span: 0..0,
            inherited: None,
        };
        let table = Table::new(vec![layer], &findings, "");
        let defaults = table.table("defaults");
        for kind in KINDS {
            for each in table.tables(kind) {
                let own = ["name", "uri", "uri_template"].map(|key| each.string(key));
                let own: Vec<String> = own.into_iter().flatten().map(|read| read.value).collect();
                if all || own.iter().any(|name| names.contains(name)) {
                    if !out.is_empty() {
                        out.push('\n');
                    }
                    component(&mut out, kind, &each, defaults.as_ref());
                }
                known.extend(own);
            }
        }
    }
    let unknown = names
        .iter()
        .find(|name| !all && !known.contains(name.as_str()));
    match unknown {
        None => Ok(out),
        Some(name) => Err(UnknownName {
            near: closest(name, known.iter().map(String::as_str)).map(str::to_owned),
            name: name.clone(),
        }),
    }
}

/// The kinds of components, as manifests write them.
const KINDS: [&str; 3] = ["tool", "resource", "prompt"];

fn component<'a>(
    out: &mut String,
    kind: &str,
    component: &Table<'a>,
    defaults: Option<&Table<'a>>,
) {
    let at = component.at();
    let line = crate::lang::diag::position::locate(at.file.text(), at.start).line;
    let path = at.file.path().to_string_lossy();
    let _ = writeln!(out, "# {}:{line}", path.escape_debug());
    let _ = writeln!(out, "[[{kind}]]");
    let mut tables = Vec::new();
    for entry in component.entries() {
        match entry.value {
            DeValue::Table(_) => tables.push(entry.key),
            _ => setting(out, &entry, None),
        }
    }
    for key in ["wrap", "scopes"] {
        let inherited = defaults.filter(|_| !component.has(key));
        if let Some(entry) = inherited.and_then(|defaults| defaults.entry(key)) {
            setting(out, &entry, Some(&format!("defaults.{key}")));
        }
    }
    let has_defaults =
        kind == "tool" && defaults.is_some_and(|defaults| defaults.has("annotations"));
    if has_defaults && !tables.contains(&"annotations") {
        tables.push("annotations");
    }
    for key in tables {
        let mut layered = ACTIONS.iter().copied().chain(["annotations"]);
        let table = match layered.find(|layered| *layered == key) {
            Some(layered) => component.table_over(layered, defaults),
            None => component.table(key),
        };
        if let Some(table) = table {
            sub_table(out, &table, &format!("{kind}.{}", write::key(key)), key);
        }
    }
}

/// A table with all its layers; `kind` is what decides which of its keys replace each other.
fn sub_table<'a>(out: &mut String, table: &Table<'a>, header: &str, kind: &str) {
    let (mut tables, mut lines) = (Vec::new(), String::new());
    for (layer, entry) in kept(table, kind) {
        let inherited = table.inherited_name(layer);
        match entry.value {
            DeValue::Table(_) => tables.push(entry.key),
            _ if kind == "http" && entry.key == "url" => url(&mut lines, table, &entry, inherited),
            _ => setting(&mut lines, &entry, inherited),
        }
    }
    if !lines.is_empty() || tables.is_empty() {
        let _ = write!(out, "\n[{header}]\n{lines}");
    }
    for key in tables {
        if let Some(table) = table.table(key) {
            let header = format!("{header}.{}", write::key(key));
            let kind = match (kind, key) {
                ("http", "headers") => "headers",
                _ => "",
            };
            sub_table(out, &table, &header, kind);
        }
    }
}

/// The entries of all layers, less those that one above replaces.
fn kept<'a>(table: &Table<'a>, kind: &str) -> Vec<(usize, Entry<'a>)> {
    let groups: &[&[&str]] = match kind {
        "http" => &[&["json", "form", "body"]],
        "shell" => &[&["command", "script"]],
        "result" => &[&["text", "content"]],
        _ => &[],
    };
    let all = table.layered_entries();
    let same = |a: &str, b: &str| match kind {
        "headers" => a.eq_ignore_ascii_case(b),
        _ => {
            a == b
                || groups
                    .iter()
                    .any(|group| group.contains(&a) && group.contains(&b))
        }
    };
    let runs_command = kind == "shell"
        && all
            .iter()
            .find(|(_, entry)| matches!(entry.key, "command" | "script"))
            .is_some_and(|(_, entry)| entry.key == "command");
    let is_replaced = |at: usize, key: &str| {
        all.iter()
            .any(|(layer, entry)| *layer < at && same(entry.key, key))
    };
    all.iter()
        .filter(|(at, entry)| {
            let is_idle = runs_command && *at > 0 && entry.key == "interpreter";
            !is_idle && !is_replaced(*at, entry.key)
        })
        .cloned()
        .collect()
}

fn setting(out: &mut String, entry: &Entry<'_>, inherited: Option<&str>) {
    line(out, entry.key, &write::value(entry.value), inherited);
}

/// The URL with the base that it continues.
fn url<'a>(out: &mut String, table: &Table<'a>, entry: &Entry<'a>, inherited: Option<&str>) {
    let base = table.inherited_entry("url");
    let texts = (
        entry.value.as_str(),
        base.as_ref().and_then(|base| base.value.as_str()),
    );
    match texts {
        (Some(own), Some(base)) if inherited.is_none() && continues(own) => {
            let whole = http_url::join(base, own);
            line(out, "url", &write::string(&whole), table.inherited_name(1));
        }
        _ => setting(out, entry, inherited),
    }
}

fn continues(url: &str) -> bool {
    Template::parse(url).is_ok_and(|template| http_url::is_relative(url, &template))
}

fn line(out: &mut String, key: &str, value: &str, inherited: Option<&str>) {
    let key = write::key(key);
    let _ = match inherited {
        Some(name) if value.contains('\n') => writeln!(out, "# from [{name}]\n{key} = {value}"),
        Some(name) => writeln!(out, "{key} = {value}  # from [{name}]"),
        None => writeln!(out, "{key} = {value}"),
    };
}

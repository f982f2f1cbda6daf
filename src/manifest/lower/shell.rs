//! `shell`: a command, or a script for an interpreter.

use super::codes::{BAD_NAME, CONFLICT, NO_EFFECT, UNREADABLE};
use super::progress::progress;
use super::shell_program::program;
use super::{Cx, FROM_FOLDER, base};
use crate::lang::diag::Diagnostic;
use crate::lang::diag::suggest::did_you_mean;
use crate::lang::template::{Names, Template};
use crate::manifest::read::{At, OUT_OF_RANGE, Table, Templates};
use crate::model::{DEFAULT_PATH, LimitsSpec, Parse, ShellSpec};
use std::path::PathBuf;
use std::time::Duration;

/// The variables of the daemon's own environment that a command sees unless `pass_env` says otherwise.
/// The locale is all of POSIX's names for it (Base Definitions, 8.2), not whatever begins with `LC_`:
/// people send other things under that prefix, since many SSH servers accept it.
const PASSED: [&str; 13] = [
    "PATH",
    "HOME",
    "USER",
    "LANG",
    "LC_ALL",
    "LC_COLLATE",
    "LC_CTYPE",
    "LC_MESSAGES",
    "LC_MONETARY",
    "LC_NUMERIC",
    "LC_TIME",
    "TZ",
    "TMPDIR",
];
/// A day: longer is a daemon, not a call.
const MAX_MILLIS: i64 = 86_400_000;

/// Reads a `shell` table.
pub(super) fn shell(cx: &Cx<'_>, table: Table<'_>, names: &Names) -> Option<ShellSpec> {
    let templates = Templates::new(names);
    let stdin = templates.key(&table, "stdin").map(|read| read.value);
    let env = env(&table, &templates);
    let pass_env = pass_env(cx, &table);
    let search = search_path(&env, &pass_env);
    let program = program(cx, &table, &templates, search);
    let cwd = cwd(cx, &table);
    let timeout = table.millis("timeout_ms", 1..=MAX_MILLIS);
    super::base::warn_of_long_timeout(cx, &table, timeout.as_ref());
    let max_output = table.count("max_output_bytes", 1..=1 << 30);
    let kill_after = table.millis("kill_after_ms", 0..=60_000);
    let success = success(&table);
    let parse = parse(&table);
    let progress = progress(&table);
    let log = table.boolean("log").is_some_and(|read| read.value);
    let limits = limits(&table);
    let overflow = overflow(&table, &parse, max_output.as_ref());
    table.finish();
    Some(ShellSpec {
        program: program?,
        stdin,
        env,
        pass_env,
        cwd: cwd?,
        timeout: timeout.map_or(Duration::from_secs(30), |read| read.value),
        max_output: max_output.map_or(1 << 20, |read| read.value),
        kill_after: kill_after.map_or(Duration::from_secs(2), |read| read.value),
        success,
        parse,
        progress,
        log,
        overflow,
        limits,
    })
}

/// What a child can be given as a variable's name.
fn check_variable(table: &Table<'_>, name: &str, at: &crate::lang::diag::Span) -> bool {
    let is_name = !name.is_empty() && !name.contains(['=', '\0']);
    if !is_name {
        let message = format!("`{}` cannot be a variable's name", name.escape_debug());
        table.error(BAD_NAME, at.clone(), message);
    }
    is_name
}

/// Says that no child can be given a NUL. False when the literal text has one.
pub(super) fn check_nul(table: &Table<'_>, read: &At<Template>) -> bool {
    let has_nul = read.value.literal().is_some_and(|text| text.contains('\0'));
    if has_nul {
        table.error(
            OUT_OF_RANGE,
            read.at.clone(),
            "a NUL cannot be given to a program",
        );
    }
    !has_nul
}

pub(super) fn env(table: &Table<'_>, templates: &Templates<'_>) -> Vec<(String, Template)> {
    let Some(variables) = table.table("env") else {
        return Vec::new();
    };
    let mut env = Vec::new();
    for entry in variables.entries() {
        if check_variable(&variables, entry.key, &entry.key_at)
            && let Some(read) = templates.read(&variables, &entry)
            && check_nul(&variables, &read)
        {
            env.push((entry.key.to_owned(), read.value));
        }
    }
    env
}

pub(super) fn pass_env(cx: &Cx<'_>, table: &Table<'_>) -> Vec<(String, String)> {
    let listed = table.literals("pass_env");
    let names: Vec<String> = match (listed, table.has("pass_env")) {
        (Some(names), _) => names
            .into_iter()
            .filter(|name| check_variable(table, &name.value, &name.at))
            .map(|name| name.value)
            .collect(),
        (None, true) => Vec::new(),
        (None, false) => PASSED.map(str::to_owned).to_vec(),
    };
    names
        .into_iter()
        .filter_map(|name| {
            let value = cx.environment.get(&name)?.to_owned();
            Some((name, value))
        })
        .collect()
}

/// Where the child will look for its program; `None` when a call decides.
pub(super) fn search_path(
    env: &[(String, Template)],
    pass_env: &[(String, String)],
) -> Option<String> {
    let own = env.iter().find(|(name, _)| name == "PATH");
    if let Some((_, path)) = own {
        return path.literal().map(str::to_owned);
    }
    let passed = pass_env.iter().find(|(name, _)| name == "PATH");
    Some(passed.map_or_else(|| DEFAULT_PATH.to_owned(), |(_, path)| path.clone()))
}

/// The working folder; `None` when it is said wrong.
pub(super) fn cwd(cx: &Cx<'_>, table: &Table<'_>) -> Option<PathBuf> {
    table.knows("cwd");
    if !table.has("cwd") {
        return Some(cx.folder.path().to_owned());
    }
    let cwd = table.literal("cwd")?;
    let path = cx.resolve(&cwd.value);
    if !path.is_dir() {
        let message = format!(
            "the folder `{}` is not here",
            cx.shown(&cwd.value).display()
        );
        table.report(Diagnostic::warning(UNREADABLE, cwd.at, message).help(FROM_FOLDER));
    }
    Some(path)
}

fn success(table: &Table<'_>) -> Vec<i32> {
    let Some(items) = table.array("success") else {
        return vec![0];
    };
    if items.is_empty()
        && let Some(entry) = table.entry("success")
    {
        table.error(
            OUT_OF_RANGE,
            entry.at,
            "`success` must list at least one exit code",
        );
    }
    let codes = items
        .iter()
        .filter_map(|item| table.as_integer(item, 0..=255));
    codes
        .filter_map(|read| i32::try_from(read.value).ok())
        .collect()
}

fn parse(table: &Table<'_>) -> Parse {
    let Some(word) = table.literal("parse") else {
        return Parse::Text;
    };
    match word.value.as_str() {
        "text" => Parse::Text,
        "json" => Parse::Json,
        "lines" => Parse::Lines,
        media if base::is_media_type(media) => Parse::Media(media.to_owned()),
        other => {
            let message = format!("`parse` cannot be `{}`", other.escape_debug());
            let help = did_you_mean(other, ["text", "json", "lines"]).unwrap_or_else(|| {
                "write `text`, `json`, `lines`, or a media type such as `image/png`".to_owned()
            });
            table.report(Diagnostic::error(OUT_OF_RANGE, word.at, message).help(help));
            Parse::Text
        }
    }
}

/// `overflow`, and how long what it keeps can be read.
fn overflow(table: &Table<'_>, parse: &Parse, most: Option<&At<usize>>) -> Option<Duration> {
    let kept = table.word("overflow", &[("resource", ())]);
    let ttl = table.millis("output_ttl_ms", 1..=MAX_MILLIS);
    if let (Some(ttl), false) = (&ttl, table.has("overflow")) {
        let message = "`output_ttl_ms` belongs to `overflow = \"resource\"`";
        table.report(Diagnostic::warning(NO_EFFECT, ttl.at.clone(), message));
    }
    let kept = kept?;
    if !matches!(parse, Parse::Text | Parse::Lines) {
        let message = "`overflow` is for text and lines: of anything else a part is of no use";
        table.error(CONFLICT, kept.at.clone(), message);
    }
    if let Some(most) = most.filter(|most| most.value >= ShellSpec::MOST_KEPT) {
        let message = format!(
            "an answer of `max_output_bytes` leaves nothing to `overflow`, which keeps {} bytes",
            ShellSpec::MOST_KEPT
        );
        let found = Diagnostic::error(CONFLICT, most.at.clone(), message);
        let help = "lower `max_output_bytes`: the rest can be read on in parts";
        table.report(found.related(kept.at, "`overflow`").help(help));
    }
    Some(ttl.map_or(Duration::from_secs(600), |read| read.value))
}

pub(super) fn limits(table: &Table<'_>) -> LimitsSpec {
    let count = |key, low: i64, high: i64| {
        table
            .integer(key, low..=high)
            .and_then(|read| u64::try_from(read.value).ok())
    };
    LimitsSpec {
        nice: table
            .integer("nice", 0..=19)
            .and_then(|read| i32::try_from(read.value).ok()),
        memory_bytes: count("max_memory_bytes", 1 << 20, 1 << 50),
        cpu_seconds: count("max_cpu_seconds", 1, 31_536_000),
        processes: count("max_processes", 1, 1 << 22),
    }
}

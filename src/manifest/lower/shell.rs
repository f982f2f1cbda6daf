//! `shell`: a command, or a script for an interpreter.

use super::Cx;
use super::codes::{BAD_NAME, CONFLICT, NO_COMMAND, NOT_LITERAL, SECRET_IN_ARGV, UNREADABLE};
use crate::lang::diag::Diagnostic;
use crate::lang::template::{Names, Template};
use crate::manifest::read::{At, Entry, OUT_OF_RANGE, Table, Templates};
use crate::model::{ArgSpec, LimitsSpec, Parse, Program, ShellSpec};
use std::path::PathBuf;
use std::time::Duration;
use toml::de::DeValue;

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
    let program = program(cx, &table, &templates);
    let stdin = templates.key(&table, "stdin").map(|read| read.value);
    let env = env(&table, &templates);
    let pass_env = pass_env(cx, &table);
    let cwd = cwd(cx, &table);
    let timeout = table.millis("timeout_ms", 1..=MAX_MILLIS);
    super::base::warn_of_long_timeout(cx, &table, timeout.as_ref());
    let max_output = table.count("max_output_bytes", 1..=1 << 30);
    let kill_after = table.millis("kill_after_ms", 0..=60_000);
    let success = success(&table);
    let parse = parse(&table);
    let limits = limits(&table);
    super::base::refuse_unserved(&table, &["progress", "log", "overflow", "output_ttl_ms"]);
    table.finish();
    Some(ShellSpec {
        program: program?,
        stdin,
        env,
        pass_env,
        cwd,
        timeout: timeout.map_or(Duration::from_secs(30), |read| read.value),
        max_output: max_output.map_or(1 << 20, |read| read.value),
        kill_after: kill_after.map_or(Duration::from_secs(2), |read| read.value),
        success,
        parse,
        limits,
    })
}

fn program(cx: &Cx<'_>, table: &Table<'_>, templates: &Templates<'_>) -> Option<Program> {
    let command = table.array("command");
    let script = table.string("script");
    let interpreter = table.strings("interpreter");
    match (command, script) {
        (Some(_), Some(script)) => {
            table.error(
                CONFLICT,
                script.at,
                "`command` and `script` exclude each other",
            );
            None
        }
        (Some(command), None) => {
            if let Some(first) = interpreter.as_ref().and_then(|words| words.first()) {
                table.error(
                    CONFLICT,
                    first.at.clone(),
                    "`interpreter` belongs to `script`",
                );
            }
            self::command(cx, table, templates, &command)
        }
        (None, Some(script)) => self::script(cx, table, &script, interpreter),
        (None, None) => {
            if !table.has("command") && !table.has("script") {
                table.report(
                    Diagnostic::error(
                        crate::manifest::read::MISSING_KEY,
                        table.at(),
                        "missing key `command`",
                    )
                    .help(
                        "write `command = [\"program\", \"argument\"]`, or `script` with its text",
                    ),
                );
            }
            None
        }
    }
}

fn command(
    cx: &Cx<'_>,
    table: &Table<'_>,
    templates: &Templates<'_>,
    items: &[Entry<'_>],
) -> Option<Program> {
    let mut args = Vec::new();
    let mut after_dashes = false;
    for item in items {
        let arg = argument(table, templates, item)?;
        if arg.value.value.literal() == Some("--") {
            after_dashes = true;
        }
        if arg.value.value.uses("secrets") {
            table.report(
                Diagnostic::warning(
                    SECRET_IN_ARGV,
                    item.at.clone(),
                    "a secret in an argument can be read by every user of the machine",
                )
                .help("pass it through `env` or `stdin`"),
            );
        }
        args.push(ArgSpec {
            allow_dash: arg.allow_dash || after_dashes,
            value: arg.value.value,
        });
    }
    let Some(first) = args.first_mut() else {
        table.error(OUT_OF_RANGE, table.at(), "`command` must name a program");
        return None;
    };
    if let (Some(program), Some(item)) = (first.value.literal().map(str::to_owned), items.first()) {
        let resolved = resolve_program(cx, &program);
        warn_missing(cx, table, &program, item.at.clone());
        if resolved != program {
            first.value = Template::literal_text(resolved);
        }
    } else if let Some(item) = items.first() {
        table.report(
            Diagnostic::error(
                NOT_LITERAL,
                item.at.clone(),
                "the program must be literal text",
            )
            .help("list the allowed programs as tools of their own"),
        );
        return None;
    }
    Some(Program::Command(args))
}

/// One element, before what stands before it is known.
struct Argument {
    value: At<Template>,
    allow_dash: bool,
}

fn argument(table: &Table<'_>, templates: &Templates<'_>, item: &Entry<'_>) -> Option<Argument> {
    if !matches!(item.value, DeValue::Table(_)) {
        return Some(Argument {
            value: templates.read(table, item)?,
            allow_dash: false,
        });
    }
    let sub = table.sub_table(item)?;
    let value = templates.key(&sub, "value");
    if !sub.has("value") {
        sub.missing("value");
    }
    let allow_dash = sub.boolean("allow_dash").is_some_and(|read| read.value);
    sub.finish();
    Some(Argument {
        value: value?,
        allow_dash,
    })
}

fn script(
    cx: &Cx<'_>,
    table: &Table<'_>,
    script: &At<String>,
    interpreter: Option<Vec<At<String>>>,
) -> Option<Program> {
    if script.value.contains("{{") || script.value.contains("{%") {
        table.report(
            Diagnostic::error(
                NOT_LITERAL,
                script.at.clone(),
                "a script's text is taken as it stands and cannot hold a template",
            )
            .help("pass the value through `env = { NAME = \"{{ … }}\" }` and use \"$NAME\" in the script"),
        );
        return None;
    }
    let words = match &interpreter {
        Some(words) if words.is_empty() => {
            table.error(
                OUT_OF_RANGE,
                table.at(),
                "`interpreter` must name a program",
            );
            return None;
        }
        Some(words) => words.iter().map(|word| word.value.clone()).collect(),
        None => vec!["/bin/sh".to_owned(), "-c".to_owned()],
    };
    let at = interpreter
        .as_ref()
        .and_then(|words| words.first())
        .map_or_else(|| script.at.clone(), |word| word.at.clone());
    let mut words: Vec<String> = words;
    if let Some(first) = words.first_mut() {
        warn_missing(cx, table, first, at);
        *first = resolve_program(cx, first);
    }
    Some(Program::Script {
        interpreter: words,
        text: script.value.clone(),
    })
}

/// A name with a `/` counts from the manifest's folder; a bare name is looked up in PATH at the call.
fn resolve_program(cx: &Cx<'_>, program: &str) -> String {
    if program.contains('/') {
        cx.resolve(program).to_string_lossy().into_owned()
    } else {
        program.to_owned()
    }
}

fn warn_missing(cx: &Cx<'_>, table: &Table<'_>, program: &str, at: crate::lang::diag::Span) {
    if cx
        .environment
        .find_command(&resolve_program(cx, program))
        .is_none()
    {
        table.report(
            Diagnostic::warning(
                NO_COMMAND,
                at,
                format!("the command `{program}` is not here"),
            )
            .help("until it is, the tool answers with an error; `available` would leave it out"),
        );
    }
}

fn env(table: &Table<'_>, templates: &Templates<'_>) -> Vec<(String, Template)> {
    let Some(variables) = table.table("env") else {
        return Vec::new();
    };
    let mut env = Vec::new();
    for entry in variables.entries() {
        if entry.key.is_empty() || entry.key.contains(['=', '\0']) {
            table.error(
                BAD_NAME,
                entry.key_at.clone(),
                format!("`{}` cannot be a variable's name", entry.key.escape_debug()),
            );
        } else if let Some(read) = templates.read(table, &entry) {
            env.push((entry.key.to_owned(), read.value));
        }
    }
    env
}

fn pass_env(cx: &Cx<'_>, table: &Table<'_>) -> Vec<(String, String)> {
    let names: Vec<String> = match table.strings("pass_env") {
        Some(names) => names.into_iter().map(|name| name.value).collect(),
        None => PASSED.iter().map(|name| (*name).to_owned()).collect(),
    };
    names
        .into_iter()
        .filter_map(|name| {
            let value = cx.environment.get(&name)?.to_owned();
            Some((name, value))
        })
        .collect()
}

fn cwd(cx: &Cx<'_>, table: &Table<'_>) -> PathBuf {
    let Some(cwd) = table.string("cwd") else {
        return cx.folder.clone();
    };
    let path = cx.resolve(&cwd.value);
    if !path.is_dir() {
        table.report(
            Diagnostic::warning(
                UNREADABLE,
                cwd.at,
                format!("the folder `{}` is not here", path.display()),
            )
            .help("relative paths count from the manifest's folder"),
        );
    }
    path
}

fn success(table: &Table<'_>) -> Vec<i32> {
    let Some(items) = table.array("success") else {
        return vec![0];
    };
    let mut codes = Vec::new();
    for item in items {
        let code = match item.value {
            DeValue::Integer(number) => i32::from_str_radix(number.as_str(), number.radix()).ok(),
            _ => None,
        };
        match code {
            Some(code) if (0..=255).contains(&code) => codes.push(code),
            _ => table.error(
                OUT_OF_RANGE,
                item.at,
                "an exit code is an integer from 0 to 255",
            ),
        }
    }
    codes
}

fn parse(table: &Table<'_>) -> Parse {
    let Some(word) = table.string("parse") else {
        return Parse::Text;
    };
    match word.value.as_str() {
        "text" => Parse::Text,
        "json" => Parse::Json,
        "lines" => Parse::Lines,
        media if media.contains('/') && media.is_ascii() => Parse::Media(media.to_owned()),
        other => {
            table.report(
                Diagnostic::error(
                    OUT_OF_RANGE,
                    word.at,
                    format!("`parse` cannot be `{other}`"),
                )
                .help("write `text`, `json`, `lines`, or a media type such as `image/png`"),
            );
            Parse::Text
        }
    }
}

fn limits(table: &Table<'_>) -> LimitsSpec {
    let count = |key, low: i64| {
        table
            .integer(key, low..=i64::MAX)
            .and_then(|read| u64::try_from(read.value).ok())
    };
    LimitsSpec {
        nice: table
            .integer("nice", 0..=19)
            .and_then(|read| i32::try_from(read.value).ok()),
        memory_bytes: count("max_memory_bytes", 1 << 20),
        cpu_seconds: count("max_cpu_seconds", 1),
        processes: count("max_processes", 1),
    }
}

//! What a `shell` action runs: `command`, or `script` with its `interpreter`.

use super::Cx;
use super::codes::{CONFLICT, NO_COMMAND, SECRET_IN_ARGV};
use super::shell::check_nul;
use crate::lang::diag::{Diagnostic, Span};
use crate::lang::template::Template;
use crate::manifest::read::{
    At, Entry, MISSING_KEY, NOT_LITERAL, OUT_OF_RANGE, Table, Templates, WRONG_TYPE, placeholder,
    within,
};
use crate::model::{ArgSpec, Program};
use toml::de::DeValue;

/// Reads the program. `search` is where its name is looked up, when that is known.
pub(super) fn program(
    cx: &Cx<'_>,
    table: &Table<'_>,
    templates: &Templates<'_>,
    search: Option<String>,
) -> Option<Program> {
    let lookup = Lookup { cx, table, search };
    table.knows("interpreter");
    let given = table.alternatives(&["command", "script"]);
    if let [command, script] = given.as_slice() {
        table.report(
            Diagnostic::error(
                CONFLICT,
                script.key_at.clone(),
                "`command` and `script` exclude each other",
            )
            .related(command.key_at.clone(), "the command"),
        );
    }
    let Some(first) = given.first() else {
        let message = "missing key `command`";
        table.report(
            Diagnostic::error(MISSING_KEY, table.at(), message)
                .help("write `command = [\"program\", \"argument\"]`, or `script` with its text"),
        );
        return None;
    };
    if first.key == "script" {
        return script(&lookup, first);
    }
    // An interpreter in the defaults is for those that have a script.
    if let Some(interpreter) = table.own_entry("interpreter") {
        table.error(
            CONFLICT,
            interpreter.key_at,
            "`interpreter` belongs to `script`",
        );
    }
    command(&lookup, templates, first)
}

/// What a program's name is looked up with.
struct Lookup<'l, 'a> {
    cx: &'l Cx<'l>,
    table: &'l Table<'a>,
    search: Option<String>,
}

fn command<'a>(
    lookup: &Lookup<'_, 'a>,
    templates: &Templates<'_>,
    entry: &Entry<'a>,
) -> Option<Program> {
    let table = lookup.table;
    let DeValue::Array(_) = entry.value else {
        let message = format!(
            "`command` must be an array, not {}",
            crate::manifest::read::type_name(entry.value)
        );
        table.report(
            Diagnostic::error(WRONG_TYPE, entry.at.clone(), message)
                .help("write the program and each argument by itself: `[\"git\", \"log\"]`"),
        );
        return None;
    };
    let items = entry.items();
    let mut args = Vec::new();
    let (mut after_dashes, mut is_whole) = (false, true);
    for item in &items {
        let Some(arg) = argument(table, templates, item) else {
            continue;
        };
        is_whole &= check_nul(table, &arg.value);
        after_dashes |= arg.value.value.literal() == Some("--");
        if arg.value.value.uses("secrets") {
            let message = "a secret in an argument can be read by every user of the machine";
            table.report(
                Diagnostic::warning(SECRET_IN_ARGV, item.at.clone(), message)
                    .help("pass it through `env` or `stdin`"),
            );
        }
        args.push(ArgSpec {
            allow_dash: arg.allow_dash || after_dashes,
            value: arg.value.value,
        });
    }
    is_whole &= args.len() == items.len();
    let Some(first) = items.first() else {
        table.error(
            OUT_OF_RANGE,
            entry.at.clone(),
            "`command` must name a program",
        );
        return None;
    };
    if !is_whole {
        return None;
    }
    let name = args.first()?.value.literal().map(str::to_owned);
    let Some(name) = name else {
        let message = "the program must be literal text";
        table.report(
            Diagnostic::error(NOT_LITERAL, first.at.clone(), message)
                .help("write a tool of its own for each program"),
        );
        return None;
    };
    let resolved = lookup.program(&name, &first.at)?;
    if let Some(arg) = args.first_mut()
        && resolved != name
    {
        arg.value = Template::literal_text(resolved);
    }
    Some(Program::Command(args))
}

/// One element, before what stands before it is known.
struct Argument {
    value: At<Template>,
    allow_dash: bool,
}

fn argument<'a>(
    table: &Table<'a>,
    templates: &Templates<'_>,
    item: &Entry<'a>,
) -> Option<Argument> {
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

fn script<'a>(lookup: &Lookup<'_, 'a>, entry: &Entry<'a>) -> Option<Program> {
    let table = lookup.table;
    let interpreter = interpreter(lookup, entry);
    let script = table.as_string(entry)?;
    if let Some(range) = placeholder(&script.value) {
        let message = "a script's text is taken as it stands and cannot hold a template";
        let help =
            "pass the value through `env = { NAME = \"{{ … }}\" }` and use \"$NAME\" in the script";
        table.report(Diagnostic::error(NOT_LITERAL, within(&script.at, range), message).help(help));
        return None;
    }
    if script.value.contains('\0') {
        let message = "a NUL cannot be given to a program";
        table.error(OUT_OF_RANGE, script.at, message);
        return None;
    }
    Some(Program::Script {
        interpreter: interpreter?,
        text: script.value,
    })
}

fn interpreter<'a>(lookup: &Lookup<'_, 'a>, script: &Entry<'a>) -> Option<Vec<String>> {
    let table = lookup.table;
    let Some(entry) = table.entry("interpreter") else {
        let shell = lookup.program("/bin/sh", &script.at)?;
        return Some(vec![shell, "-c".to_owned()]);
    };
    let words = table.literals("interpreter")?;
    let items = entry.items();
    let Some(first) = items.first() else {
        let message = "`interpreter` must name a program";
        table.error(OUT_OF_RANGE, entry.at, message);
        return None;
    };
    if words.len() != items.len() {
        return None;
    }
    let mut words: Vec<String> = words.into_iter().map(|word| word.value).collect();
    if let Some(program) = words.first_mut() {
        *program = lookup.program(program, &first.at)?;
    }
    Some(words)
}

impl Lookup<'_, '_> {
    /// The program as it is started: a path counts from the manifest's folder, a bare name is looked
    /// up at the call. One that is not here is a warning.
    fn program(&self, name: &str, at: &Span) -> Option<String> {
        if name.is_empty() {
            let message = "the program's name is empty";
            self.table.error(OUT_OF_RANGE, at.clone(), message);
            return None;
        }
        let resolved = self.cx.program(name);
        let environment = self.cx.environment;
        let is_here = match &self.search {
            Some(search) => environment.find_command_in(&resolved, search).is_some(),
            None => !name.contains('/') || environment.find_command(&resolved).is_some(),
        };
        if !is_here {
            let message = format!("the command `{}` is not here", name.escape_debug());
            self.table.report(
                Diagnostic::warning(NO_COMMAND, at.clone(), message)
                    .help("until it is, the answer is an error; `available` would leave it out"),
            );
        }
        Some(resolved)
    }
}

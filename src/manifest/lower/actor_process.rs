//! `[actor.process]`: a worker. What it is started with is known when it is loaded, so its templates
//! are filled in then.

use super::shell::{cwd, env, limits, pass_env, search_path};
use super::shell_program::program;
use super::{Cx, names};
use crate::lang::template::{RenderError, Scope, Template, text_of};
use crate::manifest::read::{BAD_TEMPLATE, Digest, Entry, Table, Templates};
use crate::model::{Body, Program, WorkerSpec};
use serde_json::{Map, Value};
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::time::Duration;

/// Reads a `process` table.
pub(super) fn process(cx: &Cx<'_>, table: Table<'_>) -> Option<WorkerSpec> {
    let names = names::values(cx);
    let templates = Templates::new(&names);
    let variables = env(&table, &templates);
    let passed = pass_env(cx, &table);
    let search = search_path(&variables, &passed);
    let program = program(cx, &table, &templates, search);
    let cwd = cwd(cx, &table);
    let timeout = table.millis("timeout_ms", 1..=86_400_000);
    let max_line = table.count("max_line_bytes", 64..=1 << 30);
    let kill_after = table.millis("kill_after_ms", 0..=60_000);
    let limits = limits(&table);
    let filling = Filling {
        table: &table,
        scope: scope(cx),
    };
    let passed = passed.into_iter();
    let mut environment: Vec<(OsString, OsString)> = passed
        .map(|(name, value)| (name.into(), value.into()))
        .collect();
    environment.extend(filling.variables(&variables));
    let argv = program.map(|program| filling.argv(&program));
    table.finish();
    Some(WorkerSpec {
        argv: argv?,
        env: environment,
        cwd: cwd?,
        limits,
        timeout: timeout.map_or(Duration::from_secs(60), |read| read.value),
        max_line: max_line.map_or(4 << 20, |read| read.value),
        kill_after: kill_after.map_or(Duration::from_secs(2), |read| read.value),
        secrets: cx.settings.values.secrets.clone(),
    })
}

/// The values that are known when a manifest is loaded.
fn scope(cx: &Cx<'_>) -> Scope {
    let values = &cx.settings.values;
    let secrets: Map<String, Value> = values
        .secrets
        .iter()
        .map(|(name, secret)| (name.clone(), secret.reveal().into()))
        .collect();
    let env: Map<String, Value> = values
        .env
        .iter()
        .map(|(name, value)| (name.clone(), value.as_str().into()))
        .collect();
    Scope::new().with("secrets", secrets).with("env", env)
}

/// Fills templates in with what is known when they are loaded, and says which fail on it.
struct Filling<'t, 'a> {
    table: &'t Table<'a>,
    scope: Scope,
}

impl<'a> Filling<'_, 'a> {
    /// What is absent is left out.
    fn variables(&self, variables: &[(String, Template)]) -> Vec<(OsString, OsString)> {
        let table = self.table.table("env");
        let entries = table.as_ref().map(Table::entries).unwrap_or_default();
        let filled = variables.iter().filter_map(|(name, template)| {
            let text = template.text(&self.scope).unwrap_or_else(|error| {
                let entry = entries.iter().find(|entry| entry.key == name);
                self.failed(entry, &error)
            });
            Some((name.into(), text?.into()))
        });
        filled.collect()
    }

    /// What is absent is left out, and a list becomes several elements.
    fn argv(&self, program: &Program) -> Vec<OsString> {
        let args = match program {
            Program::Script { interpreter, text } => {
                let words = interpreter.iter().chain(std::iter::once(text));
                return words.map(OsString::from).collect();
            }
            Program::Command(args) => args,
        };
        let entry = self.table.entry("command");
        let items = entry.map(|entry| entry.items()).unwrap_or_default();
        let values = args.iter().enumerate().flat_map(|(place, arg)| {
            let value = arg.value.value(&self.scope);
            match value.unwrap_or_else(|error| self.failed(items.get(place), &error)) {
                Some(Value::Array(items)) => items.iter().map(text_of).collect(),
                Some(value) => vec![text_of(&value)],
                None => Vec::new(),
            }
        });
        values.map(OsString::from).collect()
    }

    fn failed<T>(&self, entry: Option<&Entry<'a>>, error: &RenderError) -> Option<T> {
        let at = entry.map_or_else(|| self.table.at(), |entry| entry.at.clone());
        let message = format!("the template cannot be filled in: {error}");
        self.table.error(BAD_TEMPLATE, at, message);
        None
    }
}

/// The digest of what the manifest says, with that of the values that were filled in: a worker that
/// was given a secret is started anew with another.
pub(super) fn with_values(says: [u8; 32], body: &Body) -> [u8; 32] {
    let mut digest = Digest::default();
    digest.bytes(&says);
    match body {
        Body::Worker(spec) => {
            let env = spec.env.iter().flat_map(|(name, value)| [name, value]);
            for text in spec.argv.iter().chain(env) {
                digest.bytes(text.as_bytes());
            }
        }
        Body::Declared(spec) => {
            for (name, value) in spec.env.iter() {
                digest.bytes(name.as_bytes());
                digest.bytes(value.to_string().as_bytes());
            }
        }
    }
    digest.finish()
}

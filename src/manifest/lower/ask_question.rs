//! One question: a form, a URL, a request to the caller's model, or where the caller works.

use super::ask_fields::fields;
use super::codes::{BAD_URL, CONFLICT, EMPTY_COMPONENT, SECRET_SHOWN};
use super::{Cx, names, prompt};
use crate::lang::diag::Diagnostic;
use crate::lang::template::{Declared, Template};
use crate::manifest::read::{At, Entry, OUT_OF_RANGE, Table, Templates, to_json};
use crate::model::{BlockKind, MessageSpec, QuestionKind, QuestionSpec, SampleSpec};
use serde_json::{Map, Value};
use toml::de::DeValue;

/// A question, and what its answer holds in templates.
pub(super) struct Question {
    /// The question, when nothing is wrong with it.
    pub(super) spec: Option<QuestionSpec>,
    pub(super) fields: Declared,
}

const KINDS: [&str; 4] = ["form", "url", "sample", "roots"];
/// Most tokens that a model is asked for.
const MAX_TOKENS: i64 = 1_000_000;

/// Reads one question.
pub(super) fn question<'a>(
    cx: &Cx<'a>,
    table: Table<'a>,
    id: &str,
    call: &names::Call,
) -> Question {
    let before = cx.findings.errors();
    let templates = Templates::without_secrets(
        call.names(),
        SECRET_SHOWN,
        "a secret in a question is shown to whoever is asked",
    );
    let given = table.alternatives(&KINDS);
    if given.len() != 1 {
        // What belongs to a question that is not known is not unknown.
        table.knows("fields");
        table.knows("message");
    }
    let (kind, fields) = match given.as_slice() {
        [one] => self::kind(cx, &table, one, &templates),
        // What is misspelt is told of as such.
        [] if !table.entries().is_empty() => (None, Declared::Open),
        [] => {
            table.report(
                Diagnostic::error(EMPTY_COMPONENT, table.at(), "the question asks nothing")
                    .help("write one of `form`, `url`, `sample`, `roots`"),
            );
            (None, Declared::Open)
        }
        [first, second, ..] => {
            let message = format!(
                "a question is one thing, and `{}` is one already",
                first.key
            );
            table.report(
                Diagnostic::error(CONFLICT, second.key_at.clone(), message)
                    .related(first.key_at.clone(), "the first")
                    .help("write a question of its own: those of a round are asked together"),
            );
            (None, Declared::Open)
        }
    };
    table.finish();
    let kind = kind.filter(|_| cx.findings.errors() == before);
    Question {
        spec: kind.map(|kind| QuestionSpec {
            id: id.to_owned(),
            kind,
        }),
        fields,
    }
}

fn kind<'a>(
    cx: &Cx<'a>,
    table: &Table<'a>,
    given: &Entry<'a>,
    templates: &Templates<'_>,
) -> (Option<QuestionKind>, Declared) {
    match given.key {
        "form" => {
            let message = templates.key(table, "form").map(|read| read.value);
            let (form, names) = fields(cx, table, message);
            (form.map(QuestionKind::Form), Declared::names(names))
        }
        "url" => (url(table, templates), Declared::names([""; 0])),
        "sample" => {
            let spec = table.table("sample");
            let spec = spec.and_then(|spec| sample(cx, spec, templates));
            let fields = ["text", "role", "model", "stop_reason", "content"];
            (spec.map(QuestionKind::Sample), Declared::names(fields))
        }
        _ => {
            let roots = table.boolean("roots");
            if let Some(roots) = roots.as_ref().filter(|roots| !roots.value) {
                let message = "`roots` is asked for with `true`";
                table.error(OUT_OF_RANGE, roots.at.clone(), message);
            }
            (
                roots.map(|_| QuestionKind::Roots),
                Declared::names(["roots"]),
            )
        }
    }
}

/// `url` and `message`. Whatever a template makes of the URL is looked at again when it is made.
fn url(table: &Table<'_>, templates: &Templates<'_>) -> Option<QuestionKind> {
    if !table.has("message") {
        table.missing_with("message", "say why the user is to go there");
    }
    let message = templates.key(table, "message");
    let url = templates.key(table, "url")?;
    let prefix = url.value.literal_prefix();
    let is_open = url.value.literal().is_none() && !prefix.contains("://");
    let is_web = match url.value.literal() {
        Some(text) => {
            url::Url::parse(text).is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
        }
        None => prefix.starts_with("http://") || prefix.starts_with("https://"),
    };
    if !is_open && !is_web {
        table.report(
            Diagnostic::error(BAD_URL, url.at, "a user is sent to a URL of the web")
                .help("begin it with `https://`"),
        );
        return None;
    }
    Some(QuestionKind::Url {
        message: message?.value,
        url: url.value,
    })
}

/// `sample`: the members of a request to a model.
fn sample<'a>(cx: &Cx<'a>, table: Table<'a>, templates: &Templates<'_>) -> Option<SampleSpec> {
    let before = cx.findings.errors();
    for key in ["messages", "max_tokens"] {
        if !table.has(key) {
            table.missing(key);
        }
    }
    let items = table.tables("messages").into_iter();
    let messages: Vec<MessageSpec> = items
        .filter_map(|item| message(cx, item, templates))
        .collect();
    if let Some(entry) = table.entry("messages")
        && messages.is_empty()
        && cx.findings.errors() == before
    {
        table.error(OUT_OF_RANGE, entry.at, "`messages` must hold one at least");
    }
    let mut others = Map::new();
    if let Some(tokens) = table.integer("max_tokens", 1..=MAX_TOKENS) {
        others.insert("maxTokens".into(), tokens.value.into());
    }
    if let Some(temperature) = number(&table, "temperature", 0.0..=f64::MAX) {
        others.insert("temperature".into(), temperature);
    }
    if let Some(stops) = table.literals("stop_sequences") {
        let stops = stops.into_iter().map(|stop| stop.value.into());
        others.insert("stopSequences".into(), Value::Array(stops.collect()));
    }
    if let Some(preferences) = table.table("model_preferences") {
        others.insert("modelPreferences".into(), self::preferences(preferences));
    }
    let contexts = [
        ("none", "none"),
        ("this_server", "thisServer"),
        ("all_servers", "allServers"),
    ];
    let context = table.word("include_context", &contexts);
    if let Some(context) = &context {
        others.insert("includeContext".into(), context.value.into());
    }
    let spec = SampleSpec {
        messages,
        system_prompt: templates.key(&table, "system_prompt").map(value),
        metadata: table
            .entry("metadata")
            .filter(|entry| is_table(&table, entry))
            .and_then(|entry| templates.tree(&table, &entry)),
        others,
        wants_context: context.is_some_and(|read| read.value != "none"),
    };
    table.finish();
    (cx.findings.errors() == before).then_some(spec)
}

fn is_table<'a>(table: &Table<'a>, entry: &Entry<'a>) -> bool {
    let is_one = matches!(entry.value, DeValue::Table(_));
    if !is_one {
        let _: Option<()> = table.wrong_type(entry, "a table");
    }
    is_one
}

fn value(read: At<Template>) -> Template {
    read.value
}

/// A message to a model: a text, a picture or a sound.
fn message<'a>(cx: &Cx<'a>, item: Table<'a>, templates: &Templates<'_>) -> Option<MessageSpec> {
    let at = item.at();
    let place = item.place().to_owned();
    let message = prompt::message(cx, item, templates)?;
    if !matches!(
        message.content.kind,
        BlockKind::Text(_) | BlockKind::Image(_) | BlockKind::Audio(_)
    ) {
        let text = "a model is sent texts, pictures and sounds, and no resources";
        cx.findings
            .push(Diagnostic::error(OUT_OF_RANGE, at, text).label(place));
        return None;
    }
    Some(message)
}

/// `model_preferences`: hints by name, and what matters from 0 to 1.
fn preferences(table: Table<'_>) -> Value {
    let mut preferences = Map::new();
    if let Some(hints) = table.literals("hints") {
        let hints = hints.into_iter().map(|hint| {
            let mut named = Map::new();
            named.insert("name".into(), hint.value.into());
            Value::Object(named)
        });
        preferences.insert("hints".into(), Value::Array(hints.collect()));
    }
    for (key, member) in [
        ("cost", "costPriority"),
        ("speed", "speedPriority"),
        ("intelligence", "intelligencePriority"),
    ] {
        if let Some(weight) = number(&table, key, 0.0..=1.0) {
            preferences.insert(member.into(), weight);
        }
    }
    table.finish();
    Value::Object(preferences)
}

fn number<'a>(
    table: &Table<'a>,
    key: &'a str,
    bounds: std::ops::RangeInclusive<f64>,
) -> Option<Value> {
    let entry = table.entry(key)?;
    let number = match entry.value {
        DeValue::Integer(_) | DeValue::Float(_) => to_json(table, &entry)?,
        _ => return table.wrong_type(&entry, "a number"),
    };
    if !number
        .as_f64()
        .is_some_and(|number| bounds.contains(&number))
    {
        let (low, high) = bounds.into_inner();
        let message = match high == f64::MAX {
            true => format!("`{key}` must be {low} or more"),
            false => format!("`{key}` must be from {low} to {high}"),
        };
        table.error(OUT_OF_RANGE, entry.at, message);
        return None;
    }
    Some(number)
}

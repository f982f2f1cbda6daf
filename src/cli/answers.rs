//! What a server asks in the middle of a request, answered by `--answer` or by a person at the terminal.

use super::arguments::arguments;
use super::output::{self, Word};
use super::remote::Failed;
use super::show::{one_line, plain};
use crate::catalog::resolved;
use crate::client::{Client, Question, fits};
use clap::Args;
use serde_json::{Map, Value, json};
use std::io::{BufRead as _, IsTerminal as _, Write as _};
use url::Url;

/// How questions are answered.
#[derive(Debug, Args)]
pub(super) struct Answers {
    /// Answer the server's questions: FIELD=VALUE, or QUESTION.FIELD=VALUE; QUESTION=accept, =decline or =cancel
    #[arg(long = "answer", value_name = "KEY=VALUE")]
    given: Vec<String>,
}

/// What a line at the terminal may hold, in bytes.
const LINE: u64 = 64 * 1024;

impl Answers {
    /// Whether there is anybody, or anything, to answer: otherwise the server is told so.
    pub(super) fn can_answer(&self) -> bool {
        !self.given.is_empty() || is_terminal()
    }

    /// The answer to a question, as the protocol writes it.
    pub(super) async fn answer(
        &self,
        client: &Client,
        question: Question,
    ) -> Result<Value, Failed> {
        if question.method != "elicitation/create" {
            return Err(Failed::Here(format!(
                "the server asks for `{}`, which is not done here",
                question.method
            )));
        }
        if let Some(action) = self.action(&question.id) {
            return Ok(json!({ "action": action }));
        }
        if question.params.get("mode").and_then(Value::as_str) == Some("url") {
            return url(client, &question).await;
        }
        let schema = question.params.get("requestedSchema");
        let schema = schema.cloned().unwrap_or_default();
        let mut content = arguments(&schema, &self.of(&question.id, &schema))?;
        let missing = missing(&schema, &content);
        if missing.is_empty() {
            for field in fields(&schema) {
                let of = schema.get("properties").and_then(|known| known.get(field));
                if let (false, Some(default)) = (
                    content.contains_key(field),
                    of.and_then(|of| of.get("default")),
                ) {
                    content.insert(field.to_owned(), default.clone());
                }
            }
            let content = Value::Object(content);
            fits(&schema, &content)
                .map_err(|why| Failed::misused(format!("the answer does not fit: {why}")))?;
            return Ok(json!({ "action": "accept", "content": content }));
        }
        if !is_terminal() {
            return Err(unanswered(&question, &missing));
        }
        say(&format!("{} asks: {}\n", who(client), message(&question)));
        say(
            "  (an empty line takes what stands in brackets; the end of input, Ctrl-D, declines)\n",
        );
        for field in fields(&schema) {
            if content.contains_key(field) {
                continue;
            }
            match asked(&schema, field).await? {
                Asked::Value(value) => {
                    content.insert(field.to_owned(), value);
                }
                Asked::Nothing => {}
                Asked::Declined => return Ok(json!({ "action": "decline" })),
            }
        }
        Ok(json!({ "action": "accept", "content": content }))
    }

    /// What was said of the question itself.
    fn action(&self, id: &str) -> Option<&str> {
        let mut pairs = self.given.iter().filter_map(|pair| pair.split_once('='));
        let (_, action) = pairs.find(|(key, value)| {
            !id.is_empty() && *key == id && matches!(*value, "accept" | "decline" | "cancel")
        })?;
        Some(action)
    }

    /// What was said of its fields, as KEY=VALUE.
    fn of(&self, id: &str, schema: &Value) -> Vec<String> {
        let whole = format!("{id}.");
        let known = |pair: &&str| {
            let key = pair.split('=').next().unwrap_or_default();
            fields(schema).any(|field| field == key)
        };
        let given = self.given.iter().map(String::as_str);
        let own = given.clone().filter_map(|pair| pair.strip_prefix(&whole));
        let own: Vec<&str> = own.filter(|_| !id.is_empty()).collect();
        let named = |pair: &&str| own.iter().any(|own| key(own) == key(pair));
        let free = given.filter(known).filter(|pair| !named(pair));
        own.iter().copied().chain(free).map(str::to_owned).collect()
    }
}

fn key(pair: &str) -> &str {
    pair.split('=').next().unwrap_or_default()
}

fn is_terminal() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// The fields of a form, in the server's order.
fn fields(schema: &Value) -> impl Iterator<Item = &str> {
    let known = schema.get("properties").and_then(Value::as_object);
    known
        .into_iter()
        .flat_map(|known| known.keys().map(String::as_str))
}

fn is_required(schema: &Value, field: &str) -> bool {
    let required = schema.get("required").and_then(Value::as_array);
    required.is_some_and(|all| all.iter().any(|one| one == field))
}

/// Required fields without a value.
fn missing(schema: &Value, content: &Map<String, Value>) -> Vec<String> {
    let all = fields(schema).filter(|field| is_required(schema, field));
    let open = all.filter(|field| !content.contains_key(*field));
    let open: Vec<String> = open.map(str::to_owned).collect();
    // Whether nothing at all is meant as an answer, only a person can say.
    if open.is_empty() && content.is_empty() {
        return fields(schema).take(1).map(str::to_owned).collect();
    }
    open
}

fn message(question: &Question) -> String {
    let message = question.params.get("message").and_then(Value::as_str);
    plain(message.unwrap_or("the server asks")).into_owned()
}

fn unanswered(question: &Question, missing: &[String]) -> Failed {
    let keys: Vec<String> = missing
        .iter()
        .map(|field| format!("--answer {field}=…"))
        .collect();
    Failed::Misused(
        format!("the server asks: {}", message(question)),
        Some(format!("answer with {}", keys.join(" "))),
    )
}

/// Which server asks: what it calls itself, and where it is.
fn who(client: &Client) -> String {
    let server = &client.about().server;
    let name = ["title", "name"]
        .iter()
        .find_map(|word| server.get(*word)?.as_str())
        .unwrap_or("a server");
    plain(&format!("{} ({})", one_line(name), client.shown())).into_owned()
}

/// A page that the person is to visit. It is shown whole, and never opened from here.
async fn url(client: &Client, question: &Question) -> Result<Value, Failed> {
    let url = question.params.get("url").and_then(Value::as_str);
    let url = url.unwrap_or_default();
    let Some(host) = Url::parse(url).ok().and_then(|url| host(&url)) else {
        let what = format!(
            "the server asks for a visit to `{}`, which is no page",
            plain(url)
        );
        return Err(Failed::Here(what));
    };
    let url = plain(url).into_owned();
    let message = message(question);
    if !is_terminal() {
        return Err(Failed::Misused(
            format!("the server asks: {message}\n  {url}"),
            Some(format!(
                "go there, then answer with --answer {}=accept",
                question.id
            )),
        ));
    }
    let who = who(client);
    say(&format!(
        "{who} asks: {message}\n  {url}\n  at {host}\nWhen that is done, press Enter (Ctrl-D declines): "
    ));
    let action = match line().await? {
        Some(_) => "accept",
        None => "decline",
    };
    Ok(json!({ "action": action }))
}

/// Where the page is, in words; `None` for what is no page of the web.
fn host(url: &Url) -> Option<String> {
    let host = url.host_str()?;
    if !matches!(url.scheme(), "https" | "http") {
        return None;
    }
    let is_coded = host.split('.').any(|label| label.starts_with("xn--"));
    let note = match is_coded {
        true => ", a name whose letters may look like others",
        false => "",
    };
    Some(format!("{host}{note}"))
}

enum Asked {
    Value(Value),
    Nothing,
    Declined,
}

/// Asks a person for a field until the answer can be one.
async fn asked(schema: &Value, field: &str) -> Result<Asked, Failed> {
    let of = schema.get("properties").and_then(|known| known.get(field));
    let of = resolved(schema, of.unwrap_or(&Value::Null));
    loop {
        say(&prompt(of, field, is_required(schema, field)));
        let Some(line) = line().await? else {
            say("\n");
            return Ok(Asked::Declined);
        };
        if line.is_empty() {
            match of.get("default") {
                Some(default) => return Ok(Asked::Value(default.clone())),
                None if is_required(schema, field) => continue,
                None => return Ok(Asked::Nothing),
            }
        }
        // Several of a list stand between commas.
        let several = of.get("type").and_then(Value::as_str) == Some("array");
        let pairs: Vec<String> = match several {
            true => line
                .split(',')
                .map(|one| format!("{field}={}", one.trim()))
                .collect(),
            false => vec![format!("{field}={line}")],
        };
        match arguments(schema, &pairs) {
            Ok(mut read) => match read.remove(field).filter(|value| is_choice(of, value)) {
                Some(value) => match fits(of, &value) {
                    Ok(()) => return Ok(Asked::Value(value)),
                    Err(why) => say(&plain(&format!("  {why}\n"))),
                },
                None => say("  that is none of them\n"),
            },
            Err(Failed::Misused(why, _)) => say(&plain(&format!("  {why}\n"))),
            Err(other) => return Err(other),
        }
    }
}

/// The values that a field is one of, with their titles; none when any will do.
fn choices(of: &Value) -> Vec<(String, Option<String>)> {
    let text = |value: &Value| {
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned)
    };
    let of = of.get("items").unwrap_or(of);
    if let Some(Value::Array(values)) = of.get("enum") {
        return values.iter().map(|value| (text(value), None)).collect();
    }
    let titled = ["oneOf", "anyOf"]
        .iter()
        .find_map(|word| of.get(*word)?.as_array());
    let titled = titled.into_iter().flatten().filter_map(|one| {
        let title = one.get("title").and_then(Value::as_str).map(str::to_owned);
        Some((text(one.get("const")?), title))
    });
    titled.collect()
}

fn is_choice(of: &Value, value: &Value) -> bool {
    let choices = choices(of);
    let is_one = |value: &Value| {
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        choices.iter().any(|(one, _)| *one == text)
    };
    choices.is_empty()
        || match value {
            Value::Array(items) => items.iter().all(is_one),
            one => is_one(one),
        }
}

fn prompt(of: &Value, field: &str, required: bool) -> String {
    let word = |name: &str| of.get(name).and_then(Value::as_str);
    let mut text = String::new();
    if let Some(about) = word("description") {
        text.push_str(&format!("  {}\n", plain(about)));
    }
    for (value, title) in choices(of) {
        let title = title.map_or_else(String::new, |title| format!("  {title}"));
        text.push_str(&plain(&format!("    {value}{title}\n")));
    }
    let kind = match word("type") {
        Some("boolean") => " (true or false)",
        Some("number" | "integer") => " (a number)",
        Some("array") => " (several between commas)",
        _ => "",
    };
    let default = match (of.get("default"), required) {
        (Some(Value::String(default)), _) => format!(" [{default}]"),
        (Some(default), _) => format!(" [{default}]"),
        (None, false) => " []".to_owned(),
        (None, true) => String::new(),
    };
    text.push_str(&plain(&format!(
        "  {}{kind}{default}: ",
        word("title").unwrap_or(field)
    )));
    text
}

fn say(text: &str) {
    let mut err = std::io::stderr().lock();
    // Nobody reads it: nobody answers.
    let _gone = err.write_all(text.as_bytes()).and_then(|()| err.flush());
}

/// A line of the terminal without its end; `None` at the end of input. A thread of its own waits for it,
/// so that an interrupt is heard.
async fn line() -> Result<Option<String>, Failed> {
    let reading = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        let read = std::io::Read::take(std::io::stdin().lock(), LINE).read_line(&mut line);
        read.map(|count| (count > 0).then(|| line.trim_end_matches(['\r', '\n']).to_owned()))
    });
    let read = reading
        .await
        .map_err(|error| Failed::Here(error.to_string()))?;
    read.map_err(|error| Failed::Here(format!("cannot read the answer: {error}")))
}

/// Keeps a hint for those who had no answer to give.
pub(super) fn hint(failed: Failed) -> Failed {
    const NOT_ABLE: i64 = -32021;
    if let Failed::Client(crate::client::ClientError::Refused { error, .. }) = &failed
        && error.code == NOT_ABLE
    {
        let what = "the server would ask something: --answer KEY=VALUE answers, or a terminal";
        output::say(Word::Note, what, None);
    }
    failed
}

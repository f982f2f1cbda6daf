//! `snodo call`: calls a tool.

use super::answers::{Answers, hint};
use super::arguments::arguments;
use super::notices::Shown;
use super::output::{self, Word};
use super::remote::{self, FAILED, Failed, Place};
use super::save::Saver;
use super::show::{Page, pretty};
use crate::client::{Client, Kind, Tool, fits};
use crate::lang::diag::suggest::did_you_mean;
use clap::{Args, ValueEnum};
use serde_json::{Map, Value};
use std::io::Read as _;
use std::path::PathBuf;
use std::process::ExitCode;

/// What `snodo call --help` ends with.
pub(super) const EXAMPLES: &str = "\
Examples:
  snodo call hello name=Ada                           a tool of the manifests that serve would serve
  snodo call hello --manifests ./tools name=Ada       of this folder
  snodo call search --url http://127.0.0.1:4000/mcp tags=red tags=blue limit=5
  snodo call everything --stdio 'npx -y some-server' --json '{\"a\": [1, 2]}'
  snodo call chart --save ./images --output json year=2026

Values are read by the tool's schema: numbers, true and false, null; a list by giving its key again
or as JSON; an object as JSON or by keys with dots (filter.year=2026).

Exit codes:
  0    the tool's result
  1    the tool says that it failed
  2    the command line is wrong: an unknown tool, an argument of another type
  3    the server cannot be reached, does not speak the protocol, or refused the request
  130  interrupted (SIGTERM: 143)

The result goes to standard output, also that of a tool that failed; the rest to standard error.";

/// `snodo call NAME [KEY=VALUE]…`.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The tool
    #[arg(value_name = "NAME")]
    name: String,
    /// Its arguments
    #[arg(value_name = "KEY=VALUE")]
    pairs: Vec<String>,
    /// All arguments as one JSON object; `-` reads it from standard input
    #[arg(long, value_name = "JSON", conflicts_with = "pairs")]
    json: Option<String>,
    /// How the result is written
    #[arg(long, value_enum, default_value_t = Form::Text)]
    output: Form,
    /// Keep images, audio and other bytes of the result as files in this folder
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
    /// Show what the tool logs, from this level on: debug, info, warning, error and others
    #[arg(long, value_name = "LEVEL")]
    log_level: Option<String>,
    #[command(flatten)]
    answers: Answers,
    #[command(flatten)]
    place: Place,
}

/// How results are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Form {
    /// For a person
    Text,
    /// As the server sent it, indented
    Json,
}

/// Calls, prints, and gives the exit code.
pub(super) fn run(asked: Arguments) -> ExitCode {
    let asks = asked.answers.can_answer();
    remote::with_answers(&asked.place, asks, async |client: &Client| {
        call(client, &asked).await
    })
}

async fn call(client: &Client, asked: &Arguments) -> Result<ExitCode, Failed> {
    let tool = find(client, &asked.name).await?;
    let given = match &asked.json {
        Some(text) => object(text)?,
        None => arguments(tool.schema(), &asked.pairs)?,
    };
    let mut shown = Shown::new(&asked.place);
    let level = asked.log_level.as_deref();
    let mut answers = async |question| asked.answers.answer(client, question).await;
    let mut hear = |notice| shown.hear(&notice);
    let called = client
        .call(&tool, given, level, &mut hear, &mut answers)
        .await;
    shown.clear();
    let result = called.map_err(hint)?;
    let failed = result.get("isError") == Some(&Value::Bool(true));
    let structured = result.get("structuredContent").filter(|_| !failed);
    if let (Some(schema), Some(structured)) = (tool.output(), structured)
        && let Err(why) = fits(schema, structured)
    {
        let what =
            format!("the structured result is not what the tool's output schema says: {why}");
        output::say(Word::Warning, &what, None);
    }
    let mut saver = Saver::new(asked.save.as_deref(), tool.name());
    let mut page = Page::default();
    page.tool_result(&result, &mut saver)
        .map_err(Failed::Here)?;
    let text = match asked.output {
        Form::Text => page.into_text(),
        Form::Json => pretty(&result),
    };
    let written = output::result(&text);
    Ok(if failed {
        ExitCode::from(FAILED)
    } else {
        written
    })
}

/// The tool of this name.
async fn find(client: &Client, name: &str) -> Result<Tool, Failed> {
    let listed = client.list(Kind::Tools).await?;
    let name_of = |item: &'_ Value| item.get("name").and_then(Value::as_str).map(str::to_owned);
    let mut tools = listed.items.iter().filter_map(Tool::of);
    if let Some(tool) = tools.find(|tool| tool.name() == name) {
        return Ok(tool);
    }
    for why in listed.warnings() {
        output::say(Word::Warning, why, None);
    }
    let names: Vec<String> = listed.items.iter().filter_map(name_of).collect();
    let help = did_you_mean(name, names.iter().map(String::as_str));
    let help = help.or_else(|| Some("`snodo list` says which there are".into()));
    Err(Failed::Misused(format!("there is no tool `{name}`"), help))
}

/// `--json`.
fn object(text: &str) -> Result<Map<String, Value>, Failed> {
    let mut input = String::new();
    let text = if text == "-" {
        let read = std::io::stdin().lock().read_to_string(&mut input);
        read.map_err(|error| Failed::misused(format!("cannot read standard input: {error}")))?;
        &input
    } else {
        text
    };
    match serde_json::from_str(text) {
        Ok(Value::Object(members)) => Ok(members),
        Ok(_) => Err(Failed::misused(
            "--json takes an object: '{\"key\": \"value\"}'",
        )),
        Err(error) => Err(Failed::misused(format!("--json is not JSON: {error}"))),
    }
}

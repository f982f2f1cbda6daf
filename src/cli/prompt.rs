//! `snodo prompt`: gets a prompt's messages.

use super::answers::{Answers, hint};
use super::call::Form;
use super::names::meant;
use super::notices::Shown;
use super::output;
use super::remote::{self, Failed, Place};
use super::save::Saver;
use super::show::{Page, pretty};
use crate::client::{Client, Kind};
use crate::protocol::client::Request;
use clap::Args;
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::process::ExitCode;

/// What `snodo prompt --help` ends with.
pub(super) const EXAMPLES: &str = "\
Examples:
  snodo prompt review language=Rust --manifests ./tools
  snodo prompt review --url http://127.0.0.1:4000/mcp --output json

Exit codes:
  0    the prompt's messages
  2    the command line is wrong: a name that is nearly that of a prompt
  3    the server cannot be reached, does not speak the protocol, or refused the request
  130  interrupted (SIGTERM: 143)";

/// `snodo prompt NAME [KEY=VALUE]…`.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The prompt
    #[arg(value_name = "NAME")]
    name: String,
    /// Its arguments, which are texts
    #[arg(value_name = "KEY=VALUE")]
    pairs: Vec<String>,
    /// How the messages are written
    #[arg(long, value_enum, default_value_t = Form::Text)]
    output: Form,
    /// Keep contents that are not text as files in this folder
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
    #[command(flatten)]
    answers: Answers,
    #[command(flatten)]
    place: Place,
}

/// Gets, prints, and gives the exit code.
pub(super) fn run(asked: Arguments) -> ExitCode {
    let asks = asked.answers.can_answer();
    remote::with_answers(&asked.place, asks, async |client: &Client| {
        prompt(client, &asked).await
    })
}

async fn prompt(client: &Client, asked: &Arguments) -> Result<ExitCode, Failed> {
    let mut request = Request::new("prompts/get").with("name", asked.name.as_str());
    let arguments = texts(&asked.pairs)?;
    if !arguments.is_empty() {
        request = request.with("arguments", arguments);
    }
    let mut shown = Shown::new(&asked.place);
    let mut answers = async |question| asked.answers.answer(client, question).await;
    let answer = client
        .ask_through(&request, &mut |notice| shown.hear(&notice), &mut answers)
        .await;
    shown.clear();
    let result = match answer.map_err(hint) {
        Ok(result) => result,
        Err(failed) => return Err(meant(client, Kind::Prompts, &asked.name, failed).await),
    };
    let mut saver = Saver::new(asked.save.as_deref(), &asked.name);
    let mut page = Page::default();
    page.messages(&result, &mut saver).map_err(Failed::Here)?;
    Ok(output::result(&match asked.output {
        Form::Text => page.into_text(),
        Form::Json => pretty(&result),
    }))
}

/// `KEY=VALUE` where every value is text.
pub(super) fn texts(pairs: &[String]) -> Result<Map<String, Value>, Failed> {
    let mut texts = Map::new();
    for pair in pairs {
        let Some((key, value)) = pair.split_once('=') else {
            return Err(Failed::misused(format!("`{pair}` is no KEY=VALUE")));
        };
        texts.insert(key.to_owned(), value.into());
    }
    Ok(texts)
}

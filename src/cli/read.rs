//! `snodo read`: reads a resource.

use super::answers::{Answers, hint};
use super::call::Form;
use super::names::meant;
use super::notices::Shown;
use super::output;
use super::remote::{self, Failed, Place};
use super::save::Saver;
use super::show::{Page, blocks, pretty};
use crate::client::{Client, Kind};
use crate::protocol::client::Request;
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;

/// What `snodo read --help` ends with.
pub(super) const EXAMPLES: &str = "\
Examples:
  snodo read docs://readme --manifests ./tools
  snodo read file:///chart.png --save ./images --url http://127.0.0.1:4000/mcp

Exit codes:
  0    the resource's contents
  2    the command line is wrong: a URI that is nearly that of a resource
  3    the server cannot be reached, does not speak the protocol, or has no such resource
  130  interrupted (SIGTERM: 143)";

/// `snodo read URI`.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The resource
    #[arg(value_name = "URI")]
    uri: String,
    /// How the contents are written
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

/// Reads, prints, and gives the exit code.
pub(super) fn run(asked: Arguments) -> ExitCode {
    let asks = asked.answers.can_answer();
    remote::with_answers(&asked.place, asks, async |client: &Client| {
        read(client, &asked).await
    })
}

async fn read(client: &Client, asked: &Arguments) -> Result<ExitCode, Failed> {
    let request = Request::new("resources/read").with("uri", asked.uri.as_str());
    let mut shown = Shown::new(&asked.place);
    let mut answers = async |question| asked.answers.answer(client, question).await;
    let answer = client
        .ask_through(&request, &mut |notice| shown.hear(&notice), &mut answers)
        .await;
    shown.clear();
    let result = match answer.map_err(hint) {
        Ok(result) => result,
        Err(failed) => return Err(meant(client, Kind::Resources, &asked.uri, failed).await),
    };
    let name = asked.uri.rsplit('/').find(|part| !part.is_empty());
    let mut saver = Saver::new(asked.save.as_deref(), name.unwrap_or_default());
    let mut page = Page::default();
    for contents in blocks(result.get("contents")) {
        page.contents(contents, &mut saver).map_err(Failed::Here)?;
    }
    Ok(output::result(&match asked.output {
        Form::Text => page.into_text(),
        Form::Json => pretty(&result),
    }))
}

//! `snodo complete`: what a value can be.

use super::call::Form;
use super::output;
use super::prompt::texts;
use super::remote::{self, Failed, Place};
use super::show::{Page, blocks, pretty};
use crate::client::Client;
use crate::protocol::client::Request;
use clap::Args;
use serde_json::{Value, json};
use std::process::ExitCode;

/// What `snodo complete --help` ends with.
pub(super) const EXAMPLES: &str = "\
Examples:
  snodo complete review language=Ru --manifests ./tools     a prompt's argument
  snodo complete 'notes://{year}/{name}' name=a year=2026   a template's variable, when year is known

What holds a `:` is the template of a resource, anything else a prompt. The first pair is completed.

Exit codes:
  0    the values, one a line; perhaps none
  2    the command line is wrong
  3    the server cannot be reached, does not speak the protocol, or refused the request
  130  interrupted (SIGTERM: 143)";

/// `snodo complete PROMPT|TEMPLATE KEY=BEGINNING [KEY=VALUE]…`.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// A prompt, or the URI template of a resource
    #[arg(value_name = "PROMPT|TEMPLATE")]
    of: String,
    /// What to complete, and how its value begins
    #[arg(value_name = "KEY=BEGINNING")]
    pair: String,
    /// What is known of the others
    #[arg(value_name = "KEY=VALUE")]
    known: Vec<String>,
    /// How the values are written
    #[arg(long, value_enum, default_value_t = Form::Text)]
    output: Form,
    #[command(flatten)]
    place: Place,
}

/// Asks, prints, and gives the exit code.
pub(super) fn run(asked: Arguments) -> ExitCode {
    remote::with(&asked.place, async |client: &Client| {
        complete(client, &asked).await
    })
}

async fn complete(client: &Client, asked: &Arguments) -> Result<ExitCode, Failed> {
    let Some((name, value)) = asked.pair.split_once('=') else {
        return Err(Failed::misused(format!(
            "`{}` is no KEY=BEGINNING",
            asked.pair
        )));
    };
    let reference = if asked.of.contains(':') {
        json!({ "type": "ref/resource", "uri": asked.of })
    } else {
        json!({ "type": "ref/prompt", "name": asked.of })
    };
    let known = texts(&asked.known)?;
    let mut request = Request::new("completion/complete")
        .with("ref", reference)
        .with("argument", json!({ "name": name, "value": value }));
    if !known.is_empty() {
        request = request.with("context", json!({ "arguments": known }));
    }
    let result = client.ask(&request, &mut |_| {}).await?;
    if asked.output == Form::Json {
        return Ok(output::result(&pretty(&result)));
    }
    let completion = result.get("completion");
    let values = blocks(completion.and_then(|completion| completion.get("values")));
    let mut page = Page::default();
    for value in values.filter_map(Value::as_str) {
        page.add(value);
    }
    let more = completion.and_then(|completion| completion.get("hasMore"));
    if more == Some(&Value::Bool(true)) {
        output::error("there are more");
    }
    let text = page.into_text();
    if text.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    Ok(output::result(&text))
}

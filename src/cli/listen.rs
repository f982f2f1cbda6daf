//! `snodo listen`: what changes on a server.

use super::call::Form;
use super::notices::Shown;
use super::output;
use super::remote::{self, Failed, Place};
use super::show::plain;
use crate::client::Client;
use crate::protocol::client::Notice;
use clap::Args;
use serde_json::json;
use std::process::ExitCode;

/// What `snodo listen --help` ends with.
pub(super) const EXAMPLES: &str = "\
Examples:
  snodo listen --manifests ./tools                          say when a list changes
  snodo listen docs://readme --url http://127.0.0.1:4000/mcp   and when this resource does

One line a change, until interrupted or until the server ends it.

Exit codes:
  0    the server ended it
  2    the command line is wrong
  3    the server cannot be reached, does not speak the protocol, or broke off
  130  interrupted (SIGTERM: 143)";

/// `snodo listen [URI]…`.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Resources to hear of, beside the lists
    #[arg(value_name = "URI")]
    uris: Vec<String>,
    /// How changes are written; as JSON, each is one line
    #[arg(long, value_enum, default_value_t = Form::Text)]
    output: Form,
    #[command(flatten)]
    place: Place,
}

/// Listens, prints, and gives the exit code.
pub(super) fn run(asked: Arguments) -> ExitCode {
    remote::with(&asked.place, async |client: &Client| {
        listen(client, &asked).await
    })
}

async fn listen(client: &Client, asked: &Arguments) -> Result<ExitCode, Failed> {
    let mut shown = Shown::new(&asked.place);
    let form = asked.output;
    let mut on = |notice: Notice| match line(&notice, form) {
        Some(line) => {
            // Whoever read it has gone: the next signal ends this.
            let _unread = output::result(&line);
        }
        None => shown.hear(&notice),
    };
    let lists = ["tools", "prompts", "resources"];
    client.listen(&lists, &asked.uris, &mut on).await?;
    Ok(ExitCode::SUCCESS)
}

/// What is printed of a change; `None` for what is no change.
fn line(notice: &Notice, form: Form) -> Option<String> {
    let (text, value) = match notice {
        Notice::Acknowledged(granted) => ("listening".to_owned(), json!({ "listening": granted })),
        Notice::ListChanged(list) => (
            format!("the list of {list} has changed"),
            json!({ "listChanged": list }),
        ),
        Notice::Updated(uri) => (
            format!("{} has changed", plain(uri)),
            json!({ "updated": uri }),
        ),
        Notice::Cancelled(reason) => (
            match reason {
                Some(reason) => format!("ended: {}", plain(reason)),
                None => "ended".to_owned(),
            },
            json!({ "ended": reason }),
        ),
        Notice::Progress { .. } | Notice::Log { .. } | Notice::Asked { .. } | Notice::Other(..) => {
            return None;
        }
    };
    Some(match form {
        Form::Text => text,
        Form::Json => value.to_string(),
    })
}

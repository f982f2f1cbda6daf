//! `snodo listen`: what changes on a server.

use super::call::Form;
use super::notices::Shown;
use super::output::{self, Word};
use super::remote::{self, Failed, Place};
use super::show::{blocks, plain};
use crate::client::Client;
use crate::protocol::client::Notice;
use clap::Args;
use serde_json::{Value, json};
use std::process::ExitCode;
use tokio::sync::Notify;

const LISTS: [&str; 3] = ["tools", "prompts", "resources"];

/// What `snodo listen --help` ends with.
pub(super) const EXAMPLES: &str = "\
Examples:
  snodo listen --manifests ./tools                          say when a list changes
  snodo listen docs://readme --url http://127.0.0.1:4000/mcp   and when this resource does

One line a change, until interrupted, until the server ends it, or until nobody reads it.

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
    let (form, unread) = (asked.output, Notify::new());
    let mut on = |notice: Notice| {
        if let Notice::Acknowledged(granted) = &notice
            && !asked.place.is_quiet()
        {
            missing(granted, &asked.uris);
        }
        match line(&notice, form) {
            // Whoever read it has gone.
            Some(line) if !output::is_read(&line) => unread.notify_one(),
            Some(_) => {}
            None => shown.hear(&notice),
        }
    };
    tokio::select! {
        ended = client.listen(&LISTS, &asked.uris, &mut on) => ended?,
        () = unread.notified() => {}
    }
    Ok(ExitCode::SUCCESS)
}

/// Says of what the server will not tell (specification: subscriptions §Acknowledgment).
fn missing(granted: &Value, uris: &[String]) {
    let is_granted = |list: &&str| granted.get(format!("{list}ListChanged")) == Some(&true.into());
    let lists: Vec<&str> = LISTS.into_iter().filter(|list| !is_granted(list)).collect();
    let told: Vec<&Value> = blocks(granted.get("resourceSubscriptions")).collect();
    let untold = uris
        .iter()
        .filter(|uri| !told.iter().any(|told| *told == *uri));
    let mut what: Vec<String> = untold.map(|uri| format!("`{uri}`")).collect();
    if !lists.is_empty() {
        what.push(format!("the list of {}", lists.join(", ")));
    }
    if !what.is_empty() {
        let what = format!("the server does not tell of changes of {}", what.join(", "));
        output::say(Word::Note, &what, None);
    }
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

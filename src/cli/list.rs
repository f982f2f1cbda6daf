//! `snodo list`: what a server offers, in a line or two each.

use super::call::Form;
use super::output::{self, Word};
use super::remote::{self, Failed, Place};
use super::show::{Page, blocks, one_line, pretty};
use crate::catalog::resolved;
use crate::client::{Client, Kind};
use clap::{Args, ValueEnum};
use serde_json::{Map, Value};
use std::process::ExitCode;

/// What `snodo list --help` ends with.
pub(super) const EXAMPLES: &str = "\
Examples:
  snodo list                                          all that the manifests here offer
  snodo list tools --manifests ./tools                the tools of a folder
  snodo list --url http://127.0.0.1:4000/mcp          what a server that runs offers
  snodo list --stdio 'npx -y some-server' --output json

Arguments in brackets may be left out.

Exit codes:
  0    done
  2    the command line is wrong
  3    the server cannot be reached, does not speak the protocol, or refused the request
  130  interrupted (SIGTERM: 143)";

/// `snodo list [KIND]…`.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// What to list [default: everything]
    #[arg(value_name = "KIND", value_enum)]
    kinds: Vec<Named>,
    /// How it is written
    #[arg(long, value_enum, default_value_t = Form::Text)]
    output: Form,
    #[command(flatten)]
    place: Place,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Named {
    Tools,
    Resources,
    Templates,
    Prompts,
}

impl Named {
    const ALL: [Self; 4] = [Self::Tools, Self::Resources, Self::Templates, Self::Prompts];

    fn kind(self) -> Kind {
        match self {
            Self::Tools => Kind::Tools,
            Self::Resources => Kind::Resources,
            Self::Templates => Kind::Templates,
            Self::Prompts => Kind::Prompts,
        }
    }

    fn heading(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Resources => "resources",
            Self::Templates => "templates",
            Self::Prompts => "prompts",
        }
    }
}

/// Lists, prints, and gives the exit code.
pub(super) fn run(asked: Arguments) -> ExitCode {
    remote::with(&asked.place, async |client: &Client| {
        list(client, &asked).await
    })
}

async fn list(client: &Client, asked: &Arguments) -> Result<ExitCode, Failed> {
    let mut page = Page::default();
    let mut all = Map::new();
    let mut first = true;
    for named in Named::ALL {
        if !asked.kinds.is_empty() && !asked.kinds.contains(&named) {
            continue;
        }
        let listed = client.list(named.kind()).await?;
        for why in listed.warnings() {
            output::say(Word::Warning, why, None);
        }
        if asked.output == Form::Json {
            all.insert(named.heading().into(), listed.items.into());
            continue;
        }
        if listed.items.is_empty() {
            continue;
        }
        if !std::mem::take(&mut first) {
            page.add("\n");
        }
        page.heading(named.heading());
        for item in &listed.items {
            page.add(&line(named, item));
        }
    }
    Ok(output::result(&match asked.output {
        Form::Json => pretty(&all.into()),
        Form::Text if first => "nothing".to_owned(),
        Form::Text => page.into_text(),
    }))
}

/// An item: what is typed to use it, and below it the first line of what it is for.
fn line(named: Named, item: &Value) -> String {
    let text = |name: &str| item.get(name).and_then(Value::as_str);
    let text = |name: &str| text(name).map(one_line);
    let name = text("name").unwrap_or("?");
    let head = match named {
        Named::Tools => format!("{name}{}", signature(item.get("inputSchema"))),
        Named::Prompts => format!("{name}{}", prompt_signature(item)),
        Named::Resources => text("uri").unwrap_or(name).to_owned(),
        Named::Templates => text("uriTemplate").unwrap_or(name).to_owned(),
    };
    let about = text("description").or(text("title"));
    match about.unwrap_or_default() {
        "" => format!("  {head}"),
        about => format!("  {head}\n      {about}"),
    }
}

/// The arguments of a tool as they are typed, those first that must be given.
fn signature(schema: Option<&Value>) -> String {
    let Some(schema) = schema else {
        return String::new();
    };
    let required: Vec<&str> = blocks(schema.get("required"))
        .filter_map(Value::as_str)
        .collect();
    let properties = schema.get("properties").and_then(Value::as_object);
    let known = properties.into_iter().flatten();
    let (must, may): (Vec<_>, Vec<_>) =
        known.partition(|(name, _)| required.contains(&name.as_str()));
    let kind = |property: &Value| type_of(resolved(schema, property));
    let must = must
        .iter()
        .map(|(name, property)| format!(" {}={}", one_line(name), kind(property)));
    let may = may
        .iter()
        .map(|(name, property)| format!(" [{}={}]", one_line(name), kind(property)));
    must.chain(may).collect()
}

fn prompt_signature(item: &Value) -> String {
    let argument = |argument: &Value| {
        let name = argument.get("name").and_then(Value::as_str);
        let name = name.map_or("?", one_line);
        match argument.get("required") {
            Some(Value::Bool(true)) => format!(" {name}=STRING"),
            _ => format!(" [{name}=STRING]"),
        }
    };
    blocks(item.get("arguments")).map(argument).collect()
}

fn type_of(schema: &Value) -> String {
    match schema.get("type") {
        Some(Value::String(kind)) => kind.to_uppercase(),
        Some(Value::Array(kinds)) => {
            let kinds: Vec<&str> = kinds.iter().filter_map(Value::as_str).collect();
            kinds.join("|").to_uppercase()
        }
        _ => "VALUE".to_owned(),
    }
}

//! `snodo add`: this server in the configuration of a client.

mod client;
mod edit;
mod file;

use super::output;
use super::remote::Failed;
use crate::manifest::environment::Environment;
use crate::manifest::settings::SEARCHED;
use clap::Args;
use client::{Entry, Kind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use url::Url;

/// What `snodo add --help` ends with.
pub(super) const EXAMPLES: &str = "\
Examples:
  snodo add claude-code                       print what belongs into .mcp.json
  snodo add claude-code --write               put it there
  snodo add cursor ./manifests --name tools   a folder without a server file
  snodo add vscode --url http://127.0.0.1:4000/mcp
  snodo add cursor --url https://tools.example.com/mcp --token-env TOOLS_TOKEN --write
  snodo add claude-desktop --url unix:/run/snodo.sock --write

Without --url the client starts `snodo stdio` for the manifests. With it the client is sent to a server
that runs, by `snodo connect` where the client itself cannot go there. --write keeps what else the file
holds, comments too, and a copy of the file as it was beside it. No token is written: with --token-env
the file names a variable of the client's environment.

Exit codes: 0 done, 1 not done (standard error says why), 2 misused.";

/// `snodo add CLIENT [DIR]…`.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The client
    #[arg(value_enum)]
    client: Kind,
    /// Folders or files of manifests
    #[arg(value_name = "DIR", conflicts_with = "url")]
    paths: Vec<PathBuf>,
    /// The server file [default: ./snodo.toml, ./config/snodo.toml or /etc/snodo/snodo.toml]
    #[arg(long, value_name = "FILE", conflicts_with = "url")]
    config: Option<PathBuf>,
    /// A server that runs: http://…, https://… or unix:/path/to/socket
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// With --url, the variable of the client's environment that holds the access token to send
    #[arg(long, value_name = "NAME", requires = "url")]
    token_env: Option<String>,
    /// What the client calls the server [default: the folder's name]
    #[arg(long)]
    name: Option<String>,
    /// Edit the client's file
    #[arg(long)]
    write: bool,
    /// The client's file [default: where the client looks]
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// With --write, replace another server of this name
    #[arg(long, requires = "write")]
    replace: bool,
}

/// Prints, or edits the file.
pub(super) fn run(asked: &Arguments) -> ExitCode {
    match add(asked) {
        Ok(code) => code,
        Err(failed) => failed.say(),
    }
}

fn add(asked: &Arguments) -> Result<ExitCode, Failed> {
    let (entry, called) = entry(asked)?;
    let name = asked.name.clone().unwrap_or(called);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    if name.is_empty() || name.len() > 64 || !name.chars().all(is_plain) {
        return Err(Failed::Misused(
            format!("`{name}` is no name that every client takes"),
            Some("--name takes up to 64 letters, digits, - and _".into()),
        ));
    }
    let file = match &asked.file {
        Some(file) => file.clone(),
        None => asked
            .client
            .file(&Environment::of_process())
            .ok_or_else(|| {
                Failed::Misused(
                    "it is not known where the client's file is".into(),
                    Some("--file names it".into()),
                )
            })?,
    };
    let wanted = asked.client.written(&entry);
    if !asked.write {
        let text = edit::added(asked.client.form(), "", &name, &wanted, false);
        let text = text.map_err(|why| Failed::Here(why.to_string()))?;
        output::error(&format!(
            "this belongs into {}; --write puts it there",
            file.display()
        ));
        remember(asked);
        return Ok(output::result(&text));
    }
    let edited = file::edit(&file, |text| {
        edit::added(asked.client.form(), text, &name, &wanted, asked.replace)
    })?;
    let said = match edited {
        file::Edited::Unchanged => format!("`{name}` is in {} already\n", file.display()),
        file::Edited::Made => format!("wrote {}\n", file.display()),
        file::Edited::Changed(backup) => format!(
            "wrote {}; as it was it is in {}\n",
            file.display(),
            backup.display()
        ),
    };
    remember(asked);
    Ok(output::result(&(said + asked.client.next())))
}

/// What is to be known of credentials.
fn remember(asked: &Arguments) {
    let note = |what: &str| output::say(output::Word::Note, what, None);
    if let Some(variable) = &asked.token_env {
        let place = asked.client.where_to_set();
        note(&format!(
            "set `{variable}` {place}: the file has its name alone"
        ));
    }
    let url = asked.url.as_deref().and_then(|url| Url::parse(url).ok());
    if url.is_some_and(|url| url.query().is_some()) {
        note("the address is written as it is, with what is behind its `?`: a key, perhaps");
    }
}

/// The variable of `--token-env`.
fn variable(asked: &Arguments) -> Result<Option<String>, Failed> {
    let is_plain = |name: &str| {
        let letter = |c: char| c.is_ascii_alphabetic() || c == '_';
        name.starts_with(letter) && name.chars().all(|c| letter(c) || c.is_ascii_digit())
    };
    match asked.token_env.clone() {
        Some(name) if !is_plain(&name) => Err(Failed::Misused(
            "--token-env takes the name of a variable".into(),
            Some("the token itself belongs into that variable".into()),
        )),
        name => Ok(name),
    }
}

/// How the client gets to the server, and what it is called unless said otherwise.
fn entry(asked: &Arguments) -> Result<(Entry, String), Failed> {
    if let Some(url) = &asked.url {
        // Says what is wrong with it.
        super::remote::address(url)?;
        let token = variable(asked)?;
        let entry = match url.strip_prefix("unix:") {
            Some(_) => Entry::Connect(program()?, absolute_socket(url)?, token),
            None if asked.client.goes_to_urls() => Entry::Url(url.clone(), token),
            None => Entry::Connect(program()?, url.clone(), token),
        };
        return Ok((entry, "snodo".to_owned()));
    }
    let mut args = vec!["stdio".to_owned()];
    let called = if let Some(first) = asked.paths.first() {
        let first = absolute(first)?;
        if let Some(config) = &asked.config {
            args.extend(["--config".to_owned(), utf8(&absolute(config)?)?]);
        }
        for path in &asked.paths {
            args.push(utf8(&absolute(path)?)?);
        }
        first
    } else {
        let config = match &asked.config {
            Some(config) => config.clone(),
            None => found()?,
        };
        let config = absolute(&config)?;
        args.extend(["--config".to_owned(), utf8(&config)?]);
        let folder = config.parent().unwrap_or(Path::new("/"));
        if folder.ends_with("config") {
            folder.parent().unwrap_or(folder).to_owned()
        } else {
            folder.to_owned()
        }
    };
    let called = called.file_stem().unwrap_or_default().to_string_lossy();
    let plain = |c: char| match c {
        c if c.is_ascii_alphanumeric() || "-_".contains(c) => c,
        _ => '-',
    };
    let called: String = called.chars().take(64).map(plain).collect();
    let called = if called.is_empty() {
        "snodo".to_owned()
    } else {
        called
    };
    Ok((Entry::Program(program()?, args), called))
}

/// The server file that is found without being named.
fn found() -> Result<PathBuf, Failed> {
    let found = SEARCHED
        .map(PathBuf::from)
        .into_iter()
        .find(|path| path.is_file());
    found.ok_or_else(|| {
        Failed::Misused(
            "there is no server file here, and no folder is named".into(),
            Some("name a folder of manifests, --config FILE or --url URL".into()),
        )
    })
}

/// A client starts programs from a folder of its own, and with a PATH of its own.
fn absolute(path: &Path) -> Result<PathBuf, Failed> {
    path.canonicalize()
        .map_err(|error| Failed::Here(format!("cannot find `{}`: {error}", path.display())))
}

/// A socket need not be there yet.
fn absolute_socket(url: &str) -> Result<String, Failed> {
    let path = std::path::absolute(url.trim_start_matches("unix:"))
        .map_err(|error| Failed::Here(format!("cannot use this folder: {error}")))?;
    utf8(&path)
}

fn program() -> Result<String, Failed> {
    let program = std::env::current_exe()
        .map_err(|error| Failed::Here(format!("cannot find this program itself: {error}")))?;
    utf8(&program)
}

fn utf8(path: &Path) -> Result<String, Failed> {
    let text = path.to_str();
    text.map(str::to_owned)
        .ok_or_else(|| Failed::Here(format!("`{}` is not UTF-8, as the file is", path.display())))
}

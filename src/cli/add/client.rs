//! The clients: where their files are, and how a server is written in them.

use crate::manifest::environment::Environment;
use clap::ValueEnum;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A client whose configuration can be edited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Kind {
    /// Claude Code: .mcp.json in this folder
    ClaudeCode,
    /// Claude Desktop
    ClaudeDesktop,
    /// Cursor: .cursor/mcp.json in the home folder
    Cursor,
    /// Visual Studio Code: .vscode/mcp.json in this folder
    Vscode,
    /// Codex: .codex/config.toml in the home folder
    Codex,
}

/// How a client gets to a server.
#[derive(Clone, Debug)]
pub(super) enum Entry {
    /// It starts this program with these arguments.
    Program(String, Vec<String>),
    /// It starts this program, which goes to a server that runs, with the access token that this variable
    /// of its environment holds.
    Connect(String, String, Option<String>),
    /// It goes there itself, with that token.
    Url(String, Option<String>),
}

/// The form of a client's file: the member that holds its servers, in JSON or in TOML.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    Json(&'static str),
    Toml(&'static str),
}

impl Kind {
    /// Where the client's file is; `None` without a home folder.
    pub(super) fn file(self, environment: &Environment) -> Option<PathBuf> {
        let home = || environment.get("HOME").map(PathBuf::from);
        Some(match self {
            Self::ClaudeCode => ".mcp.json".into(),
            Self::Vscode => ".vscode/mcp.json".into(),
            Self::Cursor => home()?.join(".cursor/mcp.json"),
            Self::Codex => match environment.get("CODEX_HOME") {
                Some(folder) => Path::new(folder).join("config.toml"),
                None => home()?.join(".codex/config.toml"),
            },
            Self::ClaudeDesktop => {
                let settings = if cfg!(target_os = "macos") {
                    home()?.join("Library/Application Support")
                } else {
                    match environment.get("XDG_CONFIG_HOME") {
                        Some(folder) if !folder.is_empty() => folder.into(),
                        _ => home()?.join(".config"),
                    }
                };
                settings.join("Claude/claude_desktop_config.json")
            }
        })
    }

    pub(super) fn form(self) -> Form {
        match self {
            Self::ClaudeCode | Self::ClaudeDesktop | Self::Cursor => Form::Json("mcpServers"),
            Self::Vscode => Form::Json("servers"),
            Self::Codex => Form::Toml("mcp_servers"),
        }
    }

    /// Whether it speaks HTTP by itself.
    pub(super) fn goes_to_urls(self) -> bool {
        self != Self::ClaudeDesktop
    }

    /// How the client writes such a server.
    pub(super) fn written(self, entry: &Entry) -> Value {
        let names_type = matches!(self, Self::ClaudeCode | Self::Vscode);
        let mut written = match entry {
            Entry::Program(program, args) => json!({ "command": program, "args": args }),
            Entry::Connect(program, to, None) => {
                json!({ "command": program, "args": ["connect", to] })
            }
            Entry::Connect(program, to, Some(variable)) => {
                let args = ["connect", to, "--token-env", variable];
                match self {
                    // It hands only those on.
                    Self::Codex => {
                        json!({ "command": program, "args": args, "env_vars": [variable] })
                    }
                    _ => json!({ "command": program, "args": args }),
                }
            }
            Entry::Url(url, None) => json!({ "url": url }),
            Entry::Url(url, Some(variable)) => match self {
                Self::Codex => json!({ "url": url, "bearer_token_env_var": variable }),
                Self::ClaudeCode => bearer(url, &format!("${{{variable}}}")),
                _ => bearer(url, &format!("${{env:{variable}}}")),
            },
        };
        if let (true, Value::Object(members)) = (names_type, &mut written) {
            let kind = match entry {
                Entry::Url(..) => "http",
                _ => "stdio",
            };
            members.shift_insert(0, "type".into(), kind.into());
        }
        written
    }

    /// How the variable that holds the token gets to where it is read.
    pub(super) fn where_to_set(self) -> &'static str {
        match self {
            Self::ClaudeDesktop => "in the server's `env` in that file, or for the whole desktop",
            _ => "in the environment that the client is started in",
        }
    }

    /// What a person does then.
    pub(super) fn next(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Start Claude Code in this folder; /mcp shows the server.\n",
            Self::ClaudeDesktop => "Quit Claude Desktop and start it again.\n",
            Self::Cursor => "Cursor reads the file by itself; its settings show the server.\n",
            Self::Vscode => "Open this folder in VS Code; `MCP: List Servers` shows the server.\n",
            Self::Codex => "Start Codex; /mcp shows the server.\n",
        }
    }
}

/// A server whose requests carry the token that the client puts in.
fn bearer(url: &str, token: &str) -> Value {
    json!({ "url": url, "headers": { "Authorization": format!("Bearer {token}") } })
}

//! `snodo token`: a bearer token, and what the server file says of it.

use super::output::{self, Word};
use crate::model::is_scope;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use clap::Args;
use ring::digest::{SHA256, digest};
use ring::rand::{Random, SystemRandom, generate};
use std::fmt::Write as _;
use std::process::ExitCode;

/// What `snodo token --help` ends with.
pub(super) const EXAMPLES: &str = "\
Examples:
  snodo token ci --scope orders:read      a token for `ci`, who may do what takes orders:read
  snodo token ci --print token            the token alone goes to standard output

The token is 256 random bits. It is shown this once: the server file holds its SHA-256 digest, from
which it cannot be had. Who may have it for longer than needed: nobody; two tokens of one principal
may be good at the same time, so that one can take the place of the other.";

/// `snodo token PRINCIPAL`.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Whose token it is: what logs and templates (`auth.principal`) call its holder
    #[arg(value_name = "PRINCIPAL")]
    principal: String,
    /// A scope that its holder has; may be repeated
    #[arg(long = "scope", value_name = "SCOPE")]
    scopes: Vec<String>,
    /// What goes to standard output: all of it, or the token with the rest on standard error
    #[arg(long, value_enum, default_value_t = Print::All)]
    print: Print,
}

/// What goes to standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Print {
    /// The token and the lines for the server file
    All,
    /// The token alone
    Token,
}

/// Makes one, and gives the exit code.
pub(super) fn run(asked: Arguments) -> ExitCode {
    if let Some(wrong) = wrong(&asked) {
        output::say(Word::Error, &wrong, None);
        return ExitCode::from(2);
    }
    let Ok(bits) = generate::<[u8; 32]>(&SystemRandom::new()) else {
        output::say(Word::Error, "the system has no randomness", None);
        return ExitCode::FAILURE;
    };
    let token = format!("snodo_{}", URL_SAFE_NO_PAD.encode(Random::expose(bits)));
    let lines = lines(&asked, &token);
    match asked.print {
        Print::All => output::result(&format!(
            "{token}\n\n# The server file has its digest alone:\n{lines}"
        )),
        Print::Token => {
            output::error(lines.trim_end());
            output::result(&token)
        }
    }
}

fn wrong(asked: &Arguments) -> Option<String> {
    let principal = &asked.principal;
    if !(1..=256).contains(&principal.len()) || principal.contains(char::is_control) {
        return Some("the principal must be one line of 1 to 256 bytes".to_owned());
    }
    let scope = asked.scopes.iter().find(|scope| !is_scope(scope))?;
    Some(format!("`{}` cannot be a scope", scope.escape_debug()))
}

/// What the server file says of the token.
fn lines(asked: &Arguments, token: &str) -> String {
    let mut lines = String::from("[[auth.tokens]]\n");
    let _ = writeln!(lines, "principal = {}", quoted(&asked.principal));
    let scopes: Vec<String> = asked.scopes.iter().map(|scope| quoted(scope)).collect();
    let _ = writeln!(lines, "scopes = [{}]", scopes.join(", "));
    let _ = write!(lines, "sha256 = \"");
    for byte in digest(&SHA256, token.as_bytes()).as_ref() {
        let _ = write!(lines, "{byte:02x}");
    }
    lines.push_str("\"\n");
    lines
}

/// A TOML basic string of a text without control characters.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

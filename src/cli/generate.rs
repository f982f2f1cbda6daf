//! `snodo completions` and `snodo man`: what the command line says of itself, for shells and for man.

use super::Cli;
use super::output::{self, Word};
use clap::{Args, CommandFactory as _};
use clap_complete::Shell;
use std::path::PathBuf;
use std::process::ExitCode;

/// What `snodo completions --help` ends with.
pub(super) const COMPLETIONS: &str = "\
Examples:
  snodo completions bash > ~/.local/share/bash-completion/completions/snodo
  snodo completions zsh > ~/.zfunc/_snodo
  snodo completions fish > ~/.config/fish/completions/snodo.fish";

/// What `snodo man --help` ends with.
pub(super) const MAN: &str = "\
Examples:
  snodo man | man -l -                          read the page
  snodo man --output ~/.local/share/man/man1    write one page a command";

/// `snodo completions SHELL`.
#[derive(Debug, Args)]
pub(super) struct Completions {
    /// The shell
    shell: Shell,
}

/// `snodo man`.
#[derive(Debug, Args)]
pub(super) struct Man {
    /// Write a page for each command into this folder [default: one page, on standard output]
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
}

/// Prints the completions.
pub(super) fn completions(asked: &Completions) -> ExitCode {
    let mut script = Vec::new();
    clap_complete::generate(asked.shell, &mut Cli::command(), "snodo", &mut script);
    output::result(&String::from_utf8_lossy(&script))
}

/// Prints the page, or writes them all.
pub(super) fn man(asked: &Man) -> ExitCode {
    let made = match &asked.output {
        Some(folder) => std::fs::create_dir_all(folder)
            .and_then(|()| clap_mangen::generate_to(Cli::command(), folder))
            .map(|()| None),
        None => {
            let mut page = Vec::new();
            let rendered = clap_mangen::Man::new(Cli::command()).render(&mut page);
            rendered.map(|()| Some(page))
        }
    };
    match made {
        Ok(Some(page)) => output::result(&String::from_utf8_lossy(&page)),
        Ok(None) => ExitCode::SUCCESS,
        Err(error) => {
            let what = format!("cannot write the pages: {error}");
            output::say(Word::Error, &what, None);
            ExitCode::FAILURE
        }
    }
}

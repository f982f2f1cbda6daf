//! The command line: one file a subcommand. Exit codes: 0 done, 1 refused (what is wrong stands on
//! standard error), 2 misused; `test` has its own.

mod add;
mod answers;
mod arguments;
mod call;
mod catalog;
mod check;
mod complete;
mod connect;
mod exec_limits;
mod generate;
mod health;
mod init;
mod list;
mod listen;
mod names;
mod notices;
mod output;
mod prompt;
mod read;
mod remote;
mod save;
mod schema;
mod serve;
mod show;
mod stdio;
mod test;
mod token;

use crate::app::Refused;
use crate::manifest::settings::Asked;
use crate::process::SUBCOMMAND;
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

/// Turns a folder of TOML manifests into a Model Context Protocol server.
#[derive(Debug, Parser)]
#[command(
    name = "snodo",
    version,
    after_help = "Examples:\n  snodo init my-tools                write a small project to begin with\n  snodo serve ./manifests            serve a folder on http://127.0.0.1:4000/mcp\n  snodo stdio ./manifests            serve it on standard input and output\n  snodo check ./manifests            say what is wrong with it\n  snodo test ./manifests             run the tests in it\n  snodo call NAME key=value          call a tool\n  snodo catalog --output TOOLS.md    write down what is offered\n  snodo serve --set http.listen='[\"127.0.0.1:8080\"]' ./manifests"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write a small project that runs
    #[command(after_help = init::EXAMPLES)]
    Init(init::Arguments),
    /// Serve over Streamable HTTP until told to stop
    #[command(after_help = serve::EXAMPLES)]
    Serve(Source),
    /// Serve one client on standard input and output, until the input ends
    #[command(after_help = stdio::EXAMPLES)]
    Stdio(Source),
    /// Ask a server that runs whether it serves, and how its last reload went
    #[command(after_help = health::EXAMPLES)]
    Health(health::Arguments),
    /// Say what is wrong with manifests, all of it, and exit
    #[command(after_help = check::EXAMPLES)]
    Check(check::Arguments),
    /// Run the tests that stand beside tools, and exit
    #[command(after_help = test::EXAMPLES)]
    Test(test::Arguments),
    /// Make an access token, and what the server file says of it
    #[command(after_help = token::EXAMPLES)]
    Token(token::Arguments),
    /// Say what a server offers: tools, resources, prompts
    #[command(after_help = list::EXAMPLES)]
    List(list::Arguments),
    /// Call a tool
    #[command(after_help = call::EXAMPLES)]
    Call(call::Arguments),
    /// Write down what a server offers, for people
    #[command(after_help = catalog::EXAMPLES)]
    Catalog(catalog::Arguments),
    /// Read a resource
    #[command(after_help = read::EXAMPLES)]
    Read(read::Arguments),
    /// Get a prompt's messages
    #[command(after_help = prompt::EXAMPLES)]
    Prompt(prompt::Arguments),
    /// Complete the value of a prompt's argument or of a variable in a URI template
    #[command(after_help = complete::EXAMPLES)]
    Complete(complete::Arguments),
    /// Say what changes on a server, until interrupted
    #[command(after_help = listen::EXAMPLES)]
    Listen(listen::Arguments),
    /// Serve a client on standard input and output by a server that runs
    #[command(after_help = connect::EXAMPLES)]
    Connect(connect::Arguments),
    /// Add this server to the configuration of a client
    #[command(after_help = add::EXAMPLES)]
    Add(add::Arguments),
    /// Print the JSON Schema of manifests or of the server file, for editors
    #[command(after_help = schema::EXAMPLES)]
    Schema(schema::Arguments),
    /// Print the completions of a shell
    #[command(after_help = generate::COMPLETIONS)]
    Completions(generate::Completions),
    /// Print or write the man pages
    #[command(after_help = generate::MAN)]
    Man(generate::Man),
}

/// Where manifests and settings come from.
#[derive(Debug, Args)]
struct Source {
    /// Folders or files of manifests; a server file is not needed then
    #[arg(value_name = "DIR")]
    paths: Vec<PathBuf>,
    /// The server file [default: ./snodo.toml, ./config/snodo.toml or /etc/snodo/snodo.toml]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Set a key of the server file, for example http.listen='["127.0.0.1:8080"]'
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
}

impl Source {
    fn asked(self) -> Asked {
        Asked {
            config: self.config,
            paths: self.paths,
            set: self.set,
        }
    }
}

/// Runs the command that the process was started with.
pub fn main() -> ExitCode {
    // Not for people, and before any thread is started: a limited command on its way to its program.
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|first| first == SUBCOMMAND) {
        return exec_limits::run(arguments);
    }
    match Cli::parse().command {
        Command::Init(arguments) => init::run(&arguments),
        Command::Serve(source) => serve::run(source.asked()),
        Command::Stdio(source) => stdio::run(source.asked()),
        Command::Health(arguments) => health::run(arguments),
        Command::Check(arguments) => check::run(arguments),
        Command::Test(arguments) => test::run(arguments),
        Command::Token(arguments) => token::run(arguments),
        Command::List(arguments) => list::run(arguments),
        Command::Call(arguments) => call::run(arguments),
        Command::Catalog(arguments) => catalog::run(arguments),
        Command::Read(arguments) => read::run(arguments),
        Command::Prompt(arguments) => prompt::run(arguments),
        Command::Complete(arguments) => complete::run(arguments),
        Command::Listen(arguments) => listen::run(arguments),
        Command::Connect(arguments) => connect::run(&arguments),
        Command::Add(arguments) => add::run(&arguments),
        Command::Completions(arguments) => generate::completions(&arguments),
        Command::Man(arguments) => generate::man(&arguments),
        Command::Schema(arguments) => schema::run(&arguments),
    }
}

/// The exit code of a server, and on standard error why it did not start.
fn served(outcome: Result<(), Refused>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Refused::Manifests { found, no_color }) => {
            output::findings(&found, no_color);
            ExitCode::FAILURE
        }
        Err(Refused::Other(error)) => {
            output::say(output::Word::Error, &format!("{error:#}"), None);
            ExitCode::FAILURE
        }
    }
}

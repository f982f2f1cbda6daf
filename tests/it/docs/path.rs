//! A newcomer's path: docs/getting-started.md from its first block to its last, in one folder that was
//! empty. `sh step` runs to its end, `sh serve` goes on beside it, and `text log` is what that says.
//! The port is a free one, and every time is the same.

use super::blocks;
use crate::support::within;
use regex::Regex;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio as Io};

const PAGE: &str = "docs/getting-started.md";
/// The port that the page shows.
const SHOWN: &str = "127.0.0.1:4000";

struct Newcomer {
    folder: tempfile::TempDir,
    address: String,
    serving: Option<Child>,
}

impl Newcomer {
    fn new() -> Self {
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        Self {
            folder: tempfile::tempdir().unwrap(),
            address: free.local_addr().unwrap().to_string(),
            serving: None,
        }
    }

    fn home(&self) -> &Path {
        self.folder.path()
    }

    /// A shell that begins where the last one ended.
    fn shell(&self, script: &str) -> Command {
        let here = self.home().join(".here");
        let script = script.replace(SHOWN, &self.address);
        let begins = format!("cd \"$(cat {0} 2>/dev/null || echo .)\"\n", here.display());
        let ends = format!("\npwd > {}", here.display());
        let mut command = Command::new("sh");
        command
            .arg("-c")
            .arg([&begins, &*script, &ends].concat())
            .current_dir(self.home())
            .env("PATH", super::examples::path())
            .env("NO_COLOR", "1")
            .env("HOME", self.home())
            .stdin(Io::null());
        command
    }

    fn step(&self, script: &str) -> String {
        let output = self
            .shell(&format!("exec 2>&1\n{script}"))
            .output()
            .unwrap();
        // What `init` wrote says where to listen.
        let server = self.home().join("my-tools/snodo.toml");
        if let Ok(text) = std::fs::read_to_string(&server) {
            std::fs::write(server, text.replace(SHOWN, &self.address)).unwrap();
        }
        self.as_shown(&String::from_utf8(output.stdout).unwrap())
    }

    fn serve(&mut self, script: &str) {
        let log = std::fs::File::create(self.home().join("log")).unwrap();
        let mut shell = self.shell(&format!("exec {script}"));
        self.serving = Some(shell.stderr(log).spawn().unwrap());
    }

    /// What the server has said.
    fn log(&self) -> String {
        self.as_shown(&std::fs::read_to_string(self.home().join("log")).unwrap())
    }

    fn as_shown(&self, text: &str) -> String {
        timeless(&text.replace(&self.address, SHOWN))
    }
}

impl Drop for Newcomer {
    fn drop(&mut self) {
        if let Some(mut serving) = self.serving.take() {
            let _ = serving.kill();
            let _ = serving.wait();
        }
    }
}

fn timeless(text: &str) -> String {
    let times = Regex::new(r"\d{4}-\d\d-\d\dT[\d:.]+Z|\bms=\d+").unwrap();
    times.replace_all(text, "TIME").trim_end().to_owned()
}

#[test]
fn the_newcomers_path_leads_where_the_page_says() {
    let blocks = blocks::of(PAGE);
    let mut newcomer = Newcomer::new();
    let mut said = None;
    let mut steps = 0;
    for block in &blocks {
        match block.info.as_str() {
            "sh step" => {
                assert!(
                    said.is_none(),
                    "{}: what does the step above print?",
                    block.at
                );
                let prints = newcomer.step(&block.text);
                said = (!prints.is_empty()).then_some(prints);
                steps += 1;
            }
            "sh serve" => newcomer.serve(&block.text),
            "text" if newcomer.serving.is_some() && said.is_none() => {
                logged(&newcomer, &block.text, &block.at);
            }
            "text log" => logged(&newcomer, &block.text, &block.at),
            "text" => {
                let said = said.take().unwrap();
                assert_eq!(said, timeless(&block.text), "{}", block.at);
            }
            other => panic!("{}: `{other}` is no block of this page", block.at),
        }
    }
    assert!(steps > 8 && said.is_none());
}

fn logged(newcomer: &Newcomer, text: &str, at: &str) {
    let expected = timeless(text);
    within(&format!("{at}: {expected}"), || {
        newcomer.log().contains(&expected).then_some(())
    });
}

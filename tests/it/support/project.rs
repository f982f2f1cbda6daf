//! A folder of manifests in a temporary place.

use super::{Daemon, Stdio};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio as Io};

/// A temporary folder with a `manifests` folder in it. It is removed when dropped.
pub struct Project {
    dir: tempfile::TempDir,
    args: Vec<String>,
    env: Vec<(String, String)>,
}

/// What `snodo check` or `snodo test` said.
pub struct Checked {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Project {
    pub fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("manifests")).unwrap();
        Self {
            dir,
            args: Vec::new(),
            env: Vec::new(),
        }
    }

    /// A project whose one manifest holds this.
    pub fn with(manifest: &str) -> Self {
        Self::new().manifest("a.toml", manifest)
    }

    /// Writes a manifest.
    pub fn manifest(self, name: &str, text: &str) -> Self {
        self.write(&format!("manifests/{name}"), text);
        self
    }

    /// Writes any file; the path counts from the project's folder.
    pub fn file(self, path: &str, bytes: impl AsRef<[u8]>) -> Self {
        self.write(path, bytes);
        self
    }

    /// Adds an argument to `serve` and `stdio`: `--set`, then `KEY=VALUE`.
    pub fn set(mut self, setting: &str) -> Self {
        self.args.extend(["--set".to_owned(), setting.to_owned()]);
        self
    }

    /// Adds an argument to `serve` and `stdio`.
    pub fn arg(mut self, arg: impl Into<String>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Sets a variable of the program's environment.
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    pub fn manifests(&self) -> PathBuf {
        self.dir.path().join("manifests")
    }

    /// Writes a file of a project that is being served.
    pub fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.dir.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    /// Writes a file in one step: nobody sees it empty or half.
    pub fn save(&self, path: &str, bytes: impl AsRef<[u8]>) {
        self.write(".saving", bytes);
        let path = self.dir.path().join(path);
        std::fs::rename(self.dir.path().join(".saving"), path).unwrap();
    }

    /// Starts `snodo serve` on a free port and waits until it listens.
    pub fn serve(&self) -> Daemon {
        Daemon::start(
            self.command("serve")
                .arg("--set")
                .arg("http.listen=[\"127.0.0.1:0\"]"),
        )
    }

    /// Starts `snodo stdio`.
    pub fn stdio(&self) -> Stdio {
        Stdio::start(&mut self.command("stdio"))
    }

    /// Runs `snodo check` with these further arguments.
    pub fn check(&self, args: &[&str]) -> Checked {
        let output = self
            .command("check")
            .args(args)
            .stdin(Io::null())
            .output()
            .unwrap();
        Checked::of(output)
    }

    /// Runs `snodo test` with these further arguments.
    pub fn test(&self, args: &[&str]) -> Checked {
        let output = self
            .command("test")
            .args(args)
            .stdin(Io::null())
            .output()
            .unwrap();
        Checked::of(output)
    }

    /// The program with this command and the manifests folder, not yet started, its working
    /// folder the project's.
    pub fn command(&self, subcommand: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_snodo"));
        command
            .arg(subcommand)
            .current_dir(self.dir.path())
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .args(&self.args);
        if !self.args.iter().any(|arg| arg == "--config") {
            command.arg("manifests");
        }
        command
    }
}

impl Checked {
    pub fn of(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

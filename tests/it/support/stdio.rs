//! `snodo stdio` as a child, line by line.

use super::process::{DEADLINE, within};
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio as Io};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

pub struct Stdio {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Vec<u8>>,
    stderr: Arc<Mutex<String>>,
    readers: Vec<JoinHandle<()>>,
}

impl Stdio {
    pub fn start(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Io::piped())
            .stdout(Io::piped())
            .stderr(Io::piped())
            .spawn()
            .unwrap();
        let (sender, lines) = channel();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let reading = std::thread::spawn(move || {
            loop {
                let mut line = Vec::new();
                if out.read_until(b'\n', &mut line).unwrap_or(0) == 0 || sender.send(line).is_err()
                {
                    return;
                }
            }
        });
        let stderr = Arc::new(Mutex::new(String::new()));
        let logging = collect(child.stderr.take().unwrap(), Arc::clone(&stderr));
        Self {
            stdin: child.stdin.take(),
            child,
            lines,
            stderr,
            readers: vec![reading, logging],
        }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends bytes as they are.
    pub fn send_raw(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(bytes).unwrap();
        stdin.flush().unwrap();
    }

    /// Sends one message as one line.
    pub fn send(&mut self, message: &Value) {
        self.send_raw(format!("{message}\n").as_bytes());
    }

    /// The next line as it came, line feed included; `None` at the end of the output.
    pub fn line(&self) -> Option<Vec<u8>> {
        match self.lines.recv_timeout(DEADLINE) {
            Ok(line) => Some(line),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("no line; standard error:\n{}", self.stderr()),
        }
    }

    /// The next message: one line, one JSON object.
    pub fn receive(&self) -> Value {
        let line = self
            .line()
            .unwrap_or_else(|| panic!("the output ended:\n{}", self.stderr()));
        let text = std::str::from_utf8(&line).unwrap();
        assert!(text.ends_with('\n') && !text.ends_with("\r\n"), "{text:?}");
        let value: Value =
            serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text:?}"));
        assert!(value.is_object(), "{text:?}");
        value
    }

    /// Sends a request and gives the answer to it; other messages in between are dropped.
    pub fn ask(&mut self, request: &Value) -> Value {
        self.send(request);
        loop {
            let message = self.receive();
            if message.get("id") == request.get("id") {
                return message;
            }
        }
    }

    /// What it has written to standard error so far.
    pub fn stderr(&self) -> String {
        self.stderr.lock().unwrap().clone()
    }

    /// Waits until standard error holds this.
    pub fn wait_for_log(&self, text: &str) {
        within(text, || self.stderr().contains(text).then_some(()));
    }

    /// Sends a signal, such as `TERM`.
    pub fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        let status = Command::new("kill")
            .args(["-s", name, &pid])
            .status()
            .unwrap();
        assert!(status.success());
    }

    /// Ends the input.
    pub fn close(&mut self) {
        self.stdin = None;
    }

    /// Ends the input, waits for the end, and gives the messages that still came.
    pub fn finish(&mut self) -> (ExitStatus, Vec<Value>) {
        self.close();
        let mut rest = Vec::new();
        while let Some(line) = self.line() {
            rest.push(serde_json::from_slice(&line).unwrap_or_else(|error| {
                panic!("{error}: {}", String::from_utf8_lossy(&line));
            }));
        }
        (self.wait(), rest)
    }

    /// Waits until it has ended.
    pub fn wait(&mut self) -> ExitStatus {
        let child = &mut self.child;
        within("the program ends", || child.try_wait().unwrap())
    }
}

impl Drop for Stdio {
    fn drop(&mut self) {
        self.stdin = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
        for reader in self.readers.drain(..) {
            let _ = reader.join();
        }
    }
}

/// Collects a stream's text on a thread of its own.
pub(super) fn collect(
    mut stream: impl std::io::Read + Send + 'static,
    into: Arc<Mutex<String>>,
) -> JoinHandle<()> {
    std::thread::spawn(move || {
        let mut part = [0; 4096];
        while let Ok(n) = stream.by_ref().read(&mut part) {
            if n == 0 {
                return;
            }
            into.lock()
                .unwrap()
                .push_str(&String::from_utf8_lossy(&part[..n]));
        }
    })
}

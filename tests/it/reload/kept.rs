//! What a reload does not touch: calls in flight, open folders, connections to upstreams.

use super::{Ask as _, said, tool};
use crate::support::{Project, call, within};
use serde_json::json;
use std::fs::{self, OpenOptions};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A tool that says it has begun, and goes on when the test lets it.
struct Blocked {
    begun: PathBuf,
    go: PathBuf,
}

impl Blocked {
    fn new(project: &Project) -> Self {
        let (begun, go) = (project.path().join("begun"), project.path().join("go"));
        let made = Command::new("mkfifo").arg(&begun).arg(&go).status();
        assert!(made.unwrap().success());
        Self { begun, go }
    }

    /// The manifest of the tool `slow`, which ends by saying `text`.
    fn manifest(text: &str) -> String {
        format!(
            "[[tool]]\nname = \"slow\"\n[tool.shell]\ncwd = \"..\"\n\
             script = 'echo >begun; read line <go; echo $line'\n\
             [tool.result]\ntext = \"{text} {{{{ output.stdout }}}}\"\n"
        )
    }

    /// Waits until a call has begun. Opening a FIFO waits for its other end.
    fn wait(&self) {
        let mut line = String::new();
        let begun = fs::File::open(&self.begun).unwrap();
        BufReader::new(begun).read_line(&mut line).unwrap();
    }

    fn let_go(&self, word: &str) {
        let mut go = OpenOptions::new().write(true).open(&self.go).unwrap();
        writeln!(go, "{word}").unwrap();
    }
}

#[test]
fn a_call_in_flight_keeps_the_definition_it_started_with() {
    let project = Project::with(&Blocked::manifest("first"));
    let blocked = Blocked::new(&project);
    let daemon = project.serve();
    let address = daemon.address();
    let start = || {
        std::thread::spawn(move || {
            let mut connection = crate::support::Connection::to(address);
            said(&connection.post(&call(1, "slow", json!({}))).json())
        })
    };
    let mut connection = daemon.connect();
    // The tool changes under the call; then it is removed under another.
    let one = start();
    blocked.wait();
    project.write(
        "manifests/a.toml",
        Blocked::manifest("second") + &tool("mark", "1"),
    );
    connection.until_says("mark", "1");
    blocked.let_go("one");
    assert_eq!(one.join().unwrap().trim_end(), "first one");
    let two = start();
    blocked.wait();
    project.write("manifests/a.toml", tool("mark", "2"));
    connection.until_says("mark", "2");
    assert!(connection.says("slow").contains("slow"), "it is gone");
    blocked.let_go("two");
    assert_eq!(two.join().unwrap().trim_end(), "second two");
}

#[test]
fn a_call_in_flight_over_stdio_keeps_its_definition() {
    let project = Project::with(&Blocked::manifest("first"));
    let blocked = Blocked::new(&project);
    let mut stdio = project.stdio();
    stdio.send(&call("slow", "slow", json!({})));
    blocked.wait();
    project.write("manifests/a.toml", tool("mark", "1"));
    stdio.until_says("mark", "1");
    blocked.let_go("on");
    let answer = stdio.receive();
    assert_eq!(answer["id"], "slow");
    assert_eq!(said(&answer).trim_end(), "first on");
}

#[test]
fn connections_to_an_upstream_are_taken_over() {
    let upstream = Upstream::start();
    let fetch = format!(
        "[[tool]]\nname = \"fetch\"\nhttp.url = \"http://{}/\"\n",
        upstream.address
    );
    let project = Project::with(&fetch).manifest("b.toml", &tool("b", "1"));
    let daemon = project.serve();
    let mut connection = daemon.connect();
    for round in 2..6 {
        assert_eq!(connection.says("fetch"), "up");
        project.write("manifests/b.toml", tool("b", &round.to_string()));
        connection.until_says("b", &round.to_string());
        // The tool itself changes; its pool does not.
        project.write(
            "manifests/a.toml",
            format!("{fetch}description = \"{round}\"\n"),
        );
        super::settled(&mut connection, &project.manifests());
    }
    assert_eq!(connection.says("fetch"), "up");
    assert_eq!(upstream.connections.load(Ordering::SeqCst), 1);
}

/// An HTTP server that answers every request with `up` and counts connections.
struct Upstream {
    address: std::net::SocketAddr,
    connections: Arc<AtomicUsize>,
}

impl Upstream {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let connections = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&connections);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                counted.fetch_add(1, Ordering::SeqCst);
                let stream = stream.unwrap();
                std::thread::spawn(move || Self::serve(&stream));
            }
        });
        Self {
            address,
            connections,
        }
    }

    fn serve(mut stream: &TcpStream) {
        let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
        while let Some(Ok(line)) = lines.next() {
            if line.is_empty() {
                let answer =
                    "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nup";
                stream.write_all(answer.as_bytes()).unwrap();
            }
        }
    }
}

#[test]
fn an_open_folder_is_taken_over_until_another_has_its_name() {
    let reading = "[[tool]]\nname = \"read\"\nfile = { root = \"../data\", path = \"{{ args.p }}\" }\n\
                   arguments.p = { type = \"string\" }\n";
    let project = Project::with(reading)
        .manifest("b.toml", &tool("b", "1"))
        .file("data/x.txt", "one");
    let daemon = project.serve();
    let mut connection = daemon.connect();
    let read = call(1, "read", json!({ "p": "x.txt" }));
    assert_eq!(said(&connection.ask_for(&read)), "one");
    let before = handle_of(daemon.pid(), &project.path().join("data"));
    project.write("manifests/b.toml", tool("b", "2"));
    connection.until_says("b", "2");
    let after = handle_of(daemon.pid(), &project.path().join("data"));
    assert_eq!(before, after, "the same descriptor");
    // The folder is gone: what was open stays open, and edits go on.
    fs::rename(project.path().join("data"), project.path().join("old")).unwrap();
    project.write("manifests/b.toml", tool("b", "3"));
    connection.until_says("b", "3");
    assert_eq!(said(&connection.ask_for(&read)), "one");
    project.write("data/x.txt", "two");
    within("the new folder", || {
        (said(&connection.ask_for(&read)) == "two").then_some(())
    });
}

/// The descriptors of a process that are this folder.
fn handle_of(pid: u32, folder: &std::path::Path) -> Vec<String> {
    let folder = folder.canonicalize().unwrap();
    let open = fs::read_dir(format!("/proc/{pid}/fd")).unwrap();
    let open = open.filter_map(|fd| {
        let path = fd.ok()?.path();
        let same = fs::read_link(&path).ok()? == folder;
        same.then(|| path.display().to_string())
    });
    let mut open: Vec<String> = open.collect();
    open.sort();
    assert!(!open.is_empty());
    open
}

#[test]
fn a_stream_of_bytes_in_the_middle_is_not_cut() {
    // A connection whose request is half sent when the reload comes.
    let project = Project::with(&tool("a", "1"));
    let daemon = project.serve();
    let mut half = TcpStream::connect(daemon.address()).unwrap();
    let body = call(1, "a", json!({})).to_string();
    let (one, two) = body.split_at(body.len() / 2);
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nAccept: application/json\r\nContent-Type: application/json\r\n\
         MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: a\r\n\
         Connection: close\r\nContent-Length: {}\r\n\r\n{one}",
        daemon.address(),
        body.len()
    );
    half.write_all(head.as_bytes()).unwrap();
    project.write("manifests/a.toml", tool("a", "2"));
    daemon.connect().until_says("a", "2");
    half.write_all(two.as_bytes()).unwrap();
    let mut answer = String::new();
    half.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(
        answer.contains("\"text\":\"2\""),
        "taken up when it was whole: {answer}"
    );
}

//! How the server is: alive, ready, in numbers; and `snodo health`.

use super::{TOOL, project};
use crate::support::{Daemon, Project, Reply, call, kill, list, modern, text_of, within};
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::net::SocketAddr;
use std::process::{Command, Stdio};

/// A GET of this path.
fn get(address: SocketAddr, path: &str) -> Reply {
    let mut connection = crate::support::Connection::to(address);
    connection.send(format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n").as_bytes());
    connection.reply()
}

fn ready(address: SocketAddr) -> (u16, Value) {
    let reply = get(address, "/readyz");
    assert_eq!(reply.header("cache-control"), Some("no-store"));
    (reply.status, reply.json())
}

/// A project whose metrics are served on a free port.
fn watched(manifest: &str) -> Project {
    Project::with(manifest).set("metrics.listen=['127.0.0.1:0']")
}

/// Where the log says that reports are served.
fn reports(daemon: &Daemon) -> SocketAddr {
    within("reports are served", || {
        let log = daemon.stderr();
        let rest = log.split("serving reports at http://").nth(1)?;
        rest.split_once('/')?.0.parse().ok()
    })
}

/// The value of a sample; 0 when there is none.
fn sample(text: &str, name: &str) -> f64 {
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    line.map_or(0.0, |value| value.trim().parse().unwrap())
}

#[test]
fn a_server_says_that_it_is_alive_and_ready() {
    let daemon = project().serve();
    let alive = get(daemon.address(), "/healthz");
    assert_eq!((alive.status, alive.text().as_str()), (200, "alive\n"));
    let (status, body) = ready(daemon.address());
    assert_eq!(status, 200);
    assert_eq!(body["status"], "serving");
    assert_eq!(body["components"], "1 tool");
    assert_eq!(body["reload"], "started");
    assert_eq!(body["generation"], 1);
    // Numbers are for a listener of their own.
    assert_eq!(get(daemon.address(), "/metrics").status, 404);
    // A page in a browser learns nothing.
    let mut connection = daemon.connect();
    connection.send(
        format!(
            "GET /readyz HTTP/1.1\r\nHost: {}\r\nOrigin: https://evil.example\r\n\r\n",
            daemon.address()
        )
        .as_bytes(),
    );
    assert_eq!(connection.reply().status, 403);
}

#[test]
fn a_refused_reload_is_told_and_is_no_reason_not_to_serve() {
    let project = project();
    let daemon = project.serve();
    project.save("manifests/a.toml", "[[tool]]\nname = 1\n");
    daemon.wait_for_log("were not reloaded");
    let body = within("it is told", || {
        let (status, body) = ready(daemon.address());
        assert_eq!(status, 200);
        (body["reload"] == "refused").then_some(body)
    });
    assert!(body["errors"].as_u64().unwrap() > 0, "{body}");
    assert_eq!(body["components"], "1 tool");
    project.save("manifests/a.toml", TOOL);
    within("it is whole again", || {
        let (_, body) = ready(daemon.address());
        (body["reload"] == "unchanged" && body["errors"] == 0).then_some(())
    });
}

#[test]
fn numbers_add_up() {
    let manifest = format!(
        "{TOOL}[[tool]]\nname = \"fails\"\nshell.command = [\"false\"]\n\
         [[tool]]\nname = \"never\"\nresult.text = \"x\"\n"
    );
    let project = watched(&manifest);
    let daemon = project.serve();
    let at = reports(&daemon);
    for _ in 0..3 {
        assert_eq!(text_of(&daemon.ask(&call(1, "t", json!({})))), "hello");
    }
    daemon.ask(&call(1, "fails", json!({})));
    daemon.ask(&call(1, "unknown", json!({})));
    daemon.ask(&list(1));
    daemon.ask(&modern(1, "no/such", json!({})));
    project.save(
        "manifests/a.toml",
        format!("{manifest}\n[[prompt]]\nname = \"p\"\nresult.text = \"x\"\n"),
    );
    daemon.wait_for_log("reloaded");
    let text = within("the reload is counted", || {
        let reply = get(at, "/metrics");
        assert_eq!(reply.status, 200);
        let kind = reply.header("content-type").unwrap();
        assert!(kind.starts_with("text/plain; version=0.0.4"), "{kind}");
        let text = reply.text();
        (sample(&text, "snodo_generation") == 2.0).then_some(text)
    });
    for (name, value) in [
        (
            "snodo_requests_total{method=\"tools/call\",outcome=\"ok\"}",
            3.0,
        ),
        (
            "snodo_requests_total{method=\"tools/call\",outcome=\"tool_error\"}",
            1.0,
        ),
        (
            "snodo_requests_total{method=\"tools/call\",outcome=\"error\"}",
            1.0,
        ),
        (
            "snodo_requests_total{method=\"tools/list\",outcome=\"ok\"}",
            1.0,
        ),
        ("snodo_tool_duration_seconds_count{tool=\"t\"}", 3.0),
        ("snodo_tool_duration_seconds_count{tool=\"fails\"}", 1.0),
        ("snodo_tool_duration_seconds_count{tool=\"never\"}", 0.0),
        ("snodo_messages_refused_total", 1.0),
        ("snodo_requests_in_flight", 0.0),
        ("snodo_requests_queued", 0.0),
        ("snodo_processes", 0.0),
        ("snodo_processes_total", 1.0),
        ("snodo_subscriptions", 0.0),
        ("snodo_reloads_total{outcome=\"reloaded\"}", 1.0),
        ("snodo_log_lines_dropped_total{log=\"stderr\"}", 0.0),
        ("snodo_findings{severity=\"error\"}", 0.0),
    ] {
        assert_eq!(sample(&text, &format!("{name} ")), value, "{name}\n{text}");
    }
    assert!(sample(&text, "snodo_http_connections_total ") >= 5.0);
    // Every sample has a type, and no line is anything else.
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let name = line.split(['{', ' ']).next().unwrap();
        let family = ["_bucket", "_sum", "_count"]
            .iter()
            .find_map(|end| name.strip_suffix(end))
            .filter(|_| name.contains("_seconds_"))
            .unwrap_or(name);
        assert!(text.contains(&format!("# TYPE {family} ")), "{line}");
        assert!(
            line.rsplit(' ').next().unwrap().parse::<f64>().is_ok(),
            "{line}"
        );
    }
    // There, nothing else is served.
    let mut connection = crate::support::Connection::to(at);
    assert_eq!(connection.post(&list(1)).status, 404);
    assert_eq!(get(at, "/readyz").status, 200);
}

#[test]
fn a_call_in_flight_and_its_command_are_counted_until_they_are_over() {
    let project = watched(
        "[[tool]]\nname = \"slow\"\nshell = { command = [\"sleep\", \"1000\"], timeout_ms = 600000 }\n",
    );
    let daemon = project.serve();
    let at = reports(&daemon);
    let mut caller = daemon.connect();
    caller.send_message(&call(1, "slow", json!({})));
    let counts = || {
        let text = get(at, "/metrics").text();
        ["snodo_requests_in_flight ", "snodo_processes "].map(|name| sample(&text, name))
    };
    within("it is counted", || (counts() == [1.0, 1.0]).then_some(()));
    drop(caller);
    within("it is over", || (counts() == [0.0, 0.0]).then_some(()));
    let text = get(at, "/metrics").text();
    let cancelled = "snodo_requests_total{method=\"tools/call\",outcome=\"cancelled\"} ";
    assert_eq!(sample(&text, cancelled), 1.0);
}

#[test]
fn a_server_on_the_standard_streams_can_be_watched_too() {
    let project = watched(TOOL);
    let mut stdio = project.stdio();
    stdio.ask(&call(1, "t", json!({})));
    let at: SocketAddr = within("reports are served", || {
        let log = stdio.stderr();
        let rest = log.split("serving reports at http://").nth(1)?.to_owned();
        rest.split_once('/')?.0.parse().ok()
    });
    let text = get(at, "/metrics").text();
    let ok = "snodo_requests_total{method=\"tools/call\",outcome=\"ok\"} ";
    assert_eq!(sample(&text, ok), 1.0);
    let (status, _) = stdio.finish();
    assert!(status.success());
}

/// `snodo health` with these arguments: its exit code and what it printed.
fn health(project: &Project, args: &[&str]) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_snodo"))
        .arg("health")
        .args(args)
        .current_dir(project.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    (output.status.code().unwrap(), text)
}

#[test]
fn snodo_health_asks_a_server_that_runs() {
    let project = project();
    let mut daemon = project.serve();
    let url = format!("http://{}", daemon.address());
    let (code, text) = health(&project, &["--url", &url]);
    assert_eq!(code, 0, "{text}");
    let said: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(said["status"], "serving");
    daemon.signal("TERM");
    daemon.wait();
    let (code, text) = health(&project, &["--url", &url]);
    assert_eq!(code, 1, "{text}");
    assert!(text.starts_with("error: "), "{text}");
    assert_eq!(health(&project, &["--url", "nonsense"]).0, 2);
}

#[test]
fn snodo_health_finds_the_server_by_its_server_file() {
    let file = "manifests = [\"manifests\"]\nhttp.listen = [\"unix:mcp.sock\", \"127.0.0.1:0\"]\n\
                secrets.token = { env = \"TOKEN\" }\n";
    let project = project()
        .file("snodo.toml", file)
        .arg("--config")
        .arg("snodo.toml");
    // The secret is the server's alone.
    let daemon = Daemon::start(project.command("serve").env("TOKEN", "xxxxxx"));
    let (code, text) = health(&project, &["--config", "snodo.toml"]);
    assert_eq!(code, 0, "{text}");
    kill(daemon.pid(), "TERM");
    let nowhere = ["--set", "http.listen=['127.0.0.1:0']", "manifests"];
    let (code, text) = health(&project, &nowhere);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("where the server is to be found"), "{text}");
}

#[test]
fn snodo_health_does_not_wait_for_ever() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    let project = project();
    let (code, text) = health(&project, &["--url", &url, "--timeout-ms", "200"]);
    assert_eq!(code, 1, "{text}");
    // And one that answers something else is not well.
    let other = std::thread::spawn(move || {
        // The first is the one that was never answered.
        drop(silent.accept().unwrap());
        let (mut stream, _) = silent.accept().unwrap();
        let _ = stream.read(&mut [0; 1024]);
        stream
            .write_all(b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            .unwrap();
    });
    let (code, _) = health(&project, &["--url", &url]);
    assert_eq!(code, 1);
    other.join().unwrap();
}

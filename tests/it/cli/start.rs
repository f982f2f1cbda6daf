//! What a server starts with, and what keeps it from starting.

use super::{TOOL, ends, run};
use crate::support::{Project, discover, handles, kill, list};
use std::net::TcpListener;
use std::process::Stdio as Io;

const BROKEN: &str = "[[tool]]\nname = \"b\"\nresult.txet = \"1\"\n";

#[test]
fn a_broken_manifest_exits_with_1_and_prints_what_check_prints() {
    let project = Project::with(TOOL).manifest("b.toml", BROKEN);
    let check = project.check(&[]).stderr;
    assert!(check.contains("did you mean `text`?"), "{check}");
    for subcommand in ["serve", "stdio"] {
        let (code, stdout, stderr) = ends(&project, subcommand);
        assert_eq!(code, Some(1));
        assert_eq!(stdout, "", "{subcommand}");
        assert_eq!(stderr, check, "{subcommand}");
    }
}

#[test]
fn a_broken_server_file_exits_with_1() {
    let project = Project::with(TOOL)
        .file("s.toml", "manifests = ['manifests']\n[sever]\n")
        .arg("--config")
        .arg("s.toml");
    let (code, stdout, stderr) = ends(&project, "serve");
    assert_eq!((code, stdout.as_str()), (Some(1), ""));
    assert!(stderr.contains("did you mean `server`?"), "{stderr}");
    assert!(stderr.contains("s.toml:2:2"), "{stderr}");
}

#[test]
fn a_folder_that_is_not_there_exits_with_1() {
    let output = run(&["serve", "/nowhere/manifests"]);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr.contains("`/nowhere/manifests` does not exist"),
        "{stderr}"
    );
    assert!(output.stdout.is_empty());
}

#[test]
fn nothing_to_serve_exits_with_1_and_says_what_to_do() {
    let empty = tempfile::tempdir().unwrap();
    // /etc/snodo/snodo.toml is looked at last.
    if std::path::Path::new("/etc/snodo/snodo.toml").exists() {
        crate::support::skipped("snodo is installed here");
        return;
    }
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_snodo"))
        .arg("serve")
        .current_dir(empty.path())
        .stdin(Io::null())
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr.contains("no manifests to serve"), "{stderr}");
    assert!(stderr.contains("name a folder of manifests"), "{stderr}");
}

#[test]
fn an_empty_folder_is_not_served_in_silence() {
    let project = Project::new();
    let daemon = project.serve();
    let log = daemon.stderr();
    assert!(log.contains("there is no manifest in `manifests`"), "{log}");
    assert!(log.contains("WARN"), "{log}");
    assert!(log.contains("components=0 tools"), "{log}");
    let answer = daemon.ask(&discover(1));
    assert!(
        answer["result"]["capabilities"]["tools"].is_null(),
        "{answer}"
    );
    assert_eq!(daemon.ask(&list(2))["error"]["code"], -32601);
    let stdio = project.stdio();
    stdio.wait_for_log("there is no manifest in `manifests`");
}

#[test]
fn on_error_skip_serves_the_rest_and_says_so() {
    let project = Project::with(TOOL)
        .manifest("b.toml", &format!("{BROKEN}[[tool]]\nname = \"c\"\nresult.text = \"2\"\n"))
        .manifest("d.toml", TOOL)
        .file("ca.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
        .manifest(
            "e.toml",
            "[[tool]]\nname = \"e\"\nhttp = { url = \"https://localhost:1/\", ca_file = \"../ca.pem\" }\n",
        )
        .set("server.on_error=skip");
    let daemon = project.serve();
    let answer = daemon.ask(&list(1));
    let tools = answer["result"]["tools"].as_array().unwrap();
    let names: Vec<_> = tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        ["t"],
        "a broken file serves nothing, a name only its first owner"
    );
    let log = daemon.stderr();
    for said in [
        "did you mean `text`?",
        "the tool name `t` is taken",
        "the tool cannot be served: the CA file",
    ] {
        assert!(log.contains(said), "{said}: {log}");
    }
}

#[test]
fn a_port_in_use_exits_with_1_and_names_the_address() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let project = Project::with(TOOL);
    let output = project
        .command("serve")
        .arg("--set")
        .arg(format!("http.listen=[\"127.0.0.1:0\", \"{address}\"]"))
        .stdin(Io::null())
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(
        stderr.contains(&format!("cannot listen on `{address}`")),
        "{stderr}"
    );
    assert!(stderr.contains("choose another address"), "{stderr}");
    assert!(!stderr.contains("serving"), "{stderr}");
    assert!(output.stdout.is_empty());
}

#[test]
fn serving_over_http_writes_nothing_to_standard_output() {
    let project = Project::with(TOOL).set("log.level=trace");
    let mut child = project
        .command("serve")
        .args(["--set", "http.listen=[\"127.0.0.1:0\"]"])
        .stdin(Io::null())
        .stdout(Io::piped())
        .stderr(Io::null())
        .spawn()
        .unwrap();
    crate::support::within("it handles SIGTERM", || {
        handles(child.id(), 15).then_some(())
    });
    kill(child.id(), "TERM");
    assert!(child.wait().unwrap().success());
    let mut out = String::new();
    std::io::Read::read_to_string(&mut child.stdout.take().unwrap(), &mut out).unwrap();
    assert_eq!(out, "");
}

#[test]
fn a_socket_in_a_folder_that_is_not_there_is_said_once_with_what_to_do() {
    let project = Project::with(TOOL);
    let output = project
        .command("serve")
        .args(["--set", "http.listen=[\"unix:nowhere/s.sock\"]"])
        .stdin(Io::null())
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(
        stderr
            .ends_with("nowhere/s.sock`: the folder of the socket does not exist; make it first\n"),
        "{stderr}"
    );
}

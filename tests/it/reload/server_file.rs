//! Edits of the server file, and of the files that it and the manifests name.

use super::{Ask as _, lines, tool};
use crate::support::{Daemon, Project, call, discover, list, within};
use serde_json::json;
use std::fs;

fn project(server: &str, manifest: &str) -> Project {
    Project::with(manifest)
        .file("config/snodo.toml", server)
        .arg("--config")
        .arg("config/snodo.toml")
}

#[test]
fn instructions_secrets_and_page_size_are_live() {
    let server = |instructions: &str, page: usize| {
        format!(
            "manifests = ['../manifests']\n[server]\ninstructions = '{instructions}'\npage_size = {page}\n\
             [secrets]\ntoken = {{ file = '../secret.txt' }}\n"
        )
    };
    let manifest = tool("t", "{{ secrets.token }}") + &tool("u", "2");
    let project = project(&server("first", 100), &manifest).file("secret.txt", "one\n");
    let daemon = project.serve();
    let mut connection = daemon.connect();
    assert_eq!(connection.says("t"), "one");
    project.save("config/snodo.toml", server("second", 1));
    within("the new instructions", || {
        let answer = connection.ask_for(&discover(1));
        (answer["result"]["instructions"] == "second").then_some(())
    });
    assert!(connection.ask_for(&list(1))["result"]["nextCursor"].is_string());
    // A secret that is exchanged, as a Kubernetes Secret or a rotating agent does.
    project.write("new.txt", "two\n");
    fs::rename(
        project.path().join("new.txt"),
        project.path().join("secret.txt"),
    )
    .unwrap();
    connection.until_says("t", "two");
    let log = daemon.stderr();
    assert!(log.contains("reloaded the server file"), "{log}");
    assert!(!log.contains("two"), "{log}");
}

#[test]
fn the_server_file_found_by_default_is_watched_too() {
    for place in ["snodo.toml", "config/snodo.toml"] {
        let text = "manifests = ['MANIFESTS']\n[server]\ntitle = 'one'\n";
        let project = Project::with(&tool("t", "1"));
        let text = text.replace("MANIFESTS", project.manifests().to_str().unwrap());
        let project = project.file(place, &text);
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_snodo"));
        command
            .args(["serve", "--set", "http.listen=[\"127.0.0.1:0\"]"])
            .current_dir(project.path());
        let daemon = Daemon::start(&mut command);
        let mut connection = daemon.connect();
        project.write(place, text.replace("one", "two"));
        within("the new title", || {
            let answer = connection.ask_for(&discover(1));
            let info = &answer["result"]["_meta"]["io.modelcontextprotocol/serverInfo"];
            (info["title"] == "two").then_some(())
        });
        project.save("manifests/a.toml", tool("t", "2"));
        connection.until_says("t", "2");
    }
}

#[test]
fn a_bad_server_file_keeps_everything() {
    let good = "manifests = ['../manifests']\n";
    let project = project(good, &tool("t", "1"));
    let daemon = project.serve();
    let mut connection = daemon.connect();
    project.save(
        "config/snodo.toml",
        format!("{good}[server]\npage_sise = 2\n"),
    );
    daemon.wait_for_log("did you mean `page_size`?");
    project.save("manifests/a.toml", tool("t", "2"));
    fs::remove_file(project.path().join("config/snodo.toml")).unwrap();
    daemon.wait_for_log("cannot read the server file `config/snodo.toml`");
    assert_eq!(connection.says("t"), "1");
    project.save("config/snodo.toml", good);
    connection.until_says("t", "2");
    daemon.wait_for_log("the manifests are whole again");
}

#[test]
fn other_manifest_folders() {
    let project = project("manifests = ['../manifests']\n", &tool("t", "1"))
        .file("more/b.toml", tool("b", "1"));
    let daemon = project.serve();
    let mut connection = daemon.connect();
    project.save(
        "config/snodo.toml",
        "manifests = ['../manifests', '../more']\n",
    );
    connection.until_tools(&["t", "b"]);
    project.write("more/b.toml", tool("b", "2"));
    connection.until_says("b", "2");
}

#[test]
fn what_only_a_new_start_can_do_is_said_once() {
    let server = "manifests = ['../manifests']\n";
    let project = project(server, &tool("t", "1"));
    let daemon = project.serve();
    let mut connection = daemon.connect();
    project.save(
        "config/snodo.toml",
        format!("{server}http.max_connections = 7\nlog.level = 'debug'\n"),
    );
    daemon.wait_for_log("`http` has changed; it takes effect when the server is started again");
    daemon.wait_for_log("`log` has changed");
    project.save("manifests/a.toml", tool("t", "2"));
    connection.until_says("t", "2");
    assert_eq!(lines(&daemon.stderr(), "has changed").len(), 2);
    project.save("config/snodo.toml", server);
    project.save("manifests/a.toml", tool("t", "3"));
    connection.until_says("t", "3");
    assert_eq!(lines(&daemon.stderr(), "has changed").len(), 2, "as it was");
}

#[test]
fn a_schema_in_a_file_of_its_own() {
    let manifest = "[[tool]]\nname = \"t\"\ninput_schema = { file = \"../schemas/t.json\" }\n\
                    result.text = \"{{ args.x }}\"\n";
    let schema =
        |kind: &str| format!(r#"{{"type":"object","properties":{{"x":{{"type":"{kind}"}}}}}}"#);
    let project = Project::with(manifest).file("schemas/t.json", schema("string"));
    let daemon = project.serve();
    let mut connection = daemon.connect();
    let number = call(1, "t", json!({ "x": 7 }));
    assert_eq!(connection.ask_for(&number)["result"]["isError"], true);
    project.save("schemas/t.json", schema("integer"));
    within("the new schema", || {
        (connection.ask_for(&number)["result"]["isError"] != true).then_some(())
    });
    project.save("schemas/t.json", "{");
    daemon.wait_for_log("is not JSON");
    assert_eq!(super::said(&connection.ask_for(&number)), "7");
    fs::remove_file(project.path().join("schemas/t.json")).unwrap();
    daemon.wait_for_log("cannot read `../schemas/t.json`");
    project.save("schemas/t.json", schema("string"));
    within("the first schema again", || {
        (connection.ask_for(&number)["result"]["isError"] == true).then_some(())
    });
}

#[test]
fn a_certificate_that_is_exchanged() {
    let certificate = || {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        made.cert.pem()
    };
    let manifest = "[[tool]]\nname = \"t\"\n[tool.http]\nurl = \"https://localhost:1/\"\nca_file = \"../ca.pem\"\n";
    let project = Project::with(manifest).file("ca.pem", certificate());
    let daemon = project.serve();
    project.write("ca.pem", certificate());
    daemon.wait_for_log("changed=\"t\"");
    project.write("ca.pem", "no certificate");
    daemon.wait_for_log("is not a PEM file");
}

#[test]
fn a_file_that_is_a_fifo_does_not_hold_up_anything() {
    let project = Project::with(&tool("t", "1"));
    let daemon = project.serve();
    let mut connection = daemon.connect();
    let made = std::process::Command::new("mkfifo")
        .arg(project.path().join("fifo"))
        .status();
    assert!(made.unwrap().success());
    let manifest =
        "[[tool]]\nname = \"u\"\ninput_schema = { file = \"../fifo\" }\nresult.text = \"2\"\n";
    project.save("manifests/b.toml", manifest);
    daemon.wait_for_log("it is not a regular file");
    project.save("manifests/b.toml", tool("u", "3"));
    connection.until_says("u", "3");
}

//! The keys of the server file, one by one.

use super::{HELLO, tool};
use crate::support::{Project, call, list, text_of};

fn said(server_file: &str) -> String {
    Project::with(HELLO)
        .file("s.toml", server_file)
        .arg("--config")
        .arg("s.toml")
        .check(&[])
        .stderr
}

/// The findings of a server file: line and column, then the message.
fn findings(server_file: &str) -> Vec<String> {
    let said = said(server_file);
    let mut found = Vec::new();
    let mut lines = said.lines().peekable();
    while let Some(line) = lines.next() {
        let message = line
            .strip_prefix("error: ")
            .or_else(|| line.strip_prefix("warning: "));
        if let (Some(message), Some(place)) = (message, lines.peek()) {
            let place = place.trim_start().trim_start_matches("--> s.toml:");
            found.push(format!("{place} {message}"));
        }
    }
    found
}

#[test]
fn every_key_is_taken() {
    let all = r#"
manifests = ["manifests"]

[server]
name = "my-server"
version = "1.0.0"
title = "Title"
instructions = "how"
validation = "basic"
env = ["PATH"]
on_error = "skip"
secret = { file = "secret" }
page_size = 50
grace_ms = 1000
cache.tools = { ttl_ms = 60000, scope = "public" }
cache.discovery = { ttl_ms = 1, scope = "private" }

[http]
listen = ["127.0.0.1:0", "[::1]:0", "localhost:0", "unix:run/s.sock", "systemd", "systemd:mcp"]
path = "/x"
allowed_origins = ["https://app.example.com", "http://localhost:3000/", "*"]
allowed_hosts = ["mcp.example.com", "mcp.example.com:8080", "[::1]", "*"]
max_connections = 10
max_body_bytes = 1024
max_in_flight = 10
max_queued = 0
head_timeout_ms = 1
body_timeout_ms = 1
idle_timeout_ms = 1
write_timeout_ms = 1
request_timeout_ms = 1

[reload]
watch = false
poll_ms = 1000
debounce_ms = 50

[secrets]
token = { file = "secret" }

[log]
level = "snodo=debug"
format = "json"
file = { dir = "logs", rotate = "hourly", keep = 3 }
audit = { dir = "logs", rotate = "daily", keep = 3, arguments = true }

[metrics]
listen = ["127.0.0.1:0", "unix:run/m.sock"]

[traces]
endpoint = "http://127.0.0.1:4318"
headers = { authorization = { file = "secret" }, x-tenant = "a" }
timeout_ms = 100
ratio = 0.5
service = "s"
resource = { "deployment.environment.name" = "test" }
"#;
    let said = Project::with(HELLO)
        .file("s.toml", all)
        .file("secret", "marker")
        .arg("--config")
        .arg("s.toml")
        .check(&[]);
    assert_eq!(said.stderr, "ok: 1 tool in 1 file\n");
}

#[test]
fn what_is_wrong_is_told_at_its_place() {
    assert_eq!(
        findings(
            r#"manifest = ["manifests"]
[server]
name = ""
verson = "1"
validation = "ful"
on_error = "ignore"
page_size = 10001
grace_ms = -1
cache = { tools = { ttl = 1, scope = "all" }, promts = {} }
[http]
listen = []
path = "mcp"
allowed_origins = ["app.example.com"]
allowed_hosts = ["https://x"]
max_connections = 0
max_body_bytes = 1
head_timeout_ms = 0
[reload]
debounce = 5
[log]
level = "loud"
format = "xml"
file = { rotate = "weekly", keep = 0 }
[servr]
"#
        ),
        [
            "1:1 missing key `manifests`",
            "1:1 unknown key `manifest`",
            "3:8 `name` cannot be empty",
            "4:1 unknown key `verson`",
            "5:14 `validation` must be one of `full`, `basic`, `none`",
            "6:12 `on_error` must be one of `refuse`, `skip`",
            "7:13 `page_size` must be from 1 to 10000",
            "8:12 `grace_ms` must be from 0 to 3600000",
            "9:21 unknown key `ttl`",
            "9:38 `scope` must be one of `public`, `private`",
            "9:47 unknown key `promts`",
            "11:10 `listen` must name at least one address",
            "12:8 `path` must begin with `/` and hold no `?`, `#` or space",
            "13:20 `app.example.com` cannot stand in `allowed_origins`",
            "14:18 `https://x` cannot stand in `allowed_hosts`",
            "15:19 `max_connections` must be from 1 to 1000000",
            "16:18 `max_body_bytes` must be from 1024 to 1073741824",
            "17:19 `head_timeout_ms` must be from 1 to 86400000",
            "19:1 unknown key `debounce`",
            "21:9 `level` cannot be used: `loud` is not a log level: use one of off, error, warn, info, debug, trace",
            "22:10 `format` must be one of `text`, `json`",
            "23:1 missing key `dir`",
            "23:19 `rotate` must be one of `daily`, `hourly`, `never`",
            "23:36 `keep` must be from 1 to 10000",
            "24:2 unknown key `servr`",
        ]
    );
}

#[test]
fn what_is_not_served_is_refused_by_name() {
    let found = findings("manifests = [\"manifests\"]\n[server]\ncapabilities = {}\n");
    assert_eq!(
        found,
        ["3:1 `capabilities` is not served by this version of snodo"]
    );
}

#[test]
fn a_wrong_address_is_said_once() {
    assert_eq!(
        findings("manifests = [\"manifests\"]\n[http]\nlisten = [\"4000\", \"localhost\"]\n"),
        [
            "3:11 `4000` is not a place to listen; write `127.0.0.1:4000`, `[::1]:4000`, `unix:/run/snodo.sock` or `systemd`",
            "3:19 `localhost` is not a place to listen; write `127.0.0.1:4000`, `[::1]:4000`, `unix:/run/snodo.sock` or `systemd`",
        ]
    );
}

#[test]
fn the_name_comes_from_the_folder_where_nothing_says_it() {
    let project = Project::with(HELLO);
    let mut stdio = project.stdio();
    let listed = stdio.ask(&list(1));
    let info = &listed["result"]["_meta"]["io.modelcontextprotocol/serverInfo"];
    assert_eq!(info["name"], "manifests");
    assert_eq!(info["version"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn a_variable_that_server_env_lists_is_seen_and_no_other() {
    let manifest = "[[tool]]\nname = \"region\"\nresult.text = \"{{ env.REGION }}\"\n";
    let project = Project::with(manifest)
        .set("server.env=['REGION']")
        .env("REGION", "north");
    let mut stdio = project.stdio();
    assert_eq!(
        text_of(&stdio.ask(&call(1, "region", serde_json::json!({})))),
        "north"
    );
    let said = Project::with(manifest)
        .env("REGION", "north")
        .check(&[])
        .stderr;
    assert!(said.contains("unknown name `env.REGION`"), "{said}");
    assert!(
        said.contains("list it in `server.env` of the server file"),
        "{said}"
    );
}

#[test]
fn a_broken_manifest_keeps_the_server_from_starting() {
    let project = Project::with(HELLO).manifest("b.toml", &format!("{}foo = 1\n", tool("b")));
    let output = project.command("stdio").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty());
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("error: unknown key `foo`\n --> manifests/b.toml:4:1\n"),
        "{said}"
    );
}

#[test]
fn on_error_skip_leaves_broken_files_out_and_says_so() {
    let project = Project::with(HELLO)
        .manifest(
            "b.toml",
            &format!("{}foo = 1\n{}", tool("b"), tool("sound_but_beside_it")),
        )
        .manifest("c.toml", "not toml")
        .manifest("d.toml", &tool("hello"))
        .manifest("e.toml", &tool("e"))
        .set("server.on_error=skip");
    let mut stdio = project.stdio();
    let listed = stdio.ask(&list(1));
    let tools = listed["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["hello", "e"]);
    for part in [
        "unknown key `foo`",
        "c.toml:1:",
        "the tool name `hello` is taken",
    ] {
        stdio.wait_for_log(part);
    }
    // A check calls them errors all the same.
    assert_eq!(project.check(&[]).code, 1);
}

#[test]
fn on_error_skip_does_not_excuse_the_server_file() {
    let output = Project::with(HELLO)
        .set("server.on_error=skip")
        .set("server.page_size=0")
        .command("stdio")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
}

//! `snodo add`: the configurations of clients; `snodo completions` and `snodo man`.

use super::{Said, printed};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio as Io};

/// Runs `snodo` here, at home here.
fn snodo(at: &Path, args: &[&str]) -> Said {
    let mut command = Command::new(env!("CARGO_BIN_EXE_snodo"));
    let command = command.args(args).current_dir(at).env("HOME", at);
    let command = command
        .env_remove("XDG_CONFIG_HOME")
        .env_remove("CODEX_HOME");
    let output = command.stdin(Io::null()).output().unwrap();
    Said {
        code: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A new project, in a folder called `tools`.
fn project() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().canonicalize().unwrap().join("tools");
    printed(folder.path(), &["init", "tools"]);
    (folder, at)
}

fn own() -> &'static str {
    env!("CARGO_BIN_EXE_snodo")
}

#[test]
fn what_is_printed_starts_the_server_in_the_clients_own_form() {
    let (_folder, at) = project();
    let config = at.join("snodo.toml");
    let args = json!(["stdio", "--config", config]);
    for (client, member, kind) in [
        ("claude-code", "mcpServers", Some("stdio")),
        ("claude-desktop", "mcpServers", None),
        ("cursor", "mcpServers", None),
        ("vscode", "servers", Some("stdio")),
    ] {
        let said = snodo(&at, &["add", client]);
        assert_eq!(said.code, 0, "{}", said.err);
        let written: Value = serde_json::from_str(&said.out).unwrap();
        let server = &written[member]["tools"];
        assert_eq!(
            (&server["command"], &server["args"]),
            (&json!(own()), &args),
            "{client}"
        );
        assert_eq!(server["type"].as_str(), kind, "{client}");
        assert!(said.err.contains("--write puts it there"), "{}", said.err);
    }
    let said = snodo(&at, &["add", "codex", "manifests", "--name", "x"]);
    let written: toml::Table = said.out.parse().unwrap();
    let server = &written["mcp_servers"]["x"];
    assert_eq!(server["command"].as_str(), Some(own()));
    assert_eq!(server["args"][1].as_str(), at.join("manifests").to_str());
    let said = snodo(&at, &["add", "codex", "--url", "http://x/mcp"]);
    assert_eq!(said.out, "[mcp_servers.snodo]\nurl = \"http://x/mcp\"\n");
    let said = snodo(&at, &["add", "vscode", "--url", "http://x/mcp"]);
    let written: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(
        written["servers"]["snodo"],
        json!({ "type": "http", "url": "http://x/mcp" })
    );
    for (client, url, to) in [
        (
            "claude-desktop",
            "https://x/mcp",
            "https://x/mcp".to_owned(),
        ),
        (
            "cursor",
            "unix:s.sock",
            at.join("s.sock").display().to_string(),
        ),
    ] {
        let said = snodo(&at, &["add", client, "--url", url]);
        let written: Value = serde_json::from_str(&said.out).unwrap();
        assert_eq!(
            written["mcpServers"]["snodo"]["args"],
            json!(["connect", to]),
            "{client}"
        );
    }
    assert!(!at.join(".mcp.json").exists());
}

#[test]
fn a_written_configuration_works_and_is_written_once() {
    let (_folder, at) = project();
    let said = snodo(&at, &["add", "claude-code", "--write"]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.starts_with("wrote .mcp.json\n"), "{}", said.out);
    let file = at.join(".mcp.json");
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let text = std::fs::read_to_string(&file).unwrap();
    let written: Value = serde_json::from_str(&text).unwrap();
    let server = &written["mcpServers"]["tools"];
    let mut program = Command::new(server["command"].as_str().unwrap());
    let args = server["args"].as_array().unwrap().iter();
    // As a client starts it: from anywhere, with nearly no environment.
    let program = program
        .args(args.map(|arg| arg.as_str().unwrap()))
        .current_dir("/");
    let mut started =
        crate::support::Stdio::start(program.env_clear().env("PATH", "/usr/bin:/bin"));
    let listed = started.ask(&crate::support::list(1));
    assert_eq!(listed["result"]["tools"][0]["name"], "greet", "{listed}");
    let again = snodo(&at, &["add", "claude-code", "--write"]);
    assert!(
        again.out.starts_with("`tools` is in .mcp.json already\n"),
        "{}",
        again.out
    );
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
    for (client, file) in [
        ("cursor", ".cursor/mcp.json"),
        ("vscode", ".vscode/mcp.json"),
        ("codex", ".codex/config.toml"),
        (
            "claude-desktop",
            ".config/Claude/claude_desktop_config.json",
        ),
    ] {
        let said = snodo(&at, &["add", client, "--write"]);
        assert_eq!(said.code, 0, "{}", said.err);
        if cfg!(target_os = "linux") {
            assert!(at.join(file).is_file(), "{client}: {}", said.out);
        }
    }
}

#[test]
fn what_else_is_in_a_file_stays_and_a_copy_of_it_too() {
    let (_folder, at) = project();
    let real = at.join("real.json");
    let before = "{\n  // by hand\n  \"mcpServers\": {\n    \"other\": { \"command\": \"x\" }, // keep\n  }\n}\n";
    std::fs::write(&real, before).unwrap();
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink("real.json", at.join("link.json")).unwrap();
    let args = ["add", "cursor", "--write", "--file", "link.json"];
    let said = snodo(&at, &args);
    assert_eq!(said.code, 0, "{}", said.err);
    let after = std::fs::read_to_string(&real).unwrap();
    for kept in ["// by hand", "\"other\": { \"command\": \"x\" }, // keep"] {
        assert!(after.contains(kept), "{after}");
    }
    assert!(at.join("link.json").is_symlink());
    assert_eq!(real.metadata().unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(
        std::fs::read_to_string(at.join("real.json.bak")).unwrap(),
        before
    );
    // Another server of the name is nobody's to take away.
    let taken = snodo(&at, &[&args[..], &["--name", "other"]].concat());
    assert_eq!(taken.code, 1);
    assert_eq!(
        taken.err,
        "error: `link.json` was left as it is: it has another server `other`\n  = help: --name gives this one another name; --replace replaces that one\n"
    );
    assert_eq!(std::fs::read_to_string(&real).unwrap(), after);
    let replaced = snodo(
        &at,
        &[&args[..], &["--name", "other", "--replace"]].concat(),
    );
    assert_eq!(replaced.code, 0, "{}", replaced.err);
    assert_eq!(
        std::fs::read_to_string(at.join("real.json.bak1")).unwrap(),
        after
    );
    let names: Vec<String> = std::fs::read_dir(&at)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.contains("snodo-"))
        .collect();
    assert_eq!(names, [""; 0], "nothing is left over");
}

#[test]
fn a_broken_file_is_left_alone() {
    let (_folder, at) = project();
    for (client, text) in [
        ("cursor", "{ \"mcpServers\": { } "),
        ("cursor", "{ \"mcpServers\": [] }"),
        ("codex", "[mcp_servers\n"),
    ] {
        std::fs::write(at.join("broken"), text).unwrap();
        let said = snodo(&at, &["add", client, "--write", "--file", "broken"]);
        assert_eq!((said.code, said.out.as_str()), (1, ""), "{text}");
        assert!(
            said.err.starts_with("error: `broken` was left as it is: "),
            "{}",
            said.err
        );
        assert_eq!(std::fs::read_to_string(at.join("broken")).unwrap(), text);
        assert!(!at.join("broken.bak").exists());
    }
    let said = snodo(&at, &["add", "cursor", "--write", "--file", "/dev/zero"]);
    assert_eq!(said.code, 1, "{}", said.err);
    let said = snodo(&at, &["add", "cursor", "--write", "--file", "snodo.toml/x"]);
    assert_eq!(said.code, 1, "{}", said.err);
    let said = snodo(&at, &["add", "cursor", "--name", "a b"]);
    assert_eq!(said.code, 2, "{}", said.err);
    let said = snodo(at.parent().unwrap(), &["add", "cursor"]);
    assert_eq!(said.code, 2, "{}", said.err);
}

#[test]
fn shells_and_man_know_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = printed(at, &["completions", shell]);
        assert!(
            script.contains("catalog") && script.contains("min-coverage"),
            "{shell}"
        );
    }
    if let Ok(checked) = Command::new("bash").arg("-n").stdin(Io::null()).status() {
        assert!(checked.success());
        std::fs::write(at.join("c"), printed(at, &["completions", "bash"])).unwrap();
        assert!(
            Command::new("bash")
                .arg("-n")
                .arg(at.join("c"))
                .status()
                .unwrap()
                .success()
        );
    }
    assert!(printed(at, &["man"]).contains(".TH snodo"));
    printed(at, &["man", "--output", "pages"]);
    for page in ["snodo.1", "snodo-call.1", "snodo-catalog.1"] {
        assert!(at.join("pages").join(page).is_file(), "{page}");
    }
}

#[test]
fn a_token_is_named_and_never_written() {
    let (_folder, at) = project();
    let url = "https://x/mcp";
    for (client, expected) in [
        (
            "claude-code",
            json!({ "type": "http", "url": url, "headers": { "Authorization": "Bearer ${TOKEN}" } }),
        ),
        (
            "vscode",
            json!({ "type": "http", "url": url, "headers": { "Authorization": "Bearer ${env:TOKEN}" } }),
        ),
        (
            "cursor",
            json!({ "url": url, "headers": { "Authorization": "Bearer ${env:TOKEN}" } }),
        ),
        (
            "claude-desktop",
            json!({ "command": own(), "args": ["connect", url, "--token-env", "TOKEN"] }),
        ),
    ] {
        let said = snodo(&at, &["add", client, "--url", url, "--token-env", "TOKEN"]);
        assert_eq!(said.code, 0, "{}", said.err);
        let written: Value = serde_json::from_str(&said.out).unwrap();
        let member = if client == "vscode" {
            "servers"
        } else {
            "mcpServers"
        };
        assert_eq!(written[member]["snodo"], expected, "{client}");
        assert!(said.err.contains("note: set `TOKEN` in "), "{}", said.err);
    }
    let codex = ["add", "codex", "--token-env", "TOKEN", "--url"];
    let said = snodo(&at, &[&codex[..], &[url]].concat());
    assert_eq!(
        said.out,
        "[mcp_servers.snodo]\nurl = \"https://x/mcp\"\nbearer_token_env_var = \"TOKEN\"\n"
    );
    let said = snodo(&at, &[&codex[..], &["unix:/s"]].concat());
    let written: toml::Table = said.out.parse().unwrap();
    let server = &written["mcp_servers"]["snodo"];
    assert_eq!(server["env_vars"][0].as_str(), Some("TOKEN"));
    assert_eq!(server["args"][3].as_str(), Some("TOKEN"));
    // A token in place of a name is refused, and not shown.
    for token in ["snodo_a.b-c", "", "1x", "A}${B"] {
        let said = snodo(&at, &["add", "cursor", "--url", url, "--token-env", token]);
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{token}");
        assert!(
            token.is_empty() || !said.err.contains(token),
            "{}",
            said.err
        );
    }
    let said = snodo(&at, &["add", "cursor", "--url", "https://x/mcp?key=1"]);
    assert!(said.err.contains("a key, perhaps"), "{}", said.err);
}

#[test]
fn a_link_to_nothing_is_left_alone() {
    let (_folder, at) = project();
    let file = at.join(".mcp.json");
    std::os::unix::fs::symlink(at.join("elsewhere/mcp.json"), &file).unwrap();
    let said = snodo(&at, &["add", "claude-code", "--write"]);
    assert_eq!(said.code, 1);
    assert!(
        said.err
            .contains("it is a link to nothing; nothing was written"),
        "{}",
        said.err
    );
    assert!(file.is_symlink());
}

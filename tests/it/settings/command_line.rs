//! Which server file is used, and what the command line says over it.

use super::{HELLO, check_in, tool};
use crate::support::{Project, discover, list};
use serde_json::Value;

/// What a check says of its server file: the tools that it leads to.
fn ok(project: &Project, folder: &str, args: &[&str]) -> String {
    let checked = check_in(project, folder, args);
    assert_eq!(checked.code, 0, "{}", checked.stderr);
    checked.stderr
}

#[test]
fn the_server_file_is_looked_for_here_then_in_config() {
    let project = Project::new()
        .file("both/snodo.toml", "manifests = [\"one\"]\n")
        .file("both/config/snodo.toml", "manifests = [\"two\"]\n")
        .file("both/one/a.toml", HELLO)
        .file("both/config/two/a.toml", HELLO)
        .file("both/config/two/b.toml", tool("b"))
        .file("config-only/config/snodo.toml", "manifests = [\"m\"]\n")
        .file("config-only/config/m/a.toml", HELLO)
        .file("none/x", "");
    assert_eq!(ok(&project, "both", &[]), "ok: 1 tool in 1 file\n");
    assert_eq!(
        ok(&project, "both", &["--config", "config/snodo.toml"]),
        "ok: 2 tools in 2 files\n"
    );
    assert_eq!(ok(&project, "config-only", &[]), "ok: 1 tool in 1 file\n");
    // Named folders need none, and none is looked for.
    assert_eq!(
        ok(&project, "both", &["config/two"]),
        "ok: 2 tools in 2 files\n"
    );
    if !std::path::Path::new("/etc/snodo/snodo.toml").exists() {
        let none = check_in(&project, "none", &[]);
        assert_eq!(none.code, 1);
        assert_eq!(
            none.stderr,
            "\
error: no manifests to serve: no folder was named and no server file is here
  = help: name a folder of manifests, or write one of snodo.toml, config/snodo.toml, /etc/snodo/snodo.toml

1 error
what it means: snodo check --explain no-server-file
"
        );
    }
}

#[test]
fn a_server_file_that_cannot_be_read_is_named() {
    let project = Project::new()
        .file("latin.toml", b"x = '\xe9'")
        .file("syntax.toml", "a = \n");
    let said = |config: &str| check_in(&project, ".", &["--config", config]).stderr;
    assert!(
        said("nowhere.toml").starts_with(
            "error: cannot read the server file `nowhere.toml`: there is no such file\n"
        ),
        "{}",
        said("nowhere.toml")
    );
    assert!(
        said("latin.toml").contains("latin.toml:1:6"),
        "{}",
        said("latin.toml")
    );
    assert!(
        said("syntax.toml").contains("syntax.toml:1:5"),
        "{}",
        said("syntax.toml")
    );
}

#[test]
fn a_byte_order_mark_in_the_server_file_is_no_text() {
    let project = Project::with(HELLO).file("s.toml", "\u{feff}manifests = [\"manifests\"]\n");
    assert_eq!(
        ok(&project, ".", &["--config", "s.toml"]),
        "ok: 1 tool in 1 file\n"
    );
}

#[test]
fn relative_paths_count_from_the_file_that_says_them() {
    let project = Project::new()
        .file("etc/snodo.toml", "manifests = [\"../m\"]\n[log]\nfile = { dir = \"logs\" }\n[secrets]\nt = { file = \"token\" }\n")
        .file("etc/token", "x\n")
        .file("m/sub/a.toml", "[[tool]]\nname = \"a\"\n[tool.file]\npath = \"beside.txt\"\n[[tool]]\nname = \"b\"\nshell = { command = [\"./run.sh\"], cwd = \"..\" }\n[[tool]]\nname = \"c\"\nfile = { root = \"..\", path = \"x\" }\nreturns.a = { type = \"string\" }\nresult.structured = \"{{ output }}\"\n")
        .file("m/sub/beside.txt", "beside")
        .file("m/sub/run.sh", "#!/bin/sh\npwd\n")
        .file("elsewhere/x", "");
    let script = project.path().join("m/sub/run.sh");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(script, mode).unwrap();
    assert_eq!(
        ok(&project, "elsewhere", &["--config", "../etc/snodo.toml"]),
        "ok: 3 tools in 1 file\n"
    );
}

#[test]
fn a_path_on_the_command_line_counts_from_here() {
    let project = Project::new()
        .file("etc/snodo.toml", "manifests = [\"nowhere\"]\n")
        .file("m/a.toml", HELLO)
        .file("token", "x");
    assert_eq!(
        ok(
            &project,
            "m",
            &[
                "--config",
                "../etc/snodo.toml",
                "--set",
                "manifests=['../m']",
                "--set",
                "secrets.t.file=../token",
            ]
        ),
        "ok: 1 tool in 1 file\n"
    );
    // Set so, no server file is needed.
    assert_eq!(
        ok(&project, "m", &["--set", "manifests=['.']"]),
        "ok: 1 tool in 1 file\n"
    );
}

/// What `server/discover` answers with these settings.
fn identity(settings: &[&str]) -> Value {
    let mut project = Project::with(HELLO)
        .file(
            "s.toml",
            "manifests = [\"manifests\"]\n[server]\nname = \"from-file\"\ntitle = \"Title\"\nversion = \"1\"\ninstructions = \"how\"\ncache.tools = { ttl_ms = 5, scope = \"public\" }\n",
        )
        .arg("--config")
        .arg("s.toml");
    for setting in settings {
        project = project.set(setting);
    }
    let mut stdio = project.stdio();
    let discovered = stdio.ask(&discover(1))["result"].clone();
    let listed = stdio.ask(&list(2))["result"].clone();
    let info = &discovered["_meta"]["io.modelcontextprotocol/serverInfo"];
    serde_json::json!({
        "name": info["name"], "title": info["title"], "version": info["version"],
        "instructions": discovered["instructions"],
        "ttl": listed["ttlMs"], "scope": listed["cacheScope"],
    })
}

#[test]
fn set_goes_over_the_file_and_the_last_one_wins() {
    assert_eq!(
        identity(&[]),
        serde_json::json!({
            "name": "from-file", "title": "Title", "version": "1", "instructions": "how",
            "ttl": 5, "scope": "public",
        })
    );
    assert_eq!(
        identity(&[
            "server.name=\"quoted\"",
            "server.name = bare text: with = signs",
            "server.title=",
            "server.version='2.0'",
            "server.cache.tools.ttl_ms=0x10",
            "server.cache={ tools = { scope = 'private' } }",
        ]),
        serde_json::json!({
            "name": "bare text: with = signs", "title": "", "version": "2.0", "instructions": "how",
            "ttl": 16, "scope": "private",
        })
    );
}

#[test]
fn what_is_wrong_with_a_set_is_shown_in_it() {
    let project = Project::with(HELLO);
    let said = |setting: &str| check_in(&project, ".", &["--set", setting, "manifests"]).stderr;
    for (setting, parts) in [
        (
            "x",
            &[
                "error: `--set x` is not KEY=VALUE\n",
                "help: write for example `--set http.listen=",
            ][..],
        ),
        ("=x", &["error: `--set ` is not KEY=VALUE\n"]),
        ("a b=x", &["error: `--set a b` is not KEY=VALUE\n"]),
        (
            "http.lisen=['127.0.0.1:1']",
            &[
                "error: unknown key `lisen`\n --> --set http.lisen:1:6\n",
                "1 | http.lisen = ['127.0.0.1:1']\n",
                "help: did you mean `listen`?",
            ],
        ),
        (
            "http.listen=127.0.0.1:1",
            &[
                "`listen` must be an array, not a string",
                "help: write `[\"127.0.0.1:1\"]`",
            ],
        ),
        (
            "server.version=1.0",
            &[
                "`version` must be a string, not a float",
                "help: write `\"1.0\"`",
            ],
        ),
        (
            "server.page_size='10'",
            &[
                "`page_size` must be an integer, not a string",
                "help: write `10` without quotes",
            ],
        ),
        ("server=3", &["`server` must be a table, not an integer"]),
        (
            "sever.name=x",
            &["unknown key `sever`", "did you mean `server`?"],
        ),
        (
            "secrets.a=hunter2",
            &[
                "`a` must say where the secret comes from",
                "1 | secrets.a = *********\n",
            ],
        ),
        (
            "reload.poll_ms=1",
            &["`poll_ms` must be from 50 to 3600000"],
        ),
    ] {
        let said = said(setting);
        for part in parts {
            assert!(said.contains(part), "{setting}: {part}: {said}");
        }
        assert!(!said.contains("hunter2"), "{said}");
    }
}

#[test]
fn a_refused_server_says_why_and_ends_with_one() {
    for subcommand in ["serve", "stdio"] {
        let output = Project::with(HELLO)
            .set("server.page_size=0")
            .command(subcommand)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(output.stdout.is_empty());
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(
            said.contains("`page_size` must be from 1 to 10000"),
            "{said}"
        );
    }
}

//! `snodo token`, and what a client does with one.

use super::project;
use crate::support::{Checked, list};
use std::process::{Command, Stdio as Io};

fn snodo(args: &[&str], env: &[(&str, &str)]) -> Checked {
    let output = Command::new(env!("CARGO_BIN_EXE_snodo"))
        .args(args)
        .envs(env.iter().copied())
        .env("NO_COLOR", "1")
        .stdin(Io::null())
        .output()
        .unwrap();
    Checked::of(output)
}

#[test]
fn what_it_prints_is_a_token_and_what_the_server_file_says_of_it() {
    let made = snodo(
        &["token", "ci \"x\"", "--scope", "a:b", "--scope", "c"],
        &[],
    );
    assert_eq!((made.code, &*made.stderr), (0, ""));
    let (token, lines) = made.stdout.split_once('\n').unwrap();
    assert!(token.starts_with("snodo_") && token.len() == 49, "{token}");
    assert!(!lines.contains(token));
    let project = project("[[tool]]\nname = \"x\"\nresult.text = \"x\"\n", lines);
    assert_eq!(project.check(&["--deny-warnings"]).code, 0);
    let daemon = project.serve();
    assert_eq!(daemon.post(&list(1)).status, 401);
    assert_eq!(daemon.connect().bearer(token).post(&list(1)).status, 200);
    // No two are the same.
    assert!(!snodo(&["token", "ci"], &[]).stdout.contains(token));

    let url = format!("http://{}/mcp", daemon.address());
    let header = format!("authorization: Bearer {token}");
    for args in [
        &["list", "--url", &url, "--token-env", "MCP_TOKEN"][..],
        &["list", "--url", &url, "--header", &header],
    ] {
        let said = snodo(args, &[("MCP_TOKEN", token)]);
        assert_eq!((said.code, &*said.stderr), (0, ""), "{args:?}");
        assert!(said.stdout.contains('x'), "{}", said.stdout);
    }
    for (args, env, code, what) in [
        (&["list", "--url", &url][..], None, 3, "401"),
        (
            &["list", "--url", &url, "--token-env", "MCP_TOKEN"],
            Some("wr0ng-t0ken"),
            3,
            "401",
        ),
        (
            &["list", "--url", &url, "--token-env", "MCP_TOKEN"],
            None,
            2,
            "`MCP_TOKEN` of --token-env is not set",
        ),
    ] {
        let env: Vec<_> = env.map(|value| ("MCP_TOKEN", value)).into_iter().collect();
        let said = snodo(args, &env);
        assert_eq!(said.code, code, "{}", said.stderr);
        assert!(said.stderr.contains(what), "{}", said.stderr);
        assert!(!said.stderr.contains("wr0ng-t0ken"), "{}", said.stderr);
    }
}

#[test]
fn the_token_alone_can_be_taken() {
    let made = snodo(&["token", "ci", "--print", "token"], &[]);
    assert_eq!(made.code, 0);
    assert_eq!(made.stdout.lines().count(), 1);
    assert!(
        made.stderr.starts_with("[[auth.tokens]]\n"),
        "{}",
        made.stderr
    );
    for wrong in [
        &["token", ""][..],
        &["token", "a\nb"],
        &["token", "a", "--scope", "b c"],
    ] {
        let said = snodo(wrong, &[]);
        assert_eq!((said.code, &*said.stdout), (2, ""), "{wrong:?}");
    }
}

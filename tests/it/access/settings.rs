//! `[auth]` of the server file, and `scopes` of manifests: what is refused, and what is said.

use super::{known, project};
use crate::support::Project;

const TOOL: &str = "[[tool]]\nname = \"x\"\nresult.text = \"x\"\n";

#[test]
fn what_is_wrong_with_the_server_file_is_shown_and_a_digest_never() {
    let digest = "a".repeat(64);
    for (server, expected) in [
        (
            "[[auth.tokens]]\nprincipal = \"a\"\n",
            "missing key `sha256`",
        ),
        (
            &*format!("[[auth.tokens]]\nsha256 = \"{digest}\"\n"),
            "missing key `principal`",
        ),
        (
            "[[auth.tokens]]\nprincipal = \"a\"\nsha256 = \"the-token-itself\"\n",
            "`sha256` must be the 64 hexadecimal digits of a SHA-256 digest",
        ),
        (
            &format!("[[auth.tokens]]\nprincipal = \"\"\nsha256 = \"{digest}\"\n"),
            "`principal` must be one line of 1 to 256 bytes",
        ),
        (
            &format!(
                "[[auth.tokens]]\nprincipal = \"a\"\nscopes = [\"a b\"]\nsha256 = \"{digest}\"\n"
            ),
            "`a b` cannot be a scope",
        ),
        (
            &(known("a", "", "t") + &known("b", "", "t")),
            "this token belongs to another entry already",
        ),
        (
            &format!("[[auth.tokens]]\nprincipal = \"a\"\nscope = []\nsha256 = \"{digest}\"\n"),
            "did you mean `scopes`?",
        ),
        ("[auth.implies]\n\"a b\" = []\n", "`a b` cannot be a scope"),
        ("[auth.stdio]\nscopes = []\n", "missing key `principal`"),
        ("[auth]\nanonymous = true\n", "`anonymous` has no effect"),
    ] {
        let checked = project(TOOL, server).check(&[]);
        assert!(
            checked.stderr.contains(expected),
            "{server}: {}",
            checked.stderr
        );
        assert!(
            !checked.stderr.contains("the-token-itself"),
            "{}",
            checked.stderr
        );
    }
}

#[test]
fn scopes_that_nobody_can_hold_are_a_warning() {
    let scoped = "[[tool]]\nname = \"x\"\nresult.text = \"x\"\nscopes = [\"read\"]\n";
    let checked = Project::with(scoped).check(&[]);
    assert_eq!(checked.code, 0);
    assert!(
        checked.stderr.contains("no caller has the scope `read`"),
        "{}",
        checked.stderr
    );
    let implied = known("a", "\"admin\"", "t") + "[auth.implies]\nadmin = [\"read\"]\n";
    for server in [
        known("a", "\"read\"", "t"),
        implied,
        "[auth.stdio]\nprincipal = \"me\"\nscopes = [\"read\"]\n".to_owned(),
    ] {
        clean(&project(scoped, &server));
    }
}

#[test]
fn what_only_some_may_read_cannot_be_kept_for_all() {
    let uri = "uri = \"a:b\"\nname = \"x\"\ncache = { scope = \"public\" }\n";
    let tokens = known("a", "\"s\"", "t");
    for (resource, why) in [
        (
            format!("[[resource]]\n{uri}result.text = \"x\"\nscopes = [\"s\"]\n"),
            "its own scopes",
        ),
        (
            format!("[defaults]\nscopes = [\"s\"]\n[[resource]]\n{uri}result.text = \"x\"\n"),
            "scopes of the file",
        ),
        (
            format!(
                "[defaults.http]\nheaders = {{ x-caller = \"{{{{ auth.principal }}}}\" }}\n\
                 [[resource]]\n{uri}http.url = \"http://127.0.0.1:9/\"\n"
            ),
            "a header of the file's defaults",
        ),
        (
            format!(
                "[defaults.shell]\nenv = {{ A = \"{{{{ client.name }}}}\" }}\n\
                 [[resource]]\n{uri}shell.command = [\"true\"]\n"
            ),
            "a variable of the file's defaults",
        ),
    ] {
        let checked = project(&resource, &tokens).check(&[]);
        assert!(
            checked
                .stderr
                .contains("what is read depends on the caller"),
            "{why}: {}",
            checked.stderr
        );
        assert_eq!(checked.code, 1);
    }
    // What stands in defaults of another action is not what is read, nor whose calls are counted.
    for resource in [
        format!(
            "[defaults.http]\nheaders = {{ x = \"{{{{ auth.principal }}}}\" }}\n\
             [[resource]]\n{uri}result.text = \"x\"\n[[tool]]\nname = \"t\"\nhttp.url = \"http://127.0.0.1:9/\"\n"
        ),
        format!(
            "[[resource]]\n{uri}result.text = \"x\"\n\
             wrap = [{{ rate_limit = {{ limit = 1, window_ms = 1, key = \"{{{{ auth.principal }}}}\" }} }}]\n"
        ),
    ] {
        clean(&project(&resource, &tokens));
    }
}

#[test]
fn a_component_whose_scopes_cannot_be_read_is_not_served_without_them() {
    let manifest = "[defaults]\nscopes = [\"a b\"]\n\
                    [[tool]]\nname = \"one\"\nresult.text = \"x\"\n\
                    [[tool]]\nname = \"two\"\nresult.text = \"x\"\n";
    let project = project(manifest, "server.on_error = \"skip\"\n").manifest("b.toml", TOOL);
    let answer = project.serve().ask(&crate::support::list(1));
    let names: Vec<_> = answer["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].clone())
        .collect();
    assert_eq!(names, ["x"]);
}

#[test]
fn defaults_are_filled_in_where_a_component_says_nothing() {
    let manifest = "[defaults]\nscopes = [\"s\"]\nwrap = [{ timeout_ms = 5 }]\n\
                    [[tool]]\nname = \"a\"\nresult.text = \"x\"\n\
                    [[tool]]\nname = \"b\"\nresult.text = \"x\"\nscopes = []\nwrap = []\n";
    let shown = project(manifest, &known("a", "\"s\"", "t")).check(&["--expand", "all"]);
    assert!(
        shown
            .stdout
            .contains("scopes = [\"s\"]  # from [defaults.scopes]"),
        "{}",
        shown.stdout
    );
    assert_eq!(
        shown.stdout.matches("from [defaults.").count(),
        2,
        "{}",
        shown.stdout
    );
}

/// Nothing is found.
fn clean(project: &Project) {
    let checked = project.check(&["--deny-warnings"]);
    assert_eq!(checked.code, 0, "{}", checked.stderr);
}

//! `snodo init`, and a newcomer's way from an empty folder.

use super::{printed, snodo};
use crate::support::{Daemon, within};
use std::process::Command;

#[test]
fn from_an_empty_folder_to_a_server_that_sees_edits() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let wrote = printed(at, &["init"]);
    assert!(
        wrote.starts_with(
            "wrote snodo.toml\nwrote manifests/hello.toml\nwrote .snodo/config.schema.json\n"
        ),
        "{wrote}"
    );
    let checked = snodo(at, &["check", "--deny-warnings"]);
    assert_eq!(checked.code, 0, "{}", checked.err);
    assert_eq!(printed(at, &["call", "greet", "name=Ada"]), "Hello, Ada!\n");
    assert_eq!(
        printed(at, &["prompt", "welcome", "name=Ada"])
            .lines()
            .count(),
        2
    );
    assert_eq!(
        printed(at, &["read", "about://this-server"]),
        "A server to begin with.\n"
    );
    let mut serve = Command::new(env!("CARGO_BIN_EXE_snodo"));
    let serve = serve.args(["serve", "--set", "http.listen=[\"127.0.0.1:0\"]"]);
    let daemon = Daemon::start(serve.current_dir(at));
    let url = format!("http://{}/mcp", daemon.address());
    let call = || printed(at, &["call", "greet", "name=Ada", "--url", &url]);
    assert_eq!(call(), "Hello, Ada!\n");
    let manifest = at.join("manifests/hello.toml");
    let text = std::fs::read_to_string(&manifest).unwrap();
    std::fs::write(&manifest, text.replace("Hello, ", "Welcome, ")).unwrap();
    within("the change is visible", || {
        (call() == "Welcome, Ada!\n").then_some(())
    });
    let catalog = printed(at, &["catalog", "--url", &url, "--min-coverage", "100"]);
    assert!(catalog.contains("### `greet`"), "{catalog}");
}

#[test]
fn what_is_there_is_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::create_dir(at.join("manifests")).unwrap();
    std::fs::write(at.join("manifests/hello.toml"), "mine").unwrap();
    let said = snodo(at, &["init"]);
    assert_eq!((said.code, said.out.as_str()), (1, ""));
    assert_eq!(
        said.err,
        "error: `./manifests/hello.toml` is there already; nothing was written\n"
    );
    assert!(!at.join("snodo.toml").exists());
    assert_eq!(
        std::fs::read(at.join("manifests/hello.toml")).unwrap(),
        b"mine"
    );
    let said = snodo(at, &["init", "manifests/hello.toml/below"]);
    assert_eq!((said.code, said.out.as_str()), (1, ""));
    assert!(said.err.contains("cannot write"), "{}", said.err);
}

#[test]
fn any_folder_has_a_name_that_a_server_can_have() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a\"b\\c", "\n", "NAME é"] {
        printed(folder.path(), &["init", name]);
        let at = folder.path().join(name);
        let checked = snodo(&at, &["check", "--deny-warnings"]);
        assert_eq!(checked.code, 0, "{name:?}: {}", checked.err);
    }
}

//! A bad edit: everything stays, it is said once, and the next good load clears it.

use super::{Ask as _, lines, settled, tool};
use crate::support::Project;
use std::fs;

const BROKEN: &str = "[[tool]]\nname = \"a\"\nresult.txet = \"2\"\n";

#[test]
fn a_bad_edit_keeps_everything_and_is_cleared_by_the_next_good_load() {
    let project = Project::with(&tool("a", "1")).manifest("b.toml", &tool("b", "1"));
    let daemon = project.serve();
    let mut connection = daemon.connect();
    project.save("manifests/a.toml", BROKEN);
    daemon.wait_for_log("not reloaded");
    assert_eq!(connection.says("a"), "1");
    assert_eq!(connection.tools(), ["a", "b"]);
    project.save("manifests/a.toml", tool("a", "3"));
    daemon.wait_for_log("the manifests are whole again");
    connection.until_says("a", "3");
    // Back to what is served: nothing to swap, and whole again all the same.
    project.save("manifests/a.toml", BROKEN);
    crate::support::within("a second refusal", || {
        (lines(&daemon.stderr(), "not reloaded").len() == 2).then_some(())
    });
    project.save("manifests/a.toml", tool("a", "3"));
    crate::support::within("whole again twice", || {
        (lines(&daemon.stderr(), "whole again").len() == 2).then_some(())
    });
    assert_eq!(super::reloads(&daemon, 1), 1);
}

#[test]
fn a_bad_edit_is_printed_as_check_prints_it() {
    let project = Project::with(&tool("a", "1"));
    let daemon = project.serve();
    project.save("manifests/a.toml", BROKEN);
    let checked = project.check(&[]).stderr;
    assert!(checked.contains("--> manifests/a.toml:3:8"), "{checked}");
    assert!(checked.contains("did you mean `text`?"), "{checked}");
    for line in checked.lines().filter(|line| !line.is_empty()) {
        daemon.wait_for_log(line);
    }
}

#[test]
fn a_json_log_has_the_parts_of_each_finding() {
    let project = Project::with(&tool("a", "1")).set("log.format=json");
    let daemon = project.serve();
    project.save("manifests/a.toml", BROKEN);
    daemon.wait_for_log("unknown-key");
    let log = daemon.stderr();
    let line = lines(&log, "unknown-key")[0];
    let event: serde_json::Value = serde_json::from_str(line).unwrap();
    let fields = &event["fields"];
    assert_eq!(fields["message"], "unknown key `txet`");
    assert_eq!(fields["file"], "manifests/a.toml");
    assert_eq!((&fields["line"], &fields["column"]), (&3.into(), &8.into()));
    assert_eq!(fields["help"], "did you mean `text`?");
}

#[test]
fn the_same_bad_content_is_said_once_and_another_again() {
    let project = Project::with(&tool("a", "1"))
        .file(
            "config.toml",
            "manifests = ['manifests']\nreload.poll_ms = 50\n",
        )
        .arg("--config")
        .arg("config.toml");
    let daemon = project.serve();
    let mut connection = daemon.connect();
    project.save("manifests/a.toml", BROKEN);
    daemon.wait_for_log("not reloaded");
    let said = |count: usize| {
        crate::support::within(&format!("{count} refusals"), || {
            (lines(&daemon.stderr(), "not reloaded").len() == count).then_some(())
        });
    };
    // Saved again, and looked at many times: two whole rounds of good edits pass meanwhile.
    project.save("manifests/a.toml", BROKEN);
    project.save("manifests/b.toml", BROKEN.replace("\"a\"", "\"b\""));
    said(2);
    project.save("manifests/a.toml", BROKEN);
    fs::remove_file(project.manifests().join("b.toml")).unwrap();
    said(3);
    project.save("manifests/a.toml", BROKEN.replace("\"2\"", "\"3\""));
    said(4);
    project.save("manifests/a.toml", tool("a", "good"));
    connection.until_says("a", "good");
    said(4);
}

#[test]
fn a_file_that_breaks_while_another_changes_all_or_nothing() {
    let project = Project::with(&tool("a", "1")).manifest("b.toml", &tool("b", "1"));
    let daemon = project.serve();
    let mut connection = daemon.connect();
    project.save("manifests/b.toml", tool("b", "2"));
    connection.until_says("b", "2");
    project.save("manifests/a.toml", BROKEN);
    project.save("manifests/b.toml", tool("b", "3"));
    project.save("manifests/c.toml", tool("c", "3"));
    daemon.wait_for_log("not reloaded");
    assert_eq!(connection.says("b"), "2");
    assert_eq!(connection.tools(), ["a", "b"]);
    project.save("manifests/a.toml", tool("a", "4"));
    connection.until_says("a", "4");
    assert_eq!(connection.says("b"), "3");
    assert_eq!(connection.says("c"), "3");
}

#[test]
fn a_name_taken_twice_keeps_both_files_as_they_were() {
    let project = Project::with(&tool("a", "1")).manifest("b.toml", &tool("b", "1"));
    let daemon = project.serve();
    let mut connection = daemon.connect();
    project.save("manifests/b.toml", tool("a", "2"));
    daemon.wait_for_log("the tool name `a` is taken");
    assert_eq!(connection.tools(), ["a", "b"]);
    project.save("manifests/a.toml", tool("c", "1"));
    connection.until_tools(&["c", "a"]);
}

#[test]
fn under_skip_a_bad_edit_keeps_everything_too() {
    let project = Project::with(&tool("a", "1"))
        .manifest("broken.toml", BROKEN)
        .set("server.on_error=skip");
    let daemon = project.serve();
    let mut connection = daemon.connect();
    assert_eq!(connection.tools(), ["a"]);
    // A file that serves may not break; the one that never served does not hold up the others.
    project.save("manifests/b.toml", tool("b", "1"));
    connection.until_tools(&["a", "b"]);
    project.save("manifests/a.toml", BROKEN.replace("txet", "tetx"));
    daemon.wait_for_log("not reloaded");
    assert_eq!(connection.says("a"), "1");
    project.save("manifests/a.toml", tool("a", "2"));
    connection.until_says("a", "2");
    project.save("manifests/broken.toml", tool("c", "1"));
    connection.until_tools(&["a", "b", "c"]);
}

#[test]
fn warnings_of_a_good_reload_are_said_once() {
    let warned = "[[tool]]\nname = \"dotted.name\"\nresult.text = \"1\"\n";
    let project = Project::with(&tool("a", "1")).manifest("b.toml", warned);
    let daemon = project.serve();
    let mut connection = daemon.connect();
    let awkward = "several clients do not take a `.`";
    assert_eq!(lines(&daemon.stderr(), awkward).len(), 1, "at the start");
    project.save("manifests/a.toml", tool("a", "2"));
    connection.until_says("a", "2");
    project.save("manifests/b.toml", format!("# lower down\n{warned}"));
    settled(&mut connection, &project.manifests());
    assert_eq!(lines(&daemon.stderr(), awkward).len(), 1, "not again");
    project.save("manifests/c.toml", warned.replace("dotted.name", "x.y"));
    connection.until_says("x.y", "1");
    crate::support::within("the new one", || {
        (lines(&daemon.stderr(), awkward).len() == 2).then_some(())
    });
}

#[test]
fn what_cannot_be_made_ready_is_tried_again_until_it_can() {
    let project = Project::with(&tool("a", "1"));
    let daemon = project.serve();
    let mut connection = daemon.connect();
    let reading = "[[tool]]\nname = \"a\"\nfile = { root = \"../data/deep\", path = \"{{ args.p }}\" }\n\
                   arguments.p = { type = \"string\" }\n";
    project.save("manifests/a.toml", reading);
    daemon.wait_for_log("data/deep` is not here");
    assert_eq!(connection.says("a"), "1");
    project.write("data/deep/x.txt", "there");
    daemon.wait_for_log("the manifests are whole again");
    let call = crate::support::call(1, "a", serde_json::json!({ "p": "x.txt" }));
    assert_eq!(super::said(&connection.ask_for(&call)), "there");
    assert_eq!(lines(&daemon.stderr(), "not reloaded").len(), 1);
}

#[test]
fn what_only_building_finds_out_refuses_the_edit_too() {
    let project = Project::with(&tool("a", "1")).file(
        "ca.pem",
        "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
    );
    let daemon = project.serve();
    let mut connection = daemon.connect();
    project.write(
        "manifests/a.toml",
        "[[tool]]\nname = \"a\"\nhttp = { url = \"https://localhost:1/\", ca_file = \"../ca.pem\" }\n",
    );
    daemon.wait_for_log("the tool cannot be served: the CA file");
    project.save("manifests/b.toml", tool("b", "1"));
    crate::support::within("a second refusal", || {
        (lines(&daemon.stderr(), "not reloaded").len() == 2).then_some(())
    });
    assert_eq!(connection.tools(), ["a"]);
    assert_eq!(connection.says("a"), "1");
    project.save("manifests/a.toml", tool("a", "2"));
    connection.until_says("a", "2");
    assert_eq!(connection.says("b"), "1");
}

#[test]
fn of_very_many_findings_the_log_has_the_first() {
    let project = Project::with(&tool("a", "1"));
    let daemon = project.serve();
    let many: String = (0..150).map(|key| format!("x{key} = 1\n")).collect();
    project.save("manifests/a.toml", many);
    daemon.wait_for_log("50 more findings; `snodo check` shows all");
    let log = daemon.stderr();
    assert!(log.contains("unknown key `x99`"), "{log}");
    assert!(!log.contains("unknown key `x100`"), "{log}");
    assert_eq!(
        project
            .check(&[])
            .stderr
            .matches("error: unknown key")
            .count(),
        150
    );
}

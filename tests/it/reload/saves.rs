//! The ways in which editors and tools save a file.

use super::{Ask as _, reloads, tool};
use crate::support::Project;
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

type Save = fn(&Path, &str);

/// Opens the file and writes over it: `echo >`, nano, VS Code.
fn in_place(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
}

/// Writes a new file and renames it over the old: most atomic savers.
fn rename_over(path: &Path, text: &str) {
    let new = path.with_extension("toml.tmp");
    fs::write(&new, text).unwrap();
    fs::rename(&new, path).unwrap();
}

/// Renames the old file away and creates a new one: vim with `backup`.
fn backup_then_create(path: &Path, text: &str) {
    fs::rename(path, path.with_extension("toml~")).unwrap();
    fs::write(path, text).unwrap();
}

/// Removes the file, then creates it: `git checkout`, rsync without `--inplace`.
fn delete_then_create(path: &Path, text: &str) {
    fs::remove_file(path).unwrap();
    fs::write(path, text).unwrap();
}

/// Empties the file, then writes in two steps, each on the disk.
fn truncate_then_write(path: &Path, text: &str) {
    File::create(path).unwrap().sync_all().unwrap();
    let mut file = OpenOptions::new().append(true).open(path).unwrap();
    let (one, two) = text.split_at(text.len() / 2);
    for part in [one, two] {
        file.write_all(part.as_bytes()).unwrap();
        file.sync_all().unwrap();
    }
}

const STYLES: [(&str, Save); 5] = [
    ("in place", in_place),
    ("rename over", rename_over),
    ("backup, then create", backup_then_create),
    ("delete, then create", delete_then_create),
    ("truncate, then write", truncate_then_write),
];

#[test]
fn five_saves_in_each_style_give_five_applied_states() {
    let project = Project::with(&tool("t", "start"));
    let daemon = project.serve();
    let mut connection = daemon.connect();
    let path = project.manifests().join("a.toml");
    let mut slowest = Duration::ZERO;
    for (style, save) in STYLES {
        for round in 0..5 {
            let text = format!("{style} {round}");
            let began = Instant::now();
            save(&path, &tool("t", &text));
            connection.until_says("t", &text);
            slowest = slowest.max(began.elapsed());
        }
    }
    println!("slowest of 25 edits: {slowest:?}");
    assert!(slowest < Duration::from_secs(10), "{slowest:?}");
    assert_eq!(reloads(&daemon, 25), 25, "{}", daemon.stderr());
}

#[test]
fn five_saves_at_once_in_each_style_end_in_the_last() {
    let project = Project::with(&tool("t", "start"));
    let daemon = project.serve();
    let mut connection = daemon.connect();
    let path = project.manifests().join("a.toml");
    for (style, save) in STYLES {
        for round in 0..5 {
            save(&path, &tool("t", &format!("{style} {round}")));
        }
        connection.until_says("t", &format!("{style} 4"));
        // In two steps the file is half there for as long as the disk takes between them: a look
        // that falls there refuses the half, and must.
        let log = daemon.stderr();
        let may_be_refused = style == "truncate, then write";
        assert!(
            may_be_refused || !log.contains("not reloaded"),
            "{style}: {log}"
        );
    }
}

#[test]
fn a_file_that_is_away_for_a_moment_takes_no_tool_away() {
    let project = Project::with(&tool("t", "before")).manifest("b.toml", &tool("u", "0"));
    let daemon = project.serve();
    let mut connection = daemon.connect();
    let path = project.manifests().join("a.toml");
    // Longer than any quiet that is waited for, so that looks fall in between.
    let (mut round, mut seen) = (0, Vec::new());
    let mut meanwhile = |connection: &mut crate::support::Connection| {
        round += 1;
        project.write("manifests/b.toml", tool("u", &round.to_string()));
        let end = Instant::now() + Duration::from_millis(250);
        while Instant::now() < end {
            seen.push(connection.says("t"));
        }
    };
    for empty in [false, true] {
        if empty {
            File::create(&path).unwrap();
        } else {
            fs::remove_file(&path).unwrap();
        }
        meanwhile(&mut connection);
        fs::write(&path, tool("t", &format!("back {empty}"))).unwrap();
        connection.until_says("t", &format!("back {empty}"));
    }
    seen.dedup();
    let never = seen.iter().any(|said| said.contains("nknown"));
    assert!(!never, "{seen:?}");
}

#[test]
fn a_file_that_is_emptied_again_and_again_takes_no_tool_away() {
    let project = Project::with(&tool("t", "before"));
    let daemon = project.serve();
    let mut connection = daemon.connect();
    let path = project.manifests().join("a.toml");
    // Longer than a file is waited for to which nothing happens.
    let end = Instant::now() + Duration::from_millis(2500);
    while Instant::now() < end {
        File::create(&path).unwrap();
        let next = Instant::now() + Duration::from_millis(50);
        while Instant::now() < next {
            assert_eq!(connection.says("t"), "before", "{}", daemon.stderr());
        }
    }
    fs::write(&path, tool("t", "after")).unwrap();
    connection.until_says("t", "after");
    assert_eq!(reloads(&daemon, 1), 1, "{}", daemon.stderr());
}

#[test]
fn a_hundred_saves_in_two_seconds_end_in_the_last_with_a_handful_of_reloads() {
    let project = Project::with(&tool("t", "start"));
    let daemon = project.serve();
    let mut connection = daemon.connect();
    let path = project.manifests().join("a.toml");
    let begin = Instant::now();
    for round in 0..100 {
        let (_, save) = STYLES[round % STYLES.len()];
        save(&path, &tool("t", &format!("round {round}")));
        // Asking is what fills the time: the server is under load all the while.
        while begin.elapsed() < Duration::from_millis(20) * u32::try_from(round + 1).unwrap() {
            connection.says("t");
        }
    }
    connection.until_says("t", "round 99");
    let count = reloads(&daemon, 1);
    println!("{count} reloads for 100 saves");
    assert!((1..=8).contains(&count), "{count} reloads");
}

#[test]
fn an_identical_save_and_a_comment_change_nothing_that_shows() {
    let text = tool("t", "one") + &tool("u", "two");
    let project = Project::with(&text)
        .manifest("b.toml", &tool("v", "three"))
        .set("server.page_size=2")
        .set("log.level=debug");
    let daemon = project.serve();
    let mut connection = daemon.connect();
    let first = connection.ask_for(&crate::support::list(1));
    let cursor = first["result"]["nextCursor"].as_str().unwrap().to_owned();
    let path = project.manifests().join("a.toml");
    in_place(&path, &text);
    rename_over(&path, &text);
    in_place(&path, &format!("# a comment\n\n{text}# and one more\n"));
    daemon.wait_for_log("files have changed; the components are the same");
    let second = connection.ask_for(&crate::support::list_after(2, &cursor));
    assert_eq!(second["result"]["tools"][0]["name"], "v", "{second}");
    assert_eq!(connection.ask_for(&crate::support::list(1)), first);
    // What stands for the same is the same, too.
    in_place(
        &path,
        &text.replace("result.text = \"one\"", "result = { text = 'one' }"),
    );
    // A rename of the file, in the same place of the order.
    fs::rename(&path, project.manifests().join("aa.toml")).unwrap();
    rename_over(&project.manifests().join("b.toml"), &tool("v", "four"));
    connection.until_says("v", "four");
    assert_eq!(reloads(&daemon, 1), 1, "{}", daemon.stderr());
    assert!(daemon.stderr().contains("changed=\"v\""));
}

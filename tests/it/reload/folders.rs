//! Files and folders that come, go, and are exchanged.

use super::{Ask as _, tool};
use crate::support::Project;
use std::fs;
use std::os::unix::fs::symlink;

#[test]
fn a_new_file_and_a_removed_one() {
    let project = Project::with(&tool("a", "1"));
    let daemon = project.serve();
    let mut connection = daemon.connect();
    project.write("manifests/b.toml", tool("b", "2"));
    connection.until_tools(&["a", "b"]);
    fs::remove_file(project.manifests().join("a.toml")).unwrap();
    connection.until_tools(&["b"]);
    daemon.wait_for_log("removed=\"a\"");
}

#[test]
fn the_last_file_may_go_and_the_folder_says_so() {
    let project = Project::with(&tool("a", "1"));
    let daemon = project.serve();
    let mut connection = daemon.connect();
    fs::remove_file(project.manifests().join("a.toml")).unwrap();
    daemon.wait_for_log("there is no manifest in `manifests`");
    connection.until_tools(&[]);
    project.write("manifests/b.toml", tool("b", "2"));
    connection.until_tools(&["b"]);
}

#[test]
fn a_new_folder_with_a_file_made_in_one_go() {
    let project = Project::with(&tool("a", "1"));
    let daemon = project.serve();
    let mut connection = daemon.connect();
    for round in 0..5 {
        let folder = project.manifests().join(format!("f{round}/deep/er"));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("b.toml"), tool(&format!("b{round}"), "2")).unwrap();
    }
    connection.until_tools(&["a", "b0", "b1", "b2", "b3", "b4"]);
    // The new folders are watched like the others.
    project.write("manifests/f3/deep/er/c.toml", tool("c", "3"));
    connection.until_says("c", "3");
    project.write("manifests/f4/deep/er/b.toml", tool("b4", "4"));
    connection.until_says("b4", "4");
}

#[test]
fn a_renamed_folder() {
    let project = Project::new().manifest("one/a.toml", &tool("a", "1"));
    let daemon = project.serve();
    let mut connection = daemon.connect();
    let (one, two) = (
        project.manifests().join("one"),
        project.manifests().join("two"),
    );
    fs::rename(&one, &two).unwrap();
    project.write("manifests/two/a.toml", tool("a", "2"));
    connection.until_says("a", "2");
    // There and back: the same folder, the same inode, a watch that went with the name.
    fs::rename(&two, &one).unwrap();
    project.write("manifests/one/a.toml", tool("a", "3"));
    connection.until_says("a", "3");
    fs::rename(&one, project.manifests().join("_off")).unwrap();
    connection.until_tools(&[]);
}

#[test]
fn a_folder_removed_and_made_again_is_watched_again() {
    let project = Project::with(&tool("a", "1"));
    let daemon = project.serve();
    let mut connection = daemon.connect();
    for round in 0..4 {
        let text = round.to_string();
        project.write("manifests/sub/b.toml", tool("b", &text));
        connection.until_says("b", &text);
        project.write("manifests/sub/b.toml", tool("b", &format!("{text}+")));
        connection.until_says("b", &format!("{text}+"));
        // Often the new folder gets the inode number of the old.
        fs::remove_dir_all(project.manifests().join("sub")).unwrap();
    }
}

#[test]
fn the_watched_folder_itself_replaced() {
    let project = Project::with(&tool("a", "1"));
    let daemon = project.serve();
    let mut connection = daemon.connect();
    let manifests = project.manifests();
    for round in 2..5 {
        let text = round.to_string();
        fs::rename(&manifests, project.path().join(format!("old{round}"))).unwrap();
        fs::create_dir(&manifests).unwrap();
        fs::write(manifests.join("a.toml"), tool("a", &text)).unwrap();
        connection.until_says("a", &text);
        fs::write(manifests.join("a.toml"), tool("a", &format!("{text}+"))).unwrap();
        connection.until_says("a", &format!("{text}+"));
    }
    // As git does between branches: everything away, then everything there.
    fs::remove_dir_all(&manifests).unwrap();
    fs::create_dir(&manifests).unwrap();
    fs::write(manifests.join("a.toml"), tool("a", "other branch")).unwrap();
    connection.until_says("a", "other branch");
    let log = daemon.stderr();
    assert!(!log.contains("not reloaded"), "{log}");
}

#[test]
fn a_folder_above_the_watched_one_replaced() {
    let project = Project::new().file("x/y/z/m/a.toml", tool("a", "1"));
    let daemon = crate::support::Daemon::start(
        project
            .command("serve")
            .arg("x/y/z/m")
            .args(["--set", "http.listen=[\"127.0.0.1:0\"]"]),
    );
    let mut connection = daemon.connect();
    connection.until_says("a", "1");
    fs::rename(project.path().join("x"), project.path().join("w")).unwrap();
    project.write("x/y/z/m/a.toml", tool("a", "2"));
    connection.until_says("a", "2");
    project.write("x/y/z/m/a.toml", tool("a", "3"));
    connection.until_says("a", "3");
}

#[test]
fn a_linked_manifests_folder_pointed_elsewhere() {
    let project = Project::new()
        .file("releases/1/m/a.toml", tool("a", "1"))
        .file("releases/2/m/a.toml", tool("a", "2"));
    fs::remove_dir(project.manifests()).unwrap();
    symlink("current/m", project.manifests()).unwrap();
    let current = project.path().join("current");
    let point_to = |release: &str| {
        let new = project.path().join("new");
        symlink(format!("releases/{release}"), &new).unwrap();
        fs::rename(&new, &current).unwrap();
    };
    point_to("1");
    let daemon = project.serve();
    let mut connection = daemon.connect();
    connection.until_says("a", "1");
    point_to("2");
    connection.until_says("a", "2");
    project.write("releases/2/m/a.toml", tool("a", "2+"));
    connection.until_says("a", "2+");
    // The last link itself, made anew.
    fs::remove_file(project.manifests()).unwrap();
    symlink("releases/1/m", project.manifests()).unwrap();
    connection.until_says("a", "1");
}

#[test]
fn a_kubernetes_config_map_swap() {
    let project = Project::new()
        .file("manifests/..2026_01/a.toml", tool("a", "1"))
        .file("manifests/..2026_01/b.toml", tool("b", "1"));
    let manifests = project.manifests();
    symlink("..2026_01", manifests.join("..data")).unwrap();
    for name in ["a.toml", "b.toml"] {
        symlink(format!("..data/{name}"), manifests.join(name)).unwrap();
    }
    let daemon = project.serve();
    let mut connection = daemon.connect();
    connection.until_tools(&["a", "b"]);
    for round in 2..5 {
        // As kubelet's AtomicWriter does it.
        let text = round.to_string();
        let version = format!("..2026_0{round}");
        for name in ["a", "b"] {
            let path = format!("manifests/{version}/{name}.toml");
            project.write(&path, tool(name, &text));
        }
        symlink(&version, manifests.join("..data_tmp")).unwrap();
        fs::rename(manifests.join("..data_tmp"), manifests.join("..data")).unwrap();
        fs::remove_dir_all(manifests.join(format!("..2026_0{}", round - 1))).unwrap();
        connection.until_says("a", &text);
        connection.until_says("b", &text);
    }
    assert_eq!(
        super::reloads(&daemon, 3),
        3,
        "both files at once, each time"
    );
}

#[test]
fn a_file_that_was_named_itself() {
    let project = Project::new().file("one.tools", tool("a", "1"));
    let daemon = crate::support::Daemon::start(
        project
            .command("serve")
            .arg("one.tools")
            .args(["--set", "http.listen=[\"127.0.0.1:0\"]"]),
    );
    let mut connection = daemon.connect();
    connection.until_says("a", "1");
    project.write("one.tools", tool("a", "2"));
    connection.until_says("a", "2");
    project.save("one.tools", tool("a", "3"));
    connection.until_says("a", "3");
    fs::remove_file(project.path().join("one.tools")).unwrap();
    daemon.wait_for_log("`one.tools` does not exist");
    assert_eq!(connection.says("a"), "3");
    project.write("one.tools", tool("a", "4"));
    connection.until_says("a", "4");
}

#[test]
fn a_file_that_a_link_leads_to() {
    let project = Project::new().file("far/away/a.toml", tool("a", "1"));
    symlink("../far/away/a.toml", project.manifests().join("a.toml")).unwrap();
    let daemon = project.serve();
    let mut connection = daemon.connect();
    connection.until_says("a", "1");
    project.write("far/away/a.toml", tool("a", "2"));
    connection.until_says("a", "2");
}

#[test]
fn litter_neither_loads_nor_warns_nor_reloads() {
    let project = Project::with(&tool("a", "1")).set("log.level=debug");
    let daemon = project.serve();
    let mut connection = daemon.connect();
    for name in [
        ".a.toml.swp",
        ".#a.toml",
        "#a.toml#",
        "a.toml~",
        "a.toml.bak",
        "4913",
        "_draft.toml",
        ".hidden.toml",
        ".git/a.toml",
        "_off/a.toml",
        "README.md",
    ] {
        project.write(&format!("manifests/{name}"), "not a manifest [");
    }
    super::settled(&mut connection, &project.manifests());
    assert_eq!(super::reloads(&daemon, 1), 1);
    let log = daemon.stderr();
    assert!(!log.contains("WARN") && !log.contains("ERROR"), "{log}");
}

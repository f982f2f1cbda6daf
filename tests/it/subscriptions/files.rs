//! Watched files: edits in every style, files that come and go.

use super::{listen, said};
use crate::support::{Events, Project, modern};
use serde_json::json;
use std::fs;

const MANIFEST: &str = r#"
[[resource]]
uri = "notes://one"
name = "one"
file = { path = "../docs/one.txt", watch = true }

[[resource]]
uri_template = "docs:///{+path}"
name = "docs"
file = { root = "../docs", path = "{{ params.path }}", list = "**/*.md", watch = true }
"#;

fn project() -> Project {
    Project::with(MANIFEST)
        .set("reload.debounce_ms=20")
        .file("docs/one.txt", "one")
        .file("docs/a.md", "a")
        .file("docs/sub/b.md", "b")
        .file("docs/empty/.keep", "")
}

fn next_uri(events: &mut Events) -> String {
    let message = events.next().unwrap();
    assert_eq!(
        said(&message).0,
        "notifications/resources/updated",
        "{message}"
    );
    message["params"]["uri"].as_str().unwrap().to_owned()
}

#[test]
fn every_style_of_save_is_told() {
    let project = project();
    let daemon = project.serve();
    let uris = ["notes://one", "docs:///a.md", "docs:///sub/b.md"];
    let filter = json!({ "resourceSubscriptions": uris });
    let mut events = daemon.connect().events(&listen(1, filter));
    events.next();
    for (file, uri) in [
        ("docs/one.txt", "notes://one"),
        ("docs/a.md", "docs:///a.md"),
        ("docs/sub/b.md", "docs:///sub/b.md"),
    ] {
        let path = project.path().join(file);
        for round in 0..2 {
            // In place.
            fs::write(&path, format!("in place {round}")).unwrap();
            assert_eq!(next_uri(&mut events), uri);
            // A new file is renamed over it.
            let new = path.with_extension("new");
            fs::write(&new, format!("renamed {round}")).unwrap();
            fs::rename(&new, &path).unwrap();
            assert_eq!(next_uri(&mut events), uri);
            // As vim does: the old one is moved away, a new one written, the old one removed.
            let old = path.with_extension("old");
            fs::rename(&path, &old).unwrap();
            fs::write(&path, format!("backed up {round}")).unwrap();
            fs::remove_file(&old).unwrap();
            assert_eq!(next_uri(&mut events), uri);
            let read = daemon.ask(&modern(1, "resources/read", json!({ "uri": uri })));
            let text = &read["result"]["contents"][0]["text"];
            assert_eq!(text, &format!("backed up {round}"));
        }
    }
}

#[test]
fn every_spelling_of_a_uri_is_told() {
    let project = project();
    let daemon = project.serve();
    let uris = ["DOCS:///%61.md", "Notes://One", "docs:///sub%2Fb.md"];
    let filter = json!({ "resourceSubscriptions": uris });
    let mut events = daemon.connect().events(&listen(1, filter));
    events.next();
    for (file, uri) in [
        ("docs/a.md", uris[0]),
        ("docs/one.txt", uris[1]),
        ("docs/sub/b.md", uris[2]),
    ] {
        let read = daemon.ask(&modern(1, "resources/read", json!({ "uri": uri })));
        assert!(read["result"].is_object(), "{read}");
        fs::write(project.path().join(file), "edited").unwrap();
        assert_eq!(next_uri(&mut events), uri);
    }
}

#[test]
fn what_a_read_does_not_reach_is_not_watched() {
    let project = project().file("outside.md", "x");
    std::os::unix::fs::symlink("../outside.md", project.path().join("docs/link.md")).unwrap();
    let daemon = project.serve();
    let uris = ["docs:///a.md", "docs:///link.md"];
    let filter = json!({ "resourcesListChanged": true, "resourceSubscriptions": uris });
    let mut events = daemon.connect().events(&listen(1, filter));
    events.next();
    fs::write(project.path().join("outside.md"), "edited").unwrap();
    fs::write(project.path().join("docs/a.md"), "edited").unwrap();
    assert_eq!(next_uri(&mut events), "docs:///a.md");
    fs::write(project.path().join("docs/a.md"), "edited again").unwrap();
    assert_eq!(next_uri(&mut events), "docs:///a.md");
}

#[test]
fn another_definition_is_told_once() {
    let project = project();
    let daemon = project.serve();
    let uris = ["notes://one", "docs:///a.md"];
    let filter = json!({ "resourceSubscriptions": uris });
    let mut events = daemon.connect().events(&listen(1, filter));
    events.next();
    let other = MANIFEST.replace("../docs/one.txt", "../docs/two.txt");
    fs::write(project.path().join("docs/two.txt"), "two").unwrap();
    project.save("manifests/a.toml", other);
    assert_eq!(next_uri(&mut events), "notes://one");
    for _ in 0..2 {
        fs::write(project.path().join("docs/a.md"), "edited").unwrap();
        assert_eq!(next_uri(&mut events), "docs:///a.md");
    }
    fs::write(project.path().join("docs/two.txt"), "edited").unwrap();
    assert_eq!(next_uri(&mut events), "notes://one");
}

#[test]
fn files_that_come_and_go_change_the_list() {
    let project = project();
    let daemon = project.serve();
    let mut events = daemon
        .connect()
        .events(&listen(1, json!({ "resourcesListChanged": true })));
    events.next();
    let listed = || {
        let list = daemon.ask(&modern(1, "resources/list", json!({})));
        let resources = list["result"]["resources"].as_array().unwrap().clone();
        resources
            .iter()
            .map(|each| each["uri"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    for folder in ["docs", "docs/sub", "docs/empty", "docs/new/deep"] {
        let path = project.path().join(folder);
        fs::create_dir_all(&path).unwrap();
        fs::write(path.join("c.md"), "c").unwrap();
        assert_eq!(
            said(&events.next().unwrap()).0,
            "notifications/resources/list_changed"
        );
        let uri = format!(
            "docs:///{}",
            format!("{folder}/c.md").strip_prefix("docs/").unwrap()
        );
        crate::support::within("it is listed", || listed().contains(&uri).then_some(()));
        fs::remove_file(path.join("c.md")).unwrap();
        assert_eq!(
            said(&events.next().unwrap()).0,
            "notifications/resources/list_changed"
        );
        crate::support::within("it is gone", || (!listed().contains(&uri)).then_some(()));
    }
    // What is not listed tells nothing; the next that is told is of what is.
    fs::write(project.path().join("docs/other.txt"), "x").unwrap();
    fs::write(project.path().join("docs/d.md"), "d").unwrap();
    assert_eq!(
        said(&events.next().unwrap()).0,
        "notifications/resources/list_changed"
    );
}

#[test]
fn a_reload_tells_what_it_changed() {
    let text = |name: &str, text: &str| {
        format!("[[resource]]\nuri = \"x://{name}\"\nname = \"{name}\"\nresult.text = \"{text}\"\n")
    };
    let template = "[[resource]]\nuri_template = \"t://{a}\"\nname = \"t\"\nresult.text = \"1\"\n";
    let project = Project::new()
        .manifest("a.toml", &text("a", "1"))
        .manifest("b.toml", &text("b", "1"))
        .manifest("t.toml", template);
    let daemon = project.serve();
    let mut events = daemon.connect().events(&listen(
        1,
        json!({ "resourcesListChanged": true, "resourceSubscriptions": ["x://a", "x://b", "t://one", "X://A"] }),
    ));
    events.next();
    project.save("manifests/a.toml", text("a", "2"));
    let told = [next_uri(&mut events), next_uri(&mut events)];
    assert_eq!(told, ["X://A", "x://a"]);
    project.save("manifests/t.toml", template.replace("\"1\"", "\"2\""));
    assert_eq!(next_uri(&mut events), "t://one");
    project.save("manifests/b.toml", text("b", "2") + &text("c", "1"));
    assert_eq!(
        said(&events.next().unwrap()).0,
        "notifications/resources/list_changed"
    );
    assert_eq!(next_uri(&mut events), "x://b");
}

#[test]
fn an_edit_right_after_a_reload_is_told() {
    let project = project().manifest("b.toml", "");
    let daemon = project.serve();
    let mut lists = daemon
        .connect()
        .events(&listen(1, json!({ "resourcesListChanged": true })));
    lists.next();
    for round in 0..5 {
        let uri = format!("late://{round}");
        project.write("docs/late.txt", "before");
        project.save(
            "manifests/b.toml",
            format!(
                "[[resource]]\nuri = \"{uri}\"\nname = \"late\"\nfile = {{ path = \"../docs/late.txt\", watch = true }}\n"
            ),
        );
        assert_eq!(
            said(&lists.next().unwrap()).0,
            "notifications/resources/list_changed"
        );
        // Whoever heard of it can listen, and hears of everything from then on.
        let filter = json!({ "resourceSubscriptions": [uri] });
        let mut events = daemon.connect().events(&listen(1, filter));
        events.next();
        project.write("docs/late.txt", format!("edited {round}"));
        assert_eq!(next_uri(&mut events), uri);
    }
}

#[test]
fn another_folder_is_another_list() {
    let project = project().file("other/a.md", "a");
    let unwatched = MANIFEST.replace(", watch = true", "");
    project.save("manifests/a.toml", &unwatched);
    let daemon = project.serve();
    let mut events = daemon
        .connect()
        .events(&listen(1, json!({ "resourcesListChanged": true })));
    events.next();
    for manifest in [
        unwatched.replace("\"../docs\"", "\"../other\""),
        unwatched.replace("**/*.md", "*.md"),
    ] {
        project.save("manifests/a.toml", manifest);
        assert_eq!(
            said(&events.next().unwrap()).0,
            "notifications/resources/list_changed"
        );
    }
}

#[test]
fn what_a_cache_kept_is_forgotten_when_its_file_is_edited() {
    let cached = MANIFEST.replace(
        "\nname = ",
        "\nwrap = [{ cache = { ttl_ms = 600000 } }]\nname = ",
    );
    let project = project().manifest("a.toml", &cached);
    let daemon = project.serve();
    let uris = ["notes://one", "docs:///a.md"];
    let mut events = daemon
        .connect()
        .events(&listen(1, json!({ "resourceSubscriptions": uris })));
    events.next();
    let read = |uri: &str| {
        let read = daemon.ask(&modern(1, "resources/read", json!({ "uri": uri })));
        read["result"]["contents"][0]["text"].clone()
    };
    for (file, uri) in [("docs/one.txt", uris[0]), ("docs/a.md", uris[1])] {
        read(uri);
        project.save(file, "another text");
        assert_eq!(next_uri(&mut events), uri);
        assert_eq!(read(uri), "another text");
    }
}

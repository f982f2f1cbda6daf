//! The names of tools.

use super::{refused, served, text};
use crate::support::{Project, list};
use serde_json::{Value, json};

fn named(name: &str) -> String {
    format!(
        "[[tool]]\nname = {}\nresult.text = \"{{{{ request.method }}}}\"\n",
        json!(name)
    )
}

#[test]
fn names_outside_the_allowed_characters_and_length_are_refused_when_loaded() {
    for name in [
        "",
        "a b",
        "a,b",
        "a/b",
        "é",
        "a\nb",
        "a:b",
        &"x".repeat(129),
    ] {
        let said = refused(&named(name));
        assert!(said.contains("tool's name"), "{name:?}: {said}");
        assert!(said.contains("a.toml:2:8"), "{name:?}: {said}");
    }
    for name in ["a", "A-b_9", "0", "-", "_", &"x".repeat(64)] {
        let checked = Project::with(&named(name)).check(&[]);
        assert_eq!(checked.code, 0, "{name}: {}", checked.stdout);
        assert!(
            !checked.stdout.contains("warning"),
            "{name}: {}",
            checked.stdout
        );
    }
}

#[test]
fn names_that_some_clients_cannot_use_are_warned_of_and_served() {
    for name in ["admin.list", &"x".repeat(65), &"x".repeat(128)] {
        let project = Project::with(&named(name));
        let checked = project.check(&[]);
        let said = checked.stdout + &checked.stderr;
        assert_eq!(checked.code, 0, "{said}");
        assert!(
            said.contains("warning") && said.contains("several clients"),
            "{said}"
        );
        let mut both = crate::support::Both::of(project);
        assert_eq!(text(&mut both, name, json!({})), "tools/call");
    }
}

#[test]
fn a_name_taken_twice_names_both_places() {
    let project = Project::new()
        .manifest("one.toml", &named("twice"))
        .manifest("two.toml", &format!("\n{}", named("twice")));
    let checked = project.check(&[]);
    let said = checked.stdout + &checked.stderr;
    assert_eq!(checked.code, 1, "{said}");
    assert!(
        said.contains("one.toml:2:8") && said.contains("two.toml:3:8"),
        "{said}"
    );
}

#[test]
fn names_differ_by_case() {
    let mut both = served(&format!("{}{}", named("foo"), named("Foo")));
    let tools = both.ask(&list(1))["result"]["tools"].clone();
    let names: Vec<&Value> = tools
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| &tool["name"])
        .collect();
    assert_eq!(names, ["foo", "Foo"]);
    assert_eq!(text(&mut both, "foo", json!({})), "tools/call");
    assert_eq!(text(&mut both, "Foo", json!({})), "tools/call");
}

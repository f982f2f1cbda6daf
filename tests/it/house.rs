//! The house rules of ARCHITECTURE.md that a program can check.

use std::path::{Path, PathBuf};

/// The modules in layer order: each imports only what stands in a line above it.
const LAYERS: &[&[&str]] = &[
    &[
        "lang",
        "secret",
        "service",
        "shutdown",
        "telemetry",
        "units",
    ],
    &["model"],
    &["manifest", "ops", "process"],
    &["protocol", "actor"],
    &["action", "guard"],
    &["access", "otlp"],
    &["runtime"],
    &["server", "testing"],
    &["transport", "client"],
    &["reload", "catalog"],
    &["app"],
    &["cli"],
];

/// Imports that go sideways or up on purpose, each with its reason.
const EXCEPTIONS: &[(&str, &str, &str)] = &[];

fn sources(dir: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(dir)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    assert!(!files.is_empty());
    files
}

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|modules| modules.contains(&module))
}

#[test]
fn modules_import_only_lower_layers() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    for file in sources("src") {
        let inside = file.strip_prefix(&root).unwrap();
        let first = inside
            .components()
            .next()
            .unwrap()
            .as_os_str()
            .to_string_lossy();
        let module = first.trim_end_matches(".rs").to_owned();
        let Some(own) = layer(&module) else { continue };
        let text = std::fs::read_to_string(&file).unwrap();
        for (at, _) in text.match_indices("crate::") {
            let rest = &text[at + "crate::".len()..];
            if rest.starts_with('{') {
                wrong.push(format!(
                    "{} hides what it imports in crate::{{…}}",
                    inside.display()
                ));
            }
            let other: String = rest
                .chars()
                .take_while(|c| c.is_alphanumeric() || *c == '_')
                .collect();
            let Some(target) = layer(&other) else {
                continue;
            };
            let excused = EXCEPTIONS
                .iter()
                .any(|(from, to, _)| *from == module && *to == other);
            if other != module && target >= own && !excused {
                wrong.push(format!("{} imports crate::{other}", inside.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn files_are_short_and_say_what_they_are() {
    let mut wrong = Vec::new();
    for file in sources("src").into_iter().chain(sources("tests")) {
        let text = std::fs::read_to_string(&file).unwrap();
        let lines = text.lines().count();
        if lines > 500 {
            wrong.push(format!("{} has {lines} lines", file.display()));
        }
        if !text.starts_with("//!") {
            wrong.push(format!("{} does not begin with a //! line", file.display()));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_revisions_date_stands_only_under_protocol() {
    let mut wrong = Vec::new();
    for file in sources("src") {
        let text = std::fs::read_to_string(&file).unwrap();
        let code = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        let dated = code.into_iter().any(|line| {
            ["2026-07-28", "2025-11-25", "2025-06-18"]
                .iter()
                .any(|date| line.contains(date))
        });
        let excused = |name: &str| file.components().any(|part| part.as_os_str() == name);
        if dated && !excused("protocol") && !excused("tests") && !excused("tests.rs") {
            wrong.push(file);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn only_tests_of_manifests_reach_a_stand_in() {
    // Where one is, how a client comes to it, and who makes one.
    let may = [
        "action/http/",
        "action/mod.rs",
        "runtime/build.rs",
        "testing/",
    ];
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    for file in sources("src") {
        let inside = file.strip_prefix(&root).unwrap().to_string_lossy();
        let text = std::fs::read_to_string(&file).unwrap();
        let is_test = inside.contains("/tests/") || inside.ends_with("/tests.rs");
        let may = is_test || may.iter().any(|begin| inside.starts_with(begin));
        let names = text.contains("StandIn") && !may;
        let builds = text.contains("build_for_test(")
            && !["runtime/build.rs", "testing/mod.rs"].contains(&&*inside);
        let runs = text.contains("testing::run(") && inside != "cli/test.rs";
        if names || builds || runs {
            wrong.push(inside.into_owned());
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

//! The tables that repeat what stands elsewhere: dependencies, codes.

use super::{docs, text};
use crate::support::Project;
use std::collections::BTreeSet;

/// The crates of one table of Cargo.toml.
fn crates(table: &str) -> BTreeSet<String> {
    let manifest: toml::Table = text("Cargo.toml").parse().unwrap();
    manifest[table]
        .as_table()
        .unwrap()
        .keys()
        .cloned()
        .collect()
}

/// The first column of a table of Markdown; several names may share a line.
fn first_column(table: &str) -> Vec<String> {
    let rows = table.lines().filter_map(|line| line.strip_prefix("| "));
    rows.filter_map(|row| row.split(" | ").next())
        .flat_map(|cell| cell.split(", "))
        .map(|name| name.trim_matches('`').trim().to_owned())
        .filter(|name| name != "crate" && name != "code" && !name.is_empty())
        .collect()
}

#[test]
fn every_dependency_has_its_reason_and_no_reason_is_stale() {
    let page = text("docs/dependencies.md");
    let (shipped, tested) = page.split_once("For tests").unwrap();
    for (table, part) in [("dependencies", shipped), ("dev-dependencies", tested)] {
        let listed = first_column(part);
        let unique: BTreeSet<String> = listed.iter().cloned().collect();
        assert_eq!(
            listed.len(),
            unique.len(),
            "a crate stands twice: {listed:?}"
        );
        let mut used = crates(table);
        if table == "dev-dependencies" {
            // Those with more features for tests.
            used = &used - &crates("dependencies");
        }
        assert_eq!(unique, used, "docs/dependencies.md, {table}");
    }
}

/// The codes that the program knows.
fn codes() -> BTreeSet<String> {
    let checked = Project::new().command("check");
    let program = checked.get_program().to_owned();
    let output = std::process::Command::new(program)
        .args(["check", "--explain", "all"])
        .output()
        .unwrap();
    let output = String::from_utf8(output.stdout).unwrap();
    output.lines().map(str::to_owned).collect()
}

#[test]
fn the_table_of_codes_is_the_programs() {
    let page = text("docs/manifest.md");
    let section = page.split_once("\n## Errors").unwrap().1;
    let section = section.split("\n## ").next().unwrap();
    let listed: BTreeSet<String> = first_column(section).into_iter().collect();
    assert_eq!(listed, codes());
}

#[test]
fn every_code_that_is_named_exists() {
    let codes = codes();
    let mut pages = docs();
    pages.push("README.md".to_owned());
    for page in pages {
        for after in text(&page).split("--explain ").skip(1) {
            let word = after.split([' ', '\n', '`', ')']).next().unwrap();
            let known = codes.contains(word) || ["CODE", "all", "nope"].contains(&word);
            assert!(known, "{page} names the code `{word}`");
        }
    }
}

//! Pairs `x.toml` and `x.snap`: a manifest, and the exit code and text that `snodo check x.toml`
//! gives for it. To write the snapshots anew from what the program says, and then to read what
//! changed:
//!
//! ```sh
//! SNODO_BLESS=1 cargo test --test it check::fixtures
//! git diff tests/it/check/fixtures
//! ```

use crate::support::{Checked, Project};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The folder of the pairs.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/check/fixtures")
}

/// The manifests of the folder, in the order of their names.
pub fn manifests() -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".toml"))
        .collect();
    names.sort();
    names
}

/// Checks one of the manifests with a server file that declares a secret.
pub fn check(manifest: &str, args: &[&str]) -> Checked {
    let project = Project::new().file(
        "snodo.toml",
        "manifests = [\"manifests\"]\n[secrets]\ntoken = { env = \"SNODO_TEST_TOKEN\" }\n",
    );
    let output = Command::new(env!("CARGO_BIN_EXE_snodo"))
        .arg("check")
        .arg("--config")
        .arg(project.path().join("snodo.toml"))
        .args(args)
        .arg(manifest)
        .current_dir(folder())
        .env("SNODO_TEST_TOKEN", "marker-3141592653")
        .env("PATH", "/usr/bin:/bin")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    Checked::of(output)
}

#[test]
fn every_manifest_says_what_its_snapshot_says() {
    let bless = std::env::var_os("SNODO_BLESS").is_some();
    let names = manifests();
    assert!(names.len() > 20);
    let mut wrong = Vec::new();
    for name in &names {
        let checked = check(name, &[]);
        assert_eq!(checked.stdout, "", "{name}: text goes to standard error");
        assert!(!checked.stderr.contains("marker-3141592653"), "{name}");
        let said = format!("exit code {}\n\n{}", checked.code, checked.stderr);
        let snapshot = folder().join(name).with_extension("snap");
        if bless {
            std::fs::write(&snapshot, &said).unwrap();
            continue;
        }
        let expected = std::fs::read_to_string(&snapshot).unwrap_or_default();
        if said != expected {
            wrong.push(format!(
                "== {name}: expected\n{expected}\n== but it said\n{said}"
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{}\nsee the top of {} for how to write the snapshots anew",
        wrong.join("\n"),
        file!()
    );
}

#[test]
fn the_sample_error_of_the_manual_is_printed_as_it_stands_there() {
    let sample = std::fs::read_to_string(folder().join("sample.toml")).unwrap();
    let project = Project::new().manifest("orders.toml", &sample);
    assert_eq!(
        project.check(&[]).stderr,
        "\
error: unknown key `min_lenght`
  --> manifests/orders.toml:14:1
   |
14 | min_lenght = 1
   | ^^^^^^^^^^ in tool \"order\", argument \"lines.sku\"
   = help: did you mean `min_length`?

1 error in 1 file
what it means: snodo check --explain unknown-key
"
    );
}

//! What people read is true: every example in README and docs/ is run.
//!
//! A fenced block says by the first word and the rest of its info string what it is:
//!
//! | info string | what is checked |
//! |---|---|
//! | `toml` | a whole manifest: `snodo check --deny-warnings` finds nothing, and its tests pass |
//! | `toml fails` | a whole manifest: `snodo check --deny-warnings` finds nothing; `snodo test` fails and prints the `text` block below, exactly |
//! | `toml warns` | a whole manifest: `snodo check` succeeds and prints the `text` block below, exactly |
//! | `toml wrong` | a whole manifest: `snodo check` fails and prints the `text` block below, exactly |
//! | `toml server` | a server file: as `toml`; `server warns` and `server wrong` too |
//! | `json call=NAME` | arguments: the tool NAME of the manifest above is called over `snodo stdio` |
//! | `json answer` | the answer to the call above: the whole result, less `resultType`, `serverInfo` and a false `isError`; or `{"error": …}` |
//! | `sh run` | a script, and the `text` block below is all that it prints |
//! | `sh step`, `sh serve`, `text log` | the newcomer's path, see `docs/path.rs` |
//! | `… file=NAME` | a file that lies beside every manifest of its page |
//! | any other | nothing |
//!
//! An example is `manifests/example.toml`; a server file `snodo.toml` beside `manifests`. Beside the
//! manifest lie `notes/today.txt` and `notes/old/`, `search.schema.json`, `beep.wav` and certificates;
//! the server file declares `secrets.api_token`, `server.env = ["REGION"]` and a `server.state_dir`. A script starts in a
//! folder that holds README's `tools/hello.toml`.

pub mod blocks;
mod examples;
mod keys;
mod path;
mod readme;
mod tables;

use std::path::{Path, PathBuf};

/// The repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The text of a file of the repository.
pub fn text(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// `docs/*.md` as paths from the repository's root, in order.
fn docs() -> Vec<String> {
    let folder = std::fs::read_dir(root().join("docs")).unwrap();
    let mut paths: Vec<String> = folder
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".md"))
        .map(|name| format!("docs/{name}"))
        .collect();
    paths.sort();
    paths
}

/// Everything that people read.
pub fn pages() -> Vec<String> {
    let mut pages = docs();
    for page in ["README.md", "ARCHITECTURE.md", "CHANGELOG.md"] {
        pages.push(page.to_owned());
    }
    pages
}

/// A path beside a page.
fn beside(page: &str, link: &str) -> PathBuf {
    root().join(page).parent().unwrap().join(link)
}

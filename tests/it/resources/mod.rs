//! Resources, over both transports.
//!
//! | requirement | tests |
//! |---|---|
//! | not-found codes; never empty contents | `read::what_is_not_there_…`, `files::a_file_that_…`, `actions::…` |
//! | encoded slash becomes a path | `files::a_name_that_is_no_name_…`, `files::what_is_outside_…` |
//! | optional query parts | `read::query_parameters_…` |
//! | two templates match | `read::two_templates_…` |
//! | cursors | `list::resources_are_paged_…`, `files::a_file_that_comes_…` |
//! | cache hints | `list::…`, `read::how_long_…` |

mod actions;
mod files;
mod large;
mod list;
mod load;
mod read;

use crate::support::{Both, Project, modern};
use serde_json::{Value, json};

/// A manifest served over both transports.
fn served(manifest: &str) -> Both {
    Both::of(Project::with(manifest))
}

/// `resources/read`.
fn read(uri: &str) -> Value {
    modern(1, "resources/read", json!({ "uri": uri }))
}

/// `resources/list`.
fn list(cursor: Option<&str>) -> Value {
    page("resources/list", cursor)
}

/// `resources/templates/list`.
fn templates(cursor: Option<&str>) -> Value {
    page("resources/templates/list", cursor)
}

fn page(method: &str, cursor: Option<&str>) -> Value {
    let params = match cursor {
        Some(cursor) => json!({ "cursor": cursor }),
        None => json!({}),
    };
    modern(1, method, params)
}

/// What is read at a URI.
fn contents(both: &mut Both, uri: &str) -> Value {
    let answer = both.ask(&read(uri));
    assert!(answer["error"].is_null(), "{uri}: {answer}");
    answer["result"]["contents"].clone()
}

/// That nothing is there, told of as the specification says.
fn not_found(both: &mut Both, uri: &str) {
    let answer = both.ask(&read(uri));
    let expected =
        json!({ "code": -32602, "message": "Resource not found", "data": { "uri": uri } });
    assert_eq!(answer["error"], expected, "{uri}");
}

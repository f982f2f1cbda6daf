//! tools/call: arguments, schemas, results, errors, over both transports.
//!
//! | requirement | tests |
//! |---|---|
//! | `arguments: null` | `arguments::absent_null_and_empty_…` |
//! | schema dialect | `schemas::another_dialect_…`, `draft_07_…`, `generated_…`, `an_input_schema_…` |
//! | a regex the engine cannot compile is skipped | `schemas::a_pattern_that_no_engine_takes_…` |
//! | remote `$ref` is fetched | `schemas::a_reference_out_of_the_document_…`, `depth_and_size_…` |
//! | outputSchema and errors | `output` |
//! | tool names | `names` |
//! | progress nobody asked for | `limits::a_progress_token_…` |
//! | not-found codes | `framing::messages::params_of_the_wrong_form_…` |
//! | cursors: last page and nonsense | `paging` |
//! | encoded Mcp-Name is refused (Mcp-Param) | `mirrored` |
//! | two clients, same id, swapped answers | `limits::two_hundred_callers_…` |
//! | templates and typed values | `templates`, `results`, `blocks` |
//! | results, protocol errors | `results`, `errors`, `blocks` |

mod arguments;
mod blocks;
mod defaults;
mod errors;
mod limits;
mod mirrored;
mod names;
mod output;
mod paging;
mod results;
mod schemas;
mod templates;

use crate::support::{Both, Project, call, text_of};
use serde_json::Value;

/// A manifest served over both transports.
fn served(manifest: &str) -> Both {
    Both::of(Project::with(manifest))
}

/// Calls a tool over both transports: the result.
fn result(both: &mut Both, tool: &str, arguments: Value) -> Value {
    both.ask(&call(1, tool, arguments))["result"].clone()
}

/// The text of a call that went well.
fn text(both: &mut Both, tool: &str, arguments: Value) -> String {
    let answer = both.ask(&call(1, tool, arguments));
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    text_of(&answer)
}

/// The text of a call that the tool reports as failed. Such an answer is text alone.
fn failure(both: &mut Both, tool: &str, arguments: Value) -> String {
    let answer = both.ask(&call(1, tool, arguments));
    let result = &answer["result"];
    assert_eq!(result["isError"], true, "{answer}");
    assert_eq!(result.get("structuredContent"), None, "{answer}");
    assert_eq!(result["content"].as_array().unwrap().len(), 1, "{answer}");
    text_of(&answer)
}

/// What `snodo check` says is wrong with a manifest.
fn refused(manifest: &str) -> String {
    let checked = Project::with(manifest).check(&["--format", "text"]);
    let said = checked.stdout + &checked.stderr;
    assert_eq!(checked.code, 1, "{said}{manifest}");
    said
}

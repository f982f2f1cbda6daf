//! JSON-RPC and the stdio transport: every line of the requirements on framing.
//!
//! | requirement | tests |
//! |---|---|
//! | log text on stdout | `output` |
//! | server outlives its client | `ends` |
//! | one bad line ends the session | `lines`, `messages::what_is_not_json_…` |
//! | CRLF and blank lines | `lines::lines_may_end_with_crlf_…` |
//! | response id changes type | `answers::an_id_comes_back_…`, `cancel::an_id_of_another_type_…` |
//! | notifications get answers | `messages::notifications_get_no_answer` |
//! | batch arrays | `messages::a_batch_is_refused_…` |
//! | one slow tool stops everything | `flow` |
//! | cancel does not stop the work | `cancel` |
//! | big answers on stdio | `flow::a_big_answer_…`, `lines::a_line_…` |
//! | modern unknown methods, versions, `_meta` | `messages` |

mod answers;
mod cancel;
mod ends;
mod flow;
mod lines;
mod messages;
mod output;

use crate::support::{Fifo, Project};

/// Tools that answer at once, wait for the test, or start a family of processes.
const TOOLS: &str = r#"
[[tool]]
name = "echo"
arguments.text = { type = "string", default = "nothing" }
result.text = "{{ args.text }}"

[[tool]]
name = "request_id"
result.structured = "{{ request.id }}"

# Waits until somebody opens the pipe to write, then answers what was written.
[[tool]]
name = "wait"
arguments.gate = { type = "string", default = "gate" }
shell = { command = ["cat", "{{ args.gate }}"], cwd = ".." }

# Says its own number and its child's, then waits for the child.
[[tool]]
name = "family"
[tool.shell]
cwd = ".."
script = '''
sleep 1000 & echo "$$ $!" > family
wait
'''
"#;

/// A project of these tools with the pipes they use.
fn project() -> Project {
    let project = Project::with(TOOLS);
    Fifo::make(project.path().join("gate"));
    Fifo::make(project.path().join("family"));
    project
}

/// The pipe that the tool `wait` reads.
fn gate(project: &Project) -> Fifo {
    Fifo::at(project.path().join("gate"))
}

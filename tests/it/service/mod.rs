//! The server as a service: what it tells a service manager and takes from it.

mod activation;
mod notify;

use crate::support::Project;

const TOOL: &str = "[[tool]]\nname = \"t\"\nresult.text = \"hello\"\n";

fn project() -> Project {
    Project::with(TOOL)
}

//! The server as a service: what it tells a service manager and takes from it.

mod activation;
mod audit;
mod first;
mod notify;
mod overload;
mod reports;

use crate::support::Project;

const TOOL: &str = "[[tool]]\nname = \"t\"\nresult.text = \"hello\"\n";

fn project() -> Project {
    Project::with(TOOL)
}

//! How the value of a prompt's argument or of a URI template's variable is completed.

use super::ActionSpec;
use crate::lang::template::Template;

/// Where the candidates come from.
#[derive(Debug)]
pub enum CompleteSpec {
    /// These, in order.
    List(Vec<String>),
    /// What is asked for each time.
    Live(LiveSpec),
}

/// Candidates that are asked for each time.
#[derive(Debug)]
pub struct LiveSpec {
    /// What gives them; `None` makes them of `values` alone.
    pub action: Option<ActionSpec>,
    /// The candidates, a list; `None` is the action's own: a list that its output is, or its lines.
    pub values: Option<Template>,
    /// Only candidates that hold what has been typed are offered, as with a list.
    pub filter: bool,
}

//! Completing a value that somebody is typing (specification: completion).

/// What a value to complete belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reference {
    /// `ref/prompt`: a prompt, by name.
    Prompt(String),
    /// `ref/resource`: a resource template, or a resource, by its URI.
    Resource(String),
}

/// Values offered for what has been typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// The best, best first: [`Completion::MOST`] at the most.
    pub values: Vec<String>,
    /// How many there are in all.
    pub total: usize,
}

impl Completion {
    /// Most values of one answer (schema: CompleteResult).
    pub const MOST: usize = 100;

    /// There are more than are given.
    pub fn has_more(&self) -> bool {
        self.total > self.values.len()
    }
}

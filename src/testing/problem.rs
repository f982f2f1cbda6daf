//! What is not as a test says it must be.

use super::json_diff::Difference;
use super::text_diff::Change;

/// One thing that is not as it must be.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// What it is about, by the manifest's key: `structured`, `http request 2, url`.
    pub about: String,
    /// What is wrong with it.
    pub told: Told,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq)]
pub enum Told {
    /// In words.
    Plain(String),
    /// In words, and a text that the words are about.
    Quoted {
        /// The words.
        message: String,
        /// The text.
        text: String,
    },
    /// Two JSON values differ in these places.
    Json(Vec<Difference>),
    /// Two texts differ: the lines of both.
    Text(Vec<Change>),
}

impl Problem {
    pub(super) fn new(about: impl Into<String>, told: Told) -> Self {
        Self {
            about: about.into(),
            told,
        }
    }

    /// One value was expected and another came.
    pub(super) fn differs(
        about: impl Into<String>,
        expected: impl std::fmt::Display,
        actual: impl std::fmt::Display,
    ) -> Self {
        Self::new(
            about,
            Told::Plain(format!("expected {expected}, actual {actual}")),
        )
    }
}

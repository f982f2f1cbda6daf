//! What a value breaks, told without the value: the place, the keyword, the rule.

use super::error::clip;
use super::pointer;
use std::fmt;

/// Violations told in full; of the rest only the number is said.
const MAX_VIOLATIONS: usize = 20;

/// Longest key of a caller repeated in a location or a message, in characters.
const MAX_KEY: usize = 64;

/// Longest location, in characters.
const MAX_LOCATION: usize = 512;

/// Names told of one missing list.
const MAX_NAMES: usize = 50;

/// What a value breaks, in the order of the schema. At least one violation, or incomplete.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Violations {
    missing: Vec<String>,
    list: Vec<Violation>,
    more: usize,
    incomplete: bool,
}

/// One broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    location: String,
    keyword: &'static str,
    message: String,
}

impl Violation {
    /// JSON Pointer (RFC 6901) to the value; `/` for the whole of it. Keys are cut to 64
    /// characters, and control characters in them are escaped.
    pub fn location(&self) -> &str {
        &self.location
    }

    /// The rule, as a clause about the value: `value is shorter than 3 characters`. It repeats
    /// nothing of the value but names of properties.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl Violations {
    /// The required properties that the whole value lacks.
    pub fn missing(&self) -> &[String] {
        &self.missing
    }

    /// The other violations, the first 20 of them.
    pub fn list(&self) -> &[Violation] {
        &self.list
    }

    /// How many more there are beside [`Self::list`].
    #[cfg(test)]
    pub(super) fn more(&self) -> usize {
        self.more
    }

    /// The text for a caller whose arguments these are: one line each, what is missing first.
    pub fn arguments_text(&self) -> String {
        let missing = (!self.missing.is_empty())
            .then(|| format!("Missing required arguments: {}", names(&self.missing)));
        self.lines(
            missing,
            "Invalid arguments",
            "the arguments do not match their schema",
        )
    }

    /// The text for a tool whose output these are: one line each, what is missing first.
    pub fn output_text(&self) -> String {
        let subject = "the tool's output does not match its output schema";
        self.lines(self.missing_line(subject), subject, subject)
    }

    fn missing_line(&self, subject: &str) -> Option<String> {
        (!self.missing.is_empty())
            .then(|| format!("{subject} at /: {}", missing_message(&self.missing)))
    }

    fn lines(&self, missing: Option<String>, subject: &str, alone: &str) -> String {
        let mut lines: Vec<String> = missing.into_iter().collect();
        for violation in &self.list {
            lines.push(format!(
                "{subject} at {}: {}",
                violation.location, violation.message
            ));
        }
        if lines.is_empty() {
            lines.push(alone.to_owned());
        } else if self.incomplete {
            lines.push("and perhaps more: the value is too large to look further".to_owned());
        } else if self.more > 0 {
            lines.push(format!("and {} more", self.more));
        }
        lines.join("\n")
    }

    /// Adds the required properties an object lacks.
    pub(super) fn add_missing(&mut self, place: &Place<'_>, names: Vec<String>) {
        if !place.is_root() {
            self.add(place, "required", missing_message(&names));
            return;
        }
        for name in names {
            if !self.missing.contains(&name) {
                self.missing.push(name);
            }
        }
    }

    pub(super) fn add(&mut self, place: &Place<'_>, keyword: &'static str, message: String) {
        if self.list.len() >= MAX_VIOLATIONS {
            self.more += 1;
            return;
        }
        let violation = Violation {
            location: place.pointer(),
            keyword,
            message,
        };
        // A schema can say the same thing twice, as under `allOf`.
        if !self.list.contains(&violation) {
            self.list.push(violation);
        }
    }

    /// Says that the search ended before all was seen.
    pub(super) fn set_incomplete(&mut self) {
        self.incomplete = true;
    }

    /// The value is nested too deep to be checked.
    pub(super) fn too_deep() -> Self {
        let mut violations = Self::default();
        violations.add(&Place::Root, "type", "value is nested too deep".to_owned());
        violations
    }

    /// Required properties that are missing at the root, and nothing else.
    pub(super) fn of_missing(missing: Vec<String>) -> Self {
        Self {
            missing,
            ..Self::default()
        }
    }
}

impl fmt::Display for Violations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let subject = "the value does not match its schema";
        f.write_str(&self.lines(self.missing_line(subject), subject, subject))
    }
}

impl std::error::Error for Violations {}

/// Where in a value one is, as a chain up the stack.
pub(super) enum Place<'a> {
    Root,
    Key(&'a Place<'a>, &'a str),
    Index(&'a Place<'a>, usize),
}

impl Place<'_> {
    fn is_root(&self) -> bool {
        matches!(self, Self::Root)
    }

    fn pointer(&self) -> String {
        let mut tokens = Vec::new();
        let mut place = self;
        loop {
            place = match place {
                Self::Root => break,
                Self::Key(parent, key) => {
                    tokens.push(key_text(key));
                    parent
                }
                Self::Index(parent, index) => {
                    tokens.push(index.to_string());
                    parent
                }
            };
        }
        let mut text = String::new();
        for token in tokens.iter().rev() {
            pointer::push(&mut text, token);
        }
        if text.is_empty() {
            text.push('/');
        }
        clip(&text, MAX_LOCATION)
    }
}

/// A property's name as a caller wrote it, cut to a bound.
pub(super) fn key_text(key: &str) -> String {
    clip(key, MAX_KEY)
}

/// Names from a schema, comma-separated, cut to a bound.
pub(super) fn names(names: &[String]) -> String {
    let shown: Vec<String> = names
        .iter()
        .take(MAX_NAMES)
        .map(|name| key_text(name))
        .collect();
    match names.len() - shown.len() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

fn missing_message(missing: &[String]) -> String {
    let noun = if missing.len() == 1 {
        "property"
    } else {
        "properties"
    };
    format!("missing required {noun}: {}", names(missing))
}

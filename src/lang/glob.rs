//! Patterns of file paths: `docs/**/*.md`.
//!
//! `*` and `?` stand for characters of one name, `**` for any number of folders, `[a-z]` for one
//! character, `{a,b}` for alternatives. A name that begins with `.` is matched only by a pattern one
//! of whose names begins with `.` too.

use globset::{GlobBuilder, GlobMatcher};
use std::fmt;

/// Longest pattern, in bytes.
const MAX_BYTES: usize = 1024;

/// A pattern, compiled.
#[derive(Clone)]
pub struct Glob {
    matcher: GlobMatcher,
    hidden: bool,
}

/// Why a text is no pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct GlobError(String);

impl Glob {
    /// Reads a pattern of a path below a folder.
    ///
    /// # Errors
    /// It is malformed, longer than 1,024 bytes, or could match no path below a folder.
    pub fn parse(pattern: &str) -> Result<Self, GlobError> {
        let refuse = |why: &str| Err(GlobError(why.to_owned()));
        if pattern.is_empty() || pattern.len() > MAX_BYTES {
            return refuse("it must have 1 to 1024 bytes");
        }
        if pattern.starts_with('/') {
            return refuse("it counts from `root` and does not begin with `/`");
        }
        if pattern
            .split('/')
            .any(|name| matches!(name, "" | "." | ".."))
        {
            return refuse("no name in it can be empty, `.` or `..`");
        }
        let glob = GlobBuilder::new(pattern)
            .literal_separator(true)
            .backslash_escape(true)
            .build()
            .map_err(|error| GlobError(error.kind().to_string()))?;
        Ok(Self {
            matcher: glob.compile_matcher(),
            hidden: pattern
                .split(['/', '{', ','])
                .any(|name| name.starts_with('.')),
        })
    }

    /// Whether a path below the folder, its names parted by `/`, fits.
    pub fn matches(&self, path: &str) -> bool {
        self.matcher.is_match(path)
    }

    /// Whether names that begin with `.` are looked at.
    pub fn shows_hidden(&self) -> bool {
        self.hidden
    }
}

impl fmt::Debug for Glob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Glob")
            .field(&self.matcher.glob().glob())
            .finish()
    }
}

impl PartialEq for Glob {
    fn eq(&self, other: &Self) -> bool {
        self.matcher.glob() == other.matcher.glob()
    }
}

impl Eq for Glob {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_pattern_matches() {
        for (pattern, path, expected) in [
            ("**/*.md", "a.md", true),
            ("**/*.md", "a/b/c.md", true),
            ("*.md", "a/b.md", false),
            ("a/?.md", "a/b.md", true),
            ("a/?.md", "a/bc.md", false),
            ("a/**", "a/b/c", true),
            ("a/**", "b/c", false),
            ("**/*.{md,txt}", "a/b.txt", true),
            ("[ab].md", "b.md", true),
            ("\\*.md", "*.md", true),
            ("\\*.md", "a.md", false),
        ] {
            let glob = Glob::parse(pattern).unwrap();
            assert_eq!(glob.matches(path), expected, "{pattern} {path}");
        }
        assert!(!Glob::parse("**/*.md").unwrap().shows_hidden());
        assert!(Glob::parse(".github/**").unwrap().shows_hidden());
        assert!(Glob::parse("a/{.x,b}").unwrap().shows_hidden());
    }

    #[test]
    fn what_is_no_pattern() {
        let refused = |pattern: &str| Glob::parse(pattern).unwrap_err().to_string();
        for (pattern, why) in [
            ("", "it must have 1 to 1024 bytes"),
            (&"a".repeat(1025), "it must have 1 to 1024 bytes"),
            ("/a", "it counts from `root` and does not begin with `/`"),
            ("a//b", "no name in it can be empty, `.` or `..`"),
            ("../a", "no name in it can be empty, `.` or `..`"),
            ("./a", "no name in it can be empty, `.` or `..`"),
            ("a/", "no name in it can be empty, `.` or `..`"),
            ("a/../b", "no name in it can be empty, `.` or `..`"),
            ("[a", "unclosed character class; missing ']'"),
            (
                "{a",
                "unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)",
            ),
        ] {
            assert_eq!(refused(pattern), why, "{pattern}");
        }
        assert!(Glob::parse(&"a".repeat(1024)).is_ok());
    }

    #[test]
    fn patterns_are_the_same_when_their_text_is() {
        let glob = |pattern: &str| Glob::parse(pattern).unwrap();
        assert_eq!(glob("a/*"), glob("a/*"));
        assert_ne!(glob("a/*"), glob("a/?"));
    }
}

//! The order findings are given in, whatever order the checks found them in.

use super::{Code, Diagnostic};
use std::path::Path;

/// By path, position, code and message; what has no place comes first.
pub(super) fn sorted(diagnostics: &[Diagnostic]) -> Vec<&Diagnostic> {
    let mut sorted: Vec<&Diagnostic> = diagnostics.iter().collect();
    sorted.sort_by(|a, b| key(a).cmp(&key(b)));
    sorted
}

type Key<'d> = (Option<(&'d Path, usize, usize)>, Code, &'d str);

fn key(diagnostic: &Diagnostic) -> Key<'_> {
    let at = diagnostic.at.as_ref();
    (
        at.map(|span| (span.file.path(), span.start, span.end)),
        diagnostic.code,
        &diagnostic.message,
    )
}

#[cfg(test)]
mod tests {
    use super::super::{SourceFile, Span};
    use super::*;

    #[test]
    fn path_then_position_then_code() {
        let at = |path: &str, start, code| {
            let file = SourceFile::new(path, "x".repeat(9));
            let end = start + 1;
            Diagnostic::error(Code(code), Span { file, start, end }, "m")
        };
        let found = [
            at("a.toml", 1, "a"),
            at("a/z.toml", 5, "b"),
            at("a/z.toml", 5, "a"),
            Diagnostic::placeless(Code("z"), "m"),
            at("a/z.toml", 2, "c"),
        ];
        let order: Vec<String> = sorted(&found)
            .iter()
            .map(|one| match &one.at {
                Some(at) => format!("{}:{} {}", at.file.path().display(), at.start, one.code.0),
                None => one.code.0.to_owned(),
            })
            .collect();
        // `a/z.toml` before `a.toml`: paths compare folder by folder, as they are read.
        let expected = [
            "z",
            "a/z.toml:2 c",
            "a/z.toml:5 a",
            "a/z.toml:5 b",
            "a.toml:1 a",
        ];
        assert_eq!(order, expected);
    }
}

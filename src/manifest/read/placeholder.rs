//! Finding a template in a text that is taken literally, so that the author is told instead of the
//! braces being served.

use crate::lang::template::Template;
use std::ops::Range;

/// The statements that a template may begin a tag with.
const STATEMENTS: [&str; 11] = [
    "if", "elif", "else", "endif", "for", "endfor", "set", "endset", "with", "filter", "include",
];

/// The longest template that is looked for, in bytes.
const MAX_BYTES: usize = 1000;

/// Where the first `{{ name }}` or `{% statement %}` stands.
///
/// Braces that no template has are none: `{{.Names}}` of another program's format, `${a%%b}`,
/// `printf '{%s}'`, `{{a,b},{c,d}}`.
pub fn placeholder(text: &str) -> Option<Range<usize>> {
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find('{')) {
        let start = from + at;
        let rest = text.get(start..).unwrap_or_default();
        if let Some(len) = expression(rest).or_else(|| statement(rest)) {
            return Some(start..start + len);
        }
        from = start + 1;
    }
    None
}

/// The length of a `{{ … }}` at the start that uses a name.
fn expression(text: &str) -> Option<usize> {
    let inside = near(text.strip_prefix("{{")?);
    let end = inside.find("}}")?;
    if inside.get(..end)?.contains("{{") {
        return None;
    }
    let len = 2 + end + 2;
    let template = Template::parse(text.get(..len)?).ok()?;
    (!template.references().is_empty()).then_some(len)
}

/// The length of a `{% … %}` at the start.
fn statement(text: &str) -> Option<usize> {
    let inside = near(text.strip_prefix("{%")?);
    let len = 2 + inside.find("%}")? + 2;
    let word = inside.trim_start_matches(['-', '+']).trim_start();
    let end = word.find(|c: char| !c.is_ascii_alphabetic());
    let word = word.get(..end.unwrap_or(word.len()))?;
    STATEMENTS.contains(&word).then_some(len)
}

fn near(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MAX_BYTES))
        .unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<&str> {
        placeholder(text).and_then(|range| text.get(range))
    }

    #[test]
    fn templates_are_found_where_they_stand() {
        assert_eq!(found("echo {{ args.x }} y"), Some("{{ args.x }}"));
        assert_eq!(found("a{{x|upper}}"), Some("{{x|upper}}"));
        assert_eq!(found("{ {{.Names}} {{ arg.x }}"), Some("{{ arg.x }}"));
        assert_eq!(
            found("é {%- if args.x %}a{% endif %}"),
            Some("{%- if args.x %}")
        );
    }

    #[test]
    fn other_braces_are_none() {
        for text in [
            "",
            "{",
            "{{",
            "docker ps --format '{{.Names}}'",
            "{{json .}}",
            "${name%%suffix} ${#list[@]}",
            "printf '{%s}' x; printf '{%d%}' 1",
            "{{a,b},{c,d}}",
            "{{ }}",
            "{{ 1 }}",
            "{{ unclosed",
            "awk '{ {print} }'",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }

    #[test]
    fn many_braces_cost_no_more_than_their_number() {
        let text = "{{".repeat(50_000) + "}}";
        assert_eq!(placeholder(&text), None);
    }
}

//! Words of a server in a Markdown document, which they must not break.

/// Text as a code span, however many backticks it has (CommonMark §6.1).
pub(super) fn code(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ");
    if text.trim().is_empty() {
        return "` `".to_owned();
    }
    let longest = text
        .split(|c| c != '`')
        .map(str::len)
        .max()
        .unwrap_or_default();
    let ticks = "`".repeat(longest + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') {
        " "
    } else {
        ""
    };
    format!("{ticks}{pad}{text}{pad}{ticks}")
}

/// Markdown that may hold paragraphs, lists and code, but begins no heading, no HTML and no fence that
/// does not end.
pub(super) fn prose(text: &str) -> String {
    let mut lines = Vec::new();
    let mut fence: Option<&str> = None;
    for line in text.lines() {
        let trimmed = line.trim_start();
        let mark = ["```", "~~~"]
            .into_iter()
            .find(|mark| trimmed.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            _ => {}
        }
        if fence.is_some() || mark.is_some() {
            lines.push(line.trim_end().to_owned());
        } else {
            lines.push(plain(line.trim_end()));
        }
    }
    if let Some(mark) = fence {
        lines.push(mark.to_owned());
    }
    lines.join("\n")
}

/// The same in a cell of a table: one line, without bars.
pub(super) fn cell(text: &str) -> String {
    let lines: Vec<String> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .map(plain)
        .collect();
    bars(&lines.join("<br>"))
}

/// Escapes the bars that would end a cell. They do so in code spans too.
pub(super) fn bars(text: &str) -> String {
    text.replace('|', "\\|")
}

/// A line outside of code blocks: no heading, which becomes bold, no rule, no HTML.
fn plain(line: &str) -> String {
    let indent = line.len() - line.trim_start().len();
    let (indent, rest) = line.split_at(indent);
    let heading = rest.trim_start_matches('#').trim();
    let rest = if rest.starts_with('#') && !heading.is_empty() {
        format!("**{}**", heading.replace("**", ""))
    } else if ["#", "===", "---"]
        .iter()
        .any(|mark| rest.starts_with(mark))
    {
        format!("\\{rest}")
    } else {
        rest.to_owned()
    };
    let mut out = indent.to_owned();
    for (number, part) in rest.split('`').enumerate() {
        if number > 0 {
            out.push('`');
        }
        if number % 2 == 1 {
            out.push_str(part);
        } else {
            out.push_str(&part.replace('<', "&lt;"));
        }
    }
    out
}

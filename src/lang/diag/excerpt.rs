//! One line of a file with a part of it pointed at, cut to a width around that part.

use super::cells;
use std::ops::Range;

/// What is printed: the line, and where the carets stand under it.
#[derive(Debug, PartialEq)]
pub(super) struct Excerpt {
    /// The line, or the part of it around the span; no tab and no control character.
    pub text: String,
    /// Columns before the first caret.
    pub offset: usize,
    /// Carets, one at the least.
    pub carets: usize,
}

/// Shows `span` (bytes of `line`) in at most `width` columns. Only characters near the span are
/// looked at, so that a line of megabytes costs no more than a short one.
pub(super) fn excerpt(line: &str, span: Range<usize>, width: usize) -> Excerpt {
    // Room for two ellipses and something between them.
    let width = width.max(8);
    let start = line.floor_char_boundary(span.start);
    let (before, rest) = line.split_at_checked(start).unwrap_or((line, ""));
    let marked_bytes = span.end.saturating_sub(start).min(rest.len());
    let (marked, after) = rest
        .split_at_checked(rest.ceil_char_boundary(marked_bytes))
        .unwrap_or((rest, ""));

    let marked_columns = columns_up_to(marked.chars(), width);
    let before_columns = columns_up_to(before.chars().rev(), width);
    let after_columns = columns_up_to(after.chars(), width);
    if before_columns + marked_columns + after_columns <= width {
        return Excerpt {
            text: shown(line),
            offset: before_columns,
            carets: marked_columns.max(1),
        };
    }

    // A little of what stands before, then the span, then the rest is shared between its two
    // sides; what one side does not need the other gets. An ellipsis takes one column of the
    // part it cuts.
    let marked_whole = marked_columns;
    let marked_columns = marked_whole.min(width - 2 - before_columns.min(width / 4));
    // Nothing is shown behind a span that is cut.
    let after_columns = if marked_columns < marked_whole {
        0
    } else {
        after_columns
    };
    let spare = width - marked_columns;
    let left = before_columns.min((spare / 2).max(spare.saturating_sub(after_columns)));
    let right = spare - left;
    let (head, head_columns) = cut_front(before, left);
    let marked_part = cut_back(marked, marked_columns);
    let mut text = head;
    let carets = columns_up_to(marked_part.0.chars(), width).max(1);
    text.push_str(&shown(marked_part.0));
    if marked_part.1 {
        text.push('…');
    } else {
        let (tail, cut) = cut_back(after, right);
        text.push_str(&shown(tail));
        text.push_str(if cut { "…" } else { "" });
    }
    Excerpt {
        text,
        offset: head_columns,
        carets,
    }
}

fn shown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for ch in text.chars() {
        cells::show(ch, &mut out);
    }
    out
}

/// Columns of these characters, counted until they pass `limit`.
fn columns_up_to(chars: impl Iterator<Item = char>, limit: usize) -> usize {
    let mut columns = 0;
    for ch in chars {
        columns += cells::columns(ch);
        if columns > limit {
            break;
        }
    }
    columns
}

/// The end of `text` in at most `columns`, behind `…` when something was cut; and its columns.
fn cut_front(text: &str, columns: usize) -> (String, usize) {
    if columns_up_to(text.chars().rev(), columns) <= columns {
        let text = shown(text);
        let columns = text.chars().map(cells::columns).sum();
        return (text, columns);
    }
    let (mut used, mut from) = (0, text.len());
    for (at, ch) in text.char_indices().rev() {
        let next = used + cells::columns(ch);
        if next + 1 > columns {
            break;
        }
        (used, from) = (next, at);
    }
    let kept = shown(text.get(from..).unwrap_or_default());
    (format!("…{kept}"), used + 1)
}

/// The beginning of `text` in at most `columns`, one of them left for an ellipsis when
/// something was cut; and whether it was.
fn cut_back(text: &str, columns: usize) -> (&str, bool) {
    if columns_up_to(text.chars(), columns) <= columns {
        return (text, false);
    }
    let mut used = 0;
    for (at, ch) in text.char_indices() {
        used += cells::columns(ch);
        if used + 1 > columns {
            return (text.get(..at).unwrap_or_default(), true);
        }
    }
    (text, false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lines(line: &str, span: Range<usize>, width: usize) -> String {
        let Excerpt {
            text,
            offset,
            carets,
        } = excerpt(line, span, width);
        format!("{text}\n{}{}", " ".repeat(offset), "^".repeat(carets))
    }

    #[test]
    fn a_short_line_is_whole() {
        assert_eq!(lines("min = 1", 0..3, 80), "min = 1\n^^^");
        assert_eq!(lines("a = 1", 5..5, 80), "a = 1\n     ^");
        assert_eq!(lines("", 0..0, 80), "\n^");
    }

    #[test]
    fn tabs_and_wide_characters_align() {
        assert_eq!(lines("\ta = 1", 1..2, 80), "    a = 1\n    ^");
        assert_eq!(lines("日本 = x", 9..10, 80), "日本 = x\n       ^");
        assert_eq!(lines("日本 = x", 0..6, 80), "日本 = x\n^^^^");
        assert_eq!(lines("e\u{301}tat = 1", 3..6, 80), "e\u{301}tat = 1\n ^^^");
    }

    #[test]
    fn a_long_line_is_cut_around_the_span() {
        let line = format!("{}HERE{}", "a".repeat(50), "b".repeat(50));
        assert_eq!(
            lines(&line, 50..54, 20),
            "…aaaaaaaHEREbbbbbbb…\n        ^^^^"
        );
        let line = format!("HERE{}", "b".repeat(50));
        assert_eq!(lines(&line, 0..4, 20), "HEREbbbbbbbbbbbbbbb…\n^^^^");
        let line = format!("{}HERE", "a".repeat(50));
        assert_eq!(
            lines(&line, 50..54, 20),
            "…aaaaaaaaaaaaaaaHERE\n                ^^^^"
        );
    }

    #[test]
    fn a_long_span_is_cut_itself() {
        let line = format!("k = {}", "v".repeat(50));
        let expected = "k = vvvvvvvvvvvvv…\n    ^^^^^^^^^^^^^";
        assert_eq!(lines(&line, 4..54, 20), expected);
        let line = format!("{} = {}", "k".repeat(50), "v".repeat(50));
        let expected = "…kkk = vvvvvvvvvvvv…\n       ^^^^^^^^^^^^";
        assert_eq!(lines(&line, 53..103, 20), expected);
    }

    #[test]
    fn a_line_as_wide_as_the_room_is_whole() {
        let line = "a".repeat(20);
        assert_eq!(lines(&line, 9..10, 20), format!("{line}\n         ^"));
        assert_eq!(lines(&line, 9..10, 19), "aaaaaaaaaaaaaaaaaa…\n         ^");
        // There is room for eight columns at the least.
        assert_eq!(lines("abcdefgh", 0..1, 0), "abcdefgh\n^");
        assert_eq!(lines("abcdefghi", 0..1, 0), "abcdefg…\n^");
    }

    #[test]
    fn a_wide_character_is_shown_whole_or_not() {
        let line = format!("{}X{}", "日".repeat(20), "本".repeat(20));
        let shown = lines(&line, 60..61, 20);
        assert_eq!(shown, "…日日日日X本本本本…\n         ^");
        let shown = lines(&line, 60..61, 21);
        assert_eq!(shown, "…日日日日X本本本本…\n         ^");
    }

    #[test]
    fn positions_outside_are_brought_in() {
        assert_eq!(lines("ab", 9..12, 80), "ab\n  ^");
        assert_eq!(lines("aé", 2..2, 80), "aé\n ^");
    }

    proptest! {
        #[test]
        fn all_the_room_is_used_and_the_span_is_in_it(
            length in 0usize..60,
            start in 0usize..60,
            marked in 1usize..60,
            width in 8usize..60,
        ) {
            let line: String = ('a'..='z').cycle().take(length).collect();
            let end = (start + marked).min(length);
            prop_assume!(start < end);
            let Excerpt { text, offset, carets } = excerpt(&line, start..start + marked, width);
            let text: Vec<char> = text.chars().collect();
            let part: String = text.iter().filter(|ch| **ch != '…').collect();
            prop_assert!(line.contains(&part));
            prop_assert_eq!(text.get(offset).copied(), line.chars().nth(start));
            let is_cut = carets < end - start;
            if is_cut {
                prop_assert_eq!(offset + carets + 1, text.len());
                prop_assert_eq!(text.last(), Some(&'…'));
                prop_assert!(offset <= width / 4 + 2 && text.len() >= width - 2, "{:?}", text);
            } else {
                prop_assert_eq!(carets, end - start);
                prop_assert_eq!(text.len(), width.min(length));
            }
        }

        #[test]
        fn never_wider_than_asked_and_carets_stand_under_text(
            line in "[a日\te\u{301}\u{1b}]{0,60}",
            start in 0usize..200,
            length in 0usize..200,
            width in 8usize..60,
        ) {
            let Excerpt { text, offset, carets } = excerpt(&line, start..start + length, width);
            let columns: usize = text.chars().map(cells::columns).sum();
            prop_assert!(columns <= width, "{columns} in {text:?}");
            prop_assert!(carets >= 1);
            prop_assert!(offset + carets <= columns.max(offset) + 1);
        }
    }
}

//! Where a syntax error is. The engine's parser gives a message and a line; the column is found
//! by parsing ever shorter beginnings of the source, which is only done for a template that is
//! wrong.

use std::ops::Range;

use minijinja::Error;
use minijinja::machinery::{Token, Tokenizer, parse};

use super::error::{TemplateError, TemplateErrorKind};
use super::scan::{range, syntax, too_deep};

/// The error for a source that the parser refuses.
pub(super) fn syntax_error(source: &str, error: &Error) -> TemplateError {
    let mut tokens = Tokens::read(source);
    let what = error.detail().unwrap_or("the template cannot be read");
    let mut message = match what.strip_prefix("unknown statement ") {
        Some(name) => format!("syntax error: `{name}` belongs to nothing that is open here"),
        None => format!("syntax error: {what}"),
    };
    let place = if let Some(token) = first_refused(source, &tokens.all) {
        token
    } else if let Some(at) = tokens.stopped_at {
        unreadable(source, at, error)
    } else if let Some((name, tag)) = tokens.open_blocks.pop() {
        message = format!("syntax error: `{name}` has no `{{% end{name} %}}`");
        tag
    } else {
        tokens.last_tag
    };
    let place = within(source, place);
    if what.contains("recursion limit") {
        return too_deep(place);
    }
    TemplateError::new(TemplateErrorKind::Syntax, place, message)
}

#[derive(Default)]
struct Tokens<'s> {
    all: Vec<Range<usize>>,
    /// Where the tokenizer could not go on.
    stopped_at: Option<usize>,
    /// The last tag that was opened: the place of an end that comes too early.
    last_tag: Range<usize>,
    /// Blocks that were opened and not closed, innermost last, each with its tag.
    open_blocks: Vec<(&'s str, Range<usize>)>,
}

impl<'s> Tokens<'s> {
    fn read(source: &'s str) -> Self {
        let mut tokens = Self {
            last_tag: 0..source.len(),
            ..Self::default()
        };
        let mut tokenizer = Tokenizer::new(source, "", false, syntax());
        let mut statement = None;
        loop {
            match tokenizer.next_token() {
                Ok(Some((token, span))) => {
                    tokens.take(&token, range(span), &mut statement);
                }
                Ok(None) => return tokens,
                Err(_) => {
                    tokens.stopped_at = Some(tokens.all.last().map_or(0, |last| last.end));
                    return tokens;
                }
            }
        }
    }

    /// Takes one token in; `statement` is the name of the statement of the current tag, as long
    /// as it may turn out to open a block.
    fn take(
        &mut self,
        token: &Token<'s>,
        place: Range<usize>,
        statement: &mut Option<Option<&'s str>>,
    ) {
        match (token, *statement) {
            (Token::BlockStart | Token::VariableStart, _) => {
                self.last_tag = place.start..self.last_tag.end.max(place.end);
                *statement = matches!(token, Token::BlockStart).then_some(None);
            }
            (Token::Ident(name), Some(None)) => *statement = Some(Some(name)),
            // `set` opens a block only without a value.
            (Token::Assign, Some(Some("set"))) => *statement = None,
            (Token::BlockEnd | Token::VariableEnd, _) => {
                self.last_tag.end = place.end;
                if let Some(Some(name)) = statement.take() {
                    self.block(name);
                }
            }
            _ => {}
        }
        self.all.push(place);
    }

    fn block(&mut self, name: &'s str) {
        match name {
            "if" | "for" | "with" | "filter" | "set" => {
                self.open_blocks.push((name, self.last_tag.clone()));
            }
            _ if name.starts_with("end") => {
                self.open_blocks.pop();
            }
            _ => {}
        }
    }
}

/// The token at which the parser gives up: the shortest beginning that is refused for another
/// reason than that it ends.
fn first_refused(source: &str, tokens: &[Range<usize>]) -> Option<Range<usize>> {
    let refused = |token: &Range<usize>| {
        source
            .get(..token.end)
            .and_then(|beginning| parse(beginning, "", syntax()).err())
            .is_some_and(|error| !is_early_end(&error))
    };
    let first = tokens.partition_point(|token| !refused(token));
    tokens.get(first).cloned()
}

fn is_early_end(error: &Error) -> bool {
    const EARLY_ENDS: [&str; 4] = [
        "unexpected end of input",
        "unexpected end of string",
        "unexpected end of comment",
        "unexpected end of raw block",
    ];
    let detail = error.detail().unwrap_or_default();
    EARLY_ENDS.iter().any(|early| detail.starts_with(early))
}

/// What the tokenizer stumbled over behind `at`: one character, or all the rest of a string or
/// comment without an end.
fn unreadable(source: &str, at: usize, error: &Error) -> Range<usize> {
    let rest = source.get(at..).unwrap_or_default();
    let start = at + rest.len() - rest.trim_start().len();
    let end = if is_early_end(error) {
        source.len()
    } else {
        start
            + source
                .get(start..)
                .and_then(|s| s.chars().next())
                .map_or(0, char::len_utf8)
    };
    start..end
}

/// The range, kept inside the source and widened to character boundaries.
fn within(source: &str, range: Range<usize>) -> Range<usize> {
    let mut end = range.end.min(source.len());
    let mut start = range.start.min(end);
    while !source.is_char_boundary(start) {
        start -= 1;
    }
    while !source.is_char_boundary(end) {
        end += 1;
    }
    start..end
}

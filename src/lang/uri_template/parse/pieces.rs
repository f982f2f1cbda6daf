//! A template cut into slashes, literal text and expressions.

use super::Error;
use std::ops::Range;

/// One piece, with its place in the template.
#[derive(Clone, Debug)]
pub(super) enum Piece<'s> {
    Slash(usize),
    Text(&'s str, Range<usize>),
    Expression(Expression<'s>),
}

/// `{…}`.
#[derive(Clone, Debug)]
pub(super) struct Expression<'s> {
    pub(super) operator: Operator,
    /// At least one.
    pub(super) variables: Vec<Variable<'s>>,
    pub(super) at: Range<usize>,
}

/// The operators that can be matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    /// `{var}`.
    Simple,
    /// `{+var}`.
    Reserved,
    /// `{/var}`.
    Path,
    /// `{?var}`.
    Query,
    /// `{&var}`.
    Continuation,
}

/// One variable of an expression.
#[derive(Clone, Debug)]
pub(super) struct Variable<'s> {
    pub(super) name: &'s str,
    /// `*` stands behind it.
    pub(super) explode: bool,
    pub(super) at: Range<usize>,
}

impl<'s> Piece<'s> {
    pub(super) fn at(&self) -> Range<usize> {
        match self {
            Self::Slash(at) => *at..at + 1,
            Self::Text(_, at) => at.clone(),
            Self::Expression(found) => found.at.clone(),
        }
    }

    pub(super) fn expression(&self) -> Option<&Expression<'s>> {
        match self {
            Self::Expression(found) => Some(found),
            _ => None,
        }
    }

    pub(super) fn is_query(&self) -> bool {
        let operator = self.expression().map(|found| found.operator);
        matches!(operator, Some(Operator::Query | Operator::Continuation))
    }

    /// A new segment begins here.
    pub(super) fn begins_path(&self) -> bool {
        match self {
            Self::Slash(_) => true,
            Self::Text(..) => false,
            Self::Expression(found) => found.operator == Operator::Path,
        }
    }
}

/// The pieces of the template behind its scheme.
pub(super) fn pieces(source: &str, from: usize) -> Result<Vec<Piece<'_>>, Error> {
    let mut found = Vec::new();
    let mut at = from;
    while let Some(rest) = source.get(at..).filter(|rest| !rest.is_empty()) {
        let (piece, length) = if rest.starts_with('/') {
            (Piece::Slash(at), 1)
        } else if rest.starts_with('{') {
            let (inside, length) = between_braces(rest, at)?;
            (Piece::Expression(expression(inside, at)?), length)
        } else {
            let length = rest.find(['/', '{']).unwrap_or(rest.len());
            let text = rest.get(..length).unwrap_or(rest);
            refuse_delimiters(text, at)?;
            (Piece::Text(text, at..at + length), length)
        };
        found.push(piece);
        at += length;
    }
    Ok(found)
}

fn refuse_delimiters(text: &str, at: usize) -> Result<(), Error> {
    let Some((place, found)) = text
        .char_indices()
        .find(|(_, c)| matches!(c, '}' | '?' | '#'))
    else {
        return Ok(());
    };
    let range = at + place..at + text.len();
    Err(match found {
        '?' => Error::new(range, "the template has a literal query")
            .help("write `{?name}` for a parameter that may be given"),
        '#' => Error::new(range, "the template has a fragment"),
        _ => Error::new(
            at + place..at + place + 1,
            "the template has a `}` without a `{`",
        ),
    })
}

/// What stands in the braces that the text begins with, and how many bytes they are.
fn between_braces(rest: &str, at: usize) -> Result<(&str, usize), Error> {
    let inside = &rest[1..];
    let unclosed = || {
        let message = "the template has a `{` without a `}`";
        Error::new(at..at + rest.len(), message)
    };
    let end = inside.find('}').ok_or_else(unclosed)?;
    let inside = inside.get(..end).ok_or_else(unclosed)?;
    if inside.contains('{') {
        let message = "the template has an expression in an expression";
        return Err(Error::new(at..at + end + 2, message));
    }
    Ok((inside, end + 2))
}

fn expression(inside: &str, at: usize) -> Result<Expression<'_>, Error> {
    let whole = at..at + inside.len() + 2;
    let refused = |message: &str| Err(Error::new(whole.clone(), message));
    let operator = match inside.bytes().next() {
        Some(b'+') => Operator::Reserved,
        Some(b'/') => Operator::Path,
        Some(b'?') => Operator::Query,
        Some(b'&') => Operator::Continuation,
        Some(b'#') => return refused("the template has a fragment expansion, `{#var}`"),
        Some(b'.') => return refused("the template has a label expansion, `{.var}`"),
        Some(b';') => return refused("the template has a path-style parameter, `{;var}`"),
        Some(operator @ (b'=' | b',' | b'!' | b'@' | b'|')) => {
            let message = format!(
                "the template has the operator `{}`, which RFC 6570 reserves",
                char::from(operator)
            );
            return refused(&message);
        }
        _ => Operator::Simple,
    };
    let list = match operator {
        Operator::Simple => inside,
        _ => &inside[1..],
    };
    let mut start = at + 1 + (inside.len() - list.len());
    let mut variables = Vec::new();
    for spec in list.split(',') {
        variables.push(variable(spec, start, &whole)?);
        start += spec.len() + 1;
    }
    Ok(Expression {
        operator,
        variables,
        at: whole,
    })
}

fn variable<'s>(spec: &'s str, at: usize, whole: &Range<usize>) -> Result<Variable<'s>, Error> {
    let range = at..at + spec.len();
    if spec.contains(':') {
        let message = "the template has a prefix modifier, `{var:n}`";
        return Err(Error::new(range, message));
    }
    let (name, explode) = match spec.strip_suffix('*') {
        Some(name) => (name, true),
        None => (spec, false),
    };
    if name.is_empty() {
        let message = "the template has an expression without a variable";
        return Err(Error::new(whole.clone(), message));
    }
    if !is_name(name) {
        let message = format!(
            "the template has a variable named `{}`",
            name.escape_debug()
        );
        return Err(
            Error::new(range, message).help("use letters, digits and `_`, and `.` between them")
        );
    }
    Ok(Variable {
        name,
        explode,
        at: range,
    })
}

/// `varname` of RFC 6570 §2.3, without percent-encoding.
fn is_name(name: &str) -> bool {
    name.split('.').all(|word| {
        !word.is_empty()
            && word
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

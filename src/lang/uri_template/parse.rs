//! Reading a template: pieces, then where each may stand.

use super::error::UriTemplateError as Error;
use super::syntax::{Misfit, in_host, in_segment, is_ip_literal, is_scheme, misfit};
use super::{MAX_BYTES, MAX_VARIABLES, Open, OpenKind, Part, RESERVED_NAME, UriTemplate};
use pieces::{Expression, Operator, Piece, Variable, pieces};
use std::ops::Range;

mod pieces;

pub(super) fn parse(source: &str) -> Result<UriTemplate, Error> {
    if source.len() > MAX_BYTES {
        let message = format!("the template has more than {MAX_BYTES} bytes");
        return Err(Error::new(0..source.len(), message));
    }
    let scheme = scheme(source)?;
    let pieces = pieces(source, scheme.len() + "://".len())?;
    check_names(&pieces)?;
    let query = pieces.iter().position(Piece::is_query);
    let (front, query) = pieces.split_at(query.unwrap_or(pieces.len()));
    let query = read_query(query)?;
    let end = front
        .iter()
        .take_while(|piece| !piece.begins_path())
        .count();
    let (authority, path) = front.split_at(end);
    let authority = read_authority(source, scheme.len() + "://".len(), authority, path)?;
    let mut read = Path::default();
    read.read(source, path)?;
    Ok(UriTemplate {
        source: source.to_owned(),
        scheme: scheme.to_ascii_lowercase(),
        authority,
        before: read.before,
        open: read.open,
        after: read.after,
        query,
    })
}

fn scheme(source: &str) -> Result<&str, Error> {
    let front = source.split_once("://").map(|(front, _)| front);
    match front {
        Some(front) if is_scheme(front) => Ok(front),
        Some(front) if front.contains('{') => Err(Error::new(
            0..front.len(),
            "the template has an expression in its scheme",
        )
        .help("write the scheme out: `docs://{path}`")),
        _ => Err(Error::new(
            0..source.len(),
            "the template does not begin with a literal scheme and `://`",
        )
        .help("begin it like `docs://`")),
    }
}

/// The rules for names, whatever they stand in.
fn check_names(pieces: &[Piece<'_>]) -> Result<(), Error> {
    let expressions = pieces.iter().filter_map(Piece::expression);
    let variables: Vec<&Variable<'_>> = expressions.flat_map(|found| &found.variables).collect();
    if let Some(beyond) = variables.get(MAX_VARIABLES) {
        let message = format!("the template has more than {MAX_VARIABLES} variables");
        return Err(Error::new(beyond.at.clone(), message));
    }
    match variables
        .iter()
        .find(|variable| variable.name == RESERVED_NAME)
    {
        Some(taken) => Err(Error::new(
            taken.at.clone(),
            "the template has a variable named `uri`, which holds the requested URI",
        )
        .help("give the variable another name")),
        None => Ok(()),
    }
}

/// The parameters of the query expressions that end the template.
fn read_query(pieces: &[Piece<'_>]) -> Result<Vec<String>, Error> {
    let mut names: Vec<String> = Vec::new();
    for (place, piece) in pieces.iter().enumerate() {
        let operator = piece.expression().map(|found| found.operator);
        let message = match (operator, place) {
            (Some(Operator::Query), 0) | (Some(Operator::Continuation), 1..) => None,
            (Some(Operator::Continuation), 0) => {
                Some("the template has `{&…}` without a `{?…}` before it")
            }
            (Some(Operator::Query), 1..) => {
                Some("the template has more than one `{?…}`; the others are `{&…}`")
            }
            _ => Some("the template has more behind its query expression"),
        };
        if let Some(message) = message {
            return Err(Error::new(piece.at(), message));
        }
        for variable in piece.expression().iter().flat_map(|found| &found.variables) {
            if variable.explode {
                let message = "the template has an exploded query variable, `{?var*}`";
                return Err(Error::new(variable.at.clone(), message));
            }
            if names.iter().any(|known| known == variable.name) {
                let message = format!(
                    "the template names the query parameter `{}` twice",
                    variable.name
                );
                return Err(Error::new(variable.at.clone(), message));
            }
            names.push(variable.name.to_owned());
        }
    }
    Ok(names)
}

/// One literal, one `{var}`, or nothing when a `/` follows.
fn read_authority(
    source: &str,
    at: usize,
    authority: &[Piece<'_>],
    path: &[Piece<'_>],
) -> Result<Part, Error> {
    match authority {
        [] if matches!(path, [Piece::Slash(_), ..]) => Ok(Part::Literal(String::new())),
        [] => {
            let message = "the template has an empty authority that no `/` follows";
            Err(Error::new(at..source.len(), message).help("write it like `file:///{+path}`"))
        }
        [Piece::Text(text, at)] => host(text, at.clone()),
        [Piece::Expression(found)] if found.operator == Operator::Reserved => Err(Error::new(
            found.at.clone(),
            "the template has a reserved expansion, `{+var}`, in its authority",
        )
        .help("write `{var}` for the authority, and `/{+var}` for the path behind it")),
        [Piece::Expression(found)] => Ok(Part::Variable(only_variable(found)?.to_owned())),
        several => Err(Error::new(
            around(several),
            "the template has an authority that is not one literal or one `{var}`",
        )),
    }
}

fn host(text: &str, at: Range<usize>) -> Result<Part, Error> {
    let message = if is_ip_literal(text) {
        return Ok(Part::Literal(text.to_owned()));
    } else if text.contains('@') {
        "the template has userinfo in its authority"
    } else if text.contains(':') {
        "the template has a port in its authority"
    } else {
        literal(text, at.clone(), in_host)?;
        return Ok(Part::Literal(text.to_owned()));
    };
    Err(Error::new(at, message))
}

/// The path while it is read.
#[derive(Default)]
struct Path {
    before: Vec<Part>,
    open: Option<Open>,
    after: Vec<Part>,
}

impl Path {
    fn read(&mut self, source: &str, mut pieces: &[Piece<'_>]) -> Result<(), Error> {
        while let Some((first, rest)) = pieces.split_first() {
            let end = rest.iter().take_while(|piece| !piece.begins_path()).count();
            let (inside, behind) = rest.split_at(end);
            match first {
                Piece::Expression(found) => {
                    self.path_expression(found)?;
                    if let [next, ..] = inside {
                        return Err(mixed(found.at.start..next.at().end));
                    }
                }
                slash => self.segment(source, slash.at(), inside, behind)?,
            }
            pieces = behind;
        }
        Ok(())
    }

    /// `{/var}` or `{/var*}`.
    fn path_expression(&mut self, found: &Expression<'_>) -> Result<(), Error> {
        let [variable] = found.variables.as_slice() else {
            let message = "the template has several variables in a path expression, `{/a,b}`";
            return Err(Error::new(found.at.clone(), message)
                .help("when one is missing, nothing tells which: write one variable"));
        };
        let kind = match variable.explode {
            true => OpenKind::Exploded,
            false => OpenKind::Optional,
        };
        self.open(kind, variable.name, found.at.clone())
    }

    /// What stands between one `/` and the next.
    fn segment(
        &mut self,
        source: &str,
        slash: Range<usize>,
        inside: &[Piece<'_>],
        behind: &[Piece<'_>],
    ) -> Result<(), Error> {
        let part = match inside {
            [] => {
                let message = match behind {
                    [Piece::Expression(_), ..] => {
                        "the template has `{/var}` behind a `/`, which leaves an empty segment"
                    }
                    _ => "the template has an empty path segment",
                };
                let end = behind.first().map_or(source.len(), |next| next.at().end);
                return Err(Error::new(slash.start..end, message));
            }
            [Piece::Text(text, at)] => {
                literal(text, at.clone(), in_segment)?;
                Part::Literal((*text).to_owned())
            }
            [Piece::Expression(found)] if found.operator == Operator::Reserved => {
                let name = only_variable(found)?;
                return self.open(OpenKind::Reserved, name, found.at.clone());
            }
            [Piece::Expression(found)] => Part::Variable(only_variable(found)?.to_owned()),
            several => return Err(mixed(around(several))),
        };
        match self.open {
            Some(_) => self.after.push(part),
            None => self.before.push(part),
        }
        Ok(())
    }

    fn open(&mut self, kind: OpenKind, name: &str, at: Range<usize>) -> Result<(), Error> {
        if self.open.is_some() {
            return Err(Error::new(
                at,
                "the template has more than one path expression of variable length",
            )
            .help("use one of `{+var}`, `{/var}` and `{/var*}`, once"));
        }
        self.open = Some(Open {
            kind,
            name: name.to_owned(),
        });
        Ok(())
    }
}

/// From the first of the pieces to the last.
fn around(pieces: &[Piece<'_>]) -> Range<usize> {
    let start = pieces.first().map_or(0, |piece| piece.at().start);
    start..pieces.last().map_or(start, |piece| piece.at().end)
}

fn mixed(at: Range<usize>) -> Error {
    let message =
        "the template has a path segment with literal text and an expression, or two expressions";
    Error::new(at, message).help("an expression stands for a whole segment: `/{version}`")
}

/// The variable of `{var}` or `{+var}`.
fn only_variable<'s>(found: &Expression<'s>) -> Result<&'s str, Error> {
    let plus = if found.operator == Operator::Reserved {
        "+"
    } else {
        ""
    };
    match found.variables.as_slice() {
        [variable] if variable.explode => {
            let message = format!("the template has an exploded variable, `{{{plus}var*}}`");
            Err(Error::new(found.at.clone(), message)
                .help("write `{/var*}` for any number of path segments"))
        }
        [variable] => Ok(variable.name),
        _ => {
            let message =
                format!("the template has several variables in one expression, `{{{plus}a,b}}`");
            Err(Error::new(found.at.clone(), message)
                .help("when one is missing, nothing tells which: write one variable"))
        }
    }
}

/// Literal text must be what a URI can hold, or nothing would ever match it.
fn literal(text: &str, at: Range<usize>, allowed: fn(u8) -> bool) -> Result<(), Error> {
    if let Some((place, misfit)) = misfit(text, allowed) {
        let message = match misfit {
            Misfit::Escape => "the template has a `%` without two hexadecimal digits",
            Misfit::Character => "the template has a character that must be percent-encoded",
        };
        return Err(Error::new(
            at.start + place.start..at.start + place.end,
            message,
        ));
    }
    if super::decode::decoded(text).is_none() {
        let message = "the template has percent-encoded bytes that are not UTF-8";
        return Err(Error::new(at, message));
    }
    Ok(())
}

//! The forms that a template takes, each rendered in its own way. Most templates of a manifest
//! are paths alone, or paths in a text: those never reach the engine.

use std::ops::Range;

use minijinja::machinery::ast::{Expr, Stmt};
use minijinja::machinery::parse;
use minijinja::value::ValueKind;
use serde_json::Value;

use super::convert;
pub(super) use super::engine::Failed;
use super::engine::{Compiled, Program};
use super::error::{Failure, TemplateError};
use super::locate::syntax_error;
use super::lower::Lowering;
use super::path::{Found, Path};
use super::scan::{has_tags, range, scan, syntax, too_deep};
use super::scope::Scope;
use super::used::Used;
use super::{text, url};

pub(super) enum Form {
    /// No tags: the source itself.
    Source,
    /// Tags, but none that depend on a scope.
    Literal(Box<str>),
    /// Exactly one path.
    Path(Path),
    /// Exactly one expression.
    Native(Box<Compiled>),
    /// Texts and expressions.
    Text(Box<Text>),
    /// Statements.
    Program(Box<Statements>),
}

pub(super) struct Text {
    segments: Box<[Segment]>,
    /// The expressions that are not paths, as one list, so that all share the fuel.
    slots: Option<Compiled>,
}

enum Segment {
    Literal(Box<str>),
    Path {
        path: Path,
        range: Range<u32>,
        raw: bool,
    },
    /// The next element of the list of expressions.
    Slot(Range<u32>),
}

pub(super) struct Statements {
    program: Program,
    prefix: Box<str>,
}

/// How the values in a text are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sink {
    Text,
    Url,
}

/// Walks a source that [`scan`] has passed, for what the template does not keep. Nothing for one
/// without tags, or whose syntax is wrong.
pub(super) fn walk(source: &str) -> Used {
    if !has_tags(source) {
        return Used::default();
    }
    let Ok(Stmt::Template(template)) = parse(source, "", syntax()) else {
        return Used::default();
    };
    let mut lowering = Lowering::new();
    lowering.statements(&template.children);
    lowering.take_used()
}

impl Form {
    /// Reads a source, and says what it uses.
    pub(super) fn of(source: &str) -> Result<(Self, Used), Vec<TemplateError>> {
        if !has_tags(source) {
            return Ok((Self::Source, Used::default()));
        }
        scan(source)?;
        let tree =
            parse(source, "", syntax()).map_err(|error| vec![syntax_error(source, &error)])?;
        let Stmt::Template(template) = tree else {
            return Ok((Self::Source, Used::default()));
        };
        let children = &template.children;
        let mut lowering = Lowering::new();
        let is_text = |child: &Stmt<'_>| matches!(child, Stmt::EmitRaw(_) | Stmt::EmitExpr(_));
        match children.as_slice() {
            [Stmt::EmitExpr(emit)] if is_one_expression(source) => {
                Self::native(source, &emit.expr, range(emit.span()), lowering)
            }
            children if children.iter().all(is_text) => Self::text_of(source, children, lowering),
            children => {
                lowering.statements(children);
                Self::program(source, children, lowering)
            }
        }
    }

    fn native<'s>(
        source: &'s str,
        expr: &Expr<'s>,
        range: Range<usize>,
        mut lowering: Lowering<'s>,
    ) -> Result<(Self, Used), Vec<TemplateError>> {
        match lowering.as_path(expr) {
            Some(path) if lowering.errors.is_empty() => {
                return Ok((Self::Path(path), lowering.take_used()));
            }
            Some(_) => {}
            None => lowering.native(expr, range),
        }
        let used = lowering.take_used();
        let compiled = compile(source, lowering, Compiled::new)?;
        Ok((Self::Native(Box::new(compiled)), used))
    }

    fn text_of<'s>(
        source: &'s str,
        children: &[Stmt<'s>],
        mut lowering: Lowering<'s>,
    ) -> Result<(Self, Used), Vec<TemplateError>> {
        let mut segments: Vec<Segment> = Vec::with_capacity(children.len());
        let mut has_slots = false;
        lowering.out.push('[');
        for child in children {
            match child {
                Stmt::EmitRaw(raw) => push_literal(&mut segments, raw.raw),
                Stmt::EmitExpr(emit) => {
                    let place = range(emit.span());
                    let place32 = narrow(&place);
                    let path = lowering.as_path(&emit.expr).map(|path| (path, false));
                    let path = path.or_else(|| Some((lowering.as_raw_path(&emit.expr)?, true)));
                    segments.push(match path {
                        Some((path, raw)) => Segment::Path {
                            path,
                            range: place32,
                            raw,
                        },
                        None => {
                            has_slots = true;
                            lowering.element(&emit.expr, place);
                            Segment::Slot(place32)
                        }
                    });
                }
                _ => {}
            }
        }
        lowering.out.push(']');
        let used = lowering.take_used();
        match segments.as_mut_slice() {
            // Comments and nothing else.
            [] => return Ok((Self::Literal("".into()), used)),
            [Segment::Literal(text)] => return Ok((Self::Literal(std::mem::take(text)), used)),
            _ => {}
        }
        let slots = if has_slots || !lowering.errors.is_empty() {
            Some(compile(source, lowering, Compiled::new)?)
        } else {
            None
        };
        let text = Text {
            segments: segments.into(),
            slots,
        };
        Ok((Self::Text(Box::new(text)), used))
    }

    fn program<'s>(
        source: &'s str,
        children: &[Stmt<'s>],
        mut lowering: Lowering<'s>,
    ) -> Result<(Self, Used), Vec<TemplateError>> {
        let prefix = match children.first() {
            Some(Stmt::EmitRaw(raw)) => raw.raw,
            _ => "",
        };
        let used = lowering.take_used();
        let program = compile(source, lowering, Program::new)?;
        let statements = Statements {
            program,
            prefix: prefix.into(),
        };
        Ok((Self::Program(Box::new(statements)), used))
    }

    pub(super) fn is_native(&self) -> bool {
        matches!(self, Self::Path(_) | Self::Native(_))
    }

    pub(super) fn literal_prefix(&self) -> &str {
        match self {
            Self::Literal(text) => text,
            Self::Text(text) => match text.segments.first() {
                Some(Segment::Literal(text)) => text,
                _ => "",
            },
            Self::Program(statements) => &statements.prefix,
            Self::Source | Self::Path(_) | Self::Native(_) => "",
        }
    }

    pub(super) fn value(&self, source: &str, scope: &Scope) -> Result<Option<Value>, Failed> {
        match self {
            Self::Path(path) => Ok(path.find(scope).map(Found::to_value)),
            Self::Native(compiled) => {
                let value = compiled.eval(scope)?;
                if value.is_undefined() {
                    return Ok(None);
                }
                let value = convert::to_json(&value);
                Ok(Some(value.map_err(|failure| compiled.whole(failure))?))
            }
            _ => Ok(self.text(source, scope)?.map(Value::String)),
        }
    }

    pub(super) fn text(&self, source: &str, scope: &Scope) -> Result<Option<String>, Failed> {
        self.render(source, scope, Sink::Text)
    }

    pub(super) fn url(&self, source: &str, scope: &Scope) -> Result<Option<String>, Failed> {
        let url = self.render(source, scope, Sink::Url)?;
        match (self, &url) {
            // What the author wrote stays as written.
            (Self::Source | Self::Literal(_), _) | (_, None) => {}
            (_, Some(url)) => url::refuse_dot_segments(url)?,
        }
        Ok(url)
    }

    fn render(&self, source: &str, scope: &Scope, sink: Sink) -> Result<Option<String>, Failed> {
        let mut out = String::new();
        match self {
            Self::Source => out.push_str(source),
            Self::Literal(text) => out.push_str(text),
            Self::Path(path) => match path.find(scope) {
                None => return Ok(None),
                Some(found) => sink.push_found(&mut out, found, false)?,
            },
            Self::Native(compiled) => {
                let value = compiled.eval(scope)?;
                if value.is_undefined() {
                    return Ok(None);
                }
                sink.push_engine(&mut out, &value)
                    .map_err(|failure| compiled.whole(failure))?;
            }
            Self::Text(text) => text.render(&mut out, scope, sink)?,
            Self::Program(statements) => {
                out = statements.program.render(scope, sink == Sink::Url)?;
                text::within_bound(&out)?;
            }
        }
        Ok(Some(out))
    }
}

impl Text {
    fn render(&self, out: &mut String, scope: &Scope, sink: Sink) -> Result<(), Failed> {
        let slots = match &self.slots {
            Some(slots) => Some(slots.eval(scope)?),
            None => None,
        };
        let mut slots = slots
            .iter()
            .filter_map(|list| list.try_iter().ok())
            .flatten();
        out.reserve(self.segments.iter().map(Segment::room).sum());
        for segment in &*self.segments {
            match segment {
                Segment::Literal(literal) => out.push_str(literal),
                Segment::Path { path, range, raw } => path
                    .find(scope)
                    .ok_or(Failure::Undefined)
                    .and_then(|found| sink.push_found(out, found, *raw))
                    .map_err(|failure| at(failure, range))?,
                Segment::Slot(range) => {
                    let value = slots.next().unwrap_or(minijinja::Value::UNDEFINED);
                    sink.push_engine(out, &value)
                        .map_err(|failure| at(failure, range))?;
                }
            }
        }
        Ok(())
    }
}

impl Segment {
    /// How many bytes it takes: of a value what most take.
    fn room(&self) -> usize {
        match self {
            Self::Literal(text) => text.len(),
            _ => 24,
        }
    }
}

impl Sink {
    fn push_found(self, out: &mut String, found: Found<'_>, raw: bool) -> Result<(), Failure> {
        match (self, found) {
            (Self::Text, found) => text::push_found(out, found),
            (Self::Url, Found::Value(Value::String(value))) => push_url(out, value, raw),
            (Self::Url, found) => {
                let mut value = String::new();
                text::push_found(&mut value, found)?;
                push_url(out, &value, raw)
            }
        }
    }

    fn push_engine(self, out: &mut String, value: &minijinja::Value) -> Result<(), Failure> {
        match self {
            Self::Text => text::push_engine(out, value),
            Self::Url if value.kind() == ValueKind::String => {
                push_url(out, value.as_str().unwrap_or_default(), value.is_safe())
            }
            Self::Url => {
                let mut text = String::new();
                text::push_engine(&mut text, value)?;
                push_url(out, &text, false)
            }
        }
    }
}

fn push_url(out: &mut String, value: &str, raw: bool) -> Result<(), Failure> {
    if raw {
        url::push_raw(out, value)
    } else {
        url::push_encoded(out, value)
    }
}

/// Adds a text; a comment or `raw` tag before it is no boundary.
fn push_literal(segments: &mut Vec<Segment>, text: &str) {
    match segments.last_mut() {
        Some(Segment::Literal(last)) => *last = format!("{last}{text}").into(),
        _ => segments.push(Segment::Literal(text.into())),
    }
}

/// Whether the source begins and ends with the braces of an expression; that there is only one
/// is known from the tree.
fn is_one_expression(source: &str) -> bool {
    source.starts_with("{{") && source.ends_with("}}")
}

fn compile<'s, T>(
    source: &str,
    mut lowering: Lowering<'s>,
    compile: impl FnOnce(Lowering<'s>) -> Result<T, minijinja::Error>,
) -> Result<T, Vec<TemplateError>> {
    let mut errors = std::mem::take(&mut lowering.errors);
    if !errors.is_empty() {
        errors.sort_by_key(|error| error.range.start);
        return Err(errors);
    }
    compile(lowering).map_err(|_| vec![too_deep(0..source.len())])
}

fn narrow(range: &Range<usize>) -> Range<u32> {
    let narrow = |offset| u32::try_from(offset).unwrap_or(u32::MAX);
    narrow(range.start)..narrow(range.end)
}

fn at(failure: Failure, range: &Range<u32>) -> Failed {
    Failed {
        failure,
        range: Some(range.start as usize..range.end as usize),
    }
}

//! From a template's syntax tree to what renders it.
//!
//! One walk over the tree does three things. It finds what is wrong: unknown filters, tests and
//! functions, operations that could not be bounded. It lists the names that the template uses,
//! each with its place, for the check against what is declared. And it writes the template anew
//! for the engine, in a form that keeps this language's rules:
//!
//! - A path from a root (`args.customer.email`) becomes one name that the scope answers. A part
//!   that is missing makes the whole path undefined, and only what the path leads to is
//!   converted.
//! - Each expression stands on a line of its own, so that the line of an engine error tells which
//!   expression failed: without its `debug` feature the engine knows no columns.
//! - What becomes text goes through [`super::filters`], so that `30.0` is `30` behind a `~` too.

mod call;
mod chain;
mod expr;
mod extent;
mod size;
mod stmt;

use std::ops::Range;

use minijinja::machinery::ast;

pub(super) use self::size::Size;
use super::error::{TemplateError, TemplateErrorKind};
use super::path::Path;
use super::used::{Use, Used};

/// The names of paths in what is written for the engine are this and their position.
pub(super) const PATH_PREFIX: &str = "__p";

/// Names that begin so belong to what is written for the engine.
const RESERVED_PREFIX: &str = "__";

/// Where an expression is: the line in what was written for the engine, and its source range.
pub(super) type Place = (u16, Range<u32>);

/// The walk, and what it has found so far.
#[derive(Default)]
pub(super) struct Lowering<'s> {
    /// What is written for the engine.
    pub(super) out: String,
    /// Line ends in `out`: only this walk's own and those of texts.
    lines: usize,
    pub(super) paths: Vec<Path>,
    pub(super) places: Vec<Place>,
    pub(super) uses: Vec<Use>,
    /// Where the `raw` filter stands.
    pub(super) raw: Vec<Range<usize>>,
    /// Names that the template sets, each with its place.
    pub(super) assigned: Vec<(&'s str, Range<usize>)>,
    pub(super) errors: Vec<TemplateError>,
    /// What the template defined so far, by block.
    scopes: Vec<Vec<Local<'s>>>,
    /// How many `set` and `filter` blocks are open: what is shown inside is taken as text first.
    captures: usize,
}

#[derive(Clone, Copy)]
struct Local<'s> {
    name: &'s str,
    size: Size,
    is_loop: bool,
}

impl<'s> Lowering<'s> {
    pub(super) fn new() -> Self {
        Self {
            scopes: vec![Vec::new()],
            ..Self::default()
        }
    }

    /// What the template uses, as far as it has been walked. It is forgotten here.
    pub(super) fn take_used(&mut self) -> Used {
        let assigned = std::mem::take(&mut self.assigned).into_iter();
        Used {
            uses: std::mem::take(&mut self.uses),
            assigned: assigned
                .map(|(name, range)| (name.to_owned(), range))
                .collect(),
            raw: std::mem::take(&mut self.raw),
        }
    }

    /// Writes one expression that keeps its type, and where it is.
    pub(super) fn native(&mut self, expr: &ast::Expr<'s>, range: Range<usize>) {
        self.begin(range);
        self.expr(expr);
    }

    /// Writes one expression of a list of them, and where it is.
    pub(super) fn element(&mut self, expr: &ast::Expr<'s>, range: Range<usize>) {
        self.begin(range);
        self.shown(expr);
        self.out.push(',');
    }

    /// The path that the expression is, when it is one and nothing else.
    pub(super) fn as_path(&mut self, expr: &ast::Expr<'s>) -> Option<Path> {
        let chain = chain::Chain::of(expr);
        let root = chain.root()?;
        if self.local(root.id).is_some() || chain.links.iter().any(chain::Link::is_computed) {
            return None;
        }
        Some(self.note_path(root, &chain.links))
    }

    /// The same when the `raw` filter stands behind the path.
    pub(super) fn as_raw_path(&mut self, expr: &ast::Expr<'s>) -> Option<Path> {
        match expr {
            ast::Expr::Filter(filter) if filter.name == "raw" && filter.args.is_empty() => {
                let path = self.as_path(filter.expr.as_ref()?)?;
                self.raw.push(name_range(filter.name, filter.span()));
                Some(path)
            }
            _ => None,
        }
    }

    /// Starts a line for an expression.
    fn begin(&mut self, range: Range<usize>) {
        self.out.push('\n');
        self.lines += 1;
        // The engine's lines are 16 bits too and stop at the last.
        let line = u16::try_from(1 + self.lines).unwrap_or(u16::MAX);
        let at = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        self.places.push((line, at(range.start)..at(range.end)));
    }

    fn local(&self, name: &str) -> Option<Local<'s>> {
        let mut scopes = self
            .scopes
            .iter()
            .rev()
            .flat_map(|scope| scope.iter().rev());
        scopes.find(|local| local.name == name).copied()
    }

    fn define(&mut self, name: &'s str, range: Range<usize>, size: Size) {
        if name.starts_with(RESERVED_PREFIX) {
            self.error(
                TemplateErrorKind::Misuse,
                range.clone(),
                format!("`{name}` cannot be set: names that begin with `__` are reserved"),
            );
        }
        self.assigned.push((name, range));
        self.push_local(name, size, false);
    }

    fn push_local(&mut self, name: &'s str, size: Size, is_loop: bool) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(Local {
                name,
                size,
                is_loop,
            });
        }
    }

    fn error(&mut self, kind: TemplateErrorKind, range: Range<usize>, message: impl Into<String>) {
        self.errors.push(TemplateError::new(kind, range, message));
    }
}

/// The range of the name that begins a filter's or test's span.
fn name_range(name: &str, span: minijinja::machinery::Span) -> Range<usize> {
    let start = span.start_offset as usize;
    start..start + name.len()
}

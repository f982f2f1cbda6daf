//! Names and the steps into them.

use std::fmt::Write as _;
use std::ops::Range;

use minijinja::machinery::ast::{self, Expr, UnaryOpKind};

use super::super::error::{TemplateError, TemplateErrorKind};
use super::super::path::{Key, Path};
use super::super::scan::range;
use super::super::suggest::nearest;
use super::super::vocabulary::{LOOP_FIELDS, keyword};
use super::{Local, Lowering, PATH_PREFIX, Size, Use};

/// An expression and the steps into it, outermost last: `args.list[0]` is `args` and two links.
pub(super) struct Chain<'a, 's> {
    base: &'a Expr<'s>,
    pub(super) links: Vec<Link<'a, 's>>,
}

pub(super) enum Link<'a, 's> {
    Constant(Step),
    Computed(&'a Expr<'s>),
}

/// A written step.
pub(super) struct Step {
    key: Key,
    /// Where its name or index stands.
    place: Range<usize>,
    /// Where the step ends: behind the bracket, when there is one.
    end: usize,
}

impl Link<'_, '_> {
    pub(super) fn is_computed(&self) -> bool {
        matches!(self, Self::Computed(_))
    }
}

impl<'a, 's> Chain<'a, 's> {
    pub(super) fn of(expr: &'a Expr<'s>) -> Self {
        let mut base = expr;
        let mut links = Vec::new();
        loop {
            base = match base {
                Expr::GetAttr(attr) => {
                    let end = range(attr.span()).end;
                    let place = end.saturating_sub(attr.name.len())..end;
                    links.push(Link::Constant(Step {
                        key: Key::Name(attr.name.into()),
                        place,
                        end,
                    }));
                    &attr.expr
                }
                Expr::GetItem(item) => {
                    links.push(match constant_key(&item.subscript_expr) {
                        Some(key) => Link::Constant(Step {
                            key,
                            place: range(item.subscript_expr.span()),
                            end: range(item.span()).end,
                        }),
                        None => Link::Computed(&item.subscript_expr),
                    });
                    &item.expr
                }
                _ => break,
            };
        }
        links.reverse();
        Self { base, links }
    }

    /// The name that the chain begins with.
    pub(super) fn root(&self) -> Option<&'a ast::Spanned<ast::Var<'s>>> {
        match self.base {
            Expr::Var(var) => Some(var),
            _ => None,
        }
    }
}

fn constant_key(subscript: &Expr<'_>) -> Option<Key> {
    match subscript {
        Expr::Const(constant) => match constant.value.as_str() {
            Some(name) => Some(Key::Name(name.into())),
            None => constant.value.as_i64().map(Key::Index),
        },
        Expr::UnaryOp(op) if matches!(op.op, UnaryOpKind::Neg) => match constant_key(&op.expr)? {
            Key::Index(index) => index.checked_neg().map(Key::Index),
            Key::Name(_) => None,
        },
        _ => None,
    }
}

impl<'s> Lowering<'s> {
    pub(super) fn chain(&mut self, expr: &Expr<'s>) -> Size {
        let chain = Chain::of(expr);
        let Some(root) = chain.root() else {
            let base = chain.base;
            return self.steps(&chain.links, |this| this.expr(base));
        };
        match self.local(root.id) {
            Some(local) if local.is_loop => self.loop_field(root, &chain.links),
            Some(local) => self.local_chain(local, &chain.links),
            None => {
                let constant = chain.links.iter().position(Link::is_computed);
                let (path, rest) = chain.links.split_at(constant.unwrap_or(chain.links.len()));
                let path = self.path(root, path);
                self.steps(rest, |this| {
                    let _ = write!(this.out, "{PATH_PREFIX}{path}");
                    Size::ONE
                })
            }
        }
    }

    fn local_chain(&mut self, local: Local<'s>, links: &[Link<'_, 's>]) -> Size {
        self.steps(links, |this| {
            this.out.push_str(local.name);
            local.size
        })
    }

    /// Writes what `base` writes and the steps into it, where a part that is missing makes the
    /// whole undefined.
    fn steps(&mut self, links: &[Link<'_, 's>], base: impl FnOnce(&mut Self) -> Size) -> Size {
        if links.is_empty() {
            return base(self);
        }
        self.out.push('(');
        let mut size = base(self);
        self.out.push_str("|__get(");
        for link in links {
            match link {
                Link::Constant(step) => match &step.key {
                    Key::Name(name) => self.string(name),
                    Key::Index(index) => {
                        let _ = write!(self.out, "{index}");
                    }
                },
                Link::Computed(expr) => size = size.and(self.expr(expr)),
            }
            self.out.push(',');
        }
        self.out.push_str("))");
        size
    }

    /// The position of a path from a root, noting its use.
    fn path(&mut self, root: &ast::Spanned<ast::Var<'s>>, links: &[Link<'_, 's>]) -> usize {
        let path = self.note_path(root, links);
        match self.paths.iter().position(|known| *known == path) {
            Some(position) => position,
            None => {
                self.paths.push(path);
                self.paths.len() - 1
            }
        }
    }

    pub(super) fn note_path(
        &mut self,
        root: &ast::Spanned<ast::Var<'s>>,
        links: &[Link<'_, 's>],
    ) -> Path {
        self.errors.extend(keyword(root.id, range(root.span())));
        let mut used = Use {
            root: root.id.to_owned(),
            root_range: range(root.span()),
            keys: Vec::with_capacity(links.len()),
            end: range(root.span()).end,
        };
        for link in links {
            if let Link::Constant(step) = link {
                used.keys.push((step.key.clone(), step.place.clone()));
                used.end = step.end;
            }
        }
        let path = Path {
            root: root.id.into(),
            keys: used.keys.iter().map(|(key, _)| key.clone()).collect(),
        };
        self.uses.push(used);
        path
    }

    /// `loop.index` and its like, which are the engine's.
    fn loop_field(&mut self, root: &ast::Spanned<ast::Var<'s>>, links: &[Link<'_, 's>]) -> Size {
        let (first, rest) = match links.split_first() {
            Some((Link::Constant(step), rest)) => (Some(step), rest),
            _ => (None, links),
        };
        let Some((Key::Name(name), place)) = first.map(|step| (&step.key, &step.place)) else {
            self.error(
                TemplateErrorKind::Misuse,
                range(root.span()),
                "`loop` is no value: write `loop.index` or another of its fields",
            );
            return Size::ONE;
        };
        if !LOOP_FIELDS.contains(&&**name) {
            let error = TemplateError::new(
                TemplateErrorKind::UnknownName,
                place.clone(),
                format!("unknown name `loop.{name}`"),
            );
            let help =
                nearest(name, LOOP_FIELDS).map(|field| format!("did you mean `loop.{field}`?"));
            self.errors.push(error.help_if(help));
        }
        self.steps(rest, |this| {
            let _ = write!(this.out, "loop.{name}");
            Size::ONE
        })
    }
}

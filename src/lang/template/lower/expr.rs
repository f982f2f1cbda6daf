//! Expressions.

use std::fmt::Write as _;
use std::ops::Range;

use minijinja::Value;
use minijinja::machinery::ast::{self, BinOpKind, Expr, UnaryOpKind};
use minijinja::value::ValueKind;

use super::super::error::TemplateErrorKind;
use super::super::path::{Key, Path};
use super::super::scan::range;
use super::super::suggest::nearest;
use super::super::vocabulary::{LOOP_FIELDS, keyword};
use super::extent::extent;
use super::{Local, Lowering, PATH_PREFIX, Size, Use};

/// An expression and the steps into it, outermost last: `args.list[0]` is `args` and two links.
pub(super) struct Chain<'a, 's> {
    base: &'a Expr<'s>,
    pub(super) links: Vec<Link<'a, 's>>,
}

pub(super) enum Link<'a, 's> {
    Constant(Key, Range<usize>),
    Computed(&'a Expr<'s>),
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
                    links.push(Link::Constant(Key::Name(attr.name.into()), place));
                    &attr.expr
                }
                Expr::GetItem(item) => {
                    links.push(match constant_key(&item.subscript_expr) {
                        Some(key) => Link::Constant(key, range(item.subscript_expr.span())),
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
            None if constant.value.is_integer() => constant.value.as_i64().map(Key::Index),
            None => None,
        },
        Expr::UnaryOp(op) if matches!(op.op, UnaryOpKind::Neg) => match constant_key(&op.expr)? {
            Key::Index(index) => index.checked_neg().map(Key::Index),
            Key::Name(_) => None,
        },
        _ => None,
    }
}

impl<'s> Lowering<'s> {
    /// Writes an expression whose value is shown in a text, where `x if c` without an `else`
    /// shows nothing. Elsewhere it is undefined.
    pub(super) fn shown(&mut self, expr: &Expr<'s>) -> Size {
        match expr {
            Expr::IfExpr(branch) => {
                self.out.push('(');
                let yes = self.shown(&branch.true_expr);
                self.out.push_str(" if ");
                self.expr(&branch.test_expr);
                self.out.push_str(" else ");
                let no = match &branch.false_expr {
                    Some(expr) => self.shown(expr),
                    None => {
                        self.out.push_str("\"\"");
                        Size::ONE
                    }
                };
                self.out.push(')');
                yes.and(no)
            }
            _ => self.expr(expr),
        }
    }

    /// Writes an expression as one that can stand anywhere: in brackets unless it is a word.
    pub(super) fn expr(&mut self, expr: &Expr<'s>) -> Size {
        let size = match expr {
            Expr::Var(_) | Expr::GetAttr(_) | Expr::GetItem(_) => self.chain(expr),
            Expr::Const(constant) => self.constant(&constant.value, range(constant.span())),
            Expr::Slice(slice) => self.slice(slice),
            Expr::UnaryOp(op) => {
                let sign = match op.op {
                    UnaryOpKind::Not => "(not ",
                    UnaryOpKind::Neg => "(-",
                };
                self.out.push_str(sign);
                self.expr(&op.expr);
                self.out.push(')');
                Size::ONE
            }
            Expr::BinOp(op) => self.bracketed(|this| this.operation(op)),
            Expr::Compare(compare) => self.bracketed(|this| this.comparison(compare)),
            Expr::IfExpr(branch) => self.bracketed(|this| this.branch(branch)),
            Expr::Filter(filter) => self.bracketed(|this| this.filtered(filter)),
            Expr::Test(test) => self.bracketed(|this| this.test(test)),
            Expr::Call(call) => self.call(call),
            Expr::List(list) => self.list(&list.items),
            Expr::Tuple(tuple) => self.list(&tuple.items),
            Expr::Map(map) => self.map(map),
        };
        // One report is enough: what contains it is too large as well.
        match size.check(extent(expr)) {
            Ok(()) => size,
            Err(error) => {
                self.errors.push(error);
                Size::ONE
            }
        }
    }

    fn bracketed(&mut self, write: impl FnOnce(&mut Self) -> Size) -> Size {
        self.out.push('(');
        let size = write(self);
        self.out.push(')');
        size
    }

    fn constant(&mut self, value: &Value, range: Range<usize>) -> Size {
        match value.kind() {
            ValueKind::None => self.out.push_str("none"),
            ValueKind::Bool => self
                .out
                .push_str(if value.is_true() { "true" } else { "false" }),
            ValueKind::String => self.string(value.as_str().unwrap_or_default()),
            ValueKind::Number if value.is_integer() => {
                let _ = write!(self.out, "{value}");
            }
            _ => match f64::try_from(value.clone()) {
                Ok(float) if float.is_finite() => {
                    let _ = write!(self.out, "{float:?}");
                }
                _ => self.error(
                    TemplateErrorKind::Misuse,
                    range,
                    "the number is too large for a float",
                ),
            },
        }
        Size::ONE
    }

    pub(super) fn string(&mut self, text: &str) {
        self.out.push('"');
        for c in text.chars() {
            match c {
                '"' => self.out.push_str("\\\""),
                '\\' => self.out.push_str("\\\\"),
                // A line end would move the lines that name expressions.
                '\n' => self.out.push_str("\\n"),
                c => self.out.push(c),
            }
        }
        self.out.push('"');
    }

    fn chain(&mut self, expr: &Expr<'s>) -> Size {
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
                let path = self.path(root, path, !rest.is_empty());
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
                Link::Constant(Key::Name(name), _) => self.string(name),
                Link::Constant(Key::Index(index), _) => {
                    let _ = write!(self.out, "{index}");
                }
                Link::Computed(expr) => size = size.and(self.expr(expr)),
            }
            self.out.push(',');
        }
        self.out.push_str("))");
        size
    }

    /// The position of a path from a root, noting its use.
    fn path(
        &mut self,
        root: &ast::Spanned<ast::Var<'s>>,
        links: &[Link<'_, 's>],
        computed: bool,
    ) -> usize {
        let path = self.note_path(root, links);
        if let Some(last) = self.uses.last_mut() {
            last.computed = computed;
        }
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
        let keys: Vec<_> = links
            .iter()
            .filter_map(|link| match link {
                Link::Constant(key, range) => Some((key.clone(), range.clone())),
                Link::Computed(_) => None,
            })
            .collect();
        self.errors.extend(keyword(root.id, range(root.span())));
        let path = Path {
            root: root.id.into(),
            keys: keys.iter().map(|(key, _)| key.clone()).collect(),
        };
        self.uses.push(Use {
            root: root.id.to_owned(),
            root_range: range(root.span()),
            keys,
            computed: false,
        });
        path
    }

    /// `loop.index` and its like, which are the engine's.
    fn loop_field(&mut self, root: &ast::Spanned<ast::Var<'s>>, links: &[Link<'_, 's>]) -> Size {
        let Some((Link::Constant(Key::Name(name), place), rest)) = links.split_first() else {
            self.error(
                TemplateErrorKind::Misuse,
                range(root.span()),
                "`loop` is no value: write `loop.index` or another of its fields",
            );
            return Size::ONE;
        };
        if !LOOP_FIELDS.contains(&&**name) {
            let error = super::TemplateError::new(
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

    fn slice(&mut self, slice: &ast::Slice<'s>) -> Size {
        let size = self.expr(&slice.expr);
        self.out.push('[');
        for (i, bound) in [&slice.start, &slice.stop, &slice.step]
            .into_iter()
            .enumerate()
        {
            if i > 0 {
                self.out.push(':');
            }
            if let Some(bound) = bound {
                self.expr(bound);
            }
        }
        self.out.push(']');
        size.nested(1)
    }

    fn operation(&mut self, op: &ast::BinOp<'s>) -> Size {
        let (level, sign) = operator(op.op);
        // A chain of one level is written without brackets, so that the engine's parser nests
        // no deeper than the author did.
        let left = match &op.left {
            Expr::BinOp(left) if level > 0 && operator(left.op).0 == level => self.operation(left),
            left => self.operand(op.op, left),
        };
        let _ = write!(self.out, " {sign} ");
        let both = left.and(self.operand(op.op, &op.right));
        match op.op {
            BinOpKind::ScOr | BinOpKind::ScAnd | BinOpKind::Add | BinOpKind::Mul => both,
            _ => Size::ONE,
        }
    }

    fn operand(&mut self, op: BinOpKind, expr: &Expr<'s>) -> Size {
        let filter = match op {
            // Text by this language's rules.
            BinOpKind::Concat => "|string",
            // What is not there is unequal to everything but null.
            BinOpKind::Eq | BinOpKind::Ne => "|__some",
            _ => return self.expr(expr),
        };
        self.out.push('(');
        let size = match op {
            BinOpKind::Concat => self.shown(expr),
            _ => self.expr(expr),
        };
        self.out.push_str(filter);
        self.out.push(')');
        size
    }

    fn comparison(&mut self, compare: &ast::Compare<'s>) -> Size {
        self.expr(&compare.expr);
        for op in &compare.ops {
            let sign = match op.op {
                ast::CompareOpKind::Eq => " == ",
                ast::CompareOpKind::Ne => " != ",
                ast::CompareOpKind::Lt => " < ",
                ast::CompareOpKind::Lte => " <= ",
                ast::CompareOpKind::Gt => " > ",
                ast::CompareOpKind::Gte => " >= ",
                ast::CompareOpKind::In => " in ",
                ast::CompareOpKind::NotIn => " not in ",
            };
            self.out.push_str(sign);
            self.expr(&op.expr);
        }
        Size::ONE
    }

    fn branch(&mut self, branch: &ast::IfExpr<'s>) -> Size {
        let yes = self.expr(&branch.true_expr);
        self.out.push_str(" if ");
        self.expr(&branch.test_expr);
        match &branch.false_expr {
            None => yes,
            Some(no) => {
                self.out.push_str(" else ");
                yes.and(match no {
                    Expr::IfExpr(chained) => self.branch(chained),
                    no => self.expr(no),
                })
            }
        }
    }

    fn list(&mut self, items: &[Expr<'s>]) -> Size {
        self.out.push('[');
        let mut size = Size::of_all([]);
        for item in items {
            size = size.and(self.expr(item));
            self.out.push(',');
        }
        self.out.push(']');
        size.nested(1)
    }

    fn map(&mut self, map: &ast::Map<'s>) -> Size {
        self.out.push('{');
        let mut size = Size::of_all([]);
        for (key, value) in map.keys.iter().zip(&map.values) {
            size = size.and(self.expr(key));
            self.out.push(':');
            size = size.and(self.expr(value));
            self.out.push(',');
        }
        self.out.push('}');
        size.nested(1)
    }
}

/// The level of an operator and its sign. Operators of one level above 0 chain from the left.
fn operator(op: BinOpKind) -> (u8, &'static str) {
    match op {
        BinOpKind::Eq => (0, "=="),
        BinOpKind::Ne => (0, "!="),
        BinOpKind::Lt => (0, "<"),
        BinOpKind::Lte => (0, "<="),
        BinOpKind::Gt => (0, ">"),
        BinOpKind::Gte => (0, ">="),
        BinOpKind::In => (0, "in"),
        BinOpKind::ScOr => (1, "or"),
        BinOpKind::ScAnd => (2, "and"),
        BinOpKind::Add => (3, "+"),
        BinOpKind::Sub => (3, "-"),
        BinOpKind::Concat => (4, "~"),
        BinOpKind::Mul => (5, "*"),
        BinOpKind::Div => (5, "/"),
        BinOpKind::FloorDiv => (5, "//"),
        BinOpKind::Rem => (5, "%"),
        BinOpKind::Pow => (6, "**"),
    }
}

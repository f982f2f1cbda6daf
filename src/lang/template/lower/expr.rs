//! Expressions.

use std::fmt::Write as _;
use std::ops::Range;

use minijinja::Value;
use minijinja::machinery::ast::{self, BinOpKind, Expr, UnaryOpKind};
use minijinja::value::ValueKind;

use super::super::error::TemplateErrorKind;
use super::super::scan::range;
use super::extent::extent;
use super::{Lowering, Size};

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
            Expr::BinOp(op) => self.bracketed(|this| this.held(op)),
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
            match bound {
                None => {}
                Some(bound @ Expr::Const(_)) => {
                    self.expr(bound);
                }
                Some(bound) => {
                    self.out.push('(');
                    self.expr(bound);
                    self.out.push_str("|__bound)");
                }
            }
        }
        self.out.push(']');
        size.nested(1)
    }

    /// Writes an operation. What it repeats or joins is bounded where it comes from: the engine
    /// steps through such lists when they are looked into, and not all of that is fuel.
    fn held(&mut self, op: &ast::BinOp<'s>) -> Size {
        let bound = match op.op {
            BinOpKind::Add => "|__held",
            BinOpKind::Mul => "|__repeated",
            // No other gives a list longer than what it is given.
            _ => return self.operation(op),
        };
        let size = self.bracketed(|this| this.operation(op));
        self.out.push_str(bound);
        size
    }

    fn operation(&mut self, op: &ast::BinOp<'s>) -> Size {
        let (level, sign) = operator(op.op);
        // A chain of one level is written without brackets, so that the engine's parser nests
        // no deeper than the author did.
        let left = match &op.left {
            Expr::BinOp(left) if level > 0 && operator(left.op).0 == level => self.operation(left),
            left => self.operand(op.op, left),
        };
        if level == 0 {
            let _ = write!(self.out, " is {sign}(");
            self.expr(&op.right);
            self.out.push(')');
            return Size::ONE;
        }
        let _ = write!(self.out, " {sign} ");
        let both = left.and(self.operand(op.op, &op.right));
        match op.op {
            BinOpKind::ScOr | BinOpKind::ScAnd | BinOpKind::Add | BinOpKind::Mul => both,
            _ => Size::ONE,
        }
    }

    fn operand(&mut self, op: BinOpKind, expr: &Expr<'s>) -> Size {
        if !matches!(op, BinOpKind::Concat) {
            return self.expr(expr);
        }
        // Text by this language's rules.
        self.out.push('(');
        let size = self.shown(expr);
        self.out.push_str("|string)");
        size
    }

    fn comparison(&mut self, compare: &ast::Compare<'s>) -> Size {
        self.counted(&compare.expr);
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
            self.counted(&op.expr);
        }
        Size::ONE
    }

    /// Writes what the engine compares by itself.
    pub(super) fn counted(&mut self, expr: &Expr<'s>) -> Size {
        self.out.push('(');
        let size = self.expr(expr);
        self.out.push_str("|__counted)");
        size
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

/// The level of an operator and its sign, or its test at level 0 ([`super::super::compare`]). Operators of
/// one level above 0 chain from the left.
fn operator(op: BinOpKind) -> (u8, &'static str) {
    match op {
        BinOpKind::Eq => (0, "__eq"),
        BinOpKind::Ne => (0, "__ne"),
        BinOpKind::Lt => (0, "__lt"),
        BinOpKind::Lte => (0, "__le"),
        BinOpKind::Gt => (0, "__gt"),
        BinOpKind::Gte => (0, "__ge"),
        BinOpKind::In => (0, "__in"),
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

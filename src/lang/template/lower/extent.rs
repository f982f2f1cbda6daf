//! Where an expression begins and ends. The engine's spans end where the expression does but
//! often begin late (a filter's at its name) or early (a comparison's at the token before it).

use std::ops::Range;

use minijinja::machinery::ast::{BinOpKind, Expr, UnaryOpKind};

use super::super::scan::range;

/// The bytes of the source that an expression stands on, without brackets around it.
pub(super) fn extent(expr: &Expr<'_>) -> Range<usize> {
    let whole = range(expr.span());
    start(expr).unwrap_or(whole.start).min(whole.end)..whole.end
}

/// The start of the leftmost part; `None` when there is none but the expression itself.
fn start(expr: &Expr<'_>) -> Option<usize> {
    let leftmost = match expr {
        Expr::Slice(slice) => &slice.expr,
        Expr::BinOp(op) => &op.left,
        Expr::Compare(compare) => &compare.expr,
        Expr::IfExpr(branch) => &branch.true_expr,
        Expr::Filter(filter) => filter.expr.as_ref()?,
        Expr::Test(test) => &test.expr,
        Expr::GetAttr(attr) => &attr.expr,
        Expr::GetItem(item) => &item.expr,
        Expr::Call(call) => &call.expr,
        // `a not in b` is read as `not (a in b)`, `a is not b` as `not (a is b)`.
        Expr::UnaryOp(op) if matches!(op.op, UnaryOpKind::Not) && is_negatable(&op.expr) => {
            &op.expr
        }
        _ => return None,
    };
    Some(extent(leftmost).start)
}

fn is_negatable(expr: &Expr<'_>) -> bool {
    match expr {
        Expr::BinOp(op) => matches!(op.op, BinOpKind::In),
        Expr::Test(_) => true,
        _ => false,
    }
}

//! Statements.

use std::ops::Range;

use minijinja::machinery::ast::{self, Expr, Stmt};

use super::super::error::TemplateErrorKind;
use super::super::scan::range;
use super::extent::extent;
use super::{Lowering, Size};

/// The local that holds the body of a `filter` block until it is filtered.
const BODY: &str = "__body";

impl<'s> Lowering<'s> {
    /// Writes statements, and texts between them, in order.
    pub(in super::super) fn statements(&mut self, statements: &[Stmt<'s>]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Stmt<'s>) {
        match statement {
            Stmt::Template(template) => self.statements(&template.children),
            Stmt::EmitRaw(raw) => self.text(raw.raw),
            Stmt::EmitExpr(emit) => self.emit(&emit.expr, range(emit.span())),
            Stmt::ForLoop(for_loop) => self.for_loop(for_loop),
            Stmt::IfCond(condition) => {
                self.out.push_str("{% if");
                self.condition(condition);
                self.out.push_str("{% endif %}");
            }
            Stmt::WithBlock(with) => self.with(with),
            Stmt::Set(set) => self.set(&set.target, range(set.span()), |this| {
                this.begin(extent(&set.expr));
                this.expr(&set.expr)
            }),
            Stmt::SetBlock(block) => self.set_block(block),
            Stmt::FilterBlock(block) => self.filter_block(block),
            Stmt::AutoEscape(block) => self.left_out(range(block.span())),
            Stmt::Do(call) => self.left_out(range(call.span())),
        }
    }

    /// The scan names these statements before; this keeps them out should it ever miss one.
    fn left_out(&mut self, range: Range<usize>) {
        self.error(
            TemplateErrorKind::Unavailable,
            range,
            "this statement is not available in templates",
        );
    }

    fn text(&mut self, text: &str) {
        self.lines += text.bytes().filter(|&b| b == b'\n').count();
        if text.contains('{') {
            self.out.push_str("{% raw %}");
            self.out.push_str(text);
            self.out.push_str("{% endraw %}");
        } else {
            self.out.push_str(text);
        }
    }

    fn emit(&mut self, expr: &Expr<'s>, range: Range<usize>) {
        self.out.push_str("{{");
        self.begin(range);
        self.shown(expr);
        self.out.push_str(self.emitter());
        self.out.push_str("}}");
    }

    /// What is shown goes into the result encoded for where it stands. In a block that is taken
    /// as a value it becomes text, and is encoded when that value is shown.
    fn emitter(&self) -> &'static str {
        if self.captures > 0 {
            "|string"
        } else {
            "|__emit"
        }
    }

    fn for_loop(&mut self, for_loop: &ast::Spanned<ast::ForLoop<'s>>) {
        if for_loop.recursive {
            self.error(
                TemplateErrorKind::Unavailable,
                range(for_loop.span()),
                "a loop cannot call itself: `recursive` is not available",
            );
        }
        self.out.push_str("{% for ");
        self.scopes.push(Vec::new());
        // The list does not see the loop's own names, so it is written before they are defined.
        let at = self.out.len();
        self.begin(extent(&for_loop.iter));
        let size = self.expr(&for_loop.iter);
        if let Expr::List(names) = &for_loop.target {
            self.out.push_str("|map(\"__parts\",");
            self.names(names);
            self.out.push(')');
        }
        let list = self.out.split_off(at);
        self.target(&for_loop.target, size);
        self.out.push_str(" in");
        self.out.push_str(&list);
        if let Some(filter) = &for_loop.filter_expr {
            self.out.push_str(" if");
            self.begin(extent(filter));
            self.expr(filter);
        }
        self.out.push_str("%}");
        self.push_local("loop", Size::ONE, true);
        self.statements(&for_loop.body);
        self.scopes.pop();
        if !for_loop.else_body.is_empty() {
            self.out.push_str("{% else %}");
            self.statements(&for_loop.else_body);
        }
        self.out.push_str("{% endfor %}");
    }

    /// Writes an `if` from its condition on. An `elif` stays one, so that a long chain of them
    /// does not nest.
    fn condition(&mut self, condition: &ast::IfCond<'s>) {
        self.begin(extent(&condition.expr));
        self.expr(&condition.expr);
        self.out.push_str("%}");
        self.statements(&condition.true_body);
        match condition.false_body.as_slice() {
            [] => {}
            [Stmt::IfCond(chained)] => {
                self.out.push_str("{% elif");
                self.condition(chained);
            }
            other => {
                self.out.push_str("{% else %}");
                self.statements(other);
            }
        }
    }

    fn with(&mut self, with: &ast::Spanned<ast::WithBlock<'s>>) {
        self.scopes.push(Vec::new());
        let mut blocks = 0;
        for (target, expr) in &with.assignments {
            // One block for each: the engine evaluates them in this order too.
            self.out.push_str("{% with ");
            self.assign(target, |this| {
                this.begin(extent(expr));
                this.expr(expr)
            });
            blocks += 1;
        }
        self.statements(&with.body);
        self.scopes.pop();
        for _ in 0..blocks {
            self.out.push_str("{% endwith %}");
        }
    }

    fn set(
        &mut self,
        target: &Expr<'s>,
        place: Range<usize>,
        value: impl FnOnce(&mut Self) -> Size,
    ) {
        if has_attribute(target) {
            self.error(
                TemplateErrorKind::Unavailable,
                place,
                "`set` sets a name, not a part of a value",
            );
            return;
        }
        self.out.push_str("{% set ");
        self.assign(target, value);
    }

    /// Writes `target = value %}`. The value does not see the names that it is assigned to, but
    /// those of the same name from before.
    fn assign(&mut self, target: &Expr<'s>, value: impl FnOnce(&mut Self) -> Size) {
        let at = self.out.len();
        self.out.push_str(" = ");
        let size = value(self);
        if let Expr::List(names) = target {
            self.out.push_str("|__parts(");
            self.names(names);
            self.out.push(')');
        }
        self.out.push_str("%}");
        let rest = self.out.split_off(at);
        self.target(target, size);
        self.out.push_str(&rest);
    }

    fn set_block(&mut self, block: &ast::Spanned<ast::SetBlock<'s>>) {
        self.captures += 1;
        let whole = range(block.span());
        match (&block.filter, &block.target) {
            (Some(Expr::Filter(filter)), target) => {
                self.body(&block.body);
                self.set(target, whole.clone(), |this| {
                    this.begin(whole);
                    this.out.push('(');
                    let size = this.filtered_from(filter, Some(BODY));
                    this.out.push(')');
                    size
                });
            }
            (_, Expr::Var(var)) => {
                // The body is written first: it does not see the name.
                let at = self.out.len();
                self.statements(&block.body);
                let body = self.out.split_off(at);
                self.out.push_str("{% set ");
                self.define(var.id, range(var.span()), Size::ONE);
                self.out.push_str(var.id);
                self.out.push_str("%}");
                self.out.push_str(&body);
                self.out.push_str("{% endset %}");
            }
            _ => self.error(
                TemplateErrorKind::Misuse,
                whole,
                "a `set` block sets one name",
            ),
        }
        self.captures -= 1;
    }

    fn filter_block(&mut self, block: &ast::Spanned<ast::FilterBlock<'s>>) {
        self.captures += 1;
        self.body(&block.body);
        self.captures -= 1;
        self.out.push_str("{{");
        self.begin(range(block.filter_span));
        if let Expr::Filter(filter) = &block.filter {
            self.out.push('(');
            self.filtered_from(filter, Some(BODY));
            self.out.push(')');
        }
        self.out.push_str(self.emitter());
        self.out.push_str("}}");
    }

    fn body(&mut self, statements: &[Stmt<'s>]) {
        self.out.push_str("{% set ");
        self.out.push_str(BODY);
        self.out.push_str(" %}");
        self.statements(statements);
        self.out.push_str("{% endset %}");
    }

    /// Writes how many names a value is unpacked into, for the `__parts` filter.
    fn names(&mut self, names: &ast::List<'s>) {
        self.out.push('[');
        for name in &names.items {
            match name {
                Expr::List(several) => self.names(several),
                _ => self.out.push('0'),
            }
            self.out.push(',');
        }
        self.out.push(']');
    }

    /// Writes the names that are assigned to and defines them.
    fn target(&mut self, target: &Expr<'s>, size: Size) {
        match target {
            Expr::Var(var) => {
                self.define(var.id, range(var.span()), size);
                self.out.push_str(var.id);
            }
            Expr::List(list) => {
                self.out.push('(');
                // A comma behind each, also a single one: that unpacks a list of one.
                for item in &list.items {
                    self.target(item, size);
                    self.out.push(',');
                }
                self.out.push(')');
            }
            // The parser gives nothing else but attributes, which `set` refuses.
            _ => {}
        }
    }
}

fn has_attribute(target: &Expr<'_>) -> bool {
    match target {
        Expr::GetAttr(_) => true,
        Expr::List(list) => list.items.iter().any(has_attribute),
        _ => false,
    }
}

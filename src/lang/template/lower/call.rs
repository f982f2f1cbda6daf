//! Filters, tests and functions.

use std::ops::Range;

use minijinja::machinery::ast::{self, CallArg, CallType, Expr};

use super::super::error::{TemplateError, TemplateErrorKind};
use super::super::scan::range;
use super::super::suggest::nearest;
use super::super::vocabulary::{
    self, FUNCTIONS, Gives, LOOP_FUNCTIONS, OPERATOR_TESTS, find_filter, find_test,
};
use super::extent::extent;
use super::{Lowering, Size, name_range};

impl<'s> Lowering<'s> {
    /// Writes `value|filter(…)` without brackets around it, so that a chain of filters nests no
    /// deeper than one.
    pub(super) fn filtered(&mut self, filter: &ast::Spanned<ast::Filter<'s>>) -> Size {
        self.filtered_from(filter, None)
    }

    /// The same, where the innermost filter of a `filter` or `set` block works on the local `body`.
    pub(super) fn filtered_from(
        &mut self,
        filter: &ast::Spanned<ast::Filter<'s>>,
        body: Option<&'static str>,
    ) -> Size {
        let size = match &filter.expr {
            Some(Expr::Filter(inner)) => self.filtered_from(inner, body),
            Some(expr) => self.expr(expr),
            None => {
                self.out.push_str(body.unwrap_or("none"));
                Size::ONE
            }
        };
        let place = name_range(filter.name, filter.span());
        let Some(known) = find_filter(filter.name) else {
            self.errors
                .push(vocabulary::unknown_filter(filter.name, place));
            return size.and(self.arguments(&filter.args));
        };
        if known.name == "raw" {
            self.raw.push(place);
        }
        if known.on_text {
            self.out.push_str("|string");
        }
        if known.compares {
            self.out.push_str("|__counted");
        }
        if known.name == "join" {
            self.join(filter);
            return Size::ONE;
        }
        if let ("map", Some(CallArg::Pos(Expr::Const(word)))) = (known.name, filter.args.first())
            && word
                .value
                .as_str()
                .and_then(find_filter)
                .is_some_and(|each| each.compares)
        {
            self.out.push_str("|map(\"__counted\")");
        }
        self.out.push('|');
        self.out.push_str(known.name);
        self.check_words(filter.name, &filter.args, range(filter.span()));
        let args = self.arguments(&filter.args);
        match known.gives {
            Gives::Simple => Size::ONE.nested(1),
            Gives::Same => size.and(args),
            Gives::Nested => size.and(args).nested(2),
        }
    }

    /// `join` puts its items into words first, the same as everywhere else. Its attribute, by
    /// name or in second place, is taken by `map`.
    fn join(&mut self, filter: &ast::Spanned<ast::Filter<'s>>) {
        let is_attribute = |(i, arg): &(usize, &CallArg<'s>)| {
            matches!(arg, CallArg::Kwarg("attribute", _))
                || (*i == 1 && matches!(arg, CallArg::Pos(_)))
        };
        let args = filter.args.iter().enumerate();
        if let Some((_, CallArg::Pos(attribute) | CallArg::Kwarg(_, attribute))) =
            args.clone().find(is_attribute)
        {
            self.out.push_str("|map(attribute=");
            self.expr(attribute);
            self.out.push(')');
        }
        self.out.push_str("|map(\"string\")|join");
        let rest: Vec<_> = args
            .filter(|arg| !is_attribute(arg))
            .map(|(_, arg)| arg)
            .collect();
        self.arguments(rest);
    }

    pub(super) fn test(&mut self, test: &ast::Spanned<ast::Test<'s>>) -> Size {
        self.expr(&test.expr);
        match find_test(test.name) {
            Some(name) => {
                self.out.push_str(" is ");
                self.out.push_str(name);
            }
            None => {
                let place = name_range(test.name, test.span());
                self.errors.push(vocabulary::unknown_test(test.name, place));
            }
        }
        self.arguments(&test.args);
        Size::ONE
    }

    /// Filters and tests can be named in a string, for `map`, `select` and their like. Such a
    /// name is checked as well, and a computed one refused.
    fn check_words(&mut self, filter: &str, args: &[CallArg<'s>], place: Range<usize>) {
        let position = match filter {
            "map" | "select" | "reject" => 0,
            "selectattr" | "rejectattr" => 1,
            _ => return,
        };
        let Some(CallArg::Pos(word)) = args.get(position) else {
            return;
        };
        let Expr::Const(constant) = word else {
            self.errors.push(
                TemplateError::new(
                    TemplateErrorKind::Misuse,
                    place,
                    format!("`{filter}` needs a name between quotes here"),
                )
                .help(format!("write it out: `{filter}(\"…\")`")),
            );
            return;
        };
        let name = constant.value.as_str().unwrap_or_default();
        let place = range(constant.span());
        if filter == "map" {
            if find_filter(name).is_none() {
                self.errors.push(vocabulary::unknown_filter(name, place));
            }
        } else if find_test(name).is_none() && !OPERATOR_TESTS.contains(&name) {
            self.errors.push(vocabulary::unknown_test(name, place));
        }
    }

    pub(super) fn call(&mut self, call: &ast::Spanned<ast::Call<'s>>) -> Size {
        match call.identify_call() {
            CallType::Function(name) => self.function(name, call),
            CallType::Method(Expr::Var(var), name)
                if self.local(var.id).is_some_and(|local| local.is_loop) =>
            {
                self.loop_function(name, call)
            }
            CallType::Method(_, name) => {
                let end = range(call.expr.span()).end;
                let error = TemplateError::new(
                    TemplateErrorKind::Unavailable,
                    end.saturating_sub(name.len())..end,
                    format!("values have no functions, such as `.{name}()`"),
                );
                self.errors.push(match find_filter(name) {
                    Some(_) => error.help(format!("`{name}` is a filter: write `… | {name}`")),
                    None => error,
                });
                self.arguments(&call.args)
            }
            CallType::Object(_) => {
                self.error(
                    TemplateErrorKind::Unavailable,
                    extent(&call.expr),
                    "a value cannot be called",
                );
                Size::ONE
            }
        }
    }

    fn function(&mut self, name: &'s str, call: &ast::Spanned<ast::Call<'s>>) -> Size {
        let place = range(call.expr.span());
        if let Some(error) = vocabulary::keyword(name, place.clone()) {
            self.errors.push(error);
        } else if let Some(local) = self.local(name) {
            let what = if local.is_loop {
                "a loop cannot call itself"
            } else {
                "a value cannot be called"
            };
            self.error(TemplateErrorKind::Unavailable, place, what);
        } else if !FUNCTIONS.contains(&name) {
            self.errors.push(vocabulary::unknown_function(name, place));
        }
        self.out.push_str(name);
        self.arguments(&call.args).nested(1)
    }

    fn loop_function(&mut self, name: &'s str, call: &ast::Spanned<ast::Call<'s>>) -> Size {
        let place = range(call.expr.span());
        if !LOOP_FUNCTIONS.contains(&name) {
            let error = TemplateError::new(
                TemplateErrorKind::UnknownFunction,
                place.clone(),
                format!("unknown function `loop.{name}`"),
            );
            let help = nearest(name, LOOP_FUNCTIONS)
                .map(|function| format!("did you mean `loop.{function}`?"));
            self.errors.push(error.help_if(help));
        } else if call.args.is_empty() {
            // The engine divides by the number of arguments.
            self.error(
                TemplateErrorKind::Misuse,
                place,
                format!("`loop.{name}` needs an argument"),
            );
        }
        self.out.push_str("loop.");
        self.out.push_str(name);
        match name {
            "changed" => self.arguments_by(&call.args, Self::counted),
            _ => self.arguments(&call.args),
        }
    }

    fn arguments<'a>(&mut self, args: impl IntoIterator<Item = &'a CallArg<'s>>) -> Size
    where
        's: 'a,
    {
        self.arguments_by(args, Self::expr)
    }

    fn arguments_by<'a>(
        &mut self,
        args: impl IntoIterator<Item = &'a CallArg<'s>>,
        write: fn(&mut Self, &Expr<'s>) -> Size,
    ) -> Size
    where
        's: 'a,
    {
        self.out.push('(');
        let mut size = Size::of_all([]);
        for arg in args {
            size = size.and(match arg {
                CallArg::Pos(expr) => write(self, expr),
                CallArg::Kwarg(name, expr) => {
                    self.out.push_str(name);
                    self.out.push('=');
                    self.expr(expr)
                }
                CallArg::PosSplat(expr) | CallArg::KwargSplat(expr) => {
                    self.error(
                        TemplateErrorKind::Unavailable,
                        range(expr.span()),
                        "`*` and `**` before an argument are not available",
                    );
                    self.expr(expr)
                }
            });
            self.out.push(',');
        }
        self.out.push(')');
        size
    }
}

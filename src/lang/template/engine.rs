//! The engine, set up for this language, and what is compiled for it.

use std::error::Error as _;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use minijinja::machinery::{parse, parse_expr};
use minijinja::value::{Enumerator, Object};
use minijinja::{AutoEscape, Environment, Error, ErrorKind, Expression, UndefinedBehavior, Value};

use super::error::Failure;
use super::lower::{Lowering, PATH_PREFIX, Place};
use super::path::Path;
use super::scope::Scope;
use super::{FUEL, compare, filters, scan};

/// The name of a program's only template, and of the value that says it renders a URL.
const PROGRAM: &str = "t";
const FOR_URL: &str = "__url";

/// The environment that every template shares: no loader, so no file is ever read.
fn environment() -> &'static Environment<'static> {
    static ENVIRONMENT: OnceLock<Environment<'static>> = OnceLock::new();
    ENVIRONMENT.get_or_init(|| {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::SemiStrict);
        environment.set_fuel(Some(FUEL));
        environment.set_auto_escape_callback(|_| AutoEscape::None);
        environment.set_syntax(scan::syntax());
        filters::add_to(&mut environment);
        compare::add_to(&mut environment);
        environment
    })
}

/// An expression, or a list of them, for the engine.
///
/// It is compiled when it is first rendered: compiled code takes 6 KiB however short it is, and
/// of many tools few are called.
pub(super) struct Compiled {
    source: Box<str>,
    code: OnceLock<Option<Expression<'static, 'static>>>,
    given: Given,
}

/// A template with statements, for the engine. Compiled when it is first rendered too.
pub(super) struct Program {
    source: Box<str>,
    /// An environment of its own that shares all but the template with the common one.
    code: OnceLock<Option<Environment<'static>>>,
    given: Given,
}

/// What was written beside the code.
struct Given {
    paths: Arc<[Path]>,
    places: Box<[Place]>,
}

/// An engine failure and the expression it belongs to, when that is known.
pub(super) struct Failed {
    pub(super) failure: Failure,
    pub(super) range: Option<Range<usize>>,
}

impl Compiled {
    /// Takes over what was written. An error means that it nests deeper than the engine's parser
    /// goes: all else was checked before.
    pub(super) fn new(lowering: Lowering<'_>) -> Result<Self, Error> {
        parse_expr(&lowering.out)?;
        Ok(Self {
            source: lowering.out.into(),
            code: OnceLock::new(),
            given: Given::new(lowering.paths, lowering.places),
        })
    }

    /// A failure that has to do with the expression as a whole, or with the first of the list.
    pub(super) fn whole(&self, failure: Failure) -> Failed {
        let place = self.given.places.first();
        Failed {
            failure,
            range: place.map(|(_, range)| widen(range)),
        }
    }

    pub(super) fn eval(&self, scope: &Scope) -> Result<Value, Failed> {
        let compile = || {
            environment()
                .compile_expression_owned(self.source.to_string())
                .ok()
        };
        let Some(code) = self.code.get_or_init(compile) else {
            return Err(not_compiled());
        };
        code.eval(self.given.context(scope, false))
            .map_err(|error| self.given.failed(&error))
    }
}

impl Program {
    /// Takes over what was written, the same as [`Compiled::new`].
    pub(super) fn new(lowering: Lowering<'_>) -> Result<Self, Error> {
        parse(&lowering.out, PROGRAM, scan::syntax())?;
        Ok(Self {
            source: lowering.out.into(),
            code: OnceLock::new(),
            given: Given::new(lowering.paths, lowering.places),
        })
    }

    pub(super) fn render(&self, scope: &Scope, for_url: bool) -> Result<String, Failed> {
        let compile = || {
            let mut environment = environment().clone();
            let added = environment.add_template_owned(PROGRAM, self.source.to_string());
            added.ok().map(|()| environment)
        };
        let Some(code) = self.code.get_or_init(compile) else {
            return Err(not_compiled());
        };
        code.get_template(PROGRAM)
            .and_then(|template| template.render(self.given.context(scope, for_url)))
            .map_err(|error| self.given.failed(&error))
    }
}

/// What was parsed is compiled without fail; should that ever change, a call fails and not all.
fn not_compiled() -> Failed {
    Failure::Operation("the engine does not compile it".into()).into()
}

impl Given {
    fn new(paths: Vec<Path>, places: Vec<Place>) -> Self {
        Self {
            paths: paths.into(),
            places: places.into(),
        }
    }

    fn context(&self, scope: &Scope, for_url: bool) -> Value {
        Value::from_object(Context {
            scope: scope.clone(),
            values: self.paths.iter().map(|_| OnceLock::new()).collect(),
            paths: Arc::clone(&self.paths),
            for_url,
        })
    }

    fn failed(&self, error: &Error) -> Failed {
        let line = error.line();
        let place = self
            .places
            .iter()
            .find(|(known, _)| Some(usize::from(*known)) == line);
        Failed {
            failure: failure(error),
            range: place.map(|(_, range)| widen(range)),
        }
    }
}

impl From<Failure> for Failed {
    fn from(failure: Failure) -> Self {
        Self {
            failure,
            range: None,
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        failure(&error)
    }
}

fn widen(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}

/// What the engine looks names up in: the paths of one template in one scope, each converted
/// when it is first used.
struct Context {
    scope: Scope,
    paths: Arc<[Path]>,
    values: Box<[OnceLock<Value>]>,
    for_url: bool,
}

impl Object for Context {
    fn get_value_by_str(self: &Arc<Self>, key: &str) -> Option<Value> {
        if key == FOR_URL {
            return Some(Value::from(self.for_url));
        }
        let position: usize = key.strip_prefix(PATH_PREFIX)?.parse().ok()?;
        let path = self.paths.get(position)?;
        let value = self.values.get(position)?;
        Some(value.get_or_init(|| self.scope.engine_value(path)).clone())
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::NonEnumerable
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").finish_non_exhaustive()
    }
}

/// Whether the running template renders a URL.
pub(super) fn is_for_url(state: &minijinja::State<'_, '_>) -> bool {
    state.lookup(FOR_URL).is_some_and(|value| value.is_true())
}

/// A failure of this module on its way through the engine.
pub(super) fn error(failure: Failure) -> Error {
    Error::from(ErrorKind::InvalidOperation).with_source(failure)
}

/// Beginnings of engine messages that name types, counts and keywords, but no value.
const SAFE_DETAILS: [&str; 18] = [
    "can only ",
    "cannot ",
    "count cannot be ",
    "expected object",
    "method must be ",
    "missing keyword argument",
    "not iterable",
    "recursion limit",
    "repeated ",
    "rounded value ",
    "sequence of wrong length",
    "sequences and iterables ",
    "strings can only ",
    "tried to use ",
    "unexpected keyword argument",
    "unknown keyword argument",
    "value is not ",
    "value of type ",
];

/// An engine error as a failure. The engine quotes values in some of its messages; only those
/// known not to are passed on.
fn failure(error: &Error) -> Failure {
    if let Some(own) = error.source().and_then(|source| source.downcast_ref()) {
        return Failure::clone(own);
    }
    let detail = error.detail().unwrap_or_default();
    match error.kind() {
        ErrorKind::UndefinedError => Failure::Undefined,
        ErrorKind::OutOfFuel => Failure::Fuel,
        _ if SAFE_DETAILS.iter().any(|safe| detail.starts_with(safe)) => {
            Failure::Operation(detail.to_owned())
        }
        _ if detail.starts_with("unable to calculate") => Failure::Operation(
            "a calculation has no result: a division by zero, or a number that is too large".into(),
        ),
        _ if detail.starts_with("invalid float") || detail.contains("parse float") => {
            Failure::Operation("the text is not a number".into())
        }
        ErrorKind::MissingArgument => Failure::Operation("an argument is missing".into()),
        ErrorKind::TooManyArguments => Failure::Operation("there are too many arguments".into()),
        _ => Failure::Operation("the operation does not fit the value".into()),
    }
}

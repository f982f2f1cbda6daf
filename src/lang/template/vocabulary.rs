//! The words of the language: its filters, tests and functions. What is not listed here cannot
//! be written, also when the engine knows it, so that an addition is a decision.

use std::ops::Range;

use super::error::{TemplateError, TemplateErrorKind};
use super::suggest::did_you_mean;

/// A filter that authors may use.
pub(super) struct Filter {
    pub(super) name: &'static str,
    /// Works on text: a number, list or object that it is given is first put into words, by the
    /// rules that hold for text everywhere in a manifest.
    pub(super) on_text: bool,
    /// Compares what it is given, which costs what that holds.
    pub(super) compares: bool,
    pub(super) gives: Gives,
}

/// What a filter gives, for the bound on the size of values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Gives {
    /// A text, number or boolean; from text, perhaps a list of them.
    Simple,
    /// Its value, a part of it, or a list of its parts.
    Same,
    /// A list of lists of its parts.
    Nested,
}

const fn simple(name: &'static str) -> Filter {
    Filter {
        name,
        on_text: false,
        compares: false,
        gives: Gives::Simple,
    }
}

const fn on_text(name: &'static str) -> Filter {
    Filter {
        on_text: true,
        ..simple(name)
    }
}

const fn compares(filter: Filter) -> Filter {
    Filter {
        compares: true,
        ..filter
    }
}

const fn same(name: &'static str) -> Filter {
    Filter {
        gives: Gives::Same,
        ..simple(name)
    }
}

const fn nested(name: &'static str) -> Filter {
    Filter {
        gives: Gives::Nested,
        ..simple(name)
    }
}

/// All filters, by name. Of the engine's own these are left out: `attr` (it hides the name that
/// it looks up from the check), `safe`, `escape` and `e` (HTML), `pprint` (it prints what is
/// not JSON).
pub(super) const FILTERS: [Filter; 48] = [
    simple("abs"),
    on_text("b64decode"),
    on_text("b64encode"),
    nested("batch"),
    simple("bool"),
    on_text("capitalize"),
    same("chain"),
    simple("count"),
    same("d"),
    same("default"),
    compares(nested("dictsort")),
    same("first"),
    simple("float"),
    simple("format"),
    on_text("fromjson"),
    compares(nested("groupby")),
    on_text("indent"),
    simple("int"),
    nested("items"),
    simple("join"),
    same("last"),
    simple("length"),
    on_text("lines"),
    same("list"),
    on_text("lower"),
    nested("map"),
    compares(same("max")),
    compares(same("min")),
    simple("raw"),
    same("reject"),
    same("rejectattr"),
    on_text("replace"),
    same("reverse"),
    simple("round"),
    same("select"),
    same("selectattr"),
    nested("slice"),
    compares(same("sort")),
    on_text("split"),
    simple("string"),
    same("sum"),
    on_text("title"),
    simple("tojson"),
    on_text("trim"),
    compares(same("unique")),
    on_text("upper"),
    on_text("urlencode"),
    nested("zip"),
];

/// All tests, by name.
pub(super) const TESTS: [&str; 31] = [
    "boolean",
    "defined",
    "divisibleby",
    "endingwith",
    "eq",
    "equalto",
    "even",
    "false",
    "float",
    "ge",
    "greaterthan",
    "gt",
    "in",
    "int",
    "integer",
    "iterable",
    "le",
    "lessthan",
    "lower",
    "lt",
    "mapping",
    "ne",
    "none",
    "number",
    "odd",
    "sequence",
    "startingwith",
    "string",
    "true",
    "undefined",
    "upper",
];

/// Tests that are written as operators, for `select("==", 1)`.
pub(super) const OPERATOR_TESTS: [&str; 6] = ["!=", "<", "<=", "==", ">", ">="];

/// All functions, by name.
pub(super) const FUNCTIONS: [&str; 2] = ["dict", "range"];

/// What `loop` has inside `for`.
pub(super) const LOOP_FIELDS: [&str; 11] = [
    "depth",
    "depth0",
    "first",
    "index",
    "index0",
    "last",
    "length",
    "nextitem",
    "previtem",
    "revindex",
    "revindex0",
];

/// The functions of `loop`.
pub(super) const LOOP_FUNCTIONS: [&str; 2] = ["changed", "cycle"];

/// Words of operators. The engine's parser takes one for a name where no operator can stand.
const KEYWORDS: [&str; 7] = ["and", "else", "if", "in", "is", "not", "or"];

/// The error for a name that is no name.
pub(super) fn keyword(name: &str, range: Range<usize>) -> Option<TemplateError> {
    KEYWORDS.contains(&name).then(|| {
        let message = format!("syntax error: unexpected `{name}`");
        let error = TemplateError::new(TemplateErrorKind::Syntax, range, message);
        match name {
            "not" => error.help("put it in brackets: `(not …)`"),
            _ => error,
        }
    })
}

pub(super) fn find_filter(name: &str) -> Option<&'static Filter> {
    FILTERS.iter().find(|filter| filter.name == name)
}

pub(super) fn find_test(name: &str) -> Option<&'static str> {
    TESTS.iter().find(|test| **test == name).copied()
}

pub(super) fn unknown_filter(name: &str, range: Range<usize>) -> TemplateError {
    let names = FILTERS.iter().map(|filter| filter.name);
    TemplateError::new(
        TemplateErrorKind::UnknownFilter,
        range,
        format!("unknown filter `{name}`"),
    )
    .help_if(did_you_mean(name, names))
}

pub(super) fn unknown_test(name: &str, range: Range<usize>) -> TemplateError {
    TemplateError::new(
        TemplateErrorKind::UnknownTest,
        range,
        format!("unknown test `{name}`"),
    )
    .help_if(did_you_mean(name, TESTS))
}

pub(super) fn unknown_function(name: &str, range: Range<usize>) -> TemplateError {
    let error = TemplateError::new(
        TemplateErrorKind::UnknownFunction,
        range,
        format!("unknown function `{name}`"),
    );
    match find_filter(name) {
        Some(_) => error.help(format!("`{name}` is a filter: write `… | {name}`")),
        None => error.help_if(did_you_mean(name, FUNCTIONS)),
    }
}

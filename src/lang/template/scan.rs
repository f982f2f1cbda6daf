//! The first look at a source, token by token: its size, its nesting and its statements.
//!
//! The engine's parser recurses for each operator of a chain, so what it is given is bounded
//! here. Statements that this language leaves out are named here too: the parser only says that
//! it does not know them.

use std::ops::Range;
use std::sync::OnceLock;

use minijinja::machinery::{Span, Token, Tokenizer};
use minijinja::syntax::SyntaxConfig;

use super::error::{TemplateError, TemplateErrorKind};
use super::suggest::did_you_mean;
use super::{MAX_NESTING, MAX_SOURCE_BYTES};

/// The statements of the language; `raw` and `endraw` are the tokenizer's own.
const STATEMENTS: [&str; 12] = [
    "elif",
    "else",
    "endfilter",
    "endfor",
    "endif",
    "endset",
    "endwith",
    "filter",
    "for",
    "if",
    "set",
    "with",
];

/// Statements of Jinja that are left out, and what to do instead.
const LEFT_OUT: [(&str, &str); 12] = [
    ("autoescape", "values are encoded for where they stand"),
    ("block", "a template is one string; there is no inheritance"),
    ("break", "filter the list first: `{% for x in list if … %}`"),
    ("call", "macros are not available"),
    (
        "continue",
        "filter the list first: `{% for x in list if … %}`",
    ),
    ("do", "an expression is written `{{ … }}`"),
    (
        "extends",
        "a template is one string; there is no inheritance",
    ),
    ("from", "a template is one string; it reads no other file"),
    ("import", "a template is one string; it reads no other file"),
    (
        "include",
        "a template is one string; it reads no other file",
    ),
    (
        "macro",
        "use `{% set name %}…{% endset %}` for a text used twice",
    ),
    ("trans", "translations are not available"),
];

/// Jinja's own syntax, but a line end at the end of the source stays, as it does in a string
/// without tags.
pub(super) fn syntax() -> SyntaxConfig {
    static SYNTAX: OnceLock<SyntaxConfig> = OnceLock::new();
    SYNTAX
        .get_or_init(|| {
            SyntaxConfig::builder()
                .keep_trailing_newline(true)
                .build()
                .unwrap_or_default()
        })
        .clone()
}

pub(super) fn range(span: Span) -> Range<usize> {
    span.start_offset as usize..span.end_offset as usize
}

/// Whether the string holds any tag; one that does not is itself, character for character.
pub(super) fn has_tags(source: &str) -> bool {
    source
        .as_bytes()
        .windows(2)
        .any(|pair| matches!(pair, b"{{" | b"{%" | b"{#"))
}

/// Checks size, nesting and statements. All that is wrong is reported, but for nesting, where
/// the first place is enough.
pub(super) fn scan(source: &str) -> Result<(), Vec<TemplateError>> {
    if source.len() > MAX_SOURCE_BYTES {
        return Err(vec![TemplateError::new(
            TemplateErrorKind::TooLarge,
            0..source.len(),
            format!(
                "the template has {} bytes; at most {MAX_SOURCE_BYTES} are read",
                source.len()
            ),
        )]);
    }
    let mut scanner = Scanner::default();
    let mut tokens = Tokenizer::new(source, "", false, syntax());
    // An error of the tokenizer is the parser's to report.
    while let Ok(Some((token, span))) = tokens.next_token() {
        if !scanner.token(&token, span) {
            break;
        }
    }
    if scanner.errors.is_empty() {
        Ok(())
    } else {
        Err(scanner.errors)
    }
}

#[derive(Default)]
struct Scanner {
    errors: Vec<TemplateError>,
    /// Open tags that the parser nests for: one count for each `if` with its `elif`s, and for
    /// each other block.
    blocks: Vec<usize>,
    /// Open brackets of the current tag: for each what the parser nests for since the last comma.
    chains: Vec<Chain>,
    statement_follows: bool,
}

/// A chain of operators, each operand with its steps (`.name`, `[0]`, `| filter`). The parser
/// nests once for each operator, and in an operand once for each step.
#[derive(Default)]
struct Chain {
    operators: usize,
    steps: usize,
    most_steps: usize,
}

impl Chain {
    fn operator(&mut self) {
        self.operators += 1;
        self.steps = 0;
    }

    fn step(&mut self) {
        self.steps += 1;
        self.most_steps = self.most_steps.max(self.steps);
    }

    fn depth(&self) -> usize {
        1 + self.operators + self.most_steps
    }
}

impl Scanner {
    /// Looks at one token. False when there is no use in going on.
    fn token(&mut self, token: &Token<'_>, span: Span) -> bool {
        let statement_follows = std::mem::take(&mut self.statement_follows);
        match token {
            Token::TemplateData(_) => return true,
            Token::VariableStart | Token::BlockStart => {
                self.statement_follows = matches!(token, Token::BlockStart);
                self.chains = vec![Chain::default()];
            }
            Token::Ident(name) if statement_follows => self.statement(name, span),
            Token::ParenOpen | Token::BracketOpen | Token::BraceOpen => {
                self.chains.push(Chain::default());
            }
            Token::ParenClose | Token::BracketClose | Token::BraceClose => {
                self.chains.pop();
                self.chain(Chain::step);
            }
            Token::Dot | Token::Pipe | Token::Ident("is") => self.chain(Chain::step),
            Token::Comma | Token::Colon => {
                self.chain(|chain| *chain = Chain::default());
            }
            Token::Ident("and" | "or" | "not" | "if" | "else" | "in") => {
                self.chain(Chain::operator);
            }
            Token::Ident(_)
            | Token::Str(_)
            | Token::String(_)
            | Token::Int(_)
            | Token::Int128(_)
            | Token::Float(_)
            | Token::VariableEnd
            | Token::BlockEnd => {}
            _ => self.chain(Chain::operator),
        }
        let brackets: usize = self.chains.iter().map(Chain::depth).sum();
        let blocks = self.blocks.len() + self.blocks.iter().sum::<usize>();
        if brackets > MAX_NESTING || blocks > MAX_NESTING {
            self.errors.push(too_deep(range(span)));
            return false;
        }
        true
    }

    fn chain(&mut self, change: impl FnOnce(&mut Chain)) {
        if let Some(chain) = self.chains.last_mut() {
            change(chain);
        }
    }

    fn statement(&mut self, name: &str, span: Span) {
        match name {
            "if" | "for" | "with" | "filter" => self.blocks.push(0),
            "elif" => {
                if let Some(count) = self.blocks.last_mut() {
                    *count += 1;
                }
            }
            "endif" | "endfor" | "endwith" | "endfilter" => {
                self.blocks.pop();
            }
            _ if STATEMENTS.contains(&name) => {}
            _ => self.errors.push(unknown_statement(name, range(span))),
        }
    }
}

pub(super) fn too_deep(range: Range<usize>) -> TemplateError {
    TemplateError::new(
        TemplateErrorKind::TooLarge,
        range,
        format!("the template is nested more than {MAX_NESTING} deep here"),
    )
    .help("name a part of it with `{% set name = … %}` and use the name")
}

fn unknown_statement(name: &str, range: Range<usize>) -> TemplateError {
    if let Some((_, instead)) = LEFT_OUT.iter().find(|(known, _)| *known == name) {
        return TemplateError::new(
            TemplateErrorKind::Unavailable,
            range,
            format!("`{name}` is not available in templates"),
        )
        .help(*instead);
    }
    let known = STATEMENTS.iter().copied().chain(["raw", "endraw"]);
    TemplateError::new(
        TemplateErrorKind::Syntax,
        range,
        format!("unknown statement `{name}`"),
    )
    .help_if(did_you_mean(name, known))
}

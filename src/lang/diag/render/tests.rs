//! Whole pages, compared as text.

use super::super::{Code, SourceFile};
use super::*;
use std::sync::Arc;

fn plain(diagnostics: &[Diagnostic]) -> String {
    render(diagnostics, &RenderStyle::default())
}

fn span(file: &Arc<SourceFile>, part: &str) -> Span {
    let start = file.text().find(part).expect("part is in the text");
    Span {
        file: Arc::clone(file),
        start,
        end: start + part.len(),
    }
}

fn bytes(file: &Arc<SourceFile>, start: usize, end: usize) -> Span {
    Span {
        file: Arc::clone(file),
        start,
        end,
    }
}

const UNKNOWN: Code = Code("unknown-key");
const CLASH: Code = Code("duplicate-name");

fn orders() -> Arc<SourceFile> {
    let text = format!("{}min_lenght = 1\n", "\n".repeat(13));
    SourceFile::new("manifests/orders.toml", text)
}

#[test]
fn the_design_document_example() {
    let found = Diagnostic::error(
        UNKNOWN,
        span(&orders(), "min_lenght"),
        "unknown key `min_lenght`",
    )
    .label(r#"in tool "order", argument "lines.sku""#)
    .help("did you mean `min_length`?");
    assert_eq!(
        plain(&[found]),
        r#"error: unknown key `min_lenght`
  --> manifests/orders.toml:14:1
   |
14 | min_lenght = 1
   | ^^^^^^^^^^ in tool "order", argument "lines.sku"
   = help: did you mean `min_length`?

1 error in 1 file
what it means: snodo check --explain unknown-key
"#
    );
}

#[test]
fn related_places_and_a_warning() {
    let first = SourceFile::new("m/a.toml", "[[tool]]\nname = \"order\"\n");
    let second = SourceFile::new(
        "m/b.toml",
        format!("{}[[tool]]\n  name = \"order\"\n", "#\n".repeat(98)),
    );
    let clash = Diagnostic::error(
        CLASH,
        span(&second, "\"order\""),
        "two tools are named `order`",
    )
    .label("declared again here")
    .related(span(&first, "\"order\""), "first declared here")
    .help("rename one of them");
    let odd = Diagnostic::warning(UNKNOWN, span(&first, "name"), "odd name");
    assert_eq!(
        plain(&[clash, odd]),
        r#"warning: odd name
 --> m/a.toml:2:1
  |
2 | name = "order"
  | ^^^^

error: two tools are named `order`
   --> m/b.toml:100:10
    |
100 |   name = "order"
    |          ^^^^^^^ declared again here
   ::: m/a.toml:2:8
    |
2   | name = "order"
    |        ------- first declared here
    = help: rename one of them

1 error, 1 warning in 2 files
what each means: snodo check --explain CODE (here: duplicate-name, unknown-key)
"#
    );
}

#[test]
fn without_a_place() {
    let found = Diagnostic::placeless(Code("path-not-found"), "`nowhere` does not exist")
        .label("named on the command line")
        .help("check the spelling\nor make the folder");
    assert_eq!(
        plain(&[found.clone(), found]),
        "error: `nowhere` does not exist
  = note: named on the command line
  = help: check the spelling
          or make the folder

error: `nowhere` does not exist
  = note: named on the command line
  = help: check the spelling
          or make the folder

2 errors
what it means: snodo check --explain path-not-found
"
    );
}

#[test]
fn nothing_found_prints_nothing() {
    assert_eq!(plain(&[]), "");
}

fn snippet(file: &Arc<SourceFile>, start: usize, end: usize) -> String {
    let page = plain(&[Diagnostic::error(UNKNOWN, bytes(file, start, end), "m").label("L")]);
    let lines: Vec<&str> = page.lines().skip(1).take(4).collect();
    lines.join("\n")
}

#[test]
fn the_end_of_a_file_and_an_empty_one() {
    let file = SourceFile::new("x.toml", "a = ");
    assert_eq!(
        snippet(&file, 4, 4),
        " --> x.toml:1:5\n  |\n1 | a = \n  |     ^ L"
    );
    let file = SourceFile::new("x.toml", "a = 1\n");
    assert_eq!(snippet(&file, 6, 6), " --> x.toml:2:1\n  |\n2 |\n  | ^ L");
    let file = SourceFile::new("x.toml", "");
    assert_eq!(snippet(&file, 0, 0), " --> x.toml:1:1\n  |\n1 |\n  | ^ L");
}

#[test]
fn several_lines_show_the_first() {
    let file = SourceFile::new("x.toml", "a = \"\"\"one\r\ntwo\"\"\"\r\n");
    assert_eq!(
        snippet(&file, 4, 17),
        " --> x.toml:1:5\n  |\n1 | a = \"\"\"one\n  |     ^^^^^^ L"
    );
}

#[test]
fn a_span_that_begins_at_a_line_end() {
    let file = SourceFile::new("x.toml", "a =\r\nb = 1");
    assert_eq!(
        snippet(&file, 3, 5),
        " --> x.toml:1:4\n  |\n1 | a =\n  |    ^ L"
    );
    assert_eq!(
        snippet(&file, 4, 5),
        " --> x.toml:1:5\n  |\n1 | a =\n  |    ^ L"
    );
}

#[test]
fn a_hostile_manifest_sends_nothing_to_the_terminal() {
    let file = SourceFile::new("x\u{1b}]0;t\u{7}.toml", "k\u{1b}[2J = \u{202e}1\u{9b}\n");
    let found = Diagnostic::error(UNKNOWN, bytes(&file, 0, 5), "bad \u{1b}[31m\nerror: forged")
        .label("in \u{1b}c")
        .help("use \u{8}that")
        .related(bytes(&file, 0, 1), "\u{85}");
    let page = plain(&[found]);
    assert!(
        page.chars()
            .all(|ch| ch == '\n' || !ch.is_control() && ch != '\u{202e}'),
        "{page:?}"
    );
    assert!(
        page.starts_with(r"error: bad \u001b[31m\u000aerror: forged"),
        "{page}"
    );
    assert!(
        page.contains("1 | k\\u001b[2J = \\u202e1\\u009b\n  | ^^^^^^^^^^ in"),
        "{page}"
    );
}

#[test]
fn colours_are_balanced_and_change_no_text() {
    let found = Diagnostic::warning(UNKNOWN, span(&orders(), "min_lenght"), "unknown key")
        .label("here")
        .help("do")
        .related(span(&orders(), "min"), "there");
    let color = RenderStyle {
        color: true,
        ..RenderStyle::default()
    };
    let painted = render(std::slice::from_ref(&found), &color);
    assert!(painted.starts_with("\u{1b}[1;33mwarning\u{1b}[0m\u{1b}[1m: unknown key\u{1b}[0m\n"));
    let mut stripped = painted.clone();
    for code in [BOLD, RED, YELLOW, BLUE, RESET] {
        stripped = stripped.replace(code, "");
    }
    assert_eq!(stripped, plain(&[found]));
    assert_eq!(
        painted.matches(RESET).count() * 2,
        painted.matches('\u{1b}').count()
    );
}

#[test]
fn the_order_found_does_not_matter() {
    let file = orders();
    let one = Diagnostic::error(UNKNOWN, bytes(&file, 13, 14), "one");
    let two = Diagnostic::error(CLASH, bytes(&file, 13, 14), "two");
    let three = Diagnostic::warning(UNKNOWN, bytes(&file, 2, 3), "three");
    let forth = plain(&[one.clone(), two.clone(), three.clone()]);
    assert_eq!(forth, plain(&[three, two, one]));
}

#[test]
fn ten_thousand_findings_in_one_long_line_do_not_hang() {
    let file = SourceFile::new("x.toml", "a".repeat(1 << 20));
    let found: Vec<Diagnostic> = (0..10_000)
        .map(|at| Diagnostic::error(UNKNOWN, bytes(&file, at * 100, at * 100 + 3), "m"))
        .collect();
    assert!(
        plain(&found).ends_with(
            "10000 errors in 1 file\nwhat it means: snodo check --explain unknown-key\n"
        )
    );
}

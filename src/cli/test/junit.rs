//! The report as JUnit XML, which most CI servers read.

use super::report::{Outcome, Ran, Report, place};
use super::text;
use std::fmt::Write as _;
use std::time::Duration;

/// One `testsuites` with one suite a tool, in the order of the files.
pub(super) fn report(report: &Report<'_>) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let (tests, failed) = (report.tests.len(), report.failed());
    let _ = writeln!(
        out,
        "<testsuites name=\"snodo\" tests=\"{tests}\" failures=\"{failed}\">"
    );
    for of_tool in report.tests.chunk_by(|a, b| a.test.tool == b.test.tool) {
        suite(&mut out, of_tool);
    }
    out.push_str("</testsuites>\n");
    out
}

fn suite(out: &mut String, tests: &[Ran<'_>]) {
    let Some(first) = tests.first() else { return };
    let failed = |ran: &&Ran<'_>| matches!(ran.outcome, Outcome::Failed(_));
    let skipped = |ran: &&Ran<'_>| matches!(ran.outcome, Outcome::Skipped);
    let took: Duration = tests.iter().map(|ran| ran.took).sum();
    let _ = writeln!(
        out,
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\" time=\"{:.3}\">",
        escaped(&first.test.tool),
        tests.len(),
        tests.iter().filter(failed).count(),
        tests.iter().filter(skipped).count(),
        took.as_secs_f64(),
    );
    for ran in tests {
        case(out, ran);
    }
    out.push_str("  </testsuite>\n");
}

fn case(out: &mut String, ran: &Ran<'_>) {
    let (file, line) = place(ran.test);
    let _ = write!(
        out,
        "    <testcase classname=\"{}\" name=\"{}\" file=\"{}\" line=\"{line}\" time=\"{:.3}\"",
        escaped(&ran.test.tool),
        escaped(&ran.test.name),
        escaped(&file),
        ran.took.as_secs_f64(),
    );
    let _ = match &ran.outcome {
        Outcome::Passed => writeln!(out, "/>"),
        Outcome::Skipped => writeln!(
            out,
            ">\n      <skipped message=\"the tool is left out here\"/>\n    </testcase>"
        ),
        Outcome::Failed(problems) => {
            let lines: Vec<String> = problems.iter().flat_map(text::lines).collect();
            let first = lines.first().map_or("", String::as_str);
            writeln!(
                out,
                ">\n      <failure message=\"{}\">{}</failure>\n    </testcase>",
                escaped(first),
                escaped(&lines.join("\n"))
            )
        }
    };
}

/// A text as content or an attribute. What XML cannot hold (XML 1.0 §2.2) becomes U+FFFD.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for ch in text.chars() {
        match ch {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(ch),
            '\u{FFFE}' | '\u{FFFF}' => out.push('\u{FFFD}'),
            _ if ch.is_control() => out.push('\u{FFFD}'),
            _ => out.push(ch),
        }
    }
    out
}

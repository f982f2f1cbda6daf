//! The report for a program.

use super::report::{Outcome, Ran, Report, place};
use super::text;
use crate::testing::{Problem, Told};
use serde_json::{Map, Value, json};

/// One JSON object: `passed`, `failed`, `skipped`, and `tests` in the order of the files.
pub(super) fn report(report: &Report<'_>) -> String {
    let tests: Vec<Value> = report.tests.iter().map(test).collect();
    let whole = json!({
        "passed": report.passed(),
        "failed": report.failed(),
        "skipped": report.skipped(),
        "tests": tests,
    });
    format!("{whole:#}\n")
}

fn test(ran: &Ran<'_>) -> Value {
    let (file, line) = place(ran.test);
    let (outcome, problems) = match &ran.outcome {
        Outcome::Passed => ("passed", &[][..]),
        Outcome::Failed(problems) => ("failed", problems.as_slice()),
        Outcome::Skipped => ("skipped", &[][..]),
    };
    json!({
        "tool": ran.test.tool,
        "test": ran.test.name,
        "file": file,
        "line": line,
        "outcome": outcome,
        "ms": u64::try_from(ran.took.as_millis()).unwrap_or(u64::MAX),
        "problems": problems.iter().map(problem).collect::<Vec<_>>(),
    })
}

/// `about` and `message`, and for JSON that differs each place.
fn problem(problem: &Problem) -> Value {
    let mut members = Map::new();
    members.insert("about".into(), problem.about.as_str().into());
    members.insert("message".into(), text::lines(problem).join("\n").into());
    if let Told::Json(found) = &problem.told {
        let places = found.iter().map(|one| {
            let mut place = Map::new();
            place.insert("path".into(), one.path.as_str().into());
            if let Some(expected) = &one.expected {
                place.insert("expected".into(), expected.clone());
            }
            if let Some(actual) = &one.actual {
                place.insert("actual".into(), actual.clone());
            }
            Value::Object(place)
        });
        members.insert("differences".into(), places.collect());
    }
    Value::Object(members)
}

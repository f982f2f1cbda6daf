//! Whether a default is what its own schema allows.

use crate::lang::schema::bounds::is_within_depth;
use crate::lang::schema::document::Document;
use crate::lang::schema::error::{MAX_ERRORS, SchemaError, SchemaErrorKind};
use crate::lang::schema::pointer;
use crate::lang::schema::rules::{Outcome, Rules};

/// Visits spent on checking all defaults of a schema against it.
const CHECK_FUEL: u64 = 1_000_000;

/// Warns of every `default` that its own schema refuses. Those deeper than `depth` are left alone.
pub(in crate::lang::schema) fn check(
    document: &Document<'_>,
    rules: &Rules,
    depth: usize,
    errors: &mut Vec<SchemaError>,
) {
    let mut fuel = CHECK_FUEL;
    let mut found = 0;
    for (id, node) in document.nodes.iter().enumerate() {
        let Some(default) = node.schema.get("default") else {
            continue;
        };
        if found == MAX_ERRORS || !is_within_depth(default, depth) {
            continue;
        }
        if rules.holds(id, default, &mut fuel) != Outcome::Invalid {
            continue;
        }
        found += 1;
        let violations = rules.explain_at(id, default);
        let first = match (violations.list().first(), violations.missing()) {
            (Some(violation), _) if violation.location() == "/" => violation.message().to_owned(),
            (Some(violation), _) => format!("at {}: {}", violation.location(), violation.message()),
            (None, missing) => format!("it lacks {}", missing.join(", ")),
        };
        errors.push(SchemaError::new(
            SchemaErrorKind::Default,
            pointer::join(&node.pointer, "default"),
            format!("the default is not what its schema allows: {first}"),
        ));
    }
}

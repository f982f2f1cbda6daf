//! What this program's own server asks, answered on the command line in every revision with questions.

use super::snodo;
use crate::support::Project;

const ASKING: &str = r#"
[[tool]]
name = "delete"
arguments.path = { type = "string", required = true }
result.text = "deleted {{ args.path }}: {{ answers.why.text }}"

[[tool.ask]]
confirm = { form = "Delete {{ args.path }}?", fields.approved = { type = "boolean", required = true } }

[[tool.ask]]
when = "{{ answers.confirm.approved }}"
why = { form = "Why?", fields.text = { type = "string", required = true } }

[tool.refused]
text = "nothing was deleted"
"#;

#[test]
fn our_own_server_is_answered_in_every_revision_with_questions() {
    let project = Project::with(ASKING);
    let call = ["call", "delete", "path=/x", "--manifests", "manifests"];
    let answers = ["--answer", "approved=true", "--answer", "why.text=old"];
    for revision in ["2026-07-28", "2025-11-25", "2025-06-18"] {
        let args = [
            &call[..],
            &answers[..2],
            &["--answer", "text=old", "--protocol", revision],
        ];
        let said = snodo(project.path(), &args.concat());
        assert_eq!(
            (said.code, said.out.as_str()),
            (0, "deleted /x: old\n"),
            "{revision}: {}",
            said.err
        );
    }
    let said = snodo(project.path(), &[&call[..], &answers].concat());
    assert_eq!(
        (said.code, said.out.as_str()),
        (0, "deleted /x: old\n"),
        "{}",
        said.err
    );
    let said = snodo(
        project.path(),
        &[&call[..], &["--answer", "confirm=decline"]].concat(),
    );
    assert!(said.out.contains("nothing was deleted"), "{said:?}");
    // Nobody can answer: the server is told so before it asks.
    let said = snodo(project.path(), &call);
    assert_eq!((said.code, said.out.as_str()), (3, ""), "{}", said.err);
    assert!(
        said.err.contains("--answer KEY=VALUE answers"),
        "{}",
        said.err
    );
}

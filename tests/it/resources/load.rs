//! What `snodo check` says of resources across files; what one file can say is in `check::fixtures`.

use crate::support::Project;

fn resource(key: &str, address: &str) -> String {
    format!("[[resource]]\n{key} = \"{address}\"\nname = \"r\"\nresult.text = \"x\"\n")
}

#[test]
fn a_uri_is_taken_once_whatever_its_case() {
    let project = Project::new()
        .manifest("a.toml", &resource("uri", "a://Host/x"))
        .manifest("b.toml", &resource("uri", "A://host/x"))
        .manifest("c.toml", &resource("uri_template", "t://{x}"))
        .manifest("d.toml", &resource("uri_template", "T://{x}"));
    let checked = project.check(&[]);
    assert_eq!(checked.code, 1);
    for text in [
        "`a://host/x` is taken",
        "manifests/b.toml:2:7",
        "manifests/a.toml:2",
        "`t://{x}` is taken",
        "manifests/d.toml:2:16",
        "first declared here",
    ] {
        assert!(checked.stderr.contains(text), "{text}: {}", checked.stderr);
    }
}

#[test]
fn overlaps_are_warned_of_with_both_places() {
    let project = Project::new()
        .manifest("a.toml", &resource("uri_template", "x://h/{+p}"))
        .manifest("b.toml", &resource("uri_template", "x://h/docs{/page*}"))
        .manifest("c.toml", &resource("uri", "x://h/exact"))
        .manifest("d.toml", &resource("uri_template", "x://g/{a}"));
    let checked = project.check(&[]);
    assert_eq!(checked.code, 0, "{}", checked.stderr);
    for text in [
        "`x://h/docs` matches this template and `x://h/{+p}`: reading it fails",
        "the template `x://h/{+p}` matches this URI too, and does not answer for it",
        "manifests/a.toml:2",
        "manifests/b.toml:2",
        "manifests/c.toml:2",
        "--explain overlapping-resources",
    ] {
        assert!(checked.stderr.contains(text), "{text}: {}", checked.stderr);
    }
    assert!(!checked.stderr.contains("d.toml"), "{}", checked.stderr);
}

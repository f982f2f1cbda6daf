//! Every key that the program knows has an example, and every word of the templates is listed.

use super::blocks;
use crate::support::Project;
use std::collections::BTreeSet;

/// A key that is near no other.
const PROBE: &str = "zzzzzzzzzzzz";

/// The keys that the findings list, of every table that holds the probe.
fn listed(checked: &str) -> BTreeSet<String> {
    let lists = checked
        .lines()
        .filter_map(|line| line.trim().strip_prefix("= help: the keys here are "));
    lists
        .flat_map(|list| list.split(", "))
        .map(|key| key.trim_matches('`').to_owned())
        .collect()
}

/// The keys of one kind of example on a page.
fn shown(page: &str, kind: &str) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for block in blocks::of(page)
        .iter()
        .filter(|block| block.info.starts_with(kind))
    {
        // A key is a word before `=` or `.`, or a header's last.
        let text = block.text.replace(['[', ']', '{', '}', ',', '.', '='], " ");
        words.extend(text.split_whitespace().map(str::to_owned));
    }
    words
}

/// The words in backticks below a heading.
fn ticked(page: &str, heading: &str) -> BTreeSet<String> {
    let text = super::text(page);
    let section = text.split_once(heading).unwrap().1;
    let section = section.split("\n## ").next().unwrap();
    let words = section.split('`').skip(1).step_by(2);
    words
        .map(|word| word.trim_matches(['[', ']']).to_owned())
        .collect()
}

#[test]
fn every_key_of_a_manifest_has_an_example() {
    let manifest = r#"
Z = 1
[defaults]
Z = 1
[[tool]]
name = "a"
Z = 1
arguments.x = { type = "string", Z = 1 }
annotations = { Z = 1 }
available = { Z = 1 }
icons = [{ src = "https://x/y", Z = 1 }]
shell = { command = ["echo", { value = "a", Z = 1 }], Z = 1 }
[tool.result]
Z = 1
protocol_error = { code = 1, message = "x", Z = 1 }
content = [
  { type = "text", text = "x", annotations = { Z = 1 }, Z = 1 },
  { type = "image", data = "x", mime_type = "image/png", Z = 1 },
  { type = "resource", uri = "x:y", text = "", Z = 1 },
  { type = "resource_link", uri = "x:y", name = "", Z = 1 },
]
[[tool.test]]
name = "t"
Z = 1
expect = { protocol_error = { Z = 1 }, Z = 1 }
[[tool]]
name = "b"
http = { url = "https://x", retry = { Z = 1 }, Z = 1 }
[[tool.test]]
name = "t"
http = { expect = { method = "GET", Z = 1 }, Z = 1 }
expect = { content = [{ type = "image", Z = 1 }, { type = "resource_link", Z = 1 }], Z = 1 }
Z = 1
[[tool.test]]
name = "u"
expect.protocol_error = { code = 1, Z = 1 }
[[tool]]
name = "c"
file = { path = "a.toml", Z = 1 }
[[tool]]
name = "d"
actor = { target = "x", call = "a", Z = 1 }
[[tool]]
name = "e"
result.text = "x"
refused = { text = "x", Z = 1 }
[[tool.ask]]
q = { form = "x", fields.s = { type = "string", Z = 1 }, fields.n = { type = "integer", Z = 1 }, fields.l = { type = "array", enum = [{ value = "x", title = "x", Z = 1 }], Z = 1 }, Z = 1 }
u = { url = "https://x", message = "x", Z = 1 }
m.sample = { messages = [{ role = "user", content = "x", Z = 1 }], max_tokens = 1, model_preferences = { Z = 1 }, Z = 1 }
[[actor]]
name = "x"
Z = 1
every = { interval_ms = 1, message = "a", Z = 1 }
[actor.on.a]
Z = 1
[[actor]]
name = "y"
process = { command = ["ls"], Z = 1 }
[[resource]]
uri = "a:b"
name = "r"
Z = 1
cache = { ttl_ms = 1, Z = 1 }
annotations = { Z = 1 }
result = { contents = [{ text = "x", Z = 1 }], Z = 1 }
[[prompt]]
name = "p"
Z = 1
wrap = [{ timeout_ms = 1, Z = 1 }, { rate_limit = { limit = 1, window_ms = 1, Z = 1 } }, { cache = { ttl_ms = 1, Z = 1 } }, { actor = { target = "x", call = "a", Z = 1 } }]
arguments.a = { complete = { values = "{{ [] }}", Z = 1 }, Z = 1 }
result = { messages = [{ role = "user", content = "x", Z = 1 }], Z = 1 }
"#;
    let project = Project::with(&manifest.replace('Z', PROBE));
    let checked = project.check(&[]).stderr;
    let probes = manifest.matches('Z').count();
    assert_eq!(checked.matches("unknown key").count(), probes, "{checked}");
    let mut known = listed(&checked);
    assert!(known.len() > 100, "{known:?}");
    known.extend(["shell", "http", "file", "actor"].map(str::to_owned));
    let shown = shown("docs/manifest.md", "toml");
    let refused = ticked("docs/manifest.md", "\n## Not served yet");
    for key in known {
        assert!(
            shown.contains(&key) || refused.contains(&key),
            "`{key}` has no example in docs/manifest.md"
        );
    }
}

#[test]
fn every_key_that_is_said_to_be_refused_is() {
    // Where a key may stand; the names of tables in the same sentence are no keys.
    let places = [
        "[[KEY]]\nname = \"a\"\n",
        "[[tool]]\nname = \"a\"\nKEY = 1\n",
        "[defaults]\nKEY = 1\n",
        "[[resource]]\nuri = \"a:b\"\nname = \"a\"\nKEY = 1\n",
        "[[tool]]\nname = \"a\"\n[[tool.test]]\nname = \"b\"\nKEY = 1\n",
        "[[tool]]\nname = \"a\"\nshell = { command = [\"ls\"], KEY = 1 }\n",
        "[[tool]]\nname = \"a\"\nfile = { path = \"a.toml\", KEY = 1 }\n",
    ];
    let keys = ticked("docs/manifest.md", "\n## Not served yet");
    for key in keys {
        let refused = places.iter().any(|place| {
            let checked = Project::with(&place.replace("KEY", &key)).check(&[]);
            checked
                .stderr
                .contains(&format!("`{key}` is not served by this version"))
        });
        assert!(refused, "`{key}` is not refused");
    }
}

#[test]
fn every_key_of_the_server_file_has_an_example() {
    let file = "Z = 1\n[server]\nZ = 1\ncache = { tools = { Z = 1 }, Z = 1 }\n[http]\nZ = 1\ntls = { Z = 1 }\n\
                [auth]\nZ = 1\noauth = { Z = 1 }\nstdio = { principal = \"x\", Z = 1 }\n\
                tokens = [{ principal = \"x\", sha256 = \"00\", Z = 1 }]\n[reload]\nZ = 1\n[log]\nZ = 1\nfile = { dir = \"x\", Z = 1 }\naudit = { Z = 1 }\n[metrics]\nlisten = [\"systemd\"]\nZ = 1\n[traces]\nendpoint = \"http://127.0.0.1\"\nZ = 1\n[secrets]\n\
                a = { env = \"PATH\", Z = 1 }\n";
    let project = Project::with("")
        .file("snodo.toml", file.replace('Z', PROBE))
        .arg("--config")
        .arg("snodo.toml")
        .arg("manifests");
    let checked = project.check(&[]).stderr;
    let probes = file.matches('Z').count();
    assert_eq!(checked.matches("unknown key").count(), probes, "{checked}");
    let known = listed(&checked);
    assert!(known.len() > 40, "{known:?}");
    let shown = shown("docs/configuration.md", "toml server");
    let refused = ticked("docs/configuration.md", "\n## Not served yet");
    for key in known {
        assert!(
            shown.contains(&key) || refused.contains(&key),
            "`{key}` has no example in docs/configuration.md"
        );
    }
}

#[test]
fn the_lists_of_filters_tests_and_functions_are_the_programs() {
    let source = super::text("src/lang/template/vocabulary.rs");
    let page = super::text("docs/manifest.md");
    for (list, begins) in [
        ("const FILTERS", "- Filters: "),
        ("const TESTS", "- Tests (`is …`): "),
        ("const FUNCTIONS", "- Functions: "),
        ("const LOOP_FIELDS", "- Inside `for`: "),
    ] {
        let after = source.split_once(list).unwrap().1;
        let array = after.split_once("= [").unwrap().1;
        let array = array.split_once("];").unwrap().0;
        let mut known: BTreeSet<String> = array
            .split('"')
            .skip(1)
            .step_by(2)
            .map(str::to_owned)
            .collect();
        let written = page.split_once(begins).unwrap().1;
        let written = written
            .split("\n- ")
            .next()
            .unwrap()
            .split("\n\n")
            .next()
            .unwrap();
        let listed: BTreeSet<String> = written
            .split('`')
            .skip(1)
            .step_by(2)
            .map(|word| {
                word.trim_start_matches("loop.")
                    .trim_end_matches("(…)")
                    .to_owned()
            })
            .collect();
        if list == "const LOOP_FIELDS" {
            known.extend(["changed", "cycle"].map(str::to_owned));
        }
        assert_eq!(listed, known, "{begins}");
    }
}

//! Several files at once: everything wrong is told in one run, and names are unique across them.

use crate::support::Project;

const HELLO: &str = "[[tool]]\nname = \"hello\"\nresult.text = \"x\"\n";

#[test]
fn every_error_of_every_file_is_told_in_one_run() {
    let project = Project::new()
        .manifest("a.toml", "[[tool]]\nname = y\nx = \"z\n[[tool]\n")
        .manifest("b.toml", "[[tool]]\nname = \"b\"\nshel = 1\n")
        .manifest("c.toml", "x = [\n")
        .manifest(
            "d.toml",
            "[[tool]]\nname = \"d\"\nresult.text = \"{{ args.a }}{{ args.b }}\"\n",
        )
        .file("manifests/e.toml", b"\xff")
        .manifest("f.toml", HELLO);
    let checked = project.check(&[]);
    assert_eq!(checked.code, 1);
    let places: Vec<&str> = checked
        .stderr
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("--> manifests/"))
        .collect();
    assert_eq!(
        places,
        [
            "a.toml:2:8",
            "a.toml:3:7",
            "a.toml:4:8",
            "b.toml:1:1",
            "b.toml:3:1",
            "c.toml:1:6",
            "d.toml:3:24",
            "d.toml:3:36",
            "e.toml:1:1"
        ]
    );
    assert!(
        checked.stderr.contains("\n9 errors in 5 files\n"),
        "{}",
        checked.stderr
    );
}

#[test]
fn a_name_that_is_taken_names_both_places() {
    let project = Project::new()
        .manifest("a.toml", HELLO)
        .manifest("sub/b.toml", &format!("# second\n{HELLO}"))
        .manifest("sub/c.toml", HELLO.replace("hello", "Hello").as_str());
    assert_eq!(
        project.check(&[]).stderr,
        "\
error: the tool name `hello` is taken
 --> manifests/sub/b.toml:3:8
  |
3 | name = \"hello\"
  |        ^^^^^^^ in tool \"hello\"
 ::: manifests/a.toml:2:8
  |
2 | name = \"hello\"
  |        ------- first declared here
  = help: rename or remove one of them

1 error in 1 file
what it means: snodo check --explain duplicate-name
"
    );
}

#[test]
fn a_broken_tool_takes_its_name_too() {
    let project = Project::new()
        .manifest("a.toml", &format!("{HELLO}foo = 1\n"))
        .manifest("b.toml", HELLO);
    let said = project.check(&[]).stderr;
    assert!(said.contains("unknown key `foo`"), "{said}");
    assert!(said.contains("the tool name `hello` is taken"), "{said}");
}

#[test]
fn what_is_wrong_with_the_server_file_does_not_hide_the_manifests() {
    let project = Project::with(&format!(
        "{HELLO}foo = 1\n[[tool]]\nname = \"b\"\nresult.text = \"{{{{ secrets.token }}}}{{{{ env.REGION }}}}{{{{ secrets.tokn }}}}\"\n"
    ))
    .file(
        "snodo.toml",
        "manifests = [\"manifests\"]\n[server]\npage_size = 0\nenv = [\"REGION\"]\n[secrets]\ntoken = { env = \"NOT_SET\" }\n",
    )
    .arg("--config")
    .arg("snodo.toml");
    let said = project.check(&[]).stderr;
    for part in [
        "`page_size` must be from 1 to 10000",
        "the variable `REGION` is not set",
        "the variable `NOT_SET` is not set",
        "unknown key `foo`",
        "unknown name `secrets.tokn`",
        "\n5 errors, 2 warnings in 2 files\n",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn a_schema_in_a_file_is_told_of_in_that_file() {
    let project = Project::with(
        "[[tool]]\nname = \"a\"\nresult.text = \"x\"\ninput_schema = { file = \"schemas/in.json\" }\n\
         [[tool]]\nname = \"b\"\nresult.structured = {}\noutput_schema = { file = \"schemas/out.json\" }\n\
         [[tool]]\nname = \"c\"\nresult.text = \"x\"\ninput_schema = { file = \"schemas/good.json\" }\n",
    )
    .file(
        "manifests/schemas/in.json",
        "\u{feff}{\n  \"type\": \"object\",\n  \"properties\": { \"a/b\": { \"type\": \"strin\" } }\n}\n",
    )
    .file("manifests/schemas/out.json", "{\n  \"type\": \"object\",\n}\n")
    .file("manifests/schemas/good.json", "{ \"type\": \"object\" }");
    assert_eq!(
        project.check(&[]).stderr,
        "\
error: `type` must be a type (`array`, `boolean`, `integer`, `null`, `number`, `object`, `string`) or a list of different ones (at `/properties/a~1b/type`)
 --> manifests/schemas/in.json:3:28
  |
3 |   \"properties\": { \"a/b\": { \"type\": \"strin\" } }
  |                            ^^^^^^ in tool \"a\"
 ::: manifests/a.toml:4:25
  |
4 | input_schema = { file = \"schemas/in.json\" }
  |                         ----------------- named here

error: `schemas/out.json` is not JSON: trailing comma
 --> manifests/schemas/out.json:3:1
  |
3 | }
  | ^ in tool \"b\"
 ::: manifests/a.toml:8:26
  |
8 | output_schema = { file = \"schemas/out.json\" }
  |                          ------------------ named here

2 errors in 2 files
what each means: snodo check --explain CODE (here: bad-json, bad-schema)
"
    );
}

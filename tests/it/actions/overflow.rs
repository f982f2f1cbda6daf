//! Output that is too long for its answer, and is read on as a resource.

use crate::support::{Both, Connection, Project, call, discover, modern};
use serde_json::{Value, json};

const MANIFEST: &str = r#"
[[tool]]
name = "t"
arguments.n = { type = "integer", required = true }
shell = { command = ["seq", "{{ args.n }}"], max_output_bytes = 100, overflow = "resource", output_ttl_ms = 60000 }

[[tool]]
name = "said"
arguments.n = { type = "integer", required = true }
shell = { command = ["seq", "{{ args.n }}"], max_output_bytes = 100, overflow = "resource" }
result.text = "{{ output.overflow or 'short' }}"
"#;

fn whole(n: u32) -> String {
    (1..=n).map(|line| format!("{line}\n")).collect()
}

fn read(connection: &mut Connection, uri: &str) -> Value {
    connection
        .post(&modern(1, "resources/read", json!({ "uri": uri })))
        .json()
}

#[test]
fn what_is_cut_is_linked_and_can_be_read_whole_and_in_parts() {
    let project = Project::with(MANIFEST);
    let daemon = project.serve();
    let capabilities = &daemon.ask(&discover(1))["result"]["capabilities"];
    assert!(capabilities["resources"].is_object(), "{capabilities}");
    let answer = daemon.ask(&call(1, "t", json!({ "n": 5000 })));
    let content = answer["result"]["content"].as_array().unwrap();
    let whole = whole(5000);
    assert!(
        content[0]["text"]
            .as_str()
            .unwrap()
            .starts_with(&whole[..99])
    );
    assert!(content[0]["text"].as_str().unwrap().len() < 300);
    let link = &content[1];
    assert_eq!(
        (&link["type"], &link["size"]),
        (&json!("resource_link"), &json!(whole.len()))
    );
    let uri = link["uri"].as_str().unwrap();
    assert!(uri.starts_with("snodo://output/"), "{uri}");
    let mut connection = daemon.connect();
    let answer = read(&mut connection, uri);
    assert_eq!(
        answer["result"]["contents"],
        json!([{ "uri": uri, "mimeType": "text/plain", "text": whole }])
    );
    assert_eq!(answer["result"]["cacheScope"], "private");
    assert!(answer["result"]["ttlMs"].as_u64().unwrap() <= 60000);
    let part = format!("{uri}?offset=1000&length=10");
    let answer = read(&mut connection, &part);
    assert_eq!(answer["result"]["contents"][0]["text"], whole[1000..1010]);
    // It outlives a reload, and is in no list.
    project.save(
        "manifests/b.toml",
        "[[tool]]\nname = \"b\"\nresult.text = \"x\"\n",
    );
    daemon.wait_for_log("added=\"b\"");
    assert_eq!(
        read(&mut connection, uri)["result"]["contents"][0]["text"],
        whole
    );
    let list = connection
        .post(&modern(1, "resources/list", json!({})))
        .json();
    assert_eq!(list["result"]["resources"], json!([]));
    for wrong in [
        format!("{uri}x"),
        format!("{uri}?line=1"),
        "snodo://output/".into(),
    ] {
        assert_eq!(
            read(&mut connection, &wrong)["error"]["code"],
            -32602,
            "{wrong}"
        );
    }
}

#[test]
fn what_fits_is_not_kept_and_results_can_say_where_the_rest_is() {
    let mut both = Both::of(Project::with(MANIFEST));
    let answer = both.ask(&call(1, "t", json!({ "n": 3 })));
    assert_eq!(
        answer["result"]["content"],
        json!([{ "type": "text", "text": "1\n2\n3\n" }])
    );
    let answer = both.ask(&call(1, "said", json!({ "n": 3 })));
    assert_eq!(answer["result"]["content"][0]["text"], "short");
    let answer = both.daemon.ask(&call(1, "said", json!({ "n": 5000 })));
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("snodo://output/"), "{text}");
}

#[test]
fn more_than_can_be_kept_is_cut_and_said() {
    let manifest = "[[tool]]\nname = \"t\"\nshell = { command = [\"head\", \"-c\", \"20000000\", \"/dev/zero\"], overflow = \"resource\" }\n";
    let project = Project::with(manifest);
    let daemon = project.serve();
    let answer = daemon.ask(&call(1, "t", json!({})));
    let link = answer["result"]["content"]
        .as_array()
        .unwrap()
        .last()
        .unwrap()
        .clone();
    assert_eq!(link["size"], 16 << 20);
    let description = link["description"].as_str().unwrap();
    assert!(
        description.contains("which is not all of it"),
        "{description}"
    );
}

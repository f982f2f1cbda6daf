//! `resources/list`, `resources/templates/list`, and what discovery says of resources.

use super::{list, read, served, templates};
use crate::support::{Both, Project, discover};
use serde_json::{Value, json};

#[test]
fn all_that_a_manifest_declares_is_listed() {
    let mut both = served(
        r#"
[[resource]]
uri = "docs://readme"
name = "readme"
title = "Read me"
description = "What this is"
mime_type = "text/markdown"
size = 12
annotations = { audience = ["user", "assistant"], priority = 0.5, last_modified = "2025-01-12T15:00:58Z" }
icons = [{ src = "https://example.com/a.png", mime_type = "image/png", sizes = ["48x48"], theme = "dark" }]
metadata = { "com.example/team" = "core" }
result.text = "x"

[[resource]]
uri_template = "docs://{+path}"
name = "page"
description = "One page"
mime_type = "text/markdown"
annotations = { priority = 1 }
result.text = "x"

[[resource]]
uri = "docs://bare"
name = "bare"
result.text = "x"
"#
        .replace("docs://{+path}", "docs://pages/{+path}")
        .as_str(),
    );
    let answer = both.ask(&list(None));
    let expected = json!([
        {
            "name": "readme",
            "title": "Read me",
            "icons": [{ "src": "https://example.com/a.png", "mimeType": "image/png", "sizes": ["48x48"], "theme": "dark" }],
            "uri": "docs://readme",
            "description": "What this is",
            "mimeType": "text/markdown",
            "annotations": { "audience": ["user", "assistant"], "priority": 0.5, "lastModified": "2025-01-12T15:00:58Z" },
            "size": 12,
            "_meta": { "com.example/team": "core" },
        },
        { "name": "bare", "uri": "docs://bare" },
    ]);
    assert_eq!(answer["result"]["resources"], expected);
    assert_eq!(answer["result"]["resultType"], "complete");
    assert_eq!(answer["result"]["ttlMs"], 0);
    assert_eq!(answer["result"]["cacheScope"], "private");
    let answer = both.ask(&templates(None));
    let expected = json!([{
        "name": "page",
        "uriTemplate": "docs://pages/{+path}",
        "description": "One page",
        "mimeType": "text/markdown",
        "annotations": { "priority": 1.0 },
    }]);
    assert_eq!(answer["result"]["resourceTemplates"], expected);
    assert_eq!(answer["result"]["ttlMs"], 0);
    let capabilities = &both.ask(&discover(2))["result"]["capabilities"];
    assert!(capabilities["resources"].is_object(), "{capabilities}");
    assert_eq!(capabilities.get("tools"), None);
    assert_eq!(capabilities.get("completions"), None);
}

#[test]
fn without_resources_their_methods_are_not_found() {
    let mut both = served("[[tool]]\nname = \"t\"\nresult.text = \"x\"\n");
    for request in [list(None), templates(None), read("a://b")] {
        let line = both.stdio.ask(&request);
        assert_eq!(line["error"]["code"], -32601, "{line}");
        assert_eq!(both.daemon.connect().post(&request).status, 404);
    }
    let capabilities = &both.ask(&discover(2))["result"]["capabilities"];
    assert_eq!(capabilities.get("resources"), None);
}

#[test]
fn resources_are_paged_and_their_cursors_are_their_own() {
    let exact =
        |n| format!("[[resource]]\nuri = \"a://r{n}\"\nname = \"r{n}\"\nresult.text = \"x\"\n");
    let template = |n| {
        format!(
            "[[resource]]\nuri_template = \"t{n}://{{x}}\"\nname = \"t{n}\"\nresult.text = \"x\"\n"
        )
    };
    let manifest: String = (0..5).map(exact).chain((0..5).map(template)).collect();
    let project = Project::with(&manifest)
        .set("server.page_size=2")
        .set("server.cache.resources={ ttl_ms = 60000, scope = \"public\" }");
    let mut both = Both::of(project);
    let mut walk = |request: fn(Option<&str>) -> Value, key: &str, uri: &str| {
        let (mut uris, mut cursors) = (Vec::new(), Vec::new());
        let mut cursor: Option<String> = None;
        loop {
            let page = both.stdio.ask(&request(cursor.as_deref()))["result"].clone();
            assert_eq!(
                (&page["ttlMs"], &page["cacheScope"]),
                (&json!(60000), &json!("public"))
            );
            let items = page[key].as_array().unwrap();
            uris.extend(
                items
                    .iter()
                    .map(|item| item[uri].as_str().unwrap().to_owned()),
            );
            match page.get("nextCursor").and_then(Value::as_str) {
                None => break,
                Some(next) => {
                    cursors.push(next.to_owned());
                    cursor = Some(next.to_owned());
                }
            }
        }
        (uris, cursors)
    };
    let (uris, cursors) = walk(list, "resources", "uri");
    assert_eq!(uris, ["a://r0", "a://r1", "a://r2", "a://r3", "a://r4"]);
    let (uris, others) = walk(templates, "resourceTemplates", "uriTemplate");
    assert_eq!(
        uris,
        ["t0://{x}", "t1://{x}", "t2://{x}", "t3://{x}", "t4://{x}"]
    );
    for (request, cursor) in [
        (list as fn(Option<&str>) -> Value, &others[0]),
        (templates, &cursors[0]),
    ] {
        assert_eq!(both.ask(&request(Some(cursor)))["error"]["code"], -32602);
        assert_eq!(both.ask(&request(Some("")))["error"]["code"], -32602);
    }
}

#[test]
fn a_reload_brings_changes_and_takes_resources() {
    let resource = |uri: &str, text: &str| {
        format!("[[resource]]\nuri = \"{uri}\"\nname = \"r\"\nresult.text = \"{text}\"\n")
    };
    let project = Project::with(&resource("a://one", "1"));
    let daemon = project.serve();
    let first = daemon.ask(&list(None));
    assert_eq!(first["result"]["resources"].as_array().unwrap().len(), 1);
    project.write("manifests/more.toml", resource("a://two", "2"));
    daemon.wait_for_log("added=\"resource a://two\"");
    let answer = daemon.ask(&read("a://two"));
    assert_eq!(answer["result"]["contents"][0]["text"], "2");
    project.write("manifests/more.toml", resource("a://two", "3"));
    daemon.wait_for_log("changed=\"resource a://two\"");
    let answer = daemon.ask(&read("a://two"));
    assert_eq!(answer["result"]["contents"][0]["text"], "3");
    std::fs::remove_file(project.manifests().join("more.toml")).unwrap();
    daemon.wait_for_log("removed=\"resource a://two\"");
    assert_eq!(daemon.ask(&read("a://two"))["error"]["code"], -32602);
}

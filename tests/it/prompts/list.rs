//! `prompts/list` and what discovery says of prompts.

use super::served;
use crate::support::{Both, Project, discover, modern};
use serde_json::{Value, json};

fn list(cursor: Option<&str>) -> Value {
    let params = match cursor {
        Some(cursor) => json!({ "cursor": cursor }),
        None => json!({}),
    };
    modern(1, "prompts/list", params)
}

#[test]
fn all_that_a_manifest_declares_is_listed() {
    let mut both = served(
        r#"
[[prompt]]
name = "review"
title = "Review a package"
description = "What to look at"
icons = [{ src = "https://example.com/a.png", mime_type = "image/png", sizes = ["48x48"] }]
metadata = { "com.example/team" = "core" }
result.text = "Review {{ args.name }}."

[prompt.arguments.name]
title = "Package"
description = "Its name"
required = true
complete = ["jason"]

[prompt.arguments.focus]

[[prompt]]
name = "bare"
result.text = "hello"
"#,
    );
    let answer = both.ask(&list(None));
    let expected = json!([
        {
            "name": "review",
            "title": "Review a package",
            "icons": [{ "src": "https://example.com/a.png", "mimeType": "image/png", "sizes": ["48x48"] }],
            "description": "What to look at",
            "arguments": [
                { "name": "name", "title": "Package", "description": "Its name", "required": true },
                { "name": "focus", "required": false },
            ],
            "_meta": { "com.example/team": "core" },
        },
        { "name": "bare" },
    ]);
    assert_eq!(answer["result"]["prompts"], expected);
    assert_eq!(answer["result"]["resultType"], "complete");
    assert_eq!(answer["result"]["ttlMs"], 0);
    assert_eq!(answer["result"]["cacheScope"], "private");
    let capabilities = &both.ask(&discover(2))["result"]["capabilities"];
    assert_eq!(capabilities["completions"], json!({}));
    assert!(capabilities["prompts"].is_object(), "{capabilities}");
    assert_eq!(capabilities.get("tools"), None);
}

#[test]
fn without_prompts_their_methods_are_not_found() {
    let mut both = served("[[tool]]\nname = \"t\"\nresult.text = \"x\"\n");
    for request in [
        list(None),
        super::get("t", json!({})),
        super::complete("t", "a", "", json!({})),
    ] {
        let line = both.stdio.ask(&request);
        assert_eq!(line["error"]["code"], -32601, "{line}");
        assert_eq!(both.daemon.connect().post(&request).status, 404);
    }
    let capabilities = &both.ask(&discover(2))["result"]["capabilities"];
    assert_eq!(capabilities.get("prompts"), None);
    assert_eq!(capabilities.get("completions"), None);
}

#[test]
fn prompts_are_paged_and_their_cursors_are_their_own() {
    let prompt = |n| format!("[[prompt]]\nname = \"p{n}\"\nresult.text = \"x\"\n");
    let tool = |n| format!("[[tool]]\nname = \"p{n}\"\nresult.text = \"x\"\n");
    let manifest: String = (0..5).map(prompt).chain((0..5).map(tool)).collect();
    let project = Project::with(&manifest)
        .set("server.page_size=2")
        .set("server.cache.prompts={ ttl_ms = 60000, scope = \"public\" }");
    let mut both = Both::of(project);
    let mut names = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let page = both.stdio.ask(&list(cursor.as_deref()))["result"].clone();
        assert_eq!(page["ttlMs"], 60000);
        assert_eq!(page["cacheScope"], "public");
        let prompts = page["prompts"].as_array().unwrap();
        names.extend(prompts.iter().map(|prompt| prompt["name"].clone()));
        match page.get("nextCursor") {
            None => break,
            Some(next) => cursor = next.as_str().map(str::to_owned),
        }
    }
    assert_eq!(names, ["p0", "p1", "p2", "p3", "p4"]);
    let foreign = modern(2, "tools/list", json!({ "cursor": cursor }));
    assert_eq!(both.stdio.ask(&foreign)["error"]["code"], -32602);
    let nonsense = both.ask(&list(Some("")));
    assert_eq!(nonsense["error"]["code"], -32602);
}

#[test]
fn a_reload_brings_and_takes_prompts() {
    let project = Project::with("[[prompt]]\nname = \"one\"\nresult.text = \"1\"\n");
    let daemon = project.serve();
    project.write(
        "manifests/more.toml",
        "[[prompt]]\nname = \"two\"\nresult.text = \"2\"\n",
    );
    daemon.wait_for_log("added=\"prompt two\"");
    let answer = daemon.ask(&list(None));
    assert_eq!(answer["result"]["prompts"].as_array().unwrap().len(), 2);
    let got = daemon.ask(&super::get("two", json!({})));
    assert_eq!(got["result"]["messages"][0]["content"]["text"], "2");
}

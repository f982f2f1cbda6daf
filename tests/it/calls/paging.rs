//! `tools/list` in pages.

use super::served;
use crate::support::{Both, Project, list, list_after, within};
use serde_json::{Value, json};

/// As many tools, in files of ten; their names are in the order of the files.
fn many(count: usize) -> Project {
    let mut project = Project::new();
    for file in 0..count.div_ceil(10) {
        let tools: String = (file * 10..count.min(file * 10 + 10))
            .map(|n| format!("[[tool]]\nname = \"tool_{n:03}\"\nresult.text = \"{n}\"\n\n"))
            .collect();
        project = project.manifest(&format!("{file:03}.toml"), &tools);
    }
    project
}

fn names(page: &Value) -> Vec<String> {
    let tools = page["result"]["tools"].as_array().unwrap();
    tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect()
}

/// Follows the cursors, which are each server's own, from the first page to the last: each page's names.
fn walk(both: &mut Both) -> Vec<Vec<String>> {
    let mut pages = Vec::new();
    let mut page = both.stdio.ask(&list(0));
    loop {
        pages.push(names(&page));
        // Absent on the last page; neither null nor empty.
        let Some(cursor) = page["result"].get("nextCursor") else {
            return pages;
        };
        page = both
            .stdio
            .ask(&list_after(pages.len(), cursor.as_str().unwrap()));
    }
}

#[test]
fn every_tool_is_listed_once_in_the_same_order_each_time() {
    let mut both = Both::of(many(250).set("server.page_size=100"));
    let pages = walk(&mut both);
    assert_eq!(
        pages.iter().map(Vec::len).collect::<Vec<_>>(),
        [100, 100, 50]
    );
    let all: Vec<String> = pages.concat();
    let expected: Vec<String> = (0..250).map(|n| format!("tool_{n:03}")).collect();
    assert_eq!(all, expected);
    assert_eq!(walk(&mut both), pages);
    // Over HTTP, and each page as often as one likes.
    let first = both.daemon.ask(&list(1));
    let cursor = first["result"]["nextCursor"].as_str().unwrap();
    let second = both.daemon.ask(&list_after(1, cursor));
    assert_eq!(
        (names(&first), names(&second)),
        (pages[0].clone(), pages[1].clone())
    );
    assert_eq!(both.daemon.ask(&list_after(1, cursor)), second);
}

#[test]
fn a_list_that_fits_has_one_page() {
    for (count, sizes) in [(1, &[1][..]), (3, &[3]), (4, &[3, 1]), (6, &[3, 3])] {
        let mut both = Both::of(many(count).set("server.page_size=3"));
        let pages = walk(&mut both);
        assert_eq!(
            pages.iter().map(Vec::len).collect::<Vec<_>>(),
            sizes,
            "{count}"
        );
    }
}

#[test]
fn every_page_says_how_long_and_for_whom_it_may_be_kept() {
    let project = many(3)
        .set("server.page_size=2")
        .set("server.cache.tools={ ttl_ms = 60000, scope = \"public\" }");
    let mut both = Both::of(project);
    let first = both.stdio.ask(&list(1));
    let cursor = first["result"]["nextCursor"].as_str().unwrap().to_owned();
    for page in [&first, &both.stdio.ask(&list_after(2, &cursor))] {
        let result = &page["result"];
        assert_eq!(
            (&result["ttlMs"], &result["cacheScope"]),
            (&json!(60000), &json!("public"))
        );
    }
    let mut plain = Both::of(many(1));
    let page = plain.ask(&list(1));
    assert_eq!(
        (&page["result"]["ttlMs"], &page["result"]["cacheScope"]),
        (&json!(0), &json!("private"))
    );
}

#[test]
fn a_cursor_that_was_not_given_is_invalid_params() {
    let mut both = Both::of(many(5).set("server.page_size=2"));
    let first = both.stdio.ask(&list(1));
    let cursor = first["result"]["nextCursor"].as_str().unwrap().to_owned();
    let mut changed = cursor.clone().into_bytes();
    changed[5] = if changed[5] == b'A' { b'B' } else { b'A' };
    let long = "A".repeat(100_000);
    for bad in [
        "",
        " ",
        "0",
        "2",
        "nonsense",
        "AAAAAQ==",
        &cursor[1..],
        &format!("{cursor}="),
        &format!("{cursor} "),
        std::str::from_utf8(&changed).unwrap(),
        "é\n",
        &long,
    ] {
        let answer = both.ask(&list_after(2, bad));
        assert_eq!(answer["error"]["code"], -32602, "{bad}");
        assert_eq!(answer["error"]["message"], "Invalid cursor");
    }
    // Of another process, which made another key.
    let foreign = both.daemon.ask(&list_after(1, &cursor));
    assert_eq!(foreign["error"]["code"], -32602);
}

#[test]
fn servers_with_one_secret_understand_each_others_cursors() {
    let project = many(5)
        .env("KEY", "a secret of many letters")
        .set("server.page_size=2")
        .set("server.secret={ env = \"KEY\" }");
    let mut both = Both::of(project);
    let first = both.ask(&list(1));
    let cursor = first["result"]["nextCursor"].as_str().unwrap();
    assert_eq!(
        names(&both.ask(&list_after(2, cursor))),
        ["tool_002", "tool_003"]
    );
    // Pages of another size are other pages: a tool must not be listed twice, or not at all.
    let other = many(5)
        .env("KEY", "a secret of many letters")
        .set("server.page_size=3")
        .set("server.secret={ env = \"KEY\" }");
    let refused = other.stdio().ask(&list_after(3, cursor));
    assert_eq!(refused["error"]["code"], -32602);
    // Where the secret was exchanged it is still good, as long as the one before is known.
    let exchanged = |earlier: &str| {
        many(5)
            .env("KEY", earlier)
            .env("NEW", "another secret of many letters")
            .set("server.page_size=2")
            .set("server.secret={ env = \"NEW\" }")
            .set("server.earlier_secrets=[{ env = \"KEY\" }]")
    };
    let known = exchanged("a secret of many letters");
    let page = known.stdio().ask(&list_after(4, cursor));
    assert_eq!(names(&page), ["tool_002", "tool_003"]);
    let next = page["result"]["nextCursor"].as_str().unwrap();
    let last = both.ask(&list_after(5, next));
    assert_eq!(
        last["error"]["code"], -32602,
        "it is sealed with the new one"
    );
    let unknown = exchanged("nobody had this secret");
    let refused = unknown.stdio().ask(&list_after(6, cursor));
    assert_eq!(refused["error"]["code"], -32602);
}

#[test]
fn a_cursor_of_a_list_that_has_changed_is_refused() {
    let both = Both::of(many(5).set("server.page_size=2"));
    let cursor_of = |page: &Value| page["result"]["nextCursor"].as_str().unwrap().to_owned();
    let before = cursor_of(&both.daemon.ask(&list(1)));
    // What callers see does not change: the cursor stays good.
    let text = std::fs::read_to_string(both.project.path().join("manifests/000.toml")).unwrap();
    both.project.write(
        "manifests/000.toml",
        text.replace("result.text = \"4\"", "result.text = \"four\""),
    );
    within("the new answer is served", || {
        let answer = both
            .daemon
            .ask(&crate::support::call(1, "tool_004", json!({})));
        (answer["result"]["content"][0]["text"] == "four").then_some(())
    });
    assert_eq!(
        names(&both.daemon.ask(&list_after(1, &before))),
        ["tool_002", "tool_003"]
    );
    // Another description is another list.
    both.project.write(
        "manifests/000.toml",
        text.replace(
            "name = \"tool_004\"",
            "name = \"tool_004\"\ndescription = \"new\"",
        ),
    );
    within("the new list is served", || {
        (cursor_of(&both.daemon.ask(&list(1))) != before).then_some(())
    });
    let refused = both.daemon.ask(&list_after(1, &before));
    assert_eq!(
        refused["error"],
        json!({ "code": -32602, "message": "Invalid cursor" })
    );
    let now = cursor_of(&both.daemon.ask(&list(1)));
    assert_eq!(
        names(&both.daemon.ask(&list_after(1, &now))),
        ["tool_002", "tool_003"]
    );
}

#[test]
fn an_empty_catalog_has_no_list() {
    let mut both = served("");
    let came = both.send(list(1).to_string().as_bytes(), true);
    assert_eq!(
        (came.status, came.line.unwrap()["error"]["code"].as_i64()),
        (404, Some(-32601))
    );
}

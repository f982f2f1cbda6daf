//! The acknowledgement, and changes of lists.

use super::{ID, Listener, listen, said};
use crate::support::{Both, Connection, Project, call, discover};
use serde_json::json;

const TOOL: &str = "[[tool]]\nname = \"t\"\nresult.text = \"1\"\n";
const PROMPT: &str = "[[prompt]]\nname = \"p\"\nresult.text = \"1\"\n";

fn project() -> Project {
    Project::new()
        .manifest("tool.toml", TOOL)
        .manifest("prompt.toml", PROMPT)
}

#[test]
fn the_acknowledgement_comes_first_and_says_what_is_honoured() {
    let project = project();
    let daemon = project.serve();
    for id in [
        json!(7),
        json!("7"),
        json!(""),
        json!(0),
        json!(9_007_199_254_740_993_u64),
    ] {
        let asked = json!({
            "toolsListChanged": true,
            "promptsListChanged": false,
            "resourcesListChanged": true,
            "somethingElse": true,
        });
        let request = listen(id.clone(), asked);
        for mut listener in [
            Listener::stdio(&project, &request),
            Listener::Http(daemon.connect().events(&request)),
        ] {
            let first = listener.next();
            assert_eq!(
                said(&first),
                ("notifications/subscriptions/acknowledged", &id)
            );
            // There are no resources, so their list cannot change.
            assert_eq!(
                first["params"]["notifications"],
                json!({ "toolsListChanged": true })
            );
        }
    }
    let capabilities = &daemon.ask(&discover(1))["result"]["capabilities"];
    assert_eq!(capabilities["tools"], json!({ "listChanged": true }));
    assert_eq!(capabilities["prompts"], json!({ "listChanged": true }));
}

#[test]
fn a_filter_of_the_wrong_form_is_refused() {
    let mut both = Both::of(project());
    for wrong in [
        json!(null),
        json!([]),
        json!({ "toolsListChanged": 1 }),
        json!({ "resourceSubscriptions": "x" }),
    ] {
        let answer = both.ask(&listen(1, wrong.clone()));
        assert_eq!(answer["error"]["code"], -32602, "{wrong}: {answer}");
    }
    let many: Vec<String> = (0..1001).map(|n| format!("a:{n}")).collect();
    let answer = both.ask(&listen(1, json!({ "resourceSubscriptions": many })));
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.contains("more than 1000 resources"), "{message}");
    let long: Vec<String> = (100..700)
        .map(|n| format!("a:{n}{}", "x".repeat(995)))
        .collect();
    let answer = both.ask(&listen(1, json!({ "resourceSubscriptions": long })));
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("have 600000 bytes, more than 524288"),
        "{message}"
    );
}

#[test]
fn without_a_stream_there_is_no_listening() {
    let daemon = project().serve();
    let request = listen(1, json!({ "toolsListChanged": true }));
    let mut connection = daemon.connect();
    let body = request.to_string();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nAccept: application/json\r\nContent-Type: application/json\r\n\
         MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: subscriptions/listen\r\nContent-Length: {}\r\n\r\n{body}",
        daemon.address(),
        body.len(),
    );
    connection.send(head.as_bytes());
    let reply = connection.reply();
    assert_eq!(reply.status, 406);
    assert_eq!(reply.json()["error"]["code"], -32600, "{}", reply.text());
}

#[test]
fn only_what_was_asked_for_is_told() {
    let project = project();
    let daemon = project.serve();
    let mut tools = daemon
        .connect()
        .events(&listen(1, json!({ "toolsListChanged": true })));
    let mut prompts = daemon
        .connect()
        .events(&listen(1, json!({ "promptsListChanged": true })));
    tools.next();
    prompts.next();
    project.save("manifests/prompt.toml", PROMPT.replace("\"p\"", "\"q\""));
    assert_eq!(
        said(&prompts.next().unwrap()),
        ("notifications/prompts/list_changed", &json!(1))
    );
    project.save("manifests/tool.toml", TOOL.replace("\"t\"", "\"u\""));
    // The first that it is told of; that prompts have changed it is not.
    assert_eq!(
        said(&tools.next().unwrap()),
        ("notifications/tools/list_changed", &json!(1))
    );
}

#[test]
fn a_comment_edit_and_an_edit_of_what_no_list_shows_tell_nothing() {
    let project = project().set("log.level=\"debug\"");
    let daemon = project.serve();
    let both = json!({ "toolsListChanged": true, "promptsListChanged": true });
    let mut events = daemon.connect().events(&listen(1, both));
    events.next();
    project.save("manifests/tool.toml", format!("# a comment\n{TOOL}"));
    daemon.wait_for_log("the components are the same");
    project.save("manifests/tool.toml", TOOL.replace("\"1\"", "\"2\""));
    daemon.wait_for_log("changed=\"t\"");
    assert_eq!(
        daemon.ask(&call(1, "t", json!({})))["result"]["content"][0]["text"],
        "2"
    );
    project.save("manifests/prompt.toml", PROMPT.replace("\"p\"", "\"q\""));
    assert_eq!(
        said(&events.next().unwrap()).0,
        "notifications/prompts/list_changed"
    );
}

#[test]
fn two_hundred_listeners_are_each_told_once_and_find_the_new_list() {
    const HTTP: usize = 180;
    const STDIO: usize = 20;
    const RESOURCE: &str = "[[resource]]\nuri = \"x:r\"\nname = \"r\"\nresult.text = \"1\"\n";
    let project = project().manifest("resource.toml", RESOURCE);
    let daemon = project.serve();
    let all = json!({ "toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true });
    let mut events: Vec<_> = (0..HTTP)
        .map(|_| daemon.connect().events(&listen("listen", all.clone())))
        .collect();
    // One stream of messages with many listeners.
    let mut stdio = project.stdio();
    for id in 0..STDIO {
        stdio.send(&listen(id, all.clone()));
        assert_eq!(said(&stdio.receive()).1, &json!(id));
    }
    for events in &mut events {
        events.next();
    }
    project.save("manifests/tool.toml", TOOL.replace("\"t\"", "\"u\""));
    let mut connection = Connection::to(daemon.address());
    for events in &mut events {
        assert_eq!(
            said(&events.next().unwrap()),
            ("notifications/tools/list_changed", &json!("listen"))
        );
        let list = connection.post(&crate::support::list(1)).json();
        assert_eq!(list["result"]["tools"][0]["name"], "u");
    }
    let mut told: Vec<u64> = (0..STDIO)
        .map(|_| {
            let message = stdio.receive();
            assert_eq!(message["method"], "notifications/tools/list_changed");
            message["params"]["_meta"][ID].as_u64().unwrap()
        })
        .collect();
    told.sort_unstable();
    assert_eq!(told, (0..STDIO as u64).collect::<Vec<_>>());
    // Each was told once: the next is of something else.
    let [tools, prompts, resources] =
        ["tools", "prompts", "resources"].map(|kind| format!("notifications/{kind}/list_changed"));
    let every = [tools.clone(), prompts.clone(), resources.clone()];
    for (file, text, expected) in [
        ("prompt", PROMPT.replace("\"p\"", "\"q\""), &[prompts][..]),
        ("resource", RESOURCE.replace("\"r\"", "\"s\""), &[resources]),
        // One reload that changes every kind.
        (
            "more",
            format!("{TOOL}{PROMPT}{}", RESOURCE.replace("x:r", "x:s")),
            &every,
        ),
        ("tool", TOOL.replace("\"t\"", "\"v\""), &[tools]),
    ] {
        project.save(&format!("manifests/{file}.toml"), text);
        for events in &mut events {
            for method in expected {
                assert_eq!(said(&events.next().unwrap()).0, method);
            }
        }
        let mut heard: Vec<(u64, String)> = (0..STDIO * expected.len())
            .map(|_| stdio.receive())
            .map(|message| {
                let id = message["params"]["_meta"][ID].as_u64().unwrap();
                (id, said(&message).0.to_owned())
            })
            .collect();
        heard.sort_by_key(|(id, _)| *id);
        let wanted = (0..STDIO as u64).flat_map(|id| expected.iter().map(move |m| (id, m.clone())));
        assert_eq!(heard, wanted.collect::<Vec<_>>());
    }
}

#[test]
fn there_are_no_more_listeners_than_there_may_be() {
    let project = project().set("http.max_subscriptions=1");
    let daemon = project.serve();
    let request = listen(1, json!({ "toolsListChanged": true }));
    let mut first = daemon.connect().events(&request);
    first.next();
    let refused = daemon.ask(&request);
    assert_eq!(refused["error"]["code"], -32603, "{refused}");
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.contains("1 subscriptions are open"), "{message}");
    // Who closes its stream makes room.
    drop(first);
    crate::support::within("room for another", || {
        let mut connection = daemon.connect();
        connection.send_message(&request);
        let (status, is_stream) = connection.begins();
        (status == 200 && is_stream).then_some(())
    });
}

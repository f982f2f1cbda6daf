//! What a client is told without asking: over its GET stream, or between the lines of stdio.

use super::{Client, NEWER, OLDER, Session, initialize, notification, request};
use crate::support::{Connection, Daemon, Events, Project, Stdio, within};
use serde_json::{Value, json};

const TOOL: &str = "[[tool]]\nname = \"t\"\nresult.text = \"1\"\n";
const MORE: &str = "[[tool]]\nname = \"u\"\nresult.text = \"1\"\n";
const NOTES: &str = "[[resource]]\nuri = \"note://1\"\nname = \"1\"\nresult.text = \"one\"\n\n\
                     [[resource]]\nuri_template = \"note://n/{n}\"\nname = \"n\"\nresult.text = \"x\"\n";
const STREAM: (&str, &str) = ("Accept", "text/event-stream");

fn project() -> Project {
    Project::new()
        .manifest("tool.toml", TOOL)
        .manifest("notes.toml", NOTES)
}

/// A client and where it is told.
#[expect(clippy::large_enum_variant, reason = "there are a few of them")]
enum Listener {
    Stdio(Stdio),
    Http(Session, Events),
}

impl Listener {
    fn each(project: &Project, daemon: &Daemon, version: &str) -> [Self; 2] {
        Client::each(project, daemon, version).map(|client| match client {
            Client::Stdio(stdio) => Self::Stdio(stdio),
            Client::Http(session) => {
                let events = open(&session, daemon);
                Self::Http(session, events)
            }
        })
    }

    fn next(&mut self) -> Value {
        match self {
            Self::Stdio(stdio) => stdio.receive(),
            Self::Http(_, events) => events.next().expect("the stream has ended"),
        }
    }

    fn ask(&mut self, request: &Value) -> Value {
        match self {
            Self::Stdio(stdio) => stdio.ask(request),
            Self::Http(session, _) => session.post(request).json(),
        }
    }
}

fn open(session: &Session, daemon: &Daemon) -> Events {
    let headers = [&session.headers()[..], &[STREAM]].concat();
    daemon.connect().get_events(&headers)
}

fn changed(list: &str) -> Value {
    notification(&format!("notifications/{list}/list_changed"), json!({}))
}

fn updated(uri: &str) -> Value {
    notification("notifications/resources/updated", json!({ "uri": uri }))
}

#[test]
fn an_edit_of_a_manifest_is_told() {
    for version in [NEWER, OLDER] {
        let project = project();
        let daemon = project.serve();
        let mut listeners = Listener::each(&project, &daemon, version);
        // An answer means that what went before it was understood.
        for listener in &mut listeners {
            listener.ask(&request(1, "ping", json!({})));
        }
        project.save("manifests/tool.toml", format!("{TOOL}{MORE}"));
        for listener in &mut listeners {
            assert_eq!(listener.next(), changed("tools"));
            let listed = listener.ask(&request(2, "tools/list", json!({})));
            assert_eq!(listed["result"]["tools"][1]["name"], "u", "the new list");
        }
        project.save(
            "manifests/notes.toml",
            NOTES.replace("note://n/", "note://m/"),
        );
        for listener in &mut listeners {
            assert_eq!(listener.next(), changed("resources"));
        }
    }
}

#[test]
fn a_change_of_what_is_subscribed_to_is_told_until_it_is_not() {
    let project = project();
    let daemon = project.serve();
    let mut listeners = Listener::each(&project, &daemon, NEWER);
    let edit = |text: &str| {
        project.save(
            "manifests/notes.toml",
            NOTES
                .replace("one", text)
                .replace("\"x\"", &format!("\"{text}\"")),
        );
    };
    for listener in &mut listeners {
        for uri in ["note://1", "note://n/7"] {
            let subscribe = request(1, "resources/subscribe", json!({ "uri": uri }));
            assert_eq!(listener.ask(&subscribe)["result"], json!({}));
        }
    }
    edit("two");
    for listener in &mut listeners {
        assert_eq!(listener.next(), updated("note://1"));
        assert_eq!(listener.next(), updated("note://n/7"));
        let unsubscribe = request(2, "resources/unsubscribe", json!({ "uri": "note://1" }));
        assert_eq!(listener.ask(&unsubscribe)["result"], json!({}));
    }
    edit("three");
    for listener in &mut listeners {
        assert_eq!(listener.next(), updated("note://n/7"));
        let nothing = request(3, "resources/unsubscribe", json!({ "uri": "never:heard" }));
        assert_eq!(listener.ask(&nothing)["result"], json!({}));
    }
}

#[test]
fn who_has_made_no_handshake_is_told_nothing() {
    let project = project();
    let mut stdio = project.stdio();
    stdio.ask(&request(1, "tools/list", json!({})));
    stdio.send(&notification("notifications/initialized", json!({})));
    stdio.ask(&request(2, "ping", json!({})));
    project.save("manifests/tool.toml", MORE);
    within("the new tool is served", || {
        let listed = stdio.ask(&request(3, "tools/list", json!({})));
        (listed["result"]["tools"][0]["name"] == "u").then_some(())
    });
    let (status, rest) = stdio.finish();
    assert!(status.success() && rest.is_empty(), "{rest:?}");
}

#[test]
fn what_was_not_declared_is_not_told() {
    // Without prompts there is no capability of theirs, nor a notification once there are some.
    let project = project();
    let daemon = project.serve();
    let mut listeners = Listener::each(&project, &daemon, NEWER);
    project.save(
        "manifests/p.toml",
        "[[prompt]]\nname = \"p\"\nresult.text = \"1\"\n",
    );
    for listener in &mut listeners {
        within("the prompt is served", || {
            let listed = listener.ask(&request(1, "prompts/list", json!({})));
            listed.get("result").is_some().then_some(())
        });
    }
    project.save("manifests/tool.toml", format!("{TOOL}{MORE}"));
    for listener in &mut listeners {
        assert_eq!(listener.next(), changed("tools"));
    }
}

#[test]
fn what_changes_between_two_streams_waits_and_is_told_once() {
    let project = project();
    let daemon = project.serve();
    let session = Session::begin(&daemon, NEWER);
    let first = open(&session, &daemon);
    let mut second = open(&session, &daemon);
    project.save("manifests/tool.toml", format!("{TOOL}{MORE}"));
    assert_eq!(second.next(), Some(changed("tools")));
    drop((first, second));
    let edit = NOTES.replace("note://1", "note://2");
    project.save("manifests/notes.toml", edit);
    within("the edit is served", || {
        let reply = session
            .on(&daemon)
            .post(&request(1, "resources/list", json!({})));
        (reply.json()["result"]["resources"][0]["uri"] == "note://2").then_some(())
    });
    assert_eq!(open(&session, &daemon).next(), Some(changed("resources")));
}

#[test]
fn a_stream_needs_a_session_and_the_right_form() {
    let project = project();
    let daemon = project.serve();
    let session = Session::begin(&daemon, OLDER);
    let id = ("Mcp-Session-Id", session.headers[0].1.as_str());
    let mut connection = daemon.connect();
    for (headers, status) in [
        (vec![STREAM], 405),
        (vec![("MCP-Protocol-Version", OLDER), STREAM], 405),
        (vec![id, ("Accept", "application/json")], 406),
        (
            vec![id, ("MCP-Protocol-Version", "2020-01-01"), STREAM],
            400,
        ),
        (vec![("Mcp-Session-Id", "x"), STREAM], 404),
    ] {
        let reply = connection.bare("GET", &headers);
        assert_eq!(reply.status, status, "{headers:?}");
    }
    // Something is sent at once, so that whoever is between sees a stream.
    let mut raw = Connection::to(daemon.address());
    raw.send(
        format!(
            "GET /mcp HTTP/1.1\r\nHost: {}\r\nMcp-Session-Id: {}\r\nLast-Event-ID: 7\r\n\r\n",
            daemon.address(),
            id.1
        )
        .as_bytes(),
    );
    let head = raw.head();
    assert_eq!(
        (head.status, head.header("content-type")),
        (200, Some("text/event-stream"))
    );
    assert_eq!(head.header("cache-control"), Some("no-cache"));
    assert_eq!(raw.chunk(), Some(b":\n\n".to_vec()));
}

#[test]
fn streams_end_with_their_session_and_with_the_server() {
    let project = project();
    let mut daemon = project.serve();
    let (one, other) = (
        Session::begin(&daemon, NEWER),
        Session::begin(&daemon, NEWER),
    );
    let (mut ends, mut stays) = (open(&one, &daemon), open(&other, &daemon));
    assert_eq!(daemon.connect().bare("DELETE", &one.headers()).status, 204);
    assert_eq!(ends.next(), None);
    project.save("manifests/tool.toml", format!("{TOOL}{MORE}"));
    assert_eq!(stays.next(), Some(changed("tools")));
    daemon.signal("TERM");
    assert_eq!(stays.next(), None);
    assert!(daemon.wait().success());
}

#[test]
fn a_second_handshake_of_a_stream_tells_no_more_than_the_first() {
    let project = project();
    let Client::Stdio(mut stdio) = Client::stdio(&project, NEWER) else {
        panic!("another transport");
    };
    let again = stdio.ask(&initialize(OLDER));
    assert_eq!(again["result"]["protocolVersion"], OLDER);
    stdio.send(&notification("notifications/initialized", json!({})));
    stdio.ask(&request(1, "ping", json!({})));
    project.save("manifests/tool.toml", format!("{TOOL}{MORE}"));
    assert_eq!(stdio.receive(), changed("tools"));
    let (status, rest) = stdio.finish();
    assert!(status.success() && rest.is_empty(), "{rest:?}");
}

#[test]
fn there_are_as_many_streams_as_there_may_be() {
    let project = project().set("http.max_subscriptions=2");
    let daemon = project.serve();
    let sessions: Vec<Session> = (0..3).map(|_| Session::begin(&daemon, NEWER)).collect();
    let streams: Vec<Events> = sessions[..2].iter().map(|one| open(one, &daemon)).collect();
    let headers = [&sessions[2].headers()[..], &[STREAM]].concat();
    let reply = daemon.connect().bare("GET", &headers);
    assert_eq!(
        (reply.status, reply.json()["error"]["code"].clone()),
        (503, json!(-32603))
    );
    drop(streams);
    // Those that nobody reads make room.
    within("a stream for the third", || {
        let reply = daemon.connect();
        let mut connection = reply;
        connection.send(
            format!(
                "GET /mcp HTTP/1.1\r\nHost: {}\r\nMcp-Session-Id: {}\r\n\r\n",
                daemon.address(),
                sessions[2].headers[0].1
            )
            .as_bytes(),
        );
        (connection.head().status == 200).then_some(())
    });
}

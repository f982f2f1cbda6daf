//! Sessions that nobody keeps: sealed, understood by whoever has the secret, never required.

use super::{Client, NEWER, OLDER, Session, initialize, notification, request};
use crate::support::{Project, kill};
use serde_json::{Value, json};

const TOOL: &str = "[[tool]]\nname = \"t\"\nresult.text = \"{{ client.name or 'nobody' }}\"\n";

fn with_secret(secret: &str) -> Project {
    Project::with(TOOL)
        .file("secret", secret)
        .file(
            "snodo.toml",
            "manifests = [\"manifests\"]\nserver.secret = { file = \"secret\" }",
        )
        .arg("--config")
        .arg("snodo.toml")
}

fn calls(session: &mut Session) -> (u16, Value) {
    let reply = session.post(&super::call(1, "t", json!({})));
    let body = reply.json();
    (reply.status, body["result"]["content"][0]["text"].clone())
}

#[test]
fn a_restart_between_two_requests_goes_unnoticed() {
    let project = with_secret("a secret of enough characters");
    let daemon = project.serve();
    let mut session = Session::begin(&daemon, OLDER);
    assert_eq!(calls(&mut session), (200, json!("it")));
    kill(daemon.pid(), "KILL");
    drop(daemon);
    let daemon = project.serve();
    let mut session = session.on(&daemon);
    // Also who the client is has come along.
    assert_eq!(calls(&mut session), (200, json!("it")));
    let reply = session.post(&notification("notifications/initialized", json!({})));
    assert_eq!(reply.status, 202);
}

#[test]
fn servers_share_sessions_by_their_secret_and_not_otherwise() {
    let one = with_secret("one secret of enough characters").serve();
    let same = with_secret("one secret of enough characters").serve();
    let other = with_secret("another secret of enough characters").serve();
    let none = Project::with(TOOL).serve();
    let session = Session::begin(&one, NEWER);
    assert_eq!(calls(&mut session.on(&same)).0, 200);
    assert_eq!(calls(&mut session.on(&other)).0, 404);
    assert_eq!(calls(&mut session.on(&none)).0, 404);
}

#[test]
fn an_ended_or_broken_session_is_404_for_every_method() {
    let daemon = Project::with(TOOL).serve();
    let mut session = Session::begin(&daemon, NEWER);
    let id = session.headers[0].1.clone();
    assert!(id.len() > 22 && id.bytes().all(|byte| (0x21..=0x7e).contains(&byte)));
    let mut connection = daemon.connect();
    let stream = [("Accept", "text/event-stream")];
    let mut gone = |id: &str, status: u16| {
        let headers = [("Mcp-Session-Id", id)];
        for (method, more) in [("GET", &stream[..]), ("DELETE", &[])] {
            let reply = connection.bare(method, &[&headers, more].concat());
            assert_eq!(reply.status, status, "{method} {id}: {reply:?}");
            assert_eq!(reply.json()["error"]["code"], -32001);
        }
        for message in [
            request(1, "ping", json!({})),
            notification("notifications/initialized", json!({})),
        ] {
            let reply = connection.post_with(&headers, message.to_string().as_bytes());
            assert_eq!(reply.status, status, "{message}: {reply:?}");
            assert_eq!(reply.json().get("id"), message.get("id"));
        }
    };
    gone("nonsense", 404);
    gone(&format!("{id}A"), 404);
    let middle = id.len() / 2;
    let flipped = if id.as_bytes()[middle] == b'A' {
        "B"
    } else {
        "A"
    };
    gone(
        &format!("{}{flipped}{}", &id[..middle], &id[middle + 1..]),
        404,
    );
    assert_eq!(session.post(&request(1, "ping", json!({}))).status, 200);
    let headers = session.headers();
    let reply = daemon.connect().bare("DELETE", &headers);
    assert_eq!((reply.status, reply.body.len()), (204, 0));
    gone(&id, 404);
    // Others go on, and there can be another.
    Session::begin(&daemon, NEWER);
}

#[test]
fn a_session_is_never_needed() {
    let daemon = Project::with(TOOL).serve();
    let mut connection = daemon.connect();
    let list = request(1, "tools/list", json!({})).to_string();
    for headers in [
        &[][..],
        &[("MCP-Protocol-Version", NEWER)],
        &[("MCP-Protocol-Version", OLDER)],
    ] {
        let reply = connection.post_with(headers, list.as_bytes());
        assert_eq!((reply.status, reply.header("mcp-session-id")), (200, None));
        assert_eq!(reply.json()["result"]["tools"][0]["name"], "t");
    }
    for method in ["GET", "DELETE"] {
        let reply = connection.bare(method, &[("Accept", "text/event-stream")]);
        assert_eq!(reply.status, 405);
        assert_eq!(reply.header("allow"), Some("GET, POST, DELETE, OPTIONS"));
    }
}

#[test]
fn what_needs_remembering_needs_a_session() {
    let manifest = "[[resource]]\nuri = \"a:1\"\nname = \"a\"\nresult.text = \"1\"\n";
    let daemon = Project::with(manifest).serve();
    let subscribe = request(1, "resources/subscribe", json!({ "uri": "a:1" })).to_string();
    let reply = daemon.connect().post_with(&[], subscribe.as_bytes());
    assert_eq!(
        (reply.status, reply.json()["error"]["code"].clone()),
        (400, json!(-32600))
    );
    let message = reply.json()["error"]["message"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(message.contains("Mcp-Session-Id"), "{message}");
}

#[test]
fn the_header_of_another_revision_is_refused_and_of_another_that_is_served_is_not() {
    let daemon = Project::with(TOOL).serve();
    let mut session = Session::begin(&daemon, OLDER);
    for (header, status) in [
        (NEWER, 200),
        ("2026-07-28", 200),
        ("2025-03-26", 400),
        ("x", 400),
    ] {
        session.headers[1].1 = header.to_owned();
        let reply = session.post(&request(1, "ping", json!({})));
        assert_eq!(reply.status, status, "{header}");
        if status == 400 {
            let supported = &reply.json()["error"]["data"]["supported"];
            assert_eq!(*supported, json!(["2026-07-28", NEWER, OLDER]));
        }
    }
}

#[test]
fn handshakes_leave_nothing_behind() {
    let daemon = Project::with(TOOL).serve();
    let mut connection = daemon.connect();
    let body = initialize(NEWER).to_string();
    let mut begin = |times: usize| {
        for _ in 0..times {
            let reply = connection.post_with(&[], body.as_bytes());
            assert!(reply.header("mcp-session-id").is_some());
        }
    };
    begin(500);
    let before = resident(daemon.pid());
    begin(5000);
    let grown = resident(daemon.pid()).saturating_sub(before);
    // Were a kilobyte kept of each, it would be five times this.
    assert!(grown < 1024, "{grown} KiB");
}

/// KiB of memory that a process holds.
fn resident(pid: u32) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.unwrap()
        .trim()
        .trim_end_matches(" kB")
        .parse()
        .unwrap()
}

#[test]
fn a_server_speaks_what_it_is_told_to() {
    let only = |list: &str| Project::with(TOOL).set(&format!("server.protocols={list}"));
    let daemon = only(r#"["2026-07-28"]"#).serve();
    let begin = initialize(NEWER).to_string();
    let reply = daemon.connect().post_with(&[], begin.as_bytes());
    assert_eq!(
        (reply.status, reply.json()["error"]["code"].clone()),
        (400, json!(-32022))
    );
    assert_eq!(
        reply.json()["error"]["data"]["supported"],
        json!(["2026-07-28"])
    );
    let reply = daemon.connect().bare("GET", &[("Mcp-Session-Id", "x")]);
    assert_eq!(
        (reply.status, reply.header("allow")),
        (405, Some("POST, OPTIONS"))
    );
    let project = only(r#"["2025-06-18"]"#);
    let daemon = project.serve();
    let reply = daemon.post(&crate::support::list(1));
    assert_eq!(
        (reply.status, reply.json()["error"]["code"].clone()),
        (400, json!(-32022))
    );
    for mut client in Client::each(&project, &daemon, OLDER) {
        assert_eq!(
            client.result("tools/list", json!({}))["tools"][0]["name"],
            "t"
        );
    }
    for (list, why) in [
        ("[]", "`protocols` must list at least one revision"),
        (
            r#"["2025-11-25", "2025-11-25"]"#,
            "`2025-11-25` is listed twice",
        ),
        (
            r#"["2024-11-05"]"#,
            "`2024-11-05` is no revision that is spoken here",
        ),
        (r#""2026-07-28""#, "must be an array"),
    ] {
        let checked = only(list).check(&["--set", &format!("server.protocols={list}")]);
        assert_eq!(checked.code, 1, "{list}");
        assert!(checked.stderr.contains(why), "{list}: {}", checked.stderr);
    }
}

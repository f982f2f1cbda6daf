//! The time a request may take, and what a caller may ask for and not get.

use crate::support::{Both, Fifo, Project, call, gone, modern};
use serde_json::json;

#[test]
fn a_request_over_its_time_is_an_internal_error_and_its_processes_end() {
    let project = Project::with(
        r#"
        [[tool]]
        name = "family"
        [tool.shell]
        cwd = ".."
        script = '''
        sleep 1000 & echo "$$ $!" > family
        wait
        '''
        "#,
    )
    .set("http.request_timeout_ms=300");
    let mut said = {
        let fifo = Fifo::make(project.path().join("family"));
        fifo.reader()
    };
    let mut both = Both::of(project);
    let request = call(1, "family", json!({}));
    let expected = json!({
        "code": -32603, "message": "Internal error: request timed out after 300 ms"
    });
    for over_http in [false, true] {
        let answer = if over_http {
            both.daemon.ask(&request)
        } else {
            both.stdio.ask(&request)
        };
        assert_eq!(answer["error"], expected);
        let parent = if over_http {
            both.daemon.pid()
        } else {
            both.stdio.pid()
        };
        let line = Fifo::line(&mut said);
        let pids: Vec<u32> = line.split(' ').map(|pid| pid.parse().unwrap()).collect();
        gone(&pids, parent);
    }
}

#[test]
fn a_progress_token_and_a_log_level_bring_nothing_unasked() {
    // A tool that reports no progress sends none, with a token or without; so the answer is the
    // one message, over HTTP as plain JSON.
    let project = Project::with(
        r#"
        [[tool]]
        name = "t"
        shell = { script = "echo 1/2; echo 2/2; echo log >&2" }
        "#,
    );
    let mut both = Both::of(project);
    let plain = both.ask(&call(1, "t", json!({})));
    for meta in [
        json!({ "progressToken": "a" }),
        json!({ "progressToken": 5 }),
        json!({ "io.modelcontextprotocol/logLevel": "debug" }),
    ] {
        let request = modern(1, "tools/call", json!({ "name": "t", "_meta": meta }));
        both.stdio.send(&request);
        assert_eq!(both.stdio.receive(), plain);
        let reply = both.daemon.post(&request);
        assert_eq!(reply.header("content-type"), Some("application/json"));
        assert_eq!(reply.json(), plain);
    }
    both.finish();
}

#[test]
fn a_trace_reaches_a_command_and_an_unsound_one_does_not() {
    let project = Project::with(
        r#"
        [[tool]]
        name = "t"
        shell = { script = 'echo "${TRACEPARENT-none} ${TRACESTATE-none}"' }
        "#,
    );
    let mut both = Both::of(project);
    let sound = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";
    for (meta, seen) in [
        (
            json!({ "traceparent": sound, "tracestate": "a=1" }),
            format!("{sound} a=1\n"),
        ),
        (json!({ "traceparent": sound }), format!("{sound} none\n")),
        (
            json!({ "traceparent": "$(id)", "tracestate": "a=1" }),
            "none none\n".to_owned(),
        ),
        (json!({ "tracestate": "a=1" }), "none none\n".to_owned()),
    ] {
        let request = modern(1, "tools/call", json!({ "name": "t", "_meta": meta }));
        assert_eq!(crate::support::text_of(&both.ask(&request)), seen, "{meta}");
    }
}

#[test]
fn two_hundred_callers_with_one_id_get_their_own_answers() {
    let project = Project::with(
        r#"
        [[tool]]
        name = "t"
        arguments.n = { type = "integer" }
        shell = { command = ["echo", "{{ args.n }}"] }
        "#,
    );
    let daemon = project.serve();
    std::thread::scope(|scope| {
        for worker in 0..8 {
            let daemon = &daemon;
            scope.spawn(move || {
                for n in (0..200).filter(|n| n % 8 == worker) {
                    let answer = daemon.ask(&call(1, "t", json!({ "n": n })));
                    assert_eq!(answer["id"], 1);
                    assert_eq!(crate::support::text_of(&answer), format!("{n}\n"));
                }
            });
        }
    });
}

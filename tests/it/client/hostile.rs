//! Servers that are not there, or that no client should believe.

use super::{script, snodo};
use crate::actions::upstream::Upstream;
use crate::support::Project;

/// A server without a handshake; these are its other answers.
fn modern(project: &Project, cases: &str) -> String {
    let discover = r#"*server/discover*) echo '{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}}' ;;"#;
    script(project, &format!("{discover}\n{cases}"))
}

#[test]
fn a_cursor_that_comes_again_ends_the_list() {
    let project = Project::new();
    let page = r#"
*tools/list*) n=$((${n:-1}+1)); echo '{"jsonrpc":"2.0","id":'$n',"result":{"tools":[{"name":"t'$n'","inputSchema":{}}],"nextCursor":"same"}}' ;;"#;
    let command = modern(&project, page);
    let said = snodo(project.path(), &["list", "--stdio", &command]);
    assert_eq!((said.code, said.out.as_str()), (0, "tools\n  t2\n  t3\n"));
    assert_eq!(
        said.err,
        "warning: the server repeats a cursor of `tools/list`\n"
    );
}

#[test]
fn a_list_without_an_end_is_read_up_to_a_bound() {
    let project = Project::new();
    let page = r#"
*tools/list*) n=$((${n:-1}+1)); echo '{"jsonrpc":"2.0","id":'$n',"result":{"tools":[],"nextCursor":"'$n'"}}' ;;"#;
    let command = modern(&project, page);
    let said = snodo(project.path(), &["list", "--stdio", &command]);
    assert_eq!((said.code, said.out.as_str()), (0, "nothing\n"));
    assert_eq!(
        said.err,
        "warning: `tools/list` has more than 1000 pages, 100000 items or 64 MiB, or takes longer than 600 s; the others were not asked for\n"
    );
}

#[test]
fn a_server_that_says_nothing_is_not_waited_for_longer_than_asked() {
    let project = Project::new();
    let command = modern(&project, "*) ;;");
    let args = ["list", "--stdio", &command, "--timeout", "0.2"];
    let said = snodo(project.path(), &args);
    assert_eq!(said.code, 3);
    assert_eq!(
        said.err,
        "error: no answer to `tools/list` within 200 ms\n  = help: --timeout SECONDS gives it longer\n"
    );
}

#[test]
fn a_line_without_an_end_is_not_held() {
    let project = Project::new();
    let command = "head -c 70000000 /dev/zero | tr '\\0' x; sleep 100";
    let said = snodo(project.path(), &["list", "--stdio", command]);
    assert_eq!(said.code, 3);
    assert!(
        said.err.contains("sent a message larger than 64 MiB"),
        "{}",
        said.err
    );
}

#[test]
fn where_there_is_no_server_is_said_with_what_to_do() {
    let project = Project::new();
    let upstream = Upstream::new(|request| {
        let (status, body) = match request.target() {
            "/page" => ("200 OK\r\ncontent-type: text/html", "<html>"),
            "/denied" => ("401 Unauthorized", "who?"),
            "/away" => ("302 Found\r\nlocation: /mcp", ""),
            "/down" => ("503 Service Unavailable\r\ncontent-type: text/plain", "too\nbusy"),
            "/cut" => return b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 99\r\n\r\ndata: ".to_vec(),
            _ => ("404 Not Found", ""),
        };
        let length = body.len();
        format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}")
            .into_bytes()
    });
    let at = upstream.url();
    for (path, error) in [
        (
            "/page",
            "{at}/page sent something that is no message: neither JSON nor a stream of events\n  = help: is this the address of the server's endpoint? It often ends in /mcp\n",
        ),
        (
            "/denied",
            "{at}/denied answered with status 401 Unauthorized\n  = help: --token-env NAME sends the access token that the variable NAME holds, and --header any other credentials\n",
        ),
        (
            "/away",
            "{at}/away answered with status 302 Found\n  = help: name the address that it redirects to\n",
        ),
        (
            "/down",
            "{at}/down answered with status 503 Service Unavailable: too busy\n",
        ),
        ("/cut", "{at}/cut: the stream broke off\n"),
        (
            "/other?key=secret",
            "{at}/other answered with status 404 Not Found\n  = help: name the whole address, which often ends in /mcp\n",
        ),
    ] {
        let said = snodo(project.path(), &["list", "--url", &format!("{at}{path}")]);
        assert_eq!((said.code, said.out.as_str()), (3, ""));
        assert_eq!(said.err, format!("error: {}", error.replace("{at}", &at)));
    }
    drop(upstream);
    for (place, code, error) in [
        (
            ["--url", "unix:no.sock"],
            3,
            "error: cannot reach the socket `no.sock`: No such file or directory (os error 2)\n  = help: is the server running, with this socket among its `http.listen`?\n",
        ),
        (
            ["--url", "localhost:4000"],
            2,
            "error: `localhost:4000` is no address of a server\n  = help: an address is http://HOST:PORT/mcp, https://… or unix:/PATH\n",
        ),
        (
            ["--stdio", "exit 7"],
            3,
            "error: the server `exit 7` ended before it answered: exit code 7\n  = help: what it wrote to standard error stands above\n",
        ),
    ] {
        let said = snodo(project.path(), &[&["list"][..], &place].concat());
        assert_eq!((said.code, said.err.as_str()), (code, error));
    }
}

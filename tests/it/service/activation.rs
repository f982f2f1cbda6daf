//! Socket activation (sd_listen_fds(3)): the test makes the sockets and passes them on, as systemd
//! would.

use super::{TOOL, project};
use crate::support::{Connection, Daemon, Project, call, kill, text_of, within};
use serde_json::json;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::{Command, Stdio};

/// The program with its sockets as descriptors 3 and 4: a shell moves them there from its standard
/// input and output, and says that they are this process's.
fn activated(project: &Project, three: OwnedFd, four: Option<OwnedFd>) -> Command {
    let plain = project.command("serve");
    let moves = match four {
        Some(_) => "exec 3<&0 4<&1 0</dev/null 1>/dev/null",
        None => "exec 3<&0 0</dev/null",
    };
    let mut command = Command::new("sh");
    command
        .args(["-c", &format!("{moves}; LISTEN_PID=$$ exec \"$@\""), "sh"])
        .arg(plain.get_program())
        .args(plain.get_args())
        .current_dir(project.path())
        .env("LISTEN_FDS", if four.is_some() { "2" } else { "1" })
        .stdin(three)
        .stdout(four.map_or(Stdio::null(), Stdio::from));
    command
}

fn hello(address: std::net::SocketAddr) -> String {
    text_of(
        &Connection::to(address)
            .post(&call(1, "t", json!({})))
            .json(),
    )
}

#[test]
fn a_passed_tcp_socket_is_served_and_its_backlog_too() {
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap();
    // A client that came before the server.
    let mut early = Connection::to(address);
    early.send_message(&call(1, "t", json!({})));
    let project = project().set("http.listen=['systemd']");
    let daemon = Daemon::start_with(&mut activated(&project, socket.into(), None));
    assert_eq!(daemon.address(), address);
    assert_eq!(text_of(&early.reply().json()), "hello");
    assert_eq!(hello(address), "hello");
}

#[test]
fn sockets_are_chosen_by_name_and_one_may_be_unix() {
    let project = project();
    let path = project.path().join("mcp.sock");
    let unix = UnixListener::bind(&path).unwrap();
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let project = project.set("http.listen=['systemd:api', 'systemd:local']");
    let mut command = activated(&project, unix.into(), Some(tcp.into()));
    let mut daemon = Daemon::start_with(command.env("LISTEN_FDNAMES", "local:api"));
    assert_eq!(hello(daemon.address()), "hello");
    let mut stream = UnixStream::connect(&path).unwrap();
    stream
        .write_all(b"OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 204"), "{answer}");
    daemon.signal("TERM");
    assert_eq!(daemon.wait().code(), Some(0));
    // The file is systemd's, not the server's.
    assert!(path.exists());
}

#[test]
fn a_reload_lets_go_of_a_passed_socket_and_takes_it_again() {
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap();
    let kept = socket.try_clone().unwrap();
    let file = |listen: &str| format!("manifests = [\"manifests\"]\nhttp.listen = {listen}\n");
    let project = Project::with(TOOL)
        .file("snodo.toml", file("[\"systemd\"]"))
        .arg("--config")
        .arg("snodo.toml");
    let daemon = Daemon::start_with(&mut activated(&project, socket.into(), None));
    assert_eq!(hello(address), "hello");
    project.save("snodo.toml", file("[\"127.0.0.1:0\"]"));
    daemon.wait_for_log("the listener has moved");
    // Nobody accepts: the test itself can.
    let waiting = Connection::to(address);
    drop(kept.accept().unwrap());
    drop(waiting);
    project.save("snodo.toml", file("[\"systemd\"]"));
    within("it has moved back", || {
        let moves = daemon.stderr().matches("the listener has moved").count();
        (moves == 2).then_some(())
    });
    assert_eq!(hello(address), "hello");
}

#[test]
fn without_a_passed_socket_it_does_not_start() {
    let project = project().set("http.listen=['systemd:api']");
    let output = project.command("serve").output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        said.contains("cannot listen on `systemd:api`: the service manager passed no such socket"),
        "{said}"
    );
}

#[test]
fn a_descriptor_that_is_no_socket_is_refused() {
    let project = project().set("http.listen=['systemd']");
    let file = std::fs::File::open("/dev/null").unwrap();
    let output = activated(&project, file.into(), None).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("cannot use a socket that the service manager passed"),
        "{said}"
    );
}

#[test]
fn a_socket_that_nobody_asks_for_is_warned_of_and_no_child_gets_it() {
    let manifest =
        "[[tool]]\nname = \"fds\"\nshell.command = [\"ls\", \"-l\", \"/proc/self/fd\"]\n";
    let project = Project::with(manifest).set("http.listen=['127.0.0.1:0']");
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut command = activated(&project, socket.into(), None);
    let daemon = Daemon::start_with(command.env("LISTEN_FDNAMES", "api"));
    assert!(
        daemon
            .stderr()
            .contains("that `http.listen` does not ask for"),
        "{}",
        daemon.stderr()
    );
    let listed = text_of(&daemon.ask(&call(1, "fds", json!({}))));
    assert!(listed.contains("pipe:"), "{listed}");
    assert!(!listed.contains("socket:"), "{listed}");
    kill(daemon.pid(), "TERM");
}

//! A listener is bound anew only when its address changes, and no connection notices.

use super::{Ask as _, lines, tool};
use crate::support::{Connection, Daemon, Project, within};
use std::net::{SocketAddr, TcpListener, TcpStream};

fn server(listen: &str) -> String {
    format!("manifests = ['../manifests']\nhttp.listen = [{listen}]\n")
}

/// A server whose listener the server file decides.
fn start(listen: &str) -> (Project, Daemon) {
    let project = Project::with(&tool("t", "1"))
        .file("config/snodo.toml", server(listen))
        .arg("--config")
        .arg("config/snodo.toml");
    let daemon = Daemon::start(&mut project.command("serve"));
    (project, daemon)
}

/// The address that the listener has moved to, the `nth` time that it has.
fn moved(daemon: &Daemon, nth: usize) -> SocketAddr {
    within("the listener moves", || {
        let log = daemon.stderr();
        let line = *lines(&log, "the listener has moved").get(nth)?;
        let (_, address) = line.split_once("http://")?;
        address.trim_end_matches('"').parse().ok()
    })
}

#[test]
fn a_new_address_opens_and_an_old_one_closes_while_connections_stay() {
    let (project, daemon) = start("'127.0.0.1:0'");
    let first = daemon.address();
    let mut old = daemon.connect();
    old.until_says("t", "1");
    project.save("config/snodo.toml", server("'127.0.0.1:0', '127.0.0.2:0'"));
    let second = moved(&daemon, 0);
    Connection::to(second).until_says("t", "1");
    Connection::to(first).until_says("t", "1");
    let mut new = Connection::to(second);
    project.save("config/snodo.toml", server("'127.0.0.2:0'"));
    within("the first address closes", || {
        TcpStream::connect(first).is_err().then_some(())
    });
    // The connection that came in by it goes on, through another reload too.
    old.until_says("t", "1");
    project.save("manifests/a.toml", tool("t", "2"));
    old.until_says("t", "2");
    new.until_says("t", "2");
    Connection::to(second).until_says("t", "2");
    let log = daemon.stderr();
    assert!(
        !log.contains("has changed;"),
        "no new start is needed: {log}"
    );
}

#[test]
fn an_address_that_cannot_be_bound_keeps_the_old_listener_and_is_reported() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let (project, daemon) = start("'127.0.0.1:0'");
    let mut connection = daemon.connect();
    project.save("manifests/a.toml", tool("t", "2"));
    connection.until_says("t", "2");
    project.save(
        "config/snodo.toml",
        server(&format!("'127.0.0.2:0', '{address}'")),
    );
    daemon.wait_for_log(&format!("cannot listen on `{address}`"));
    // All or nothing: what comes with it waits for it.
    project.save("manifests/a.toml", tool("t", "3"));
    within("refused again", || {
        (lines(&daemon.stderr(), "not reloaded").len() == 2).then_some(())
    });
    assert_eq!(connection.says("t"), "2");
    daemon.connect().until_says("t", "2");
    // It is tried again while nothing else happens.
    drop(taken);
    daemon.wait_for_log("the listener has moved");
    Connection::to(address).until_says("t", "3");
    connection.until_says("t", "3");
}

#[test]
fn a_unix_socket_moves() {
    let (project, daemon) = start("'127.0.0.1:0', 'unix:one.sock'");
    // A path in the server file counts from its folder.
    let socket = |name: &str| project.path().join("config").join(name);
    assert!(socket("one.sock").exists());
    project.save(
        "config/snodo.toml",
        server("'127.0.0.1:0', 'unix:two.sock'"),
    );
    within("the new socket is there and the old is gone", || {
        (socket("two.sock").exists() && !socket("one.sock").exists()).then_some(())
    });
    std::os::unix::net::UnixStream::connect(socket("two.sock")).unwrap();
    daemon.connect().until_says("t", "1");
}

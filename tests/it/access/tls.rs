//! TLS on the listener, and the mode of Unix sockets.

use super::{known, project};
use crate::support::{Daemon, Project, within};
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

const TOOL: &str = "[[tool]]\nname = \"hello\"\nresult.text = \"hello\"\n";

/// A certificate of this machine's name, its key, and what a client trusts it by.
struct Certified {
    pem: String,
    key: String,
    der: CertificateDer<'static>,
}

fn certified() -> Certified {
    let key = rcgen::KeyPair::generate().unwrap();
    let names = vec!["localhost".to_owned()];
    let certificate = rcgen::CertificateParams::new(names)
        .unwrap()
        .self_signed(&key)
        .unwrap();
    Certified {
        pem: certificate.pem(),
        key: key.serialize_pem(),
        der: certificate.der().clone(),
    }
}

fn served(certified: &Certified, server: &str) -> Project {
    let tls = "[http]\ntls = { cert_file = \"tls/cert.pem\", key_file = \"tls/key.pem\" }\n";
    project(TOOL, &format!("{tls}{server}"))
        .file("tls/cert.pem", &certified.pem)
        .file("tls/key.pem", &certified.key)
}

/// Starts the server and waits until it says where it listens by TLS.
fn serve(project: &Project) -> (Daemon, SocketAddr) {
    let mut command = project.command("serve");
    let daemon = Daemon::start_at(
        command.args(["--set", "http.listen=[\"127.0.0.1:0\"]"]),
        "https",
    );
    let address = daemon.address();
    (daemon, address)
}

/// A connection by TLS of somebody who trusts these certificates.
fn connect(
    address: SocketAddr,
    trusted: &[&Certified],
) -> StreamOwned<ClientConnection, TcpStream> {
    let mut roots = RootCertStore::empty();
    for certified in trusted {
        roots.add(certified.der.clone()).unwrap();
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("localhost").unwrap();
    let connection = ClientConnection::new(Arc::new(config), name).unwrap();
    let stream = TcpStream::connect(address).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    StreamOwned::new(connection, stream)
}

/// Asks on an open connection, and gives the answer's first line. The answer has a length.
fn ask(
    stream: &mut StreamOwned<ClientConnection, TcpStream>,
    address: SocketAddr,
) -> std::io::Result<String> {
    let head = format!(
        "OPTIONS /mcp HTTP/1.1\r\nHost: localhost:{}\r\n\r\n",
        address.port()
    );
    stream.write_all(head.as_bytes())?;
    let mut answer = Vec::new();
    while !answer.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte)?;
        answer.push(byte[0]);
    }
    let answer = String::from_utf8(answer).unwrap();
    Ok(answer.lines().next().unwrap_or_default().to_owned())
}

#[test]
fn clients_are_served_by_tls_in_either_http() {
    let certified = certified();
    let project = served(&certified, &known("a", "", "t0ken"));
    let (daemon, address) = serve(&project);
    let url = format!("https://localhost:{}/mcp", address.port());
    // The client agrees on HTTP/2.
    let output = Command::new(env!("CARGO_BIN_EXE_snodo"))
        .args(["call", "hello", "--url", &url, "--ca-file", "tls/cert.pem"])
        .args(["--token-env", "TOKEN"])
        .env("TOKEN", "t0ken")
        .current_dir(project.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "hello\n", "{said}");
    // One that says nothing of it gets HTTP/1.1.
    let mut stream = connect(address, &[&certified]);
    assert_eq!(
        ask(&mut stream, address).unwrap(),
        "HTTP/1.1 204 No Content"
    );
    // In the clear there is no answer, and nobody else is held up.
    let mut clear = TcpStream::connect(address).unwrap();
    clear
        .write_all(b"OPTIONS /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .unwrap();
    let mut answer = Vec::new();
    let _closed = clear.read_to_end(&mut answer);
    assert!(!answer.starts_with(b"HTTP"), "{answer:?}");
    assert_eq!(
        ask(&mut stream, address).unwrap(),
        "HTTP/1.1 204 No Content"
    );
    assert!(!daemon.stderr().contains("PRIVATE KEY"));
}

#[test]
fn health_is_asked_where_the_name_of_the_certificate_does_not_matter() {
    let certified = certified();
    let project = served(&certified, "");
    let health = |args: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_snodo"))
            .arg("health")
            .args(args)
            .current_dir(project.path())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), said)
    };
    let (_daemon, address) = serve(&project);
    let url = format!("https://localhost:{}", address.port());
    assert_eq!(
        health(&["--url", &url, "--ca-file", "tls/cert.pem"]).0,
        Some(0)
    );
    let (code, said) = health(&["--config", "snodo.toml"]);
    assert_eq!(code, Some(1));
    assert!(said.contains("the server speaks TLS"), "{said}");
    let mut command = project.command("serve");
    let listen = "http.listen=[\"127.0.0.1:0\",\"unix:s.sock\"]";
    let _daemon = Daemon::start_at(command.args(["--set", listen]), "https");
    let (code, said) = health(&["--config", "snodo.toml", "--set", listen]);
    assert_eq!(code, Some(0), "{said}");
}

#[test]
fn who_shakes_no_hands_is_not_waited_for() {
    let certified = certified();
    let project = served(&certified, "").set("http.head_timeout_ms=300");
    let (_daemon, address) = serve(&project);
    let mut silent = TcpStream::connect(address).unwrap();
    silent
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    assert!(matches!(silent.read(&mut [0]), Ok(0) | Err(_)));
}

#[test]
fn another_certificate_is_shown_without_closing_a_connection() {
    let (old, new) = (certified(), certified());
    let project = served(&old, "");
    let (daemon, address) = serve(&project);
    let mut before = connect(address, &[&old]);
    assert_eq!(
        ask(&mut before, address).unwrap(),
        "HTTP/1.1 204 No Content"
    );
    // Half of an exchange is a key that does not fit: the old pair is shown on.
    project.save("tls/cert.pem", &new.pem);
    daemon.wait_for_log("the key does not fit the certificate");
    assert!(ask(&mut connect(address, &[&old]), address).is_ok());
    project.save("tls/key.pem", &new.key);
    within("the new certificate is shown", || {
        ask(&mut connect(address, &[&new]), address).ok()
    });
    assert!(ask(&mut connect(address, &[&old]), address).is_err());
    assert_eq!(
        ask(&mut before, address).unwrap(),
        "HTTP/1.1 204 No Content"
    );
    // SIGHUP reads it again.
    project.save("tls/cert.pem", &old.pem);
    project.save("tls/key.pem", &old.key);
    daemon.signal("HUP");
    within("the old certificate is back", || {
        ask(&mut connect(address, &[&old]), address).ok()
    });
}

#[test]
fn what_is_no_certificate_is_said_with_its_place() {
    let certified = certified();
    for (cert, key, expected) in [
        (
            "x",
            &*certified.key,
            "cannot use `tls/cert.pem`: it holds no certificate in PEM form",
        ),
        (
            &certified.pem,
            "x",
            "cannot use `tls/key.pem`: it holds no private key in PEM form",
        ),
        (
            &certified.pem,
            &super::tls::certified().key,
            "cannot use `tls/key.pem`: the key does not fit the certificate",
        ),
    ] {
        let project = served(&certified, "")
            .file("tls/cert.pem", cert)
            .file("tls/key.pem", key);
        let checked = project.check(&[]);
        assert_eq!(checked.code, 1);
        assert!(checked.stderr.contains(expected), "{}", checked.stderr);
        assert!(
            !checked.stderr.contains("PRIVATE KEY"),
            "{}",
            checked.stderr
        );
    }
    let project = project(TOOL, "[http]\ntls = { cert_file = \"none.pem\" }\n");
    let checked = project.check(&[]).stderr;
    assert!(checked.contains("missing key `key_file`"), "{checked}");
    assert!(checked.contains("cannot read `none.pem`"), "{checked}");
}

#[test]
fn a_unix_socket_has_the_mode_that_is_asked_for() {
    for (mode, expected) in [(None, 0o660), (Some("0600"), 0o600), (Some("666"), 0o666)] {
        let mut project = Project::with(TOOL);
        if let Some(mode) = mode {
            project = project.set(&format!("http.socket_mode=\"{mode}\""));
        }
        let socket = project.path().join("s.sock");
        let listen = format!(
            "http.listen=[\"127.0.0.1:0\",\"unix:{}\"]",
            socket.display()
        );
        let mut command = project.command("serve");
        let _daemon = Daemon::start(command.args(["--set", &listen]));
        let found = std::fs::metadata(&socket).unwrap().permissions().mode() & 0o7777;
        assert_eq!(found, expected, "{mode:?}");
    }
    for wrong in ["600", "\"\"", "\"0888\"", "\"1777\"", "\"60\"", "\"rw\""] {
        let checked = Project::with(TOOL)
            .set(&format!("http.socket_mode={wrong}"))
            .check(&[]);
        assert_eq!(checked.code, 1, "{wrong}");
        assert!(
            checked.stderr.contains("`socket_mode` must be"),
            "{}",
            checked.stderr
        );
    }
}

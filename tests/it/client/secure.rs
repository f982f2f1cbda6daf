//! Servers behind TLS, and answers without an end.

use super::snodo;
use crate::actions::upstream::Upstream;
use crate::support::Project;
use serde_json::{Value, json};
use std::io::Write as _;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio_rustls::rustls::{ServerConfig, crypto::ring};

/// A server with one tool behind TLS, on a thread of its own; its address, and its certificate as PEM.
fn behind_tls() -> (SocketAddr, String) {
    let key = rcgen::KeyPair::generate().unwrap();
    let params = rcgen::CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    let certificate = params.self_signed(&key).unwrap();
    let pem = certificate.pem();
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    // It ends with the process of the tests.
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async move {
            listener.set_nonblocking(true).unwrap();
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            while let Ok((stream, _)) = listener.accept().await {
                let acceptor = acceptor.clone();
                tokio::spawn(async move {
                    if let Ok(stream) = acceptor.accept(stream).await {
                        serve(BufReader::new(stream)).await;
                    }
                });
            }
        });
    });
    (address, pem)
}

/// Answers request after request of one connection.
async fn serve(mut stream: BufReader<tokio_rustls::server::TlsStream<tokio::net::TcpStream>>) {
    loop {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if stream.read_line(&mut line).await.unwrap_or(0) == 0 {
                return;
            }
            if line == "\r\n" {
                break;
            }
            let (name, value) = line.split_once(':').unwrap_or_default();
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse().unwrap();
            }
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await.unwrap();
        let message: Value = serde_json::from_slice(&body).unwrap();
        let result = match message["method"].as_str() {
            Some("server/discover") => {
                json!({ "supportedVersions": ["2026-07-28"], "capabilities": { "tools": {} } })
            }
            _ => json!({ "tools": [{ "name": "safe", "inputSchema": { "type": "object" } }] }),
        };
        let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }).to_string();
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            answer.len()
        );
        stream.write_all((head + &answer).as_bytes()).await.unwrap();
        stream.flush().await.unwrap();
    }
}

#[test]
fn a_certificate_is_trusted_when_it_is_given() {
    let (address, pem) = behind_tls();
    let project = Project::new().file("ca.pem", pem);
    let url = format!("https://localhost:{}/mcp", address.port());
    let list = ["list", "tools", "--url", &url];
    let said = snodo(
        project.path(),
        &[&list[..], &["--ca-file", "ca.pem"]].concat(),
    );
    assert_eq!(
        (said.code, said.out.as_str()),
        (0, "tools\n  safe\n"),
        "{}",
        said.err
    );
    let said = snodo(project.path(), &list);
    assert_eq!((said.code, said.out.as_str()), (3, ""), "{}", said.err);
    assert!(
        said.err.contains("TLS") || said.err.contains("certificate"),
        "{}",
        said.err
    );
    // By another name it is somebody else.
    let url = format!("https://{address}/mcp");
    let args = ["list", "--url", &url, "--ca-file", "ca.pem"];
    let said = snodo(project.path(), &args);
    assert_eq!((said.code, said.out.as_str()), (3, ""), "{}", said.err);
    let said = snodo(
        project.path(),
        &["list", "--url", &url, "--ca-file", "no.pem"],
    );
    assert_eq!(said.code, 2, "{}", said.err);
    let args = ["list", "--manifests", "manifests", "--ca-file", "ca.pem"];
    let said = snodo(project.path(), &args);
    assert_eq!(
        (said.code, said.err.as_str()),
        (
            2,
            "error: --header, --token-env and --ca-file are for servers that --url names\n"
        )
    );
}

#[test]
fn an_answer_without_an_end_is_not_held() {
    let project = Project::new();
    for (kind, begins) in [("application/json", "[\""), ("text/event-stream", "data: ")] {
        let head =
            format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n{begins}");
        let upstream = Upstream::raw(move |_, stream| {
            let part = vec![b'x'; 1024 * 1024];
            let mut sent = stream.write_all(head.as_bytes());
            while sent.is_ok() {
                sent = stream.write_all(&part);
            }
        });
        let said = snodo(project.path(), &["list", "--url", &upstream.url()]);
        assert_eq!(said.code, 3, "{kind}");
        let why = "sent a message larger than 64 MiB";
        assert!(said.err.contains(why), "{kind}: {}", said.err);
    }
}

//! `http` over TLS: certificates that a manifest names.

use super::{failure, text};
use crate::support::Project;
use rcgen::{BasicConstraints, CertificateParams, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection, StreamOwned};
use serde_json::json;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::sync::Arc;

/// An authority, and what it has issued.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
    der: rustls::pki_types::CertificateDer<'static>,
}

fn authority() -> Authority {
    let key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let certificate = params.self_signed(&key).unwrap();
    Authority {
        pem: certificate.pem(),
        der: certificate.der().clone(),
        issuer: Issuer::new(params, key),
    }
}

/// A server for `localhost` that answers each request with whether its client has a certificate.
fn server(authority: &Authority) -> u16 {
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    let certificate = params.signed_by(&key, &authority.issuer).unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(authority.der.clone()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier =
        WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider))
            .allow_unauthenticated()
            .build()
            .unwrap();
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_client_cert_verifier(verifier)
        .with_single_cert(
            vec![certificate.der().clone()],
            PrivateKeyDer::try_from(key.serialize_der()).unwrap(),
        )
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("localhost:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut stream = BufReader::new(StreamOwned::new(connection, stream.unwrap()));
            let mut line = String::new();
            while stream.read_line(&mut line).is_ok_and(|n| n > 2) {
                line.clear();
            }
            let stream = stream.get_mut();
            let known = stream.conn.peer_certificates().is_some();
            let body = format!("known: {known}");
            let answer = super::upstream::ok("text/plain", body);
            let _ = stream.write_all(&answer);
            stream.conn.send_close_notify();
            let _ = stream.flush();
        }
    });
    port
}

#[test]
fn a_manifest_names_the_authority_to_trust_and_the_clients_own_certificate() {
    let authority = authority();
    let port = server(&authority);
    let key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
    let own = params.signed_by(&key, &authority.issuer).unwrap();
    let project = Project::with(&format!(
        r#"
        [defaults.http]
        url = "https://localhost:{port}/"
        [[tool]]
        name = "unknown"
        http = {{}}
        [[tool]]
        name = "trusted"
        http.ca_file = "tls/ca.pem"
        [[tool]]
        name = "known"
        http = {{ ca_file = "tls/ca.pem", client_cert_file = "tls/own.pem", client_key_file = "tls/key.pem" }}
        "#
    ))
    .file("manifests/tls/ca.pem", &authority.pem)
    .file("manifests/tls/own.pem", own.pem())
    .file("manifests/tls/key.pem", key.serialize_pem());
    let daemon = project.serve();
    let said = failure(&daemon, "unknown", json!({}));
    let origin = format!("https://localhost:{port}: ");
    assert!(said.starts_with(&origin), "{said}");
    assert!(said.contains("ertificate"), "{said}");
    assert_eq!(text(&daemon, "trusted", json!({})), "known: false");
    assert_eq!(text(&daemon, "known", json!({})), "known: true");
}

#[test]
fn a_certificate_that_cannot_be_used_is_refused_before_anything_is_served() {
    for (http, message) in [
        (r#"ca_file = "gone.pem""#, "cannot read `gone.pem`"),
        (r#"ca_file = "a.toml""#, "`a.toml` is not a PEM file"),
        (
            r#"client_cert_file = "some.pem""#,
            "missing key `client_key_file`",
        ),
    ] {
        let project = Project::with(&format!(
            "[[tool]]\nname = \"a\"\n[tool.http]\nurl = \"https://localhost/\"\n{http}\n"
        ))
        .file("manifests/some.pem", "-----BEGIN CERTIFICATE-----\n");
        let checked = project.check(&[]);
        assert_eq!(checked.code, 1);
        assert!(checked.stderr.contains(message), "{}", checked.stderr);
    }
}

//! TLS: whom the client believes, what it shows, HTTP/2.

use super::server::{Answer, MadeUp, Seen, Server, answer, read_head, with};
use super::*;
use http::Version;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa,
    KeyPair, date_time_ymd,
};
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use std::sync::Arc;
use tokio::io::AsyncWriteExt;
use tokio_rustls::TlsAcceptor;

/// A certificate authority of the test's own.
pub(super) struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    pub(super) fn new() -> Self {
        Self::named("test authority")
    }

    fn named(name: &str) -> Self {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key");
        Self(CertifiedIssuer::self_signed(params, key).expect("a certificate"))
    }

    pub(super) fn options(&self) -> ClientOptions {
        ClientOptions {
            ca: vec![self.0.pem().into_bytes()],
            identity: None,
        }
    }

    /// A certificate for the names, changed as told, and its key, both PEM.
    fn issue(&self, names: &[&str], change: impl Fn(&mut CertificateParams)) -> (String, String) {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let mut params = CertificateParams::new(names).expect("names");
        change(&mut params);
        let key = KeyPair::generate().expect("a key");
        let certificate = params.signed_by(&key, &self.0).expect("a certificate");
        (certificate.pem(), key.serialize_pem())
    }

    /// A server's TLS for the names.
    pub(super) fn server(&self, names: &[&str], alpn: &[&str]) -> TlsAcceptor {
        acceptor(&self.issue(names, |_| {}), None, alpn)
    }

    /// The same, for clients with a certificate of this authority only.
    fn strict_server(&self, names: &[&str]) -> TlsAcceptor {
        let mut roots = RootCertStore::empty();
        roots.add(self.0.der().clone()).expect("a root");
        acceptor(&self.issue(names, |_| {}), Some(roots), &[])
    }

    fn identity(&self) -> ClientIdentity {
        let (certificate, key) = self.issue(&[], |params| {
            params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
        });
        ClientIdentity {
            chain: certificate.into_bytes(),
            key: KeyPem(key.into_bytes()),
        }
    }
}

fn acceptor(pem: &(String, String), clients: Option<RootCertStore>, alpn: &[&str]) -> TlsAcceptor {
    let provider = Arc::new(default_provider());
    let builder = ServerConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .expect("versions");
    let builder = match clients {
        None => builder.with_no_client_auth(),
        Some(roots) => {
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
            builder.with_client_cert_verifier(verifier.build().expect("a verifier"))
        }
    };
    let chain = vec![CertificateDer::from_pem_slice(pem.0.as_bytes()).expect("a certificate")];
    let key = PrivateKeyDer::from_pem_slice(pem.1.as_bytes()).expect("a key");
    let mut config = builder.with_single_cert(chain, key).expect("a pair");
    config.alpn_protocols = alpn.iter().map(|name| name.as_bytes().to_vec()).collect();
    TlsAcceptor::from(Arc::new(config))
}

/// A client to whom each name is at a public address of its own, which leads to the server.
pub(super) fn client_to(options: &ClientOptions, servers: &[(&str, &Server)]) -> Client {
    let mut network = MadeUp::default();
    for (number, (name, server)) in servers.iter().enumerate() {
        let ip = format!("1.1.1.{}", number + 1);
        network = network
            .name(name, &[&ip])
            .route(&format!("{ip}:443"), server.address)
            .route(&format!("{ip}:80"), server.address);
    }
    Client::with_network(options, Arc::new(network)).expect("a client")
}

fn ok(_: &Seen, _: usize) -> Answer {
    answer(200, "ok")
}

#[tokio::test]
async fn the_http_version_is_agreed_on_and_connections_are_kept() {
    let authority = Authority::new();
    for (alpn, version) in [
        (&["h2", "http/1.1"][..], Version::HTTP_2),
        (&["http/1.1"], Version::HTTP_11),
        (&[], Version::HTTP_11),
    ] {
        let server = Server::https(authority.server(&["one.test"], alpn), ok).await;
        let client = client_to(&authority.options(), &[("one.test", &server)]);
        for _ in 0..3 {
            let fetch = Fetch {
                method: Method::POST,
                body: Some("body".into()),
                target: from_caller(&["one.test"]),
                ..get("https://one.test/x?y")
            };
            assert_eq!(client.fetch(fetch).await.expect("an answer").body, "ok");
        }
        let seen = server.seen();
        assert_eq!((seen.len(), server.accepted()), (3, 1), "{version:?}");
        let last = &seen[2];
        assert_eq!(
            (last.version, &last.body[..], last.target.as_str()),
            (version, &b"body"[..], "/x?y")
        );
    }
}

#[tokio::test]
async fn an_address_in_the_certificate_is_believed() {
    let authority = Authority::new();
    let server = Server::https(authority.server(&["127.0.0.1"], &[]), ok).await;
    let client = Client::new(&authority.options()).expect("a client");
    let url = format!("https://{}/", server.address);
    assert_eq!(client.fetch(get(&url)).await.expect("an answer").body, "ok");
}

#[tokio::test]
async fn certificates_that_are_not_valid_are_refused() {
    let (authority, other) = (Authority::new(), Authority::named("another authority"));
    let plain = authority.issue(&["one.test"], |_| {});
    let elsewhere = authority.issue(&["other.test"], |_| {});
    let old = authority.issue(&["one.test"], |params| {
        params.not_after = date_time_ymd(2001, 1, 1)
    });
    let early = authority.issue(&["one.test"], |params| {
        params.not_before = date_time_ymd(3001, 1, 1)
    });
    let purpose = authority.issue(&["one.test"], |params| {
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
    });
    for (pem, options, cause) in [
        (&plain, other.options(), "unknown issuer"),
        (&elsewhere, authority.options(), "issued for another host"),
        (&old, authority.options(), "expired"),
        (&early, authority.options(), "not valid yet"),
        (&purpose, authority.options(), "not issued for servers"),
    ] {
        let server = Server::https(acceptor(pem, None, &[]), ok).await;
        let client = client_to(&options, &[("one.test", &server)]);
        let mut fetch = get("https://one.test/?secret");
        fetch.retry.attempts = 3;
        let error = client.fetch(fetch).await.expect_err("a refusal");
        assert_eq!(
            error.to_string(),
            format!("https://one.test: TLS certificate is not valid: {cause}")
        );
        assert_eq!(
            (server.seen().len(), server.accepted()),
            (0, 1),
            "not tried again"
        );
    }
}

#[tokio::test]
async fn a_server_without_tls_is_told_so() {
    let server = Server::raw(|mut stream, _| async move {
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
        let _ = read_head(&mut stream).await;
    })
    .await;
    let client = client_to(&Authority::new().options(), &[("one.test", &server)]);
    let fault = fault(&client, get("https://one.test/")).await;
    assert_eq!(fault, Fault::Tls("the server does not speak TLS"));
}

#[tokio::test]
async fn a_name_that_no_certificate_can_have_is_not_connected_to() {
    let client = client_to(&Authority::new().options(), &[]);
    let fault = fault(&client, get("https://a!b.test/")).await;
    assert_eq!(fault, Fault::Tls("no certificate can name this host"));
}

#[tokio::test]
async fn a_handshake_that_hangs_or_breaks_off_ends() {
    let silent = Server::raw(|stream, _| async move {
        let _open = stream;
        std::future::pending().await
    })
    .await;
    let gone = Server::raw(|_, _| async {}).await;
    let client = client_to(
        &Authority::new().options(),
        &[("silent.test", &silent), ("gone.test", &gone)],
    );
    let timeout = Duration::from_millis(80);
    let fetch = Fetch {
        timeout,
        ..get("https://silent.test/")
    };
    assert_eq!(fault(&client, fetch).await, Fault::TimedOut(timeout));
    assert_eq!(
        fault(&client, get("https://gone.test/")).await,
        Fault::Closed
    );
}

#[tokio::test]
async fn the_clients_certificate_is_for_hosts_that_the_manifest_names() {
    let authority = Authority::new();
    let two = Server::https(authority.strict_server(&["two.test"]), ok).await;
    let one = Server::https(authority.strict_server(&["one.test"]), |seen, _| match seen
        .target
        .as_str()
    {
        "/away" => with(302, "location", "https://two.test/"),
        "/same" => with(302, "location", "/"),
        _ => answer(200, "ok"),
    })
    .await;
    let servers = [("one.test", &one), ("two.test", &two)];
    let options = ClientOptions {
        identity: Some(authority.identity()),
        ..authority.options()
    };
    let (client, bare) = (
        client_to(&options, &servers),
        client_to(&authority.options(), &servers),
    );
    let asks = Fault::Tls("the server asks for a client certificate");

    assert_eq!(
        client
            .fetch(get("https://one.test/same"))
            .await
            .expect("an answer")
            .body,
        "ok"
    );
    let listed = Fetch {
        target: from_caller(&["*.test"]),
        ..get("https://two.test/")
    };
    assert_eq!(client.fetch(listed).await.expect("an answer").body, "ok");

    assert_eq!(fault(&bare, get("https://one.test/")).await, asks);
    let anybody = Fetch {
        target: from_caller(&["*"]),
        ..get("https://one.test/")
    };
    assert_eq!(fault(&client, anybody).await, asks);
    let before = two.seen().len();
    assert_eq!(fault(&client, get("https://one.test/away")).await, asks);
    assert_eq!(two.seen().len(), before);
}

#[tokio::test]
async fn redirects_may_gain_tls_and_never_lose_it() {
    let authority = Authority::new();
    let secure = Server::https(
        authority.server(&["inside.test"], &[]),
        |seen, _| match seen.target.as_str() {
            "/down" => with(302, "location", "http://inside.test/"),
            _ => answer(200, "secure"),
        },
    )
    .await;
    let up = format!("https://inside.test:{}/", secure.address.port());
    let plain = Server::http(move |_, _| with(301, "location", &up)).await;
    let network = MadeUp::default().name("inside.test", &["127.0.0.1"]);
    let client = Client::with_network(&authority.options(), Arc::new(network)).expect("a client");

    let fetch = Fetch {
        headers: vec![header("authorization", "Bearer t")],
        ..get(&format!("http://inside.test:{}/", plain.address.port()))
    };
    assert_eq!(
        client
            .fetch(fetch)
            .await
            .expect("a private host's own TLS")
            .body,
        "secure"
    );
    assert_eq!(plain.seen()[0].header("authorization"), Some("Bearer t"));
    assert_eq!(secure.seen()[0].header("authorization"), None);

    let down = format!("https://inside.test:{}/down", secure.address.port());
    let error = client.fetch(get(&down)).await.expect_err("a refusal");
    assert_eq!(
        error.fault().to_string(),
        "redirect from https to http refused"
    );
}

#[tokio::test]
async fn options_that_hold_nothing_useful_are_refused() {
    let authority = Authority::new();
    let (good, other) = (authority.identity(), authority.identity());
    let ca = |pem: &[u8]| ClientOptions {
        ca: vec![pem.to_vec()],
        identity: None,
    };
    let identity = |chain: &[u8], key: &[u8]| ClientOptions {
        ca: Vec::new(),
        identity: Some(ClientIdentity {
            chain: chain.to_vec(),
            key: KeyPem(key.to_vec()),
        }),
    };
    let broken = b"-----BEGIN CERTIFICATE-----\n!!!\n-----END CERTIFICATE-----\n";
    let nonsense = b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    for (options, expected) in [
        (ca(b""), ClientError::Ca),
        (ca(b"text"), ClientError::Ca),
        (ca(&good.key.0), ClientError::Ca),
        (ca(broken), ClientError::Ca),
        (ca(nonsense), ClientError::CaCertificate),
        (identity(b"", &good.key.0), ClientError::Certificate),
        (identity(&good.chain, b""), ClientError::Key),
        (identity(&good.chain, &good.chain), ClientError::Key),
        (
            identity(&good.chain, &other.key.0),
            ClientError::KeyMismatch,
        ),
    ] {
        assert_eq!(Client::new(&options).err(), Some(expected));
    }
}

//! A host that the manifest did not fix reaches public addresses only.

use super::server::{MadeUp, Server, answer, with};
use super::*;
use futures_util::future::BoxFuture;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::net::TcpStream;

fn client_on(network: MadeUp) -> (Client, Arc<MadeUp>) {
    let network = Arc::new(network);
    let client = Client::with_network(&ClientOptions::default(), network.clone());
    (client.expect("a client"), network)
}

fn asked_for(url: &str, allow: &[&str]) -> Fetch {
    Fetch {
        target: from_caller(allow),
        ..get(url)
    }
}

#[tokio::test]
async fn no_form_of_a_private_address_is_connected_to() {
    let (client, network) = client_on(
        MadeUp::default()
            .name("localhost", &["127.0.0.1", "::1"])
            .name("localhost.", &["127.0.0.1"])
            .name("inside.test", &["10.1.2.3"])
            .name("half.test", &["1.1.1.1", "192.168.0.1"])
            .name("six.test", &["2606:4700::1111", "fe80::1"]),
    );
    for host in [
        "127.0.0.1",
        "127.1",
        "127.0.0.1.",
        "0x7f.1",
        "0177.0.0.1",
        "2130706433",
        "0",
        "0.0.0.0",
        "\u{ff11}27.0.0.1",
        "user:pass@10.0.0.1",
        "1.1.1.1@10.0.0.1",
        "172.16.0.1",
        "192.168.1.1",
        "100.64.0.1",
        "169.254.169.254",
        "168.63.129.16",
        "255.255.255.255",
        "224.0.0.1",
        "192.0.2.1",
        "198.18.0.1",
        "240.0.0.1",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::127.0.0.1]",
        "[fd00:ec2::254]",
        "[fe80::1]",
        "[64:ff9b::a9fe:a9fe]",
        "[2002:7f00:1::]",
        "[2001:0:4136:e378::1]",
        "localhost",
        "LOCALHOST",
        "localhost.",
        "inside.test",
        "half.test",
        "six.test",
    ] {
        for url in [format!("http://{host}/x"), format!("https://{host}/x")] {
            let fault = fault(&client, asked_for(&url, &["*"])).await;
            assert_eq!(fault, Fault::AddressNotAllowed, "{url}");
        }
    }
    assert_eq!(network.connected(), [""; 0]);
    assert!(
        Url::parse("http://[fe80::1%25eth0]/").is_err(),
        "zones are no URL"
    );
}

#[tokio::test]
async fn a_public_host_is_connected_to_where_it_was_checked() {
    let server = Server::http(|_, _| answer(200, "ok")).await;
    let (client, network) = client_on(
        MadeUp::default()
            .name("out.test", &["93.184.216.34"])
            .route("93.184.216.34:80", server.address),
    );
    let fetched = client
        .fetch(asked_for("http://out.test/", &["out.test"]))
        .await
        .expect("an answer");
    assert_eq!(fetched.body, "ok");
    assert_eq!(network.resolved(), ["out.test"]);
    assert_eq!(network.connected(), ["93.184.216.34:80"]);
    assert_eq!(server.seen()[0].header("host"), Some("out.test"));
}

#[tokio::test]
async fn a_host_that_is_not_listed_is_not_even_looked_up() {
    let (client, network) = client_on(MadeUp::default().name("out.test", &["1.1.1.1"]));
    for (url, allow) in [
        ("http://out.test/", &[][..]),
        ("http://out.test/", &["other.test", "*.out.test"]),
        ("http://out.test:8080/", &["out.test", "*"]),
        ("http://listed.test@out.test/", &["listed.test"]),
    ] {
        let error = client
            .fetch(asked_for(url, allow))
            .await
            .expect_err("a refusal");
        assert_eq!(error.fault(), &Fault::HostNotAllowed, "{url}");
        assert_eq!(
            error.at(),
            Origin::of(&Url::parse(url).expect("a URL")).as_ref()
        );
    }
    assert_eq!((network.resolved(), network.connected()), (vec![], vec![]));
}

#[tokio::test]
async fn an_entry_with_a_port_or_allow_private_opens_private_addresses() {
    let server = Server::http(|_, _| answer(200, "ok")).await;
    let network = || MadeUp::default().name("inside.test", &["127.0.0.1"]);
    let port = server.address.port();
    let url = format!("http://inside.test:{port}/");
    let (client, _) = client_on(network());
    let entry = format!("inside.test:{port}");
    assert_eq!(
        client
            .fetch(asked_for(&url, &[&entry]))
            .await
            .expect("an answer")
            .body,
        "ok"
    );

    let wide = format!("*.test:{port}");
    assert_eq!(
        fault(&client, asked_for(&url, &[&wide])).await,
        Fault::AddressNotAllowed
    );
    let target = HttpTarget::FromCaller {
        allow_hosts: vec![wide.parse().expect("a pattern")],
        allow_private: true,
    };
    let fetch = Fetch {
        target,
        ..get(&url)
    };
    assert_eq!(client.fetch(fetch).await.expect("an answer").body, "ok");
}

#[tokio::test]
async fn pools_do_not_mix() {
    let server = Server::http(|_, _| answer(200, "ok")).await;
    let port = server.address.port();
    let (client, _) = client_on(MadeUp::default().name("inside.test", &["127.0.0.1"]));
    let url = format!("http://inside.test:{port}/");
    let wide = format!("*.test:{port}");
    for _ in 0..3 {
        client
            .fetch(get(&url))
            .await
            .expect("the manifest's own host");
        assert_eq!(
            fault(&client, asked_for(&url, &[&wide])).await,
            Fault::AddressNotAllowed
        );
    }
    assert_eq!((server.accepted(), server.seen().len()), (1, 3));
}

/// A server at a public address whose every answer is a redirect to `location`.
async fn luring(location: &str) -> (Server, MadeUp) {
    let location = location.to_owned();
    let server = Server::http(move |_, _| with(302, "location", &location)).await;
    let network = MadeUp::default()
        .name("out.test", &["1.1.1.1"])
        .name("inside.test", &["10.0.0.1"])
        .route("1.1.1.1:80", server.address);
    (server, network)
}

#[tokio::test]
async fn redirects_do_not_lead_inside() {
    for (location, host) in [
        ("http://127.0.0.1/", "http://127.0.0.1"),
        ("http://[::ffff:10.0.0.1]/", "http://[::ffff:a00:1]"),
        (
            "//169.254.169.254/latest/meta-data/",
            "http://169.254.169.254",
        ),
        ("https://inside.test/?q=secret", "https://inside.test"),
    ] {
        let (_server, network) = luring(location).await;
        let (client, network) = client_on(network);
        for target in [
            from_caller(&["*"]),
            HttpTarget::Fixed {
                allow_private: false,
            },
        ] {
            let fetch = Fetch {
                target,
                ..get("http://out.test/")
            };
            let error = client.fetch(fetch).await.expect_err("a refusal");
            assert_eq!(error.to_string(), format!("{host}: address not allowed"));
        }
        assert!(
            network
                .connected()
                .iter()
                .all(|address| address == "1.1.1.1:80")
        );
    }
}

#[tokio::test]
async fn redirects_of_a_callers_host_stay_on_the_list() {
    let (_server, network) = luring("http://elsewhere.test/").await;
    let (client, network) = client_on(network.name("elsewhere.test", &["2.2.2.2"]));
    let error = client
        .fetch(asked_for("http://out.test/", &["out.test"]))
        .await
        .expect_err("a refusal");
    assert_eq!(error.to_string(), "http://elsewhere.test: host not allowed");
    assert_eq!(network.resolved(), ["out.test"]);
}

#[tokio::test]
async fn a_fixed_host_may_be_private_and_redirect_within_itself_only() {
    let other = Server::http(|_, _| answer(200, "other")).await;
    let (away, home) = (
        other.url("/"),
        format!("http://inside.test:{}/", other.address.port()),
    );
    let server = Server::http(move |seen, _| match seen.target.as_str() {
        "/same" => with(307, "location", "/end"),
        "/port" => with(307, "location", &home),
        "/host" => with(307, "location", &away),
        _ => answer(200, "end"),
    })
    .await;
    let (client, _) = client_on(MadeUp::default().name("inside.test", &["127.0.0.1"]));
    let fetch = |path: &str, allow_private| Fetch {
        target: HttpTarget::Fixed { allow_private },
        ..get(&format!(
            "http://inside.test:{}{path}",
            server.address.port()
        ))
    };
    assert_eq!(
        client
            .fetch(fetch("/same", false))
            .await
            .expect("an answer")
            .body,
        "end"
    );
    assert_eq!(
        fault(&client, fetch("/port", false)).await,
        Fault::AddressNotAllowed
    );
    assert_eq!(
        fault(&client, fetch("/host", false)).await,
        Fault::AddressNotAllowed
    );
    assert!(other.seen().is_empty());
    assert_eq!(
        client
            .fetch(fetch("/port", true))
            .await
            .expect("an answer")
            .body,
        "other"
    );
    assert_eq!(
        client
            .fetch(fetch("/host", true))
            .await
            .expect("an answer")
            .body,
        "other"
    );
}

#[tokio::test]
async fn a_stranger_does_not_send_a_call_back_inside() {
    let inside = Server::http(|_, _| with(302, "location", "http://out.test/")).await;
    let home = format!("http://inside.test:{}/admin", inside.address.port());
    let (_server, network) = luring(&home).await;
    let (client, _) = client_on(network.name("inside.test", &["127.0.0.1"]));
    let fetch = get(&home);
    assert_eq!(fault(&client, fetch).await, Fault::AddressNotAllowed);
    assert_eq!(inside.seen().len(), 1);
}

/// Resolves to a public address first and to loopback ever after.
struct Rebinding {
    asked: AtomicUsize,
    to: SocketAddr,
}

impl Network for Rebinding {
    fn resolve<'a>(&'a self, _: &'a str, port: u16) -> BoxFuture<'a, io::Result<Vec<SocketAddr>>> {
        let first = self.asked.fetch_add(1, Ordering::SeqCst) == 0;
        let address = if first { [1, 1, 1, 1] } else { [127, 0, 0, 1] };
        Box::pin(async move { Ok(vec![(address, port).into()]) })
    }

    fn connect(&self, address: SocketAddr) -> BoxFuture<'_, io::Result<TcpStream>> {
        assert_eq!(address, ([1, 1, 1, 1], 80).into());
        Box::pin(TcpStream::connect(self.to))
    }
}

#[tokio::test]
async fn a_name_that_changes_its_mind_gains_nothing() {
    let server = Server::http(|_, _| with(200, "connection", "close")).await;
    let network = Rebinding {
        asked: AtomicUsize::new(0),
        to: server.address,
    };
    let client = Client::with_network(&ClientOptions::default(), Arc::new(network));
    let client = client.expect("a client");
    let fetch = || asked_for("http://out.test/", &["*"]);
    client
        .fetch(fetch())
        .await
        .expect("the address that was checked");
    assert_eq!(fault(&client, fetch()).await, Fault::AddressNotAllowed);
}

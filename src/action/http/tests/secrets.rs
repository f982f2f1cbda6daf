//! No error says what only the manifest and the upstream should know.

use super::server::{MadeUp, Server, answer, read_head, with};
use super::*;
use bytes::Bytes;
use proptest::prelude::*;
use std::sync::Arc;
use tokio::io::AsyncWriteExt;

const SECRET: &str = "hunter2";

/// A request with the secret in every place that can hold one.
fn secretive(host: &str) -> Fetch {
    Fetch {
        method: Method::PUT,
        headers: vec![
            header("authorization", "Bearer hunter2"),
            header("x-key", "hunter2"),
        ],
        secret_headers: vec![HeaderName::from_static("x-key")],
        body: Some(Bytes::from_static(b"hunter2")),
        secret_body: true,
        timeout: Duration::from_millis(200),
        ..get(&format!("{host}/hunter2?token=hunter2#hunter2").replace("://", "://hunter2:hunter2@"))
    }
}

/// Fails, and says nothing of the secret in either of an error's texts.
async fn discreet(client: &Client, fetch: Fetch) -> String {
    let error = match client.fetch(fetch).await {
        Err(error) => error,
        Ok(fetched) => panic!("the fetch fails, but: {}", fetched.status),
    };
    let text = error.to_string();
    assert!(!text.contains(SECRET), "{text}");
    assert!(!format!("{error:?}").contains(SECRET), "{text}");
    text
}

#[tokio::test]
async fn errors_before_an_answer_are_discreet() {
    let client = Client::with_network(
        &ClientOptions::default(),
        Arc::new(
            MadeUp::default()
                .name("inside.test", &["10.0.0.1"])
                .name("gone.test", &["1.1.1.1"]),
        ),
    );
    let client = client.expect("a client");
    let caller = |host, allow: &[&str]| Fetch {
        target: from_caller(allow),
        ..secretive(host)
    };
    let own = Fetch {
        headers: vec![header("host", "hunter2")],
        ..secretive("http://one.test")
    };
    for (fetch, expected) in [
        (
            secretive("ftp://one.test"),
            "only http and https URLs can be fetched",
        ),
        (
            own,
            "header `host` is set by the client itself and cannot be given",
        ),
        (
            secretive("http://unknown.test"),
            "http://unknown.test: could not resolve the host",
        ),
        (
            secretive("https://gone.test:8443"),
            "https://gone.test:8443: host unreachable",
        ),
        (
            caller("http://inside.test", &["*"]),
            "http://inside.test: address not allowed",
        ),
        (
            caller("http://inside.test", &[]),
            "http://inside.test: host not allowed",
        ),
    ] {
        assert_eq!(discreet(&client, fetch).await, expected);
    }
}

#[tokio::test]
async fn errors_of_an_answer_are_discreet() {
    for bytes in [
        &b""[..],
        b"hunter2\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nhunter2\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: hunter2\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\nhunter2",
        b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\nhunter2hunter2hunter2",
        b"HTTP/1.1 200 OK\r\ncontent-encoding: zstd\r\n\r\nhunter2hunter2hunter2",
        b"HTTP/1.1 200 OK\r\ncontent-encoding: br\r\n\r\nhunter2hunter2hunter2",
        b"HTTP/1.1 200 OK\r\ncontent-length: 99999999\r\n\r\nhunter2",
        b"HTTP/1.1 302 Found\r\nlocation: http://hunter2:hunter2@[/\r\n\r\n",
        b"HTTP/1.1 307 Found\r\nlocation: http://127.0.0.1:1/?hunter2\r\n\r\n",
        b"HTTP/1.1 303 Found\r\nlocation: http://hunter2:hunter2@127.0.0.1:1/hunter2?hunter2\r\n\r\n",
        b"HTTP/1.1 303 Found\r\nlocation: ?hunter2\r\ncontent-length: 0\r\n\r\n",
    ] {
        let server = Server::raw(move |mut stream, _| async move {
            read_head(&mut stream).await;
            let _ = stream.write_all(bytes).await;
        })
        .await;
        let text = discreet(&client(), secretive(&format!("http://{}", server.address))).await;
        assert!(text.starts_with("http://127.0.0.1:"), "{text}");
    }
}

#[tokio::test]
async fn a_timeout_is_discreet() {
    let server = Server::raw(|stream, _| async move {
        let _open = stream;
        std::future::pending().await
    })
    .await;
    let text = discreet(&client(), secretive(&format!("http://{}", server.address))).await;
    assert_eq!(
        text,
        format!("http://{}: timed out after 200 ms", server.address)
    );
}

#[tokio::test]
async fn secret_values_are_sent_marked_as_such() {
    let server = Server::http(|seen, _| match seen.target.as_str() {
        "/next" => answer(200, "ok"),
        _ => with(303, "location", "/next"),
    })
    .await;
    let fetch = secretive(&format!("http://{}", server.address));
    let fetched = client().fetch(fetch.clone()).await.expect("an answer");
    assert!(!format!("{fetched:?}").contains(SECRET));
    let (headers, url) = super::super::headers::prepare(&fetch).expect("a head");
    assert!(
        !format!("{headers:?}").contains(SECRET),
        "Debug hides sensitive values"
    );
    assert_eq!(
        url.as_str().matches(SECRET).count(),
        2,
        "path and query are sent"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_part_of_a_url_but_its_origin_is_ever_shown(
        user in "[a-z%20:/@]{0,9}", path in "[ -~]{0,20}", query in "[ -~é]{0,20}",
    ) {
        let mut url = Url::parse("http://unknown.test/").expect("a URL");
        url.set_username(&format!("{SECRET}{user}")).expect("userinfo");
        url.set_password(Some(&format!("{user}{SECRET}"))).expect("userinfo");
        url.set_path(&format!("{path}{SECRET}"));
        url.set_query(Some(&format!("{query}{SECRET}")));
        url.set_fragment(Some(&format!("{query}{SECRET}")));
        let client = Client::with_network(&ClientOptions::default(), Arc::new(MadeUp::default()));
        let fetch = Fetch { url, ..get("http://unknown.test/") };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let text = runtime.expect("a runtime").block_on(discreet(&client.expect("a client"), fetch));
        prop_assert_eq!(text, "http://unknown.test: could not resolve the host");
    }
}

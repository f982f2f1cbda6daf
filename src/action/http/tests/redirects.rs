//! Redirects: which, with what method, carrying what.

use super::server::{MadeUp, Seen, Server, answer, with};
use super::*;
use bytes::Bytes;
use std::sync::Arc;

/// Redirects `/` with `status` to `/next`, and answers `end` there.
async fn redirecting(status: u16) -> Server {
    Server::http(move |seen, _| match seen.target.as_str() {
        "/" => with(status, "location", "/next"),
        _ => answer(200, "end"),
    })
    .await
}

fn post(url: &str) -> Fetch {
    Fetch {
        method: Method::POST,
        body: Some(Bytes::from_static(b"body")),
        headers: vec![header("content-type", "text/plain"), header("x-kept", "1")],
        ..get(url)
    }
}

#[tokio::test]
async fn method_and_body_follow_the_status() {
    // Status, method, the method that follows, whether the body follows (RFC 9110 §15.4).
    for (status, first, second, body) in [
        (301, "POST", "GET", false),
        (302, "POST", "GET", false),
        (303, "POST", "GET", false),
        (307, "POST", "POST", true),
        (308, "POST", "POST", true),
        (301, "PUT", "PUT", true),
        (302, "DELETE", "DELETE", true),
        (303, "PUT", "GET", false),
        (303, "HEAD", "HEAD", true),
        (301, "GET", "GET", true),
        (307, "HEAD", "HEAD", true),
    ] {
        let server = redirecting(status).await;
        let method: Method = first.parse().expect("a method");
        let fetch = Fetch {
            method,
            ..post(&server.url("/"))
        };
        let fetched = client().fetch(fetch).await.expect("an answer");
        assert_eq!(fetched.url.as_str(), server.url("/next"));
        let next = server.seen().pop().expect("two requests");
        let case = format!("{status} {first}");
        assert_eq!(next.method, second, "{case}");
        assert_eq!(next.header("x-kept"), Some("1"), "{case}");
        let expected = if body {
            ("body", Some("text/plain"))
        } else {
            ("", None)
        };
        assert_eq!(
            (&next.body, next.header("content-type")),
            (&Bytes::from(expected.0), expected.1),
            "{case}"
        );
    }
}

#[tokio::test]
async fn what_is_no_redirect_is_returned() {
    let server = Server::http(|seen, _| match seen.target.as_str() {
        "/300" => with(300, "location", "/next"),
        "/304" => with(304, "location", "/next"),
        "/305" => with(305, "location", "/next"),
        "/bare" => answer(302, "no location"),
        _ => with(201, "location", "/next"),
    })
    .await;
    for (path, status) in [
        ("/300", 300),
        ("/304", 304),
        ("/305", 305),
        ("/bare", 302),
        ("/", 201),
    ] {
        let fetched = client()
            .fetch(get(&server.url(path)))
            .await
            .expect("an answer");
        assert_eq!(fetched.status, status);
        assert_eq!(fetched.url.as_str(), server.url(path));
    }
}

#[tokio::test]
async fn none_are_followed_when_the_bound_is_zero() {
    let server = redirecting(302).await;
    let fetch = Fetch {
        redirects: 0,
        ..get(&server.url("/"))
    };
    let fetched = client().fetch(fetch).await.expect("an answer");
    assert_eq!(
        (fetched.status.as_u16(), &fetched.headers["location"]),
        (302, &HeaderValue::from_static("/next"))
    );
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn the_bound_is_exact() {
    let server = Server::http(|seen, _| {
        let number: u32 = seen
            .target
            .trim_start_matches('/')
            .parse()
            .expect("a number");
        if number == 3 {
            answer(200, "end")
        } else {
            with(302, "location", &(number + 1).to_string())
        }
    })
    .await;
    let fetch = Fetch {
        redirects: 3,
        ..get(&server.url("/0"))
    };
    assert_eq!(client().fetch(fetch).await.expect("an answer").body, "end");
    let fetch = Fetch {
        redirects: 2,
        ..get(&server.url("/0"))
    };
    assert_eq!(fault(&client(), fetch).await, Fault::TooManyRedirects(2));
    assert_eq!(server.seen().len(), 4 + 3);
}

#[tokio::test]
async fn locations_are_resolved_and_lose_fragment_and_userinfo() {
    let server = Server::http(|seen, _| match seen.target.as_str() {
        "/a/b?c" => with(302, "location", "../d/./e?f#g"),
        "/d/e?f" => with(
            302,
            "location",
            &format!("//u:p@{}/h", seen.header("host").unwrap_or_default()),
        ),
        "/h" => with(302, "location", "?i"),
        _ => answer(200, "end"),
    })
    .await;
    let fetched = client()
        .fetch(get(&server.url("/a/b?c")))
        .await
        .expect("an answer");
    assert_eq!(fetched.url.as_str(), server.url("/h?i"));
    assert!(
        server
            .seen()
            .iter()
            .all(|seen| seen.header("authorization").is_none())
    );
}

#[tokio::test]
async fn locations_that_lead_nowhere_are_errors() {
    for location in [
        "http://",
        "http://[::1",
        "ftp://127.0.0.1/",
        "file:///etc/passwd",
        "javascript:1",
        "http://a b/",
        "\u{7f}://",
    ] {
        let server = Server::http(move |_, _| {
            let mut answer = answer(302, "");
            let value = HeaderValue::from_maybe_shared(location.to_owned().into_bytes());
            answer.headers_mut().insert(
                "location",
                value.unwrap_or(HeaderValue::from_static("http://")),
            );
            answer
        })
        .await;
        assert_eq!(
            fault(&client(), get(&server.url("/"))).await,
            Fault::Location,
            "{location}"
        );
    }
    let server = Server::http(|_, _| {
        let mut answer = answer(302, "");
        let latin = HeaderValue::from_bytes(b"/\xe9").expect("a value");
        answer.headers_mut().insert("location", latin);
        answer
    })
    .await;
    assert_eq!(
        fault(&client(), get(&server.url("/"))).await,
        Fault::Location
    );
}

fn credentials(seen: &Seen) -> [Option<&str>; 5] {
    [
        "authorization",
        "cookie",
        "proxy-authorization",
        "x-api-key",
        "x-plain",
    ]
    .map(|name| seen.header(name))
}

fn with_credentials(url: &str) -> Fetch {
    Fetch {
        headers: vec![
            header("authorization", "Bearer t"),
            header("cookie", "a=b"),
            header("proxy-authorization", "Basic x"),
            header("x-api-key", "k"),
            header("x-plain", "1"),
        ],
        secret_headers: vec![HeaderName::from_static("x-api-key")],
        ..get(url)
    }
}

const ALL: [Option<&str>; 5] = [
    Some("Bearer t"),
    Some("a=b"),
    Some("Basic x"),
    Some("k"),
    Some("1"),
];
const PLAIN: [Option<&str>; 5] = [None, None, None, None, Some("1")];

#[tokio::test]
async fn credentials_stay_with_their_origin_and_do_not_come_back() {
    let end = Server::http(|seen, _| {
        let back = seen
            .header("x-plain")
            .map(|_| seen.target.clone())
            .unwrap_or_default();
        with(302, "location", back.trim_start_matches("/?"))
    })
    .await;
    let away = end.url("/?");
    let server = Server::http(move |seen, _| match seen.target.as_str() {
        "/" => with(302, "location", "/same"),
        "/same" => with(
            302,
            "location",
            &format!(
                "{away}http://{}/back",
                seen.header("host").unwrap_or_default()
            ),
        ),
        _ => answer(200, "end"),
    })
    .await;
    let fetch = Fetch {
        target: HttpTarget::Fixed {
            allow_private: true,
        },
        ..with_credentials(&server.url("/"))
    };
    let fetched = client().fetch(fetch).await.expect("an answer");
    assert_eq!(fetched.url.as_str(), server.url("/back"));
    let seen = server.seen();
    assert_eq!(credentials(&seen[0]), ALL);
    assert_eq!(credentials(&seen[1]), ALL, "the same origin");
    assert_eq!(credentials(&end.seen()[0]), PLAIN, "another port");
    assert_eq!(credentials(&seen[2]), PLAIN, "back again");
}

#[tokio::test]
async fn another_name_for_the_same_server_is_another_origin() {
    let server = Server::http(|seen, _| match seen.target.as_str() {
        "/" => with(302, "location", "http://other.test/next"),
        _ => answer(200, "end"),
    })
    .await;
    let network = MadeUp::default()
        .name("one.test", &["1.1.1.1"])
        .name("other.test", &["1.1.1.1"])
        .route("1.1.1.1:80", server.address);
    let client =
        Client::with_network(&ClientOptions::default(), Arc::new(network)).expect("a client");
    let url = "http://user:secret@one.test/";
    let fetch = Fetch {
        headers: Vec::new(),
        ..get(url)
    };
    client.fetch(fetch).await.expect("an answer");
    let seen = server.seen();
    assert_eq!(
        seen[0].header("authorization"),
        Some("Basic dXNlcjpzZWNyZXQ=")
    );
    assert_eq!(
        (seen[1].header("authorization"), seen[1].header("host")),
        (None, Some("other.test"))
    );
}

#[tokio::test]
async fn a_body_with_a_secret_goes_to_no_other_origin() {
    let end = Server::http(|_, _| answer(200, "end")).await;
    let away = end.url("/");
    let server = Server::http(move |seen, _| match seen.target.as_str() {
        "/307" => with(307, "location", &away),
        "/303" => with(303, "location", &away),
        "/same" => with(308, "location", "/end"),
        _ => answer(200, "end"),
    })
    .await;
    let secret = |path: &str, secret_body| Fetch {
        secret_body,
        target: HttpTarget::Fixed {
            allow_private: true,
        },
        ..post(&server.url(path))
    };
    assert_eq!(
        fault(&client(), secret("/307", true)).await,
        Fault::SecretBody
    );
    assert!(end.seen().is_empty());
    client()
        .fetch(secret("/307", false))
        .await
        .expect("an answer");
    client()
        .fetch(secret("/303", true))
        .await
        .expect("an answer");
    client()
        .fetch(secret("/same", true))
        .await
        .expect("an answer");
    assert_eq!(
        end.seen()
            .iter()
            .map(|seen| &seen.body[..])
            .collect::<Vec<_>>(),
        [&b"body"[..], b""]
    );
    assert_eq!(server.seen().pop().expect("a request").body, "body");
}

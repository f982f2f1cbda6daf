//! A request out, an answer in.

use super::server::{Server, answer, with};
use super::*;
use http::StatusCode;

#[tokio::test]
async fn an_answer_comes_whole() {
    let server = Server::http(|_, _| {
        let mut answer = with(404, "content-type", "application/json; charset=utf-8");
        *answer.body_mut() = "{\"a\":1}".into();
        answer
            .headers_mut()
            .append("set-cookie", HeaderValue::from_static("a=1"));
        answer
            .headers_mut()
            .append("set-cookie", HeaderValue::from_static("b=2"));
        answer
    })
    .await;
    let fetched = client()
        .fetch(get(&server.url("/x?y=%20z#part")))
        .await
        .expect("an answer");
    assert_eq!(fetched.status, StatusCode::NOT_FOUND);
    assert_eq!(fetched.body, "{\"a\":1}");
    assert_eq!(
        fetched.content_type.as_deref(),
        Some("application/json; charset=utf-8")
    );
    assert_eq!(fetched.headers.get_all("set-cookie").iter().count(), 2);
    assert_eq!(fetched.url.as_str(), server.url("/x?y=%20z"));
    assert_eq!(server.seen()[0].target, "/x?y=%20z");
}

#[tokio::test]
async fn what_is_not_given_has_a_default() {
    let server = Server::http(|_, _| answer(200, "")).await;
    client()
        .fetch(get(&server.url("/")))
        .await
        .expect("an answer");
    let own = Fetch {
        headers: vec![
            header("user-agent", "mine"),
            header("accept", "text/csv"),
            header("accept-encoding", "br"),
        ],
        ..get(&server.url("/"))
    };
    client().fetch(own).await.expect("an answer");
    let seen = server.seen();
    let agent = concat!("snodo/", env!("CARGO_PKG_VERSION"));
    for (name, default, own) in [
        ("user-agent", agent, "mine"),
        ("accept", "*/*", "text/csv"),
        ("accept-encoding", "gzip, br, zstd", "br"),
    ] {
        assert_eq!(seen[0].header(name), Some(default));
        assert_eq!(seen[1].header(name), Some(own));
    }
    assert_eq!(
        seen[0].header("host"),
        Some(server.address.to_string().as_str())
    );
    assert_eq!(seen[0].header("content-length"), None);
}

#[tokio::test]
async fn a_range_is_asked_for_unencoded() {
    let server = Server::http(|_, _| answer(206, "ab")).await;
    let fetch = Fetch {
        headers: vec![header("range", "bytes=0-1")],
        ..get(&server.url("/"))
    };
    client().fetch(fetch).await.expect("an answer");
    assert_eq!(server.seen()[0].header("accept-encoding"), Some("identity"));
}

#[tokio::test]
async fn bodies_and_repeated_headers_are_sent_as_given() {
    let server = Server::http(|_, _| answer(200, "")).await;
    let client = client();
    for (method, body, length) in [
        (
            Method::POST,
            Some(bytes::Bytes::from_static(b"\0binary\xff")),
            Some("8"),
        ),
        (Method::POST, None, Some("0")),
        (Method::PUT, Some(bytes::Bytes::new()), Some("0")),
        (Method::DELETE, None, None),
        (
            Method::from_bytes(b"PROPFIND").expect("a method"),
            None,
            None,
        ),
    ] {
        let fetch = Fetch {
            method: method.clone(),
            body: body.clone(),
            headers: vec![header("x-a", "1"), header("x-a", "2")],
            ..get(&server.url("/"))
        };
        client.fetch(fetch).await.expect("an answer");
        let seen = server.seen().pop().expect("a request");
        assert_eq!(seen.method, method);
        assert_eq!(seen.body, body.unwrap_or_default(), "{method}");
        assert_eq!(seen.header("content-length"), length, "{method}");
        assert_eq!(
            seen.headers.get_all("x-a").iter().collect::<Vec<_>>(),
            ["1", "2"]
        );
    }
}

#[tokio::test]
async fn userinfo_becomes_basic_credentials_unless_there_are_some() {
    let server = Server::http(|_, _| answer(200, "")).await;
    let url = format!("http://us%3Aer:p%40ss@{}/", server.address);
    let fetched = client().fetch(get(&url)).await.expect("an answer");
    assert_eq!(fetched.url.as_str(), server.url("/"));
    let fetch = Fetch {
        headers: vec![header("authorization", "Bearer x")],
        ..get(&url)
    };
    client().fetch(fetch).await.expect("an answer");
    let seen = server.seen();
    assert_eq!(
        seen[0].header("authorization"),
        Some("Basic dXM6ZXI6cEBzcw==")
    );
    assert_eq!(
        seen[0].header("host"),
        Some(server.address.to_string().as_str())
    );
    assert_eq!(seen[1].header("authorization"), Some("Bearer x"));
}

#[tokio::test]
async fn answers_that_have_no_body_have_none() {
    let server = Server::http(|seen, _| match seen.target.as_str() {
        "/204" => with(204, "content-encoding", "gzip"),
        "/304" => with(304, "content-encoding", "gzip"),
        _ => {
            let mut answer = with(200, "content-encoding", "gzip");
            answer
                .headers_mut()
                .insert("content-length", HeaderValue::from_static("99999999"));
            answer
        }
    })
    .await;
    for (method, path) in [
        (Method::HEAD, "/"),
        (Method::GET, "/204"),
        (Method::GET, "/304"),
    ] {
        let fetch = Fetch {
            method,
            max_bytes: 10,
            ..get(&server.url(path))
        };
        let fetched = client().fetch(fetch).await.expect("an answer");
        assert_eq!(fetched.body, "", "{path}");
        assert_eq!(fetched.headers["content-encoding"], "gzip", "{path}");
    }
}

#[tokio::test]
async fn what_cannot_be_sent_is_refused_before_anything_is_connected_to() {
    let client = client();
    for (url, expected) in [
        ("ftp://127.0.0.1/", Fault::Scheme),
        ("file:///etc/passwd", Fault::Scheme),
        ("data:text/plain,x", Fault::Scheme),
    ] {
        let error = client.fetch(get(url)).await.expect_err("a refusal");
        assert_eq!((error.fault(), error.at()), (&expected, None), "{url}");
    }
    let long = format!("http://127.0.0.1/{}", "a".repeat(70_000));
    assert_eq!(fault(&client, get(&long)).await, Fault::Url);
    let connect = Fetch {
        method: Method::CONNECT,
        ..get("http://127.0.0.1/")
    };
    assert_eq!(
        fault(&client, connect).await,
        Fault::Method(Method::CONNECT)
    );
    for name in [
        "connection",
        "content-length",
        "expect",
        "host",
        "keep-alive",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    ] {
        let fetch = Fetch {
            headers: vec![header(name, "1")],
            ..get("http://127.0.0.1/")
        };
        assert_eq!(
            fault(&client, fetch).await,
            Fault::Header(HeaderName::from_static(name))
        );
    }
}

#[tokio::test]
async fn a_port_where_nobody_listens_is_refused() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a port");
    let address = listener.local_addr().expect("an address");
    drop(listener);
    let error = client()
        .fetch(get(&format!("http://{address}/x?y")))
        .await
        .expect_err("an error");
    assert_eq!(
        error.to_string(),
        format!("http://{address}: connection refused")
    );
}

#[tokio::test]
async fn a_server_that_never_answers_times_out() {
    let server = Server::raw(|stream, _| async move {
        let _open = stream;
        std::future::pending().await
    })
    .await;
    let fetch = Fetch {
        timeout: Duration::from_millis(60),
        ..get(&server.url("/"))
    };
    let error = client().fetch(fetch).await.expect_err("an error");
    assert_eq!(
        error.to_string(),
        format!("http://{}: timed out after 60 ms", server.address)
    );
    let fetch = Fetch {
        timeout: Duration::ZERO,
        ..get(&server.url("/"))
    };
    assert_eq!(
        fault(&client(), fetch).await,
        Fault::TimedOut(Duration::ZERO)
    );
}

#[tokio::test]
async fn the_longest_timeout_is_no_overflow() {
    let server = Server::http(|_, _| answer(200, "ok")).await;
    let fetch = Fetch {
        timeout: Duration::MAX,
        ..get(&server.url("/"))
    };
    assert_eq!(client().fetch(fetch).await.expect("an answer").body, "ok");
}

#[tokio::test]
async fn the_machines_own_resolver_is_asked() {
    let server = Server::http(|_, _| answer(200, "ok")).await;
    let port = server.address.port();
    let url = format!("http://localhost:{port}/");
    let fetched = client().fetch(get(&url)).await.expect("an answer");
    assert_eq!(fetched.body, "ok");
    let caller = Fetch {
        target: from_caller(&[&format!("*.test:{port}"), &format!("*:{port}")]),
        ..get(&url)
    };
    assert_eq!(fault(&client(), caller).await, Fault::AddressNotAllowed);
    assert_eq!(server.seen().len(), 1);
}

//! Bodies: encoded, too large, cut short, slow; heads that are wrong.

use super::server::{Answer, Server, answer, read_head, with};
use super::*;
use base64::Engine as _;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::io::Write;
use tokio::io::AsyncWriteExt;

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text).expect("memory");
    encoder.finish().expect("memory")
}

fn encoded(name: &str, body: Vec<u8>) -> Answer {
    let mut answer = with(200, "content-encoding", name);
    *answer.body_mut() = Bytes::from(body).into();
    answer
}

/// A server whose every connection gets these bytes after the request, and is then closed.
async fn saying(bytes: impl Into<Vec<u8>>) -> Server {
    let bytes = bytes.into();
    Server::raw(move |mut stream, _| {
        let bytes = bytes.clone();
        async move {
            read_head(&mut stream).await;
            let _ = stream.write_all(&bytes).await;
        }
    })
    .await
}

async fn fault_of(bytes: impl Into<Vec<u8>>) -> Fault {
    let server = saying(bytes).await;
    fault(&client(), get(&server.url("/"))).await
}

#[tokio::test]
async fn every_accepted_encoding_is_decoded() {
    let text = "text ".repeat(100_000).into_bytes();
    let small = "The quick brown fox jumps over the lazy dog. "
        .repeat(20)
        .into_bytes();
    let brotli = base64::engine::general_purpose::STANDARD
        .decode("G4MDiCwOeNPQlV2XELsXK6nK0JLMjK1BXObyNsgZnp4Ke4MNOHBIIG8kvkGnFc4cHieqKTjCibhPgwE=")
        .expect("base64");
    for (name, body, expected) in [
        ("gzip", gzip(&text), text.clone()),
        (
            "zstd",
            compress_to_vec(&text[..], CompressionLevel::Fastest),
            text,
        ),
        ("br", brotli, small),
    ] {
        let server = Server::http(move |_, _| encoded(name, body.clone())).await;
        let fetched = client()
            .fetch(get(&server.url("/")))
            .await
            .expect("an answer");
        assert_eq!(fetched.body, expected, "{name}");
        assert!(!fetched.headers.contains_key("content-encoding"), "{name}");
        assert!(!fetched.headers.contains_key("content-length"), "{name}");
    }
}

#[tokio::test]
async fn an_unencoded_body_keeps_its_length() {
    let server = Server::http(|_, _| encoded("identity", b"text".to_vec())).await;
    let fetched = client()
        .fetch(get(&server.url("/")))
        .await
        .expect("an answer");
    assert_eq!(
        (fetched.body, &fetched.headers["content-length"]),
        (Bytes::from_static(b"text"), &HeaderValue::from_static("4"))
    );
}

#[tokio::test]
async fn encodings_that_are_not_known_are_named() {
    for name in ["compress", "gzip, gzip"] {
        let server = Server::http(move |_, _| encoded(name, b"text".to_vec())).await;
        let fault = fault(&client(), get(&server.url("/"))).await;
        assert_eq!(fault, Fault::Encoding(name.to_owned()));
    }
}

#[tokio::test]
async fn bodies_over_the_bound_are_stopped() {
    let large = vec![b'a'; 100_000];
    let bomb = gzip(&vec![0; 32 << 20]);
    for (case, answer, fits) in [
        ("sized", encoded("identity", large.clone()), true),
        ("gzip", encoded("gzip", gzip(&large)), true),
        ("bomb", encoded("gzip", bomb), false),
    ] {
        let server = Server::http(move |_, _| answer.clone()).await;
        let fetch = |max_bytes| Fetch {
            max_bytes,
            ..get(&server.url("/"))
        };
        assert_eq!(
            fault(&client(), fetch(99_999)).await,
            Fault::TooLarge(99_999),
            "{case}"
        );
        assert_eq!(client().fetch(fetch(100_000)).await.is_ok(), fits, "{case}");
    }
}

/// Writes for ever, until the peer goes.
async fn endless(head: &'static str, piece: Vec<u8>) -> Server {
    Server::raw(move |mut stream, _| {
        let piece = piece.clone();
        async move {
            read_head(&mut stream).await;
            let _ = stream.write_all(head.as_bytes()).await;
            while stream.write_all(&piece).await.is_ok() {}
        }
    })
    .await
}

#[tokio::test]
async fn bodies_without_end_are_stopped() {
    let skippable = [&0x184d_2a50_u32.to_le_bytes()[..], &0u32.to_le_bytes()].concat();
    for (head, piece) in [
        ("HTTP/1.1 200 OK\r\n\r\n", vec![b'a'; 4096]),
        (
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n",
            b"5\r\nabcde\r\n".repeat(100),
        ),
        (
            "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n",
            gzip(b"").repeat(100),
        ),
        (
            "HTTP/1.1 200 OK\r\ncontent-encoding: zstd\r\n\r\n",
            skippable.repeat(100),
        ),
    ] {
        let server = endless(head, piece).await;
        let fetch = Fetch {
            max_bytes: 100_000,
            ..get(&server.url("/"))
        };
        assert_eq!(
            fault(&client(), fetch).await,
            Fault::TooLarge(100_000),
            "{head}"
        );
    }
}

#[tokio::test]
async fn bodies_that_stop_short_are_errors() {
    let half = gzip(b"some text")[..12].to_vec();
    let gzipped = [
        b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n".to_vec(),
        half,
    ]
    .concat();
    for (bytes, expected) in [
        (
            b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nshort".to_vec(),
            Fault::Truncated,
        ),
        (
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nabc".to_vec(),
            Fault::Truncated,
        ),
        (
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n".to_vec(),
            Fault::Truncated,
        ),
        (
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n".to_vec(),
            Fault::Truncated,
        ),
        (gzipped, Fault::Damaged("gzip")),
    ] {
        assert_eq!(
            fault_of(bytes.clone()).await,
            expected,
            "{}",
            String::from_utf8_lossy(&bytes)
        );
    }
}

#[tokio::test]
async fn heads_that_are_wrong_are_errors() {
    let huge = format!("HTTP/1.1 200 OK\r\nx: {}\r\n\r\n", "a".repeat(200_000));
    let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", "x: a\r\n".repeat(101));
    for (head, expected) in [
        (
            "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n",
            Fault::Protocol,
        ),
        (
            "HTTP/1.1 200 OK\r\ncontent-length: 5x\r\n\r\n",
            Fault::Protocol,
        ),
        (
            "HTTP/1.1 200 OK\r\ncontent-length: 99999999999999999999999\r\n\r\n",
            Fault::Protocol,
        ),
        (
            "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n",
            Fault::Protocol,
        ),
        ("HTTP/1.1 200 OK\r\nno colon\r\n\r\n", Fault::Protocol),
        ("HTTP/1.1 2x0 OK\r\n\r\n", Fault::Protocol),
        ("\0\0\0\0\0\0\0\0\r\n\r\n", Fault::Protocol),
        ("HTTP/1.1 200 OK\r\nx: y\r\n", Fault::Closed),
        ("", Fault::Closed),
        (&huge, Fault::HeadTooLarge),
        (&many, Fault::HeadTooLarge),
    ] {
        let shown: String = head.chars().take(60).collect();
        assert_eq!(fault_of(head).await, expected, "{shown}");
    }
}

#[tokio::test]
async fn old_and_interim_answers_are_read() {
    for text in [
        "HTTP/1.0 200 OK\r\n\r\nbody",
        "HTTP/1.1 200 OK\r\n\r\nbody",
        "HTTP/1.1 200\r\nContent-Length: 4\r\n\r\nbody and more",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nbody",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4;ext=1\r\nbody\r\n0\r\nx-trailer: 1\r\n\r\n",
    ] {
        let server = saying(text).await;
        let fetched = client()
            .fetch(get(&server.url("/")))
            .await
            .expect("an answer");
        assert_eq!(fetched.body, "body", "{text}");
    }
}

#[tokio::test]
async fn a_drip_does_not_outlast_the_timeout() {
    for text in [
        "HTTP/1.1 2",
        "HTTP/1.1 200 OK\r\nx: y\r\n",
        "HTTP/1.1 200 OK\r\n\r\nbo",
    ] {
        let server = Server::raw(move |mut stream, _| async move {
            read_head(&mut stream).await;
            let _ = stream.write_all(text.as_bytes()).await;
            std::future::pending().await
        })
        .await;
        let timeout = Duration::from_millis(80);
        let fetch = Fetch {
            timeout,
            ..get(&server.url("/"))
        };
        assert_eq!(
            fault(&client(), fetch).await,
            Fault::TimedOut(timeout),
            "{text}"
        );
    }
}

// How much of it depends on how fast it comes: see `body::tests`.
#[tokio::test]
async fn of_a_status_that_is_not_wanted_the_beginning_is_read() {
    let server = Server::http(|_, _| answer(500, vec![b'a'; 200_000])).await;
    let fetch = Fetch {
        max_bytes: 1000,
        ..get(&server.url("/"))
    };
    let fetched = client().fetch(fetch.clone()).await.expect("an answer");
    assert!(fetched.body.len() <= 64 * 1024, "{}", fetched.body.len());
    assert!(!fetched.is_whole);
    let accepted = Fetch {
        accept_status: vec![404, 500],
        ..fetch
    };
    assert_eq!(fault(&client(), accepted).await, Fault::TooLarge(1000));
}

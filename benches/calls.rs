//! tools/call of a templated tool beside a bare hyper server that parses the same body and answers
//! the same bytes, interleaved in one run: the server on one core, the load on the other.
//!
//! `cargo bench --bench calls`. `--bare PORT` runs the bare server.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    missing_docs,
    unreachable_pub,
    reason = "a bench starts programs, prints what it measured, and fails by panicking"
)]

mod support;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use std::net::SocketAddr;
use std::process::Stdio;
use std::time::Duration;
use support::{Load, Process, call, load, median, on_core, request, stay_on};

const MANIFEST: &str = r#"
[[tool]]
name = "greet"
description = "Greets somebody"
additional_properties = false
result.text = "Hello, {{ args.name }}! You are {{ args.age }} years old and live in {{ args.city }}."

[tool.arguments]
name = { type = "string", required = true, min_length = 1, max_length = 100 }
age = { type = "integer", required = true, minimum = 0, maximum = 150 }
city = { type = "string", pattern = "^[A-Za-z ]+$" }
tags = { type = "array", items = "string", max_items = 10 }
"#;

const ARGUMENTS: &str = r#"{"name":"Ada Lovelace","age":36,"city":"London","tags":["a","b"]}"#;
const ROUNDS: usize = 5;
const TIME: Duration = Duration::from_secs(2);

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    match arguments.iter().position(|argument| argument == "--bare") {
        Some(at) => {
            let port = arguments
                .get(at + 1)
                .and_then(|port| port.parse().ok())
                .expect("a port");
            runtime.block_on(bare(
                port,
                arguments.get(at + 2).cloned().unwrap_or_default(),
            ));
        }
        None => runtime.block_on(compare()),
    }
}

async fn compare() {
    stay_on(1);
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("greet.toml"), MANIFEST).expect("a manifest");
    let snodo_port = free_port();
    let snodo = on_core(0, env!("CARGO_BIN_EXE_snodo"))
        .args(["serve", "--set", "log.level=warn", "--set"])
        .arg(format!("http.listen=[\"127.0.0.1:{snodo_port}\"]"))
        .arg(folder.path())
        .stderr(Stdio::inherit())
        .spawn()
        .expect("snodo starts");
    let snodo = Process(snodo);
    let snodo_address = SocketAddr::from(([127, 0, 0, 1], snodo_port));
    let body = call("greet", ARGUMENTS);
    let request = request(snodo_address, "tools/call", Some("greet"), &body);
    let answer = answer(snodo_address, &request).await;
    println!(
        "answer: {} bytes: {}",
        answer.len(),
        String::from_utf8_lossy(&answer)
    );

    let bare_port = free_port();
    let me = std::env::current_exe().expect("this program");
    let bare = on_core(0, &me.to_string_lossy())
        .args([
            "--bare",
            &bare_port.to_string(),
            &String::from_utf8_lossy(&answer),
        ])
        .spawn()
        .expect("the bare server starts");
    let bare = Process(bare);
    let bare_address = SocketAddr::from(([127, 0, 0, 1], bare_port));
    self::answer(bare_address, &request).await;

    println!(
        "{:>5} {:>10} {:>10} {:>7} {:>9} {:>9} {:>7} {:>9} {:>9} {:>9} {:>9}",
        "conns",
        "bare/s",
        "snodo/s",
        "ratio",
        "bare us",
        "snodo us",
        "cpu x",
        "bare p50",
        "snodo p50",
        "bare p99",
        "snodo p99"
    );
    for connections in [64, 1] {
        let mut rates = (Vec::new(), Vec::new());
        let mut costs = (Vec::new(), Vec::new());
        let mut last = (Load::default(), Load::default());
        for _ in 0..ROUNDS {
            for (process, address, rates, costs, last) in [
                (&bare, bare_address, &mut rates.0, &mut costs.0, &mut last.0),
                (
                    &snodo,
                    snodo_address,
                    &mut rates.1,
                    &mut costs.1,
                    &mut last.1,
                ),
            ] {
                let before = process.cpu();
                let measured = load(address, connections, &request, TIME).await;
                let cpu = process.cpu() - before;
                rates.push(measured.rate());
                costs.push(cpu.as_secs_f64() * 1e6 / measured.calls as f64);
                *last = measured;
            }
        }
        let (bare_rate, snodo_rate) = (median(rates.0), median(rates.1));
        let (bare_cost, snodo_cost) = (median(costs.0), median(costs.1));
        println!(
            "{connections:>5} {bare_rate:>10.0} {snodo_rate:>10.0} {:>7.2} {bare_cost:>9.2} {snodo_cost:>9.2} {:>7.2} {:>9.0?} {:>9.0?} {:>9.0?} {:>9.0?}",
            snodo_rate / bare_rate,
            snodo_cost / bare_cost,
            last.0.p50,
            last.1.p50,
            last.0.p99,
            last.1.p99,
        );
    }
    println!(
        "memory: bare {} KiB, snodo {} KiB",
        bare.memory() / 1024,
        snodo.memory() / 1024
    );
}

/// The first answer, once the server listens.
async fn answer(address: SocketAddr, request: &[u8]) -> Vec<u8> {
    for _ in 0..500 {
        if tokio::net::TcpStream::connect(address).await.is_ok() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    support::Caller::connect(address)
        .await
        .ask(request)
        .await
        .to_vec()
}

fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("an address").port()
}

/// hyper alone: parses the body as JSON, answers these bytes.
async fn bare(port: u16, answer: String) {
    let answer = Bytes::from(answer);
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port))
        .await
        .expect("the port is free");
    loop {
        let (stream, _) = listener.accept().await.expect("a connection");
        let _ = stream.set_nodelay(true);
        let answer = answer.clone();
        tokio::task::spawn(async move {
            let service = service_fn(move |request: Request<Incoming>| {
                let answer = answer.clone();
                async move {
                    let body = request.into_body().collect().await?.to_bytes();
                    let parsed: serde_json::Value =
                        serde_json::from_slice(&body).unwrap_or_default();
                    std::hint::black_box(&parsed);
                    let response = Response::builder()
                        .header("content-type", "application/json")
                        .body(Full::new(answer))
                        .expect("a response");
                    Ok::<_, hyper::Error>(response)
                }
            });
            let _ = hyper::server::conn::http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}

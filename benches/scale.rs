//! 5,000 tools in 500 files: checking, starting, listing, and reloading one changed file; and what a
//! listener takes.
//!
//! `cargo bench --bench scale`.

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

use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use support::{Caller, Process, call, median, request};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

const FILES: usize = 500;
const TOOLS: usize = 10;

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        measure().await;
        listeners().await;
    });
}

/// What the server's memory grows by for a listener with nothing to hear, its connection included.
async fn listeners() {
    const LISTENERS: usize = 1000;
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), 0, 1, "first");
    let limit = format!("http.max_subscriptions={LISTENERS}");
    let connections = format!("http.max_connections={}", 2 * LISTENERS);
    let settings = ["--set", &limit, "--set", &connections];
    let (server, _, address) = start_with(folder.path(), &settings).await;
    let before = server.memory();
    let body = call("", "{}")
        .replace("tools/call", "subscriptions/listen")
        .replace(
            r#""name":"","arguments":{}"#,
            r#""notifications":{"toolsListChanged":true}"#,
        );
    let request = request(address, "subscriptions/listen", None, &body);
    let mut open = Vec::new();
    for _ in 0..LISTENERS {
        let mut stream = tokio::net::TcpStream::connect(address)
            .await
            .expect("it listens");
        stream.write_all(&request).await.expect("it reads");
        let mut seen = Vec::new();
        while !String::from_utf8_lossy(&seen).contains("acknowledged") {
            let read = stream.read_buf(&mut seen).await.expect("it answers");
            assert!(read > 0, "no listening: {}", String::from_utf8_lossy(&seen));
        }
        open.push(stream);
    }
    let grown = server.memory().saturating_sub(before);
    println!("{LISTENERS} idle listeners");
    println!(
        "  memory of one       {:>8.1} KiB, its connection included",
        grown as f64 / 1024.0 / LISTENERS as f64
    );
}

async fn measure() {
    for (files, tools, name) in [
        (1, 10, "10 tools in 1 file"),
        (100, 10, "1,000 tools in 100 files"),
        (FILES, TOOLS, "5,000 tools in 500 files"),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        for file in 0..files {
            write(folder.path(), file, tools, "first");
        }
        println!("{name}");
        println!(
            "  check               {:>8.1} ms",
            median((0..5).map(|_| check(folder.path())).collect())
        );
        let mut starts = Vec::new();
        for _ in 0..5 {
            starts.push(start(folder.path()).await.1);
        }
        println!("  start to answer     {:>8.1} ms", median(starts));
        let (server, _, address) = start(folder.path()).await;
        println!("  list all            {:>8.1} ms", list(address).await);
        let mut reloads = Vec::new();
        for round in 0..7 {
            reloads.push(reload(folder.path(), address, round, tools).await);
        }
        println!(
            "  edit to new answer  {:>8.1} ms (100 ms of it waiting for quiet)",
            median(reloads)
        );
        println!(
            "  memory              {:>8.1} MiB",
            server.memory() as f64 / 1048576.0
        );
    }
}

fn write(folder: &Path, file: usize, tools: usize, word: &str) {
    let mut text = String::new();
    for tool in 0..tools {
        let most = 1000 + tool;
        text.push_str(&format!(
            "[[tool]]\nname = \"tool_{file}_{tool}\"\ndescription = \"Tool {tool} of file {file}\"\n\
             result.text = \"{word} {{{{ args.name }}}} {{{{ args.count }}}}\"\n\
             arguments.name = {{ type = \"string\", required = true, min_length = 1 }}\n\
             arguments.count = {{ type = \"integer\", minimum = 0, maximum = {most}, default = {file} }}\n\n"
        ));
    }
    std::fs::write(folder.join(format!("file_{file:04}.toml")), text).expect("a manifest");
}

fn check(folder: &Path) -> f64 {
    let begin = Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_snodo"))
        .arg("check")
        .arg(folder)
        .output()
        .expect("snodo runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    begin.elapsed().as_secs_f64() * 1e3
}

async fn start(folder: &Path) -> (Process, f64, SocketAddr) {
    start_with(folder, &[]).await
}

async fn start_with(folder: &Path, settings: &[&str]) -> (Process, f64, SocketAddr) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    drop(listener);
    let begin = Instant::now();
    let server = Command::new(env!("CARGO_BIN_EXE_snodo"))
        .args(["serve", "--set", "log.level=warn", "--set"])
        .arg(format!("http.listen=[\"{address}\"]"))
        .args(settings)
        .arg(folder)
        .stderr(Stdio::inherit())
        .spawn()
        .expect("snodo starts");
    let server = Process(server);
    while tokio::net::TcpStream::connect(address).await.is_err() {
        assert!(
            begin.elapsed() < Duration::from_secs(60),
            "snodo does not listen"
        );
        tokio::time::sleep(Duration::from_micros(500)).await;
    }
    ask(address).await;
    (server, begin.elapsed().as_secs_f64() * 1e3, address)
}

async fn ask(address: SocketAddr) -> String {
    let request = request(
        address,
        "tools/call",
        Some("tool_0_0"),
        &call("tool_0_0", r#"{"name":"x"}"#),
    );
    let mut caller = Caller::connect(address).await;
    String::from_utf8_lossy(caller.ask(&request).await).into_owned()
}

async fn list(address: SocketAddr) -> f64 {
    let begin = Instant::now();
    let mut caller = Caller::connect(address).await;
    let mut cursor = String::new();
    loop {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{{cursor}"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
        );
        let answer: serde_json::Value = serde_json::from_slice(
            caller
                .ask(&request(address, "tools/list", None, &body))
                .await,
        )
        .expect("JSON");
        match answer["result"]["nextCursor"].as_str() {
            Some(next) => cursor = format!(r#""cursor":"{next}","#),
            None => return begin.elapsed().as_secs_f64() * 1e3,
        }
    }
}

/// From the write of one file to the first answer that shows it.
async fn reload(folder: &Path, address: SocketAddr, round: usize, tools: usize) -> f64 {
    let word = format!("round{round}");
    let begin = Instant::now();
    write(folder, 0, tools, &word);
    loop {
        if ask(address).await.contains(&word) {
            return begin.elapsed().as_secs_f64() * 1e3;
        }
        assert!(
            begin.elapsed() < Duration::from_secs(30),
            "the edit is not served"
        );
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

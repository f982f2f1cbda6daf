//! What the benches share: children on a core of their own, a raw HTTP load, processor time.

#![allow(dead_code, reason = "each bench uses a part")]

use std::net::SocketAddr;
use std::process::{Child, Command};
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

/// A child that is ended when dropped.
pub struct Process(pub Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Process {
    /// Processor time it has used, from /proc, in ticks of 10 ms.
    pub fn cpu(&self) -> Duration {
        let stat =
            std::fs::read_to_string(format!("/proc/{}/stat", self.0.id())).unwrap_or_default();
        let after = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
        let fields: Vec<u64> = after
            .split(' ')
            .map(|field| field.parse().unwrap_or(0))
            .collect();
        let ticks = fields.get(11).copied().unwrap_or(0) + fields.get(12).copied().unwrap_or(0);
        Duration::from_millis(ticks * 10)
    }

    /// Resident memory, bytes.
    pub fn memory(&self) -> u64 {
        let statm =
            std::fs::read_to_string(format!("/proc/{}/statm", self.0.id())).unwrap_or_default();
        let pages: u64 = statm
            .split(' ')
            .nth(1)
            .and_then(|field| field.parse().ok())
            .unwrap_or(0);
        pages * 4096
    }
}

/// A command that runs on this core alone.
pub fn on_core(core: usize, program: &str) -> Command {
    let mut command = Command::new("taskset");
    command.args(["-c", &core.to_string(), program]);
    command
}

/// Keeps this process to one core.
pub fn stay_on(core: usize) {
    let pid = std::process::id().to_string();
    let done = Command::new("taskset")
        .args(["-a", "-c", "-p", &core.to_string(), &pid])
        .output();
    assert!(
        done.is_ok_and(|output| output.status.success()),
        "taskset is needed (util-linux)"
    );
}

/// A POST of this body, as a 2026-07-28 client sends it.
pub fn request(address: SocketAddr, method: &str, name: Option<&str>, body: &str) -> Vec<u8> {
    let name = name.map_or(String::new(), |name| format!("mcp-name: {name}\r\n"));
    format!(
        "POST /mcp HTTP/1.1\r\nhost: {address}\r\naccept: application/json, text/event-stream\r\n\
         content-type: application/json\r\nmcp-protocol-version: 2026-07-28\r\nmcp-method: {method}\r\n\
         {name}content-length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// A body of `tools/call`.
pub fn call(tool: &str, arguments: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments},"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{{"name":"bench","version":"1.0.0"}},"io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
    )
}

/// One connection that sends the same request again and again.
pub struct Caller {
    stream: BufReader<TcpStream>,
    head: String,
    body: Vec<u8>,
}

impl Caller {
    pub async fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address)
            .await
            .expect("the server listens");
        stream.set_nodelay(true).expect("a TCP option");
        Self {
            stream: BufReader::with_capacity(1 << 16, stream),
            head: String::new(),
            body: Vec::new(),
        }
    }

    /// Sends the request and reads the whole answer; gives its body.
    pub async fn ask(&mut self, request: &[u8]) -> &[u8] {
        self.stream
            .get_mut()
            .write_all(request)
            .await
            .expect("the server reads");
        let mut length = 0;
        let mut first = true;
        loop {
            self.head.clear();
            self.stream
                .read_line(&mut self.head)
                .await
                .expect("the server answers");
            if first {
                assert!(self.head.starts_with("HTTP/1.1 200"), "{}", self.head);
                first = false;
            }
            if self.head.len() <= 2 {
                break;
            }
            if let Some(value) = self.head.strip_prefix("content-length: ") {
                length = value.trim_end().parse().expect("a length");
            }
        }
        self.body.resize(length, 0);
        self.stream
            .read_exact(&mut self.body)
            .await
            .expect("the whole body");
        &self.body
    }
}

/// What a load measured.
#[derive(Clone, Copy, Debug, Default)]
pub struct Load {
    pub calls: u64,
    pub time: Duration,
    pub p50: Duration,
    pub p99: Duration,
}

impl Load {
    pub fn rate(&self) -> f64 {
        self.calls as f64 / self.time.as_secs_f64()
    }
}

/// Sends this request on so many connections for so long.
pub async fn load(address: SocketAddr, connections: usize, request: &[u8], time: Duration) -> Load {
    let begin = Instant::now();
    let end = begin + time;
    let tasks: Vec<_> = (0..connections)
        .map(|_| {
            let request = request.to_vec();
            tokio::task::spawn(async move {
                let mut caller = Caller::connect(address).await;
                let mut times = Vec::with_capacity(1 << 16);
                while Instant::now() < end {
                    let sent = Instant::now();
                    caller.ask(&request).await;
                    times.push(sent.elapsed());
                }
                times
            })
        })
        .collect();
    let mut times = Vec::new();
    for task in tasks {
        times.extend(task.await.expect("a caller that works"));
    }
    let time = begin.elapsed();
    times.sort_unstable();
    let at = |share: f64| {
        let index = ((times.len() as f64 * share) as usize).min(times.len().saturating_sub(1));
        times.get(index).copied().unwrap_or_default()
    };
    Load {
        calls: times.len() as u64,
        time,
        p50: at(0.5),
        p99: at(0.99),
    }
}

/// The middle value.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

//! Heads of HTTP requests over a connection: whatever the method, the path and the fields, there is
//! an answer, one in the form that its head says; and who calls a local server by another name, or
//! from another origin, gets nothing of it.
//!
//! The input is the method and the path, header fields, one a line, an empty line, and the body.
//! `$PORT` stands for the server's port. What frames a body is added.

use super::message::check;
use crate::serving::{server, split};
use http::{HeaderMap, Method};
use snodo::model::Listen;
use snodo::shutdown::Shutdown;
use snodo::transport::http::{Listener, LocalAddr};
use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// Fields that frame a message or belong to the connection: those are hyper's.
const FRAMING: [&str; 10] = [
    "connection",
    "content-length",
    "expect",
    "http2-settings",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];
/// Names of this machine.
const OURS: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];
/// Nothing takes so long.
const LONG: Duration = Duration::from_secs(10);
/// How long the rest of an answer is waited for: a listening goes on.
const MOMENT: Duration = Duration::from_millis(20);

pub fn run(input: &[u8]) {
    let site = Site::get();
    let (head, body) = split(input);
    let Some((method, path, sent)) = site.request(head) else {
        return;
    };
    let mut bytes = format!("{method} {path} HTTP/1.1\r\n").into_bytes();
    for (name, value) in &sent {
        bytes.extend_from_slice(name.as_str().as_bytes());
        bytes.extend_from_slice(b": ");
        bytes.extend_from_slice(value.as_bytes());
        bytes.extend_from_slice(b"\r\n");
    }
    bytes.extend_from_slice(
        format!(
            "connection: close\r\ncontent-length: {}\r\n\r\n",
            body.len()
        )
        .as_bytes(),
    );
    bytes.extend_from_slice(body);
    let answer = site.tokio.block_on(site.exchange(&bytes));
    let (status, headers, content) = read(&answer);
    assert!((200..600).contains(&status));
    if (200..300).contains(&status) {
        assert!(site.is_ours(&sent), "{status}");
        assert!(is_from_here(&sent), "{status}");
    }
    match headers.get("content-type").map(|value| value.as_bytes()) {
        _ if method == Method::HEAD => {}
        Some(b"application/json") => {
            if path.starts_with("/mcp") {
                check(&content, None);
            }
        }
        Some(b"text/event-stream") => {
            let text = String::from_utf8(content).expect("UTF-8");
            // The last may be cut.
            let whole = text.rfind("\n\n").map_or("", |end| &text[..end]);
            let data = whole.lines().filter_map(|line| line.strip_prefix("data:"));
            let data = data.map(str::trim).filter(|data| !data.is_empty());
            data.for_each(|data| check(data.as_bytes(), None));
        }
        other => assert!(content.is_empty(), "{other:?} {content:?}"),
    }
}

/// Whether the `Host` is one, with this server's port, that means this machine.
impl Site {
    fn is_ours(&self, sent: &HeaderMap) -> bool {
        let mut hosts = sent.get_all("host").iter();
        let (Some(host), None) = (hosts.next(), hosts.next()) else {
            return false;
        };
        let host = host.to_str().unwrap_or_default().to_ascii_lowercase();
        let parts = host.rsplit_once(':');
        parts.is_some_and(|(name, port)| {
            OURS.contains(&name) && port.parse() == Ok(self.address.port())
        })
    }
}

/// Whether there is no `Origin`, or one that means this machine.
fn is_from_here(sent: &HeaderMap) -> bool {
    let mut origins = sent.get_all("origin").iter();
    let Some(origin) = origins.next() else {
        return true;
    };
    let origin = origin.to_str().unwrap_or_default().to_ascii_lowercase();
    let Some((_, authority)) = origin.split_once("://") else {
        return false;
    };
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    origins.next().is_none()
        && OURS.iter().any(|name| match authority.strip_prefix(name) {
            Some(rest) => rest.is_empty() || rest.strip_prefix(':').is_some_and(is_port),
            None => false,
        })
}

/// The status, the fields and the body of an answer, a chunked one without its framing.
fn read(answer: &[u8]) -> (u16, HeaderMap, Vec<u8>) {
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n");
    let end = end.unwrap_or_else(|| panic!("a head: {:?}", String::from_utf8_lossy(answer)));
    let head = std::str::from_utf8(&answer[..end]).expect("ASCII");
    let (status, lines) = head.split_once("\r\n").unwrap_or((head, ""));
    let status = status
        .strip_prefix("HTTP/1.1 ")
        .and_then(|status| status.get(..3));
    let status = status
        .and_then(|status| status.parse().ok())
        .expect("a status");
    let headers = crate::serving::fields(lines.replace('\r', "").as_bytes());
    let mut rest = &answer[end + 4..];
    if !headers.contains_key("transfer-encoding") {
        return (status, headers, rest.to_vec());
    }
    let mut content = Vec::new();
    while let Some(at) = rest.windows(2).position(|two| two == b"\r\n") {
        let size = std::str::from_utf8(&rest[..at]).expect("a size");
        let size = usize::from_str_radix(size, 16).expect("a size");
        rest = &rest[at + 2..];
        let Some(chunk) = rest.get(..size).filter(|chunk| !chunk.is_empty()) else {
            break;
        };
        content.extend_from_slice(chunk);
        rest = rest.get(size + 2..).unwrap_or_default();
    }
    (status, headers, content)
}

/// The server, listening on a loopback address.
struct Site {
    address: SocketAddr,
    tokio: tokio::runtime::Runtime,
}

impl Site {
    fn get() -> &'static Self {
        static SITE: OnceLock<Site> = OnceLock::new();
        SITE.get_or_init(|| {
            let tokio = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("a runtime");
            let address = tokio.block_on(async {
                let (server, mut settings) = server().await;
                settings.http.listen = vec![Listen::from(SocketAddr::from(([127, 0, 0, 1], 0)))];
                let listener = Listener::bind(&settings.http).await.expect("a socket");
                let address = match listener.local_addrs() {
                    [LocalAddr::Tcp(address)] => *address,
                    other => panic!("{other:?}"),
                };
                tokio::spawn(async move {
                    let shutdown = Shutdown::new();
                    listener
                        .serve(Arc::new(server), &shutdown, Duration::ZERO)
                        .await;
                });
                address
            });
            Self { address, tokio }
        })
    }

    /// The method, the path and the fields that a head says, but for those that frame.
    fn request(&self, head: &[u8]) -> Option<(Method, String, HeaderMap)> {
        let head = String::from_utf8_lossy(head);
        let head = head.replace("$PORT", &self.address.port().to_string());
        let (first, lines) = head.split_once('\n').unwrap_or((&head, ""));
        let (method, path) = first.split_once(' ')?;
        let method = Method::from_bytes(method.as_bytes()).ok()?;
        let is_path = path.starts_with('/') && path.bytes().all(|byte| byte.is_ascii_graphic());
        if !is_path || method == Method::CONNECT {
            return None;
        }
        let mut sent = crate::serving::fields(lines.as_bytes());
        FRAMING.iter().for_each(|name| drop(sent.remove(*name)));
        Some((method, path.to_owned(), sent))
    }

    /// What these bytes are answered with on a connection of their own.
    async fn exchange(&self, bytes: &[u8]) -> Vec<u8> {
        let exchange = async {
            let mut socket = TcpStream::connect(self.address).await?;
            // Nothing of it stays behind in the kernel.
            socket.set_zero_linger()?;
            socket.write_all(bytes).await?;
            let mut answer = Vec::new();
            while !answer.windows(4).any(|four| four == b"\r\n\r\n") {
                if socket.read_buf(&mut answer).await? == 0 {
                    break;
                }
            }
            if let Ok(read) = timeout(MOMENT, socket.read_to_end(&mut answer)).await {
                read?;
            }
            std::io::Result::Ok(answer)
        };
        let answer = timeout(LONG, exchange).await.expect("an answer in time");
        answer.expect("a connection")
    }
}

//! `snodo serve` as a child, and a client of raw HTTP/1.1 that shows what came.

use super::process::{DEADLINE, within};
use super::stdio::collect;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, ExitStatus, Stdio as Io};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

pub struct Daemon {
    child: Child,
    address: SocketAddr,
    stderr: Arc<Mutex<String>>,
    reader: Option<JoinHandle<()>>,
}

/// One HTTP answer.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Reply {
    /// The first field of this name, in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self
            .headers
            .iter()
            .find(|(field, _)| field.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The messages of a body of events.
    pub fn events(&self) -> Vec<Value> {
        assert_eq!(self.header("content-type"), Some("text/event-stream"));
        let text = self.text();
        let events = text
            .strip_suffix("\n\n")
            .unwrap_or_else(|| panic!("{text:?}"));
        events.split("\n\n").map(message_of).collect()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl Daemon {
    /// Starts the command and waits until it says where it listens.
    pub fn start(command: &mut Command) -> Self {
        Self::start_at(command, "http")
    }

    /// The same, where it serves by another scheme.
    pub fn start_at(command: &mut Command, scheme: &str) -> Self {
        Self::started(command.stdin(Io::null()).stdout(Io::null()), scheme)
    }

    /// The same, with the standard input and output that the command has.
    pub fn start_with(command: &mut Command) -> Self {
        Self::started(command, "http")
    }

    fn started(command: &mut Command, scheme: &str) -> Self {
        let serving = format!("serving {scheme}://");
        let mut child = command.stderr(Io::piped()).spawn().unwrap();
        let stderr = Arc::new(Mutex::new(String::new()));
        let reader = collect(child.stderr.take().unwrap(), Arc::clone(&stderr));
        let address = within("the server listens", || {
            let text = stderr.lock().unwrap().clone();
            if let Some(status) = child.try_wait().unwrap() {
                panic!("the server ended with {status}:\n{text}");
            }
            let rest = text.split(&*serving).nth(1)?;
            rest.split_once('/')?.0.parse().ok()
        });
        Self {
            child,
            address,
            stderr,
            reader: Some(reader),
        }
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// How many descriptors it has open.
    pub fn descriptors(&self) -> usize {
        let entries = std::fs::read_dir(format!("/proc/{}/fd", self.pid()));
        entries.unwrap().count()
    }

    /// The same once it watches its files: the watch opens the last ones.
    pub fn descriptors_at_rest(&self) -> usize {
        let threads = format!("/proc/{}/task", self.pid());
        within("it watches", || {
            let mut threads = std::fs::read_dir(&threads).unwrap().flatten();
            threads.find(|thread| {
                std::fs::read_to_string(thread.path().join("comm"))
                    .is_ok_and(|name| name.starts_with("notify"))
            })
        });
        self.descriptors()
    }

    /// A new connection.
    pub fn connect(&self) -> Connection {
        Connection::to(self.address)
    }

    /// Posts a message on a connection of its own, with the headers that a client sends.
    pub fn post(&self, message: &Value) -> Reply {
        self.connect().post(message)
    }

    /// Posts a request and gives the JSON of the answer.
    pub fn ask(&self, message: &Value) -> Value {
        self.post(message).json()
    }

    pub fn stderr(&self) -> String {
        self.stderr.lock().unwrap().clone()
    }

    /// Waits until the log holds this.
    pub fn wait_for_log(&self, text: &str) {
        within(text, || self.stderr().contains(text).then_some(()));
    }

    /// Sends a signal, such as `TERM`.
    pub fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        let status = Command::new("kill")
            .args(["-s", name, &pid])
            .status()
            .unwrap();
        assert!(status.success());
    }

    /// Waits until it has ended.
    pub fn wait(&mut self) -> ExitStatus {
        let child = &mut self.child;
        within("the server ends", || child.try_wait().unwrap())
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
    }
}

/// One TCP connection.
pub struct Connection {
    stream: BufReader<TcpStream>,
    host: String,
    /// Header lines of every request beside the usual ones.
    also: String,
}

impl Connection {
    pub fn to(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(DEADLINE)).unwrap();
        stream.set_nodelay(true).unwrap();
        Self {
            stream: BufReader::new(stream),
            host: address.to_string(),
            also: String::new(),
        }
    }

    /// Sends this header with every request.
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.also.push_str(&format!("{name}: {value}\r\n"));
        self
    }

    /// Sends an access token with every request.
    pub fn bearer(self, token: &str) -> Self {
        self.with("Authorization", &format!("Bearer {token}"))
    }

    /// Sends bytes as they are.
    pub fn send(&mut self, bytes: &[u8]) {
        self.stream.get_mut().write_all(bytes).unwrap();
    }

    /// Posts a message with the headers that a 2026-07-28 client sends.
    pub fn post(&mut self, message: &Value) -> Reply {
        self.send_message(message);
        self.reply()
    }

    /// Posts these bytes with the headers that a client sends with this message.
    pub fn post_as(&mut self, message: &Value, body: &[u8]) -> Reply {
        self.send_with(&mirrored(message), body);
        self.reply()
    }

    /// Posts a message and does not wait for the answer.
    pub fn send_message(&mut self, message: &Value) {
        self.send_with(&mirrored(message), message.to_string().as_bytes());
    }

    /// Posts a body with these headers beside Host, Accept, Content-Type and Content-Length.
    pub fn post_with(&mut self, headers: &[(&str, &str)], body: &[u8]) -> Reply {
        self.send_with(headers, body);
        self.reply()
    }

    fn send_with<V: AsRef<str>>(&mut self, headers: &[(&str, V)], body: &[u8]) {
        let mut head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nAccept: application/json, text/event-stream\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n",
            self.host,
            body.len()
        );
        for (name, value) in headers {
            head.push_str(&format!("{name}: {}\r\n", value.as_ref()));
        }
        head.push_str(&self.also);
        head.push_str("\r\n");
        let mut bytes = head.into_bytes();
        bytes.extend_from_slice(body);
        self.send(&bytes);
    }

    /// Reads one answer: head, then a body by its length or its chunks.
    pub fn reply(&mut self) -> Reply {
        let mut reply = self.head();
        if let Some(length) = reply.header("content-length") {
            reply.body = vec![0; length.parse().unwrap()];
            self.stream.read_exact(&mut reply.body).unwrap();
        } else if reply.header("transfer-encoding") == Some("chunked") {
            while let Some(chunk) = self.chunk() {
                reply.body.extend_from_slice(&chunk);
            }
        }
        reply
    }

    /// Reads the next event of an answer whose head was read; `None` at its end.
    pub fn event(&mut self) -> Option<Value> {
        let chunk = String::from_utf8(self.chunk()?).unwrap();
        let event = chunk.strip_suffix("\n\n");
        Some(message_of(event.unwrap_or_else(|| panic!("{chunk:?}"))))
    }

    /// Reads the head of an answer.
    pub fn head(&mut self) -> Reply {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            let n = self.stream.read_line(&mut line).unwrap();
            assert!(n > 0, "the connection ended inside a head: {lines:?}");
            if line == "\r\n" {
                break;
            }
            lines.push(line.trim_end().to_owned());
        }
        let status = lines[0].split(' ').nth(1).unwrap().parse().unwrap();
        let headers: Vec<(String, String)> = lines[1..]
            .iter()
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        Reply {
            status,
            headers,
            body: Vec::new(),
        }
    }

    /// The next chunk of a body; `None` at its end.
    pub fn chunk(&mut self) -> Option<Vec<u8>> {
        let mut size = String::new();
        self.stream.read_line(&mut size).unwrap();
        let size = usize::from_str_radix(size.trim_end(), 16).unwrap();
        let mut chunk = vec![0; size + 2];
        self.stream.read_exact(&mut chunk).unwrap();
        assert_eq!(chunk.split_off(size), b"\r\n");
        (size > 0).then_some(chunk)
    }

    /// Posts a message whose answer is a stream of events.
    pub fn events(mut self, message: &Value) -> Events {
        self.send_message(message);
        self.into_events()
    }

    /// Posts a body with these headers; the answer is a stream of events.
    pub fn events_with<V: AsRef<str>>(mut self, headers: &[(&str, V)], body: &[u8]) -> Events {
        self.send_with(headers, body);
        self.into_events()
    }

    /// Opens a stream of events with GET and these headers.
    pub fn get_events<V: AsRef<str>>(mut self, headers: &[(&str, V)]) -> Events {
        self.send_head("GET", headers);
        self.into_events()
    }

    fn into_events(mut self) -> Events {
        let reply = self.head();
        assert_eq!(reply.status, 200, "{:?}", reply.headers);
        assert_eq!(reply.header("content-type"), Some("text/event-stream"));
        Events {
            connection: self,
            reply,
            unread: String::new(),
        }
    }

    /// Sends a request of another method than POST, and gives the answer.
    pub fn bare<V: AsRef<str>>(&mut self, method: &str, headers: &[(&str, V)]) -> Reply {
        self.send_head(method, headers);
        self.reply()
    }

    fn send_head<V: AsRef<str>>(&mut self, method: &str, headers: &[(&str, V)]) {
        let mut head = format!("{method} /mcp HTTP/1.1\r\nHost: {}\r\n", self.host);
        for (name, value) in headers {
            head.push_str(&format!("{name}: {}\r\n", value.as_ref()));
        }
        head.push_str(&self.also);
        head.push_str("\r\n");
        self.send(head.as_bytes());
    }

    /// Reads an answer's head: its status, and whether it is a stream of events.
    pub fn begins(&mut self) -> (u16, bool) {
        let head = self.head();
        let is_stream = head.header("content-type") == Some("text/event-stream");
        (head.status, is_stream)
    }

    /// The stream itself, for whoever reads in a way of their own. Nothing must have been read.
    pub fn into_stream(self) -> TcpStream {
        self.stream.into_inner()
    }

    /// True when the server has closed the connection.
    pub fn is_closed(&mut self) -> bool {
        matches!(self.stream.read(&mut [0]), Ok(0) | Err(_))
    }
}

/// The message in an event: its one line of data.
fn message_of(event: &str) -> Value {
    let data = event.strip_prefix("event: message\ndata: ");
    let data = data.unwrap_or_else(|| panic!("{event:?}"));
    serde_json::from_str(data).unwrap_or_else(|error| panic!("{error}: {data}"))
}

/// An answer that is a stream of events.
pub struct Events {
    connection: Connection,
    pub reply: Reply,
    unread: String,
}

impl Events {
    /// The next message, comments passed over; `None` once the stream has ended as it should.
    pub fn next(&mut self) -> Option<Value> {
        loop {
            if let Some((event, rest)) = self.unread.split_once("\n\n") {
                let data = event
                    .lines()
                    .find_map(|line| line.strip_prefix("data: "))
                    .map(|data| serde_json::from_str(data).unwrap());
                self.unread = rest.to_owned();
                match data {
                    Some(message) => return Some(message),
                    None => continue,
                }
            }
            let Some(chunk) = self.connection.chunk() else {
                assert_eq!(self.unread, "", "the stream ended inside an event");
                return None;
            };
            self.unread.push_str(std::str::from_utf8(&chunk).unwrap());
        }
    }
}

/// The headers in which a client of 2026-07-28 mirrors a message.
pub(super) fn mirrored(message: &Value) -> Vec<(&'static str, String)> {
    let method = message["method"].as_str().unwrap_or_default();
    let name = match method {
        "resources/read" => &message["params"]["uri"],
        _ => &message["params"]["name"],
    };
    let version = &message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"];
    let mut headers = vec![("Mcp-Method", method.to_owned())];
    headers.extend(
        version
            .as_str()
            .map(|version| ("MCP-Protocol-Version", version.to_owned())),
    );
    headers.extend(name.as_str().map(|name| ("Mcp-Name", encoded(name))));
    headers
}

/// A value as it may stand in a header (specification: streamable-http, "Value Encoding").
fn encoded(value: &str) -> String {
    let plain = value.bytes().all(|byte| (0x20..0x7f).contains(&byte))
        && value.trim() == value
        && !value.starts_with("=?base64?");
    if plain {
        return value.to_owned();
    }
    format!("=?base64?{}?=", STANDARD.encode(value))
}

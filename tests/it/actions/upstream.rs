//! A small HTTP server on a thread of its own, whose answers a test writes byte by byte.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

/// One request as it came.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// `GET /path?query HTTP/1.1`.
    pub line: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Request {
    /// The target: `/path?query`.
    pub fn target(&self) -> &str {
        self.line.split(' ').nth(1).unwrap()
    }

    /// A field's value, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(field, _)| field == name);
        found.map(|(_, value)| value.as_str())
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }
}

/// Writes the answer to a request; the connection closes when it is done.
type Answer = dyn Fn(&Request, &mut TcpStream) + Send + Sync;

pub struct Upstream {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    stop: AtomicBool,
    accepted: AtomicUsize,
    requests: Mutex<Vec<Request>>,
}

impl Upstream {
    /// Answers every request with what this gives.
    pub fn new(answer: impl Fn(&Request) -> Vec<u8> + Send + Sync + 'static) -> Self {
        Self::raw(move |request, stream| {
            let _ = stream.write_all(&answer(request));
        })
    }

    /// Leaves the answer to every request to this.
    pub fn raw(answer: impl Fn(&Request, &mut TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared::default());
        let accepting = std::thread::spawn({
            let (shared, answer) = (Arc::clone(&shared), Arc::new(answer));
            move || accept(&listener, &shared, &(answer as Arc<Answer>))
        });
        Self {
            address,
            shared,
            accepting: Some(accepting),
        }
    }

    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// `http://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// How many connections were accepted.
    pub fn accepted(&self) -> usize {
        self.shared.accepted.load(Ordering::SeqCst)
    }

    pub fn requests(&self) -> Vec<Request> {
        self.shared.requests.lock().unwrap().clone()
    }

    /// The last request; there is one.
    pub fn last(&self) -> Request {
        self.requests().last().unwrap().clone()
    }
}

impl Drop for Upstream {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
        if let Some(accepting) = self.accepting.take() {
            let _ = accepting.join();
        }
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>, answer: &Arc<Answer>) {
    for stream in listener.incoming() {
        if shared.stop.load(Ordering::SeqCst) {
            return;
        }
        shared.accepted.fetch_add(1, Ordering::SeqCst);
        let (shared, answer) = (Arc::clone(shared), Arc::clone(answer));
        // It ends with the connection, which ends with the daemon.
        std::thread::spawn(move || serve(stream.unwrap(), &shared, &*answer));
    }
}

fn serve(stream: TcpStream, shared: &Shared, answer: &Answer) {
    let mut reader = BufReader::new(stream);
    let Some(request) = read(&mut reader) else {
        return;
    };
    shared.requests.lock().unwrap().push(request.clone());
    answer(&request, reader.get_mut());
}

/// Waits until the client has closed the connection.
pub fn until_closed(stream: &mut TcpStream) {
    while stream.read(&mut [0; 64]).is_ok_and(|read| read > 0) {}
}

fn read(reader: &mut BufReader<TcpStream>) -> Option<Request> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|n| *n > 0)?;
    let mut request = Request {
        line: line.trim_end().to_owned(),
        ..Request::default()
    };
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|n| *n > 0)?;
        let line = line.trim_end();
        let Some((name, value)) = line.split_once(':') else {
            break;
        };
        let field = (name.to_ascii_lowercase(), value.trim().to_owned());
        request.headers.push(field);
    }
    let length = request.header("content-length").unwrap_or("0");
    request.body = vec![0; length.parse().unwrap()];
    reader.read_exact(&mut request.body).ok()?;
    Some(request)
}

/// An answer: head and body.
pub fn answer(status: &str, headers: &[(&str, &str)], body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let mut head = format!(
        "HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {}\r\n",
        body.len()
    );
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    let mut bytes = head.into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

/// An answer of 200 with this type.
pub fn ok(content_type: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    answer("200 OK", &[("Content-Type", content_type)], body)
}

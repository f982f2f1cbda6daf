//! A collector as far as this server meets it: takes spans over OTLP/HTTP, and does with each request
//! what it is told.

use serde_json::Value;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// What it does with requests.
#[derive(Clone)]
pub enum Behaviour {
    /// Takes them, and says this.
    Take(&'static str),
    /// Answers with this status and these further header lines.
    Refuse(&'static str, &'static str),
    /// Reads them and says nothing.
    Hang,
}

/// A request.
#[derive(Clone, Debug)]
pub struct Request {
    pub line: String,
    pub headers: Vec<(String, String)>,
    pub body: Value,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }
}

pub struct Collector {
    address: SocketAddr,
    behaviour: Arc<Mutex<Behaviour>>,
    requests: Arc<Mutex<Vec<Request>>>,
    over: Arc<AtomicBool>,
}

impl Collector {
    pub fn start(behaviour: Behaviour) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let collector = Self {
            address: listener.local_addr().unwrap(),
            behaviour: Arc::new(Mutex::new(behaviour)),
            requests: Arc::default(),
            over: Arc::default(),
        };
        let over = Arc::clone(&collector.over);
        let (behaviour, requests) = (
            Arc::clone(&collector.behaviour),
            Arc::clone(&collector.requests),
        );
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if over.load(Ordering::SeqCst) {
                    return;
                }
                let (behaviour, requests) = (Arc::clone(&behaviour), Arc::clone(&requests));
                std::thread::spawn(move || serve(stream, &behaviour, &requests));
            }
        });
        collector
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn set(&self, behaviour: Behaviour) {
        *self.behaviour.lock().unwrap() = behaviour;
    }

    /// The requests that came, whatever became of them.
    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }

    /// The spans of all requests that came.
    pub fn spans(&self) -> Vec<Value> {
        let requests = self.requests();
        let lists = requests
            .iter()
            .filter_map(|request| {
                request.body["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array()
            })
            .flatten();
        lists.cloned().collect()
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        let _woken = TcpStream::connect(self.address);
    }
}

/// What an attribute of a span, or of a resource, says.
pub fn attribute<'a>(of: &'a Value, key: &str) -> Option<&'a str> {
    let all = of["attributes"].as_array().unwrap();
    let mut found = all.iter().filter(|attribute| attribute["key"] == key);
    let value = found.next()?["value"]["stringValue"].as_str();
    assert!(found.next().is_none(), "`{key}` is said twice: {of}");
    value
}

fn serve(stream: TcpStream, behaviour: &Mutex<Behaviour>, requests: &Mutex<Vec<Request>>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut stream = stream;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 {
            return;
        }
        let mut headers = Vec::new();
        loop {
            let mut field = String::new();
            if reader.read_line(&mut field).unwrap_or(0) == 0 {
                return;
            }
            let Some((name, value)) = field.trim_end().split_once(": ") else {
                break;
            };
            headers.push((name.to_ascii_lowercase(), value.to_owned()));
        }
        let mut request = Request {
            line: line.trim_end().to_owned(),
            headers,
            body: Value::Null,
        };
        let length = request.header("content-length").unwrap_or("0");
        let mut body = vec![0; length.parse().unwrap()];
        if reader.read_exact(&mut body).is_err() {
            return;
        }
        request.body = serde_json::from_slice(&body).unwrap_or_default();
        requests.lock().unwrap().push(request);
        let behaviour = behaviour.lock().unwrap().clone();
        let (status, also, body) = match behaviour {
            Behaviour::Take(body) => ("200 OK", "", body),
            Behaviour::Refuse(status, also) => (status, also, ""),
            Behaviour::Hang => {
                // Until the other side gives up.
                let _ended = reader.read_line(&mut String::new());
                return;
            }
        };
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: application/json\r\n{also}Content-Length: {}\r\n\r\n",
            body.len()
        );
        if stream
            .write_all(format!("{head}{body}").as_bytes())
            .is_err()
        {
            return;
        }
    }
}

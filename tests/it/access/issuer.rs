//! An authorization server as far as this server meets it: documents and keys over HTTP, and tokens
//! signed with them. What it answers can be changed while it runs.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

/// A key to sign with.
pub struct Key {
    id: &'static str,
    pair: EcdsaKeyPair,
}

impl Key {
    pub fn new(id: &'static str) -> Self {
        let random = SystemRandom::new();
        let algorithm = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let document = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
        let pair = EcdsaKeyPair::from_pkcs8(algorithm, document.as_ref(), &random).unwrap();
        Self { id, pair }
    }

    /// What a key set says of it.
    pub fn public(&self) -> Value {
        let point = &self.pair.public_key().as_ref()[1..];
        json!({
            "kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": self.id,
            "x": URL_SAFE_NO_PAD.encode(&point[..32]),
            "y": URL_SAFE_NO_PAD.encode(&point[32..]),
        })
    }

    /// A token that says this.
    pub fn sign(&self, claims: &Value) -> String {
        self.sign_as(
            &json!({ "alg": "ES256", "typ": "at+jwt", "kid": self.id }),
            claims,
        )
    }

    /// A token with this header.
    pub fn sign_as(&self, header: &Value, claims: &Value) -> String {
        let encode = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let message = format!("{}.{}", encode(header), encode(claims));
        let signature = self.pair.sign(&SystemRandom::new(), message.as_bytes());
        let signature = URL_SAFE_NO_PAD.encode(signature.unwrap().as_ref());
        format!("{message}.{signature}")
    }
}

/// Seconds since 1970.
pub fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.unwrap().as_secs()
}

/// What it does with a request.
#[derive(Clone)]
pub enum Behaviour {
    /// Answers with these documents, by path; others are not found.
    Answer(Vec<(&'static str, String)>),
    /// Takes the request and says nothing.
    Hang,
    /// Answers with this status and this text to everything.
    Say(&'static str, String),
}

pub struct Issuer {
    address: SocketAddr,
    behaviour: Arc<Mutex<Behaviour>>,
    asked: Arc<Mutex<Vec<String>>>,
    over: Arc<AtomicBool>,
}

impl Issuer {
    /// With these keys, and a document that says where they are.
    pub fn start(keys: &[&Key]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let issuer = Self {
            address: listener.local_addr().unwrap(),
            behaviour: Arc::new(Mutex::new(Behaviour::Hang)),
            asked: Arc::default(),
            over: Arc::default(),
        };
        issuer.has(keys);
        let (behaviour, asked) = (Arc::clone(&issuer.behaviour), Arc::clone(&issuer.asked));
        let over = Arc::clone(&issuer.over);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if over.load(Ordering::SeqCst) {
                    return;
                }
                let (behaviour, asked) = (Arc::clone(&behaviour), Arc::clone(&asked));
                std::thread::spawn(move || serve(stream, &behaviour, &asked));
            }
        });
        issuer
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// From now on it has these keys.
    pub fn has(&self, keys: &[&Key]) {
        let keys: Vec<Value> = keys.iter().map(|key| key.public()).collect();
        let document = json!({ "issuer": self.url(), "jwks_uri": format!("{}/keys", self.url()) });
        self.set(Behaviour::Answer(vec![
            ("/.well-known/openid-configuration", document.to_string()),
            ("/keys", json!({ "keys": keys }).to_string()),
        ]));
    }

    pub fn set(&self, behaviour: Behaviour) {
        *self.behaviour.lock().unwrap() = behaviour;
    }

    /// The paths that were asked for.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }

    /// What a good token of this caller says.
    pub fn claims(&self, subject: &str, scope: &str) -> Value {
        json!({
            "iss": self.url(), "aud": super::oauth::RESOURCE, "sub": subject, "scope": scope,
            "exp": now() + 600, "iat": now(), "client_id": "c",
        })
    }
}

impl Drop for Issuer {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        let _woken = TcpStream::connect(self.address);
    }
}

fn serve(stream: TcpStream, behaviour: &Mutex<Behaviour>, asked: &Mutex<Vec<String>>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut line = String::new();
    let _read = reader.read_line(&mut line);
    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
    loop {
        let mut field = String::new();
        if reader.read_line(&mut field).unwrap_or(0) == 0 || field == "\r\n" {
            break;
        }
    }
    if path.is_empty() {
        return;
    }
    asked.lock().unwrap().push(path.clone());
    let behaviour = behaviour.lock().unwrap().clone();
    let (status, body) = match behaviour {
        Behaviour::Answer(documents) => {
            match documents.into_iter().find(|(known, _)| *known == path) {
                Some((_, body)) => ("200 OK", body),
                None => ("404 Not Found", String::new()),
            }
        }
        Behaviour::Say(status, body) => (status, body),
        Behaviour::Hang => {
            // Until the other side gives up.
            let _ended = reader.read_line(&mut String::new());
            return;
        }
    };
    let mut stream = stream;
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n",
        body.len()
    );
    let _gone = stream.write_all(head.as_bytes());
    let _gone = stream.write_all(body.as_bytes());
}

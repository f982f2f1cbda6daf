//! HTTP/2 by prior knowledge.

use super::Daemon;
use super::http::mirrored;
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http2::Builder;
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::Value;

/// What HTTP/2 gives a stream unless told otherwise (RFC 9113 §6.9.2), in bytes.
const WINDOW: u32 = 65_535;

impl Daemon {
    /// Posts a request by HTTP/2 with the headers that a client sends, and gives the answer's head and
    /// body.
    pub fn post_over_two(&self, message: &Value) -> (http::response::Parts, Bytes) {
        self.post_through(message, WINDOW)
    }

    /// The same by a client that has room for this many bytes at a time.
    pub fn post_through(&self, message: &Value, window: u32) -> (http::response::Parts, Bytes) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let mut request = hyper::Request::post(format!("http://{}/mcp", self.address()))
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream");
        for (name, value) in mirrored(message) {
            request = request.header(name, value);
        }
        let request = request.body(Full::new(Bytes::from(message.to_string())));
        runtime.block_on(async {
            let socket = tokio::net::TcpStream::connect(self.address()).await;
            let (mut client, connection) = Builder::new(TokioExecutor::new())
                .initial_stream_window_size(window)
                .handshake(TokioIo::new(socket.unwrap()))
                .await
                .unwrap();
            tokio::spawn(connection);
            let answer = client.send_request(request.unwrap()).await.unwrap();
            let (head, body) = answer.into_parts();
            (head, body.collect().await.unwrap().to_bytes())
        })
    }
}

//! A bare hyper server of event streams: one event, then silence.

use super::server::port;
use bytes::Bytes;
use http_body_util::{BodyExt as _, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use std::convert::Infallible;
use std::ffi::OsString;
use tokio::net::TcpListener;

const EVENT: &str = "event: message\ndata: {\"acknowledged\":true}\n\n";

/// `listening PORT`.
pub(super) async fn serve(arguments: &[OsString]) {
    let listener = TcpListener::bind(("127.0.0.1", port(arguments)))
        .await
        .expect("the port is free");
    loop {
        let (stream, _) = listener.accept().await.expect("a connection");
        tokio::spawn(async move {
            let service = service_fn(async |request: Request<Incoming>| {
                let body = request.into_body().collect().await?.to_bytes();
                let parsed: serde_json::Value = serde_json::from_slice(&body).expect("JSON");
                std::hint::black_box(&parsed);
                // A channel as whoever tells of changes would have one.
                let (sender, mut events) = tokio::sync::mpsc::channel::<Bytes>(8);
                let _taken = sender.try_send(Bytes::from_static(EVENT.as_bytes()));
                let next = futures_util::stream::poll_fn(move |context| {
                    let _open = &sender;
                    events
                        .poll_recv(context)
                        .map(|event| Some(Ok::<_, Infallible>(Frame::data(event?))))
                });
                let response = Response::builder()
                    .header("content-type", "text/event-stream")
                    .body(StreamBody::new(next));
                Ok::<_, hyper::Error>(response.expect("a response"))
            });
            let _ended = http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}

//! A bare hyper server: HTTP/1.1, one thread, a handler that gets the parsed body.

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::http::request::Parts;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use std::ffi::OsString;
use std::future::Future;
use std::rc::Rc;
use tokio::net::TcpListener;
use tokio::task::LocalSet;

/// Runs this on a runtime of one thread.
pub(super) fn run(work: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(work);
}

/// The port that the arguments begin with.
pub(super) fn port(arguments: &[OsString]) -> u16 {
    let port = arguments
        .first()
        .and_then(|port| port.to_str()?.parse().ok());
    port.expect("a port")
}

/// The argument after the port, as a file that is read.
pub(super) fn file(arguments: &[OsString], index: usize) -> Vec<u8> {
    std::fs::read(arguments.get(index).expect("a file")).expect("it can be read")
}

/// Serves with the handler that this makes of the arguments.
pub(super) fn serve<Make, Handle, Answer>(arguments: &[OsString], make: Make)
where
    Make: FnOnce(&[OsString]) -> Handle,
    Handle: Fn(Parts, Value) -> Answer + 'static,
    Answer: Future<Output = Bytes> + 'static,
{
    let local = LocalSet::new();
    run(local.run_until(async {
        let handle = Rc::new(make(arguments));
        let listener = TcpListener::bind(("127.0.0.1", port(arguments)))
            .await
            .expect("the port is free");
        loop {
            let (stream, _) = listener.accept().await.expect("a connection");
            let _best_effort = stream.set_nodelay(true);
            let handle = Rc::clone(&handle);
            tokio::task::spawn_local(async move {
                let service = service_fn(move |request| answer(Rc::clone(&handle), request));
                let _ended = http1::Builder::new()
                    .serve_connection(TokioIo::new(stream), service)
                    .await;
            });
        }
    }));
}

async fn answer<Handle, Answer>(
    handle: Rc<Handle>,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, hyper::Error>
where
    Handle: Fn(Parts, Value) -> Answer,
    Answer: Future<Output = Bytes>,
{
    let (head, body) = request.into_parts();
    let body = body.collect().await?.to_bytes();
    let parsed = serde_json::from_slice(&body).expect("JSON");
    let body = handle(head, parsed).await;
    let response = Response::builder()
        .header("content-type", "application/json")
        .body(Full::new(body));
    Ok(response.expect("a response"))
}

//! The tool `greet` as the Rust SDK (rmcp) serves it: Streamable HTTP, stateless, answers in JSON.
//!
//!     snodo-bench-rmcp PORT

use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{tool, tool_router};
use std::io;
use std::sync::Arc;
use tokio::net::TcpListener;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Person {
    name: String,
    age: i64,
    city: String,
    #[allow(dead_code)]
    tags: Vec<String>,
}

#[derive(Clone)]
struct Greeter;

#[tool_router(server_handler)]
impl Greeter {
    #[tool(description = "Greets somebody")]
    fn greet(&self, Parameters(person): Parameters<Person>) -> String {
        format!(
            "Hello, {}! You are {} years old and live in {}.",
            person.name, person.age, person.city
        )
    }
}

fn main() -> io::Result<()> {
    let port = std::env::args()
        .nth(1)
        .and_then(|port| port.parse().ok())
        .ok_or_else(|| io::Error::other("a port is needed"))?;
    // It has one core, as the others in the bench.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(serve(port))
}

async fn serve(port: u16) -> io::Result<()> {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_sse_keep_alive(None);
    let sessions = Arc::new(LocalSessionManager::default());
    let service = StreamableHttpService::new(|| Ok(Greeter), sessions, config);
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let service = TowerToHyperService::new(service.clone());
        tokio::spawn(async move {
            let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
            let _ended = connection.await;
        });
    }
}

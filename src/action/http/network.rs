//! Names to addresses and addresses to connections: the part of the client that meets the system.

use futures_util::future::BoxFuture;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use tokio::net::TcpStream;
use tokio::sync::Semaphore;

/// The network as the client sees it. A test puts another in its place, to say where a name leads
/// and to see what is connected to.
pub trait Network: Send + Sync + 'static {
    /// All addresses of a host name, each with `port`. Not asked about hosts that are addresses.
    fn resolve<'a>(
        &'a self,
        name: &'a str,
        port: u16,
    ) -> BoxFuture<'a, io::Result<Vec<SocketAddr>>>;

    /// A TCP connection to exactly this address.
    fn connect(&self, address: SocketAddr) -> BoxFuture<'_, io::Result<TcpStream>>;
}

/// The machine's resolver and its TCP. Proxy environment variables mean nothing to it.
#[derive(Debug)]
pub struct SystemNetwork {
    lookups: Arc<Semaphore>,
}

impl SystemNetwork {
    /// `getaddrinfo` blocks a thread and cannot be stopped: so many at once, so that a dead DNS
    /// server does not take every thread the process has for blocking work.
    const LOOKUPS: usize = 32;

    /// Ready for use.
    pub fn new() -> Self {
        Self {
            lookups: Arc::new(Semaphore::new(Self::LOOKUPS)),
        }
    }
}

impl Default for SystemNetwork {
    fn default() -> Self {
        Self::new()
    }
}

impl Network for SystemNetwork {
    fn resolve<'a>(
        &'a self,
        name: &'a str,
        port: u16,
    ) -> BoxFuture<'a, io::Result<Vec<SocketAddr>>> {
        Box::pin(async move {
            let permit = Arc::clone(&self.lookups)
                .acquire_owned()
                .await
                .map_err(io::Error::other)?;
            let name = name.to_owned();
            tokio::task::spawn_blocking(move || {
                // Held until the thread is free again, also when nobody waits any more.
                let _permit = permit;
                (name.as_str(), port)
                    .to_socket_addrs()
                    .map(Iterator::collect)
            })
            .await
            .map_err(io::Error::other)?
        })
    }

    fn connect(&self, address: SocketAddr) -> BoxFuture<'_, io::Result<TcpStream>> {
        Box::pin(async move {
            let stream = TcpStream::connect(address).await?;
            stream.set_nodelay(true)?;
            Ok(stream)
        })
    }
}

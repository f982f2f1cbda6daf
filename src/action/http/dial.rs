//! From a host to a TCP connection: resolve, check, connect to the very addresses that were checked.

use super::address::is_global;
use super::error::Fault;
use super::network::Network;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::timeout;
use url::Host;

/// How long a name may take to resolve, and its addresses to connect.
const RESOLVE: Duration = Duration::from_secs(5);
pub(super) const CONNECT: Duration = Duration::from_secs(5);
/// How long an address is tried before the next is tried beside it (RFC 8305 §5).
const STAGGER: Duration = Duration::from_millis(250);
/// How many addresses of a name are tried.
const ADDRESSES: usize = 8;

/// Which addresses may be connected to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// Any.
    Any,
    /// Those of the public Internet. One other among a name's addresses and the name is refused:
    /// it belongs to somebody who plays with names.
    Public,
}

/// A connection to the host. Bounded by [`RESOLVE`] and [`CONNECT`]; nothing is connected to when
/// an address is refused.
pub(super) async fn dial(
    network: &dyn Network,
    reach: Reach,
    host: &Host<String>,
    port: u16,
) -> Result<TcpStream, Fault> {
    let addresses = match host {
        Host::Ipv4(address) => vec![SocketAddr::new(IpAddr::V4(*address), port)],
        Host::Ipv6(address) => vec![SocketAddr::new(IpAddr::V6(*address), port)],
        Host::Domain(name) => timeout(RESOLVE, network.resolve(name, port))
            .await
            .ok()
            .and_then(Result::ok)
            .ok_or(Fault::Resolve)?,
    };
    if reach == Reach::Public && !addresses.iter().all(|address| is_global(address.ip())) {
        return Err(Fault::AddressNotAllowed);
    }
    let order = interleave(addresses);
    match timeout(CONNECT, race(network, order)).await {
        Ok(outcome) => outcome,
        Err(_) => Err(Fault::ConnectTimeout(CONNECT)),
    }
}

/// The families in turn, beginning with that of the first address (RFC 8305 §4).
fn interleave(addresses: Vec<SocketAddr>) -> Vec<SocketAddr> {
    let first_is_v6 = addresses.first().is_some_and(SocketAddr::is_ipv6);
    let (own, other): (Vec<_>, Vec<_>) = addresses
        .into_iter()
        .partition(|address| address.is_ipv6() == first_is_v6);
    let mut other = other.into_iter();
    let mut order: Vec<_> = own
        .into_iter()
        .flat_map(|address| [Some(address), other.next()])
        .flatten()
        .collect();
    order.extend(other);
    order.truncate(ADDRESSES);
    order
}

/// The first connection that stands. The next address is tried when one fails or is slow.
async fn race(network: &dyn Network, order: Vec<SocketAddr>) -> Result<TcpStream, Fault> {
    let mut waiting = order.into_iter();
    let mut tries = FuturesUnordered::new();
    let mut fault = Fault::Resolve;
    loop {
        match waiting.next() {
            Some(address) => tries.push(network.connect(address)),
            None if tries.is_empty() => return Err(fault),
            None => {}
        }
        let ended = if waiting.len() == 0 {
            tries.next().await
        } else {
            timeout(STAGGER, tries.next()).await.unwrap_or_default()
        };
        match ended {
            Some(Ok(stream)) => return Ok(stream),
            Some(Err(error)) => fault = connect_fault(&error),
            None => {}
        }
    }
}

fn connect_fault(error: &io::Error) -> Fault {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => Fault::Refused,
        io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable => Fault::Unreachable,
        io::ErrorKind::TimedOut => Fault::ConnectTimeout(CONNECT),
        kind => Fault::Connect(kind),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::future::BoxFuture;
    use std::sync::Mutex;

    /// Says what each address does, and notes in which order and when they were tried.
    struct Scripted {
        hangs: Vec<SocketAddr>,
        tried: Mutex<Vec<(SocketAddr, Duration)>>,
        begun: tokio::time::Instant,
    }

    impl Scripted {
        fn new(hangs: &[&str]) -> Self {
            Self {
                hangs: addresses(hangs),
                tried: Mutex::default(),
                begun: tokio::time::Instant::now(),
            }
        }

        fn tried(self) -> Vec<(SocketAddr, u128)> {
            let tried = self.tried.into_inner().expect("no panic");
            tried
                .into_iter()
                .map(|(address, at)| (address, at.as_millis()))
                .collect()
        }
    }

    impl Network for Scripted {
        fn resolve<'a>(
            &'a self,
            name: &'a str,
            _: u16,
        ) -> BoxFuture<'a, io::Result<Vec<SocketAddr>>> {
            Box::pin(async move {
                match name {
                    "slow" => std::future::pending().await,
                    "none" => Ok(Vec::new()),
                    "mixed" => Ok(addresses(&["1.1.1.1:80", "10.0.0.1:80"])),
                    _ => Err(io::ErrorKind::NotFound.into()),
                }
            })
        }

        fn connect(&self, address: SocketAddr) -> BoxFuture<'_, io::Result<TcpStream>> {
            let at = self.begun.elapsed();
            self.tried.lock().expect("no panic").push((address, at));
            Box::pin(async move {
                if self.hangs.contains(&address) {
                    std::future::pending().await
                } else {
                    Err(io::ErrorKind::ConnectionRefused.into())
                }
            })
        }
    }

    fn addresses(texts: &[&str]) -> Vec<SocketAddr> {
        texts
            .iter()
            .map(|text| text.parse().expect("an address"))
            .collect()
    }

    async fn dial_name(network: &Scripted, reach: Reach, name: &str) -> Fault {
        let host = Host::Domain(name.to_owned());
        dial(network, reach, &host, 80)
            .await
            .expect_err("nothing connects")
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_address_is_passed_after_a_quarter_second_and_a_dead_one_at_once() {
        let network = Scripted::new(&["1.1.1.1:1", "1.1.1.1:3"]);
        let order = addresses(&["1.1.1.1:1", "1.1.1.1:2", "1.1.1.1:3", "1.1.1.1:4"]);
        let outcome = timeout(CONNECT, race(&network, order.clone())).await;
        assert!(outcome.is_err(), "two addresses hang");
        let expected: Vec<_> = order.into_iter().zip([0, 250, 250, 500]).collect();
        assert_eq!(network.tried(), expected);
    }

    #[tokio::test(start_paused = true)]
    async fn addresses_that_hang_end_in_a_connect_timeout() {
        let network = Scripted::new(&["10.0.0.1:80", "1.1.1.1:80"]);
        let fault = dial_name(&network, Reach::Any, "mixed").await;
        assert_eq!(fault, Fault::ConnectTimeout(CONNECT));
        assert_eq!(network.begun.elapsed(), CONNECT);
    }

    #[tokio::test(start_paused = true)]
    async fn one_private_address_refuses_the_name_and_nothing_is_tried() {
        let network = Scripted::new(&[]);
        let fault = dial_name(&network, Reach::Public, "mixed").await;
        assert_eq!(fault, Fault::AddressNotAllowed);
        assert_eq!(network.tried(), []);
    }

    #[tokio::test(start_paused = true)]
    async fn names_without_addresses_do_not_resolve() {
        let network = Scripted::new(&[]);
        for (name, after) in [("unknown", 0), ("none", 0), ("slow", 5)] {
            assert_eq!(
                dial_name(&network, Reach::Public, name).await,
                Fault::Resolve
            );
            assert_eq!(
                network.begun.elapsed(),
                Duration::from_secs(after),
                "{name}"
            );
        }
    }

    #[test]
    fn families_take_turns() {
        let order = interleave(addresses(&["[::1]:1", "[::2]:1", "[::3]:1", "1.1.1.1:1"]));
        assert_eq!(
            order,
            addresses(&["[::1]:1", "1.1.1.1:1", "[::2]:1", "[::3]:1"])
        );
        let order = interleave(addresses(&["1.1.1.1:1", "[::1]:1", "[::2]:1"]));
        assert_eq!(order, addresses(&["1.1.1.1:1", "[::1]:1", "[::2]:1"]));
        let many: Vec<SocketAddr> = (1..100).map(|port| ([1, 1, 1, 1], port).into()).collect();
        assert_eq!(interleave(many).len(), ADDRESSES);
    }
}

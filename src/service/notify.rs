//! Messages to a service manager: the protocol of sd_notify(3), without its library.

use rustix::time::{ClockId, clock_gettime};
use std::fmt::Write as _;
use std::io;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long a message may wait for room in the manager's queue. Whoever sends one is not held up
/// for longer; the next message says what counts by then.
const PATIENCE: Duration = Duration::from_millis(250);

/// Tells the service manager how the server is, if there is one that wants to know. Clones are one.
#[derive(Clone, Debug, Default)]
pub struct Notifier(Option<Arc<Line>>);

#[derive(Debug)]
struct Line {
    socket: UnixDatagram,
    to: SocketAddr,
    /// The last message did not get through, and that was said.
    failing: AtomicBool,
}

/// Why `NOTIFY_SOCKET` cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("cannot tell the service manager anything: `NOTIFY_SOCKET` is `{address}`: {reason}")]
pub struct NotifyError {
    address: String,
    reason: io::Error,
}

impl Notifier {
    /// For the value of `NOTIFY_SOCKET`: a path, or `@` and the name of an abstract socket. Without
    /// one, nobody is told anything.
    ///
    /// # Errors
    /// The value is neither, or there is no socket to send from.
    pub fn new(address: Option<&str>) -> Result<Self, NotifyError> {
        let Some(address) = address.filter(|address| !address.is_empty()) else {
            return Ok(Self::default());
        };
        let line = Line::to(address).map_err(|reason| NotifyError {
            address: address.to_owned(),
            reason,
        })?;
        Ok(Self(Some(Arc::new(line))))
    }

    /// Whether anybody is told.
    pub fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// The server serves; after [`Notifier::reloading`], that the reload is over, well or not.
    pub fn ready(&self, status: &str) {
        self.send("READY=1", Some(status));
    }

    /// A reload that the manager asked for has begun.
    pub fn reloading(&self) {
        let now = clock_gettime(ClockId::Monotonic);
        let usec = now.tv_sec.saturating_mul(1_000_000) + now.tv_nsec / 1_000;
        self.send(&format!("RELOADING=1\nMONOTONIC_USEC={usec}"), None);
    }

    /// The server stops.
    pub fn stopping(&self, status: &str) {
        self.send("STOPPING=1", Some(status));
    }

    /// What `systemctl status` shows.
    pub fn status(&self, status: &str) {
        self.send("", Some(status));
    }

    /// The server is alive.
    pub fn alive(&self) {
        self.send("WATCHDOG=1", None);
    }

    /// A manager that does not listen is said once and is no reason to stop.
    fn send(&self, state: &str, status: Option<&str>) {
        let Some(line) = &self.0 else { return };
        let mut message = String::from(state);
        if let Some(status) = status {
            let begin = if state.is_empty() { "" } else { "\n" };
            // A line end would begin another assignment.
            let status = status.replace(['\n', '\r'], " ");
            let _infallible = write!(message, "{begin}STATUS={status}");
        }
        match line.socket.send_to_addr(message.as_bytes(), &line.to) {
            Ok(_) => line.failing.store(false, Ordering::Relaxed),
            Err(error) => {
                if !line.failing.swap(true, Ordering::Relaxed) {
                    tracing::warn!(%error, "cannot tell the service manager how the server is");
                }
            }
        }
    }
}

impl Line {
    fn to(address: &str) -> io::Result<Self> {
        let to = match address.strip_prefix('@') {
            Some(name) => abstract_address(name)?,
            None if address.starts_with('/') => SocketAddr::from_pathname(address)?,
            None => {
                let what = "neither a path nor an abstract socket";
                return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
            }
        };
        let socket = UnixDatagram::unbound()?;
        socket.set_write_timeout(Some(PATIENCE))?;
        Ok(Self {
            socket,
            to,
            failing: AtomicBool::new(false),
        })
    }
}

#[cfg(target_os = "linux")]
fn abstract_address(name: &str) -> io::Result<SocketAddr> {
    use std::os::linux::net::SocketAddrExt as _;
    SocketAddr::from_abstract_name(name)
}

#[cfg(not(target_os = "linux"))]
fn abstract_address(_: &str) -> io::Result<SocketAddr> {
    let what = "only Linux has abstract sockets";
    Err(io::Error::new(io::ErrorKind::Unsupported, what))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(socket: &UnixDatagram) -> String {
        let mut bytes = [0; 512];
        let length = socket.recv(&mut bytes).unwrap();
        String::from_utf8(bytes[..length].to_vec()).unwrap()
    }

    #[test]
    fn each_message_is_one_datagram_of_assignments() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notify");
        let socket = UnixDatagram::bind(&path).unwrap();
        let notifier = Notifier::new(path.to_str()).unwrap();
        notifier.ready("1 tool\nEXTRA=1");
        assert_eq!(heard(&socket), "READY=1\nSTATUS=1 tool EXTRA=1");
        notifier.status("fine");
        assert_eq!(heard(&socket), "STATUS=fine");
        notifier.alive();
        assert_eq!(heard(&socket), "WATCHDOG=1");
        notifier.reloading();
        let reloading = heard(&socket);
        let usec = reloading.strip_prefix("RELOADING=1\nMONOTONIC_USEC=");
        assert!(usec.unwrap().parse::<u64>().unwrap() > 0, "{reloading}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn abstract_sockets_are_reached() {
        let name = format!("snodo-test-{}", std::process::id());
        let address = abstract_address(&name).unwrap();
        let socket = UnixDatagram::bind_addr(&address).unwrap();
        let notifier = Notifier::new(Some(&format!("@{name}"))).unwrap();
        notifier.stopping("bye");
        assert_eq!(heard(&socket), "STOPPING=1\nSTATUS=bye");
    }

    #[test]
    fn nobody_is_told_without_an_address_and_a_bad_one_is_named() {
        assert!(!Notifier::new(None).unwrap().is_on());
        assert!(!Notifier::new(Some("")).unwrap().is_on());
        Notifier::default().ready("x");
        let error = Notifier::new(Some("vsock:2:1234")).unwrap_err();
        assert!(error.to_string().contains("`vsock:2:1234`"), "{error}");
    }

    #[test]
    fn a_manager_that_is_gone_or_deaf_holds_nobody_up() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notify");
        let notifier = Notifier::new(path.to_str()).unwrap();
        notifier.ready("nobody is there");
        let _deaf = UnixDatagram::bind(&path).unwrap();
        let begun = std::time::Instant::now();
        let mut sent = 0;
        while !notifier.0.as_ref().unwrap().failing.load(Ordering::Relaxed) || sent == 0 {
            notifier.alive();
            sent += 1;
            assert!(sent < 100_000, "the queue never filled");
        }
        assert!(begun.elapsed() < Duration::from_secs(10));
    }
}

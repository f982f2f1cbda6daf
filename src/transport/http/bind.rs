//! Opening the listening sockets, with errors that say what to do.

use super::guard::Scheme;
use super::guard::{HostRule, Name, OriginRule, is_loopback};
use super::moving::Move;
use super::passed::{self, Passed};
use super::tls::Certificate;
use super::unix::SocketFile;
use crate::model::{HttpSettings, Listen};
use crate::telemetry::Metrics;
use crate::units::Time;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpSocket, UnixListener};
use tokio::sync::mpsc;

/// Connections that the kernel holds until they are accepted.
pub(super) const BACKLOG: u32 = 1024;
/// How long a name may take to resolve.
const RESOLVING: Duration = Duration::from_secs(10);

/// Sockets that listen. Connections wait in their backlog until [`Listener::serve`].
#[derive(Debug)]
pub struct Listener {
    pub(super) doors: Vec<Door>,
    pub(super) addresses: Vec<LocalAddr>,
    pub(super) origins: OriginRule,
    /// `None` where only reports are served.
    pub(super) path: Option<String>,
    pub(super) metrics: Metrics,
    pub(super) settings: HttpSettings,
    /// Where [`Listen::Passed`] finds its sockets.
    pub(super) passed: Passed,
    /// What TCP sockets show, when they speak TLS.
    pub(super) certificate: Option<Certificate>,
    /// Where else to listen, when somebody can say so.
    pub(super) moved: Option<mpsc::Receiver<Move>>,
}

/// One listening socket and the names it may be called by.
#[derive(Debug)]
pub(super) struct Door {
    /// As configured; a name may have become several doors.
    pub(super) place: Listen,
    pub(super) socket: Acceptor,
    pub(super) hosts: Arc<HostRule>,
}

/// A listening socket.
#[derive(Debug)]
pub(super) enum Acceptor {
    Tcp(TcpListener),
    /// The file goes first: while it is there, somebody listens. A passed socket's is not ours.
    Unix(
        #[expect(dead_code, reason = "dropping it removes the file")] Option<SocketFile>,
        UnixListener,
    ),
    /// Fails with these errors, the last first.
    #[cfg(test)]
    Failing(std::sync::Mutex<Vec<i32>>),
}

/// Where a listener is bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LocalAddr {
    /// A TCP address, with the port that the system chose if it was asked to.
    Tcp(SocketAddr),
    /// The path of a Unix socket.
    Unix(PathBuf),
}

impl fmt::Display for LocalAddr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(f),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

/// Why a listener could not be opened. Every message names the address or the setting.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BindError {
    /// `listen` is empty.
    #[error("nowhere to listen; name at least one address in `http.listen`")]
    Nowhere,
    /// `path` is not a path.
    #[error("`{0}` is not a path; `http.path` begins with `/` and has no `?`, `#`, `*` or blank")]
    Path(String),
    /// An entry of `allowed_origins` that no browser would send.
    #[error(
        "`{0}` is not an origin; write `https://app.example.com` or `*` in `http.allowed_origins`"
    )]
    Origin(String),
    /// An entry of `allowed_hosts` that is not a host.
    #[error(
        "`{0}` is not a host; write `mcp.example.com`, `mcp.example.com:8080` or `*` in `http.allowed_hosts`"
    )]
    Host(String),
    /// A name that does not resolve, or not in time.
    #[error("cannot find the address of `{address}` for `http.listen`: {reason}")]
    Resolve {
        /// As configured.
        address: String,
        /// The resolver's word.
        reason: String,
    },
    /// The address is taken.
    #[error(
        "cannot listen on `{address}`: another program, or another entry of `http.listen`, listens there; stop it or choose another address"
    )]
    InUse {
        /// As configured.
        address: String,
    },
    /// The address needs privileges.
    #[error(
        "cannot listen on `{address}`: permission denied; choose a port from 1024 or a folder you may write to, or grant the right (CAP_NET_BIND_SERVICE)"
    )]
    Denied {
        /// As configured.
        address: String,
    },
    /// The address is not this machine's.
    #[error(
        "cannot listen on `{address}`: this machine has no such address; `0.0.0.0` is all of its IPv4 addresses"
    )]
    Absent {
        /// As configured.
        address: String,
    },
    /// Something that is not a socket lies where the socket should.
    #[error(
        "cannot listen on `{address}`: a file that is not a socket is there; move it or choose another path"
    )]
    NotASocket {
        /// As configured.
        address: String,
    },
    /// The folder of a Unix socket is not there.
    #[error("cannot listen on `{address}`: the folder of the socket does not exist; make it first")]
    NoFolder {
        /// As configured.
        address: String,
    },
    /// No socket, or none of that name, was passed by a service manager.
    #[error(
        "cannot listen on `{address}`: the service manager passed no such socket; start the server by a socket unit, and name the socket as that unit does"
    )]
    NotPassed {
        /// As configured.
        address: String,
    },
    /// Anything else.
    #[error("cannot listen on `{address}`: {reason}")]
    Io {
        /// As configured.
        address: String,
        /// The system's error.
        reason: io::Error,
    },
}

impl BindError {
    /// Gives the system's error its address and its advice.
    pub(super) fn new(address: &impl fmt::Display, reason: io::Error) -> Self {
        let address = address.to_string();
        match reason.kind() {
            io::ErrorKind::AddrInUse => Self::InUse { address },
            io::ErrorKind::PermissionDenied => Self::Denied { address },
            io::ErrorKind::AddrNotAvailable => Self::Absent { address },
            io::ErrorKind::NotFound => Self::NoFolder { address },
            _ => Self::Io { address, reason },
        }
    }
}

impl Listener {
    /// Checks the settings and opens every socket, or none. A Unix socket that an earlier process
    /// left behind is replaced if nobody listens on it; the new one has the settings' mode and is removed
    /// when the listener is dropped.
    ///
    /// # Errors
    /// [`BindError`]; what had been opened is closed again.
    pub async fn bind(settings: &HttpSettings) -> Result<Self, BindError> {
        Self::bind_with(settings, Passed::default()).await
    }

    /// The same, with the sockets that were passed to the process.
    ///
    /// # Errors
    /// [`BindError`]; what had been opened is closed again.
    pub async fn bind_with(settings: &HttpSettings, passed: Passed) -> Result<Self, BindError> {
        let listener = Self::open(settings, passed).await?;
        listener.warn();
        Ok(listener)
    }

    /// A listener that takes no messages, only questions how the server is, metrics included.
    ///
    /// # Errors
    /// As [`Listener::bind`].
    pub async fn bind_reports(settings: &HttpSettings, passed: Passed) -> Result<Self, BindError> {
        let mut listener = Self::open(settings, passed).await?;
        listener.path = None;
        Ok(listener)
    }

    async fn open(settings: &HttpSettings, passed: Passed) -> Result<Self, BindError> {
        let origins = OriginRule::new(&settings.allowed_origins).map_err(BindError::Origin)?;
        let mut names = Vec::new();
        for entry in &settings.allowed_hosts {
            names.push(Name::parse(entry).ok_or_else(|| BindError::Host(entry.clone()))?);
        }
        let mut listener = Self {
            doors: Vec::new(),
            addresses: Vec::new(),
            origins,
            path: Some(endpoint_path(&settings.path)?),
            metrics: Metrics::default(),
            settings: settings.clone(),
            certificate: settings.tls.as_ref().map(Certificate::new),
            passed,
            moved: None,
        };
        for place in &settings.listen {
            match place {
                Listen::Tcp { host, port } => listener.open_tcp(place, host, *port, &names).await?,
                Listen::Unix(path) => {
                    let (socket, file) =
                        super::unix::bind(path, settings.socket_mode, place).await?;
                    listener.addresses.push(LocalAddr::Unix(path.clone()));
                    listener.doors.push(Door {
                        place: place.clone(),
                        socket: Acceptor::Unix(Some(file), socket),
                        hosts: Arc::new(HostRule::Unix),
                    });
                }
                Listen::Passed(name) => {
                    for socket in listener.passed.open(place, name.as_deref())? {
                        listener
                            .take_up(place, socket, &names)
                            .map_err(|error| BindError::new(place, error))?;
                    }
                }
            }
        }
        if listener.doors.is_empty() {
            return Err(BindError::Nowhere);
        }
        Ok(listener)
    }

    /// Counts connections in these.
    pub fn counted(mut self, metrics: Metrics) -> Self {
        self.metrics = metrics;
        self
    }

    /// Where this listens, in the order of the settings. A name may have become several addresses.
    pub fn local_addrs(&self) -> &[LocalAddr] {
        &self.addresses
    }

    /// How TCP sockets are spoken to.
    pub fn scheme(&self) -> Scheme {
        match self.certificate {
            Some(_) => Scheme::Https,
            None => Scheme::Http,
        }
    }

    /// Binds every address of a host. Of several, those that this machine lacks (IPv6, often) are
    /// left out as long as one is bound; all get the same port.
    async fn open_tcp(
        &mut self,
        place: &Listen,
        host: &str,
        port: u16,
        names: &[Name],
    ) -> Result<(), BindError> {
        let mut chosen = port;
        let mut any = false;
        let mut absent = None;
        for mut address in resolve(place, host, port).await? {
            address.set_port(chosen);
            let socket = match tcp(address) {
                Ok(socket) => socket,
                Err(error) if is_absent(&error) => {
                    absent = Some(error);
                    continue;
                }
                Err(error) => return Err(BindError::new(place, error)),
            };
            let bound = socket
                .local_addr()
                .map_err(|error| BindError::new(place, error))?;
            chosen = bound.port();
            any = true;
            self.addresses.push(LocalAddr::Tcp(bound));
            self.doors.push(Door {
                place: place.clone(),
                socket: Acceptor::Tcp(socket),
                hosts: Arc::new(HostRule::tcp(bound, names, self.scheme())),
            });
        }
        match absent {
            Some(error) if !any => Err(BindError::new(place, error)),
            _ => Ok(()),
        }
    }

    /// Takes up a socket that listens already.
    fn take_up(&mut self, place: &Listen, socket: passed::Kind, names: &[Name]) -> io::Result<()> {
        let (address, socket, hosts) = match socket {
            passed::Kind::Tcp(socket) => {
                let bound = socket.local_addr()?;
                let socket = Acceptor::Tcp(TcpListener::from_std(socket)?);
                (
                    LocalAddr::Tcp(bound),
                    socket,
                    HostRule::tcp(bound, names, self.scheme()),
                )
            }
            passed::Kind::Unix(socket) => {
                let address = socket.local_addr()?;
                let path = address.as_pathname().unwrap_or(Path::new("?")).to_owned();
                let socket = Acceptor::Unix(None, UnixListener::from_std(socket)?);
                (LocalAddr::Unix(path), socket, HostRule::Unix)
            }
        };
        self.addresses.push(address);
        self.doors.push(Door {
            place: place.clone(),
            socket,
            hosts: Arc::new(hosts),
        });
        Ok(())
    }

    /// Says what an operator should know before the first request.
    fn warn(&self) {
        let open = self.settings.allowed_hosts.is_empty();
        for address in &self.addresses {
            if let LocalAddr::Tcp(bound) = address
                && open
                && !is_loopback(*bound)
            {
                tracing::warn!(
                    address = %bound,
                    "listening beyond this machine without `http.allowed_hosts`: the Host of a request is not checked"
                );
            }
        }
    }
}

/// The path without a slash at the end, as requests are compared with it.
fn endpoint_path(path: &str) -> Result<String, BindError> {
    let plain = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'?' | b'#' | b'*');
    if !path.starts_with('/') || !path.bytes().all(plain) {
        return Err(BindError::Path(path.to_owned()));
    }
    Ok(path.strip_suffix('/').unwrap_or(path).to_owned())
}

/// The addresses of a host, each once.
async fn resolve(place: &Listen, host: &str, port: u16) -> Result<Vec<SocketAddr>, BindError> {
    let failed = |reason: String| BindError::Resolve {
        address: place.to_string(),
        reason,
    };
    let found = tokio::time::timeout(RESOLVING, tokio::net::lookup_host((host, port)))
        .await
        .map_err(|_| failed(format!("no answer within {}", Time(RESOLVING))))?
        .map_err(|error| failed(error.to_string()))?;
    let mut addresses: Vec<SocketAddr> = Vec::new();
    for address in found {
        if !addresses.contains(&address) {
            addresses.push(address);
        }
    }
    if addresses.is_empty() {
        Err(failed("it has none".into()))
    } else {
        Ok(addresses)
    }
}

fn tcp(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() {
        TcpSocket::new_v4()
    } else {
        TcpSocket::new_v6()
    }?;
    // A restart must not wait for the old process's connections to be forgotten.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// True when the machine lacks the address or its whole family.
fn is_absent(error: &io::Error) -> bool {
    let family = rustix::io::Errno::AFNOSUPPORT.raw_os_error();
    error.kind() == io::ErrorKind::AddrNotAvailable || error.raw_os_error() == Some(family)
}

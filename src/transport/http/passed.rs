//! Sockets that listen already when the process starts: systemd's socket activation.

use super::bind::BindError;
use crate::model::Listen;
use listenfd::ListenFd;
use std::io;
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::sync::Arc;

/// The sockets that were passed to this process (sd_listen_fds(3)). Clones are one. They stay open as
/// long as this is there, as they do in the service manager: what connects while nobody accepts waits.
#[derive(Clone, Debug, Default)]
pub struct Passed(Arc<Vec<Socket>>);

/// A socket and its name (`FileDescriptorName=`, or the socket unit's).
#[derive(Debug)]
struct Socket {
    name: String,
    kind: Kind,
}

/// A listening stream socket.
#[derive(Debug)]
pub(super) enum Kind {
    /// TCP, of either family.
    Tcp(TcpListener),
    /// A Unix socket, whose file is the service manager's.
    Unix(UnixListener),
}

impl Passed {
    /// Takes the sockets that `LISTEN_FDS` and `LISTEN_PID` announce; `names` is the value of
    /// `LISTEN_FDNAMES`. They are not inherited by children. Call it before any thread is started: it
    /// takes the variables out of the environment.
    ///
    /// # Errors
    /// A descriptor is none, or no stream socket.
    pub fn take(names: Option<&str>) -> io::Result<Self> {
        let mut announced = ListenFd::from_env();
        let mut names = names.unwrap_or_default().split(':');
        let mut sockets = Vec::new();
        for index in 0..announced.len() {
            let name = names.next().unwrap_or_default().to_owned();
            // Asked in this order, because an error leaves the descriptor where it is.
            let kind = match announced.take_unix_listener(index) {
                Ok(socket) => socket.map(Kind::Unix),
                Err(_) => announced.take_tcp_listener(index)?.map(Kind::Tcp),
            };
            sockets.extend(kind.map(|kind| Socket { name, kind }));
        }
        Ok(Self(Arc::new(sockets)))
    }

    /// Whether none was passed.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The names of those that none of these places asks for.
    pub fn unused(&self, listen: &[Listen]) -> Vec<&str> {
        let asked = |socket: &Socket| {
            listen.iter().any(|place| match place {
                Listen::Passed(name) => name.as_ref().is_none_or(|name| *name == socket.name),
                Listen::Tcp { .. } | Listen::Unix(_) => false,
            })
        };
        let unused = self.0.iter().filter(|socket| !asked(socket));
        unused.map(|socket| socket.name.as_str()).collect()
    }

    /// The sockets of this name, or all, as copies that listen on their own.
    ///
    /// # Errors
    /// There is none, or no descriptor for the copy.
    pub(super) fn open(&self, place: &Listen, name: Option<&str>) -> Result<Vec<Kind>, BindError> {
        let wanted = |socket: &&Socket| name.is_none_or(|name| name == socket.name);
        let copies: io::Result<Vec<Kind>> =
            self.0.iter().filter(wanted).map(Socket::copy).collect();
        match copies {
            Ok(copies) if copies.is_empty() => Err(BindError::NotPassed {
                address: place.to_string(),
            }),
            Ok(copies) => Ok(copies),
            Err(error) => Err(BindError::new(place, error)),
        }
    }
}

impl Socket {
    fn copy(&self) -> io::Result<Kind> {
        Ok(match &self.kind {
            Kind::Tcp(socket) => {
                let copy = socket.try_clone()?;
                copy.set_nonblocking(true)?;
                Kind::Tcp(copy)
            }
            Kind::Unix(socket) => {
                let copy = socket.try_clone()?;
                copy.set_nonblocking(true)?;
                Kind::Unix(copy)
            }
        })
    }
}

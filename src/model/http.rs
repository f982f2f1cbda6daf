//! What the HTTP transport can be told, and the defaults.

use super::TlsSettings;
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// The settings of one HTTP listener: the `[http]` table of the server file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpSettings {
    /// Where to listen; at least one place.
    pub listen: Vec<Listen>,
    /// What TCP sockets show; without it they speak in the clear. Unix sockets always do.
    pub tls: Option<TlsSettings>,
    /// The mode of Unix sockets, 0 to 0o777.
    pub socket_mode: u32,
    /// The path of the MCP endpoint. A `/` at the end of a request's path makes no difference.
    pub path: String,
    /// Web origins that may call, as a browser writes them (`https://app.example.com`); `*` is any.
    /// When empty, any scheme and port of `localhost`, `127.0.0.1` and `[::1]`.
    pub allowed_origins: Vec<String>,
    /// Values of `Host` that are served, with a port (that port) or without (any port); `*` is any.
    /// When empty: on a loopback address its own names, on any other address every name.
    pub allowed_hosts: Vec<String>,
    /// Connections open at the same time, at least 1. Over it the longest idle one is closed to make
    /// room; while none is idle, new ones wait in the kernel's backlog.
    pub max_connections: usize,
    /// From the first byte of a request's head (from accepting, for the first request) to its last.
    pub head_timeout: Duration,
    /// The longest wait for more of a request's body. A body must also keep up 8 KiB a second on
    /// average, once this much time has passed.
    pub body_timeout: Duration,
    /// How long a connection may stay open without a request.
    pub idle_timeout: Duration,
    /// The longest wait for a peer to take more of an answer.
    pub write_timeout: Duration,
    /// Most listeners (`subscriptions/listen`) at the same time.
    pub max_subscriptions: usize,
    /// The largest request body, in bytes. 64 such bodies may be on their way at the same time.
    pub max_body_bytes: usize,
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            listen: vec![Listen::from(SocketAddr::from(([127, 0, 0, 1], 4000)))],
            tls: None,
            socket_mode: 0o660,
            path: "/mcp".into(),
            allowed_origins: Vec::new(),
            allowed_hosts: Vec::new(),
            max_connections: 1024,
            head_timeout: Duration::from_secs(10),
            body_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(75),
            write_timeout: Duration::from_secs(30),
            max_subscriptions: 256,
            max_body_bytes: 4 * 1024 * 1024,
        }
    }
}

/// A place to listen. In text: `127.0.0.1:4000`, `[::1]:4000`, `localhost:4000`,
/// `unix:/run/snodo.sock`, `systemd`, `systemd:NAME`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listen {
    /// A TCP address. A name stands for every address that it resolves to. Port 0 lets the system
    /// choose.
    Tcp {
        /// An IP address, without brackets, or a name.
        host: String,
        /// The port.
        port: u16,
    },
    /// A Unix socket at this path.
    Unix(PathBuf),
    /// The sockets that the service manager passed (sd_listen_fds(3)): those of this name, or all.
    Passed(Option<String>),
}

/// Why a text is not a place to listen.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a place to listen; write `127.0.0.1:4000`, `[::1]:4000`, `unix:/run/snodo.sock` or `systemd`"
)]
pub struct ListenError(String);

impl FromStr for Listen {
    type Err = ListenError;

    fn from_str(text: &str) -> Result<Self, ListenError> {
        let refused = || ListenError(text.to_owned());
        if let Some(path) = text.strip_prefix("unix:") {
            if path.is_empty() || path.contains('\0') {
                return Err(refused());
            }
            return Ok(Self::Unix(path.into()));
        }
        if text == "systemd" {
            return Ok(Self::Passed(None));
        }
        if let Some(name) = text.strip_prefix("systemd:") {
            // What systemd.socket(5) takes as FileDescriptorName=.
            let plain = |byte: u8| byte.is_ascii_graphic() && byte != b':';
            if name.is_empty() || name.len() > 255 || !name.bytes().all(plain) {
                return Err(refused());
            }
            return Ok(Self::Passed(Some(name.to_owned())));
        }
        if let Ok(address) = text.parse::<SocketAddr>() {
            return Ok(address.into());
        }
        let (host, port) = text.rsplit_once(':').ok_or_else(refused)?;
        let named = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        if host.is_empty() || !host.chars().all(named) {
            return Err(refused());
        }
        let port = port.parse().map_err(|_| refused())?;
        Ok(Self::Tcp {
            host: host.to_owned(),
            port,
        })
    }
}

impl From<SocketAddr> for Listen {
    fn from(address: SocketAddr) -> Self {
        Self::Tcp {
            host: address.ip().to_string(),
            port: address.port(),
        }
    }
}

impl fmt::Display for Listen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp { host, port } => match host.parse::<IpAddr>() {
                Ok(ip) => SocketAddr::new(ip, *port).fmt(f),
                Err(_) => write!(f, "{host}:{port}"),
            },
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
            Self::Passed(None) => f.write_str("systemd"),
            Self::Passed(Some(name)) => write!(f, "systemd:{name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_reads_back_as_it_was_written() {
        for text in [
            "127.0.0.1:4000",
            "[::1]:0",
            "localhost:80",
            "unix:/run/snodo.sock",
            "my-host.lan:1",
            "systemd",
            "systemd:mcp.socket",
        ] {
            assert_eq!(text.parse::<Listen>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_is_no_place_is_refused_by_name() {
        for text in [
            "",
            "4000",
            ":4000",
            "localhost",
            "localhost:",
            "localhost:70000",
            "::1:x",
            "unix:",
            "http://a:1",
            "a b:1",
            "systemd:",
            "systemd:a:b",
            "systemd:a b",
        ] {
            let error = text.parse::<Listen>().unwrap_err().to_string();
            assert!(error.starts_with(&format!("`{text}` is not")), "{error}");
        }
    }
}

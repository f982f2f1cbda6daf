//! Who may speak to this server from a browser: `Host` and `Origin`, the answer to DNS rebinding
//! (Streamable HTTP §Security & Endpoint). Judged on every request before anything else.

use super::authority::{Authority, LOOPBACK_NAMES};
use super::refusal::Refusal;
use http::header::{HOST, ORIGIN};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Version};
use std::fmt;
use std::net::SocketAddr;

/// How a socket is spoken to, as URLs say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// In the clear.
    Http,
    /// By TLS.
    Https,
}

impl Scheme {
    /// The port that a name without one means.
    fn port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Http => "http",
            Self::Https => "https",
        })
    }
}

/// The names that requests to one listening socket may call it by.
#[derive(Debug)]
pub(super) enum HostRule {
    /// Whatever is written, nothing too: a Unix socket. No browser reaches it, its file's mode is the
    /// guard, and clients have no name for it.
    Unix,
    /// Every name. A public address without a list; the listener has warned about it.
    Any,
    /// The loopback names with this port, and the listed ones.
    Named {
        /// The loopback names as clients write them, for a quick look.
        usual: [String; 3],
        /// The address that is bound.
        bound: SocketAddr,
        /// How it is spoken to.
        scheme: Scheme,
        /// What `allowed_hosts` lists.
        listed: Vec<Name>,
    },
}

/// One entry of `allowed_hosts`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Name {
    /// `*`.
    Any,
    /// A host, with the port if only that one is meant.
    Host(String, Option<u16>),
}

impl Name {
    /// Reads `host`, `host:port` or `*`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        if text == "*" {
            return Some(Self::Any);
        }
        let authority = Authority::parse(text)?;
        Some(Self::Host(authority.host.to_owned(), authority.port))
    }

    fn matches(&self, authority: &Authority<'_>, scheme: Scheme) -> bool {
        match self {
            Self::Any => true,
            Self::Host(host, port) => {
                host.eq_ignore_ascii_case(authority.host)
                    && (port.is_none() || *port == Some(authority.port.unwrap_or(scheme.port())))
            }
        }
    }
}

impl HostRule {
    /// The rule for a TCP socket bound to `bound`.
    pub(super) fn tcp(bound: SocketAddr, listed: &[Name], scheme: Scheme) -> Self {
        if listed.contains(&Name::Any) || (listed.is_empty() && !is_loopback(bound)) {
            return Self::Any;
        }
        Self::Named {
            usual: LOOPBACK_NAMES.map(|name| format!("{name}:{}", bound.port())),
            bound,
            scheme,
            listed: listed.to_vec(),
        }
    }

    /// Judges the `Host` header and the authority of the request's target (`:authority` in HTTP/2,
    /// the absolute form in HTTP/1.1). Where both are, both count: neither may be a way around the
    /// other.
    ///
    /// # Errors
    /// 400 when the host is missing, given twice, malformed, or given in two ways that differ
    /// (RFC 9112 §3.2, RFC 9113 §8.3.1); 403 when it is not one of ours.
    pub(super) fn judge(&self, head: &Parts) -> Result<(), Refusal> {
        let mut hosts = head.headers.get_all(HOST).iter();
        let host = hosts.next();
        if hosts.next().is_some() || (host.is_none() && head.version < Version::HTTP_2) {
            return Err(Refusal::BadHost);
        }
        match (self, host) {
            (Self::Unix, _) => return Ok(()),
            (Self::Named { usual, .. }, Some(host))
                if head.uri.authority().is_none()
                    && usual.iter().any(|name| name.as_bytes() == host.as_bytes()) =>
            {
                return Ok(());
            }
            _ => {}
        }
        let target = head.uri.authority().map(|authority| authority.as_str());
        let host = host
            .map(|value| value.to_str().map_err(|_| Refusal::BadHost))
            .transpose()?;
        match (host, target) {
            (None, None) => Err(Refusal::BadHost),
            (Some(text), None) | (None, Some(text)) => self.judge_text(text),
            (Some(host), Some(target)) => {
                if head.version >= Version::HTTP_2 && !host.eq_ignore_ascii_case(target) {
                    return Err(Refusal::BadHost);
                }
                self.judge_text(host)?;
                self.judge_text(target)
            }
        }
    }

    fn judge_text(&self, text: &str) -> Result<(), Refusal> {
        let authority = Authority::parse(text).ok_or(Refusal::BadHost)?;
        if self.allows(&authority) {
            Ok(())
        } else {
            Err(Refusal::HostNotAllowed)
        }
    }

    fn allows(&self, authority: &Authority<'_>) -> bool {
        let Self::Named {
            bound,
            scheme,
            listed,
            ..
        } = self
        else {
            return true;
        };
        let ours = authority.port.unwrap_or(scheme.port()) == bound.port()
            && (authority.is_loopback_name() || is_address(authority, bound));
        ours || listed.iter().any(|name| name.matches(authority, *scheme))
    }
}

/// True for a loopback address, one mapped into IPv6 included.
pub(super) fn is_loopback(address: SocketAddr) -> bool {
    address.ip().to_canonical().is_loopback()
}

/// True when a loopback address other than 127.0.0.1 is bound and called by its own number.
fn is_address(authority: &Authority<'_>, bound: &SocketAddr) -> bool {
    let digits = authority.host.trim_start_matches('[').trim_end_matches(']');
    is_loopback(*bound) && digits.parse() == Ok(bound.ip())
}

/// The web origins that may call.
#[derive(Debug)]
pub(super) struct OriginRule {
    any: bool,
    listed: Vec<String>,
}

/// What was found in a request's `Origin`.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// No browser: there is no such header.
    Absent,
    /// This one may call, and read the answer.
    Allowed(HeaderValue),
    /// Any other; the request gets 403.
    Refused,
}

impl OriginRule {
    /// Reads `allowed_origins`.
    ///
    /// # Errors
    /// The first entry that is neither `*` nor `scheme://host[:port]`.
    pub(super) fn new(entries: &[String]) -> Result<Self, String> {
        let mut listed = Vec::new();
        for entry in entries.iter().filter(|entry| *entry != "*") {
            listed.push(serialized(entry).ok_or_else(|| entry.clone())?);
        }
        Ok(Self {
            any: entries.iter().any(|entry| entry == "*"),
            listed,
        })
    }

    /// Judges the `Origin` header. `null`, which any page can bring about, is never allowed.
    pub(super) fn judge(&self, headers: &HeaderMap) -> Origin {
        let mut values = headers.get_all(ORIGIN).iter();
        let Some(value) = values.next() else {
            return Origin::Absent;
        };
        match value.to_str() {
            Ok(text) if values.next().is_none() && self.allows(text) => {
                Origin::Allowed(value.clone())
            }
            _ => Origin::Refused,
        }
    }

    fn allows(&self, text: &str) -> bool {
        let Some((_, authority)) = split(text) else {
            return false;
        };
        if self.any {
            return true;
        }
        if self.listed.is_empty() {
            return authority.is_loopback_name();
        }
        self.listed
            .iter()
            .any(|origin| origin.eq_ignore_ascii_case(text))
    }
}

/// An entry as a browser would write it: no slash at the end, no port that is the scheme's own.
fn serialized(entry: &str) -> Option<String> {
    let (scheme, authority) = split(entry.strip_suffix('/').unwrap_or(entry))?;
    let own = match scheme.to_ascii_lowercase().as_str() {
        "http" => Some(80),
        "https" => Some(443),
        _ => None,
    };
    let port = authority.port.filter(|port| Some(*port) != own);
    let port = port.map(|port| format!(":{port}")).unwrap_or_default();
    Some(format!("{scheme}://{}{port}", authority.host))
}

/// The scheme and the authority of a serialized origin (RFC 6454 §6.2).
fn split(text: &str) -> Option<(&str, Authority<'_>)> {
    let (scheme, rest) = text.split_once("://")?;
    let mut bytes = scheme.bytes();
    let starts = bytes.next()?.is_ascii_alphabetic();
    if !starts || !bytes.all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b)) {
        return None;
    }
    Some((scheme, Authority::parse(rest)?))
}

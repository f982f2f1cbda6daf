//! `allow_hosts`: what a host that comes from a caller may be.

use std::str::FromStr;
use url::Host;

/// One entry of `allow_hosts`: `example.com`, `*.example.com`, `*`, `192.0.2.7` or `[2001:db8::7]`, each
/// with `:port` if need be.
///
/// Without a port the entry means the scheme's own port (80 or 443), as a host source does in CSP.
/// `*.example.com` means every name below `example.com`, not that name itself. An entry with an
/// exact host **and** a port lets that host and port be reached even at a private address; no
/// other entry does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostPattern {
    host: Pattern,
    port: Option<u16>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Pattern {
    Any,
    Below(String),
    Exact(Host<String>),
}

/// Why an entry of `allow_hosts` cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HostPatternError {
    /// The part before the port is no host name and no address.
    #[error(
        "`{0}` is not a host: write a name, an address (IPv6 in brackets), `*.name` or `*`, without scheme or path"
    )]
    Host(String),
    /// The part after the last colon is no port.
    #[error("`{0}` is not a port: write a number from 1 to 65535")]
    Port(String),
}

impl HostPattern {
    /// True when the entry lets a caller name this host at this port, which is or is not the one
    /// that the scheme implies.
    pub fn admits(&self, host: &Host<String>, port: u16, is_default: bool) -> bool {
        let fits = match self.port {
            Some(own) => own == port,
            None => is_default,
        };
        fits && match (&self.host, host) {
            (Pattern::Any, _) => true,
            (Pattern::Exact(Host::Domain(own)), Host::Domain(name)) => own == rootless(name),
            (Pattern::Exact(own), host) => own == host,
            (Pattern::Below(parent), Host::Domain(name)) => rootless(name)
                .strip_suffix(parent.as_str())
                .and_then(|rest| rest.strip_suffix('.'))
                .is_some_and(|label| !label.is_empty()),
            (Pattern::Below(_), _) => false,
        }
    }

    /// True when what the entry admits may live at a private address.
    pub fn admits_private(&self) -> bool {
        self.port.is_some() && matches!(self.host, Pattern::Exact(_))
    }

    /// True when the entry says which hosts it means, so that the client's own certificate is for them.
    pub fn names_hosts(&self) -> bool {
        !matches!(self.host, Pattern::Any)
    }
}

impl FromStr for HostPattern {
    type Err = HostPatternError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.contains('/') {
            return Err(HostPatternError::Host(text.to_owned()));
        }
        let (host, port) = split_port(text)?;
        let refused = || HostPatternError::Host(host.to_owned());
        let parsed = match host.strip_prefix("*.") {
            _ if host == "*" => Pattern::Any,
            Some(parent) => match exact(parent).ok_or_else(refused)? {
                Host::Domain(parent) => Pattern::Below(parent),
                Host::Ipv4(_) | Host::Ipv6(_) => return Err(refused()),
            },
            None => Pattern::Exact(exact(host).ok_or_else(refused)?),
        };
        Ok(Self { host: parsed, port })
    }
}

/// Splits `:port` off; a colon inside brackets belongs to the address.
fn split_port(text: &str) -> Result<(&str, Option<u16>), HostPatternError> {
    match text.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => match port.parse() {
            Ok(number) if number != 0 && port.bytes().all(|b| b.is_ascii_digit()) => {
                Ok((host, Some(number)))
            }
            _ => Err(HostPatternError::Port(port.to_owned())),
        },
        _ => Ok((text, None)),
    }
}

/// The host as the URL standard reads it: lower case, punycode, `0x7f.1` as an address.
fn exact(host: &str) -> Option<Host<String>> {
    if host.contains('*') {
        return None;
    }
    match Host::parse(host).ok()? {
        Host::Domain(name) => match rootless(&name) {
            "" => None,
            name => Some(Host::Domain(name.to_owned())),
        },
        address => Some(address),
    }
}

/// The name without the dot of the DNS root: `example.com.` is `example.com`.
fn rootless(name: &str) -> &str {
    name.strip_suffix('.').unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use url::Url;

    fn admits(pattern: &str, url: &str) -> bool {
        let pattern: HostPattern = pattern.parse().expect("a pattern");
        let url = Url::parse(url).expect("a URL");
        let host = url.host().expect("a host").to_owned();
        let port = url.port_or_known_default().expect("a port");
        pattern.admits(&host, port, url.port().is_none())
    }

    #[test]
    fn an_exact_host_is_that_host_at_the_schemes_port() {
        assert!(admits("example.com", "https://example.com/x"));
        assert!(admits("Example.COM", "http://EXAMPLE.com/"));
        assert!(admits("example.com", "http://example.com./"));
        assert!(admits("example.com.", "http://example.com/"));
        assert!(admits("bücher.example", "https://xn--bcher-kva.example/"));
        assert!(!admits("example.com", "https://example.com:8443/"));
        assert!(!admits("example.com", "http://example.com:443/"));
        assert!(!admits("example.com", "https://www.example.com/"));
        assert!(!admits("example.com", "https://example.com.evil.test/"));
        assert!(!admits("example.com", "https://example.com@evil.test/"));
    }

    #[test]
    fn a_port_is_that_port_only() {
        assert!(admits("example.com:8443", "https://example.com:8443/"));
        assert!(admits("example.com:443", "https://example.com/"));
        assert!(!admits("example.com:8443", "https://example.com/"));
    }

    #[test]
    fn a_star_is_every_name_below_and_not_the_name() {
        assert!(admits("*.example.com", "https://a.example.com/"));
        assert!(admits("*.example.com", "https://a.b.example.com./"));
        assert!(!admits("*.example.com", "https://example.com/"));
        assert!(!admits("*.example.com", "https://evilexample.com/"));
        assert!(!admits("*.example.com", "https://.example.com/"));
        assert!(!admits("*.example.com", "https://127.0.0.1/"));
        assert!(admits("*", "https://anything.test/"));
        assert!(admits("*", "http://10.0.0.1/"));
        assert!(!admits("*", "http://anything.test:22/"));
    }

    #[test]
    fn addresses_are_compared_as_addresses() {
        assert!(admits("127.0.0.1:8080", "http://0x7f.1:8080/"));
        assert!(admits("2130706433:8080", "http://127.1:8080/"));
        assert!(admits("[::1]:8080", "http://[0:0::1]:8080/"));
        assert!(admits("[::1]", "http://[::1]/"));
        assert!(!admits("127.0.0.1", "http://localhost/"));
    }

    #[test]
    fn only_an_exact_host_with_a_port_may_be_private() {
        for (text, expected) in [
            ("db.internal:8080", true),
            ("[::1]:8080", true),
            ("db.internal", false),
            ("*.internal:8080", false),
            ("*:8080", false),
        ] {
            let pattern: HostPattern = text.parse().expect("a pattern");
            assert_eq!(pattern.admits_private(), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_host_is_refused_by_name() {
        for text in [
            "",
            ".",
            "https://example.com",
            "example.com/x",
            "a*.example.com",
            "*.*.com",
            "*.",
            "*.[::1]",
            "*.0.0.1",
            "user@example.com",
            "::1",
            "[::1",
            "exa mple.com",
        ] {
            assert!(text.parse::<HostPattern>().is_err(), "{text}");
        }
        assert_eq!(
            "a:0".parse::<HostPattern>(),
            Err(HostPatternError::Port("0".into()))
        );
        assert_eq!(
            "a:+80".parse::<HostPattern>(),
            Err(HostPatternError::Port("+80".into()))
        );
        assert_eq!(
            "a:65536".parse::<HostPattern>(),
            Err(HostPatternError::Port("65536".into()))
        );
        assert_eq!(
            "a:".parse::<HostPattern>(),
            Err(HostPatternError::Port(String::new()))
        );
        assert_eq!(
            "a b".parse::<HostPattern>(),
            Err(HostPatternError::Host("a b".into()))
        );
    }
}

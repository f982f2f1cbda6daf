//! The `host[:port]` of a `Host` header, a request target or an origin (RFC 3986 §3.2).

use std::net::Ipv6Addr;

/// The names by which a machine calls itself.
pub(super) const LOOPBACK_NAMES: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// A host and the port, when one is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Authority<'a> {
    /// The host as written; an IPv6 address with its brackets.
    pub(super) host: &'a str,
    /// The port. `host:` has none.
    pub(super) port: Option<u16>,
}

impl<'a> Authority<'a> {
    /// Reads `uri-host [ ":" port ]` (RFC 9110 §7.2). None when it is not that: user information,
    /// blanks and an empty host included.
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        let end = if text.starts_with('[') {
            let close = text.find(']')?;
            text.get(1..close)?.parse::<Ipv6Addr>().ok()?;
            close + 1
        } else {
            text.find(':').unwrap_or(text.len())
        };
        let (host, rest) = text.split_at_checked(end)?;
        if host.is_empty() || !(host.starts_with('[') || host.bytes().all(in_name)) {
            return None;
        }
        let port = match rest.strip_prefix(':') {
            None if rest.is_empty() => None,
            Some("") => None,
            Some(digits) if digits.bytes().all(|b| b.is_ascii_digit()) => {
                Some(digits.parse().ok()?)
            }
            _ => return None,
        };
        Some(Self { host, port })
    }

    /// True for [`LOOPBACK_NAMES`].
    pub(super) fn is_loopback_name(&self) -> bool {
        LOOPBACK_NAMES
            .iter()
            .any(|name| self.host.eq_ignore_ascii_case(name))
    }
}

/// The characters of a `reg-name`.
fn in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~%!$&'()*+,;=".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_and_ports_are_told_apart() {
        let cases = [
            ("localhost", "localhost", None),
            ("localhost:", "localhost", None),
            ("LocalHost:80", "LocalHost", Some(80)),
            ("127.0.0.1:4000", "127.0.0.1", Some(4000)),
            ("[::1]", "[::1]", None),
            ("[::1]:65535", "[::1]", Some(65535)),
        ];
        for (text, host, port) in cases {
            assert_eq!(
                Authority::parse(text),
                Some(Authority { host, port }),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_no_authority_is_refused() {
        for text in [
            "",
            ":80",
            "a:b",
            "a:80:80",
            "a:65536",
            "a:-1",
            "a:+1",
            "user@localhost",
            "localhost/",
            "local host",
            "[::1",
            "::1",
            "[::1]x",
            "[x]",
            "[]",
            "a?b",
            "a#b",
            "a\\b",
            "é",
            "a:８",
        ] {
            assert_eq!(Authority::parse(text), None, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn what_is_read_reads_back(text in "[a-z0-9.:@/\\[\\] -]{0,24}") {
            if let Some(authority) = Authority::parse(&text) {
                let port = authority.port.map(|port| format!(":{port}")).unwrap_or_default();
                let again = format!("{}{port}", authority.host);
                proptest::prop_assert_eq!(Authority::parse(&again), Some(authority));
                proptest::prop_assert!(text.starts_with(authority.host));
                proptest::prop_assert!(!authority.host.contains(['/', '@', ' ']));
            }
        }
    }
}

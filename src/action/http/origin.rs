//! Scheme, host and port: what an error may name and what credentials belong to.

use crate::model::HostPattern;
use std::fmt;
use url::{Host, Url};

/// An origin (RFC 6454 §4). Its text is `scheme://host`, with `:port` where that is not the scheme's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    pub(super) https: bool,
    pub(super) host: Host<String>,
    pub(super) port: u16,
}

impl Origin {
    /// The longest host that is shown whole; DNS allows no longer name.
    const SHOWN: usize = 253;

    /// The origin of an http or https URL; `None` for any other.
    pub(super) fn of(url: &Url) -> Option<Self> {
        let https = match url.scheme() {
            "https" => true,
            "http" => false,
            _ => return None,
        };
        Some(Self {
            https,
            host: url.host()?.to_owned(),
            port: url.port_or_known_default()?,
        })
    }

    /// True when this entry of `allow_hosts` lets a caller name it.
    pub(super) fn is_admitted_by(&self, entry: &HostPattern) -> bool {
        entry.admits(&self.host, self.port, self.has_default_port())
    }

    /// True when the port is the one that the scheme implies.
    pub(super) fn has_default_port(&self) -> bool {
        self.port == if self.https { 443 } else { 80 }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.https { "https://" } else { "http://" })?;
        match &self.host {
            Host::Domain(name) if name.len() > Self::SHOWN => {
                name.chars()
                    .take(Self::SHOWN)
                    .try_for_each(|c| write!(f, "{c}"))?;
                f.write_str("…")?;
            }
            host => write!(f, "{host}")?,
        }
        if self.has_default_port() {
            return Ok(());
        }
        write!(f, ":{}", self.port)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(url: &str) -> Option<String> {
        Origin::of(&Url::parse(url).expect("a URL")).map(|origin| origin.to_string())
    }

    #[test]
    fn shows_no_userinfo_path_query_or_implied_port() {
        assert_eq!(
            shown("https://user:pass@Example.COM:443/secret?token=1#x").as_deref(),
            Some("https://example.com")
        );
        assert_eq!(
            shown("http://0x7f.1:8080/").as_deref(),
            Some("http://127.0.0.1:8080")
        );
        assert_eq!(
            shown("https://[::1]:80/").as_deref(),
            Some("https://[::1]:80")
        );
        assert_eq!(shown("ftp://example.com/"), None);
        assert_eq!(shown("file:///etc/passwd"), None);
    }

    #[test]
    fn an_endless_host_is_cut() {
        let text = shown(&format!("http://{}.com/", "a".repeat(5000))).expect("an origin");
        assert!(text.len() < 300, "{}", text.len());
    }
}

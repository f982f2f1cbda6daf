//! An absolute URI in its parts: RFC 3986 §4.3.

use super::error::UriError;
use super::syntax::{
    Misfit, in_host, in_path, in_query, in_userinfo, is_ip_literal, is_scheme, misfit,
};
use percent_encoding::percent_decode_str;
use std::ops::Range;

/// An absolute URI: a scheme, and no fragment. Every character stands where RFC 3986 allows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uri<'u> {
    text: &'u str,
    scheme: &'u str,
    authority: Option<Authority<'u>>,
    path: &'u str,
    query: Option<&'u str>,
    /// Slashes of the path.
    slashes: usize,
    /// None of the path's segments is empty.
    is_tidy: bool,
}

/// `authority` (§3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Authority<'u> {
    /// With its `@`, when there is one.
    userinfo: &'u str,
    /// May be empty.
    host: &'u str,
    /// With its `:`, when there is one.
    port: &'u str,
}

impl<'u> Uri<'u> {
    /// Reads an absolute URI.
    ///
    /// # Errors
    /// The first thing that RFC 3986 does not allow.
    pub fn parse(text: &'u str) -> Result<Self, UriError> {
        let Some((scheme, rest)) = text.split_once(':').filter(|(first, _)| is_scheme(first))
        else {
            let message = "it does not begin with a scheme and `:`";
            return Err(UriError::new(0..text.len(), message));
        };
        if let Some(at) = text.find('#') {
            return Err(UriError::new(at..text.len(), "it has a fragment"));
        }
        let (hierarchy, query) = match rest.split_once('?') {
            Some((hierarchy, query)) => (hierarchy, Some(query)),
            None => (rest, None),
        };
        let (authority, path) = match hierarchy.strip_prefix("//") {
            Some(rest) => {
                let end = rest.find('/').unwrap_or(rest.len());
                let (authority, path) = rest.split_at(end);
                (Some(Authority::parse(text, authority)?), path)
            }
            None => (None, hierarchy),
        };
        fits(text, path, in_path)?;
        if let Some(query) = query {
            fits(text, query, in_query)?;
        }
        Ok(Self {
            text,
            scheme,
            authority,
            path,
            query,
            slashes: path.bytes().filter(|byte| *byte == b'/').count(),
            is_tidy: !path.contains("//") && !path.ends_with('/'),
        })
    }

    /// The URI as it was written.
    pub fn as_str(&self) -> &'u str {
        self.text
    }

    /// What makes it the same as another: its text with the scheme and the host in lower case
    /// (§6.2.2.1). Nothing else is made the same.
    pub fn canonical(&self) -> String {
        let scheme = self.scheme.to_ascii_lowercase();
        let behind = &self.text[self.scheme.len()..];
        let Some(authority) = self.authority else {
            return scheme + behind;
        };
        let host = "://".len() + authority.userinfo.len();
        let (front, rest) = behind.split_at(host);
        let (host, rest) = rest.split_at(authority.host.len());
        format!("{scheme}{front}{}{rest}", host.to_ascii_lowercase())
    }

    /// What may be the same as another to whoever looks behind its encoding, as a file system does:
    /// scheme, authority and path without percent-encoding, dot segments and empty ones; and the
    /// query's pairs in the order of their bytes, when it has a query.
    pub fn meant(&self) -> (Vec<u8>, Option<Vec<Vec<u8>>>) {
        let canonical = self.canonical();
        let place = canonical.split('?').next().unwrap_or_default();
        let decoded: Vec<u8> = percent_decode_str(place).collect();
        let mut segments: Vec<&[u8]> = Vec::new();
        for segment in decoded.split(|byte| *byte == b'/') {
            match segment {
                b"" | b"." => {}
                b".." => drop(segments.pop()),
                name => segments.push(name),
            }
        }
        let query = self.query.map(|query| {
            let pairs = query.split('&');
            let mut pairs: Vec<Vec<u8>> = pairs
                .map(|pair| percent_decode_str(pair).collect())
                .collect();
            pairs.sort_unstable();
            pairs
        });
        (segments.join(&b'/'), query)
    }

    pub(super) fn scheme(&self) -> &'u str {
        self.scheme
    }

    /// The host, when it is all of the authority.
    pub(super) fn bare_host(&self) -> Option<&'u str> {
        let authority = self.authority?;
        let bare = authority.userinfo.is_empty() && authority.port.is_empty();
        bare.then_some(authority.host)
    }

    pub(super) fn path(&self) -> &'u str {
        self.path
    }

    pub(super) fn query(&self) -> Option<&'u str> {
        self.query
    }

    /// How many segments the path has; `None` when one of them is empty, so that no template
    /// matches.
    pub(super) fn segments(&self) -> Option<usize> {
        self.is_tidy.then_some(self.slashes)
    }
}

impl<'u> Authority<'u> {
    fn parse(text: &str, authority: &'u str) -> Result<Self, UriError> {
        let host = authority.rfind('@').map_or(0, |at| at + 1);
        let (userinfo, rest) = authority.split_at(host);
        fits(
            text,
            userinfo.strip_suffix('@').unwrap_or(userinfo),
            in_userinfo,
        )?;
        let end = match rest.rfind(']') {
            Some(at) => at + 1,
            None => rest.find(':').unwrap_or(rest.len()),
        };
        let (host, port) = rest.split_at(end);
        if host.contains(['[', ']']) {
            if !is_ip_literal(host) {
                return Err(UriError::new(
                    place(text, host),
                    "its host is no address in `[…]`",
                ));
            }
        } else {
            fits(text, host, in_host)?;
        }
        let digits = port.strip_prefix(':').unwrap_or(port);
        let is_port = port.is_empty() || port.starts_with(':');
        if !is_port || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(UriError::new(place(text, port), "its port is not a number"));
        }
        Ok(Self {
            userinfo,
            host,
            port,
        })
    }
}

/// Where a piece of the text stands in it.
fn place(text: &str, piece: &str) -> Range<usize> {
    let start = (piece.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    start..start + piece.len()
}

fn fits(text: &str, piece: &str, allowed: fn(u8) -> bool) -> Result<(), UriError> {
    let Some((at, misfit)) = misfit(piece, allowed) else {
        return Ok(());
    };
    let start = place(text, piece).start;
    let message = match misfit {
        Misfit::Escape => "it has a `%` without two hexadecimal digits",
        Misfit::Character => "it has a character that must be percent-encoded",
    };
    Err(UriError::new(start + at.start..start + at.end, message))
}

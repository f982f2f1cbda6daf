//! Values in a URL: RFC 3986.
//!
//! A value keeps the unreserved characters (§2.3) and has every other byte percent-encoded. That
//! one set is right both for a path segment and for a query value, so it does not matter where
//! in the template a value stands, nor which branch of an `if` wrote the `?` before it.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::error::Failure;
use super::text::within_bound;

const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Appends a value, encoded.
pub(super) fn push_encoded(out: &mut String, value: &str) -> Result<(), Failure> {
    out.extend(utf8_percent_encode(value, ENCODED));
    within_bound(out)
}

/// Appends a value as it is, for `| raw`. URL parsers drop tabs and line ends, so that `.\t.`
/// would become `..`: such a value is refused.
pub(super) fn push_raw(out: &mut String, value: &str) -> Result<(), Failure> {
    if value.chars().any(|c| c.is_control() || c.is_whitespace()) {
        return Err(Failure::RawUrl);
    }
    out.push_str(value);
    within_bound(out)
}

/// Refuses a finished URL whose path has a `.` or `..` segment (RFC 3986 §3.3), also one that
/// was composed of several values, or is written `%2e` or with a backslash, which URL parsers
/// take for the same.
pub(super) fn refuse_dot_segments(url: &str) -> Result<(), Failure> {
    // URL parsers drop these ends, and tabs and line ends everywhere.
    let url = url.trim_matches(|c: char| c <= ' ');
    let path = &url[path_start(url)..];
    let end = path.find(['?', '#']).unwrap_or(path.len());
    if path[..end].split(['/', '\\']).any(is_dot_segment) {
        return Err(Failure::DotSegment);
    }
    Ok(())
}

/// Where the path begins: behind `scheme://authority` when there is one.
fn path_start(url: &str) -> usize {
    let scheme = url
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.')))
        .filter(|&end| url[end..].starts_with("://"));
    match scheme {
        Some(end) => {
            let authority = end + "://".len();
            url[authority..]
                .find(['/', '\\', '?', '#'])
                .map_or(url.len(), |length| authority + length)
        }
        None => 0,
    }
}

fn is_dot_segment(segment: &str) -> bool {
    let mut dots = 0;
    let mut rest = segment;
    loop {
        rest = rest.trim_start_matches(['\t', '\n', '\r']);
        if rest.is_empty() {
            return dots == 1 || dots == 2;
        }
        rest = match rest.get(..3) {
            Some(encoded) if encoded.eq_ignore_ascii_case("%2e") => &rest[3..],
            _ => match rest.strip_prefix('.') {
                Some(rest) => rest,
                None => return false,
            },
        };
        dots += 1;
    }
}

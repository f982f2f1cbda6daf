//! The characters of RFC 3986.

use std::ops::Range;

/// `unreserved` (§2.3) and `sub-delims` (§2.2).
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=".contains(&byte)
}

/// `reg-name` without percent-encoding (§3.2.2).
pub(super) fn in_host(byte: u8) -> bool {
    is_plain(byte)
}

/// `userinfo` without percent-encoding (§3.2.1).
pub(super) fn in_userinfo(byte: u8) -> bool {
    is_plain(byte) || byte == b':'
}

/// `pchar` without percent-encoding (§3.3).
pub(super) fn in_segment(byte: u8) -> bool {
    is_plain(byte) || matches!(byte, b':' | b'@')
}

/// A path (§3.3).
pub(super) fn in_path(byte: u8) -> bool {
    in_segment(byte) || byte == b'/'
}

/// A query (§3.4).
pub(super) fn in_query(byte: u8) -> bool {
    in_path(byte) || byte == b'?'
}

/// What is wrong with the text between its characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Misfit {
    /// A `%` without two hexadecimal digits behind it.
    Escape,
    /// A character that must be percent-encoded here.
    Character,
}

/// The first place where the text holds neither an allowed byte nor an escape (§2.1).
pub(super) fn misfit(text: &str, allowed: fn(u8) -> bool) -> Option<(Range<usize>, Misfit)> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte == b'%' {
            let digits = bytes.get(at + 1..at + 3).unwrap_or_default();
            if digits.len() != 2 || !digits.iter().all(u8::is_ascii_hexdigit) {
                return Some((at..at + 1, Misfit::Escape));
            }
            at += 3;
        } else if allowed(byte) {
            at += 1;
        } else {
            let length = text.get(at..).and_then(|rest| rest.chars().next());
            let length = length.map_or(1, char::len_utf8);
            return Some((at..at + length, Misfit::Character));
        }
    }
    None
}

/// `scheme` (§3.1).
pub(super) fn is_scheme(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic())
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}

/// `IP-literal` (§3.2.2): `[…]` around an IPv6 address or a future kind of one.
pub(super) fn is_ip_literal(text: &str) -> bool {
    let inside = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'));
    let Some(inside) = inside else { return false };
    if inside.parse::<std::net::Ipv6Addr>().is_ok() {
        return true;
    }
    let Some((version, address)) = inside
        .strip_prefix(['v', 'V'])
        .and_then(|rest| rest.split_once('.'))
    else {
        return false;
    };
    !version.is_empty()
        && version.bytes().all(|byte| byte.is_ascii_hexdigit())
        && !address.is_empty()
        && address.bytes().all(in_userinfo)
}

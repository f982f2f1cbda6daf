//! Values in a URI, to and from percent-encoding.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// Everything but the unreserved characters (RFC 3986 §2.3): right for an authority, a path segment
/// and a query value alike.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The value, decoded once; `None` when it is not UTF-8. `+` stays `+`.
pub(super) fn decoded(text: &str) -> Option<String> {
    let decoded = percent_decode_str(text).decode_utf8().ok()?;
    Some(decoded.into_owned())
}

/// Appends a value, encoded.
pub(super) fn push_encoded(out: &mut String, value: &str) {
    out.extend(utf8_percent_encode(value, ENCODED));
}

//! Server-sent events (HTML standard §9.2).

use bytes::{BufMut, Bytes, BytesMut};

/// One message as one event. Its name is what a browser would take for a missing one, and what the
/// SDKs of the older revisions look for.
pub(super) fn event(message: &[u8]) -> Bytes {
    let mut out = BytesMut::with_capacity(message.len() + 32);
    out.put_slice(b"event: message\n");
    // A message is one line. Were it not, its line ends could only be blanks between tokens, and an
    // event of several data lines means the same.
    for line in message.split(|byte| matches!(byte, b'\n' | b'\r')) {
        out.put_slice(b"data: ");
        out.put_slice(line);
        out.put_u8(b'\n');
    }
    out.put_u8(b'\n');
    out.freeze()
}

/// A comment: a sign of life that is no event.
pub(super) fn comment() -> Bytes {
    Bytes::from_static(b":\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_event() {
        assert_eq!(event(b"{\"a\":1}"), "event: message\ndata: {\"a\":1}\n\n");
        assert_eq!(
            event(b"{\n\"a\":1\r\n}"),
            "event: message\ndata: {\ndata: \"a\":1\ndata: \ndata: }\n\n"
        );
    }
}

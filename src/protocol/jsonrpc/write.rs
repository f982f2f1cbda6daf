//! An answer or a notification to bytes.

use super::Id;
use crate::protocol::json::{self, Members};
use crate::protocol::pieces::{Pieces, WORTH};
use bytes::Bytes;

const HEAD: &[u8] = br#"{"jsonrpc":"2.0""#;
const ID: &[u8] = br#","id":"#;
const RESULT: &[u8] = br#","result":"#;

/// The response with a result that is written already.
pub(in crate::protocol) fn result(id: &Id, result: &Bytes) -> Pieces {
    if result.len() >= WORTH {
        let head = begin_result(id, 0).into();
        return Pieces::from([head, result.clone(), Bytes::from_static(b"}")]);
    }
    let mut out = begin_result(id, result.len());
    out.extend_from_slice(result);
    out.push(b'}');
    out.into()
}

/// The response up to its result, which is to be written behind it and closed with a `}`. `room`
/// is how many bytes the result will want.
pub(in crate::protocol) fn begin_result(id: &Id, room: usize) -> Vec<u8> {
    let id = id.as_json().as_bytes();
    let frame = HEAD.len() + ID.len() + id.len() + RESULT.len() + 1;
    let mut out = Vec::with_capacity(frame + room);
    for part in [HEAD, ID, id, RESULT] {
        out.extend_from_slice(part);
    }
    out
}

/// The notification of this method; `write` writes the members of its `params`.
pub(in crate::protocol) fn notification(
    method: &str,
    write: impl FnOnce(&mut Members<'_>),
) -> Bytes {
    let mut out = Vec::with_capacity(256);
    out.extend_from_slice(HEAD);
    out.extend_from_slice(br#","method":"#);
    json::string(&mut out, method);
    out.extend_from_slice(br#","params":"#);
    let mut params = Members::open(&mut out);
    write(&mut params);
    params.close();
    out.push(b'}');
    out.into()
}

/// A request of the server's own; `write` writes its `method` and `params`.
pub(in crate::protocol) fn request(id: &str, write: impl FnOnce(&mut Members<'_>)) -> Bytes {
    let mut out = Vec::with_capacity(512);
    let mut message = Members::open(&mut out);
    message.text("jsonrpc", "2.0");
    message.text("id", id);
    write(&mut message);
    message.close();
    out.into()
}

/// The response with an error. Without an id it has no `id` member: JSON-RPC would have `null`
/// there, the protocol does not (specification: basic §Error Responses). `data` is JSON.
pub(in crate::protocol) fn error(
    id: Option<&Id>,
    code: i64,
    message: &str,
    data: Option<&[u8]>,
) -> Bytes {
    let mut out = Vec::with_capacity(128 + message.len() + data.map_or(0, <[u8]>::len));
    out.extend_from_slice(HEAD);
    if let Some(id) = id {
        out.extend_from_slice(ID);
        out.extend_from_slice(id.as_json().as_bytes());
    }
    out.extend_from_slice(br#","error":"#);
    let mut error = Members::open(&mut out);
    json::display(error.member("code"), code);
    error.text("message", message);
    if let Some(data) = data {
        error.raw("data", data);
    }
    error.close();
    out.push(b'}');
    out.into()
}

//! What the pool's errors mean.

use super::error::Fault;
use super::stream::Used;
use super::tls;
use http::Extensions;
use hyper_util::client::legacy;
use std::error::Error;

/// Why no answer came.
pub(super) fn send_fault(error: &legacy::Error) -> Fault {
    if let Some(fault) = tls::fault(error) {
        return fault;
    }
    if find::<h2::Error>(error).is_some() {
        return Fault::Reset;
    }
    match find::<hyper::Error>(error) {
        Some(hyper) if hyper.is_parse_too_large() => Fault::HeadTooLarge,
        Some(hyper) if hyper.is_parse() => Fault::Protocol,
        _ => Fault::Closed,
    }
}

/// True when the request met a connection that had carried answers before and was at its end.
pub(super) fn was_closing(error: &legacy::Error) -> bool {
    let mut extras = Extensions::new();
    if let Some(connection) = error.connect_info() {
        connection.get_extras(&mut extras);
    }
    let reused = extras.get::<Used>().is_some_and(Used::is_marked);
    reused && send_fault(error) == Fault::Closed
}

/// True when an HTTP/2 server vouches that it did nothing with the request: it refused the stream, or
/// was already going away.
pub(super) fn was_refused(error: &legacy::Error) -> bool {
    find::<h2::Error>(error).is_some_and(|error| {
        let expected = if error.is_go_away() {
            h2::Reason::NO_ERROR
        } else {
            h2::Reason::REFUSED_STREAM
        };
        error.is_remote() && error.reason() == Some(expected)
    })
}

/// The first error of this type in the chain.
fn find<'e, E: Error + 'static>(error: &'e (dyn Error + 'static)) -> Option<&'e E> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        next = error.source();
    }
    None
}

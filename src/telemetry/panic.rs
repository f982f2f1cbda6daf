//! A panic as an event of the log.

use std::panic::PanicHookInfo;
use std::thread;

/// The target of panics' events.
pub(super) const TARGET: &str = "snodo::panic";

/// Replaces the standard hook, which writes to stderr by itself and could be held up there. The
/// thread goes on unwinding as before.
pub(super) fn install() {
    std::panic::set_hook(Box::new(log));
}

fn log(info: &PanicHookInfo<'_>) {
    let message = info.payload_as_str().unwrap_or("a value that is no text");
    let place = info.location().map(ToString::to_string);
    let place = place.as_deref().unwrap_or("unknown");
    let thread = thread::current();
    let thread = thread.name().unwrap_or("unnamed");
    // Captured only when the environment asks for it (RUST_BACKTRACE).
    let backtrace = std::backtrace::Backtrace::capture();
    match backtrace.status() {
        std::backtrace::BacktraceStatus::Captured => {
            tracing::error!(target: TARGET, place, thread, %backtrace, "panicked: {message}");
        }
        _ => tracing::error!(target: TARGET, place, thread, "panicked: {message}"),
    }
}

//! The one task that writes.

use super::outbox::{Message, Outbox};
use std::io;
use std::sync::Arc;
use tokio::io::{AsyncWrite, AsyncWriteExt as _};

/// Messages are gathered up to this many bytes before they are written. A larger one is written
/// as it is.
const GATHER: usize = 64 * 1024;

/// Writes messages, a line each, until the outbox is closed and empty.
///
/// # Errors
/// When the output cannot be written; what is left in the outbox stays there.
pub(super) async fn write(
    mut output: impl AsyncWrite + Unpin,
    outbox: Arc<Outbox>,
) -> io::Result<()> {
    let mut gathered = Vec::with_capacity(GATHER);
    let mut messages = Vec::new();
    loop {
        let Some(first) = outbox.next().await else {
            return output.flush().await;
        };
        messages.push(first);
        // Large ones leave alone, without another copy.
        while messages
            .last()
            .is_some_and(|last| gather(&mut gathered, last))
        {
            match outbox.take() {
                Some(next) => messages.push(next),
                None => break,
            }
        }
        output.write_all(&gathered).await?;
        if let Some(large) = messages.last().filter(|last| is_large(last)) {
            output.write_all(&large.bytes).await?;
            output.write_all(b"\n").await?;
        }
        output.flush().await?;
        for message in messages.drain(..) {
            outbox.sent(&message);
        }
        gathered.clear();
    }
}

fn is_large(message: &Message) -> bool {
    message.bytes.len() >= GATHER
}

/// Adds a small message to those gathered. True when there is room for another.
fn gather(gathered: &mut Vec<u8>, message: &Message) -> bool {
    if is_large(message) {
        return false;
    }
    gathered.extend_from_slice(&message.bytes);
    gathered.push(b'\n');
    gathered.len() < GATHER
}

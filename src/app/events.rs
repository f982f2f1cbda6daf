//! What workers tell of resources, passed on to those who listen.

use crate::actor::{EventStream, Heard};
use crate::runtime::{Changed, Handle, Hub};

/// Passes it on for as long as it is polled. What was kept of a resource is forgotten before anybody is
/// told that it has changed.
pub(super) async fn pass_on(mut events: EventStream, handle: Handle, hub: Hub) {
    while let Some(heard) = events.next().await {
        match heard {
            Heard::Updated(uri) => {
                let mut changed = Changed::default();
                changed.uri(&uri);
                handle.snapshot().forget(&changed);
                hub.updated(&changed);
            }
            Heard::Lost(lost) => {
                tracing::warn!(
                    lost,
                    "workers told of more changed resources than could be passed on; \
                     whoever listens is told of all of theirs"
                );
                handle.snapshot().forget_all();
                hub.all_updated();
            }
        }
    }
}

//! What workers tell of resources, passed on to those who listen.

use crate::actor::{EventStream, Heard};
use crate::runtime::{Changed, Hub};

/// Passes it on for as long as it is polled.
pub(super) async fn pass_on(mut events: EventStream, hub: Hub) {
    while let Some(heard) = events.next().await {
        match heard {
            Heard::Updated(uri) => {
                let mut changed = Changed::default();
                changed.uri(&uri);
                hub.updated(&changed);
            }
            Heard::Lost(lost) => {
                tracing::warn!(
                    lost,
                    "workers told of more changed resources than could be passed on; \
                     whoever listens is told of all of theirs"
                );
                hub.all_updated();
            }
        }
    }
}

//! What the server file says and only a new start can do.

use crate::model::{HttpSettings, Settings};

/// The parts of the settings that are not what they were in the last load, nor what the process
/// started with, and that a reload does not change.
pub(super) fn needed_for(
    now: &Settings,
    before: &Settings,
    started: &Settings,
) -> Vec<&'static str> {
    let differ = |one: &Settings, two: &Settings| {
        [
            // Where to listen is changed at once.
            (
                "http",
                without_places(&one.http) != without_places(&two.http),
            ),
            // Another certificate is shown at once; whether there is one is not.
            ("http.tls", one.http.tls.is_some() != two.http.tls.is_some()),
            (
                "http.request_timeout_ms",
                one.request_timeout != two.request_timeout,
            ),
            ("http.max_in_flight", one.max_in_flight != two.max_in_flight),
            ("http.max_queued", one.max_queued != two.max_queued),
            ("metrics", one.reports != two.reports),
            ("traces", one.traces != two.traces),
            ("server.grace_ms", one.server.grace != two.server.grace),
            (
                "server.state_dir",
                one.server.state_dir != two.server.state_dir,
            ),
            ("reload", one.reload != two.reload),
            ("log", one.log != two.log),
        ]
    };
    let both = differ(now, before).into_iter().zip(differ(now, started));
    both.filter(|((_, new), (_, unlike_start))| *new && *unlike_start)
        .map(|((key, _), _)| key)
        .collect()
}

fn without_places(http: &HttpSettings) -> HttpSettings {
    HttpSettings {
        listen: Vec::new(),
        tls: None,
        ..http.clone()
    }
}

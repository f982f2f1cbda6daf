//! Who listens: each change must be heard, and whoever asks then must see it.

use super::speaker::Speaker;
use super::world::{Alarm, World};
use crate::subscriptions::listen;
use crate::support::{Events, list};
use serde_json::{Value, json};

pub const LISTS: [&str; 2] = [
    "changes of lists that were heard",
    "changes of lists that were heard by a session",
];
pub const RESOURCES: [&str; 2] = [
    "changes of resources that were heard",
    "changes of resources that were heard by a session",
];
const SUBSCRIBED: [&str; 2] = ["told://it", "notes:///watched.txt"];

/// The number of the edit that a list of tools shows.
pub fn edit_in(answer: &Value) -> u64 {
    let tools = answer["result"]["tools"].as_array();
    let tools = tools.unwrap_or_else(|| panic!("{answer}"));
    let mut descriptions = tools.iter().filter_map(|tool| tool["description"].as_str());
    let number = descriptions.find_map(|text| text.strip_prefix("edit "));
    number.unwrap().parse().unwrap()
}

/// By `subscriptions/listen`, until the last edit is heard.
pub fn modern(world: &World) {
    let _alarm = Alarm(world);
    let wanted = json!({ "toolsListChanged": true, "resourceSubscriptions": SUBSCRIBED });
    let id = world.token();
    let mut events = world.connect().events(&listen(id.as_str(), wanted));
    let first = events.next().expect("an acknowledgement");
    assert_eq!(first["method"], "notifications/subscriptions/acknowledged");
    hear(world, 0, &mut events);
}

/// By the GET stream of a session, until the last edit is heard.
pub fn legacy(world: &World) {
    let _alarm = Alarm(world);
    let dialect = Speaker::handshake(world);
    let mut speaker = Speaker::http(world, "a session that listens", dialect);
    let mut events = speaker.listen();
    for uri in SUBSCRIBED {
        let request = speaker.request("s", "resources/subscribe", json!({ "uri": uri }));
        let answer: Value = serde_json::from_slice(&speaker.ask(&request)).unwrap();
        assert_eq!(answer["result"], json!({}), "{answer}");
    }
    hear(world, 1, &mut events);
    drop(events);
    let mut connection = world.connect();
    let headers = speaker.headers();
    assert_eq!(connection.bare("DELETE", &headers).status, 204);
}

fn hear(world: &World, who: usize, events: &mut Events) {
    let mut seen = 0;
    loop {
        let event = events.next().expect("the stream has ended");
        match event["method"].as_str().unwrap() {
            "notifications/tools/list_changed" => {
                world.tally.happened(LISTS[who]);
                let number = edit_in(&world.daemon.ask(&list(world.token())));
                assert!(number >= seen, "{number} after {seen}");
                seen = number;
                if world.is_last(number) {
                    return;
                }
            }
            "notifications/resources/updated" => {
                let uri = event["params"]["uri"].as_str().unwrap();
                assert!(SUBSCRIBED.contains(&uri), "{event}");
                world.tally.happened(RESOURCES[who]);
            }
            // Sessions hear of all lists.
            "notifications/resources/list_changed" if who == 1 => {}
            _ => panic!("{event}"),
        }
    }
}

//! `subscriptions/listen`: what is listened for, and each message that comes of it.

use super::*;
use crate::ops::{Change, Filter, ListKind};
use crate::protocol::Listen;

/// What comes of listening for this, to a server that offers everything.
fn listening(notifications: &Value) -> Result<Listen, String> {
    let all = Some(Behaviour::default());
    let offer = Offer {
        tools: all,
        prompts: all,
        resources: all,
        ..Offer::default()
    };
    let members = format!(r#""notifications":{notifications}"#);
    let message = request("subscriptions/listen", &members);
    let conversation = &mut Conversation::default();
    let step = receive(
        &face_offering(offer),
        Carrier::Stream(conversation),
        message.as_bytes(),
    );
    match step {
        Step::Listen(listen) => Ok(*listen),
        Step::Reply(response) => {
            let body: Value = serde_json::from_slice(&response.body.into_bytes()).unwrap();
            Err(body["error"]["message"].as_str().unwrap().to_owned())
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn each_kind_is_listened_for_when_it_is_asked_for() {
    for (asked, expected) in [
        (json!({}), [false; 3]),
        (json!({ "toolsListChanged": true }), [true, false, false]),
        (
            json!({ "promptsListChanged": true, "toolsListChanged": false }),
            [false, true, false],
        ),
        (
            json!({ "resourcesListChanged": true, "other": 1 }),
            [false, false, true],
        ),
    ] {
        let filter = listening(&asked).unwrap().filter;
        assert_eq!([filter.tools, filter.prompts, filter.resources], expected);
        assert!(filter.uris.is_none());
    }
}

#[test]
fn resources_are_bounded_in_number_and_length() {
    let uris = |count: usize, length: usize| {
        let uris = (0..count).map(|i| format!("r://{}{i:04}", "x".repeat(length - 8)));
        json!({ "resourceSubscriptions": uris.collect::<Vec<_>>() })
    };
    let long = Filter::MOST_BYTES / 4;
    for (asked, refused) in [
        (uris(Filter::MOST, 12), None),
        (uris(Filter::MOST + 1, 12), Some("names more than")),
        (uris(4, long), None),
        (uris(5, long), Some("bytes, more than")),
    ] {
        match (listening(&asked), refused) {
            (Ok(listen), None) => assert!(!listen.filter.uris.unwrap().is_empty()),
            (Err(error), Some(part)) => assert!(error.contains(part), "{error}"),
            (came, _) => panic!("{:?}", came.map(|_| "listens")),
        }
    }
}

#[test]
fn every_message_says_whose_listening_it_belongs_to() {
    let asked = json!({ "toolsListChanged": true, "resourceSubscriptions": ["r://x"] });
    let Listen {
        subscription,
        filter,
        ..
    } = listening(&asked).unwrap();
    assert_eq!(subscription.revision(), "2026-07-28");
    let meta = || json!({ "io.modelcontextprotocol/subscriptionId": 1 });
    let said = |bytes: &[u8]| {
        let mut message: Value = serde_json::from_slice(bytes).unwrap();
        let params = message["params"].take();
        (message["method"].as_str().unwrap().to_owned(), params)
    };
    assert_eq!(
        said(&subscription.acknowledged(&filter)),
        (
            "notifications/subscriptions/acknowledged".to_owned(),
            json!({ "_meta": meta(), "notifications": asked })
        )
    );
    for (change, method) in [
        (ListKind::Tools, "notifications/tools/list_changed"),
        (ListKind::Prompts, "notifications/prompts/list_changed"),
        (ListKind::Resources, "notifications/resources/list_changed"),
    ] {
        let change = subscription.change(&Change::List(change));
        assert_eq!(
            said(&change),
            (method.to_owned(), json!({ "_meta": meta() }))
        );
    }
    let updated = subscription.change(&Change::Resource("r://x".into()));
    assert_eq!(
        said(&updated),
        (
            "notifications/resources/updated".to_owned(),
            json!({ "_meta": meta(), "uri": "r://x" })
        )
    );
    let (method, params) = said(&subscription.cancelled());
    assert_eq!(
        (method.as_str(), &params["requestId"]),
        ("notifications/cancelled", &json!(1))
    );
    let over = subscription.listened(&face());
    let over: Value = serde_json::from_slice(&over.body.into_bytes()).unwrap();
    assert_eq!(over["id"], 1);
    assert_eq!(over["result"]["resultType"], "complete");
    assert_eq!(
        over["result"]["_meta"]["io.modelcontextprotocol/subscriptionId"],
        1
    );
    assert_eq!(
        over["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"],
        "shop"
    );
}

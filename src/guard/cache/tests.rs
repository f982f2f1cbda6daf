//! What kept answers take, and that it is counted.

use super::*;
use crate::model::CacheScope;
use crate::ops::{
    Base64, Completion, Message, PromptOutcome, ResourceContent, ResourceOutcome, Role, ToolOutcome,
};
use serde_json::{Map, Value, json};

fn text(length: usize) -> Answer {
    tool(vec![Block::text("x".repeat(length))])
}

fn tool(content: Vec<Block>) -> Answer {
    Answer::Tool(ToolOutcome {
        content,
        ..ToolOutcome::default()
    })
}

fn structured(structured: Value) -> Answer {
    Answer::Tool(ToolOutcome {
        structured: Some(structured),
        ..ToolOutcome::default()
    })
}

fn contents(payloads: [Payload; 2]) -> Answer {
    let content = |payload| ResourceContent {
        uri: "file:///x".into(),
        mime_type: None,
        payload,
        meta: Map::new(),
    };
    Answer::Resource(ResourceOutcome {
        contents: payloads.map(content).into(),
        cache: crate::model::Cache {
            ttl_ms: 0,
            scope: CacheScope::Private,
        },
        meta: Map::new(),
    })
}

fn messages(texts: &[&str]) -> Answer {
    let message = |text: &&str| Message {
        role: Role::User,
        content: Block::text(*text),
    };
    Answer::Prompt(PromptOutcome {
        messages: texts.iter().map(message).collect(),
        ..PromptOutcome::default()
    })
}

fn member() -> Map<String, Value> {
    [("uri".to_owned(), json!("r://x"))].into_iter().collect()
}

/// Each character counts once, what goes with it about.
#[test]
fn the_sizes_of_answers() {
    let data = || Base64::encode(b"ABC");
    let image = Block::Image {
        data: data(),
        mime_type: "image/png".into(),
        annotations: None,
    };
    let resource = Block::Resource {
        uri: "r://x".into(),
        mime_type: None,
        payload: Payload::Blob(data()),
        annotations: None,
    };
    let link = Block::ResourceLink {
        resource: member(),
        annotations: None,
    };
    let completion = Answer::Completion(Completion {
        values: vec!["ab".into(), "c".into()],
        total: 2,
    });
    for (answer, bytes) in [
        (tool(vec![]), 128),
        (tool(vec![Block::text("ab"), Block::text("c")]), 3 * 128 + 3),
        (tool(vec![image]), 2 * 128 + 4),
        (tool(vec![resource]), 2 * 128 + 4),
        (tool(vec![link]), 2 * 128 + 64),
        (structured(json!({ "n": 1 })), 128 + 4 * 7),
        (
            contents([Payload::Text("ab".into()), Payload::Blob(data())]),
            3 * 128 + 6,
        ),
        (messages(&["ab", "c"]), 3 * 128 + 3),
        (completion, 128 + 2 + 1 + 2 * 24),
    ] {
        assert_eq!(size(&answer), Some(bytes), "{answer:?}");
    }
    assert_eq!(size(&Answer::Tool(ToolOutcome::error("no"))), None);
}

#[tokio::test(start_paused = true)]
async fn what_is_taken_is_counted_once_and_given_back() {
    let cache = Cache::new(Duration::from_secs(1));
    let is_kept = |key: &str| cache.get(key, Instant::now()).is_ok();
    let keep = |key: &str, length| {
        cache.keep(key.to_owned(), &text(length), Begun(0), Instant::now());
    };
    // Three under one key are one, and leave the small one its place.
    keep("small", 1);
    for _ in 0..3 {
        keep("large", 9 << 20);
    }
    assert!(is_kept("small") && is_kept("large"));
    // What is over gives its place back when it is asked for.
    tokio::time::advance(Duration::from_secs(1)).await;
    assert!(!is_kept("small") && !is_kept("large"));
    assert_eq!(cache.kept().bytes, 0);
    keep("new", 1);
    // Exactly what is left, then one byte more than all.
    let taken = cache.kept().bytes;
    let frames = 2 * 128 + "full".len();
    keep("full", MOST_BYTES - taken - frames);
    assert!(is_kept("new") && is_kept("full"));
    assert_eq!(cache.kept().bytes, MOST_BYTES);
    keep("whole", MOST_BYTES - frames);
    assert!(is_kept("full") && !is_kept("whole"));
    keep("all!", MOST_BYTES - frames);
    assert!(is_kept("all!") && !is_kept("full") && !is_kept("new"));
    // Keys take their place too.
    let long = "k".repeat(9 << 20);
    keep(&long, 1);
    assert!(is_kept(&long) && !is_kept("all!"));
}

//! Which keys are taken, and when they are fetched anew.

use super::*;
use crate::action::http::{ClientOptions, StandIn, StandInReply};
use http::StatusCode;
use serde_json::json;
use tokio::time::advance;

fn ec(id: &str) -> Value {
    json!({
        "kty": "EC", "crv": "P-256", "kid": id, "alg": "ES256", "use": "sig",
        "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
        "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
    })
}

fn says(status: u16, ids: &[&str]) -> StandInReply {
    let keys: Vec<Value> = ids.iter().map(|id| ec(id)).collect();
    StandInReply::Response {
        status: StatusCode::from_u16(status).unwrap(),
        headers: Vec::new(),
        body: json!({ "keys": keys }).to_string().into(),
    }
}

/// The keys of an issuer that answers like this, one after the other.
fn keys(replies: impl IntoIterator<Item = StandInReply>) -> (Arc<Keys>, Arc<StandIn>) {
    let issuer = Arc::new(StandIn::new(replies));
    let client = Client::with_stand_in(&ClientOptions::default(), &issuer).unwrap();
    let spec = OauthSpec {
        issuer: "https://issuer.example".to_owned(),
        resource: "https://snodo.example/mcp".parse().unwrap(),
        audience: Vec::new(),
        jwks_url: "https://issuer.example/keys".parse().ok(),
        algorithms: Vec::new(),
        scopes_supported: Vec::new(),
        principal_claim: "sub".to_owned(),
        leeway: Duration::ZERO,
        ca: Vec::new(),
    };
    (Keys::new(Arc::new(spec), client), issuer)
}

async fn has(keys: &Arc<Keys>, id: &str) -> Result<bool, Unavailable> {
    let fitting = keys.fitting(Some(id), Algorithm::ES256).await;
    fitting.map(|keys| !keys.is_empty())
}

/// Lets what is fetched beside come.
async fn until(keys: &Arc<Keys>, fetches: usize, issuer: &StandIn) {
    loop {
        let is_running = {
            let fetching = keys.fetching.lock().await;
            let running = fetching.running.as_ref();
            running.is_some_and(|running| !running.is_finished())
        };
        if !is_running && issuer.record().requests.len() >= fetches {
            return;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test(start_paused = true)]
async fn old_keys_are_fetched_anew_while_they_are_used() {
    let (keys, issuer) = keys([
        says(200, &["a"]),
        says(200, &["a", "b"]),
        says(200, &["a", "c"]),
        says(200, &["c", "d"]),
    ]);
    assert_eq!(has(&keys, "a").await, Ok(true));
    advance(FRESH - Duration::from_secs(1)).await;
    assert_eq!(has(&keys, "a").await, Ok(true));
    assert_eq!(issuer.record().requests.len(), 1);
    advance(Duration::from_secs(1)).await;
    assert_eq!(has(&keys, "a").await, Ok(true));
    until(&keys, 2, &issuer).await;
    assert_eq!(has(&keys, "b").await, Ok(true));
    // What was fetched beside some time ago is no reason not to look for a key that is not there.
    advance(PAUSE).await;
    assert_eq!(has(&keys, "c").await, Ok(true));
    assert_eq!(has(&keys, "b").await, Ok(false));
    assert_eq!(issuer.record().requests.len(), 3);
    // They grow old again: a key that is taken back is not taken any more.
    advance(FRESH).await;
    assert_eq!(has(&keys, "a").await, Ok(true));
    until(&keys, 4, &issuer).await;
    assert_eq!(has(&keys, "a").await, Ok(false));
    assert_eq!(has(&keys, "d").await, Ok(true));
    assert_eq!(issuer.record().requests.len(), 4);
    assert!(issuer.record().unanswered.is_empty());
}

#[tokio::test(start_paused = true)]
async fn known_keys_are_used_for_a_day_without_their_server() {
    let (keys, issuer) = keys(std::iter::once(says(200, &["a"])).chain(
        // It is asked no more than once in a while.
        (0..4).map(|_| says(500, &[])),
    ));
    assert_eq!(has(&keys, "a").await, Ok(true));
    advance(FRESH).await;
    for fetches in [2, 3] {
        for _ in 0..3 {
            assert_eq!(has(&keys, "a").await, Ok(true));
            until(&keys, fetches, &issuer).await;
        }
        assert_eq!(issuer.record().requests.len(), fetches);
        advance(RETRY).await;
    }
    // Whether there is another key cannot be told.
    assert_eq!(has(&keys, "b").await, Err(Unavailable));
    assert_eq!(has(&keys, "b").await, Err(Unavailable));
    assert_eq!(issuer.record().requests.len(), 4);
    advance(USABLE).await;
    assert_eq!(has(&keys, "a").await, Err(Unavailable));
    assert_eq!(issuer.record().requests.len(), 5);
}

#[test]
fn only_public_keys_for_signatures_are_taken() {
    let ec = ec("e");
    let mut other_use = ec.clone();
    other_use["use"] = "enc".into();
    let mut other_algorithm = ec.clone();
    other_algorithm["alg"] = "RSA-OAEP".into();
    let keys = read(json!({ "keys": [
        ec, other_use, other_algorithm,
        { "kty": "oct", "k": "c2VjcmV0", "alg": "HS256" },
        { "kty": "new" }, 5, { "kty": "RSA", "n": "!", "e": "AQAB" },
    ] }));
    let keys = keys.unwrap();
    assert_eq!(keys.len(), 1);
    let known = Known {
        keys,
        since: Some(Instant::now()),
    };
    assert_eq!(known.fitting(Some("e"), Algorithm::ES256).len(), 1);
    assert_eq!(known.fitting(None, Algorithm::ES256).len(), 1);
    assert!(known.fitting(Some("f"), Algorithm::ES256).is_empty());
    assert!(known.fitting(None, Algorithm::ES384).is_empty());
    assert!(known.fitting(None, Algorithm::RS256).is_empty());
    assert!(read(json!({})).is_err());
}

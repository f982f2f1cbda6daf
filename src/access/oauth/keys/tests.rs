//! Which keys are taken.

use super::*;
use serde_json::json;

#[test]
fn only_public_keys_for_signatures_are_taken() {
    let ec = json!({
        "kty": "EC", "crv": "P-256", "kid": "e", "alg": "ES256", "use": "sig",
        "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
        "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
    });
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

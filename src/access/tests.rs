//! Tests of who is let in, and of what the others are told.

use super::*;
use crate::model::{CallerSpec, TokenSpec};
use http::header::AUTHORIZATION;
use ring::digest::{SHA256, digest};

fn token(principal: &str, scopes: &[&str], token: &str) -> TokenSpec {
    let mut sha256 = [0; 32];
    sha256.copy_from_slice(digest(&SHA256, token.as_bytes()).as_ref());
    TokenSpec {
        caller: CallerSpec {
            principal: principal.into(),
            scopes: scopes.iter().map(|scope| (*scope).to_owned()).collect(),
        },
        sha256,
    }
}

fn access(anonymous: bool) -> Access {
    let settings = AuthSettings {
        tokens: vec![token("ci", &["b", "a"], "t0k"), token("ops", &[], "other")],
        on: true,
        anonymous,
        ..AuthSettings::default()
    };
    Access::new(&settings, "the \"x\" server\n").unwrap()
}

fn headers(values: &[&str]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for value in values {
        headers.append(AUTHORIZATION, HeaderValue::from_str(value).unwrap());
    }
    headers
}

async fn denied(access: &Access, values: &[&str]) -> (u16, String) {
    let denied = access.admit(&headers(values)).await.unwrap_err();
    let challenge = denied.challenge.unwrap();
    (
        denied.status.as_u16(),
        challenge.to_str().unwrap().to_owned(),
    )
}

#[tokio::test]
async fn a_token_is_its_holders() {
    let access = access(false);
    for (value, principal, scopes) in [
        ("Bearer t0k", "ci", &["a", "b"][..]),
        ("bearer   t0k ", "ci", &["a", "b"]),
        ("BEARER other", "ops", &[]),
    ] {
        let caller = access.admit(&headers(&[value])).await.unwrap();
        assert_eq!(caller.principal(), Some(principal));
        assert_eq!(caller.scopes(), scopes);
    }
}

#[tokio::test]
async fn others_are_told_what_is_wrong_and_not_what_they_sent() {
    let access = access(false);
    let realm = r#"Bearer realm="the \"x\" server""#;
    assert_eq!(denied(&access, &[]).await, (401, realm.to_owned()));
    assert_eq!(
        denied(&access, &["Basic dDBr"]).await,
        (401, realm.to_owned())
    );
    let invalid = format!(
        r#"{realm}, error="invalid_token", error_description="the access token is not valid""#
    );
    for wrong in ["Bearer t0", "Bearer t0kk", "Bearer T0K"] {
        assert_eq!(denied(&access, &[wrong]).await, (401, invalid.clone()));
    }
    for malformed in [
        &["Bearer"][..],
        &["Bearer a b"],
        &["Bearer t0k", "Bearer t0k"],
    ] {
        let (status, challenge) = denied(&access, malformed).await;
        assert_eq!(status, 400);
        assert!(
            challenge.contains(r#"error="invalid_request""#),
            "{challenge}"
        );
    }
}

#[tokio::test]
async fn the_anonymous_are_let_in_where_they_may_be() {
    let access = access(true);
    let caller = access.admit(&headers(&[])).await.unwrap();
    assert_eq!(caller, Caller::default());
    // A token that is not good is no way to be anonymous.
    assert_eq!(denied(&access, &["Bearer x"]).await.0, 401);
    let scopes = ["a".to_owned(), "b".to_owned()];
    let asked = access.forbidden(&caller, &scopes);
    assert_eq!(asked.status, StatusCode::UNAUTHORIZED);
    let challenge = asked.challenge.unwrap();
    assert!(challenge.to_str().unwrap().ends_with(r#"scope="a b""#));
}

#[tokio::test]
async fn what_a_revoked_caller_has_shown_is_over() {
    let access = access(false);
    let caller = access.admit(&headers(&["Bearer t0k"])).await.unwrap();
    let mut over = Box::pin(caller.over());
    assert!(futures_util::FutureExt::now_or_never(&mut over).is_none());
    access.revoke();
    over.await;
}

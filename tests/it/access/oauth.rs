//! Tokens of an authorization server: which are good, what the others are told, keys that change,
//! and a server of keys that hangs or lies.

use super::issuer::{Behaviour, Issuer, Key, now};
use super::{known, project, with};
use crate::support::{Daemon, Project, call, list, modern, within};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

pub const RESOURCE: &str = "https://mcp.example.com/mcp";

const MANIFEST: &str = r#"
[[tool]]
name = "who"
result.structured = { name = "{{ auth.principal }}", scopes = "{{ auth.scopes }}" }

[[tool]]
name = "secret"
scopes = ["read"]
result.text = "s"
"#;

fn served(issuer: &Issuer, more: &str) -> (Project, Daemon) {
    let server = format!(
        "[server]\nname = \"shop\"\n[auth.oauth]\nissuer = \"{}\"\nresource = \"{RESOURCE}\"\n{more}",
        issuer.url()
    );
    let project = project(MANIFEST, &server);
    let daemon = project.serve();
    (project, daemon)
}

fn who(daemon: &Daemon, token: &str) -> (u16, Value) {
    let reply = with(daemon, token).post(&call(1, "who", json!({})));
    (
        reply.status,
        reply.json()["result"]["structuredContent"].clone(),
    )
}

/// The status, and what the challenge says is wrong.
fn refused(daemon: &Daemon, token: &str) -> (u16, String) {
    let reply = with(daemon, token).post(&list(1));
    let challenge = reply.header("www-authenticate").unwrap_or_default();
    let words = challenge.split("error_description=\"").nth(1);
    let words = words.and_then(|rest| rest.split('"').next());
    (reply.status, words.unwrap_or_default().to_owned())
}

const METADATA: &str = "https://mcp.example.com/.well-known/oauth-protected-resource/mcp";

#[test]
fn a_token_that_the_issuer_signed_for_this_server_is_good() {
    let key = Key::new("k1");
    let issuer = Issuer::start(&[&key]);
    let (_project, daemon) = served(&issuer, "");
    let claims = issuer.claims("ada", "read write");
    let expected = json!({ "name": "ada", "scopes": ["read", "write"] });
    assert_eq!(who(&daemon, &key.sign(&claims)), (200, expected.clone()));
    // Without a type and without a key's name; for several audiences; scopes as a list.
    let mut other = claims.clone();
    other["aud"] = json!(["https://other.example", RESOURCE]);
    other["scope"] = Value::Null;
    other.as_object_mut().unwrap().remove("scope");
    other["scp"] = json!(["write", "read"]);
    let token = key.sign_as(&json!({ "alg": "ES256" }), &other);
    assert_eq!(who(&daemon, &token), (200, expected));
    // The keys were fetched once, from where the issuer's document says.
    assert_eq!(
        issuer.asked(),
        [
            "/.well-known/oauth-authorization-server",
            "/.well-known/openid-configuration",
            "/keys",
        ]
    );
}

#[test]
fn tokens_that_are_not_are_told_why_and_never_shown() {
    let (key, stranger) = (Key::new("k1"), Key::new("k1"));
    let issuer = Issuer::start(&[&key]);
    let (project, daemon) = served(&issuer, "");
    let good = issuer.claims("ada-secret-name", "read");
    let but = |name: &str, value: Value| {
        let mut claims = good.clone();
        claims[name] = value;
        key.sign(&claims)
    };
    let without = |name: &str| {
        let mut claims = good.clone();
        claims.as_object_mut().unwrap().remove(name);
        key.sign(&claims)
    };
    let tampered = {
        let token = key.sign(&good);
        let (head, signature) = token.rsplit_once('.').unwrap();
        let (head, _) = head.split_once('.').unwrap();
        let claims = issuer.claims("root", "read write");
        let forged = key.sign(&claims);
        let payload = forged.split('.').nth(1).unwrap();
        format!("{head}.{payload}.{signature}")
    };
    let unsigned = {
        let token = key.sign_as(&json!({ "alg": "none" }), &good);
        format!("{}.", token.rsplit_once('.').unwrap().0)
    };
    let invalid = "the access token is not valid";
    let expired = "the access token has expired";
    for (what, token, words) in [
        ("signed by another", stranger.sign(&good), invalid),
        ("tampered with", tampered, invalid),
        ("not signed", unsigned, invalid),
        (
            "an HMAC",
            key.sign_as(&json!({ "alg": "HS256", "kid": "k1" }), &good),
            invalid,
        ),
        (
            "critical",
            key.sign_as(&json!({ "alg": "ES256", "crit": ["x"], "x": 1 }), &good),
            invalid,
        ),
        (
            "for another",
            but("aud", "https://other.example/mcp".into()),
            invalid,
        ),
        ("for nobody", without("aud"), invalid),
        (
            "of another issuer",
            but("iss", "https://evil.example".into()),
            invalid,
        ),
        (
            "of several issuers",
            but("iss", json!([issuer.url(), "x"])),
            invalid,
        ),
        ("of nobody", without("iss"), invalid),
        ("over", but("exp", (now() - 100).into()), expired),
        (
            "without an end",
            without("exp"),
            "the access token does not say when it ends",
        ),
        (
            "with an end that is none",
            but("exp", "soon".into()),
            "the access token does not say when it ends",
        ),
        (
            "not yet",
            but("nbf", (now() + 100).into()),
            "the access token is not valid yet",
        ),
        (
            "without a subject",
            without("sub"),
            "the access token names no caller",
        ),
        ("no token", "nonsense".to_owned(), invalid),
        ("half a token", "a.b".to_owned(), invalid),
    ] {
        assert_eq!(refused(&daemon, &token), (401, words.to_owned()), "{what}");
        let shown = daemon.stderr();
        assert!(!shown.contains(&token), "{what}: {shown}");
    }
    // Clocks may be apart a little.
    assert_eq!(who(&daemon, &but("exp", (now() - 1).into())).0, 200);
    assert!(
        !daemon.stderr().contains("evil.example"),
        "{}",
        daemon.stderr()
    );
    drop(project);
}

#[test]
fn challenges_lead_to_the_document_that_leads_to_the_issuer() {
    let key = Key::new("k1");
    let issuer = Issuer::start(&[&key]);
    let (_project, daemon) = served(&issuer, "scopes_supported = [\"read\"]\n");
    let realm = format!(r#"Bearer realm="shop", resource_metadata="{METADATA}""#);
    let challenge = |reply: &crate::support::Reply| {
        let challenge = reply.header("www-authenticate").unwrap();
        (reply.status, challenge.to_owned())
    };
    assert_eq!(
        challenge(&daemon.post(&list(1))),
        (401, format!(r#"{realm}, scope="read""#))
    );
    let few = key.sign(&issuer.claims("ada", "other"));
    assert_eq!(
        challenge(&with(&daemon, &few).post(&call(1, "secret", json!({})))),
        (
            403,
            format!(
                r#"{realm}, error="insufficient_scope", scope="read", error_description="insufficient scope""#
            )
        )
    );
    let enough = key.sign(&issuer.claims("ada", "read"));
    assert_eq!(
        with(&daemon, &enough)
            .post(&call(1, "secret", json!({})))
            .status,
        200
    );
    for path in [
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-protected-resource/mcp",
        "/.well-known/oauth-protected-resource/mcp/",
    ] {
        let mut connection = daemon.connect();
        let host = daemon.address();
        connection.send(
            format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://localhost:6274\r\n\r\n")
                .as_bytes(),
        );
        let reply = connection.reply();
        assert_eq!(reply.status, 200, "{path}");
        assert_eq!(reply.header("content-type"), Some("application/json"));
        assert_eq!(
            reply.header("access-control-allow-origin"),
            Some("http://localhost:6274")
        );
        assert_eq!(
            reply.json(),
            json!({
                "resource": RESOURCE,
                "authorization_servers": [issuer.url()],
                "bearer_methods_supported": ["header"],
                "scopes_supported": ["read"],
                "resource_name": "shop",
            })
        );
    }
    for (method, path, status) in [
        ("GET", "/.well-known/oauth-protected-resource/other", 404),
        ("GET", "/.well-known/other", 404),
        ("POST", "/.well-known/oauth-protected-resource", 405),
        ("OPTIONS", "/.well-known/oauth-protected-resource/mcp", 204),
    ] {
        let mut connection = daemon.connect();
        let host = daemon.address();
        connection.send(
            format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 0\r\n\r\n")
                .as_bytes(),
        );
        assert_eq!(connection.head().status, status, "{method} {path}");
    }
}

#[test]
fn keys_that_change_are_found_and_known_ones_outlive_their_server() {
    let (old, new, never) = (Key::new("old"), Key::new("new"), Key::new("never"));
    let issuer = Issuer::start(&[&old]);
    let (_project, daemon) = served(&issuer, &format!("jwks_url = \"{}/keys\"\n", issuer.url()));
    let token = |key: &Key| key.sign(&issuer.claims("ada", ""));
    assert_eq!(who(&daemon, &token(&old)).0, 200);
    issuer.has(&[&old, &new]);
    // Not sooner than made-up keys may make it ask.
    within("the new key is found", || {
        (who(&daemon, &token(&new)).0 == 200).then_some(())
    });
    // Made-up keys make it ask no more than once in a while.
    let before = issuer.asked().len();
    for _ in 0..50 {
        assert_eq!(refused(&daemon, &token(&never)).0, 401);
    }
    assert!(issuer.asked().len() <= before + 2, "{:?}", issuer.asked());
    // Whose keys are known is served while their server hangs, and at once.
    issuer.set(Behaviour::Hang);
    let began = Instant::now();
    for _ in 0..20 {
        assert_eq!(who(&daemon, &token(&old)).0, 200);
    }
    assert!(
        began.elapsed() < Duration::from_secs(4),
        "{:?}",
        began.elapsed()
    );
}

#[test]
fn a_server_of_keys_that_hangs_holds_up_nobody_else_and_not_for_long() {
    let key = Key::new("k1");
    let issuer = Issuer::start(&[&key]);
    issuer.set(Behaviour::Hang);
    let tokens = known("ci", "", "t0ken");
    let (_project, daemon) = served(&issuer, &tokens);
    let token = key.sign(&issuer.claims("ada", ""));
    let began = Instant::now();
    let mut waiting = with(&daemon, &token);
    waiting.send_message(&list(1));
    // A token that needs no keys is judged meanwhile.
    assert_eq!(with(&daemon, "t0ken").post(&list(1)).status, 200);
    assert!(began.elapsed() < Duration::from_secs(4));
    let reply = waiting.reply();
    assert_eq!(reply.status, 503);
    assert_eq!(reply.header("www-authenticate"), None);
    assert!(reply.header("retry-after").is_some());
    assert!(
        began.elapsed() < Duration::from_secs(15),
        "{:?}",
        began.elapsed()
    );
    daemon.wait_for_log("cannot fetch the keys of access tokens");
    // It comes back.
    issuer.has(&[&key]);
    within("tokens are good again", || {
        (who(&daemon, &token).0 == 200).then_some(())
    });
}

#[test]
fn a_server_of_keys_that_lies_is_not_believed() {
    let key = Key::new("k1");
    let issuer = Issuer::start(&[&key]);
    let url = issuer.url();
    let token = key.sign(&issuer.claims("ada", ""));
    let document = |issuer: &str, keys: &str| {
        let document = json!({ "issuer": issuer, "jwks_uri": keys }).to_string();
        let keys = json!({ "keys": [key.public()] }).to_string();
        Behaviour::Answer(vec![
            ("/.well-known/oauth-authorization-server", document),
            ("/keys", keys),
        ])
    };
    let hmac = json!({ "keys": [{ "kty": "oct", "k": "c2VjcmV0", "kid": "k1" }] }).to_string();
    for (what, behaviour, said) in [
        (
            "another issuer's document",
            document("https://evil.example", &format!("{url}/keys")),
            "another issuer's",
        ),
        (
            "keys in the clear from elsewhere",
            document(&url, "http://192.0.2.1/keys"),
            "names no `jwks_uri`",
        ),
        (
            "an error",
            Behaviour::Say("500 Internal Server Error", "{}".into()),
            "status 500",
        ),
        (
            "a redirect",
            Behaviour::Say("302 Found\r\nLocation: http://192.0.2.1/", String::new()),
            "status 302",
        ),
        (
            "no JSON",
            Behaviour::Say("200 OK", "<html>".into()),
            "not the JSON",
        ),
        (
            "far too much",
            Behaviour::Say("200 OK", " ".repeat(2 << 20)),
            "larger than 1 MiB",
        ),
        (
            "nothing",
            Behaviour::Say("200 OK", String::new()),
            "not the JSON",
        ),
    ] {
        issuer.set(behaviour);
        let (_project, daemon) = served(&issuer, "");
        assert_eq!(refused(&daemon, &token).0, 503, "{what}");
        daemon.wait_for_log(said);
        assert!(!daemon.stderr().contains("<html>"), "{what}");
    }
    // Keys that are no public ones are as good as none.
    issuer.set(Behaviour::Answer(vec![("/keys", hmac)]));
    let (_project, daemon) = served(&issuer, &format!("jwks_url = \"{url}/keys\"\n"));
    let forged = key.sign_as(
        &json!({ "alg": "HS256", "kid": "k1" }),
        &issuer.claims("root", ""),
    );
    assert_eq!(refused(&daemon, &forged).0, 401);
    assert_eq!(refused(&daemon, &token).0, 401);
}

#[test]
fn listening_ends_with_the_token() {
    let key = Key::new("k1");
    let issuer = Issuer::start(&[&key]);
    let (_project, daemon) = served(&issuer, "leeway_ms = 0\n");
    let mut claims = issuer.claims("ada", "");
    claims["exp"] = (now() + 3).into();
    let listen = modern(
        7,
        "subscriptions/listen",
        json!({ "notifications": { "toolsListChanged": true } }),
    );
    let mut events = with(&daemon, &key.sign(&claims)).events(&listen);
    assert!(events.next().is_some(), "acknowledged");
    assert_eq!(events.next().unwrap()["method"], "notifications/cancelled");
    assert_eq!(events.next().unwrap()["id"], 7);
    assert!(events.next().is_none());
}

#[test]
fn what_is_wrong_in_the_server_file_is_said() {
    let base = format!("issuer = \"https://a.example\"\nresource = \"{RESOURCE}\"\n");
    for (oauth, expected) in [
        ("", "missing key `issuer`"),
        ("issuer = \"https://a.example\"\n", "missing key `resource`"),
        (
            "issuer = \"http://a.example\"\nresource = \"https://x/\"\n",
            "`issuer` must be an absolute https URL",
        ),
        (
            "issuer = \"https://a.example\"\nresource = \"/mcp\"\n",
            "`resource` must be this server's own URL",
        ),
        (
            "issuer = \"https://a.example\"\nresource = \"https://x/#a\"\n",
            "`resource` must be this server's own URL",
        ),
        (
            &format!("{base}jwks_url = \"http://a.example/k\"\n"),
            "`jwks_url` must be an absolute https URL",
        ),
        (
            &format!("{base}algorithms = [\"HS256\"]\n"),
            "`algorithms` must be one of",
        ),
        (
            &format!("{base}algorithms = []\n"),
            "`algorithms` must name at least one",
        ),
        (
            &format!("{base}audience = []\n"),
            "`audience` must be a text or a list",
        ),
        (
            &format!("{base}scopes_supported = [\"offline_access\"]\n"),
            "`offline_access` is not named to clients",
        ),
        (
            &format!("{base}ca_file = \"none.pem\"\n"),
            "cannot read `none.pem`",
        ),
    ] {
        let checked = project(MANIFEST, &format!("[auth.oauth]\n{oauth}")).check(&[]);
        assert!(
            checked.stderr.contains(expected),
            "{oauth}: {}",
            checked.stderr
        );
    }
    // Any scope may be in a token.
    let checked = project(MANIFEST, &format!("[auth.oauth]\n{base}")).check(&["--deny-warnings"]);
    assert_eq!(checked.code, 0, "{}", checked.stderr);
}

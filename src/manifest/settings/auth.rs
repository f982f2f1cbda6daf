//! `[auth]`: who may call over HTTP, and as whom the standard streams are served.

use super::sections::{Reader, section};
use crate::lang::diag::Diagnostic;
use crate::manifest::lower::codes::{CONFLICT, NO_EFFECT};
use crate::manifest::lower::scope_is_usable;
use crate::manifest::read::{At, OUT_OF_RANGE, Table};
use crate::model::{AuthSettings, CallerSpec, TokenSpec};
use std::collections::BTreeMap;

/// Most tokens of one server: each request is compared with all of them.
const MOST_TOKENS: usize = 10_000;

impl Reader<'_> {
    /// `[auth]`.
    pub(super) fn auth(&self, table: &Table<'_>) -> AuthSettings {
        let Some(auth) = section(table, "auth") else {
            return AuthSettings::default();
        };
        let mut settings = AuthSettings {
            // An empty list lets nobody in: it is not the same as none.
            on: auth.has("tokens") || auth.has("oauth"),
            oauth: self.oauth(&auth),
            tokens: tokens(&auth),
            anonymous: false,
            stdio: auth.table("stdio").and_then(caller),
            implies: implies(&auth),
        };
        if let Some(read) = auth.boolean("anonymous") {
            settings.anonymous = read.value;
            if read.value && !settings.on {
                let message = "`anonymous` has no effect: nothing here asks who calls";
                auth.report(
                    Diagnostic::warning(NO_EFFECT, read.at, message)
                        .help("add `[[auth.tokens]]` or `[auth.oauth]`, or remove `anonymous`"),
                );
            }
        }
        auth.finish();
        settings
    }
}

/// `[[auth.tokens]]`.
fn tokens(auth: &Table<'_>) -> Vec<TokenSpec> {
    let mut tokens: Vec<TokenSpec> = Vec::new();
    let tables = auth.tables("tokens");
    if tables.len() > MOST_TOKENS {
        let message = format!("a server knows at most {MOST_TOKENS} tokens");
        auth.error(OUT_OF_RANGE, auth.at(), message);
        return tokens;
    }
    for mut table in tables {
        let digest = table.required_string("sha256");
        let sha256 = digest.as_ref().and_then(|text| digest_of(&table, text));
        if let Some(principal) = table
            .has("principal")
            .then(|| table.string("principal"))
            .flatten()
        {
            table.set_place(format!(
                "in the token of \"{}\"",
                principal.value.escape_debug()
            ));
        }
        let Some((caller, sha256, digest)) = caller_of(&table)
            .zip(sha256)
            .zip(digest)
            .map(|((caller, sha256), digest)| (caller, sha256, digest))
        else {
            table.finish();
            continue;
        };
        if tokens.iter().any(|known| known.sha256 == sha256) {
            let message = "this token belongs to another entry already";
            table.error(CONFLICT, digest.at, message);
        }
        tokens.push(TokenSpec { caller, sha256 });
        table.finish();
    }
    tokens
}

/// The 32 bytes of a digest in hexadecimal digits.
fn digest_of(table: &Table<'_>, text: &At<String>) -> Option<[u8; 32]> {
    let digits = text.value.as_bytes();
    let mut digest = [0; 32];
    let is_read = digits.len() == 64
        && digits.chunks(2).zip(&mut digest).all(|(pair, byte)| {
            let pair = std::str::from_utf8(pair).ok();
            let pair = pair.filter(|pair| pair.bytes().all(|digit| digit.is_ascii_hexdigit()));
            match pair.and_then(|pair| u8::from_str_radix(pair, 16).ok()) {
                Some(read) => {
                    *byte = read;
                    true
                }
                None => false,
            }
        });
    if !is_read {
        // Whoever writes the token itself here must not see it repeated.
        let found = Diagnostic::error(
            OUT_OF_RANGE,
            super::secrets::blackened_text(text),
            "`sha256` must be the 64 hexadecimal digits of a SHA-256 digest",
        );
        table.report(found.help("`snodo token` makes a token and prints its digest"));
        return None;
    }
    Some(digest)
}

/// `{ principal, scopes }`.
fn caller(table: Table<'_>) -> Option<CallerSpec> {
    let caller = caller_of(&table);
    table.finish();
    caller
}

fn caller_of(table: &Table<'_>) -> Option<CallerSpec> {
    let principal = table.required_string("principal")?;
    let length = principal.value.len();
    if !(1..=256).contains(&length) || principal.value.contains(char::is_control) {
        let message = "`principal` must be one line of 1 to 256 bytes";
        table.error(OUT_OF_RANGE, principal.at, message);
        return None;
    }
    let scopes = scopes(table, "scopes");
    Some(CallerSpec {
        principal: principal.value,
        scopes,
    })
}

/// A list of scopes.
fn scopes<'a>(table: &Table<'a>, key: &'a str) -> Vec<String> {
    let read = table.strings(key).unwrap_or_default();
    let usable = read
        .into_iter()
        .filter(|scope| scope_is_usable(table, scope));
    usable.map(|scope| scope.value).collect()
}

/// `auth.implies`: by scope, those that it brings with it.
fn implies(auth: &Table<'_>) -> BTreeMap<String, Vec<String>> {
    let Some(table) = auth.table("implies") else {
        return BTreeMap::new();
    };
    let mut implies = BTreeMap::new();
    for entry in table.entries() {
        let name = At {
            value: entry.key.to_owned(),
            at: entry.key_at.clone(),
        };
        if scope_is_usable(&table, &name) {
            implies.insert(name.value, scopes(&table, entry.key));
        }
    }
    implies
}

//! Secrets kept out of what failures say.
//!
//! A program or an upstream may well repeat a secret that it was given: `git` prints the URL with
//! the token in it, a service quotes the key that it refused. A failure goes to a caller who must
//! not learn it.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value};
use std::borrow::Cow;

/// A shorter value is in too many words to be hidden, and is no secret.
const SHORTEST: usize = 4;

/// What stands where a secret stood.
const HIDDEN: &str = "[secret]";

/// What a URL encodes of a value: all but the unreserved characters (RFC 3986 §2.3).
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The secrets of a server, as they may stand in a text.
#[derive(Clone, Default)]
pub struct Mask {
    /// The longest first, so that a secret within another leaves nothing of it.
    forms: Vec<String>,
}

impl Mask {
    /// Hides these values, each also as it stands in a URL, in a form and in JSON. Values of less than
    /// four bytes are not hidden.
    pub fn of(secrets: &Map<String, Value>) -> Self {
        let values = secrets.values().filter_map(Value::as_str);
        let mut forms: Vec<String> = values
            .filter(|value| value.len() >= SHORTEST)
            .flat_map(forms)
            .collect();
        forms.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        forms.dedup();
        Self { forms }
    }

    /// Hides these values in text that is seen line by line: also each line of one that has several.
    pub fn of_lines(secrets: &Map<String, Value>) -> Self {
        let values = secrets.values().filter_map(Value::as_str);
        let lines = values.flat_map(str::lines).map(str::trim).map(Value::from);
        Self::of(&lines.map(|line| (line.to_string(), line)).collect())
    }

    /// The text with `[secret]` in place of each secret.
    pub fn hide<'t>(&self, text: impl Into<Cow<'t, str>>) -> Cow<'t, str> {
        let mut text = text.into();
        for form in &self.forms {
            if text.contains(form.as_str()) {
                text = text.replace(form.as_str(), HIDDEN).into();
            }
        }
        text
    }

    /// How many bytes at the edge of a cut text may be a part of a secret.
    pub fn longest(&self) -> usize {
        self.forms.first().map_or(0, String::len)
    }
}

fn forms(value: &str) -> [String; 4] {
    let json = Value::from(value).to_string();
    let bare = json.get(1..json.len() - 1).unwrap_or(value);
    [
        value.to_owned(),
        utf8_percent_encode(value, ENCODED).to_string(),
        url::form_urlencoded::byte_serialize(value.as_bytes()).collect(),
        bare.to_owned(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn mask(secrets: Value) -> Mask {
        Mask::of(secrets.as_object().unwrap())
    }

    #[test]
    fn a_secret_is_hidden_wherever_and_however_it_stands() {
        let mask = mask(json!({ "a": "p/w \"x\"" }));
        for (text, expected) in [
            (r#"p/w "x""#, "[secret]"),
            (r#"at p/w "x", p/w "x"!"#, "at [secret], [secret]!"),
            ("https://u:p%2Fw%20%22x%22@host", "https://u:[secret]@host"),
            ("?q=p%2Fw+%22x%22", "?q=[secret]"),
            (r#"{"key":"p/w \"x\""}"#, r#"{"key":"[secret]"}"#),
            ("p/w", "p/w"),
        ] {
            assert_eq!(mask.hide(text), expected);
        }
    }

    #[test]
    fn a_secret_within_another_leaves_nothing_of_it() {
        let mask = mask(json!({ "short": "token", "long": "my-token-2" }));
        assert_eq!(mask.hide("my-token-2 and token"), "[secret] and [secret]");
        assert_eq!(mask.longest(), "my-token-2".len());
    }

    #[test]
    fn a_secret_of_several_lines_is_hidden_line_by_line() {
        let secrets = json!({ "key": "-----BEGIN\n  first\n}\nsecond\n" });
        let mask = Mask::of_lines(secrets.as_object().unwrap());
        for (line, expected) in [
            ("-----BEGIN", "[secret]"),
            ("  first", "  [secret]"),
            ("}", "}"),
            ("the second", "the [secret]"),
        ] {
            assert_eq!(mask.hide(line), expected);
        }
    }

    #[test]
    fn what_is_too_short_to_be_a_secret_stays() {
        let mask = mask(json!({ "a": "1", "b": "", "c": "abc", "d": 12345 }));
        assert_eq!(mask.hide("exit code 1 abc 12345"), "exit code 1 abc 12345");
        assert_eq!(mask.longest(), 0);
        assert_eq!(Mask::default().hide("text"), "text");
    }
}

//! `Accept`, `Content-Type` and `Content-Encoding` (RFC 9110 §8.3, §8.4, §12.5.1).

use super::refusal::Refusal;
use http::HeaderMap;
use http::header::{ACCEPT, CONTENT_ENCODING, CONTENT_TYPE};

/// The form that the client wants an answer in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// `application/json`, so one message.
    Json,
    /// `text/event-stream`, also of one event.
    Event,
    /// `application/json`, or `text/event-stream` where there is more than one message.
    Either,
}

impl Form {
    /// Whether the client takes more than one message.
    pub(super) fn may_stream(self) -> bool {
        self != Self::Json
    }
}

/// Chooses the form: both where both are acceptable. A missing, an empty and an unreadable `Accept`
/// accept everything.
///
/// # Errors
/// 406 when neither form is acceptable.
pub(super) fn form(headers: &HeaderMap) -> Result<Form, Refusal> {
    let mut json = Best::default();
    let mut event = Best::default();
    let mut ranges = false;
    for value in headers.get_all(ACCEPT) {
        // What nearly every client sends; the loop below would say the same.
        if value.as_bytes() == b"application/json, text/event-stream" {
            return Ok(Form::Either);
        }
        let Ok(text) = value.to_str() else { continue };
        for range in elements(text, ',').filter_map(Range::parse) {
            ranges = true;
            json.consider(&range, "application", "json");
            event.consider(&range, "text", "event-stream");
        }
    }
    match (json.acceptable(), event.acceptable()) {
        _ if !ranges => Ok(Form::Either),
        (true, true) => Ok(Form::Either),
        (true, false) => Ok(Form::Json),
        (false, true) => Ok(Form::Event),
        (false, false) => Err(Refusal::NotAcceptable),
    }
}

/// One element of `Accept`.
struct Range<'a> {
    kind: &'a str,
    subtype: &'a str,
    refused: bool,
}

impl<'a> Range<'a> {
    /// None when it is not a media range. A weight that cannot be read is 1; parameters other than
    /// `q` do not narrow.
    fn parse(text: &'a str) -> Option<Self> {
        let mut parts = elements(text, ';');
        let (kind, subtype) = parts.next()?.split_once('/')?;
        let refused = parts.any(|parameter| {
            parameter.split_once('=').is_some_and(|(name, weight)| {
                let weight = weight.trim();
                name.trim().eq_ignore_ascii_case("q")
                    && weight.parse::<f32>().is_ok_and(|weight| weight <= 0.0)
            })
        });
        Some(Self {
            kind: kind.trim(),
            subtype: subtype.trim(),
            refused,
        })
    }
}

/// The most specific range that a media type has met: 0 none, 1 `*/*`, 2 `type/*`, 3 itself.
#[derive(Default)]
struct Best {
    specificity: u8,
    refused: bool,
}

impl Best {
    fn consider(&mut self, range: &Range<'_>, kind: &str, subtype: &str) {
        let specificity = match (range.kind, range.subtype) {
            ("*", "*") => 1,
            (k, "*") if k.eq_ignore_ascii_case(kind) => 2,
            (k, s) if k.eq_ignore_ascii_case(kind) && s.eq_ignore_ascii_case(subtype) => 3,
            _ => return,
        };
        if specificity > self.specificity {
            *self = Self {
                specificity,
                refused: range.refused,
            };
        } else if specificity == self.specificity {
            self.refused &= range.refused;
        }
    }

    fn acceptable(&self) -> bool {
        self.specificity > 0 && !self.refused
    }
}

/// Checks that the body is said to be plain JSON in UTF-8. The header must be there: a page that
/// needs no leave of the browser to POST cannot send this type.
///
/// # Errors
/// 415.
pub(super) fn content(headers: &HeaderMap) -> Result<(), Refusal> {
    let mut types = headers.get_all(CONTENT_TYPE).iter();
    let value = types.next().ok_or(Refusal::MediaType)?;
    let json = value.as_bytes() == b"application/json" || value.to_str().is_ok_and(is_json_in_utf8);
    if !json || types.next().is_some() {
        return Err(Refusal::MediaType);
    }
    let plain = |value: &http::HeaderValue| {
        value.is_empty() || value.as_bytes().eq_ignore_ascii_case(b"identity")
    };
    if headers.get_all(CONTENT_ENCODING).iter().all(plain) {
        Ok(())
    } else {
        Err(Refusal::Encoding)
    }
}

/// True for `application/json`, whatever its parameters, unless `charset` names another than UTF-8.
fn is_json_in_utf8(text: &str) -> bool {
    let mut parts = elements(text, ';');
    let json = parts
        .next()
        .is_some_and(|media| media.eq_ignore_ascii_case("application/json"));
    json && parts.all(|parameter| {
        let Some((name, value)) = parameter.split_once('=') else {
            return true;
        };
        let value = value.trim().trim_matches('"');
        !name.trim().eq_ignore_ascii_case("charset")
            || ["utf-8", "utf8"]
                .iter()
                .any(|utf8| value.eq_ignore_ascii_case(utf8))
    })
}

/// The trimmed elements of a list, without those that are empty. A separator inside a quoted string
/// separates nothing.
fn elements(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    let mut escaped = false;
    text.split(move |c| {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ => return c == separator && !quoted,
        }
        false
    })
    .map(str::trim)
    .filter(|element| !element.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::{HeaderName, HeaderValue};

    fn headers(name: HeaderName, values: &[&'static str]) -> HeaderMap {
        values
            .iter()
            .map(|value| (name.clone(), HeaderValue::from_static(value)))
            .collect()
    }

    #[test]
    fn accept_chooses_the_form() {
        let (json, event, none) = (Ok(Form::Json), Ok(Form::Event), Err(Refusal::NotAcceptable));
        let either = Ok(Form::Either);
        let cases: &[(&[&'static str], Result<Form, Refusal>)] = &[
            (&[], either),
            (&[""], either),
            (&["*/*"], either),
            (&["application/*"], json),
            (&["application/json"], json),
            (&["APPLICATION/JSON"], json),
            (&["application/json, text/event-stream"], either),
            (&["text/event-stream, application/json"], either),
            (&["text/event-stream,application/json;q=0.1"], either),
            (&["text/event-stream", "application/json"], either),
            (&["application/json;charset=utf-8"], json),
            (&["text/html, */*;q=0.1"], either),
            (&["text/event-stream"], event),
            (&["Text/Event-Stream; q=1.0"], event),
            (&["text/*"], event),
            (&["application/json;q=0, text/event-stream"], event),
            (&["application/json; Q=0.000, */*"], event),
            (&["*/*;q=0, text/event-stream"], event),
            (&["text/html"], none),
            (&["text/html, application/xml"], none),
            (&["*/*;q=0"], none),
            (&["application/json;q=0"], none),
            (&["application/json;q=0, text/*;q=0"], none),
            (&["application/*;q=0, application/json"], json),
            (
                &["application/json;x=\",text/html;q=0\";q=0, text/event-stream"],
                event,
            ),
            // Unreadable: nothing, or a weight.
            (&["json"], either),
            (&[",;,"], either),
            (&["application/json;q=x"], json),
            (&["garbage, text/event-stream"], event),
        ];
        for (values, expected) in cases {
            assert_eq!(form(&headers(ACCEPT, values)), *expected, "{values:?}");
        }
    }

    #[test]
    fn content_type_is_json_in_utf8() {
        let good: &[&'static str] = &[
            "application/json",
            "Application/JSON",
            "application/json; charset=utf-8",
            "application/json;charset=\"UTF-8\"",
            "application/json ; CharSet = UTF8 ; x=y",
            "application/json; profile=\"a;charset=latin1\"",
            "application/json;",
        ];
        for value in good {
            assert_eq!(content(&headers(CONTENT_TYPE, &[value])), Ok(()), "{value}");
        }
        let bad: &[&[&'static str]] = &[
            &[],
            &[""],
            &["application/json; charset=iso-8859-1"],
            &["application/json; charset="],
            &["application/json; charset=utf-8; charset=utf-16"],
            &["application/json-rpc"],
            &["text/plain"],
            &["text/json"],
            &["application/x-www-form-urlencoded"],
            &["text/plain, application/json"],
            &["application/json", "application/json"],
        ];
        for values in bad {
            assert_eq!(
                content(&headers(CONTENT_TYPE, values)),
                Err(Refusal::MediaType),
                "{values:?}"
            );
        }
    }

    #[test]
    fn content_encoding_is_identity() {
        for (value, expected) in [
            ("identity", Ok(())),
            ("Identity", Ok(())),
            ("", Ok(())),
            ("gzip", Err(Refusal::Encoding)),
            ("identity, gzip", Err(Refusal::Encoding)),
        ] {
            let mut all = headers(CONTENT_TYPE, &["application/json"]);
            all.insert(CONTENT_ENCODING, HeaderValue::from_static(value));
            assert_eq!(content(&all), expected, "{value}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_header_is_too_strange(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..64)) {
            if let Ok(value) = HeaderValue::from_bytes(&bytes) {
                let mut all = HeaderMap::new();
                all.append(ACCEPT, value.clone());
                all.append(CONTENT_TYPE, value.clone());
                all.append(CONTENT_ENCODING, value);
                let _ = (form(&all), content(&all));
                // Whatever else is accepted, JSON that is accepted by name is sent.
                all.append(ACCEPT, HeaderValue::from_static("application/json"));
                proptest::prop_assert_eq!(form(&all), Ok(Form::Json));
            }
        }

        #[test]
        fn elements_are_trimmed_pieces_in_order(text in "[a ,;=\"\\\\]{0,40}") {
            let mut rest = text.as_str();
            for element in elements(&text, ',') {
                proptest::prop_assert!(!element.is_empty() && element.trim() == element);
                let at = rest.find(element);
                proptest::prop_assert!(at.is_some());
                rest = &rest[at.unwrap() + element.len()..];
            }
        }
    }
}

//! What a response that counts as success answers, and what its body is as text.

use super::Fetched;
use super::headers::bare;
use crate::action::{Failure, Output, media};
use crate::ops::{Base64, Block, ToolOutcome};
use crate::secret::Mask;
use base64_simd::STANDARD;
use encoding_rs::{Encoding, UTF_8};
use serde_json::{Map, Value};
use std::borrow::Cow;
use url::Url;

/// How much of a body a failure shows, in bytes.
const SHOWN: usize = 2048;

/// UTF-8's byte order mark, which JSON readers may skip (RFC 8259 §8.1).
const BOM: &[u8] = b"\xEF\xBB\xBF";

/// A response that counts as success.
#[derive(Debug)]
pub struct HttpOutput {
    fetched: Fetched,
    /// What was asked for, when nothing of it is a secret.
    asked: Option<Url>,
}

impl HttpOutput {
    /// Takes a response. `asked` names what it is an answer to, where a caller may see that.
    pub(super) fn new(fetched: Fetched, asked: Option<Url>) -> Self {
        Self { fetched, asked }
    }
}

impl Output for HttpOutput {
    fn answer(&self) -> Result<ToolOutcome, Failure> {
        let fetched = &self.fetched;
        let mime_type = mime(fetched);
        let structured = says_json(&mime_type).then(|| json(fetched)).flatten();
        let block = match text(fetched, &mime_type) {
            Some(text) => Block::text(text),
            None => media::block(
                mime_type.into_owned(),
                Base64::encode(&fetched.body),
                || self.uri(),
            ),
        };
        Ok(ToolOutcome {
            content: vec![block],
            structured,
            ..ToolOutcome::default()
        })
    }

    fn value(&self) -> Value {
        let fetched = &self.fetched;
        let mut headers = Map::new();
        for (name, value) in &fetched.headers {
            let text = String::from_utf8_lossy(value.as_bytes()).into_owned();
            match headers.get_mut(name.as_str()) {
                Some(Value::String(first)) => {
                    first.push_str(", ");
                    first.push_str(&text);
                }
                _ => {
                    headers.insert(name.as_str().to_owned(), text.into());
                }
            }
        }
        let mut output = Map::new();
        output.insert("status".into(), fetched.status.as_u16().into());
        output.insert("headers".into(), Value::Object(headers));
        let mime_type = mime(fetched);
        output.insert("body".into(), decoded(fetched, &mime_type).into());
        if let Some(json) = json(fetched) {
            output.insert("json".into(), json);
        }
        output.insert(
            "bytes".into(),
            STANDARD.encode_to_string(&fetched.body).into(),
        );
        output.insert("mime".into(), mime_type.into());
        Value::Object(output)
    }

    fn media_type(&self) -> Option<String> {
        self.fetched
            .content_type
            .as_ref()
            .map(|_| mime(&self.fetched).into_owned())
    }

    fn is_absent(&self) -> bool {
        self.fetched.status == http::StatusCode::NOT_FOUND
    }
}

impl HttpOutput {
    /// Names the body by what was asked for, without userinfo and query, which may hold a key.
    fn uri(&self) -> String {
        match &self.asked {
            Some(asked) => {
                let mut url = bare(asked.clone());
                url.set_query(None);
                url.into()
            }
            None => media::digest_uri(&self.fetched.body),
        }
    }
}

/// The failure of a status that does not count as success: it, and the beginning of the body.
pub(super) fn refusal(fetched: &Fetched, mask: &Mask) -> Failure {
    let mut told = format!("the upstream answered {}", fetched.status.as_str());
    if let Some(reason) = fetched.status.canonical_reason() {
        told.push_str(&format!(" {reason}"));
    }
    let mime_type = mime(fetched);
    match text(fetched, &mime_type) {
        Some(body) => {
            let hidden = mask.hide(sure(&body, fetched.is_whole, mask));
            let shown = head(&hidden, fetched.is_whole);
            if !shown.trim().is_empty() {
                told.push_str(&format!("\n{shown}"));
            }
        }
        None => {
            let at_least = if fetched.is_whole { "" } else { "at least " };
            let length = fetched.body.len();
            told.push_str(&format!(
                "\n[a body of {at_least}{length} bytes of {mime_type}]"
            ));
        }
    }
    Failure(told)
}

/// A text without the end that may be the beginning of a secret, when it was cut.
fn sure<'t>(text: &'t str, is_whole: bool, mask: &Mask) -> &'t str {
    let unsure = if is_whole { 0 } else { mask.longest() };
    let end = text.floor_char_boundary(text.len().saturating_sub(unsure));
    text.get(..end).unwrap_or_default()
}

fn head(text: &str, is_whole: bool) -> Cow<'_, str> {
    let end = text.floor_char_boundary(SHOWN);
    match text.get(..end) {
        Some(shown) if end < text.len() || (!is_whole && end > 0) => {
            Cow::Owned(format!("{shown}…"))
        }
        _ => Cow::Borrowed(text),
    }
}

/// The media type without parameters, lower case. What is no type (RFC 9110 §8.3.1) says nothing.
fn mime(fetched: &Fetched) -> Cow<'_, str> {
    let whole = fetched.content_type.as_deref().unwrap_or_default();
    let essence = whole.split(';').next().unwrap_or(whole).trim();
    let is_type = essence
        .split_once('/')
        .is_some_and(|(kind, subtype)| !kind.is_empty() && !subtype.is_empty());
    if !is_type {
        return Cow::Borrowed("application/octet-stream");
    }
    match essence.bytes().any(|letter| letter.is_ascii_uppercase()) {
        true => Cow::Owned(essence.to_ascii_lowercase()),
        false => Cow::Borrowed(essence),
    }
}

fn says_json(mime_type: &str) -> bool {
    mime_type == "application/json" || mime_type.ends_with("+json")
}

/// The body parsed, whatever its type says; `None` when it is not JSON. JSON is UTF-8 (RFC 8259
/// §8.1), so its `charset` has no say.
fn json(fetched: &Fetched) -> Option<Value> {
    let bytes = &*fetched.body;
    serde_json::from_slice(bytes.strip_prefix(BOM).unwrap_or(bytes)).ok()
}

/// The body as text when it is text: its type says so, or names a `charset`, or says nothing of the
/// kind and the bytes are UTF-8 without NUL.
fn text(fetched: &Fetched, mime_type: &str) -> Option<String> {
    if media::is_textual(mime_type) {
        return Some(decoded(fetched, mime_type));
    }
    let is_media = ["image/", "audio/", "video/", "font/"]
        .iter()
        .any(|prefix| mime_type.starts_with(prefix));
    if is_media {
        return None;
    }
    let is_utf8 = || std::str::from_utf8(&fetched.body).is_ok() && !fetched.body.contains(&0);
    (charset(fetched).is_some() || is_utf8()).then(|| decoded(fetched, mime_type))
}

/// The body in its `charset`, UTF-8 when it names none that is known; a byte order mark decides
/// over both (WHATWG Encoding §6). What is not valid in it becomes U+FFFD.
fn decoded(fetched: &Fetched, mime_type: &str) -> String {
    let encoding = match says_json(mime_type) {
        true => UTF_8,
        false => charset(fetched).unwrap_or(UTF_8),
    };
    encoding.decode(&fetched.body).0.into_owned()
}

/// The encoding that the `charset` parameter names (RFC 9110 §8.3.2, by WHATWG's labels).
fn charset(fetched: &Fetched) -> Option<&'static Encoding> {
    let parameters = fetched.content_type.as_deref()?.split(';').skip(1);
    let named = parameters.filter_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim()
            .eq_ignore_ascii_case("charset")
            .then(|| value.trim().trim_matches('"'))
    });
    named
        .filter_map(|label| Encoding::for_label(label.as_bytes()))
        .next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;
    use http::{HeaderMap, StatusCode};

    fn fetched(content_type: Option<&str>, body: &'static [u8]) -> Fetched {
        Fetched {
            status: StatusCode::OK,
            headers: HeaderMap::new(),
            body: Bytes::from_static(body),
            is_whole: true,
            content_type: content_type.map(str::to_owned),
            url: Url::parse("http://example.test/a").unwrap(),
        }
    }

    fn text_of(content_type: Option<&str>, body: &'static [u8]) -> Option<String> {
        let fetched = fetched(content_type, body);
        text(&fetched, &mime(&fetched))
    }

    #[test]
    fn text_is_read_in_the_charset_that_it_names() {
        for (content_type, body, expected) in [
            (Some("text/plain"), &b"gr\xc3\xbcn"[..], "grün"),
            (Some("text/plain; charset=ISO-8859-1"), b"gr\xfcn", "grün"),
            (
                Some("text/plain;charset=\"latin1\""),
                b"gr\xfcn\x80",
                "grün€",
            ),
            (
                Some("text/html; x=1; Charset=shift_jis"),
                b"\x93\xfa\x96\x7b",
                "日本",
            ),
            (
                Some("application/xml; charset=utf-16le"),
                b"<\0a\0>\0",
                "<a>",
            ),
            (
                Some("application/x-thing; charset=koi8-r"),
                b"\xc4\xc1",
                "да",
            ),
            (
                Some("text/plain; charset=made-up"),
                b"gr\xc3\xbcn\xff",
                "grün\u{fffd}",
            ),
            (Some("text/plain"), b"gr\xfcn", "gr\u{fffd}n"),
            (
                Some("text/plain; charset=latin1"),
                b"\xef\xbb\xbfgr\xc3\xbcn",
                "grün",
            ),
            (
                Some("application/json; charset=latin1"),
                b"\"gr\xc3\xbcn\"",
                "\"grün\"",
            ),
            (None, b"plain", "plain"),
        ] {
            let found = text_of(content_type, body);
            assert_eq!(found.as_deref(), Some(expected), "{content_type:?}");
        }
    }

    #[test]
    fn bytes_are_no_text() {
        for (content_type, body) in [
            (None, &b"a\0b"[..]),
            (None, b"\xff\xfe\xfd"),
            (Some("application/octet-stream"), b"\xff"),
            (Some("image/png"), b"plain"),
            (Some("image/svg+xml"), b"<svg/>"),
            (Some("font/woff"), b"plain"),
        ] {
            assert_eq!(text_of(content_type, body), None, "{content_type:?}");
        }
    }

    #[test]
    fn json_is_known_by_its_content() {
        for (content_type, body, is_json) in [
            (Some("application/json"), &b"{\"a\":1}"[..], true),
            (Some("text/plain"), b" [1] ", true),
            (Some("application/json"), b"\xef\xbb\xbf{}", true),
            (Some("application/json"), b"<html>", false),
            (Some("application/json"), b"", false),
        ] {
            let found = json(&fetched(content_type, body));
            assert_eq!(found.is_some(), is_json, "{body:?}");
        }
    }
}

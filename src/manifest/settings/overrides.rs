//! `--set KEY=VALUE`: each a small document of its own, so that findings can point into it.

use super::BAD_SET;
use crate::lang::diag::{Diagnostic, SourceFile};
use crate::manifest::read::{Findings, parse};
use crate::manifest::write::quoted;
use std::sync::Arc;

/// `KEY=VALUE` as a document. A value that is no TOML is text.
pub(super) fn file(text: &str, findings: &Findings) -> Option<Arc<SourceFile>> {
    let parts = text
        .split_once('=')
        .map(|(key, value)| (key.trim(), value.trim()));
    let Some((key, value)) = parts.filter(|(key, _)| is_key(key)) else {
        // The value is not repeated: it may be a secret in the wrong place.
        let key = text.split_once('=').map_or(text, |(key, _)| key);
        findings.push(
            Diagnostic::placeless(BAD_SET, format!("`--set {key}` is not KEY=VALUE"))
                .help("write for example `--set http.listen='[\"127.0.0.1:8080\"]'`"),
        );
        return None;
    };
    let name = format!("--set {key}");
    let as_toml = SourceFile::new(&name, format!("{key} = {value}"));
    if !value.contains('\n') && parse(&as_toml, &Findings::default()).is_some() {
        return Some(as_toml);
    }
    Some(SourceFile::new(&name, format!("{key} = {}", quoted(value))))
}

/// Whether a text is one dotted TOML key.
fn is_key(key: &str) -> bool {
    let document = SourceFile::new("", format!("{key} = 0"));
    !key.is_empty()
        && !key.contains(['\n', '[', '#', '='])
        && parse(&document, &Findings::default()).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(text: &str) -> Option<String> {
        let findings = Findings::default();
        file(text, &findings).map(|file| file.text().to_owned())
    }

    #[test]
    fn a_value_is_toml_where_it_can_be() {
        for (text, document_text) in [
            ("http.path=\"/x\"", "http.path = \"/x\""),
            ("server.page_size=10", "server.page_size = 10"),
            (" a . b = [1, 2] ", "a . b = [1, 2]"),
            ("server.name=my server", "server.name = \"my server\""),
            ("server.title=", "server.title = \"\""),
            ("a=\"b\"\nc=1", "a = \"\\\"b\\\"\\nc=1\""),
            ("a=\u{7f}", "a = \"\\U0000007f\""),
            ("\"a b\".c=true", "\"a b\".c = true"),
            ("a=b=c", "a = \"b=c\""),
        ] {
            assert_eq!(document(text).as_deref(), Some(document_text), "{text}");
        }
    }

    #[test]
    fn what_has_no_key_is_refused() {
        for text in [
            "",
            "=",
            "=1",
            "name",
            "a b=1",
            "[http]\nlisten=1",
            "a..b=1",
            "a#=1",
        ] {
            assert_eq!(document(text), None, "{text}");
        }
    }
}

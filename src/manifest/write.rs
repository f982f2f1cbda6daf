//! Writing TOML values.

use crate::lang::diag::is_hidden;
use std::fmt::Write as _;
use toml::de::DeValue;

/// The widest line that an array is written in, in characters.
const WIDTH: usize = 90;

/// A key, quoted where it must be.
pub(super) fn key(key: &str) -> String {
    let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    match !key.is_empty() && key.bytes().all(is_bare) {
        true => key.to_owned(),
        false => quoted(key),
    }
}

/// A value; a long array goes over several lines.
pub(super) fn value(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => string(text),
        DeValue::Array(items) => {
            let line = inline(value);
            if line.chars().count() <= WIDTH {
                return line;
            }
            let mut lines = String::from("[\n");
            for item in items.iter() {
                let _ = writeln!(lines, "  {},", inline(item.get_ref()));
            }
            lines.push(']');
            lines
        }
        _ => inline(value),
    }
}

/// A text; one of several lines as it reads, where that can be written.
pub(super) fn string(text: &str) -> String {
    let is_plain = |c: char| c == '\n' || c == '\t' || !is_hidden(c);
    if text.contains('\n')
        && text.chars().all(is_plain)
        && !text.contains("'''")
        && !text.ends_with('\'')
    {
        return format!("'''\n{text}'''");
    }
    quoted(text)
}

fn inline(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => quoted(text),
        DeValue::Integer(number) => number.to_string(),
        DeValue::Float(number) => number.to_string(),
        DeValue::Boolean(value) => value.to_string(),
        DeValue::Datetime(time) => time.to_string(),
        DeValue::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| inline(item.get_ref())).collect();
            format!("[{}]", items.join(", "))
        }
        DeValue::Table(members) if members.is_empty() => "{}".to_owned(),
        DeValue::Table(members) => {
            let members: Vec<String> = members
                .iter()
                .map(|(name, value)| {
                    format!("{} = {}", key(name.get_ref()), inline(value.get_ref()))
                })
                .collect();
            format!("{{ {} }}", members.join(", "))
        }
    }
}

/// The text as a TOML string on one line.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => out.extend(['\\', letter]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            // TOML forbids the C0 controls and DEL; the others could drive a terminal.
            hidden if is_hidden(hidden) => {
                let _ = write!(out, "\\U{:08x}", u32::from(hidden));
            }
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use toml::de::DeTable;

    fn again(written: &str) -> toml::Value {
        let table: toml::Table = format!("k = {written}").parse().expect(written);
        table.get("k").cloned().unwrap()
    }

    #[test]
    fn values_read_back_as_they_were() {
        for text in [
            "1",
            "-0",
            "0xff",
            "0o17",
            "0b11",
            "1_000",
            "1.5",
            "-0.0",
            "1e3",
            "true",
            "1979-05-27T07:32:00Z",
            "07:32:00",
            "[]",
            "[1, [2, \"x\"]]",
            "{}",
            "{ a = 1, \"b c\" = { d = [{}] } }",
            "\"\\u007f\\e\"",
            "'''\na\nb'''",
        ] {
            let document = format!("k = {text}");
            let parsed = DeTable::parse(&document).unwrap();
            let written = value(parsed.get_ref().get("k").unwrap().get_ref());
            assert_eq!(again(&written), again(text), "{written}");
        }
    }

    #[test]
    fn long_arrays_and_texts_go_over_lines() {
        let long = "x".repeat(50);
        let document = format!("k = [\"{long}\", \"{long}\"]");
        let parsed = DeTable::parse(&document).unwrap();
        let written = value(parsed.get_ref().get("k").unwrap().get_ref());
        assert_eq!(written, format!("[\n  \"{long}\",\n  \"{long}\",\n]"));
        assert_eq!(string("a\nb"), "'''\na\nb'''");
        assert_eq!(string("a\r\nb'"), "\"a\\r\\nb'\"");
    }

    proptest! {
        #[test]
        fn any_text(text in "[\\PC\\x00-\\x1f\\x7f\\x80-\\x9f'\"\\\\\n]{0,12}") {
            let back = again(&string(&text));
            prop_assert_eq!(back.as_str(), Some(text.as_str()));
            let table: toml::Table = format!("{} = 1", key(&text)).parse().unwrap();
            prop_assert!(table.contains_key(&text));
        }
    }
}

//! Results of a server, for a person.

use super::output;
use super::save::{Saved, Saver};
use crate::lang::diag::{document, tame};
use serde_json::Value;
use std::borrow::Cow;
use std::io::IsTerminal as _;

/// Text of somebody else as a terminal may be shown it: what could command it, or make it show another
/// text, is written as escapes.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    tame(text)
}

/// The same for standard output: what goes to a file or a pipe stays as it is.
pub(super) fn for_output(text: &str) -> Cow<'_, str> {
    if std::io::stdout().is_terminal() {
        plain(text)
    } else {
        Cow::Borrowed(text)
    }
}

/// JSON with indentation. What could command a terminal is escaped as JSON allows.
pub(super) fn pretty(value: &Value) -> String {
    document(value)
}

/// The first line of a text that is to stay on one.
pub(super) fn one_line(text: &str) -> &str {
    text.trim().lines().next().unwrap_or_default()
}

/// Collects what is printed: each piece ends its line.
#[derive(Default)]
pub(super) struct Page(String);

impl Page {
    pub(super) fn add(&mut self, text: &str) {
        self.0.push_str(&for_output(text));
        if !self.0.ends_with('\n') {
            self.0.push('\n');
        }
    }

    /// A line of our own, above what follows.
    pub(super) fn heading(&mut self, text: &str) {
        self.0.push_str(&output::heading(text));
        self.0.push('\n');
    }

    pub(super) fn into_text(self) -> String {
        self.0
    }

    /// A tool's result. Structured content is what it means; text that says the same is left out.
    pub(super) fn tool_result(&mut self, result: &Value, saver: &mut Saver) -> Result<(), String> {
        let structured = result.get("structuredContent");
        for block in blocks(result.get("content")) {
            let same = structured.is_some_and(|structured| {
                let text = block.get("text").and_then(Value::as_str);
                text.is_some_and(|text| {
                    serde_json::from_str(text).is_ok_and(|v: Value| v == *structured)
                })
            });
            if !same {
                self.block(block, saver)?;
            }
        }
        if let Some(structured) = structured {
            self.add(&pretty(structured));
        }
        Ok(())
    }

    /// A content block.
    pub(super) fn block(&mut self, block: &Value, saver: &mut Saver) -> Result<(), String> {
        let text = |name: &str| block.get(name).and_then(Value::as_str);
        match text("type") {
            Some("text") => self.add(text("text").unwrap_or_default()),
            Some(kind @ ("image" | "audio")) => {
                let (data, media) = (text("data").unwrap_or_default(), text("mimeType"));
                self.bytes(kind, media, data, saver)?;
            }
            Some("resource") => self.contents(block.get("resource").unwrap_or(block), saver)?,
            Some("resource_link") => {
                let name = text("title").or(text("name")).unwrap_or_default();
                self.add(&format!(
                    "[link: {} {name}]",
                    text("uri").unwrap_or_default()
                ));
            }
            _ => self.add(&pretty(block)),
        }
        Ok(())
    }

    /// The contents of a resource.
    pub(super) fn contents(&mut self, contents: &Value, saver: &mut Saver) -> Result<(), String> {
        let text = |name: &str| contents.get(name).and_then(Value::as_str);
        match (text("text"), text("blob")) {
            (Some(words), _) => self.add(words),
            (None, Some(blob)) => self.bytes("resource", text("mimeType"), blob, saver)?,
            (None, None) => self.add(&pretty(contents)),
        }
        Ok(())
    }

    /// A prompt's messages, each after who says it.
    pub(super) fn messages(&mut self, result: &Value, saver: &mut Saver) -> Result<(), String> {
        for message in blocks(result.get("messages")) {
            let role = message.get("role").and_then(Value::as_str);
            self.add(&format!("{}:", role.unwrap_or("?")));
            match message.get("content") {
                Some(Value::Array(several)) => {
                    for block in several {
                        self.block(block, saver)?;
                    }
                }
                Some(block) => self.block(block, saver)?,
                None => {}
            }
        }
        Ok(())
    }

    fn bytes(
        &mut self,
        kind: &str,
        media: Option<&str>,
        data: &str,
        saver: &mut Saver,
    ) -> Result<(), String> {
        let media = media.unwrap_or("application/octet-stream");
        let line = match saver.save(media, data)? {
            Saved::At(path) => format!("[{kind}: {media}, saved as {}]", path.display()),
            Saved::Not(bytes) => format!("[{kind}: {media}, {bytes} bytes; --save DIR keeps it]"),
            Saved::Broken => format!("[{kind}: {media}, which is not base64]"),
        };
        self.add(&line);
        Ok(())
    }
}

/// The items of a list that may not be there.
pub(super) fn blocks(list: Option<&Value>) -> impl Iterator<Item = &Value> {
    list.and_then(Value::as_array).into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_is_commanded_by_nobody() {
        assert_eq!(plain("a\tb\nc é"), "a\tb\nc é");
        assert_eq!(plain("\u{1b}]0;x\u{7}\r"), "\\u{1b}]0;x\\u{7}\\u{d}");
        assert_eq!(plain("\u{9b}2J\u{202e}"), "\\u{9b}2J\\u{202e}");
        let json = pretty(&Value::from("\u{9b}2J\u{202e}\u{1b}"));
        assert_eq!(json.trim_end(), "\"\\u009b2J\\u202e\\u001b\"");
    }
}

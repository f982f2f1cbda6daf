//! What a command that ran well answers, and what its output is in words.

use super::{Captured, Finished, text};
use crate::action::{Failure, Output, media};
use crate::model::{Parse, ShellSpec};
use crate::ops::{Base64, Block, Payload, ToolOutcome};
use crate::process::Exit;
use crate::secret::Mask;
use serde_json::{Map, Value};
use std::sync::Arc;

/// How much of the end of its output a failure shows, in lines and bytes.
const END_LINES: usize = 20;
const END_BYTES: usize = 2048;

/// UTF-8's byte order mark, which JSON readers may skip (RFC 8259 §8.1).
const BOM: &[u8] = b"\xEF\xBB\xBF";

/// What a command that ran well left.
#[derive(Debug)]
pub struct ShellOutput {
    finished: Finished,
    /// Standard output read as JSON, when `parse` says so.
    json: Option<Value>,
    /// Where all of it can be read.
    overflow: Option<Overflow>,
    spec: Arc<ShellSpec>,
}

/// Output that is kept because it was too long.
#[derive(Debug)]
pub(super) struct Overflow {
    /// Where it can be read.
    pub(super) uri: String,
    /// How many bytes are kept.
    pub(super) size: usize,
    /// There was more than is kept.
    pub(super) is_cut: bool,
}

impl ShellOutput {
    /// Takes the output for what `parse` says that it is.
    pub(super) fn new(
        finished: Finished,
        overflow: Option<Overflow>,
        spec: &Arc<ShellSpec>,
    ) -> Result<Self, Failure> {
        let stdout = &finished.stdout;
        let whole = |kind: &str| {
            if stdout.truncated() {
                let limit = spec.max_output;
                return Err(Failure(format!(
                    "the output is larger than {limit} bytes, and a part of it is no {kind}"
                )));
            }
            Ok(())
        };
        let json = match &spec.parse {
            Parse::Text | Parse::Lines => None,
            Parse::Json => {
                whole("JSON")?;
                let parsed = json(&stdout.bytes);
                Some(parsed.map_err(|why| Failure(format!("the output is not JSON: {why}")))?)
            }
            Parse::Media(mime_type) => {
                whole(&format!("`{mime_type}`"))?;
                None
            }
        };
        Ok(Self {
            finished,
            json,
            overflow,
            spec: Arc::clone(spec),
        })
    }
}

impl Output for ShellOutput {
    fn answer(&self) -> Result<ToolOutcome, Failure> {
        let stdout = &self.finished.stdout;
        let mut outcome = match &self.spec.parse {
            Parse::Text => plain(Block::text(noted(&stdout.text(), stdout))),
            Parse::Json => ToolOutcome {
                structured: self.json.clone(),
                ..plain(Block::text(stdout.text()))
            },
            Parse::Lines => {
                let lines = lines(stdout);
                let mut content = vec![Block::text(lines.to_string())];
                content.extend(note(stdout).map(Block::text));
                ToolOutcome {
                    content,
                    structured: Some(lines),
                    ..ToolOutcome::default()
                }
            }
            Parse::Media(mime_type) => plain(block(mime_type, &stdout.bytes)),
        };
        outcome.content.extend(self.overflow.as_ref().map(link));
        Ok(outcome)
    }

    fn value(&self) -> Value {
        let finished = &self.finished;
        let stdout = &finished.stdout;
        let mut output = Map::new();
        let parsed = match self.spec.parse {
            Parse::Json => self.json.clone(),
            _ if stdout.truncated() => None,
            _ => json(&stdout.bytes).ok(),
        };
        if let Some(json) = parsed {
            output.insert("json".into(), json);
        }
        output.insert("lines".into(), lines(stdout));
        output.insert("stdout".into(), stdout.text().into_owned().into());
        output.insert("stderr".into(), finished.stderr.text().into_owned().into());
        match finished.exit {
            Exit::Code(code) => output.insert("exit_code".into(), code.into()),
            Exit::Signal(signal) => output.insert("signal".into(), signal.into()),
            Exit::Unknown => None,
        };
        let truncated = stdout.truncated() || finished.stderr.truncated();
        output.insert("truncated".into(), truncated.into());
        if let Some(overflow) = &self.overflow {
            output.insert("overflow".into(), overflow.uri.clone().into());
        }
        Value::Object(output)
    }

    fn media_type(&self) -> Option<String> {
        match &self.spec.parse {
            Parse::Text => None,
            Parse::Json | Parse::Lines => Some("application/json".to_owned()),
            Parse::Media(mime_type) => Some(mime_type.clone()),
        }
    }
}

/// The kept text, and a note when more was written.
pub(super) fn noted(text: &str, captured: &Captured) -> String {
    match note(captured) {
        Some(note) => format!("{text}\n{note}"),
        None => text.to_owned(),
    }
}

/// The last lines of a stream, within bounds and without secrets.
pub(super) fn tail(captured: &Captured, mask: &Mask) -> String {
    let (bytes, is_whole) = captured.end();
    // What was cut at the front may begin with the rest of a secret.
    let unsure = if is_whole { 0 } else { mask.longest() };
    let bytes = bytes.get(unsure..).unwrap_or_default();
    let hidden = mask.hide(text(bytes, false));
    let text = hidden.trim_end();
    let mut start = text.len().saturating_sub(END_BYTES);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    let kept = text.get(start..).unwrap_or(text);
    let lines: Vec<&str> = kept.lines().collect();
    let skip = lines.len().saturating_sub(END_LINES);
    lines.get(skip..).unwrap_or_default().join("\n")
}

/// The link to output that is kept.
fn link(overflow: &Overflow) -> Block {
    let cut = if overflow.is_cut {
        ", which is not all of it"
    } else {
        ""
    };
    let description = format!(
        "The output from its beginning{cut}. Add ?offset=BYTES&length=BYTES to read a part of it."
    );
    let mut resource = Map::new();
    resource.insert("uri".into(), overflow.uri.clone().into());
    resource.insert("name".into(), "output".into());
    resource.insert("description".into(), description.into());
    resource.insert("mimeType".into(), "text/plain".into());
    resource.insert("size".into(), overflow.size.into());
    Block::ResourceLink {
        resource,
        annotations: None,
    }
}

fn plain(block: Block) -> ToolOutcome {
    ToolOutcome {
        content: vec![block],
        ..ToolOutcome::default()
    }
}

fn note(captured: &Captured) -> Option<String> {
    captured.truncated().then(|| {
        format!(
            "[output cut: {} of {} bytes are shown]",
            captured.bytes.len(),
            captured.total
        )
    })
}

fn json(bytes: &[u8]) -> Result<Value, serde_json::Error> {
    serde_json::from_slice(bytes.strip_prefix(BOM).unwrap_or(bytes))
}

/// The whole lines, without their ends. A line that the ceiling cut is left out.
fn lines(captured: &Captured) -> Value {
    let text = captured.text();
    let whole = if captured.truncated() && !captured.bytes.ends_with(b"\n") {
        text.rfind('\n')
            .and_then(|end| text.get(..end))
            .unwrap_or("")
    } else {
        &text
    };
    whole.lines().map(Value::from).collect()
}

/// Output of a media type: text stays text where the type is one of text.
fn block(mime_type: &str, bytes: &[u8]) -> Block {
    let essence = mime_type.split(';').next().unwrap_or(mime_type).trim();
    let is_textual = media::is_textual(&essence.to_ascii_lowercase());
    match std::str::from_utf8(bytes) {
        Ok(text) if is_textual => media::resource(
            mime_type.to_owned(),
            Payload::Text(text.to_owned()),
            media::digest_uri(bytes),
        ),
        _ => media::block(mime_type.to_owned(), Base64::encode(bytes), || {
            media::digest_uri(bytes)
        }),
    }
}

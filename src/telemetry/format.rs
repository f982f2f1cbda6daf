//! How an event is written as one line.

use super::escape::Escape;
use super::request::RequestId;
use std::error::Error;
use std::fmt::{self, Debug, Write};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::field::RecordFields;
use tracing_subscriber::fmt::format::{FormatFields, JsonFields, Writer};
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormattedFields};
use tracing_subscriber::registry::LookupSpan;

/// `TIME LEVEL span{field=value}: target: message field=value`.
pub(super) struct Text {
    /// Whether the line begins with the time; with the journal's priority otherwise.
    pub timed: bool,
    /// Whether the level is coloured and the time dimmed.
    pub color: bool,
}

impl<S, N> FormatEvent<S, N> for Text
where
    S: Subscriber + for<'l> LookupSpan<'l>,
    N: for<'w> FormatFields<'w> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let metadata = event.metadata();
        if self.timed {
            let (dim, reset) = if self.color { (DIM, RESET) } else { ("", "") };
            writer.write_str(dim)?;
            SystemTime.format_time(&mut writer)?;
            write!(writer, "{reset} ")?;
        } else {
            write!(writer, "<{}>", priority(*metadata.level()))?;
        }
        let level = metadata.level().as_str();
        if self.color {
            write!(writer, "{}{level:>5}{RESET} ", color(*metadata.level()))?;
        } else {
            write!(writer, "{level:>5} ")?;
        }
        for span in context
            .event_scope()
            .into_iter()
            .flat_map(|scope| scope.from_root())
        {
            writer.write_str(span.name())?;
            let extensions = span.extensions();
            if let Some(fields) = extensions.get::<FormattedFields<N>>()
                && !fields.is_empty()
            {
                write!(writer, "{{{fields}}}")?;
            }
            writer.write_str(": ")?;
        }
        write!(writer, "{}: ", metadata.target())?;
        context.format_fields(writer.by_ref(), event)?;
        if let Some(id) = RequestId::current() {
            write!(writer, " request={id}")?;
        }
        writer.write_char('\n')
    }
}

/// The priorities of sd-daemon(3), which the journal takes off the line.
fn priority(level: Level) -> u8 {
    match level {
        Level::ERROR => 3,
        Level::WARN => 4,
        Level::INFO => 6,
        Level::DEBUG | Level::TRACE => 7,
    }
}

const DIM: &str = "\u{1b}[2m";
const RESET: &str = "\u{1b}[0m";

fn color(level: Level) -> &'static str {
    match level {
        Level::ERROR => "\u{1b}[31m",
        Level::WARN => "\u{1b}[33m",
        Level::INFO => "\u{1b}[32m",
        Level::DEBUG => "\u{1b}[34m",
        Level::TRACE => "\u{1b}[35m",
    }
}

/// `message field=value other="text"`, everything escaped.
pub(super) struct TextFields;

impl<'w> FormatFields<'w> for TextFields {
    fn format_fields<R: RecordFields>(&self, writer: Writer<'w>, fields: R) -> fmt::Result {
        let mut visitor = TextVisitor {
            writer,
            begun: false,
            result: Ok(()),
        };
        fields.record(&mut visitor);
        visitor.result
    }
}

struct TextVisitor<'w> {
    writer: Writer<'w>,
    begun: bool,
    result: fmt::Result,
}

impl TextVisitor<'_> {
    fn write(&mut self, field: &Field, value: fmt::Arguments<'_>) {
        if self.result.is_ok() {
            self.result = self.try_write(field, value);
        }
    }

    fn try_write(&mut self, field: &Field, value: fmt::Arguments<'_>) -> fmt::Result {
        if self.begun {
            self.writer.write_char(' ')?;
        }
        self.begun = true;
        let name = field.name();
        if name != "message" {
            write!(self.writer, "{}=", name.strip_prefix("r#").unwrap_or(name))?;
        }
        Escape(&mut self.writer).write_fmt(value)
    }
}

impl Visit for TextVisitor<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "message" {
            self.write(field, format_args!("{value}"));
        } else {
            self.write(field, format_args!("{value:?}"));
        }
    }

    fn record_error(&mut self, field: &Field, value: &(dyn Error + 'static)) {
        self.write(field, format_args!("{}", Causes(value)));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.write(field, format_args!("{value:?}"));
    }
}

/// An error and what caused it, each level's own words.
struct Causes<'e>(&'e (dyn Error + 'static));

impl fmt::Display for Causes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)?;
        let mut source = self.0.source();
        while let Some(error) = source {
            write!(f, ": {error}")?;
            source = error.source();
        }
        Ok(())
    }
}

/// `{"timestamp":…,"level":…,"target":…,"fields":{"message":…},"spans":[{"name":…,"fields":{…}}]}`,
/// the outermost span first. Characters that JSON would allow and a terminal would obey are
/// escaped too.
pub(super) struct Json;

impl<S> FormatEvent<S, JsonFields> for Json
where
    S: Subscriber + for<'l> LookupSpan<'l>,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, JsonFields>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let metadata = event.metadata();
        let mut line = String::from("{\"timestamp\":\"");
        SystemTime.format_time(&mut Writer::new(&mut line))?;
        write!(line, "\",\"level\":\"{}\",\"target\":", metadata.level())?;
        quote(&mut line, metadata.target())?;
        if let Some(id) = RequestId::current() {
            write!(line, ",\"request\":\"{id}\"")?;
        }
        line.push_str(",\"fields\":");
        context.format_fields(Writer::new(&mut line), event)?;
        line.push_str(",\"spans\":[");
        let spans = context.event_scope().into_iter();
        for (count, span) in spans.flat_map(|scope| scope.from_root()).enumerate() {
            line.push_str(if count == 0 { "" } else { "," });
            line.push_str("{\"name\":");
            quote(&mut line, span.name())?;
            let extensions = span.extensions();
            let fields = extensions.get::<FormattedFields<JsonFields>>();
            let fields = fields.map_or("", |fields| fields.as_str());
            let fields = if fields.is_empty() { "{}" } else { fields };
            write!(line, ",\"fields\":{fields}}}")?;
        }
        line.push_str("]}");
        // Such characters stand inside strings only, where `\u` is an escape.
        Escape(&mut writer).write_str(&line)?;
        writer.write_char('\n')
    }
}

fn quote(line: &mut String, text: &str) -> fmt::Result {
    let quoted = serde_json::to_string(text).map_err(|_| fmt::Error)?;
    line.write_str(&quoted)
}

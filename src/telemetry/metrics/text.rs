//! Prometheus's text format, version 0.0.4.

use super::histogram::{Histogram, STEPS};
use std::fmt::{self, Display, Write as _};

/// The text so far.
#[derive(Debug, Default)]
pub struct Text(String);

impl Text {
    /// The media type.
    pub const MEDIA_TYPE: &'static str = "text/plain; version=0.0.4; charset=utf-8";

    /// Begins the samples of one name.
    pub fn family(&mut self, name: &str, kind: &str, help: &str) {
        self.put(format_args!("# HELP {name} {help}\n# TYPE {name} {kind}\n"));
    }

    /// One sample of the family that was begun last.
    pub fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        self.put(format_args!("{name}{} {value}\n", Labels(labels)));
    }

    /// A family of one sample without labels.
    pub fn single(&mut self, name: &str, kind: &str, help: &str, value: impl Display) {
        self.family(name, kind, help);
        self.sample(name, &[], value);
    }

    /// A histogram of the family that was begun last; nothing when nothing was counted.
    pub(super) fn histogram(&mut self, name: &str, label: (&str, &str), histogram: &Histogram) {
        let (steps, micros) = histogram.read();
        let count = steps[STEPS.len()];
        if count == 0 {
            return;
        }
        let ends = STEPS.iter().map(|(_, end)| *end).chain(["+Inf"]);
        for (end, up_to) in ends.zip(steps) {
            let labels = [label, ("le", end)];
            self.put(format_args!("{name}_bucket{} {up_to}\n", Labels(&labels)));
        }
        let label = [label];
        let (whole, part) = (micros / 1_000_000, micros % 1_000_000);
        self.put(format_args!(
            "{name}_sum{} {whole}.{part:06}\n",
            Labels(&label)
        ));
        self.put(format_args!("{name}_count{} {count}\n", Labels(&label)));
    }

    /// The text.
    pub fn into_string(self) -> String {
        self.0
    }

    fn put(&mut self, text: fmt::Arguments<'_>) {
        // A string takes everything.
        let _infallible = self.0.write_fmt(text);
    }
}

struct Labels<'a>(&'a [(&'a str, &'a str)]);

impl Display for Labels<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, value)) in self.0.iter().enumerate() {
            let begin = if index == 0 { '{' } else { ',' };
            write!(f, "{begin}{name}=\"")?;
            for c in value.chars() {
                match c {
                    '\\' => f.write_str("\\\\")?,
                    '"' => f.write_str("\\\"")?,
                    '\n' => f.write_str("\\n")?,
                    c => f.write_char(c)?,
                }
            }
            f.write_char('"')?;
        }
        match self.0 {
            [] => Ok(()),
            _ => f.write_char('}'),
        }
    }
}

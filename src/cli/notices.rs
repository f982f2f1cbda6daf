//! What a server tells while it works, shown on standard error.

use super::remote::Place;
use super::show::plain;
use crate::protocol::client::Notice;
use serde_json::Value;
use std::io::{IsTerminal as _, Write as _};

const BAR: usize = 24;
/// How much of a message stands behind the bar.
const WORDS: usize = 40;

/// Shows progress as a bar on a terminal, as lines elsewhere, and log messages as lines.
pub(super) struct Shown {
    progress: bool,
    logs: bool,
    terminal: bool,
    /// A bar stands on the last line.
    drawn: bool,
}

impl Shown {
    pub(super) fn new(place: &Place) -> Self {
        let terminal = std::io::stderr().is_terminal();
        Self {
            progress: place.shows_progress(terminal),
            logs: !place.is_quiet(),
            terminal,
            drawn: false,
        }
    }

    pub(super) fn hear(&mut self, notice: &Notice) {
        match notice {
            Notice::Progress {
                progress,
                total,
                message,
            } if self.progress => {
                let text = bar(*progress, *total, message.as_deref(), self.terminal);
                if self.terminal {
                    self.write(&format!("\r\x1b[K{text}"));
                    self.drawn = true;
                } else {
                    self.write(&format!("{text}\n"));
                }
            }
            Notice::Log {
                level,
                logger,
                data,
            } if self.logs => {
                self.clear();
                let logger = logger
                    .as_deref()
                    .map_or_else(String::new, |who| format!(" {who}:"));
                let said = match data {
                    Value::String(text) => text.clone(),
                    other => other.to_string(),
                };
                self.write(&format!("{}\n", plain(&format!("{level}{logger} {said}"))));
            }
            _ => {}
        }
    }

    /// Takes the bar away.
    pub(super) fn clear(&mut self) {
        if std::mem::take(&mut self.drawn) {
            self.write("\r\x1b[K");
        }
    }

    fn write(&self, text: &str) {
        let mut err = std::io::stderr().lock();
        // Nobody reads it: nobody's loss.
        let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
    }
}

fn bar(progress: f64, total: Option<f64>, message: Option<&str>, terminal: bool) -> String {
    let words: String = plain(message.unwrap_or_default())
        .replace('\n', " ")
        .chars()
        .take(WORDS)
        .collect();
    let gap = if words.is_empty() { "" } else { "  " };
    let Some(total) = total.filter(|total| *total > 0.0) else {
        return format!("{}{gap}{words}", amount(progress));
    };
    let part = (progress / total).clamp(0.0, 1.0);
    let percent = format!("{:3.0} %", part * 100.0);
    if !terminal {
        return format!("{percent}{gap}{words}");
    }
    // Both are within the bar's length.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "0 to BAR"
    )]
    let full = (part * BAR as f64).round() as usize;
    format!(
        "[{}{}] {percent}{gap}{words}",
        "#".repeat(full),
        ".".repeat(BAR - full.min(BAR))
    )
}

/// A number that takes few places.
fn amount(number: f64) -> String {
    match number.abs() {
        0.0 => "0".to_owned(),
        size if (1e-3..1e12).contains(&size) => format!("{number}").chars().take(16).collect(),
        _ => format!("{number:.3e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_never_leave_their_bounds() {
        for (progress, total, expected) in [
            (0.0, Some(4.0), "[........................]   0 %"),
            (1.0, Some(4.0), "[######..................]  25 %"),
            (9.0, Some(4.0), "[########################] 100 %"),
            (-1.0, Some(4.0), "[........................]   0 %"),
            (3.0, None, "3"),
            (3.0, Some(0.0), "3"),
            (1e300, None, "1.000e300"),
            (-0.1, None, "-0.1"),
            (f64::INFINITY, None, "inf"),
            (f64::NAN, Some(4.0), "[........................] NaN %"),
        ] {
            assert_eq!(bar(progress, total, None, true), expected);
        }
        let message = "\u{1b}[2J".repeat(100);
        assert!(!bar(1.0, None, Some(&message), true).contains('\u{1b}'));
        assert_eq!(bar(1.0, Some(2.0), Some("half"), false), " 50 %  half");
    }
}

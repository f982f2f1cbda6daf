//! W3C Trace Context in bytes, and which traces are recorded.

use ring::rand::{SecureRandom as _, SystemRandom};
use std::fmt::Write as _;

/// The flag that the caller may have recorded its part.
const SAMPLED: u8 = 1;
/// The flag that the trace's id is random (Trace Context level 2).
const RANDOM: u8 = 2;

/// What a `traceparent` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Parent {
    pub(super) trace: [u8; 16],
    pub(super) span: [u8; 8],
    pub(super) flags: u8,
}

impl Parent {
    /// Reads one that was found to be sound. Flags that mean nothing here are left out.
    pub(super) fn read(text: &str) -> Option<Self> {
        let mut fields = text.split('-').skip(1);
        let (mut trace, mut span, mut flags) = ([0; 16], [0; 8], [0; 1]);
        read_hex(fields.next()?, &mut trace)?;
        read_hex(fields.next()?, &mut span)?;
        read_hex(fields.next()?, &mut flags)?;
        Some(Self {
            trace,
            span,
            flags: flags[0] & (SAMPLED | RANDOM),
        })
    }

    pub(super) fn is_sampled(self) -> bool {
        is_sampled(self.flags)
    }
}

pub(super) fn is_sampled(flags: u8) -> bool {
    flags & SAMPLED != 0
}

/// The ids of a trace and of a span. `None` when the system has no random numbers.
pub(super) fn ids() -> Option<([u8; 16], [u8; 8])> {
    let mut bytes = [0; 24];
    SystemRandom::new().fill(&mut bytes).ok()?;
    let (trace, span) = (bytes.first_chunk::<16>()?, bytes.last_chunk::<8>()?);
    // All zeros is no id.
    let is_one = |id: &[u8]| id.iter().any(|byte| *byte != 0);
    (is_one(trace) && is_one(span)).then_some((*trace, *span))
}

/// The flags of a trace that begins here: every server that goes by the id decides alike.
pub(super) fn flags(trace: [u8; 16], ratio: f64) -> u8 {
    const DIGITS: u32 = 56;
    let end = u128::from_be_bytes(trace) & ((1 << DIGITS) - 1);
    let is_sampled = (end as f64) < ratio * (1_u64 << DIGITS) as f64;
    RANDOM | if is_sampled { SAMPLED } else { 0 }
}

/// The field that says this.
pub(super) fn traceparent(trace: [u8; 16], span: [u8; 8], flags: u8) -> String {
    let mut text = String::with_capacity(55);
    text.push_str("00-");
    push_hex(&mut text, &trace);
    text.push('-');
    push_hex(&mut text, &span);
    text.push('-');
    push_hex(&mut text, &[flags]);
    text
}

/// Two lower-case digits a byte.
pub(super) fn push_hex(text: &mut String, bytes: &[u8]) {
    for byte in bytes {
        // Writing to a string does not fail.
        let _written = write!(text, "{byte:02x}");
    }
}

fn read_hex(text: &str, bytes: &mut [u8]) -> Option<()> {
    if text.len() != bytes.len() * 2 {
        return None;
    }
    for (pair, byte) in text.as_bytes().chunks(2).zip(bytes) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let text = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-03";
        let parent = Parent::read(text).unwrap();
        assert!(parent.is_sampled());
        assert_eq!(traceparent(parent.trace, parent.span, parent.flags), text);
        let later = Parent::read(&format!("cc{}f1-more", &text[2..53])).unwrap();
        assert_eq!(later.flags, SAMPLED);
        assert_eq!(Parent::read("00-1-2-3"), None);
    }
}

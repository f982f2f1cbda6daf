//! Amounts in the units a person would use. Every message that names one writes it this way.

use std::fmt;
use std::time::Duration;

/// A length of time: `250 ms`, `5 s`, `1.5 s`.
#[derive(Clone, Copy, Debug)]
pub struct Time(pub Duration);

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 < Duration::from_secs(1) {
            write!(f, "{} ms", self.0.as_millis())
        } else {
            write!(f, "{} s", self.0.as_millis() as f64 / 1000.0)
        }
    }
}

/// A number of bytes: `512 bytes`, `64 KiB`, `4 MiB`.
#[derive(Clone, Copy, Debug)]
pub struct Size(pub usize);

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const KIB: usize = 1024;
        const MIB: usize = 1024 * 1024;
        match self.0 {
            n if n >= MIB && n.is_multiple_of(MIB) => write!(f, "{} MiB", n / MIB),
            n if n >= KIB && n.is_multiple_of(KIB) => write!(f, "{} KiB", n / KIB),
            n => write!(f, "{n} bytes"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        for (millis, text) in [
            (0, "0 ms"),
            (250, "250 ms"),
            (999, "999 ms"),
            (1000, "1 s"),
            (1500, "1.5 s"),
            (60_000, "60 s"),
            (86_400_001, "86400.001 s"),
        ] {
            assert_eq!(Time(Duration::from_millis(millis)).to_string(), text);
        }
    }

    #[test]
    fn sizes() {
        for (bytes, text) in [
            (0, "0 bytes"),
            (1000, "1000 bytes"),
            (1025, "1025 bytes"),
            (64 << 10, "64 KiB"),
            (1536 << 10, "1536 KiB"),
            (4 << 20, "4 MiB"),
        ] {
            assert_eq!(Size(bytes).to_string(), text);
        }
    }
}

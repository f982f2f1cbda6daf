//! Server-sent events (HTML §9.2.6), as far as the protocol uses them: the data of each event.

/// Bytes to events. What it holds is bounded.
#[derive(Debug, Default)]
pub(super) struct Events {
    line: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    /// The type of an event that is no message.
    other: bool,
    /// A line ended in CR: a LF right after it ends none.
    after_return: bool,
    begun: bool,
    bound: usize,
}

/// An event that is larger than the bound.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLarge;

impl Events {
    /// Holds an event of up to this many bytes.
    pub(super) fn new(bound: usize) -> Self {
        Self {
            bound,
            ..Self::default()
        }
    }

    /// Takes bytes, and gives the data of each event that ended in them.
    ///
    /// # Errors
    /// An event is larger than the bound; nothing more is to be read.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, TooLarge> {
        let mut events = Vec::new();
        for &byte in bytes {
            let after_return = std::mem::take(&mut self.after_return);
            match byte {
                b'\n' if after_return => {}
                b'\n' | b'\r' => {
                    self.after_return = byte == b'\r';
                    events.extend(self.end_line());
                }
                _ => self.line.push(byte),
            }
            if self.line.len() + self.data.len() > self.bound {
                return Err(TooLarge);
            }
        }
        Ok(events)
    }

    fn end_line(&mut self) -> Option<Vec<u8>> {
        let line = std::mem::take(&mut self.line);
        let first = !std::mem::replace(&mut self.begun, true);
        let line = match line.strip_prefix("\u{feff}".as_bytes()) {
            Some(rest) if first => rest,
            _ => &line,
        };
        if line.is_empty() {
            return self.end_event();
        }
        let colon = line.iter().position(|&byte| byte == b':');
        let (name, value) = match colon {
            Some(at) => (line.get(..at)?, line.get(at + 1..)?),
            None => (line, &b""[..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.data.push(b'\n');
                }
                self.data.extend_from_slice(value);
            }
            b"event" => self.other = !value.is_empty() && value != b"message",
            // Comments, ids and retry times mean nothing here.
            _ => {}
        }
        None
    }

    fn end_event(&mut self) -> Option<Vec<u8>> {
        let data = std::mem::take(&mut self.data);
        let has_data = std::mem::take(&mut self.has_data);
        let other = std::mem::take(&mut self.other);
        // An event without data keeps a connection alive, or sets an id: no message.
        (has_data && !other && !data.is_empty()).then_some(data)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(events: Vec<Vec<u8>>) -> Vec<String> {
        let texts = events.into_iter().map(String::from_utf8);
        texts.map(Result::unwrap).collect()
    }

    #[test]
    fn every_line_end_and_every_cut_gives_the_same_events() {
        for end in ["\n", "\r\n", "\r"] {
            let stream = [
                "\u{feff}: hello",
                "id: 1",
                "data:",
                "",
                "event: message",
                "data: {\"a\":",
                "data:1}",
                "",
                "event: endpoint",
                "data: /other",
                "",
                "retry: 5",
                "",
                "data: é",
                "",
                "data: cut off",
            ]
            .join(end);
            for size in 1..stream.len() {
                let mut events = Events::new(1000);
                let mut found = Vec::new();
                for part in stream.as_bytes().chunks(size) {
                    found.extend(texts(events.push(part).unwrap()));
                }
                assert_eq!(found, ["{\"a\":\n1}", "é"], "{end:?} {size}");
            }
        }
    }

    #[test]
    fn an_event_is_bounded_however_it_is_written() {
        let mut lines = Events::new(100);
        let part = b"data: 0123456789\n";
        let held = (0..20).take_while(|_| lines.push(part).is_ok()).count();
        assert!(held < 10, "{held}");
        assert_eq!(Events::new(100).push(&[b'x'; 101]), Err(TooLarge));
    }
}

//! What a piece of TOML says, as a digest: the same for two texts that differ only in comments,
//! blanks and the way a value is written.

use super::table::Table;
use ring::digest::{Context, SHA256};
use toml::de::DeValue;

/// Collects what decides something, and gives its digest.
pub struct Digest {
    context: Context,
    /// What comes next, since it comes in small pieces.
    next: Vec<u8>,
}

/// So much is given to the context at once.
const PIECE: usize = 4096;

impl Default for Digest {
    /// Of nothing yet.
    fn default() -> Self {
        Self {
            context: Context::new(&SHA256),
            next: Vec::with_capacity(512),
        }
    }
}

impl Digest {
    /// Adds bytes, and where they end.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.add(bytes);
    }

    /// Adds all keys and values of a table, in their order: the order of arguments is shown.
    pub fn table(&mut self, table: &Table<'_>) {
        self.table_without(table, &[]);
    }

    /// The same, but for some keys.
    pub fn table_without(&mut self, table: &Table<'_>, keys: &[&str]) {
        let mut entries = table.entries();
        entries.retain(|entry| !keys.contains(&entry.key));
        self.count(entries.len());
        for entry in entries {
            self.bytes(entry.key.as_bytes());
            self.value(entry.value);
        }
    }

    /// SHA-256 of all that was added.
    pub fn finish(mut self) -> [u8; 32] {
        self.context.update(&self.next);
        let mut digest = [0; 32];
        digest.copy_from_slice(self.context.finish().as_ref());
        digest
    }

    fn add(&mut self, bytes: &[u8]) {
        if self.next.len() + bytes.len() > PIECE {
            self.context.update(&self.next);
            self.next.clear();
        }
        match bytes.len() {
            0..=PIECE => self.next.extend_from_slice(bytes),
            _ => self.context.update(bytes),
        }
    }

    fn count(&mut self, count: usize) {
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        self.add(&count.to_be_bytes());
    }

    fn value(&mut self, value: &DeValue<'_>) {
        match value {
            DeValue::String(text) => {
                self.add(b"s");
                self.bytes(text.as_bytes());
            }
            DeValue::Integer(number) => {
                self.add(b"i");
                self.add(&number.radix().to_be_bytes());
                self.bytes(number.as_str().as_bytes());
            }
            DeValue::Float(number) => {
                self.add(b"f");
                self.bytes(number.as_str().as_bytes());
            }
            DeValue::Boolean(value) => self.add(if *value { b"1" } else { b"0" }),
            DeValue::Datetime(value) => {
                self.add(b"d");
                self.bytes(value.to_string().as_bytes());
            }
            DeValue::Array(items) => {
                self.add(b"a");
                self.count(items.len());
                for item in items.iter() {
                    self.value(item.get_ref());
                }
            }
            DeValue::Table(members) => {
                self.add(b"t");
                self.count(members.len());
                for (key, member) in members.iter() {
                    self.bytes(key.get_ref().as_bytes());
                    self.value(member.get_ref());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Findings, Layer, parse};
    use super::*;
    use crate::lang::diag::SourceFile;
    use std::collections::HashSet;

    fn digest(text: &str) -> [u8; 32] {
        let file = SourceFile::new("x.toml", text);
        let findings = Findings::default();
        let table = parse(&file, &findings).unwrap();
        let layer = Layer {
            file: &file,
            table: &table,
            span: 0..0,
            inherited: None,
        };
        let mut digest = Digest::default();
        digest.table(&Table::new(vec![layer], &findings, ""));
        digest.finish()
    }

    #[test]
    fn the_way_it_is_written_makes_no_difference() {
        let plain = digest("a = 'x'\nb = { c = [1, 2.5, true] }\n");
        for same in [
            "# a comment\na = \"x\" # and one more\n\nb.c = [ 1,2.5, true, ]\n",
            "a = '''\nx'''\r\n[b]\r\nc = [1, 2.5,\n # one more\n true]\n",
        ] {
            assert_eq!(digest(same), plain, "{same}");
        }
    }

    #[test]
    fn every_change_of_what_it_says_makes_one() {
        let all = [
            "",
            "a = 1",
            "a = 2",
            "a = 0x1",
            "a = 1.0",
            "a = true",
            "a = false",
            "a = '1'",
            "a = [1]",
            "a = [[1]]",
            "a = [1, 1]",
            "a = {}",
            "a.b = 1",
            "a = []",
            "a = ['b', 'c']",
            "a = ['bc']",
            "ab = 1",
            "a = 1\nb = 1",
            "b = 1\na = 1",
            "a = 1979-05-27",
            "a = '1979-05-27'",
        ];
        let mut seen = HashSet::new();
        for text in all {
            assert!(seen.insert(digest(text)), "{text}");
        }
    }
}

//! Where decoded bytes go: a buffer that refuses to grow past its bound.

use super::Stop;
use std::io::{self, Write};

/// Decoded bytes, at most `max`.
#[derive(Debug, Default)]
pub(super) struct Sink {
    bytes: Vec<u8>,
    max: usize,
    over: bool,
}

impl Sink {
    pub(super) fn new(max: usize) -> Self {
        Self {
            bytes: Vec::new(),
            max,
            over: false,
        }
    }

    /// Takes all of `bytes`, or none and is over.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        if bytes.len() > self.room() {
            self.over = true;
            return Err(Stop::Over);
        }
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    /// How many bytes still fit.
    pub(super) fn room(&self) -> usize {
        self.max - self.bytes.len()
    }

    pub(super) fn max(&self) -> usize {
        self.max
    }

    /// Why a decoder that writes here through [`Write`] failed.
    pub(super) fn verdict(&self) -> Stop {
        if self.over { Stop::Over } else { Stop::Damaged }
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.push(bytes) {
            Ok(()) => Ok(bytes.len()),
            Err(_) => Err(io::ErrorKind::FileTooLarge.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

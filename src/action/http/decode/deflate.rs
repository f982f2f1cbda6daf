//! `deflate`: the zlib format (RFC 1950) by the book, and the bare DEFLATE that some servers send.

use super::Stop;
use super::sink::Sink;
use flate2::{Decompress, FlushDecompress, Status};

/// A decoder of either form, told apart by the first two bytes.
pub(super) struct Deflate {
    sink: Sink,
    /// The first byte, until the second has come.
    first: Option<u8>,
    inflate: Option<Decompress>,
    ended: bool,
}

impl Deflate {
    /// How much is decoded at a time.
    const STEP: usize = 16 * 1024;

    pub(super) fn new(sink: Sink) -> Self {
        Self {
            sink,
            first: None,
            inflate: None,
            ended: false,
        }
    }

    pub(super) fn sink(&self) -> &Sink {
        &self.sink
    }

    pub(super) fn into_sink(self) -> Sink {
        self.sink
    }

    pub(super) fn push(&mut self, piece: &[u8]) -> Result<(), Stop> {
        if self.inflate.is_some() {
            return self.inflate(piece);
        }
        match (self.first.take(), piece) {
            (None, []) => Ok(()),
            (None, [first]) => {
                self.first = Some(*first);
                Ok(())
            }
            (None, [first, second, ..]) => {
                self.begin(*first, *second);
                self.inflate(piece)
            }
            (Some(first), []) => {
                self.first = Some(first);
                Ok(())
            }
            (Some(first), [second, ..]) => {
                self.begin(first, *second);
                self.inflate(&[first])?;
                self.inflate(piece)
            }
        }
    }

    pub(super) fn finish(self) -> Result<Vec<u8>, Stop> {
        if self.ended {
            Ok(self.sink.into_bytes())
        } else {
            Err(Stop::Damaged)
        }
    }

    /// RFC 1950 §2.2: method 8, and both bytes as a number divisible by 31.
    fn begin(&mut self, first: u8, second: u8) {
        let zlib = first & 0x0f == 8 && u16::from_be_bytes([first, second]).is_multiple_of(31);
        self.inflate = Some(Decompress::new(zlib));
    }

    fn inflate(&mut self, mut input: &[u8]) -> Result<(), Stop> {
        let inflate = self.inflate.as_mut().ok_or(Stop::Damaged)?;
        let mut step = vec![0; Self::STEP];
        loop {
            if self.ended {
                return if input.is_empty() {
                    Ok(())
                } else {
                    Err(Stop::Damaged)
                };
            }
            let (before_in, before_out) = (inflate.total_in(), inflate.total_out());
            let status = inflate
                .decompress(input, &mut step, FlushDecompress::None)
                .map_err(|_| Stop::Damaged)?;
            let taken = (inflate.total_in() - before_in) as usize;
            let given = (inflate.total_out() - before_out) as usize;
            input = input.get(taken..).unwrap_or_default();
            self.sink.push(step.get(..given).unwrap_or_default())?;
            self.ended = status == Status::StreamEnd;
            if !self.ended && taken == 0 && given == 0 {
                // Nothing moves until more input comes.
                return if input.is_empty() {
                    Ok(())
                } else {
                    Err(Stop::Damaged)
                };
            }
        }
    }
}

//! `br`: Brotli (RFC 7932), without the large windows that HTTP does not allow.

use super::Stop;
use super::sink::Sink;
use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};

type State = BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>;

/// A decoder of one stream.
pub(super) struct Brotli {
    sink: Sink,
    state: State,
    ended: bool,
}

impl Brotli {
    /// How much is decoded at a time.
    const STEP: usize = 16 * 1024;

    pub(super) fn new(sink: Sink) -> Self {
        let alloc = StandardAlloc::default;
        Self {
            sink,
            state: BrotliState::new_strict(alloc(), alloc(), alloc()),
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
        if self.ended {
            return Err(Stop::Damaged);
        }
        let mut step = vec![0; Self::STEP];
        let (mut left, mut taken, mut total) = (piece.len(), 0, 0);
        loop {
            let (mut room, mut given) = (step.len(), 0);
            let result = BrotliDecompressStream(
                &mut left,
                &mut taken,
                piece,
                &mut room,
                &mut given,
                &mut step,
                &mut total,
                &mut self.state,
            );
            self.sink.push(step.get(..given).unwrap_or_default())?;
            match result {
                BrotliResult::NeedsMoreOutput => {}
                BrotliResult::NeedsMoreInput => return Ok(()),
                BrotliResult::ResultFailure => return Err(Stop::Damaged),
                BrotliResult::ResultSuccess => {
                    self.ended = true;
                    return if left == 0 {
                        Ok(())
                    } else {
                        Err(Stop::Damaged)
                    };
                }
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
}

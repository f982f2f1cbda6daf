//! `zstd`: Zstandard frames (RFC 8878), a block at a time.
//!
//! The frame and block headers are read here, so that a block is handed on only when it is whole
//! and a frame only when what it declares is within bounds.

use super::Stop;
use super::sink::Sink;
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// RFC 9659: an encoder for HTTP uses no larger window.
const WINDOW: u64 = 8 << 20;
/// RFC 8878 §3.1.1.2.4.
const MAX_BLOCK: usize = 128 << 10;
const MAGIC: u32 = 0xfd2f_b528;

/// A decoder of any number of frames, skippable ones included.
pub(super) struct Zstd {
    sink: Sink,
    frames: FrameDecoder,
    /// Input that is not yet a whole header or block: at most a block and its header.
    pending: Vec<u8>,
    at: At,
    any_frame: bool,
}

/// What comes next in the input.
#[derive(Clone, Copy)]
enum At {
    Frame,
    Block { checksum: bool },
    Skipped(usize),
}

/// A unit that can be taken once this many bytes are there.
enum Unit {
    Unknown,
    Whole(usize),
}

impl Zstd {
    pub(super) fn new(sink: Sink) -> Self {
        let mut frames = FrameDecoder::new();
        frames.set_max_window_size(WINDOW.max(sink.max() as u64));
        Self {
            sink,
            frames,
            pending: Vec::new(),
            at: At::Frame,
            any_frame: false,
        }
    }

    pub(super) fn sink(&self) -> &Sink {
        &self.sink
    }

    pub(super) fn into_sink(self) -> Sink {
        self.sink
    }

    pub(super) fn push(&mut self, piece: &[u8]) -> Result<(), Stop> {
        let mut pending = std::mem::take(&mut self.pending);
        pending.extend_from_slice(piece);
        let mut rest = pending.as_slice();
        loop {
            let taken = match self.at {
                At::Skipped(left) => self.skip(left, rest),
                At::Frame => self.frame(rest)?,
                At::Block { checksum } => self.block(rest, checksum)?,
            };
            if taken == 0 {
                break;
            }
            rest = rest.get(taken..).unwrap_or_default();
        }
        let done = pending.len() - rest.len();
        pending.drain(..done);
        self.pending = pending;
        Ok(())
    }

    pub(super) fn finish(self) -> Result<Vec<u8>, Stop> {
        match self.at {
            At::Frame if self.pending.is_empty() && self.any_frame => Ok(self.sink.into_bytes()),
            _ => Err(Stop::Damaged),
        }
    }

    fn skip(&mut self, left: usize, rest: &[u8]) -> usize {
        let taken = left.min(rest.len());
        self.at = if taken == left {
            At::Frame
        } else {
            At::Skipped(left - taken)
        };
        taken
    }

    /// Takes a frame's header; 0 when it is not whole.
    fn frame(&mut self, rest: &[u8]) -> Result<usize, Stop> {
        let Some((magic, after)) = rest.split_first_chunk::<4>() else {
            return Ok(0);
        };
        let magic = u32::from_le_bytes(*magic);
        if (0x184d_2a50..=0x184d_2a5f).contains(&magic) {
            let Some((size, _)) = after.split_first_chunk::<4>() else {
                return Ok(0);
            };
            self.any_frame = true;
            self.at = match u32::from_le_bytes(*size) {
                0 => At::Frame,
                size => At::Skipped(size as usize),
            };
            return Ok(8);
        }
        if magic != MAGIC {
            return Err(Stop::Damaged);
        }
        let Some((descriptor, fields)) = after.split_first() else {
            return Ok(0);
        };
        let Some(header) = Header::read(*descriptor, fields) else {
            return Ok(0);
        };
        if header
            .content
            .is_some_and(|size| size > self.sink.room() as u64)
        {
            return Err(Stop::Over);
        }
        let length = 5 + header.length;
        let bytes = rest.get(..length).unwrap_or_default();
        self.frames.reset(bytes).map_err(|_| Stop::Damaged)?;
        self.any_frame = true;
        self.at = At::Block {
            checksum: header.checksum,
        };
        Ok(length)
    }

    /// Takes a block, and the checksum after a frame's last one; 0 when it is not whole.
    fn block(&mut self, rest: &[u8], checksum: bool) -> Result<usize, Stop> {
        let Unit::Whole(length) = block_length(rest, checksum)? else {
            return Ok(0);
        };
        let Some(bytes) = rest.get(..length) else {
            return Ok(0);
        };
        self.frames
            .decode_blocks(bytes, BlockDecodingStrategy::UptoBlocks(1))
            .map_err(|_| Stop::Damaged)?;
        self.frames
            .collect_to_writer(&mut self.sink)
            .map_err(|_| Stop::Over)?;
        if self.frames.is_finished() {
            if checksum
                && self.frames.get_checksum_from_data() != self.frames.get_calculated_checksum()
            {
                return Err(Stop::Damaged);
            }
            self.at = At::Frame;
        }
        Ok(length)
    }
}

/// What a frame's header declares (RFC 8878 §3.1.1.1).
struct Header {
    /// Bytes after the descriptor.
    length: usize,
    /// The decoded size, where the frame says it.
    content: Option<u64>,
    checksum: bool,
}

impl Header {
    /// `None` when the fields are not whole.
    fn read(descriptor: u8, fields: &[u8]) -> Option<Self> {
        let single = descriptor & 0x20 != 0;
        let window = usize::from(!single);
        let dictionary = [0, 1, 2, 4][usize::from(descriptor & 0x03)];
        let size = match descriptor >> 6 {
            0 => usize::from(single),
            1 => 2,
            2 => 4,
            _ => 8,
        };
        let length = window + dictionary + size;
        let bytes = fields.get(..length)?.get(window + dictionary..)?;
        let mut number = [0; 8];
        number.get_mut(..size)?.copy_from_slice(bytes);
        let number = u64::from_le_bytes(number);
        let content = match size {
            0 => None,
            2 => Some(number + 256),
            _ => Some(number),
        };
        Some(Self {
            length,
            content,
            checksum: descriptor & 0x04 != 0,
        })
    }
}

/// How long the block at the start of `rest` is, its header and the frame's checksum included.
fn block_length(rest: &[u8], checksum: bool) -> Result<Unit, Stop> {
    let Some((header, _)) = rest.split_first_chunk::<3>() else {
        return Ok(Unit::Unknown);
    };
    let [a, b, c] = header.map(usize::from);
    let header = a | b << 8 | c << 16;
    let (last, kind, size) = (header & 1 == 1, header >> 1 & 3, header >> 3);
    if size > MAX_BLOCK || kind == 3 {
        return Err(Stop::Damaged);
    }
    let content = if kind == 1 { 1 } else { size };
    let tail = if last && checksum { 4 } else { 0 };
    Ok(Unit::Whole(3 + content + tail))
}

//! Content codings (RFC 9110 §8.4.1): decoded piece by piece, never past the bound.

mod brotli;
mod deflate;
mod sink;
mod zstd;

use super::error::Fault;
use brotli::Brotli;
use deflate::Deflate;
use flate2::write::MultiGzDecoder;
use http::HeaderMap;
use http::header::CONTENT_ENCODING;
use sink::Sink;
use std::io::Write;
use zstd::Zstd;

/// What `Accept-Encoding` offers.
pub(super) const ACCEPTED: &str = "gzip, br, zstd";

/// A decoder of one body, holding what it has decoded: at most `max` bytes and a little over.
///
/// Beside its output each decoder holds its window: 32 KiB for gzip, at most 16 MiB for brotli, at
/// most the larger of 8 MiB (RFC 9659) and `max` for zstd.
pub(super) struct Decoder {
    coding: Coding,
    any: bool,
}

enum Coding {
    Identity(Sink),
    Gzip(Box<MultiGzDecoder<Sink>>),
    Deflate(Box<Deflate>),
    Brotli(Box<Brotli>),
    Zstd(Box<Zstd>),
}

/// Why a decoder stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    /// The output is over its bound.
    Over,
    /// The input is not what it claims to be.
    Damaged,
}

impl Decoder {
    /// The decoder that the head asks for, whose output may have `max` bytes.
    ///
    /// Fails with [`Fault::Encoding`] on a coding that is not known and on several at once.
    pub(super) fn for_head(headers: &HeaderMap, max: usize) -> Result<Self, Fault> {
        let named = codings(headers);
        let sink = Sink::new(max);
        let coding = match named.as_slice() {
            [] => Coding::Identity(sink),
            [one] => match one.as_str() {
                "gzip" | "x-gzip" => Coding::Gzip(Box::new(MultiGzDecoder::new(sink))),
                "deflate" => Coding::Deflate(Box::new(Deflate::new(sink))),
                "br" => Coding::Brotli(Box::new(Brotli::new(sink))),
                "zstd" => Coding::Zstd(Box::new(Zstd::new(sink))),
                _ => return Err(Fault::Encoding(shown(&named))),
            },
            _ => return Err(Fault::Encoding(shown(&named))),
        };
        Ok(Self { coding, any: false })
    }

    /// True when the body comes out as it came in.
    pub(super) fn is_identity(&self) -> bool {
        matches!(self.coding, Coding::Identity(_))
    }

    /// Takes the next piece of the body in. After an error the decoder is of no more use.
    pub(super) fn push(&mut self, piece: &[u8]) -> Result<(), Fault> {
        if piece.is_empty() {
            return Ok(());
        }
        self.any = true;
        match &mut self.coding {
            Coding::Identity(sink) => sink.push(piece),
            Coding::Gzip(gzip) => gzip.write_all(piece).map_err(|_| gzip.get_ref().verdict()),
            Coding::Deflate(deflate) => deflate.push(piece),
            Coding::Brotli(brotli) => brotli.push(piece),
            Coding::Zstd(zstd) => zstd.push(piece),
        }
        .map_err(|stop| self.fault(stop))
    }

    /// The whole body. An encoded body that stops short is damaged; one without a single byte is empty.
    pub(super) fn finish(self) -> Result<Vec<u8>, Fault> {
        if !self.any {
            return Ok(Vec::new());
        }
        let (name, max) = (self.name(), self.max());
        match self.coding {
            Coding::Identity(sink) => Ok(sink.into_bytes()),
            Coding::Gzip(mut gzip) => match gzip.try_finish() {
                Ok(()) => Ok(std::mem::take(gzip.get_mut()).into_bytes()),
                Err(_) => Err(gzip.get_ref().verdict()),
            },
            Coding::Deflate(deflate) => deflate.finish(),
            Coding::Brotli(brotli) => brotli.finish(),
            Coding::Zstd(zstd) => zstd.finish(),
        }
        .map_err(|stop| stop.fault(name, max))
    }

    /// What has been decoded so far, also after an error: the beginning of the body. Of zstd that can
    /// be nothing, since a block is decoded whole or not at all.
    pub(super) fn into_beginning(self) -> Vec<u8> {
        let sink = match self.coding {
            Coding::Identity(sink) => sink,
            Coding::Gzip(mut gzip) => {
                // Brings out what it holds; that this may fail is no news here.
                let _ = gzip.flush();
                std::mem::take(gzip.get_mut())
            }
            Coding::Deflate(deflate) => deflate.into_sink(),
            Coding::Brotli(brotli) => brotli.into_sink(),
            Coding::Zstd(zstd) => zstd.into_sink(),
        };
        sink.into_bytes()
    }

    fn fault(&self, stop: Stop) -> Fault {
        stop.fault(self.name(), self.max())
    }

    fn name(&self) -> &'static str {
        match &self.coding {
            Coding::Identity(_) => "identity",
            Coding::Gzip(_) => "gzip",
            Coding::Deflate(_) => "deflate",
            Coding::Brotli(_) => "brotli",
            Coding::Zstd(_) => "zstd",
        }
    }

    fn max(&self) -> usize {
        match &self.coding {
            Coding::Identity(sink) => sink.max(),
            Coding::Gzip(gzip) => gzip.get_ref().max(),
            Coding::Deflate(deflate) => deflate.sink().max(),
            Coding::Brotli(brotli) => brotli.sink().max(),
            Coding::Zstd(zstd) => zstd.sink().max(),
        }
    }
}

impl Stop {
    fn fault(self, name: &'static str, max: usize) -> Fault {
        match self {
            Self::Over => Fault::TooLarge(max),
            Self::Damaged => Fault::Damaged(name),
        }
    }
}

/// The codings of all `Content-Encoding` fields in order, in lower case, without `identity`.
fn codings(headers: &HeaderMap) -> Vec<String> {
    headers
        .get_all(CONTENT_ENCODING)
        .iter()
        .flat_map(|value| value.as_bytes().split(|byte| *byte == b','))
        .map(|name| String::from_utf8_lossy(name.trim_ascii()).to_ascii_lowercase())
        .filter(|name| !name.is_empty() && name != "identity")
        .collect()
}

/// The codings as an error shows them: the upstream wrote them, so plain characters and not many.
fn shown(named: &[String]) -> String {
    let all = named.join(", ");
    all.chars()
        .filter(|c| c.is_ascii_graphic() || *c == ' ')
        .filter(|c| *c != '`')
        .take(40)
        .collect()
}

#[cfg(test)]
mod tests;

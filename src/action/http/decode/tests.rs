//! Every coding: round trips in any pieces, truncation, damage, bombs.

use super::*;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use http::HeaderValue;
use proptest::prelude::*;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

const CODINGS: [&str; 5] = ["gzip", "deflate", "raw deflate", "br", "zstd"];

fn head(encoding: &str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(
        CONTENT_ENCODING,
        HeaderValue::from_str(encoding).expect("a value"),
    );
    headers
}

fn decode(encoding: &str, pieces: &[&[u8]], max: usize) -> Result<Vec<u8>, Fault> {
    let mut decoder = Decoder::for_head(&head(encoding), max)?;
    for piece in pieces {
        decoder.push(piece)?;
    }
    decoder.finish()
}

fn encode(coding: &str, text: &[u8]) -> Vec<u8> {
    match coding {
        "gzip" => gzip(text),
        "deflate" => {
            let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(text).expect("memory");
            encoder.finish().expect("memory")
        }
        "raw deflate" => {
            let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(text).expect("memory");
            encoder.finish().expect("memory")
        }
        "br" => brotli_stored(text),
        _ => compress_to_vec(text, CompressionLevel::Fastest),
    }
}

fn header_name(coding: &str) -> &str {
    coding.strip_prefix("raw ").unwrap_or(coding)
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text).expect("memory");
    encoder.finish().expect("memory")
}

/// A stream of stored meta-blocks (RFC 7932 §9.2): this crate has no Brotli encoder.
fn brotli_stored(text: &[u8]) -> Vec<u8> {
    // WBITS 16 is the bit 0. A stored block: ISLAST 0, MNIBBLES 00 (four), MLEN-1, ISUNCOMPRESSED 1.
    let mut bytes = Vec::new();
    for (number, block) in text.chunks(1 << 16).enumerate() {
        let length = block.len() as u32 - 1;
        let (bits, shift) = if number == 0 { (0, 1) } else { (0, 0) };
        let header = bits | (length << 3 | 1 << 19) << shift;
        bytes.extend_from_slice(&header.to_le_bytes()[..3]);
        bytes.extend_from_slice(block);
    }
    // ISLAST 1, ISLASTEMPTY 1; after the window bit when there was no block.
    bytes.push(if text.is_empty() { 0b110 } else { 0b11 });
    bytes
}

fn base64(text: &str) -> Vec<u8> {
    STANDARD.decode(text).expect("base64")
}

/// 20 times the same sentence, 900 bytes, as Google's encoder and Facebook's write it.
const BROTLI: &str =
    "G4MDiCwOeNPQlV2XELsXK6nK0JLMjK1BXObyNsgZnp4Ke4MNOHBIIG8kvkGnFc4cHieqKTjCibhPgwE=";
const ZSTD_SIZED: &str =
    "KLUv/WSEArUBANQCVGhlIHF1aWNrIGJyb3duIGZveCBqdW1wcyBvdmVyIHRoZSBsYXp5IGRvZy4gAQClCitVBlkT+oU=";
const ZSTD: &str =
    "KLUv/QRYtQEA1AJUaGUgcXVpY2sgYnJvd24gZm94IGp1bXBzIG92ZXIgdGhlIGxhenkgZG9nLiABAKUKK1UGWRP6hQ==";

#[test]
fn what_other_encoders_made_is_read() {
    let text = "The quick brown fox jumps over the lazy dog. "
        .repeat(20)
        .into_bytes();
    assert_eq!(decode("br", &[&base64(BROTLI)], 900), Ok(text.clone()));
    assert_eq!(
        decode("zstd", &[&base64(ZSTD_SIZED)], 900),
        Ok(text.clone())
    );
    assert_eq!(decode("zstd", &[&base64(ZSTD)], 900), Ok(text));
    assert_eq!(decode("br", &[&base64("Ow==")], 0), Ok(Vec::new()));
}

#[test]
fn every_prefix_is_damaged_and_only_the_whole_is_read() {
    let text = b"abcabcabcabc 0123456789 abcabcabcabc".repeat(30);
    for coding in CODINGS {
        let whole = encode(coding, &text);
        let bytewise: Vec<&[u8]> = whole.chunks(1).collect();
        assert_eq!(
            decode(header_name(coding), &bytewise, text.len()),
            Ok(text.clone()),
            "{coding}"
        );
        for length in 1..whole.len() {
            let got = decode(header_name(coding), &[&whole[..length]], text.len());
            assert!(
                matches!(got, Err(Fault::Damaged(_))),
                "{coding} {length}: {got:?}"
            );
        }
    }
}

#[test]
fn no_byte_at_all_is_an_empty_body() {
    for coding in CODINGS {
        assert_eq!(
            decode(header_name(coding), &[b"", b""], 0),
            Ok(Vec::new()),
            "{coding}"
        );
        let empty = encode(coding, b"");
        assert_eq!(
            decode(header_name(coding), &[&empty], 0),
            Ok(Vec::new()),
            "{coding}"
        );
    }
}

#[test]
fn the_bound_is_on_decoded_bytes_and_exact() {
    let text = vec![7; 200_000];
    for coding in CODINGS {
        let whole = encode(coding, &text);
        assert_eq!(
            decode(header_name(coding), &[&whole], 200_000),
            Ok(text.clone()),
            "{coding}"
        );
        assert_eq!(
            decode(header_name(coding), &[&whole], 199_999),
            Err(Fault::TooLarge(199_999)),
            "{coding}"
        );
    }
    assert_eq!(
        decode("identity", &[&text[..], b"x"], 200_000),
        Err(Fault::TooLarge(200_000))
    );
    assert_eq!(decode("identity", &[&text], 200_000), Ok(text));
}

#[test]
fn bombs_stop_at_the_bound() {
    let zeros = vec![0; 16 << 20];
    // 64 MiB of zeros in 50 bytes.
    let brotli = base64("z///f/gnAOKxQCD3/p/////wTwDEYQGA7v0/////4Z8AiMMiAN37//z//8c/ARCHBQC69/8=");
    assert_eq!(
        decode("br", &[&brotli], 1 << 20),
        Err(Fault::TooLarge(1 << 20))
    );
    for coding in ["gzip", "deflate", "raw deflate", "zstd"] {
        let whole = encode(coding, &zeros);
        let got = decode(header_name(coding), &[&whole], 1 << 20);
        assert_eq!(got, Err(Fault::TooLarge(1 << 20)), "{coding}");
    }
}

#[test]
fn a_zstd_frame_that_says_it_is_too_large_is_believed() {
    // Single segment, eight-byte size of 1 TiB: nothing of that size is ever allocated.
    let mut frame = MAGIC.to_vec();
    frame.push(0xe0);
    frame.extend_from_slice(&(1u64 << 40).to_le_bytes());
    assert_eq!(decode("zstd", &[&frame], 1000), Err(Fault::TooLarge(1000)));
}

const MAGIC: [u8; 4] = 0xfd2f_b528_u32.to_le_bytes();

#[test]
fn a_zstd_window_over_the_bound_is_refused() {
    // 2 GiB, as `zstd --ultra --long=31` writes.
    let head = [&MAGIC[..], &[0x04, 0xa8]].concat();
    assert_eq!(
        decode("zstd", &[&head, &[0; 64]], 1000),
        Err(Fault::Damaged("zstd"))
    );
}

#[test]
fn a_zstd_block_that_would_grow_past_128_kib_is_refused() {
    // One block of 100 sequences, each a match of 65,539 bytes: RLE literals, RLE tables.
    let mut block = Vec::new();
    block.extend_from_slice(&(100u16 << 4 | 1 << 2 | 1).to_le_bytes());
    block.push(b'a');
    block.extend_from_slice(&[100, 0x54, 1, 0, 52]);
    block.extend_from_slice(&[0; 200]);
    block.push(1);
    let header = (block.len() as u32) << 3 | 2 << 1 | 1;
    let frame = [&MAGIC[..], &[0, 0x58], &header.to_le_bytes()[..3], &block].concat();
    assert_eq!(
        decode("zstd", &[&frame], 64 << 20),
        Err(Fault::Damaged("zstd"))
    );
}

#[test]
fn members_and_frames_follow_each_other() {
    let two = [gzip(b"one "), gzip(b"two")].concat();
    assert_eq!(decode("gzip", &[&two], 100), Ok(b"one two".to_vec()));
    let frame = |text: &[u8]| compress_to_vec(text, CompressionLevel::Fastest);
    let skippable = [
        &0x184d_2a53_u32.to_le_bytes()[..],
        &5u32.to_le_bytes(),
        b"12345",
    ]
    .concat();
    let nothing = [&0x184d_2a50_u32.to_le_bytes()[..], &0u32.to_le_bytes()].concat();
    let all = [frame(b"one "), skippable, nothing, frame(b"two")].concat();
    assert_eq!(decode("zstd", &[&all], 100), Ok(b"one two".to_vec()));
    let bytewise: Vec<&[u8]> = all.chunks(1).collect();
    assert_eq!(decode("zstd", &bytewise, 100), Ok(b"one two".to_vec()));
}

#[test]
fn what_follows_the_end_is_damage() {
    for coding in CODINGS {
        let mut whole = encode(coding, b"text");
        whole.extend_from_slice(b"garbage");
        let got = decode(header_name(coding), &[&whole], 100);
        assert!(matches!(got, Err(Fault::Damaged(_))), "{coding}: {got:?}");
    }
}

#[test]
fn checksums_are_compared() {
    let mut whole = gzip(b"text");
    let at = whole.len() - 8;
    whole[at] ^= 1;
    assert_eq!(decode("gzip", &[&whole], 100), Err(Fault::Damaged("gzip")));
    let mut frame = base64(ZSTD_SIZED);
    let at = frame.len() - 1;
    frame[at] ^= 1;
    assert_eq!(decode("zstd", &[&frame], 1000), Err(Fault::Damaged("zstd")));
}

#[test]
fn large_brotli_windows_are_refused() {
    assert_eq!(
        decode("br", &[&base64("ER4EAAJhYmMD")], 100),
        Err(Fault::Damaged("brotli"))
    );
}

#[test]
fn unknown_and_stacked_codings_are_named() {
    let refused = |encoding: &str| match Decoder::for_head(&head(encoding), 10) {
        Err(fault) => fault.to_string(),
        Ok(_) => panic!("{encoding} was accepted"),
    };
    assert_eq!(
        refused("compress"),
        "content-encoding `compress` is not supported"
    );
    assert_eq!(
        refused("gzip, br"),
        "content-encoding `gzip, br` is not supported"
    );
    assert_eq!(
        refused("a`b\u{e9}"),
        "content-encoding `ab` is not supported"
    );
    assert!(refused(&"x".repeat(10_000)).len() < 100);
    let mut two = head("gzip");
    two.append(CONTENT_ENCODING, HeaderValue::from_static("zstd"));
    assert!(Decoder::for_head(&two, 10).is_err());
    for encoding in ["", "identity", "Identity, ", ","] {
        assert_eq!(
            decode(encoding, &[b"text"], 10),
            Ok(b"text".to_vec()),
            "{encoding}"
        );
    }
    assert_eq!(
        decode(" GZip ", &[&gzip(b"text")], 10),
        Ok(b"text".to_vec())
    );
    assert_eq!(
        decode("x-gzip, identity", &[&gzip(b"text")], 10),
        Ok(b"text".to_vec())
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_pieces_make_the_same_whole(
        text in proptest::collection::vec(0u8..8, 0..5000),
        cuts in proptest::collection::vec(1usize..600, 1..8),
    ) {
        for coding in CODINGS {
            let whole = encode(coding, &text);
            let mut pieces = Vec::new();
            let (mut rest, mut cut) = (whole.as_slice(), cuts.iter().cycle());
            while !rest.is_empty() {
                let at = rest.len().min(*cut.next().expect("a cycle"));
                pieces.push(&rest[..at]);
                rest = &rest[at..];
            }
            prop_assert_eq!(decode(header_name(coding), &pieces, text.len()), Ok(text.clone()));
        }
    }

    #[test]
    fn damage_never_panics_and_never_passes_the_bound(
        text in proptest::collection::vec(0u8..4, 1..3000),
        flips in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        for coding in CODINGS {
            let mut whole = encode(coding, &text);
            for (at, with) in &flips {
                let at = at.index(whole.len());
                whole[at] ^= with;
            }
            if let Ok(decoded) = decode(header_name(coding), &[&whole], 4000) {
                prop_assert!(decoded.len() <= 4000);
            }
        }
    }

    #[test]
    fn damage_to_what_other_encoders_made_never_panics(
        flips in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        for (encoding, whole) in [("br", BROTLI), ("zstd", ZSTD_SIZED), ("zstd", ZSTD)] {
            let mut whole = base64(whole);
            for (at, with) in &flips {
                let at = at.index(whole.len());
                whole[at] ^= with;
            }
            if let Ok(decoded) = decode(encoding, &[&whole], 4000) {
                prop_assert!(decoded.len() <= 4000);
            }
        }
    }

    #[test]
    fn noise_never_panics(noise in proptest::collection::vec(any::<u8>(), 0..400)) {
        for coding in CODINGS {
            let _ = decode(header_name(coding), &[&noise], 4000);
            let framed = [&MAGIC[..], &noise].concat();
            let _ = decode(header_name(coding), &[&framed], 4000);
        }
    }
}

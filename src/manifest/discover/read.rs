//! The text of one manifest.

#![expect(
    clippy::result_large_err,
    reason = "one finding a file, made and handed on a few times: a box would buy nothing"
)]

use super::Found;
use crate::lang::diag::{Code, Diagnostic, SourceFile, Span};
use crate::manifest::regular::{self, ReadError, cause};
use std::io;
use std::path::Path;
use std::sync::Arc;

/// A file cannot be read.
pub const UNREADABLE_FILE: Code = Code("unreadable-file");
/// A path is neither a regular file nor a folder.
pub const NOT_A_FILE: Code = Code("not-a-file");
/// A file was there when the folder was listed and is not any more.
pub const VANISHED_FILE: Code = Code("vanished-file");
/// A file is larger than [`MAX_FILE_BYTES`].
pub const FILE_TOO_LARGE: Code = Code("file-too-large");
/// A file's bytes are not UTF-8.
pub const NOT_UTF8: Code = Code("not-utf8");

/// Bytes in one manifest: 16 MiB.
pub const MAX_FILE_BYTES: u64 = 16 << 20;

/// The text of a manifest, without its byte order mark.
///
/// Never waits, whatever the path has become since it was found: a FIFO or a device is refused.
///
/// # Errors
/// One of this module's codes. [`VANISHED_FILE`] means that the folder changed meanwhile, and that
/// looking again will tell. For [`NOT_UTF8`] the place is the first bad byte, and the text that is
/// shown has `U+FFFD` for each.
pub fn read(found: &Found) -> Result<Arc<SourceFile>, Diagnostic> {
    read_within(&found.path, MAX_FILE_BYTES)
}

fn read_within(path: &Path, max_bytes: u64) -> Result<Arc<SourceFile>, Diagnostic> {
    source_file(path, bytes(path, max_bytes)?)
}

/// The text of these bytes, without its byte order mark.
///
/// # Errors
/// [`NOT_UTF8`].
pub fn source_file(path: &Path, bytes: Vec<u8>) -> Result<Arc<SourceFile>, Diagnostic> {
    match String::from_utf8(bytes) {
        Ok(mut text) => {
            if text.starts_with(BOM) {
                text.drain(..BOM.len_utf8());
            }
            Ok(SourceFile::new(path, text))
        }
        Err(error) => Err(not_utf8(
            path,
            error.as_bytes(),
            error.utf8_error().valid_up_to(),
        )),
    }
}

const BOM: char = '\u{FEFF}';

fn bytes(path: &Path, max_bytes: u64) -> Result<Vec<u8>, Diagnostic> {
    regular::read(path, max_bytes).map_err(|error| match error {
        ReadError::Io(error) if error.kind() == io::ErrorKind::NotFound => vanished(path),
        ReadError::Io(error) => unreadable(path, &error),
        ReadError::NotAFile => not_a_file(path),
        ReadError::TooLarge(max_bytes) => too_large(path, max_bytes),
    })
}

fn not_utf8(path: &Path, bytes: &[u8], bad: usize) -> Diagnostic {
    let utf16 = matches!(bytes, [0xFE, 0xFF, ..] | [0xFF, 0xFE, ..]);
    let label = match bytes.get(bad) {
        _ if utf16 => "this is how UTF-16 begins".to_owned(),
        Some(byte) => format!("the byte 0x{byte:02X} cannot stand here"),
        None => "the file ends inside a character".to_owned(),
    };
    let text = String::from_utf8_lossy(bytes);
    let (text, bad) = match text.strip_prefix(BOM) {
        Some(rest) => (rest.to_owned(), bad.saturating_sub(BOM.len_utf8())),
        None => (text.into_owned(), bad),
    };
    let end = text.ceil_char_boundary(bad + 1);
    let span = Span {
        file: SourceFile::new(path, text),
        start: bad,
        end,
    };
    Diagnostic::error(NOT_UTF8, span, "the file is not UTF-8")
        .label(label)
        .help("save the file as UTF-8")
}

fn vanished(path: &Path) -> Diagnostic {
    let message = format!("`{}` vanished before it could be read", path.display());
    Diagnostic::placeless(VANISHED_FILE, message).help("reload once the folder is at rest")
}

fn too_large(path: &Path, max_bytes: u64) -> Diagnostic {
    let message = format!("`{}` is larger than {max_bytes} bytes", path.display());
    Diagnostic::placeless(FILE_TOO_LARGE, message)
        .help("move some of its components to a second file, large texts to files of their own")
}

pub(super) fn not_a_file(path: &Path) -> Diagnostic {
    let message = format!("`{}` is neither a file nor a folder", path.display());
    Diagnostic::placeless(NOT_A_FILE, message).help("name a folder of manifests, or a manifest")
}

pub(super) fn unreadable(path: &Path, error: &io::Error) -> Diagnostic {
    let message = format!("cannot read `{}`: {}", path.display(), cause(error));
    let found = Diagnostic::placeless(UNREADABLE_FILE, message);
    match error.kind() {
        io::ErrorKind::PermissionDenied => {
            found.help("let this user read the file and enter its folders")
        }
        _ => found.help("rename it to begin with `_` to serve the rest without it"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::diag::{RenderStyle, render};
    use std::path::PathBuf;
    use tempfile::TempDir;

    fn file(bytes: &[u8]) -> (TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.toml");
        std::fs::write(&path, bytes).unwrap();
        (folder, path)
    }

    fn text(bytes: &[u8]) -> String {
        let (_folder, path) = file(bytes);
        read_within(&path, 100).unwrap().text().to_owned()
    }

    /// The finding as printed, with `x.toml` for the path.
    fn refusal(path: &Path, max_bytes: u64) -> (Code, String) {
        let found = read_within(path, max_bytes).unwrap_err();
        let code = found.code;
        let page = render(&[found], &RenderStyle::default());
        let page = page.replace(path.to_str().unwrap(), "x.toml");
        (code, page.split("\n\n").next().unwrap().to_owned())
    }

    #[test]
    fn text_comes_without_a_byte_order_mark() {
        assert_eq!(text(b"a = 1\r\n"), "a = 1\r\n");
        assert_eq!(text(b"\xEF\xBB\xBFa = 1"), "a = 1");
        assert_eq!(text(b""), "");
        assert_eq!(text(b"\xEF\xBB\xBF\xEF\xBB\xBFa"), "\u{FEFF}a");
    }

    #[test]
    fn the_path_is_kept_as_given() {
        let (_folder, path) = file(b"");
        let found = Found {
            path: path.clone(),
            root: path.clone(),
        };
        assert_eq!(read(&found).unwrap().path(), path);
    }

    #[test]
    fn the_first_bad_byte_is_shown() {
        let (_folder, path) = file(b"\xEF\xBB\xBFa = 1\r\n\tb = 'caf\xE9' \xE9\n");
        let (code, page) = refusal(&path, 100);
        assert_eq!(code, NOT_UTF8);
        assert_eq!(
            page,
            "error: the file is not UTF-8
 --> x.toml:2:10
  |
2 |     b = 'caf\u{FFFD}' \u{FFFD}
  |             ^ the byte 0xE9 cannot stand here
  = help: save the file as UTF-8"
        );
    }

    #[test]
    fn utf16_is_named() {
        let (_folder, path) = file(b"\xFF\xFEa\0");
        assert!(
            refusal(&path, 100)
                .1
                .contains("^ this is how UTF-16 begins")
        );
    }

    #[test]
    fn a_cut_character_at_the_end() {
        let (_folder, path) = file(b"a = '\xE2\x82");
        assert!(refusal(&path, 100).1.contains(":1:6\n"));
    }

    #[test]
    fn the_largest_and_one_more() {
        let (_folder, path) = file(&[b'#'; 100]);
        assert_eq!(read_within(&path, 100).unwrap().text().len(), 100);
        let (code, page) = refusal(&path, 99);
        assert_eq!(code, FILE_TOO_LARGE);
        assert!(page.starts_with("error: `x.toml` is larger than 99 bytes\n"));
    }

    #[test]
    fn a_file_that_lies_about_its_size() {
        // /proc files have length 0 and more to read.
        let path = Path::new("/proc/self/status");
        assert_eq!(read_within(path, 8).unwrap_err().code, FILE_TOO_LARGE);
    }

    #[test]
    fn gone_meanwhile() {
        let (folder, path) = file(b"");
        std::fs::remove_file(&path).unwrap();
        assert_eq!(refusal(&path, 100).0, VANISHED_FILE);
        drop(folder);
        assert_eq!(refusal(&path, 100).0, VANISHED_FILE);
    }

    #[test]
    fn a_fifo_or_a_folder_is_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.toml");
        let kind = rustix::fs::FileType::Fifo;
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(rustix::fs::CWD, &path, kind, mode, 0).unwrap();
        assert_eq!(refusal(&path, 100).0, NOT_A_FILE);
        assert_eq!(refusal(folder.path(), 100).0, NOT_A_FILE);
        assert_eq!(refusal(Path::new("/dev/zero"), 100).0, NOT_A_FILE);
    }
}

//! Types of files: by extension, then by content.

use std::path::Path;

/// Bytes looked at to tell a type by content.
const HEAD: usize = 8192;

/// Types of text that the extension table gets wrong or does not know. They hold only when the
/// content is text: a `.ts` that is not is a video.
const TEXT: &[(&str, &str)] = &[
    ("ac", "text/plain"),
    ("bash", "text/x-shellscript"),
    ("bat", "text/plain"),
    ("c", "text/x-c"),
    ("cc", "text/x-c++"),
    ("cjs", "text/javascript"),
    ("clj", "text/x-clojure"),
    ("cpp", "text/x-c++"),
    ("cs", "text/x-csharp"),
    ("cts", "text/x-typescript"),
    ("cxx", "text/x-c++"),
    ("dart", "text/x-dart"),
    ("diff", "text/x-diff"),
    ("ex", "text/x-elixir"),
    ("exs", "text/x-elixir"),
    ("go", "text/x-go"),
    ("h", "text/x-c"),
    ("hpp", "text/x-c++"),
    ("hs", "text/x-haskell"),
    ("ipynb", "application/json"),
    ("java", "text/x-java"),
    ("jsonl", "application/x-ndjson"),
    ("jsx", "text/javascript"),
    ("kt", "text/x-kotlin"),
    ("kts", "text/x-kotlin"),
    ("mjs", "text/javascript"),
    ("mod", "text/plain"),
    ("mts", "text/x-typescript"),
    ("ndjson", "application/x-ndjson"),
    ("org", "text/org"),
    ("patch", "text/x-diff"),
    ("php", "text/x-php"),
    ("pl", "text/x-perl"),
    ("pm", "text/x-perl"),
    ("pot", "text/x-gettext-translation"),
    ("pub", "text/plain"),
    ("py", "text/x-python"),
    ("pyi", "text/x-python"),
    ("rb", "text/x-ruby"),
    ("rst", "text/x-rst"),
    ("scala", "text/x-scala"),
    ("sh", "text/x-shellscript"),
    ("sql", "application/sql"),
    ("swift", "text/x-swift"),
    ("tex", "text/x-tex"),
    ("toml", "application/toml"),
    ("ts", "text/x-typescript"),
    ("tsx", "text/x-typescript"),
    ("yaml", "application/yaml"),
    ("yml", "application/yaml"),
];

/// The type of a file by its name, else by its first bytes, else by whether it is text.
/// `head` is empty when what was read is not the file's beginning.
pub(super) fn of(path: &str, head: &[u8], is_text: bool) -> &'static str {
    let head = head.get(..HEAD).unwrap_or(head);
    by_name(path, is_text)
        .or_else(|| by_content(head, is_text))
        .unwrap_or(if is_text {
            "text/plain"
        } else {
            "application/octet-stream"
        })
}

/// The type of a file that is not read, by its name alone.
pub(super) fn guess(path: &str) -> Option<&'static str> {
    by_name(path, true)
}

fn by_name(path: &str, is_text: bool) -> Option<&'static str> {
    let extension = Path::new(path).extension()?.to_str()?.to_ascii_lowercase();
    if is_text && let Ok(place) = TEXT.binary_search_by_key(&extension.as_str(), |(name, _)| name) {
        return TEXT.get(place).map(|(_, mime)| *mime);
    }
    mime_guess::from_ext(&extension)
        .first_raw()
        .filter(|mime| *mime != "application/octet-stream")
}

fn by_content(head: &[u8], is_text: bool) -> Option<&'static str> {
    if !is_text {
        return infer::get(head).map(|kind| kind.mime_type());
    }
    // Two letters are enough for some formats, but a text that begins with `BM` is no bitmap.
    match head {
        _ if infer::text::is_html(head) => Some("text/html"),
        _ if infer::text::is_xml(head) => Some("text/xml"),
        _ if infer::text::is_shellscript(head) => Some("text/x-shellscript"),
        [b'%', b'P', b'D', b'F', b'-', ..] => Some("application/pdf"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_for_its_search() {
        assert!(TEXT.is_sorted_by(|(a, _), (b, _)| a < b));
    }

    #[test]
    fn extensions_that_name_source_code_and_video_go_by_content() {
        assert_eq!(of("a/b.ts", b"let x = 1;", true), "text/x-typescript");
        assert!(of("a/b.ts", b"\x47\x00", false).starts_with("video/"));
        assert_eq!(of("go.mod", b"module x", true), "text/plain");
        assert_eq!(of("Main.JAVA", b"class A {}", true), "text/x-java");
    }

    #[test]
    fn the_extension_wins_over_the_content() {
        assert_eq!(of("a.png", b"not a picture", true), "image/png");
        assert_eq!(of("a.md", b"<html><body>", true), "text/markdown");
        assert_eq!(of("a.rs", b"fn main() {}", true), "text/x-rust");
        assert_eq!(of("a.svg", b"<svg/>", true), "image/svg+xml");
        assert_eq!(of("a.json", b"{}", true), "application/json");
        assert_eq!(of("a.toml", b"a = 1", true), "application/toml");
    }

    #[test]
    fn without_an_extension_the_content_tells() {
        assert_eq!(
            of("logo", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", false),
            "image/png"
        );
        assert_eq!(of("LICENSE", b"MIT License", true), "text/plain");
        assert_eq!(of(".gitignore", b"target", true), "text/plain");
        assert_eq!(of("a.b/LICENSE", b"MIT License", true), "text/plain");
        assert_eq!(
            of("blob", b"\x00\x01\x02", false),
            "application/octet-stream"
        );
        assert_eq!(of("empty", b"", true), "text/plain");
        assert_eq!(of("run", b"#!/bin/sh\necho\n", true), "text/x-shellscript");
        assert_eq!(of("page", b"<!DOCTYPE html><p>", true), "text/html");
        assert_eq!(of("feed", b"<?xml version='1.0'?>", true), "text/xml");
        assert_eq!(of("paper", b"%PDF-1.4\n", true), "application/pdf");
        assert_eq!(of("paper", b"junk %PDF-1.4\n\0", false), "application/pdf");
        assert_eq!(of("notes", b"begin it with %PDF-1.4", true), "text/plain");
        assert_eq!(of("notes", b"BMW and MZ are names", true), "text/plain");
        assert_eq!(
            of("x.class-of-its-own", b"a\0", false),
            "application/octet-stream"
        );
    }
}

//! Findings as SARIF 2.1.0 (OASIS, Static Analysis Results Interchange Format), for code scanning.

use super::json::document;
use super::order::sorted;
use super::position::Files;
use super::{Code, Diagnostic, Severity, Span};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use serde::Serialize;
use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path};

/// One SARIF log with one run, indented, ending with a line end. `rules` are the codes with their
/// explanations, in any order; all of them are listed in the driver, the first of two with one
/// code. The results stand in the order of path, position and code.
///
/// Columns count characters (`columnKind` is `unicodeCodePoints`); `endColumn` is one past the
/// last, as §3.30.8 wants. A relative path becomes a relative URI, an absolute one a `file:` URI.
/// Braces are doubled, because §3.11.5 reads a single one as a placeholder.
pub fn sarif(diagnostics: &[Diagnostic], tool_version: &str, rules: &[(Code, &str)]) -> String {
    let mut texts = BTreeMap::new();
    for (code, text) in rules {
        texts.entry(code.0).or_insert(*text);
    }
    let mut files = Files::default();
    let results = sorted(diagnostics)
        .into_iter()
        .map(|diagnostic| Outcome {
            rule_id: diagnostic.code.0,
            rule_index: texts.keys().position(|code| *code == diagnostic.code.0),
            level: match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            },
            message: Message::of(diagnostic),
            locations: diagnostic
                .at
                .iter()
                .map(|span| Location::new(span, None, &mut files))
                .collect(),
            related_locations: diagnostic
                .related
                .iter()
                .map(|(span, what)| Location::new(span, Some(what), &mut files))
                .collect(),
        })
        .collect();
    let log = Log {
        schema: "https://json.schemastore.org/sarif-2.1.0.json",
        version: "2.1.0",
        runs: [Run {
            tool: Tool {
                driver: Driver {
                    name: "snodo",
                    version: tool_version,
                    rules: texts
                        .iter()
                        .map(|(code, text)| Rule::new(code, text))
                        .collect(),
                },
            },
            column_kind: "unicodeCodePoints",
            results,
        }],
    };
    document(&log)
}

#[derive(Serialize)]
struct Log<'d> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run<'d>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'d> {
    tool: Tool<'d>,
    column_kind: &'static str,
    results: Vec<Outcome>,
}

#[derive(Serialize)]
struct Tool<'d> {
    driver: Driver<'d>,
}

#[derive(Serialize)]
struct Driver<'d> {
    name: &'static str,
    version: &'d str,
    rules: Vec<Rule>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule {
    id: String,
    short_description: Message,
    full_description: Message,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Outcome {
    rule_id: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_index: Option<usize>,
    level: &'static str,
    message: Message,
    locations: Vec<Location>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Location>,
}

#[derive(Serialize)]
struct Message {
    text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: PhysicalLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Message>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    region: Region,
}

#[derive(Serialize)]
struct ArtifactLocation {
    uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: usize,
    start_column: usize,
    end_line: usize,
    end_column: usize,
}

impl Rule {
    fn new(code: &str, explanation: &str) -> Self {
        Self {
            id: code.to_owned(),
            short_description: Message::plain(first_sentence(explanation)),
            full_description: Message::plain(explanation),
        }
    }
}

impl Message {
    fn plain(text: &str) -> Self {
        Self {
            text: text.replace('{', "{{").replace('}', "}}"),
        }
    }

    /// The message, what its place is, and what to do, a line each.
    fn of(diagnostic: &Diagnostic) -> Self {
        let mut text = diagnostic.message.clone();
        if let Some(label) = &diagnostic.label {
            text.push('\n');
            text.push_str(label);
        }
        if let Some(help) = &diagnostic.help {
            text.push_str("\nhelp: ");
            text.push_str(help);
        }
        Self::plain(&text)
    }
}

impl Location {
    fn new<'d>(span: &'d Span, message: Option<&str>, files: &mut Files<'d>) -> Self {
        let lines = files.lines(&span.file);
        let (start, end) = (lines.locate(span.start), lines.locate(span.end));
        Self {
            physical_location: PhysicalLocation {
                artifact_location: ArtifactLocation {
                    uri: uri(span.file.path()),
                },
                region: Region {
                    start_line: start.line,
                    start_column: start.column,
                    end_line: end.line,
                    end_column: end.column,
                },
            },
            message: message.map(Message::plain),
        }
    }
}

/// Up to the first full stop that ends a sentence.
fn first_sentence(text: &str) -> &str {
    let text = text.trim();
    let end = [". ", ".\n"]
        .iter()
        .filter_map(|stop| text.find(stop))
        .min();
    text.get(..end.map_or(text.len(), |at| at + 1))
        .unwrap_or(text)
}

/// What RFC 3986 allows in a path segment without a colon, which would read as a scheme.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

fn uri(path: &Path) -> String {
    let scheme = if path.is_absolute() { "file:///" } else { "" };
    let segments: Vec<String> = path
        .components()
        .filter(|component| !matches!(component, Component::CurDir | Component::RootDir))
        .map(|component| percent_encode(component.as_os_str().as_bytes(), SEGMENT).to_string())
        .collect();
    format!("{scheme}{}", segments.join("/"))
}

#[cfg(test)]
mod tests {
    use super::super::SourceFile;
    use super::*;
    use std::ffi::OsStr;
    use std::sync::Arc;

    const RULES: &[(Code, &str)] = &[
        (
            Code("unknown-key"),
            "A key means nothing here. Example: `min_lenght`.\nFix the name.",
        ),
        (Code("duplicate-name"), "Two components share a name"),
    ];

    #[test]
    fn the_whole_log() {
        let file = SourceFile::new("./m/a b.toml", "a = 1\né = \"{{ x }}\"\n");
        let at = |start, end| Span {
            file: Arc::clone(&file),
            start,
            end,
        };
        let found = [
            Diagnostic::error(Code("unknown-key"), at(6, 8), "unknown key `{{ x }}`")
                .label("in tool \"t\"")
                .related(at(0, 5), "first {here}")
                .help("remove it"),
        ];
        assert_eq!(
            sarif(&found, "0.1.0", RULES),
            r#"{
  "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
  "version": "2.1.0",
  "runs": [
    {
      "tool": {
        "driver": {
          "name": "snodo",
          "version": "0.1.0",
          "rules": [
            {
              "id": "duplicate-name",
              "shortDescription": {
                "text": "Two components share a name"
              },
              "fullDescription": {
                "text": "Two components share a name"
              }
            },
            {
              "id": "unknown-key",
              "shortDescription": {
                "text": "A key means nothing here."
              },
              "fullDescription": {
                "text": "A key means nothing here. Example: `min_lenght`.\nFix the name."
              }
            }
          ]
        }
      },
      "columnKind": "unicodeCodePoints",
      "results": [
        {
          "ruleId": "unknown-key",
          "ruleIndex": 1,
          "level": "error",
          "message": {
            "text": "unknown key `{{{{ x }}}}`\nin tool \"t\"\nhelp: remove it"
          },
          "locations": [
            {
              "physicalLocation": {
                "artifactLocation": {
                  "uri": "m/a%20b.toml"
                },
                "region": {
                  "startLine": 2,
                  "startColumn": 1,
                  "endLine": 2,
                  "endColumn": 2
                }
              }
            }
          ],
          "relatedLocations": [
            {
              "physicalLocation": {
                "artifactLocation": {
                  "uri": "m/a%20b.toml"
                },
                "region": {
                  "startLine": 1,
                  "startColumn": 1,
                  "endLine": 1,
                  "endColumn": 6
                }
              },
              "message": {
                "text": "first {{here}}"
              }
            }
          ]
        }
      ]
    }
  ]
}
"#
        );
    }

    #[test]
    fn a_finding_without_a_place_or_an_explanation() {
        let found = [Diagnostic::placeless(Code("other"), "m")];
        let log: serde_json::Value = serde_json::from_str(&sarif(&found, "1", RULES)).unwrap();
        let result = &log["runs"][0]["results"][0];
        let expected = serde_json::json!({
            "ruleId": "other", "level": "error", "message": { "text": "m" }, "locations": [],
        });
        assert_eq!(*result, expected);
    }

    #[test]
    fn nothing_found_still_lists_results_and_rules() {
        let log: serde_json::Value = serde_json::from_str(&sarif(&[], "1", RULES)).unwrap();
        assert_eq!(log["runs"][0]["results"], serde_json::json!([]));
        assert_eq!(
            log["runs"][0]["tool"]["driver"]["rules"][0]["id"],
            "duplicate-name"
        );
    }

    #[test]
    fn uris() {
        assert_eq!(uri(Path::new("m/sub/x.toml")), "m/sub/x.toml");
        assert_eq!(uri(Path::new("../m/x#1?.toml")), "../m/x%231%3F.toml");
        assert_eq!(
            uri(Path::new("/etc/snodo/é.toml")),
            "file:///etc/snodo/%C3%A9.toml"
        );
        assert_eq!(uri(Path::new("a:b.toml")), "a%3Ab.toml");
        assert_eq!(
            uri(Path::new(OsStr::from_bytes(b"m/\xff.toml"))),
            "m/%FF.toml"
        );
    }
}

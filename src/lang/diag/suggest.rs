//! Did you mean: the one candidate that somebody who wrote this word probably had in mind.

use std::cmp::Reverse;

/// Words longer than this are not compared: nobody meant them.
const MAX_WORD: usize = 100;

/// The candidate closest to `word`, if one is close enough to be worth saying.
///
/// In this order: the same word in another spelling (`inputSchema`, `read-only`, `READ_ONLY`, the
/// protocol's own `readOnlyHint`, `_meta`); singular for plural or the reverse; a typing slip, at
/// most one in three characters; a beginning (`desc`, `timeout`). Ties go to the fewer edits, then
/// the longer common beginning, then the nearer length, then byte order: the order of
/// `candidates` does not matter. A candidate that is `word` itself is passed over.
pub fn closest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let plain = Plain::of(word)?;
    candidates
        .into_iter()
        .filter(|candidate| *candidate != word)
        .filter_map(|candidate| {
            let other = Plain::of(candidate)?;
            let rank = plain.rank(&other)?;
            let common = plain.common_beginning(&other);
            let apart = plain.len().abs_diff(other.len());
            Some(((rank, Reverse(common), apart, candidate), candidate))
        })
        .min_by(|(a, _), (b, _)| a.cmp(b))
        .map(|(_, candidate)| candidate)
}

/// The help line of an unknown word: ``did you mean `min_length`?``
pub fn did_you_mean<'c>(
    word: &str,
    candidates: impl IntoIterator<Item = &'c str>,
) -> Option<String> {
    closest(word, candidates).map(|meant| format!("did you mean `{meant}`?"))
}

/// How likely a candidate was meant, the likeliest first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Spelling,
    Number,
    Slip(usize),
    Beginning,
}

/// A word without case and separators: what `inputSchema` and `input_schema` share.
struct Plain(Vec<char>);

impl Plain {
    /// `None` for a word without letters or digits, or one too long to have been meant.
    fn of(word: &str) -> Option<Self> {
        if word.len() > MAX_WORD * 4 {
            return None;
        }
        let chars: Vec<char> = word
            .chars()
            .filter(|ch| !matches!(ch, '_' | '-' | ' ' | '.'))
            .flat_map(char::to_lowercase)
            .collect();
        (1..=MAX_WORD).contains(&chars.len()).then_some(Self(chars))
    }

    fn rank(&self, candidate: &Self) -> Option<Rank> {
        if self.0 == candidate.0 || self.without_hint() == candidate.0 {
            return Some(Rank::Spelling);
        }
        if self.singular() == candidate.singular() {
            return Some(Rank::Number);
        }
        let longer = self.len().max(candidate.len());
        let edits = strsim::generic_damerau_levenshtein(&self.0, &candidate.0);
        // Words of one or two characters share too little to be a slip of each other.
        if edits <= longer / 3 {
            return Some(Rank::Slip(edits));
        }
        // `desc` for `description`; and `timeout_secs` for `timeout`, where most is the same.
        let begun = self.len() >= 3 && candidate.0.starts_with(&self.0);
        let overrun = self.0.starts_with(&candidate.0) && candidate.len() * 2 >= self.len();
        (begun || overrun && candidate.len() >= 3).then_some(Rank::Beginning)
    }

    /// The protocol's annotations end in `Hint`; a manifest's do not.
    fn without_hint(&self) -> &[char] {
        let hint = ['h', 'i', 'n', 't'];
        self.0.strip_suffix(&hint).unwrap_or(&self.0)
    }

    /// `queries` and `query`, `headers` and `header`, `matches` and `match` come out the same.
    fn singular(&self) -> String {
        let word: String = self.0.iter().collect();
        let stem = |ending: &str| word.strip_suffix(ending).filter(|rest| rest.len() >= 2);
        if let Some(rest) = stem("ies") {
            return format!("{rest}y");
        }
        for ending in ["ches", "shes", "sses", "xes"] {
            if stem(ending).is_some() {
                return word.strip_suffix("es").unwrap_or(&word).to_owned();
            }
        }
        match stem("s") {
            Some(rest) if !rest.ends_with('s') => rest.to_owned(),
            _ => word,
        }
    }

    fn common_beginning(&self, other: &Self) -> usize {
        let pairs = self.0.iter().zip(&other.0);
        pairs.take_while(|(a, b)| a == b).count()
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: &[&str] = &[
        "name",
        "title",
        "description",
        "annotations",
        "arguments",
        "input_schema",
        "output_schema",
        "http",
        "shell",
        "file",
        "actor",
        "result",
        "wrap",
        "ask",
        "scopes",
        "cache",
        "icons",
        "metadata",
        "min_length",
        "max_length",
        "minimum",
        "maximum",
        "pattern",
        "required",
        "default",
        "enum",
        "type",
        "read_only",
        "destructive",
        "idempotent",
        "open_world",
        "timeout_ms",
        "max_bytes",
        "headers",
        "query",
        "url",
        "uri",
        "uri_template",
        "mime_type",
        "os",
        "env",
        "on",
        "id",
    ];

    fn meant(word: &str) -> Option<&'static str> {
        closest(word, KEYS.iter().copied())
    }

    #[test]
    fn spellings() {
        for (word, key) in [
            ("inputSchema", "input_schema"),
            ("read-only", "read_only"),
            ("readOnlyHint", "read_only"),
            ("openWorldHint", "open_world"),
            ("mimeType", "mime_type"),
            ("MIN_LENGTH", "min_length"),
            ("minlength", "min_length"),
            ("Name", "name"),
        ] {
            assert_eq!(meant(word), Some(key), "{word}");
        }
    }

    #[test]
    fn numbers() {
        for (word, key) in [
            ("argument", "arguments"),
            ("header", "headers"),
            ("queries", "query"),
            ("scope", "scopes"),
            ("caches", "cache"),
            ("descriptions", "description"),
        ] {
            assert_eq!(meant(word), Some(key), "{word}");
        }
        assert_eq!(closest("address", ["addres"]), Some("addres"));
        assert_eq!(closest("matches", ["match", "batches"]), Some("match"));
    }

    #[test]
    fn slips() {
        for (word, key) in [
            ("min_lenght", "min_length"),
            ("max_lenght", "max_length"),
            ("qurey", "query"),
            ("nmae", "name"),
            ("desciption", "description"),
            ("requierd", "required"),
            ("tiemout_ms", "timeout_ms"),
            ("ulr", "url"),
            ("uir", "uri"),
        ] {
            assert_eq!(meant(word), Some(key), "{word}");
        }
    }

    #[test]
    fn beginnings() {
        for (word, key) in [
            ("desc", "description"),
            ("timeout", "timeout_ms"),
            ("_meta", "metadata"),
            ("mime", "mime_type"),
            ("annotation", "annotations"),
        ] {
            assert_eq!(meant(word), Some(key), "{word}");
        }
        assert_eq!(closest("timeout_secs", ["timeout"]), Some("timeout"));
    }

    #[test]
    fn bounds_are_exact() {
        for (word, candidate, is_meant) in [
            // A beginning of three characters.
            ("des", "description", true),
            ("de", "description", false),
            // A candidate of three characters at the least, and half of the word.
            ("abcdef", "abc", true),
            ("abcdefg", "abc", false),
            ("abcd", "ab", false),
            // A slip in three characters, in words that share something.
            ("abx", "abc", true),
            ("axx", "abc", false),
            ("abcdxx", "abcdef", true),
            ("abcxxx", "abcdef", false),
            // Singular for plural, of at least two characters.
            ("xs", "x", false),
            ("ies", "y", false),
        ] {
            let expected = is_meant.then_some(candidate);
            assert_eq!(closest(word, [candidate]), expected, "{word}");
        }
        // Longer than anybody writes: in characters, whatever they are in bytes.
        let long = |count: usize| "𝒳".repeat(count);
        let almost = long(MAX_WORD - 1);
        assert_eq!(closest(&long(MAX_WORD), [&*almost]), Some(&*almost));
        let most = "x".repeat(MAX_WORD);
        assert_eq!(closest(&format!("{most}x"), [&*most]), None);
    }

    #[test]
    fn nothing_silly() {
        for word in [
            "x", "ip", "off", "banana", "", "_", "--", "servers", "tool", "in",
        ] {
            assert_eq!(meant(word), None, "{word}");
        }
        assert_eq!(closest("get", ["set", "delete"]), Some("set"));
        assert_eq!(closest("name", ["name"]), None);
    }

    #[test]
    fn ties_do_not_depend_on_order() {
        let keys = ["max_length", "min_length"];
        let reversed = ["min_length", "max_length"];
        assert_eq!(closest("mxn_length", keys), closest("mxn_length", reversed));
        assert_eq!(closest("mx_length", keys), Some("max_length"));
        assert_eq!(closest("mn_length", reversed), Some("min_length"));
        assert_eq!(closest("foo_bar", ["fooBar", "foo-bar"]), Some("foo-bar"));
    }

    #[test]
    fn what_is_likelier_comes_first() {
        for (word, candidates, meant) in [
            // Another spelling, before another number.
            (
                "openWorldHint",
                ["open_world", "open_world_hints"],
                "open_world",
            ),
            // Another number, before a slip.
            ("tools", ["tool", "toolz"], "tool"),
            ("address", ["addres", "addresses"], "addresses"),
            // Fewer edits, then the longer beginning in common, then the nearer length.
            ("abcdefghi", ["abcdefgxx", "axcdefghi"], "axcdefghi"),
            ("abcdef", ["aacdef", "abcdxf"], "abcdxf"),
            ("abcdef", ["abcdefa", "abcdex"], "abcdefa"),
            ("timeou", ["timeout_ms", "timeout_secs"], "timeout_ms"),
        ] {
            assert_eq!(closest(word, candidates), Some(meant), "{word}");
        }
    }

    #[test]
    fn huge_words_are_not_compared() {
        let huge = "a".repeat(1 << 20);
        assert_eq!(closest(&huge, KEYS.iter().copied()), None);
        assert_eq!(closest("name", [huge.as_str()]), None);
    }

    #[test]
    fn as_a_help_line() {
        let help = did_you_mean("min_lenght", KEYS.iter().copied());
        assert_eq!(help.as_deref(), Some("did you mean `min_length`?"));
    }
}

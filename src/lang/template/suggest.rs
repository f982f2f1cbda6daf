//! Did you mean: the known word that is nearest to a misspelt one.

/// Words longer than this are not compared: they are no misspelling, and comparing is quadratic.
const MAX_CHARS: usize = 64;

/// The candidate nearest to `word`, when it is near enough to be what was meant: one edit for
/// each three letters.
pub(super) fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let length = word.chars().count();
    if length > MAX_CHARS {
        return None;
    }
    let limit = length.div_ceil(3).max(1);
    candidates
        .into_iter()
        .filter(|candidate| candidate.len() <= 4 * MAX_CHARS)
        .map(|candidate| (strsim::damerau_levenshtein(word, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= limit && *distance < candidate.chars().count())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The same as a help line: ``` did you mean `query`?```.
pub(super) fn did_you_mean<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    nearest(word, candidates).map(|candidate| format!("did you mean `{candidate}`?"))
}

//! Completion: which of the candidates fit what has been typed, best first.

use crate::ops::Completion;
use std::collections::HashSet;

/// The candidates that begin with what has been typed, then those that hold it, each group in the
/// order given and each candidate once. Upper and lower case are the same here: who types a name
/// to find it seldom types it exactly. Without `filter` all fit.
pub(super) fn choose<'c>(
    candidates: impl Iterator<Item = &'c str>,
    typed: &str,
    filter: bool,
) -> Completion {
    let typed = typed.to_lowercase();
    let mut seen = HashSet::new();
    let (mut begin, mut hold) = (Vec::new(), Vec::new());
    for candidate in candidates.filter(|candidate| seen.insert(*candidate)) {
        match filter.then(|| candidate.to_lowercase().find(&typed)) {
            None | Some(Some(0)) => begin.push(candidate),
            Some(Some(_)) => hold.push(candidate),
            Some(None) => {}
        }
    }
    let total = begin.len() + hold.len();
    let best = begin.into_iter().chain(hold).take(Completion::MOST);
    Completion {
        values: best.map(str::to_owned).collect(),
        total,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(candidates: &[&str], typed: &str) -> Vec<String> {
        choose(candidates.iter().copied(), typed, true).values
    }

    #[test]
    fn what_begins_with_it_comes_before_what_holds_it() {
        let candidates = ["jason", "plug", "phoenix", "ex_plug", "Plug.Router"];
        assert_eq!(
            chosen(&candidates, "plug"),
            ["plug", "Plug.Router", "ex_plug"]
        );
        assert_eq!(
            chosen(&candidates, "P"),
            ["plug", "phoenix", "Plug.Router", "ex_plug"]
        );
        assert_eq!(chosen(&candidates, ""), candidates);
        assert!(chosen(&candidates, "ecto").is_empty());
        assert_eq!(chosen(&["É1", "e2"], "é"), ["É1"]);
    }

    #[test]
    fn each_is_offered_once_and_all_are_counted() {
        assert_eq!(chosen(&["a", "a", "b"], ""), ["a", "b"]);
        let many: Vec<String> = (0..250).map(|number| format!("v{number}")).collect();
        let all = choose(many.iter().map(String::as_str), "v", true);
        assert_eq!(
            (all.values.len(), all.total, all.has_more()),
            (100, 250, true)
        );
        let few = choose(many.iter().map(String::as_str), "v24", true);
        assert_eq!((few.total, few.has_more()), (11, false));
    }

    #[test]
    fn without_the_filter_all_fit_in_their_order() {
        let all = choose(["b", "a"].into_iter(), "zzz", false);
        assert_eq!(all.values, ["b", "a"]);
    }
}

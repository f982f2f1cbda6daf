//! What is remembered of calls, and that the count of it is kept.

use super::*;

fn held(keys: &Keys) -> usize {
    keys.by_key.values().map(VecDeque::len).sum()
}

#[test]
fn what_is_counted_is_what_is_remembered() {
    let start = Instant::now();
    let rate = Rate::new(3, Duration::from_millis(50));
    for step in 0..2000_u64 {
        // Few keys, some of them seldom.
        let key = (step * step % 17).to_string();
        let _ = rate.count(&key, start + Duration::from_millis(step));
        let keys = rate.keys();
        assert_eq!(keys.calls, held(&keys), "after {step}");
        assert_eq!(keys.by_age.len(), keys.by_key.len(), "after {step}");
        assert!(keys.by_key.values().all(|calls| !calls.is_empty()));
    }
    // All are over: nothing is remembered but the call that is counted.
    rate.count("x", start + Duration::from_secs(9)).unwrap();
    let keys = rate.keys();
    assert_eq!((keys.calls, held(&keys), keys.by_age.len()), (1, 1, 1));
}

#[test]
fn a_limit_of_one_lets_one_through_in_each_window() {
    let start = Instant::now();
    let rate = Rate::new(1, Duration::from_secs(1));
    let at = |millis| rate.count("k", start + Duration::from_millis(millis));
    assert!(at(0).is_ok());
    assert!(at(999).is_err());
    assert!(at(1000).is_ok());
    assert!(at(1500).is_err());
    assert!(at(2000).is_ok());
}

#[test]
fn all_calls_together_are_bounded() {
    let start = Instant::now();
    let mut keys = Keys::default();
    keys.add(of("old"), start);
    keys.add(of("new"), start + Duration::from_secs(1));
    // As if there were many more, of keys that are younger.
    keys.calls = MOST_CALLS;
    keys.add(of("new"), start + Duration::from_secs(2));
    assert!(!keys.by_key.contains_key(&of("old")));
    assert_eq!(keys.by_key[&of("new")].len(), 2);
    assert_eq!(keys.calls, MOST_CALLS);
}

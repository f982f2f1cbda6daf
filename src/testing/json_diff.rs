//! Where two JSON values differ.

use serde_json::{Number, Value};

/// How a value is held against what was expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    /// They are the same.
    Whole,
    /// The value has every member that is expected, and may have others. Lists are as long as they
    /// are expected to be.
    Part,
}

/// One place where they differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Its JSON pointer (RFC 6901); empty for the whole.
    pub path: String,
    /// What is expected there; `None` is nothing.
    pub expected: Option<Value>,
    /// What is there; `None` is nothing.
    pub actual: Option<Value>,
}

/// The places where `actual` is not as expected, in the order of what is expected. Numbers are
/// compared by their value: 2 and 2.0 are the same. The order of members does not matter.
pub(super) fn differences(expected: &Value, actual: &Value, manner: Manner) -> Vec<Difference> {
    let mut found = Vec::new();
    walk(expected, actual, manner, "", &mut found);
    found
}

fn walk(expected: &Value, actual: &Value, manner: Manner, path: &str, found: &mut Vec<Difference>) {
    match (expected, actual) {
        (Value::Object(wanted), Value::Object(given)) => {
            for (key, expected) in wanted {
                let path = join(path, key);
                match given.get(key) {
                    Some(actual) => walk(expected, actual, manner, &path, found),
                    None => found.push(Difference {
                        path,
                        expected: Some(expected.clone()),
                        actual: None,
                    }),
                }
            }
            if manner == Manner::Whole {
                let others = given.iter().filter(|(key, _)| !wanted.contains_key(*key));
                found.extend(others.map(|(key, actual)| Difference {
                    path: join(path, key),
                    expected: None,
                    actual: Some(actual.clone()),
                }));
            }
        }
        (Value::Array(wanted), Value::Array(given)) => {
            for index in 0..wanted.len().max(given.len()) {
                let path = format!("{path}/{index}");
                match (wanted.get(index), given.get(index)) {
                    (Some(expected), Some(actual)) => {
                        walk(expected, actual, manner, &path, found);
                    }
                    (expected, actual) => found.push(Difference {
                        path,
                        expected: expected.cloned(),
                        actual: actual.cloned(),
                    }),
                }
            }
        }
        (Value::Number(one), Value::Number(other)) if is_same(one, other) => {}
        (one, other) if one == other => {}
        _ => found.push(Difference {
            path: path.to_owned(),
            expected: Some(expected.clone()),
            actual: Some(actual.clone()),
        }),
    }
}

fn join(path: &str, key: &str) -> String {
    format!("{path}/{}", key.replace('~', "~0").replace('/', "~1"))
}

fn is_same(one: &Number, other: &Number) -> bool {
    // Two integers are not compared as floats, which would take neighbours for one.
    let is_float = one.is_f64() || other.is_f64();
    one == other || is_float && one.as_f64() == other.as_f64()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn paths(expected: &Value, actual: &Value, manner: Manner) -> Vec<String> {
        let found = differences(expected, actual, manner);
        found.into_iter().map(|one| one.path).collect()
    }

    #[test]
    fn every_place_is_told_and_no_other() {
        let expected = json!({ "a": 1, "b": [1, { "c": "x" }], "e/~": null, "g": {} });
        let actual = json!({ "g": [], "b": [1, { "c": "y", "d": 1 }, 3], "a": 1.0, "f": 2 });
        assert_eq!(
            paths(&expected, &actual, Manner::Whole),
            ["/b/1/c", "/b/1/d", "/b/2", "/e~1~0", "/g", "/f"]
        );
        assert_eq!(
            paths(&expected, &actual, Manner::Part),
            ["/b/1/c", "/b/2", "/e~1~0", "/g"]
        );
        assert_eq!(paths(&json!(1), &json!("1"), Manner::Part), [""]);
    }

    #[test]
    fn numbers_are_the_same_by_value() {
        for (one, other, same) in [
            (json!(2), json!(2.0), true),
            (json!(-0.0), json!(0), true),
            (
                json!(9_007_199_254_740_993_i64),
                json!(9_007_199_254_740_992_i64),
                false,
            ),
            (json!(u64::MAX), json!(u64::MAX), true),
            (json!(1), json!(1.5), false),
        ] {
            let found = differences(&one, &other, Manner::Whole);
            assert_eq!(found.is_empty(), same, "{one} {other}");
        }
    }

    #[test]
    fn a_part_may_be_the_whole() {
        let value = json!({ "a": [{ "b": null }] });
        assert!(paths(&value, &value, Manner::Part).is_empty());
        assert_eq!(
            paths(&json!({ "a": null }), &json!({}), Manner::Part),
            ["/a"]
        );
        assert_eq!(paths(&json!([{}]), &json!([]), Manner::Part), ["/0"]);
    }
}

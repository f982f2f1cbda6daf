//! JSON numbers and values compared as JSON Schema does: by their mathematical value.

use serde_json::{Number, Value};
use std::cmp::Ordering;

/// Whether it has no fraction: `1.0` is an integer since draft 6.
pub(super) fn is_integer(number: &Number) -> bool {
    !number.is_f64() || number.as_f64().is_some_and(|float| float.fract() == 0.0)
}

/// The order of two numbers, exactly; never through a lossy conversion.
pub(super) fn compare(left: &Number, right: &Number) -> Ordering {
    match (integer(left), integer(right)) {
        (Some(left), Some(right)) => left.cmp(&right),
        (Some(left), None) => compare_with_float(left, right.as_f64().unwrap_or(0.0)),
        (None, Some(right)) => compare_with_float(right, left.as_f64().unwrap_or(0.0)).reverse(),
        (None, None) => left
            .as_f64()
            .partial_cmp(&right.as_f64())
            .unwrap_or(Ordering::Equal),
    }
}

/// Whether two values are equal; `1` and `1.0` are, members may stand in any order.
pub(super) fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => compare(left, right).is_eq(),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .zip(right)
                    .all(|(left, right)| equal(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .all(|(key, left)| right.get(key).is_some_and(|right| equal(left, right)))
        }
        (left, right) => left == right,
    }
}

/// A count given by a keyword: `5`, or `5.0`.
pub(super) fn count(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| {
        let float = value
            .as_f64()
            .filter(|float| float.fract() == 0.0 && *float >= 0.0)?;
        // Saturates: nothing has 2^64 items.
        Some(float as u64)
    })
}

fn integer(number: &Number) -> Option<i128> {
    match (number.as_u64(), number.as_i64()) {
        (Some(unsigned), _) => Some(i128::from(unsigned)),
        (None, signed) => signed.map(i128::from),
    }
}

fn compare_with_float(left: i128, right: f64) -> Ordering {
    // Every integer here is within 64 bits and a sign; both conversions are exact in between.
    const LIMIT: f64 = 18_446_744_073_709_551_616.0;
    if right >= LIMIT {
        return Ordering::Less;
    }
    if right <= -LIMIT {
        return Ordering::Greater;
    }
    let whole = right.trunc();
    left.cmp(&(whole as i128)).then_with(|| {
        if right > whole {
            Ordering::Less
        } else if right < whole {
            Ordering::Greater
        } else {
            Ordering::Equal
        }
    })
}

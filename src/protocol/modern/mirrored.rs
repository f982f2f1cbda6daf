//! Arguments that stand in `Mcp-Param-*` headers too (specification: streamable-http §Custom Headers
//! from Tool Parameters): compared with the body, so that whoever routes by a header routes by what
//! is carried out.

use super::headers::{decoded, only};
use crate::lang::schema::HeaderParam;
use crate::lang::template::text_of;
use crate::ops::Arguments;
use crate::protocol::codes::Fault;
use http::HeaderMap;
use serde_json::{Number, Value};

/// That each of these arguments and its header agree: there together and equal, or absent together.
/// A list or an object has no form as a header and is not expected in one; its schema refuses it.
///
/// # Errors
/// The first that does not.
pub(super) fn check(
    headers: &HeaderMap,
    params: &[HeaderParam],
    arguments: &Arguments,
) -> Result<(), Fault> {
    for param in params {
        let name = format!("Mcp-Param-{}", param.name);
        let value = param
            .value(arguments)
            .filter(|value| !value.is_array() && !value.is_object());
        let Some(value) = value else {
            if headers.contains_key(&name) {
                return Err(mismatch(&name, "has no value in the body"));
            }
            continue;
        };
        let header = decoded(&name, only(headers, name.as_str(), &name)?)?;
        if !agrees(&header, value) {
            return Err(mismatch(&name, "does not match the value in the body"));
        }
    }
    Ok(())
}

fn mismatch(name: &str, what: &str) -> Fault {
    Fault::HeaderMismatch(format!("the {name} header {what}"))
}

fn agrees(header: &str, value: &Value) -> bool {
    match value {
        Value::String(text) => header == text,
        Value::Number(number) => header == text_of(value) || is_number(header, number),
        other => header == text_of(other),
    }
}

/// Compares as numbers: `42.0` is `42`. Exact, so that two large integers are not taken for one.
fn is_number(header: &str, number: &Number) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = header.split_once('.').unwrap_or((header, "0"));
    if !digits(whole.strip_prefix('-').unwrap_or(whole)) || !digits(fraction) {
        return false;
    }
    let integer = number
        .as_i64()
        .map(i128::from)
        .or_else(|| number.as_u64().map(i128::from));
    match integer {
        Some(integer) => {
            fraction.bytes().all(|digit| digit == b'0') && whole.parse() == Ok(integer)
        }
        None => header.parse() == Ok(number.as_f64().unwrap_or(f64::NAN)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_agree_by_what_they_mean() {
        for (header, value, expected) in [
            ("us", json!("us"), true),
            ("US", json!("us"), false),
            ("", json!(""), true),
            ("true", json!(true), true),
            ("True", json!(true), false),
            ("1", json!(true), false),
            ("42", json!(42), true),
            ("42.0", json!(42), true),
            ("042", json!(42), true),
            ("42", json!(42.0), true),
            ("42.0", json!(42.0), true),
            ("42.5", json!(42), false),
            ("42.5", json!(42.5), true),
            ("-7", json!(-7), true),
            ("--7", json!(-7), false),
            ("+7", json!(7), false),
            ("4e1", json!(40), false),
            ("", json!(0), false),
            ("42.", json!(42), false),
            (".5", json!(0.5), false),
            ("9007199254740993", json!(9_007_199_254_740_993_i64), true),
            ("9007199254740992", json!(9_007_199_254_740_993_i64), false),
            ("18446744073709551615", json!(u64::MAX), true),
            ("inf", json!(1), false),
            ("42", json!("42"), true),
            ("42.0", json!("42"), false),
        ] {
            assert_eq!(agrees(header, &value), expected, "{header} {value}");
        }
    }
}

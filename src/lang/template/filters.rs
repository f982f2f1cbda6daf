//! The filters and functions that are this language's own, and those that the engine is given in
//! place of its own because those are not bounded, or put values into words by other rules.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use minijinja::value::{Kwargs, Rest, ValueKind};
use minijinja::{Environment, Error, State, Value};
use serde_json::Value as Json;
use serde_json::ser::PrettyFormatter;

use super::engine::{error, is_for_url};
use super::error::Failure;
use super::{MAX_VALUES, convert, text, url};

/// Most elements of a `range`.
const MAX_RANGE: i64 = 100_000;

/// Largest bound or step of a slice; longer than any list.
const MAX_BOUND: i64 = 1 << 40;

/// Widest indentation of `tojson`.
const MAX_INDENT: usize = 8;

/// Values that are counted for one of fuel.
const VALUES_OF_FUEL: u64 = 8;

pub(super) fn add_to(environment: &mut Environment<'static>) {
    environment.add_filter("b64decode", b64decode);
    environment.add_filter("b64encode", b64encode);
    environment.add_filter("fromjson", fromjson);
    environment.add_filter("lines", lines);
    environment.add_filter("raw", raw);
    environment.add_filter("split", split);
    environment.add_filter("string", string);
    environment.add_filter("tojson", tojson);
    environment.add_filter("urlencode", urlencode);
    environment.add_function("range", range);
    // Written by the lowering, never by authors.
    environment.add_filter("__bound", bound);
    environment.add_filter("__emit", emit);
    environment.add_filter("__get", get);
    environment.add_filter("__held", held);
    environment.add_filter("__parts", parts);
    environment.add_filter("__repeated", repeated);
    environment.remove_global("debug");
    environment.remove_global("namespace");
}

/// Base64 (RFC 4648 §4, with padding) of the text's UTF-8.
fn b64encode(text: Cow<'_, str>) -> String {
    BASE64.encode(text.as_bytes())
}

/// The text whose base64 (RFC 4648 §4) this is.
fn b64decode(encoded: Cow<'_, str>) -> Result<String, Error> {
    BASE64
        .decode(encoded.as_bytes())
        .ok()
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .ok_or_else(|| operation("the text is not base64 of UTF-8"))
}

/// The value whose JSON this is.
fn fromjson(json: Cow<'_, str>) -> Result<Value, Error> {
    let value: Json = serde_json::from_str(&json).map_err(|_| operation("the text is not JSON"))?;
    Ok(convert::from_json(&value))
}

/// The value's JSON: compact, or on several lines with `indent=2`.
fn tojson(value: &Value, indent: Option<usize>, kwargs: Kwargs) -> Result<String, Error> {
    let indent = match indent {
        Some(indent) => Some(indent),
        None => kwargs.get::<Option<usize>>("indent")?,
    };
    kwargs.assert_all_used()?;
    let json = convert::to_json(value).map_err(error)?;
    let text = match indent {
        None | Some(0) => json.to_string(),
        Some(width) => pretty(&json, width.min(MAX_INDENT)),
    };
    text::within_bound(&text).map_err(error)?;
    Ok(text)
}

fn pretty(json: &Json, width: usize) -> String {
    let mut out = Vec::new();
    let indent = b" ".repeat(width);
    let mut serializer =
        serde_json::Serializer::with_formatter(&mut out, PrettyFormatter::with_indent(&indent));
    // Neither writing to a `Vec` nor a JSON value can fail.
    let _ = serde::Serialize::serialize(json, &mut serializer);
    String::from_utf8(out).unwrap_or_default()
}

/// The text percent-encoded as one path segment or query value.
fn urlencode(text: Cow<'_, str>) -> Result<String, Error> {
    let mut out = String::new();
    url::push_encoded(&mut out, &text).map_err(error)?;
    Ok(out)
}

/// The lines of the text, without their ends.
fn lines(text: Cow<'_, str>) -> Result<Vec<Value>, Error> {
    collect(text.lines())
}

/// The parts of the text between separators, or its words when there is no separator; at most
/// `most` splits are made, from the left.
fn split(
    text: Cow<'_, str>,
    separator: Option<Cow<'_, str>>,
    most: Option<i64>,
) -> Result<Vec<Value>, Error> {
    let most = most.and_then(|most| usize::try_from(most).ok());
    match (separator, most) {
        (Some(separator), None) => collect(text.split(&*separator)),
        (Some(separator), Some(most)) => collect(text.splitn(most.saturating_add(1), &*separator)),
        (None, None) => collect(text.split_whitespace()),
        (None, Some(most)) => {
            let mut rest = text.trim_start();
            let mut left = most;
            collect(std::iter::from_fn(|| {
                let end = match rest.find(char::is_whitespace) {
                    Some(end) if left > 0 => end,
                    _ => rest.len(),
                };
                left = left.saturating_sub(1);
                let (word, behind) = rest.split_at(end);
                rest = behind.trim_start();
                (!word.is_empty()).then_some(word)
            }))
        }
    }
}

/// A list of texts; refused before it takes many times the memory of the text it comes from.
fn collect<'a>(texts: impl Iterator<Item = &'a str>) -> Result<Vec<Value>, Error> {
    let list: Vec<_> = texts.take(MAX_VALUES + 1).map(Value::from).collect();
    if list.len() > MAX_VALUES {
        return Err(error(Failure::Values));
    }
    Ok(list)
}

/// The value as text that a URL takes as it is.
fn raw(value: &Value) -> Result<Value, Error> {
    to_text(value).map(|text| Value::from_safe_string(text.into_owned()))
}

/// Integers from `lower` (0) up to `upper`, which is left out.
fn range(lower: i64, upper: Option<i64>, step: Option<i64>) -> Result<Value, Error> {
    let (lower, upper) = upper.map_or((0, lower), |upper| (lower, upper));
    let step = i128::from(step.unwrap_or(1));
    let distance = i128::from(upper) - i128::from(lower);
    if step == 0 {
        return Err(operation("a `range` with a step of 0 has no end"));
    }
    // One element for each begun step in the direction of the step.
    let count = (distance + step - step.signum()) / step;
    if count > i128::from(MAX_RANGE) {
        return Err(operation("a `range` has at most 100000 elements"));
    }
    let items = (0..count).filter_map(|i| i64::try_from(i128::from(lower) + i * step).ok());
    Ok(items.map(Value::from).collect::<Vec<_>>().into())
}

/// What is shown in a text or URL, encoded for where it stands.
fn emit(state: &State<'_, '_>, value: &Value) -> Result<Value, Error> {
    if !is_for_url(state) {
        return string(value);
    }
    let mut out = String::new();
    let text = to_text(value)?;
    if value.is_safe() {
        url::push_raw(&mut out, &text)
    } else {
        url::push_encoded(&mut out, &text)
    }
    .map_err(error)?;
    Ok(Value::from(out))
}

/// Steps into a value; undefined when a part is missing.
fn get(state: &mut State<'_, '_>, value: &Value, keys: Rest<Value>) -> Result<Value, Error> {
    let mut value = value.clone();
    for key in keys.iter() {
        if value.is_undefined() {
            break;
        }
        // The engine would step up to the place, which is no fuel to it here; making a list is.
        if value.kind() == ValueKind::Iterable {
            value = state.apply_filter("list", &[value])?;
        }
        value = value.get_item(key)?;
    }
    Ok(value)
}

/// What is unpacked into names, as long as there are names for it: the engine would step to the end
/// first, which is no fuel to it. `names` has a list in the place of each name that is several.
fn parts(value: &Value, names: &Value) -> Result<Value, Error> {
    let kind = value.kind();
    if !matches!(kind, ValueKind::Seq | ValueKind::Iterable | ValueKind::Map) {
        // The engine's error says so.
        return Ok(value.clone());
    }
    let names: Vec<_> = names.try_iter()?.collect();
    let items: Result<Vec<_>, _> = value.try_iter()?.checked().take(names.len() + 1).collect();
    let mut items = items?;
    if items.len() > names.len() {
        let names = names.len();
        let message = format!("sequence of wrong length (expected {names}, got more)");
        return Err(operation(&message));
    }
    for (item, name) in items.iter_mut().zip(&names) {
        if name.kind() == ValueKind::Seq {
            *item = parts(item, name)?;
        }
    }
    Ok(Value::from(items))
}

/// A list that is repeated, counted with all that its items hold: what reads or compares them steps
/// through everything, and only its outermost items are fuel to the engine.
fn repeated(state: &State<'_, '_>, value: &Value) -> Result<Value, Error> {
    let value = held(value)?;
    let count = convert::count(&value).map_err(error)?;
    state.consume_fuel(count as u64 / VALUES_OF_FUEL)?;
    Ok(value)
}

/// A value that is joined, unless it is longer than any may be.
fn held(value: &Value) -> Result<Value, Error> {
    let is_text = value.kind() == ValueKind::String;
    match value.len() {
        Some(length) if !is_text && length > MAX_VALUES => Err(error(Failure::Values)),
        _ => Ok(value.clone()),
    }
}

/// A bound of a slice, kept where the engine calculates with it without overflow.
fn bound(value: &Value) -> Value {
    match value.as_i64() {
        Some(bound) => Value::from(bound.clamp(-MAX_BOUND, MAX_BOUND)),
        None => value.clone(),
    }
}

/// The value in words.
fn string(value: &Value) -> Result<Value, Error> {
    if value.as_str().is_some() {
        return Ok(value.clone());
    }
    to_text(value).map(|text| Value::from(text.into_owned()))
}

fn to_text(value: &Value) -> Result<Cow<'_, str>, Error> {
    if let Some(text) = value.as_str() {
        return Ok(Cow::Borrowed(text));
    }
    let mut out = String::new();
    text::push_engine(&mut out, value).map_err(error)?;
    Ok(Cow::Owned(out))
}

fn operation(why: &str) -> Error {
    error(Failure::Operation(why.to_owned()))
}

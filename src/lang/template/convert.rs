//! Between JSON and the engine's values, by hand: integers stay integers digit for digit, floats
//! stay floats, and the order of an object's members is kept.

use minijinja::Value as Engine;
use minijinja::value::ValueKind;
use serde_json::{Map, Number, Value};

use super::error::Failure;
use super::path::Found;
use super::text;
use super::{MAX_OUTPUT_BYTES, MAX_VALUE_DEPTH, MAX_VALUES};

/// What stands at a path, for the engine.
pub(super) fn from_found(found: Found<'_>) -> Engine {
    match found {
        Found::Value(value) => from_json(value),
        Found::Object(members) => from_object(members),
        Found::Char(c) => Engine::from(c),
    }
}

/// A JSON value for the engine. Recursion is bounded by the depth of the value, which its parser
/// bounded.
pub(super) fn from_json(value: &Value) -> Engine {
    match value {
        Value::Null => Engine::from(()),
        Value::Bool(b) => Engine::from(*b),
        Value::Number(number) => from_number(number),
        Value::String(text) => Engine::from(text.as_str()),
        Value::Array(items) => items.iter().map(from_json).collect::<Vec<_>>().into(),
        Value::Object(members) => from_object(members),
    }
}

fn from_object(members: &Map<String, Value>) -> Engine {
    Engine::from_pairs(
        members
            .iter()
            .map(|(name, value)| (name.as_str(), from_json(value))),
    )
}

fn from_number(number: &Number) -> Engine {
    if let Some(integer) = number.as_i64() {
        Engine::from(integer)
    } else if let Some(integer) = number.as_u64() {
        Engine::from(integer)
    } else {
        Engine::from(number.as_f64().unwrap_or(f64::NAN))
    }
}

/// An engine value as JSON. Bounded, because a small engine value can stand for a huge one: a
/// repeated list, a range, the same list many times.
pub(super) fn to_json(value: &Engine) -> Result<Value, Failure> {
    Budget::new().convert(value, 0)
}

/// How many values an engine value holds, itself among them.
pub(super) fn count(value: &Engine) -> Result<usize, Failure> {
    let mut budget = Budget::new();
    budget.count(value, 0)?;
    Ok(MAX_VALUES - budget.values)
}

/// What one conversion may still give.
struct Budget {
    values: usize,
    bytes: usize,
}

impl Budget {
    fn new() -> Self {
        Self {
            values: MAX_VALUES,
            bytes: MAX_OUTPUT_BYTES,
        }
    }

    /// Takes one value, so many levels down.
    fn take(&mut self, depth: usize) -> Result<(), Failure> {
        self.values = self.values.checked_sub(1).ok_or(Failure::Values)?;
        if depth > MAX_VALUE_DEPTH {
            return Err(Failure::Depth);
        }
        Ok(())
    }

    fn count(&mut self, value: &Engine, depth: usize) -> Result<(), Failure> {
        self.take(depth)?;
        let kind = value.kind();
        if !matches!(kind, ValueKind::Seq | ValueKind::Iterable | ValueKind::Map) {
            return Ok(());
        }
        for item in value.try_iter()?.checked() {
            let item = item?;
            match kind {
                ValueKind::Map => self.count(&value.get_item(&item)?, depth + 1)?,
                _ => self.count(&item, depth + 1)?,
            }
        }
        Ok(())
    }

    fn convert(&mut self, value: &Engine, depth: usize) -> Result<Value, Failure> {
        self.take(depth)?;
        Ok(match value.kind() {
            ValueKind::Undefined => return Err(Failure::Undefined),
            ValueKind::None => Value::Null,
            ValueKind::Bool => Value::Bool(value.is_true()),
            ValueKind::Number => Value::Number(to_number(value)?),
            ValueKind::String => Value::String(self.copy(value.as_str().unwrap_or_default())?),
            ValueKind::Seq | ValueKind::Iterable => {
                let mut items = Vec::new();
                for item in value.try_iter()?.checked() {
                    let item = item?;
                    items.push(self.convert(&item, depth + 1)?);
                }
                Value::Array(items)
            }
            ValueKind::Map => Value::Object(self.members(value, depth)?),
            other => return Err(not_json(other)),
        })
    }

    fn members(&mut self, value: &Engine, depth: usize) -> Result<Map<String, Value>, Failure> {
        let mut members = Map::new();
        for key in value.try_iter()?.checked() {
            let key = key?;
            let member = value.get_item(&key)?;
            let mut name = String::new();
            text::push_engine(&mut name, &key)?;
            self.bytes = self.bytes.checked_sub(name.len()).ok_or(Failure::Output)?;
            members.insert(name, self.convert(&member, depth + 1)?);
        }
        Ok(members)
    }

    fn copy(&mut self, text: &str) -> Result<String, Failure> {
        self.bytes = self.bytes.checked_sub(text.len()).ok_or(Failure::Output)?;
        Ok(text.to_owned())
    }
}

fn to_number(value: &Engine) -> Result<Number, Failure> {
    if let Some(integer) = value.as_i64().filter(|_| value.is_integer()) {
        return Ok(integer.into());
    }
    if value.is_integer() {
        return u64::try_from(value.clone())
            .map(Number::from)
            .map_err(|_| Failure::Operation("an integer does not fit 64 bits".into()));
    }
    f64::try_from(value.clone())
        .ok()
        .and_then(Number::from_f64)
        .ok_or_else(text::not_finite)
}

fn not_json(kind: ValueKind) -> Failure {
    Failure::Operation(format!("a value of type {kind} is not a value of JSON"))
}

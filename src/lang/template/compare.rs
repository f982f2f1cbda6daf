//! Comparisons. The engine takes fuel for the outermost items of what it compares; here every value
//! that is looked at is fuel, and every byte of text.

use minijinja::tests::is_sameas;
use minijinja::value::ValueKind;
use minijinja::{Environment, Error, State, Value};

use super::MAX_VALUE_DEPTH;
use super::engine::error;
use super::error::Failure;

/// What one fuel pays for, in bytes of text, and what a value costs of it: the engine's own prices.
const UNITS_OF_FUEL: u64 = 64;
const VALUE_UNITS: u64 = 32;

/// A comparison: its operator as the lowering writes it, its names as a test, and what it says.
type Comparison = (
    &'static str,
    &'static [&'static str],
    fn(&Value, &Value) -> bool,
);

const EQUALITY: [Comparison; 2] = [
    ("__eq", &["eq", "equalto", "=="], |a, b| a == b),
    ("__ne", &["ne", "!="], |a, b| a != b),
];

const ORDER: [Comparison; 4] = [
    ("__lt", &["lt", "lessthan", "<"], |a, b| a < b),
    ("__le", &["le", "<="], |a, b| a <= b),
    ("__gt", &["gt", "greaterthan", ">"], |a, b| a > b),
    ("__ge", &["ge", ">="], |a, b| a >= b),
];

pub(super) fn add_to(environment: &mut Environment<'static>) {
    for (_, tests, holds) in EQUALITY.into_iter().chain(ORDER) {
        for test in tests {
            let holds = move |state: &State<'_, '_>, a: &Value, b: &Value| {
                charge(state, a, b)?;
                Ok::<_, Error>(holds(a, b))
            };
            environment.add_test(*test, holds);
        }
    }
    environment.add_test("in", is_in);
    // Operators are not quite tests: what is not there is unequal to everything but null, and has no
    // place in an order.
    for (operator, _, holds) in EQUALITY {
        let holds = move |state: &State<'_, '_>, a: &Value, b: &Value| {
            let (a, b) = (some(a), some(b));
            charge(state, &a, &b)?;
            Ok::<_, Error>(holds(&a, &b))
        };
        environment.add_test(operator, holds);
    }
    for (operator, _, holds) in ORDER {
        let holds = move |state: &mut State<'_, '_>, a: &Value, b: &Value| {
            present(state, [a, b])?;
            charge(state, a, b)?;
            Ok::<_, Error>(holds(a, b))
        };
        environment.add_test(operator, holds);
    }
    environment.add_test("__in", contained);
    environment.add_filter("__counted", counted);
}

/// What the engine looks at to compare the two.
fn charge(state: &State<'_, '_>, a: &Value, b: &Value) -> Result<(), Error> {
    Meter::of(state).pair(a, b, 0).map(drop)
}

/// Whether a list has an item, an object a member, or a text a part.
fn is_in(state: &State<'_, '_>, value: &Value, list: &Value) -> Result<bool, Error> {
    let mut meter = Meter::of(state);
    if matches!(list.kind(), ValueKind::Seq | ValueKind::Iterable) {
        for item in list.try_iter()?.checked() {
            let item = item?;
            meter.pair(&item, value, 0)?;
            if item == *value {
                return Ok(true);
            }
        }
        return Ok(false);
    }
    meter.whole(value, 0)?;
    if let Some(text) = list.as_str() {
        meter.take(text.len() as u64)?;
    }
    minijinja::tests::is_in(state, value, list)
}

/// The same of what can hold nothing is a failure, and of what is missing.
fn contained(state: &mut State<'_, '_>, value: &Value, list: &Value) -> Result<bool, Error> {
    present(state, [list, value])?;
    if !is_container(list) && list.as_str().is_none() && !list.is_undefined() {
        return Err(error(Failure::Operation(
            "cannot look for something in a value that holds nothing".into(),
        )));
    }
    is_in(state, value, list)
}

/// What is compared in ways that the engine alone knows: it is counted as a whole.
fn counted(state: &State<'_, '_>, value: &Value) -> Result<Value, Error> {
    Meter::of(state).whole(value, 0)?;
    Ok(value.clone())
}

/// What is compared: null in place of what is undefined.
fn some(value: &Value) -> Value {
    if value.is_undefined() {
        Value::from(())
    } else {
        value.clone()
    }
}

/// Refuses what is missing. What an `if` without an `else` gives is undefined too, and is not missing; the
/// engine tells them apart where a filter takes text.
fn present(state: &mut State<'_, '_>, values: [&Value; 2]) -> Result<(), Error> {
    for value in values.into_iter().filter(|value| value.is_undefined()) {
        state.apply_filter("upper", &[Value::clone(value)])?;
    }
    Ok(())
}

/// Takes fuel for what is looked at, whole ones as they come together.
struct Meter<'a, 'v, 'e> {
    state: &'a State<'v, 'e>,
    units: u64,
}

impl<'a, 'v, 'e> Meter<'a, 'v, 'e> {
    fn of(state: &'a State<'v, 'e>) -> Self {
        Self { state, units: 0 }
    }

    fn take(&mut self, units: u64) -> Result<(), Error> {
        self.units += units;
        let fuel = self.units / UNITS_OF_FUEL;
        self.units %= UNITS_OF_FUEL;
        if fuel > 0 {
            self.state.consume_fuel(fuel)?;
        }
        Ok(())
    }

    /// Two that are compared. Whether they are equal says whether the comparison goes on behind them.
    fn pair(&mut self, a: &Value, b: &Value, depth: usize) -> Result<bool, Error> {
        self.take(VALUE_UNITS)?;
        if let (Some(a), Some(b)) = (a.as_str(), b.as_str()) {
            self.take(a.len().min(b.len()) as u64)?;
            return Ok(a == b);
        }
        if !is_container(a) || !is_container(b) {
            return Ok(a == b);
        }
        if is_sameas(a, b) {
            return Ok(true);
        }
        within(depth)?;
        let (maps, others) = (a.kind() == ValueKind::Map, b.kind() == ValueKind::Map);
        if maps != others {
            return Ok(false);
        }
        if maps {
            for key in a.try_iter()?.checked() {
                let key = key?;
                self.whole(&key, depth + 1)?;
                if !self.pair(&a.get_item(&key)?, &b.get_item(&key)?, depth + 1)? {
                    return Ok(false);
                }
            }
            return Ok(true);
        }
        for (a, b) in a.try_iter()?.checked().zip(b.try_iter()?.checked()) {
            if !self.pair(&a?, &b?, depth + 1)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A value and all that it holds.
    fn whole(&mut self, value: &Value, depth: usize) -> Result<(), Error> {
        self.take(VALUE_UNITS + value.as_str().map_or(0, str::len) as u64)?;
        if !is_container(value) {
            return Ok(());
        }
        within(depth)?;
        let is_map = value.kind() == ValueKind::Map;
        for item in value.try_iter()?.checked() {
            let item = item?;
            self.whole(&item, depth + 1)?;
            if is_map {
                self.whole(&value.get_item(&item)?, depth + 1)?;
            }
        }
        Ok(())
    }
}

fn is_container(value: &Value) -> bool {
    matches!(
        value.kind(),
        ValueKind::Seq | ValueKind::Iterable | ValueKind::Map
    )
}

fn within(depth: usize) -> Result<(), Error> {
    if depth >= MAX_VALUE_DEPTH {
        return Err(error(Failure::Depth));
    }
    Ok(())
}

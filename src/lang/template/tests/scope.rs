//! The values of a rendering: shared, and made only when they are used.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Map, Value, json};

use super::super::{Scope, Template};
use super::{shown, template, value};

#[test]
fn roots_are_shared_and_replaced() {
    let args: Arc<Map<String, Value>> = Arc::new(Map::from_iter([("a".to_owned(), json!(1))]));
    let scope = Scope::new()
        .with("args", Arc::clone(&args))
        .with("output", Arc::new(json!({ "json": [1, 2] })));
    assert_eq!(
        value("{{ [args.a, output.json | length] }}", &scope),
        Some(json!([1, 2]))
    );
    let later = scope.clone().with("output", json!("text"));
    assert_eq!(value("{{ output }}", &later), Some(json!("text")));
    assert_eq!(value("{{ output | upper }}", &later), Some(json!("TEXT")));
    assert_eq!(value("{{ output.json | length }}", &scope), Some(json!(2)));
    drop((scope, later));
    assert_eq!(Arc::strong_count(&args), 1);
}

#[test]
fn a_replaced_root_does_not_answer_with_what_was_converted_before() {
    let scope = Scope::new().with("output", json!({ "list": [1] }));
    let length = template("{{ output.list | length }}");
    assert_eq!(length.value(&scope), Ok(Some(json!(1))));
    let scope = scope.with("output", json!({ "list": [1, 2] }));
    assert_eq!(length.value(&scope), Ok(Some(json!(2))));
}

#[test]
fn a_lazy_root_is_made_once_and_only_when_used() {
    let made = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&made);
    let scope = Scope::new()
        .with("args", json!({}))
        .with_lazy("request", move || {
            count.fetch_add(1, Ordering::SeqCst);
            json!({ "id": 7, "list": [1] })
        });
    assert_eq!(value("{{ args }}", &scope), Some(json!({})));
    assert_eq!(made.load(Ordering::SeqCst), 0);
    assert_eq!(
        shown("{{ request.id }}-{{ request.list | length }}", &scope),
        "7-1"
    );
    assert_eq!(
        value("{{ request.id + 1 }}", &scope.clone()),
        Some(json!(8))
    );
    assert_eq!(made.load(Ordering::SeqCst), 1);
}

#[test]
fn debug_shows_names_and_no_values() {
    let scope = Scope::new().with("secrets", json!({ "token": "s3cret" }));
    assert_eq!(format!("{scope:?}"), r#"Scope{"secrets"}"#);
}

#[test]
fn templates_and_scopes_cross_threads() {
    fn crosses<T: Send + Sync + Clone + 'static>(_: &T) {}
    let template: Template = template("{{ args.n * 2 }}");
    let scope = Scope::new().with("args", json!({ "n": 4, "list": [1] }));
    crosses(&template);
    crosses(&scope);
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let (template, scope) = (template.clone(), scope.clone());
            std::thread::spawn(move || template.value(&scope))
        })
        .collect();
    for thread in threads {
        assert_eq!(thread.join().expect("no panic"), Ok(Some(json!(8))));
    }
}

#[test]
fn the_order_of_members_is_kept_through_the_engine() {
    let scope = Scope::new().with(
        "args",
        json!({ "o": { "z": 1, "a": { "y": 1, "b": 2 }, "m": 3 } }),
    );
    let through = value("{{ [args.o] | first }}", &scope).expect("an object");
    assert_eq!(through.to_string(), r#"{"z":1,"a":{"y":1,"b":2},"m":3}"#);
    assert_eq!(
        shown("{% for k in args.o %}{{ k }}{% endfor %}", &scope),
        "zam"
    );
}

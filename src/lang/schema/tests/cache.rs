//! The cache: what is the same schema, what goes first.

use crate::lang::schema::cache::CACHE_ENTRIES;
use crate::lang::schema::{Root, SchemaCache, Validation};
use serde_json::{Value, json};
use std::sync::Arc;

fn number(n: usize) -> Arc<Value> {
    Arc::new(json!({ "type": "object", "title": n.to_string() }))
}

#[test]
fn the_same_text_is_the_same_schema() {
    let cache = SchemaCache::new();
    let get = |n, root, validation| cache.get_or_compile(&number(n), root, validation).unwrap();
    let first = get(1, Root::Input, Validation::Full);
    assert!(Arc::ptr_eq(&first, &get(1, Root::Input, Validation::Full)));
    assert!(!Arc::ptr_eq(
        &first,
        &get(1, Root::Output, Validation::Full)
    ));
    assert!(!Arc::ptr_eq(
        &first,
        &get(1, Root::Input, Validation::Basic)
    ));
    assert!(!Arc::ptr_eq(&first, &get(2, Root::Input, Validation::Full)));
    assert_eq!(cache.kept(), 4);
}

#[test]
fn the_oldest_goes_when_it_is_full() {
    let cache = SchemaCache::new();
    let get = |n| {
        cache
            .get_or_compile(&number(n), Root::Input, Validation::None)
            .unwrap()
    };
    let (first, second) = (get(0), get(1));
    for n in 2..CACHE_ENTRIES {
        get(n);
    }
    assert_eq!(cache.kept(), CACHE_ENTRIES);
    assert!(Arc::ptr_eq(&first, &get(0)));
    get(CACHE_ENTRIES);
    assert_eq!(cache.kept(), CACHE_ENTRIES);
    assert!(Arc::ptr_eq(&second, &get(1)));
    assert!(!Arc::ptr_eq(&first, &get(0)));
}

#[test]
fn errors_are_given_and_not_kept() {
    let cache = SchemaCache::new();
    let bad = Arc::new(json!({ "type": "object", "minProperties": -1 }));
    for _ in 0..2 {
        let errors = cache
            .get_or_compile(&bad, Root::Input, Validation::Full)
            .unwrap_err();
        assert_eq!(errors.len(), 1);
    }
    assert_eq!(cache.kept(), 0);
}

#[test]
fn threads_that_ask_at_once_get_one_schema() {
    let cache = SchemaCache::new();
    let schemas: Vec<_> = std::thread::scope(|scope| {
        let ask = || {
            cache
                .get_or_compile(&number(1), Root::Input, Validation::Full)
                .unwrap()
        };
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    assert!(
        schemas
            .iter()
            .all(|schema| Arc::ptr_eq(schema, &schemas[0]))
    );
    assert_eq!(cache.kept(), 1);
}

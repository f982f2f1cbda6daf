//! Compiled schemas kept across reloads, so that an unchanged one is not compiled again.

use super::{Root, Schema, SchemaError, Validation, compile, digest};
use serde_json::Value;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Schemas kept; when one more comes, the oldest goes.
pub(super) const CACHE_ENTRIES: usize = 256;

/// Compiled schemas by their text and how they were compiled. Shared by threads.
#[derive(Debug, Default)]
pub struct SchemaCache {
    entries: Mutex<Entries>,
}

type Key = ([u8; 32], Root, Validation);

#[derive(Debug, Default)]
struct Entries {
    schemas: HashMap<Key, Arc<Schema>>,
    /// Keys, the oldest first.
    order: VecDeque<Key>,
}

impl SchemaCache {
    /// An empty cache.
    pub fn new() -> Self {
        Self::default()
    }

    /// The compiled schema of the same text, root and validation; compiles it when there is none.
    /// Two threads that ask at once get the same schema.
    ///
    /// # Errors
    ///
    /// Those of [`Schema::compile`]. Nothing is kept of a schema that does not compile.
    pub fn get_or_compile(
        &self,
        json: &Arc<Value>,
        root: Root,
        validation: Validation,
    ) -> Result<Arc<Schema>, Vec<SchemaError>> {
        let digest = digest(json);
        let key = (digest, root, validation);
        if let Some(known) = self.lock().schemas.get(&key) {
            return Ok(Arc::clone(known));
        }
        // Compiling takes long enough to let others in.
        let schema = compile::compile(Arc::clone(json), digest, root, validation)?;
        let schema = Arc::new(schema);
        Ok(self.lock().insert(key, schema))
    }

    /// How many schemas are kept, at most [`CACHE_ENTRIES`].
    #[cfg(test)]
    pub(super) fn kept(&self) -> usize {
        self.lock().schemas.len()
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entries {
    /// Keeps `schema`, unless another thread was faster: then gives theirs.
    fn insert(&mut self, key: Key, schema: Arc<Schema>) -> Arc<Schema> {
        if let Some(known) = self.schemas.get(&key) {
            return Arc::clone(known);
        }
        if self.schemas.len() >= CACHE_ENTRIES
            && let Some(oldest) = self.order.pop_front()
        {
            self.schemas.remove(&oldest);
        }
        self.order.push_back(key);
        self.schemas.insert(key, Arc::clone(&schema));
        schema
    }
}

//! The values that one rendering sees.

use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use serde_json::{Map, Value};

use super::convert;
use super::path::{Found, Path};

/// Converted lists and objects that one scope keeps; beyond it they are converted again.
const MAX_CONVERTED: usize = 64;

/// The names that a call's scope comes to in the end.
const ROOTS: usize = 7;

/// The root names of one rendering and their values. Building it shares the values and converts
/// nothing; cloning shares the scope, and adding to a clone leaves the original as it was.
#[derive(Clone)]
pub struct Scope {
    inner: Arc<Inner>,
}

struct Inner {
    roots: Vec<(&'static str, Root)>,
    /// What the engine was given, so that the templates of one call convert a list once.
    converted: Mutex<Vec<(Path, minijinja::Value)>>,
}

/// The value of a root name, shared.
#[derive(Clone)]
pub struct Root(Kind);

#[derive(Clone)]
enum Kind {
    Object(Arc<Map<String, Value>>),
    Value(Arc<Value>),
    Lazy {
        make: Arc<dyn Fn(&'static str) -> Value + Send + Sync>,
        name: &'static str,
        made: OnceLock<Value>,
    },
}

impl Scope {
    /// A scope without names.
    pub fn new() -> Self {
        let inner = Inner {
            roots: Vec::with_capacity(ROOTS),
            converted: Mutex::default(),
        };
        Self {
            inner: Arc::new(inner),
        }
    }

    /// Adds a root name, or replaces it.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<Root>) -> Self {
        let inner = Arc::make_mut(&mut self.inner);
        inner.converted = Mutex::default();
        let roots = &mut inner.roots;
        let root = value.into();
        match roots.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = root,
            None => roots.push((name, root)),
        }
        self
    }

    /// Adds a root name whose value is made when a template first uses it, once for this scope.
    #[must_use]
    pub fn with_lazy(
        self,
        name: &'static str,
        make: impl Fn() -> Value + Send + Sync + 'static,
    ) -> Self {
        self.with_each_lazy([name], move |_| make())
    }

    /// The same for several names, whose values are made of the same things: `make` is told which.
    #[must_use]
    pub fn with_each_lazy<const N: usize>(
        self,
        names: [&'static str; N],
        make: impl Fn(&'static str) -> Value + Send + Sync + 'static,
    ) -> Self {
        let make: Arc<dyn Fn(&'static str) -> Value + Send + Sync> = Arc::new(make);
        names.into_iter().fold(self, |scope, name| {
            let (make, made) = (Arc::clone(&make), OnceLock::new());
            scope.with(name, Root(Kind::Lazy { make, name, made }))
        })
    }

    pub(super) fn root(&self, name: &str) -> Option<Found<'_>> {
        let (_, root) = self.inner.roots.iter().find(|(known, _)| *known == name)?;
        Some(match &root.0 {
            Kind::Object(members) => Found::Object(members),
            Kind::Value(value) => Found::Value(value),
            Kind::Lazy { make, name, made } => Found::Value(made.get_or_init(|| make(name))),
        })
    }

    /// What stands at a path, for the engine; undefined when nothing does.
    pub(super) fn engine_value(&self, path: &Path) -> minijinja::Value {
        let Some(found) = path.find(self) else {
            return minijinja::Value::UNDEFINED;
        };
        match found {
            Found::Value(Value::Array(_) | Value::Object(_)) | Found::Object(_) => {
                self.converted(path, found)
            }
            scalar => convert::from_found(scalar),
        }
    }

    fn converted(&self, path: &Path, found: Found<'_>) -> minijinja::Value {
        // A poisoned lock only means that a rendering panicked: the list itself is whole.
        let lock = || {
            let lock = self.inner.converted.lock();
            lock.unwrap_or_else(PoisonError::into_inner)
        };
        if let Some((_, value)) = lock().iter().find(|(known, _)| known == path) {
            return value.clone();
        }
        let value = convert::from_found(found);
        let mut converted = lock();
        if converted.len() < MAX_CONVERTED {
            converted.push((path.clone(), value.clone()));
        }
        value
    }
}

impl Clone for Inner {
    /// What was converted stays behind: the clone is about to get other values.
    fn clone(&self) -> Self {
        let mut roots = Vec::with_capacity(ROOTS.max(self.roots.len() + 1));
        roots.extend_from_slice(&self.roots);
        Self {
            roots,
            converted: Mutex::default(),
        }
    }
}

impl Default for Scope {
    fn default() -> Self {
        Self::new()
    }
}

impl From<Arc<Map<String, Value>>> for Root {
    fn from(members: Arc<Map<String, Value>>) -> Self {
        Root(Kind::Object(members))
    }
}

impl From<Map<String, Value>> for Root {
    fn from(members: Map<String, Value>) -> Self {
        Arc::new(members).into()
    }
}

impl From<Arc<Value>> for Root {
    fn from(value: Arc<Value>) -> Self {
        Root(Kind::Value(value))
    }
}

impl From<Value> for Root {
    fn from(value: Value) -> Self {
        Arc::new(value).into()
    }
}

impl fmt::Debug for Scope {
    /// The names only: values may be secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Scope")?;
        f.debug_set()
            .entries(self.inner.roots.iter().map(|(name, _)| name))
            .finish()
    }
}

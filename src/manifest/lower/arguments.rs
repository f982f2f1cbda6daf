//! `arguments`: declarations to JSON Schema.
//!
//! What comes out is the plain schema a client sees. Beside it stands a list of which part of the
//! schema came from where, so that whatever the schema check finds is said at the key that caused
//! it.

use super::argument_values::{bounds, texts, values, warn_without_effect};
use super::schema_place::SchemaPlace;
use super::{Cx, codes};
use crate::lang::diag::Diagnostic;
use crate::lang::diag::suggest::did_you_mean;
use crate::manifest::read::{Entry, MISSING_KEY, OUT_OF_RANGE, Table, to_json};
use serde_json::{Map, Value, json};
use toml::de::DeValue;

/// The JSON Schema type names.
pub(super) const TYPES: [&str; 7] = [
    "string", "integer", "number", "boolean", "array", "object", "null",
];

/// An object schema built from declarations, and where its parts were written.
#[derive(Debug, Default)]
pub(super) struct Declared<'a> {
    /// The members of the object schema: `properties`, `required`, `additionalProperties`.
    pub(super) members: Map<String, Value>,
    /// Where the arguments and their keywords were written.
    pub(super) places: Vec<SchemaPlace<'a>>,
}

/// Builds the object schema of an `arguments` table (or `returns`); `noun` is what one entry is
/// called.
pub(super) fn object<'a>(cx: &Cx<'a>, table: &Table<'a>, noun: &'static str) -> Declared<'a> {
    let mut walk = Walk {
        cx,
        place: table.place().to_owned(),
        noun,
        places: Vec::new(),
    };
    let mut members = Map::new();
    walk.block(&table.entries(), "", "", &mut members);
    Declared {
        members,
        places: walk.places,
    }
}

/// One argument while it is read.
pub(super) struct Argument<'t, 'a> {
    pub(super) table: &'t Table<'a>,
    pub(super) kind: Option<&'static str>,
    /// Its schema so far.
    pub(super) schema: Map<String, Value>,
    /// JSON pointer of its schema.
    pointer: &'t str,
    /// `lines.sku`.
    path: &'t str,
    places: Vec<SchemaPlace<'a>>,
}

impl<'t, 'a> Argument<'t, 'a> {
    /// An argument of which nothing has been read. `pointer` is the JSON pointer of its schema, `path`
    /// what people call it.
    pub(super) fn new(
        table: &'t Table<'a>,
        kind: Option<&'static str>,
        pointer: &'t str,
        path: &'t str,
    ) -> Self {
        Self {
            table,
            kind,
            schema: Map::new(),
            pointer,
            path,
            places: Vec::new(),
        }
    }

    /// Its schema; where the parts were written goes to `places`.
    pub(super) fn end(self, places: &mut Vec<SchemaPlace<'a>>) -> Map<String, Value> {
        places.extend(self.places);
        self.schema
    }

    /// Sets a keyword that this entry wrote.
    pub(super) fn set(&mut self, keyword: &str, entry: Entry<'a>, value: Value) {
        self.schema.insert(keyword.to_owned(), value);
        self.places.push(SchemaPlace {
            pointer: format!("{}/{}", self.pointer, escape(keyword)),
            path: self.path.to_owned(),
            at: entry.key_at.clone(),
            value: Some(entry),
        });
    }
}

/// A walk through one tree of declarations.
struct Walk<'c, 'a> {
    cx: &'c Cx<'a>,
    place: String,
    noun: &'static str,
    places: Vec<SchemaPlace<'a>>,
}

impl<'a> Walk<'_, 'a> {
    /// Declarations become `properties` and `required` of `object`.
    fn block(
        &mut self,
        entries: &[Entry<'a>],
        pointer: &str,
        path: &str,
        object: &mut Map<String, Value>,
    ) {
        let mut properties = Map::new();
        let mut required = Vec::new();
        for entry in entries {
            let path = match path {
                "" => entry.key.to_owned(),
                path => format!("{path}.{}", entry.key),
            };
            if entry.key.is_empty() {
                let noun = self.noun;
                let message = format!("the name of {} {noun} is empty", article(noun));
                let found = Diagnostic::error(codes::BAD_NAME, entry.key_at.clone(), message);
                self.cx.findings.push(found.label(self.place.clone()));
                continue;
            }
            let pointer = format!("{pointer}/properties/{}", escape(entry.key));
            self.places.push(SchemaPlace {
                pointer: pointer.clone(),
                path: path.clone(),
                at: entry.key_at.clone(),
                value: None,
            });
            // A broken argument is there all the same, so that its uses are not called unknown.
            let (schema, is_required) = self
                .argument(entry, &pointer, &path)
                .unwrap_or_else(|| (json!({}), false));
            properties.insert(entry.key.to_owned(), schema);
            if is_required {
                required.push(Value::from(entry.key));
            }
        }
        object.insert("properties".into(), Value::Object(properties));
        if !required.is_empty() {
            object.insert("required".into(), Value::Array(required));
        }
    }

    /// One argument's schema, and whether it is required.
    fn argument(&mut self, entry: &Entry<'a>, pointer: &str, path: &str) -> Option<(Value, bool)> {
        let place = format!("{}, {} \"{path}\"", self.place, self.noun);
        let table = self.table(entry, place)?;
        let kind = kind(&table);
        let is_required = table.boolean("required").is_some_and(|read| read.value);
        let mut argument = Argument::new(&table, kind, pointer, path);
        if let (Some(kind), Some(entry)) = (kind, table.entry("type")) {
            argument.set("type", entry, kind.into());
        }
        texts(&mut argument);
        bounds(&mut argument);
        values(&mut argument);
        let blocked = self.nested(&mut argument);
        warn_without_effect(&argument);
        merge(&mut argument, blocked);
        let schema = argument.end(&mut self.places);
        table.finish();
        kind.map(|_| (Value::Object(schema), is_required))
    }

    /// The entry's value as an argument's table.
    fn table(&self, entry: &Entry<'a>, place: String) -> Option<Table<'a>> {
        let root = Table::new(Vec::new(), self.cx.findings, place.clone());
        if let DeValue::String(name) = entry.value
            && TYPES.contains(&name.as_ref())
        {
            let message = format!("`{}` must be a table, not a string", entry.key);
            root.report(
                Diagnostic::error(crate::manifest::read::WRONG_TYPE, entry.at.clone(), message)
                    .help(format!("write `{{ type = \"{name}\" }}`"))
                    .label(place),
            );
            return None;
        }
        let mut table = root.sub_table(entry)?;
        table.set_place(place);
        Some(table)
    }

    /// `items`, `arguments`, `additional_properties`. Gives the keywords that `schema` may not set.
    fn nested(&mut self, argument: &mut Argument<'_, 'a>) -> &'static [&'static str] {
        let table = argument.table;
        let items = table.entry("items");
        let of_objects = argument.kind == Some("array")
            && items.as_ref().is_some_and(
                |items| matches!(items.value, DeValue::String(name) if name == "object"),
            );
        let block = table.table("arguments");
        let additional = additional(table);
        if argument.kind.is_some_and(|kind| kind != "array")
            && let Some(items) = &items
        {
            table.error(
                codes::MISPLACED,
                items.key_at.clone(),
                "`items` belongs to `type = \"array\"`",
            );
        }
        let (pointer, path) = (argument.pointer, argument.path);
        match (argument.kind, block) {
            (Some("object"), block) => {
                if let Some(block) = &block {
                    self.block(&block.entries(), pointer, path, &mut argument.schema);
                }
                if let Some((entry, additional)) = additional {
                    argument.set("additionalProperties", entry, additional);
                }
                match block {
                    Some(_) => &["properties", "required"],
                    None => &[],
                }
            }
            (Some("array"), Some(block)) if of_objects => {
                let mut object = Map::new();
                object.insert("type".into(), "object".into());
                let pointer = format!("{pointer}/items");
                self.block(&block.entries(), &pointer, path, &mut object);
                if let Some((_, additional)) = additional {
                    object.insert("additionalProperties".into(), additional);
                }
                argument
                    .schema
                    .insert("items".into(), Value::Object(object));
                &["items"]
            }
            (_, block) => {
                if let Some(block) = block {
                    misplaced_block(table, &block, argument.kind);
                }
                plain_items(argument, items, of_objects, additional);
                &[]
            }
        }
    }
}

/// `type`.
fn kind(table: &Table<'_>) -> Option<&'static str> {
    let words: Vec<(&'static str, &'static str)> =
        TYPES.iter().map(|name| (*name, *name)).collect();
    if !table.has("type") {
        let message = "missing key `type`";
        let help = format!(
            "write one of {}, for example `type = \"string\"`",
            TYPES.join(", ")
        );
        table.report(Diagnostic::error(MISSING_KEY, table.at(), message).help(help));
    }
    let entry = table.entry("type")?;
    if let DeValue::Array(_) = entry.value {
        let message = "`type` must be one type's name, not an array";
        let help = "say several types in `schema`: `type = \"string\", schema = { type = [\"string\", \"null\"] }`";
        table.report(
            Diagnostic::error(crate::manifest::read::WRONG_TYPE, entry.at, message).help(help),
        );
        return None;
    }
    let read = table.as_string(&entry)?;
    table.as_word("type", read, &words).map(|read| read.value)
}

/// A block on what has no members. Of a type that is not known nothing is said.
fn misplaced_block(table: &Table<'_>, block: &Table<'_>, kind: Option<&str>) {
    if kind.is_some() {
        table.report(
            Diagnostic::error(
                codes::MISPLACED,
                block.at(),
                "`arguments` belongs to an object or an array of objects",
            )
            .help("write `type = \"object\"`, or `type = \"array\"` with `items = \"object\"`"),
        );
    }
}

/// `items` that is a type name or a schema of its own.
fn plain_items<'a>(
    argument: &mut Argument<'_, 'a>,
    items: Option<Entry<'a>>,
    of_objects: bool,
    additional: Option<(Entry<'a>, Value)>,
) {
    let table = argument.table;
    if let Some(items) = items {
        match items.value {
            DeValue::String(name) if TYPES.contains(&name.as_ref()) => {
                argument.set("items", items, json!({ "type": name.as_ref() }));
            }
            DeValue::String(name) => {
                let message =
                    format!("`items` must be a type name or a schema table, not `{name}`");
                let found = Diagnostic::error(OUT_OF_RANGE, items.at, message);
                table.report(match did_you_mean(name, TYPES) {
                    Some(help) => found.help(help),
                    None => found,
                });
            }
            DeValue::Table(_) => {
                if let Some(value) = to_json(table, &items) {
                    argument.set("items", items, value);
                }
            }
            _ => {
                let _: Option<()> = table.wrong_type(&items, "a type name or a schema table");
            }
        }
    }
    let Some((entry, additional)) = additional else {
        return;
    };
    match argument
        .schema
        .get_mut("items")
        .and_then(Value::as_object_mut)
    {
        Some(items) if of_objects => {
            items.insert("additionalProperties".into(), additional);
        }
        _ if argument.kind.is_none() => {}
        _ => table.error(
            codes::MISPLACED,
            entry.key_at,
            "`additional_properties` belongs to an object or an array of objects",
        ),
    }
}

/// `additional_properties`: a boolean or a schema.
pub(super) fn additional<'a>(table: &Table<'a>) -> Option<(Entry<'a>, Value)> {
    let entry = table.entry("additional_properties")?;
    match entry.value {
        DeValue::Boolean(_) | DeValue::Table(_) => {
            let value = to_json(table, &entry)?;
            Some((entry, value))
        }
        _ => table.wrong_type(&entry, "true, false or a schema table"),
    }
}

/// `schema` is merged last and wins, but not over what a block makes.
fn merge(argument: &mut Argument<'_, '_>, blocked: &[&str]) {
    let table = argument.table;
    let Some(entry) = table.entry("schema") else {
        return;
    };
    if !matches!(entry.value, DeValue::Table(_)) {
        let _: Option<()> = table.wrong_type(&entry, "a table of JSON Schema keywords");
        return;
    }
    for member in entry.members() {
        if blocked.contains(&member.key) {
            let message = format!(
                "`schema` cannot set `{}`, which `arguments` makes here",
                member.key
            );
            table.error(codes::MISPLACED, member.key_at, message);
        } else if let Some(value) = to_json(table, &member) {
            let keyword = member.key;
            argument.set(keyword, member, value);
        }
    }
}

/// One token of a JSON pointer (RFC 6901 §3).
pub(super) fn escape(token: &str) -> String {
    token.replace('~', "~0").replace('/', "~1")
}

fn article(noun: &str) -> &'static str {
    if noun.starts_with(['a', 'e', 'i', 'o', 'u']) {
        "an"
    } else {
        "a"
    }
}

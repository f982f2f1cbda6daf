//! `arguments`: declarations to JSON Schema.
//!
//! What comes out is the plain schema a client sees. Beside it stands a list of which part of the
//! schema came from where, so that whatever the schema check finds is said at the argument that
//! caused it.

use super::{Cx, codes};
use crate::lang::diag::{Diagnostic, Span};
use crate::manifest::read::{Entry, OUT_OF_RANGE, Table, to_json};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use toml::de::DeValue;

/// The JSON Schema type names.
const TYPES: [&str; 7] = [
    "string", "integer", "number", "boolean", "array", "object", "null",
];

/// An object schema built from declarations, and where its parts were written.
#[derive(Debug, Default)]
pub(super) struct Declared {
    /// The members of the object schema: `properties`, `required`, `additionalProperties`.
    pub(super) members: Map<String, Value>,
    /// For each argument: the pointer of its schema, its dotted path, where it stands.
    pub(super) places: Vec<ArgumentPlace>,
}

/// Where one argument was declared.
#[derive(Debug)]
pub(super) struct ArgumentPlace {
    /// JSON pointer of the argument's schema from the root.
    pub(super) pointer: String,
    /// `lines.sku`.
    pub(super) path: String,
    /// The key that declares it.
    pub(super) at: Span,
}

/// Builds the object schema of an `arguments` table (or `returns`, `fields`). `place` names the
/// component; `noun` is what one entry is called.
pub(super) fn object(cx: &Cx<'_>, table: &Table<'_>, noun: &'static str) -> Declared {
    let mut declared = Declared::default();
    let scope = Scope {
        cx,
        place: table.place().to_owned(),
        noun,
    };
    scope.block(
        &table.entries(),
        "",
        "",
        &mut declared.members,
        &mut declared.places,
    );
    declared
}

/// What stays the same while one block of declarations is walked.
struct Scope<'c, 'a> {
    cx: &'c Cx<'a>,
    place: String,
    noun: &'static str,
}

impl Scope<'_, '_> {
    /// Declarations become `properties` and `required` of `object`.
    fn block(
        &self,
        entries: &[Entry<'_>],
        pointer: &str,
        path: &str,
        object: &mut Map<String, Value>,
        places: &mut Vec<ArgumentPlace>,
    ) {
        let mut properties = Map::new();
        let mut required = Vec::new();
        for entry in entries {
            let path = if path.is_empty() {
                entry.key.to_owned()
            } else {
                format!("{path}.{}", entry.key)
            };
            if entry.key.is_empty() {
                self.cx.findings.push(
                    Diagnostic::error(
                        codes::BAD_NAME,
                        entry.key_at.clone(),
                        format!("the name of {} {} is empty", article(self.noun), self.noun),
                    )
                    .label(self.place.clone()),
                );
                continue;
            }
            let pointer = format!("{pointer}/properties/{}", escape(entry.key));
            places.push(ArgumentPlace {
                pointer: pointer.clone(),
                path: path.clone(),
                at: entry.key_at.clone(),
            });
            let Some((schema, is_required)) = self.argument(entry, &pointer, &path, places) else {
                continue;
            };
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
    fn argument(
        &self,
        entry: &Entry<'_>,
        pointer: &str,
        path: &str,
        places: &mut Vec<ArgumentPlace>,
    ) -> Option<(Value, bool)> {
        let place = format!("{}, {} \"{path}\"", self.place, self.noun);
        let root = Table::new(Vec::new(), self.cx.findings, place.clone());
        let mut table = root.sub_table(entry)?;
        table.set_place(place);
        let kind = self.kind(&table);
        let is_required = table.boolean("required").is_some_and(|read| read.value);
        let mut schema = Map::new();
        if let Some(kind) = kind {
            schema.insert("type".into(), kind.into());
        }
        for (key, keyword) in [
            ("title", "title"),
            ("description", "description"),
            ("format", "format"),
            ("pattern", "pattern"),
        ] {
            if let Some(text) = table.string(key) {
                schema.insert(keyword.into(), text.value.into());
            }
        }
        self.bounds(&table, &mut schema);
        self.values(&table, &mut schema);
        let blocked = self.nested(&table, kind, pointer, path, &mut schema, places);
        if let Some(header) = table.string("header") {
            schema.insert("x-mcp-header".into(), header.value.into());
        }
        self.warn_without_effect(&table, kind);
        self.merge(&table, blocked, &mut schema);
        table.finish();
        kind.map(|_| (Value::Object(schema), is_required))
    }

    fn kind(&self, table: &Table<'_>) -> Option<&'static str> {
        let words: Vec<(&'static str, &'static str)> =
            TYPES.iter().map(|name| (*name, *name)).collect();
        if !table.has("type") {
            table.report(
                Diagnostic::error(
                    crate::manifest::read::MISSING_KEY,
                    table.at(),
                    "missing key `type`",
                )
                .help(format!(
                    "write one of {}, for example `type = \"string\"`",
                    TYPES.join(", ")
                )),
            );
        }
        table.word("type", &words).map(|read| read.value)
    }

    /// Keywords whose values are numbers or flags.
    fn bounds(&self, table: &Table<'_>, schema: &mut Map<String, Value>) {
        for (key, keyword) in [
            ("min_length", "minLength"),
            ("max_length", "maxLength"),
            ("min_items", "minItems"),
            ("max_items", "maxItems"),
        ] {
            if let Some(read) = table.integer(key, 0..=i64::from(u32::MAX)) {
                schema.insert(keyword.into(), read.value.into());
            }
        }
        if let Some(read) = table.boolean("unique_items") {
            schema.insert("uniqueItems".into(), read.value.into());
        }
        for (key, keyword) in [
            ("minimum", "minimum"),
            ("maximum", "maximum"),
            ("exclusive_minimum", "exclusiveMinimum"),
            ("exclusive_maximum", "exclusiveMaximum"),
            ("multiple_of", "multipleOf"),
        ] {
            let Some(entry) = table.entry(key) else {
                continue;
            };
            match entry.value {
                DeValue::Integer(_) | DeValue::Float(_) => {
                    if let Some(number) = to_json(&entry, self.cx.findings) {
                        schema.insert(keyword.into(), number);
                    }
                }
                _ => {
                    let _: Option<()> = table.wrong_type(&entry, "a number");
                }
            }
        }
    }

    /// `enum` and `default`.
    fn values(&self, table: &Table<'_>, schema: &mut Map<String, Value>) {
        if let Some(entry) = table.entry("enum") {
            match to_json(&entry, self.cx.findings) {
                Some(Value::Array(values)) if values.is_empty() => table.error(
                    OUT_OF_RANGE,
                    entry.at,
                    "`enum` must list at least one value",
                ),
                Some(Value::Array(values)) => {
                    schema.insert("enum".into(), Value::Array(values));
                }
                Some(_) => {
                    let _: Option<()> = table.wrong_type(&entry, "an array");
                }
                None => {}
            }
        }
        if let Some(value) = table
            .entry("default")
            .and_then(|entry| to_json(&entry, self.cx.findings))
        {
            schema.insert("default".into(), value);
        }
    }

    /// `items`, `arguments`, `additional_properties`. Gives the keywords that `schema` may not set.
    fn nested(
        &self,
        table: &Table<'_>,
        kind: Option<&str>,
        pointer: &str,
        path: &str,
        schema: &mut Map<String, Value>,
        places: &mut Vec<ArgumentPlace>,
    ) -> &'static [&'static str] {
        let items = table.entry("items");
        let of_objects = kind == Some("array")
            && items.as_ref().is_some_and(
                |items| matches!(items.value, DeValue::String(name) if name == "object"),
            );
        let block = table.table("arguments");
        let additional = self.additional(table);
        if kind != Some("array")
            && let Some(items) = &items
        {
            table.error(
                codes::MISPLACED,
                items.key_at.clone(),
                "`items` belongs to `type = \"array\"`",
            );
        }
        match (kind, block) {
            (Some("object"), block) => {
                if let Some(block) = &block {
                    self.block(&block.entries(), pointer, path, schema, places);
                }
                if let Some(additional) = additional {
                    schema.insert("additionalProperties".into(), additional);
                }
                if block.is_some() {
                    &["properties", "required"]
                } else {
                    &[]
                }
            }
            (Some("array"), Some(block)) if of_objects => {
                let mut object = Map::new();
                object.insert("type".into(), "object".into());
                self.block(
                    &block.entries(),
                    &format!("{pointer}/items"),
                    path,
                    &mut object,
                    places,
                );
                if let Some(additional) = additional {
                    object.insert("additionalProperties".into(), additional);
                }
                schema.insert("items".into(), Value::Object(object));
                &["items"]
            }
            (_, block) => {
                if let Some(block) = block {
                    table.report(
                        Diagnostic::error(
                            codes::MISPLACED,
                            block.at(),
                            "`arguments` belongs to an object or an array of objects",
                        )
                        .help("write `type = \"object\"`, or `type = \"array\"` with `items = \"object\"`"),
                    );
                }
                self.plain_items(table, items, of_objects, additional, schema);
                &[]
            }
        }
    }

    /// `items` that is a type name or a schema of its own.
    fn plain_items(
        &self,
        table: &Table<'_>,
        items: Option<Entry<'_>>,
        of_objects: bool,
        additional: Option<Value>,
        schema: &mut Map<String, Value>,
    ) {
        if let Some(items) = items {
            match items.value {
                DeValue::String(name) if TYPES.contains(&name.as_ref()) => {
                    schema.insert("items".into(), json!({ "type": name.as_ref() }));
                }
                DeValue::String(name) => {
                    let mut diagnostic = Diagnostic::error(
                        OUT_OF_RANGE,
                        items.at.clone(),
                        format!("`items` must be a type name or a schema table, not `{name}`"),
                    );
                    if let Some(near) = crate::lang::diag::suggest::closest(name, TYPES) {
                        diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
                    }
                    table.report(diagnostic);
                }
                DeValue::Table(_) => {
                    if let Some(value) = to_json(&items, self.cx.findings) {
                        schema.insert("items".into(), value);
                    }
                }
                _ => {
                    let _: Option<()> = table.wrong_type(&items, "a type name or a schema table");
                }
            }
        }
        let Some(additional) = additional else { return };
        match schema.get_mut("items").and_then(Value::as_object_mut) {
            Some(items) if of_objects => {
                items.insert("additionalProperties".into(), additional);
            }
            _ => table.error(
                codes::MISPLACED,
                table.at(),
                "`additional_properties` belongs to an object or an array of objects",
            ),
        }
    }

    fn additional(&self, table: &Table<'_>) -> Option<Value> {
        let entry = table.entry("additional_properties")?;
        match entry.value {
            DeValue::Boolean(_) | DeValue::Table(_) => to_json(&entry, self.cx.findings),
            _ => table.wrong_type(&entry, "true, false or a schema table"),
        }
    }

    /// A bound on a type that it cannot bind is written in error more often than not.
    fn warn_without_effect(&self, table: &Table<'_>, kind: Option<&'static str>) {
        let Some(kind) = kind else { return };
        const STRING: &[&str] = &["min_length", "max_length", "pattern", "format"];
        const ARRAY: &[&str] = &["min_items", "max_items", "unique_items"];
        const NUMBER: &[&str] = &[
            "minimum",
            "maximum",
            "exclusive_minimum",
            "exclusive_maximum",
            "multiple_of",
        ];
        for (keys, kinds) in [
            (STRING, &["string"][..]),
            (ARRAY, &["array"][..]),
            (NUMBER, &["integer", "number"][..]),
        ] {
            if kinds.contains(&kind) {
                continue;
            }
            for key in keys {
                if let Some(entry) = table.entry(key) {
                    table.report(Diagnostic::warning(
                        codes::NO_EFFECT,
                        entry.key_at,
                        format!("`{key}` has no effect on type `{kind}`"),
                    ));
                }
            }
        }
    }

    /// `schema` is merged last and wins, but not over what a block makes.
    fn merge(&self, table: &Table<'_>, blocked: &[&str], schema: &mut Map<String, Value>) {
        let Some(entry) = table.entry("schema") else {
            return;
        };
        if !matches!(entry.value, DeValue::Table(_)) {
            let _: Option<()> = table.wrong_type(&entry, "a table of JSON Schema keywords");
            return;
        }
        for member in entry.members() {
            if blocked.contains(&member.key) {
                table.error(
                    codes::MISPLACED,
                    member.key_at.clone(),
                    format!(
                        "`schema` cannot set `{}`, which `arguments` makes here",
                        member.key
                    ),
                );
            } else if let Some(value) = to_json(&member, self.cx.findings) {
                schema.insert(member.key.to_owned(), value);
            }
        }
    }
}

/// One token of a JSON pointer (RFC 6901 §3).
pub(super) fn escape(token: &str) -> String {
    let mut out = String::with_capacity(token.len());
    for letter in token.chars() {
        match letter {
            '~' => out.push_str("~0"),
            '/' => out.push_str("~1"),
            other => {
                let _ = write!(out, "{other}");
            }
        }
    }
    out
}

fn article(noun: &str) -> &'static str {
    if noun.starts_with(['a', 'e', 'i', 'o', 'u']) {
        "an"
    } else {
        "a"
    }
}

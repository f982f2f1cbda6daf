//! A client's file with one server more, everything else as it was.

use super::client::Form;
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstRootNode};
use serde_json::Value;
use toml_edit::{Array, DocumentMut, Item, Table, TableLike};

/// Why the file is left alone.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refused {
    /// It cannot be read as what it should be.
    #[error("it is not {0}: {1}")]
    Broken(&'static str, String),
    /// Something else stands where servers belong.
    #[error("`{0}` in it holds no servers")]
    NotATable(String),
    /// There is another server of the name.
    #[error("it has another server `{0}`")]
    Taken(String),
    /// The file would not mean what it should.
    #[error("it cannot be edited safely; add the server by hand")]
    Unsafe,
}

/// The file's new text; the same text when the server is there already.
pub(super) fn added(
    form: Form,
    text: &str,
    name: &str,
    server: &Value,
    replace: bool,
) -> Result<String, Refused> {
    match form {
        Form::Json(member) => json(text, member, name, server, replace),
        Form::Toml(table) => toml(text, table, name, server, replace),
    }
}

/// Comments and trailing commas, which editors write, and nothing else beside JSON.
fn options() -> ParseOptions {
    ParseOptions {
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
        ..ParseOptions::default()
    }
}

fn json(
    text: &str,
    member: &str,
    name: &str,
    server: &Value,
    replace: bool,
) -> Result<String, Refused> {
    let broken = |why: String| Refused::Broken("JSON", why);
    let whole = if text.trim().is_empty() { "{}\n" } else { text };
    let root = CstRootNode::parse(whole, &options()).map_err(|error| broken(error.to_string()))?;
    let object = root
        .object_value()
        .ok_or_else(|| broken("it is no object".to_owned()))?;
    let before = root.to_serde_value().unwrap_or_default();
    let servers = match object.get(member) {
        None => object.object_value_or_set(member),
        Some(found) => found
            .object_value()
            .ok_or_else(|| Refused::NotATable(member.to_owned()))?,
    };
    match servers.get(name) {
        None => {
            servers.append(name, input(server));
        }
        Some(found) => {
            let there = found.value().and_then(|value| value.to_serde_value());
            if there.as_ref() == Some(server) {
                return Ok(text.to_owned());
            }
            if !replace {
                return Err(Refused::Taken(name.to_owned()));
            }
            found.set_value(input(server));
        }
    }
    let after = root.to_string();
    // What it means now is what it meant before, and the server.
    let mut expected = before;
    let slot = expected.as_object_mut().ok_or(Refused::Unsafe)?;
    let slot = slot
        .entry(member)
        .or_insert_with(|| Value::Object(Default::default()));
    let slot = slot.as_object_mut().ok_or(Refused::Unsafe)?;
    slot.insert(name.to_owned(), server.clone());
    let read = CstRootNode::parse(&after, &options()).map_err(|_| Refused::Unsafe)?;
    match read.to_serde_value() == Some(expected) {
        true => Ok(after),
        false => Err(Refused::Unsafe),
    }
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(yes) => CstInputValue::Bool(*yes),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Object(members) => CstInputValue::Object(
            members
                .iter()
                .map(|(name, value)| (name.clone(), input(value)))
                .collect(),
        ),
    }
}

fn toml(
    text: &str,
    table: &str,
    name: &str,
    server: &Value,
    replace: bool,
) -> Result<String, Refused> {
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
        Refused::Broken("TOML", error.message().to_owned())
    })?;
    let servers = document.entry(table).or_insert_with(|| {
        let mut parent = Table::new();
        // No header of its own.
        parent.set_implicit(true);
        Item::Table(parent)
    });
    let servers: &mut dyn TableLike = servers
        .as_table_like_mut()
        .ok_or_else(|| Refused::NotATable(table.to_owned()))?;
    let entry = entry(server);
    if let Some(there) = servers.get(name) {
        if there
            .as_table_like()
            .is_some_and(|there| same(there, &entry))
        {
            return Ok(text.to_owned());
        }
        if !replace {
            return Err(Refused::Taken(name.to_owned()));
        }
    }
    servers.insert(name, Item::Table(entry));
    let after = document.to_string();
    // What it means now is what it meant before, and the server.
    let read = |text: &str| text.parse::<toml::Table>().map_err(|_| Refused::Unsafe);
    let mut expected = read(text)?;
    let slot = expected
        .entry(table)
        .or_insert_with(|| toml::Table::new().into());
    let slot = slot.as_table_mut().ok_or(Refused::Unsafe)?;
    let ours = toml::Value::try_from(server).map_err(|_| Refused::Unsafe)?;
    slot.insert(name.to_owned(), ours);
    if read(&after)? == expected {
        Ok(after)
    } else {
        Err(Refused::Unsafe)
    }
}

/// A server's table: its values are texts and lists of texts.
fn entry(server: &Value) -> Table {
    let mut table = Table::new();
    for (key, value) in server.as_object().into_iter().flatten() {
        let item = match value {
            Value::Array(items) => {
                let texts: Array = items.iter().filter_map(Value::as_str).collect();
                toml_edit::value(texts)
            }
            other => toml_edit::value(other.as_str().unwrap_or_default()),
        };
        table.insert(key, item);
    }
    table
}

/// Whether a table says the same, as far as ours goes and no further.
fn same(there: &dyn TableLike, ours: &Table) -> bool {
    let plain = |item: &Item| match (item.as_str(), item.as_array()) {
        (Some(text), _) => vec![text.to_owned()],
        (None, Some(items)) => items
            .iter()
            .map(|item| item.as_str().unwrap_or_default().to_owned())
            .collect(),
        (None, None) => Vec::new(),
    };
    there.len() == ours.len()
        && ours.iter().all(|(key, item)| {
            there
                .get(key)
                .is_some_and(|there| plain(there) == plain(item))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn server() -> Value {
        json!({ "command": "/bin/snodo", "args": ["stdio", "/x \"y\""] })
    }

    #[test]
    fn everything_else_in_json_stays_as_it_is() {
        let text = "{\n  // mine\n  \"other\": [1,2,  3],\n  \"mcpServers\": {\n    \"a\": { \"command\": \"a\" }, // a\n  },\n}\n";
        let now = json(text, "mcpServers", "b", &server(), false).unwrap();
        for kept in [
            "// mine",
            "[1,2,  3]",
            "\"a\": { \"command\": \"a\" }, // a",
        ] {
            assert!(now.contains(kept), "{now}");
        }
        assert!(now.contains("\"command\": \"/bin/snodo\""), "{now}");
        assert_eq!(
            json(&now, "mcpServers", "b", &server(), false).unwrap(),
            now
        );
        let taken = json(&now, "mcpServers", "a", &server(), false);
        assert_eq!(taken, Err(Refused::Taken("a".into())));
        let replaced = json(&now, "mcpServers", "a", &server(), true).unwrap();
        assert!(!replaced.contains("\"command\": \"a\""), "{replaced}");
    }

    #[test]
    fn broken_files_are_left_alone() {
        for text in [
            "{",
            "[]",
            "{\"mcpServers\": 1}",
            "{'a': 1}",
            "{} {}",
            "nul",
            "{\"a\" 1}",
        ] {
            assert!(
                json(text, "mcpServers", "b", &server(), true).is_err(),
                "{text}"
            );
        }
        for text in ["[a", "a = ", "mcp_servers = 1", "a = 1\na = 2"] {
            assert!(
                toml(text, "mcp_servers", "b", &server(), true).is_err(),
                "{text}"
            );
        }
    }

    #[test]
    fn everything_else_in_toml_stays_as_it_is() {
        let text = "# mine\nmodel  =  \"x\"\n\n[mcp_servers.a] # a\ncommand = 'a'\n";
        let now = toml(text, "mcp_servers", "b", &server(), false).unwrap();
        assert_eq!(
            now,
            format!(
                "{text}\n[mcp_servers.b]\ncommand = \"/bin/snodo\"\nargs = [\"stdio\", '/x \"y\"']\n"
            )
        );
        assert_eq!(
            toml(&now, "mcp_servers", "b", &server(), false).unwrap(),
            now
        );
        let taken = toml(&now, "mcp_servers", "a", &server(), false);
        assert_eq!(taken, Err(Refused::Taken("a".into())));
        for text in [
            "mcp_servers = { a = { command = 'a' } } # all\n",
            "mcp_servers.a.command = 'a'\nx.y = 1\n",
            "[mcp_servers]\n[mcp_servers.a]\ncommand = 'a'\n[mcp_servers.a.env]\nK = 'v'\n[[other]]\nb = 1\n",
            "a = 1\r\n# c\r\n[b]\r\nc = [1,\r\n  2]\r\n",
        ] {
            match toml(text, "mcp_servers", "b", &server(), false) {
                Ok(now) => {
                    let read: DocumentMut = now.parse().unwrap();
                    assert_eq!(
                        read["mcp_servers"]["b"]["command"].as_str(),
                        Some("/bin/snodo"),
                        "{now}"
                    );
                }
                Err(refused) => assert_eq!(refused, Refused::Unsafe, "{text}"),
            }
        }
        let first = toml("", "mcp_servers", "b", &server(), false).unwrap();
        assert!(first.starts_with("[mcp_servers.b]\n"), "{first}");
    }
}

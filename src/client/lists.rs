//! Lists, page after page, within bounds that no server can break.

use super::error::ClientError;
use super::{Client, Listener};
use crate::lang::schema::header_params;
use crate::protocol::client::Request;
use crate::units::{Size, Time};
use serde_json::Value;
use std::collections::HashSet;
use std::time::Instant;

/// How many pages of a list are read, and how many items.
const MOST_PAGES: usize = 1_000;
const MOST_ITEMS: usize = 100_000;
/// How long all pages may take together, in times of what one may take.
const PATIENCE: u32 = 10;

/// What can be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Tools.
    Tools,
    /// Resources that can be read as they are.
    Resources,
    /// Templates of resources.
    Templates,
    /// Prompts.
    Prompts,
}

/// A list, or as much of it as there was.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Listed {
    /// The items as the server wrote them, in its order.
    pub items: Vec<Value>,
    /// Why there may be more.
    pub cut: Option<String>,
    /// Items that are left out because no client may use them, and why.
    pub refused: Vec<String>,
}

impl Listed {
    /// What a person should hear of: why it is not all.
    pub fn warnings(&self) -> impl Iterator<Item = &String> {
        self.cut.iter().chain(&self.refused)
    }
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Tools, Self::Resources, Self::Templates, Self::Prompts];

    fn method(self) -> &'static str {
        match self {
            Self::Tools => "tools/list",
            Self::Resources => "resources/list",
            Self::Templates => "resources/templates/list",
            Self::Prompts => "prompts/list",
        }
    }

    /// The member of a page that holds the items.
    fn member(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Resources => "resources",
            Self::Templates => "resourceTemplates",
            Self::Prompts => "prompts",
        }
    }

    /// The capability without which there is no such list.
    fn capability(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Resources | Self::Templates => "resources",
            Self::Prompts => "prompts",
        }
    }
}

impl Client {
    /// The whole list; an empty one when the server offers none of the kind.
    ///
    /// # Errors
    /// A page could not be had.
    pub async fn list(&self, kind: Kind) -> Result<Listed, ClientError> {
        let mut listed = Listed::default();
        if !self.about().capabilities.contains_key(kind.capability()) {
            return Ok(listed);
        }
        let (mut cursor, mut seen) = (None::<String>, HashSet::new());
        let (begun, mut held) = (Instant::now(), 0);
        for _ in 0..MOST_PAGES {
            let (items, next) = self.page(kind, cursor.as_deref(), &mut |_| {}).await?;
            held += next.as_ref().map_or(0, String::len);
            held += items
                .iter()
                .map(|item| item.to_string().len())
                .sum::<usize>();
            for item in items {
                match self.usable(kind, &item) {
                    Ok(()) => listed.items.push(item),
                    Err(why) => listed.refused.push(why),
                }
            }
            let Some(next) = next else {
                return Ok(listed);
            };
            if !seen.insert(next.clone()) {
                listed.cut = Some(format!(
                    "the server repeats a cursor of `{}`",
                    kind.method()
                ));
                return Ok(listed);
            }
            let much = listed.items.len() + listed.refused.len() >= MOST_ITEMS || held > self.bound;
            if much || begun.elapsed() > self.timeout * PATIENCE {
                break;
            }
            cursor = Some(next);
        }
        listed.cut = Some(format!(
            "`{}` has more than {MOST_PAGES} pages, {MOST_ITEMS} items or {}, or takes longer than {}; \
             the others were not asked for",
            kind.method(),
            Size(self.bound),
            Time(self.timeout * PATIENCE)
        ));
        Ok(listed)
    }

    /// Whether an item may be used. A tool that mirrors arguments into headers in a way that is not
    /// allowed may not, where there are headers (specification: streamable-http §Schema Extension).
    fn usable(&self, kind: Kind, item: &Value) -> Result<(), String> {
        if kind != Kind::Tools || !self.version.is_modern() || !self.link.has_headers() {
            return Ok(());
        }
        let schema = item.get("inputSchema").unwrap_or(&Value::Null);
        let name = item.get("name").and_then(Value::as_str).unwrap_or("?");
        match header_params(schema) {
            Ok(_) => Ok(()),
            Err(errors) => {
                let why = errors.first().map(ToString::to_string).unwrap_or_default();
                Err(format!("the tool `{name}` is left out: {why}"))
            }
        }
    }

    /// One page, and the cursor of the next.
    async fn page(
        &self,
        kind: Kind,
        cursor: Option<&str>,
        on: &mut Listener<'_>,
    ) -> Result<(Vec<Value>, Option<String>), ClientError> {
        let mut request = Request::new(kind.method());
        if let Some(cursor) = cursor {
            request = request.with("cursor", cursor);
        }
        let mut page = self.ask(&request, on).await?;
        let next = match page.get("nextCursor") {
            Some(Value::String(next)) => Some(next.clone()),
            _ => None,
        };
        match page.get_mut(kind.member()).map(Value::take) {
            Some(Value::Array(items)) => Ok((items, next)),
            _ => Err(ClientError::Answer {
                method: kind.method(),
                why: format!("has no list `{}`", kind.member()),
            }),
        }
    }
}

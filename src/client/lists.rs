//! Lists, page after page, within bounds that no server can break.

use super::error::ClientError;
use super::{Client, Listener};
use crate::protocol::client::Request;
use serde_json::Value;
use std::collections::HashSet;

/// How many pages of a list are read, and how many items.
const MOST_PAGES: usize = 1_000;
const MOST_ITEMS: usize = 100_000;

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
        for _ in 0..MOST_PAGES {
            let (items, next) = self.page(kind, cursor.as_deref(), &mut |_| {}).await?;
            listed.items.extend(items);
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
            if listed.items.len() >= MOST_ITEMS {
                break;
            }
            cursor = Some(next);
        }
        listed.cut = Some(format!(
            "`{}` has more than {MOST_PAGES} pages or {MOST_ITEMS} items; the others were not asked for",
            kind.method()
        ));
        Ok(listed)
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

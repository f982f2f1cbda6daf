//! Where a resource is: `uri` or `uri_template`.

use super::codes::{BAD_URI_TEMPLATE, BAD_URL, CONFLICT};
use crate::lang::diag::Diagnostic;
use crate::lang::uri_template::{Uri, UriTemplate};
use crate::manifest::read::{At, Table, within};
use crate::model::Resource;

/// Where a resource is.
pub(super) struct Address {
    /// As it was written.
    pub(super) written: String,
    /// What it is found by.
    pub(super) key: At<String>,
    /// Which URIs it answers for, when it is a template.
    pub(super) template: Option<UriTemplate>,
}

/// Reads the address, and names the table by it.
pub(super) fn address(table: &mut Table<'_>) -> Option<Address> {
    table.set_place("in a resource");
    let given = table.alternatives(&["uri", "uri_template"]);
    let written = given.first().and_then(|entry| entry.value.as_str());
    let name = written.or_else(|| table.entry("name").and_then(|entry| entry.value.as_str()));
    let name = name.map(|name| name.chars().take(80).collect::<String>());
    if let Some(name) = &name {
        table.set_place(format!("in resource \"{}\"", name.escape_debug()));
    }
    match given.as_slice() {
        [] => table.missing_with("uri", "write `uri`, or `uri_template` for many resources"),
        [_] => {}
        [uri, template, ..] => table.report(
            Diagnostic::error(
                CONFLICT,
                template.key_at.clone(),
                "`uri` and `uri_template` exclude each other",
            )
            .related(uri.key_at.clone(), "the URI"),
        ),
    }
    let exact = exact(table);
    let template = template(table);
    let address = exact.or(template)?;
    if address.key.value.starts_with(Resource::OWN_SCHEME) {
        let message = "URIs of the scheme `snodo` are the server's own";
        table.report(
            Diagnostic::error(BAD_URL, address.key.at.clone(), message)
                .help("choose another scheme, for example `docs`"),
        );
    }
    Some(address)
}

fn exact(table: &Table<'_>) -> Option<Address> {
    let read = table.string("uri")?;
    match Uri::parse(&read.value) {
        Ok(uri) => Some(Address {
            key: At {
                value: uri.canonical(),
                at: read.at,
            },
            written: read.value,
            template: None,
        }),
        Err(error) => {
            let at = within(&read.at, error.range.clone());
            let message = format!("`uri` is not an absolute URI: {error}");
            let help = match read.value.contains(['{', '}']) {
                true => "write a template in `uri_template`",
                false => "write for example `docs://guide/start` (RFC 3986)",
            };
            table.report(Diagnostic::error(BAD_URL, at, message).help(help));
            None
        }
    }
}

fn template(table: &Table<'_>) -> Option<Address> {
    let read = table.string("uri_template")?;
    match UriTemplate::parse(&read.value) {
        Ok(template) => Some(Address {
            key: At {
                value: template.canonical(),
                at: read.at,
            },
            written: read.value,
            template: Some(template),
        }),
        Err(error) => {
            let at = within(&read.at, error.range.clone());
            let found = Diagnostic::error(BAD_URI_TEMPLATE, at, error.message);
            table.report(match error.help {
                Some(help) => found.help(help),
                None => found,
            });
            None
        }
    }
}

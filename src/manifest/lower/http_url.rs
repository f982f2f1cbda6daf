//! The URL of an `http` action, and who chooses its host.

use super::codes::{BAD_URL, NO_EFFECT, RAW_IN_URL};
use crate::lang::diag::{Diagnostic, Span};
use crate::lang::template::Template;
use crate::manifest::read::{At, Table, Templates, within};
use crate::model::{HostPattern, HttpTarget};

/// The URL and who chooses its host. A relative URL continues `[defaults.http] url`.
pub(super) fn url(table: &Table<'_>, templates: &Templates<'_>) -> Option<(Template, HttpTarget)> {
    let own = table.own_entry("url");
    let base = table.inherited_entry("url");
    if own.is_none() && base.is_none() {
        table.missing("url");
    }
    let hosts = Hosts::read(table);
    let read = |entry| {
        let text = table.as_string(entry)?;
        let template = templates.read(table, entry)?;
        list_raw(table, &template);
        Some(Part {
            text: text.value,
            template: template.value,
            at: text.at,
        })
    };
    // Both are read for what is wrong with them before either is given up.
    let (own_part, base_part) = (own.as_ref().map(&read), base.as_ref().map(&read));
    let whole = match (own_part, base_part) {
        (None, None) => return None,
        (Some(own), None) => own?,
        (None, Some(base)) => base?,
        (Some(own), Some(base)) => {
            let own = own?;
            if is_relative(&own.text, &own.template) {
                joined(table, &base?, own)?
            } else {
                own
            }
        }
    };
    let target = hosts.target(table, &whole, base.is_some())?;
    Some((whole.template, target))
}

struct Part {
    text: String,
    template: Template,
    at: Span,
}

/// Says where a value stands in a URL as it is.
fn list_raw(table: &Table<'_>, read: &At<Template>) {
    for range in read.value.raw_filters() {
        table.report(Diagnostic::warning(
            RAW_IN_URL,
            within(&read.at, range),
            "`| raw` puts a value into the URL without percent-encoding",
        ));
    }
}

/// True without a scheme of its own (RFC 3986 §3.1). A value is no scheme and no whole URL, since it
/// is encoded as one segment, unless it is `| raw`.
pub(in crate::manifest) fn is_relative(url: &str, template: &Template) -> bool {
    let scheme = url.split_once("://").map(|(scheme, _)| scheme);
    let is_scheme = |scheme: &str| {
        let rest = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
        scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.bytes().all(rest)
    };
    let says_all = url.starts_with("{%")
        || url.starts_with("{{") && (scheme.is_some() || !template.raw_filters().is_empty());
    !scheme.is_some_and(is_scheme) && !says_all
}

/// `https://api.example.com/v1` and `/books` make `https://api.example.com/v1/books`.
pub(in crate::manifest) fn join(base: &str, own: &str) -> String {
    if own.is_empty() || own.starts_with(['?', '#']) {
        return format!("{base}{own}");
    }
    let front = base.trim_end_matches('/');
    format!("{front}/{}", own.trim_start_matches('/'))
}

/// The URL that continues its base.
fn joined(table: &Table<'_>, base: &Part, own: Part) -> Option<Part> {
    if !own.text.is_empty() && base.template.is_literal() && base.text.contains(['?', '#']) {
        let message = "the base of relative URLs cannot have a query or a fragment";
        table.report(
            Diagnostic::error(BAD_URL, base.at.clone(), message)
                .help("write what follows `?` in `query`"),
        );
        return None;
    }
    let text = join(&base.text, &own.text);
    let Ok(template) = Template::parse(&text) else {
        let message = format!("`{}` cannot follow its base", own.text.escape_debug());
        table.error(BAD_URL, own.at, message);
        return None;
    };
    Some(Part {
        text,
        template,
        at: own.at,
    })
}

/// `allow_hosts` and `allow_private`.
struct Hosts {
    listed: Option<Vec<At<String>>>,
    private: Option<At<bool>>,
    /// They are there and cannot be read.
    is_broken: bool,
}

impl Hosts {
    fn read(table: &Table<'_>) -> Self {
        let listed = table.literals("allow_hosts");
        Self {
            is_broken: listed.is_none() && table.has("allow_hosts"),
            listed,
            private: table.boolean("allow_private"),
        }
    }

    /// Whether the scheme and host are the manifest's own, and if not, which hosts a call may name.
    fn target(self, table: &Table<'_>, url: &Part, has_base: bool) -> Option<HttpTarget> {
        let text = &url.text;
        let authority_end = text.split_once("://").map(|(scheme, rest)| {
            scheme.len() + 3 + rest.find(['/', '?', '#']).unwrap_or(rest.len())
        });
        let head = authority_end.and_then(|end| text.get(..end));
        let is_literal = |head: &&str| !head.contains("{{") && !head.contains("{%");
        if let Some(head) = head.filter(is_literal) {
            self.warn_unused(table);
            let allow_private = self.private.is_some_and(|read| read.value);
            return is_http(table, head, &url.at).then_some(HttpTarget::Fixed { allow_private });
        }
        match self.listed {
            Some(hosts) if !hosts.is_empty() => {
                // Encoded as one segment a value can be a scheme, and no more of what a URL begins
                // with.
                if text.starts_with("{{")
                    && !begins_with_scheme(text)
                    && url.template.raw_filters().is_empty()
                {
                    let message =
                        "a value is encoded as one part of a URL, so it cannot be a whole one";
                    table.report(
                        Diagnostic::error(BAD_URL, url.at.clone(), message)
                            .help("write `| raw` behind it"),
                    );
                    return None;
                }
                Some(HttpTarget::FromCaller {
                    allow_hosts: patterns(table, &hosts),
                    allow_private: self.private.is_some_and(|read| read.value),
                })
            }
            _ if self.is_broken => None,
            _ => {
                let message = "the URL's scheme and host must be literal text";
                let help = match has_base && text.starts_with("{%") {
                    true => "begin it with `/` to continue `[defaults.http] url`",
                    false => {
                        "name the host, give `[defaults.http] url` a base, or list the hosts a call may name in `allow_hosts`"
                    }
                };
                table.report(Diagnostic::error(BAD_URL, url.at.clone(), message).help(help));
                None
            }
        }
    }

    /// What guards a host that a call names does nothing for one that the manifest names.
    fn warn_unused(&self, table: &Table<'_>) {
        let given = table.own_entry("allow_hosts");
        if let Some(entry) = given.filter(|_| self.listed.is_some()) {
            let message = "`allow_hosts` has no effect: the URL names its host itself";
            table.report(Diagnostic::warning(NO_EFFECT, entry.key_at, message));
        }
    }
}

/// Says that `allow_private = true` changes nothing: beside a host that the manifest names it is for
/// redirects, and there are none; beside `allow_hosts`, each entry opens its private address itself.
pub(super) fn warn_of_idle_private(table: &Table<'_>, target: &HttpTarget, redirects: u32) {
    let why = match target {
        HttpTarget::Fixed {
            allow_private: true,
        } if redirects == 0 => {
            "the URL names its host itself, and no redirect is followed to another"
        }
        HttpTarget::FromCaller {
            allow_private: true,
            allow_hosts,
        } if allow_hosts.iter().all(HostPattern::admits_private) => {
            "a host and port in `allow_hosts` may be private already"
        }
        _ => return,
    };
    if let Some(entry) = table.own_entry("allow_private") {
        let message = format!("`allow_private` has no effect: {why}");
        table.report(Diagnostic::warning(NO_EFFECT, entry.key_at, message));
    }
}

/// Whether one expression stands for the scheme, and for nothing else.
fn begins_with_scheme(url: &str) -> bool {
    let behind = url.split_once("}}").map(|(_, behind)| behind);
    behind.is_some_and(|behind| behind.starts_with("://"))
}

fn patterns(table: &Table<'_>, hosts: &[At<String>]) -> Vec<HostPattern> {
    let mut patterns = Vec::new();
    for host in hosts {
        match host.value.parse() {
            Ok(pattern) => patterns.push(pattern),
            Err(error) => table.error(BAD_URL, host.at.clone(), format!("{error}")),
        }
    }
    patterns
}

fn is_http(table: &Table<'_>, head: &str, at: &Span) -> bool {
    let is_http = url::Url::parse(head)
        .is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    if !is_http {
        let message = format!("`{}` is not an HTTP address", head.escape_debug());
        table.report(
            Diagnostic::error(BAD_URL, at.clone(), message).help("write `https://host/path`"),
        );
    }
    is_http
}

#[cfg(test)]
mod tests {
    use super::*;

    fn relative(url: &str) -> bool {
        is_relative(url, &Template::parse(url).unwrap())
    }

    #[test]
    fn what_has_a_scheme_is_no_path() {
        for url in [
            "https://x/",
            "HTTP://x",
            "{{ args.url | raw }}",
            "{{ args.scheme }}://x/",
            "{% if a %}x{% endif %}",
        ] {
            assert!(!relative(url), "{url}");
        }
        for url in [
            "",
            "/a",
            "a/b",
            "?q=1",
            "a?next=http://x/",
            "/{{ args.x }}",
            "{{ args.x }}/y",
            "1a://x",
        ] {
            assert!(relative(url), "{url}");
        }
    }
}

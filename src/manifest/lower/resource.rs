//! `[[resource]]`: one resource or resource template, whole.

use super::action::{ACTIONS, Action, action};
use super::address::{Address, address};
use super::codes::{CONFLICT, EMPTY_COMPONENT, NO_EFFECT};
use super::names::PARAMS;
use super::scopes::scopes;
use super::wrap::{check_cache, wraps};
use super::{Cx, Lowered, ask, available, base, complete, contents, identity, names};
use crate::lang::diag::Diagnostic;
use crate::lang::template::Template;
use crate::lang::uri_template::{RESERVED_NAME, UriTemplate};
use crate::manifest::read::{OUT_OF_RANGE, Table, UNKNOWN_KEY};
use crate::manifest::settings;
use crate::model::{
    ActionSpec, AnyComponent, Cache, CacheScope, CompleteSpec, Kind, ListingSpec, Resource,
    ResourceDeclaration, ResourceResultSpec,
};
use std::sync::Arc;
use toml::de::DeValue;

/// Reads one `[[resource]]`. `defaults` is the file's `[defaults]`, when it has one.
pub fn resource<'a>(cx: &Cx<'a>, mut table: Table<'a>, defaults: Option<&Table<'a>>) -> Lowered {
    let before = cx.findings.errors();
    let address = address(&mut table);
    let key = address.as_ref().map(|address| address.key.clone());
    let (is_available, resource) =
        available::read(cx, &table, || build(cx, &table, address, defaults));
    base::refuse_unserved(&table, &["test"]);
    table.finish();
    let is_whole = is_available && cx.findings.errors() == before;
    Lowered {
        kind: Kind::Resource,
        component: resource
            .filter(|_| is_whole)
            .map(|resource| AnyComponent::Resource(Arc::new(resource))),
        key: key.filter(|_| is_available),
    }
}

fn build<'a>(
    cx: &Cx<'a>,
    table: &Table<'a>,
    address: Option<Address>,
    defaults: Option<&Table<'a>>,
) -> Option<Resource> {
    let outside_before = cx.outside.borrow().len();
    let name = name(table);
    let title = table.prose("title");
    let description = table.prose("description");
    let mime_type = table.literal("mime_type");
    if let Some(mime_type) = &mime_type {
        base::check_media_type(table, &mime_type.value, &mime_type.at);
    }
    let size = table.integer("size", 0..=i64::MAX);
    let icons = base::icons(table);
    let annotations = base::block_annotations(table);
    let metadata = base::metadata(table);
    let template = address
        .as_ref()
        .and_then(|address| address.template.clone());
    let variables = template.as_ref().map(UriTemplate::variables);
    let variables = variables.unwrap_or_default();
    let brought = variables.iter().copied().chain([RESERVED_NAME]);
    let call = match &address {
        Some(_) => names::texts(cx, PARAMS, brought),
        // Which variables there are is not known: saying so once is enough.
        None => names::any_read(cx),
    };
    let completions = completions(cx, table, &variables, address.is_some(), &call, defaults);
    let asks = ask::asks(cx, table, &call);
    let call = &asks.call;
    let action = action(cx, table, defaults, call);
    let wraps = wraps(cx, table, defaults, call);
    let scopes = scopes(cx, table, defaults);
    check_cache(table, &wraps, &action);
    let result = result(cx, table, call, &action);
    let refused = ask::refused(table, &asks, |refused, call| {
        contents::contents(cx, refused, call.names())
    });
    let per_caller = depends_on_caller(table, defaults)
        || scopes.as_ref().is_none_or(|scopes| !scopes.is_empty())
        || !asks.spec.rounds.is_empty();
    let cache = self::cache(cx, table, per_caller);
    if let (Some(template), Some(size)) = (&template, &size) {
        let message = format!(
            "`{}` matches many resources, which have no one size",
            template.source()
        );
        table.report(Diagnostic::warning(NO_EFFECT, size.at.clone(), message));
    }
    let action = match action {
        Action::None => None,
        Action::Whole(spec) => Some(spec),
        Action::Many | Action::Broken(_) => return None,
    };
    if let (Some(address), Some(ActionSpec::File(file))) = (&address, &action)
        && let Some(listing) = &file.listing
    {
        check_listing(table, address, listing);
    }
    if let Some(ActionSpec::File(file)) = &action
        && file.watch
        && file.listing.is_none()
        && (template.is_some() || file.path.literal().is_none())
        && let Some(entry) = table.table("file").and_then(|file| file.entry("watch"))
    {
        let message = "which files these are is not known, so they cannot be watched";
        table.report(
            Diagnostic::error(CONFLICT, entry.key_at, message)
                .help("add `list`, or watch the one file of a resource with a `uri`"),
        );
    }
    let address = address?;
    let declaration = ResourceDeclaration {
        uri: address.written,
        name: name?,
        title,
        description,
        mime_type: mime_type.map(|read| read.value),
        size: size
            .filter(|_| address.template.is_none())
            .and_then(|read| u64::try_from(read.value).ok()),
        icons,
        annotations,
        metadata,
    };
    Some(Resource {
        fingerprint: identity::fingerprint(&declaration, &[]),
        declaration,
        key: address.key.value,
        at: address.key.at,
        plain: plain(address.template.as_ref(), action.as_ref()),
        template: address.template,
        action,
        asks: asks.spec,
        refused,
        wraps,
        scopes: scopes?,
        result: result?,
        cache,
        per_caller,
        completions,
        definition: identity::definition(cx, table, defaults, outside_before),
    })
}

/// `name`: any text, for a program or a person to tell it by.
fn name(table: &Table<'_>) -> Option<String> {
    let name = table.required_string("name")?;
    if name.value.trim().is_empty() {
        table.error(OUT_OF_RANGE, name.at, "`name` must not be empty");
        return None;
    }
    Some(name.value)
}

/// `complete`: how variables are completed, by name.
fn completions<'a>(
    cx: &Cx<'a>,
    table: &Table<'a>,
    variables: &[&str],
    are_known: bool,
    call: &names::Call,
    defaults: Option<&Table<'a>>,
) -> Vec<(String, CompleteSpec)> {
    let Some(read) = table.table("complete") else {
        return Vec::new();
    };
    let mut completions = Vec::new();
    for entry in read.entries() {
        if are_known && !variables.contains(&entry.key) {
            let message = format!("the template has no variable `{}`", entry.key);
            read.error(UNKNOWN_KEY, entry.key_at.clone(), message);
            continue;
        }
        let complete = complete::complete(cx, &read, entry.key, call, defaults);
        completions.extend(complete.map(|complete| (entry.key.to_owned(), complete)));
    }
    completions
}

/// A resource's `result`. The outer `None` means that there is nothing to answer with.
fn result<'a>(
    cx: &Cx<'a>,
    table: &Table<'a>,
    call: &names::Call,
    action: &Action,
) -> Option<Option<ResourceResultSpec>> {
    let before = cx.findings.errors();
    let spec = table.table("result").map(|result| {
        let names = call.names_with_output(action);
        contents::contents(cx, result, &names)
    });
    let says = spec.as_ref().is_some_and(|spec| spec.contents.is_some());
    let is_told = cx.findings.errors() > before;
    if matches!(action, Action::None) && !says && !is_told {
        let message = match spec {
            Some(_) => "the resource has no action, and its `result` holds nothing",
            None => "the resource has neither an action nor a `result`",
        };
        let help = match spec {
            Some(_) => "add `text`, `json`, `blob` or `contents` to `[resource.result]`",
            None => {
                "add `[resource.file]`, `[resource.http]`, `[resource.shell]` or `[resource.result]`"
            }
        };
        table.report(Diagnostic::error(EMPTY_COMPONENT, table.at(), message).help(help));
        return None;
    }
    Some(spec)
}

/// `cache`: how long and for whom what was read may be kept.
fn cache(cx: &Cx<'_>, table: &Table<'_>, per_caller: bool) -> Option<Cache> {
    let read = table.table("cache")?;
    let scope_at = read.entry("scope").map(|entry| entry.at);
    let cache = settings::cache(read, cx.settings.server.caches.resources);
    if let Some(at) = scope_at.filter(|_| per_caller && cache.scope == CacheScope::Public) {
        let message = "what is read depends on the caller, so it cannot be kept for others";
        table.report(Diagnostic::error(CONFLICT, at, message).help("write `scope = \"private\"`"));
    }
    Some(cache)
}

/// Whether any template of what is read names the caller, those of the file's defaults included. A
/// wrapper's do not change what is read.
fn depends_on_caller(table: &Table<'_>, defaults: Option<&Table<'_>>) -> bool {
    let own = table
        .entries()
        .into_iter()
        .filter(|entry| entry.key != "wrap");
    let inherited = ACTIONS.into_iter().filter(|kind| table.has(kind));
    let inherited = inherited.filter_map(|kind| defaults?.table(kind));
    let inherited = inherited.flat_map(|table| table.entries());
    own.chain(inherited).any(|entry| names_caller(entry.value))
}

fn names_caller(value: &DeValue<'_>) -> bool {
    match value {
        DeValue::String(text) => {
            let template = text.contains("{{") || text.contains("{%");
            let template = template.then(|| Template::parse(text).ok()).flatten();
            template.is_some_and(|template| template.uses("auth") || template.uses("client"))
        }
        DeValue::Array(items) => items.iter().any(|item| names_caller(item.get_ref())),
        DeValue::Table(members) => members
            .iter()
            .any(|(_, member)| names_caller(member.get_ref())),
        _ => false,
    }
}

/// The variables that a file's path is made of and that stand for one segment.
fn plain(template: Option<&UriTemplate>, action: Option<&ActionSpec>) -> Vec<String> {
    let (Some(template), Some(ActionSpec::File(file))) = (template, action) else {
        return Vec::new();
    };
    let references = file.path.references();
    let used = |name: &str| {
        references.iter().any(|reference| {
            reference.root == PARAMS && reference.member().is_none_or(|member| member == name)
        })
    };
    let one_segment = template.one_segment_variables().into_iter();
    let mut plain: Vec<String> = one_segment
        .filter(|name| used(name))
        .map(str::to_owned)
        .collect();
    plain.dedup();
    plain
}

/// A listed file has a URI: the path's variable is all that a URI of the template needs.
fn check_listing(table: &Table<'_>, address: &Address, listing: &ListingSpec) {
    let Some(template) = &address.template else {
        return;
    };
    let others: Vec<&str> = template
        .required_variables()
        .into_iter()
        .filter(|name| *name != listing.variable)
        .collect();
    let Some(other) = others.first() else {
        return;
    };
    let Some(entry) = table.table("file").and_then(|file| file.entry("list")) else {
        return;
    };
    let message = format!("a listed file has no value for the template's variable `{other}`");
    table.report(
        Diagnostic::error(OUT_OF_RANGE, entry.at, message)
            .help("use a template whose only variable stands for the path"),
    );
}

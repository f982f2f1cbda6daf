//! Resources: which one a URI leads to, what is read of it, and the lists.

use super::Runtime;
use super::ask::{Asked, NotAsked, check_caller};
use super::execute::{Request, permit};
use super::set::{Entry, Set};
use super::watched::listed_value;
use crate::action::file::{FileAction, Listed};
use crate::action::{Failure, NotRead, outputs, resource};
use crate::guard::{Inside, Outcome};
use crate::lang::template::Scope;
use crate::lang::uri_template::{Bindings, RESERVED_NAME, TemplateIndex, Uri, UriTemplate};
use crate::model::{
    ActionSpec, Annotations, Cache, CacheScope, Component, Kind, ListingSpec, Resource,
    ResourceDeclaration,
};
use crate::ops::{Answer, Caller, OpError, Payload, ResourceContent, ResourceOutcome};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

/// What a read is refused with when nothing decides between two templates.
const MANY_ROUTES: &str = "Multiple resource routes matched the requested URI";

/// The resources, and how they are found.
#[derive(Debug)]
pub(super) struct Resources {
    pub(super) set: Set<Resource>,
    /// Those with a template, in the order of the manifests, and where to look for one.
    templates: Vec<Arc<Resource>>,
    index: TemplateIndex,
    /// Those without a template that take scopes, by what their URIs mean.
    guarded: HashMap<Vec<u8>, Vec<Arc<Resource>>>,
    has_files: bool,
    /// The keys of those of which a wrapper keeps answers.
    pub(super) keeping: Vec<String>,
}

impl Resources {
    pub(super) fn new(entries: Vec<Entry<Resource>>) -> Self {
        let has_files = entries.iter().any(|entry| listing(entry).is_some());
        let keeping = entries.iter().filter(|entry| entry.wraps.keep_answers());
        let keeping = keeping.map(|entry| entry.component.key().to_owned());
        let keeping = keeping.collect();
        let set = Set::new(entries);
        let all: Vec<Arc<Resource>> = set.in_order().cloned().collect();
        let templates = all.into_iter().filter(|each| each.template.is_some());
        let templates: Vec<Arc<Resource>> = templates.collect();
        let parsed = templates
            .iter()
            .filter_map(|resource| resource.template.as_ref());
        let mut guarded: HashMap<Vec<u8>, Vec<Arc<Resource>>> = HashMap::new();
        for resource in set.in_order() {
            if resource.template.is_none()
                && !resource.scopes().is_empty()
                && let Ok(uri) = Uri::parse(&resource.declaration.uri)
            {
                let same = guarded.entry(uri.meant().0).or_default();
                same.push(Arc::clone(resource));
            }
        }
        Self {
            index: TemplateIndex::new(parsed),
            guarded,
            set,
            templates,
            has_files,
            keeping,
        }
    }

    /// Whether the files of a folder are listed, so that `resources/list` is made when it is asked
    /// for.
    pub(super) fn has_files(&self) -> bool {
        self.has_files
    }

    /// The resource that a URI leads to, with what its template's variables are: the one of this
    /// very URI, or the only one whose template matches. One that the caller may not use leads
    /// nowhere as long as another does.
    fn route(
        &self,
        uri: &Uri<'_>,
        caller: &Caller,
    ) -> Result<(&Entry<Resource>, Bindings<'_>), OpError> {
        let not_found = || OpError::ResourceNotFound(uri.as_str().to_owned());
        let exact = self.set.get(&uri.canonical());
        if let Some(entry) = exact.filter(|entry| entry.component.template.is_none()) {
            permit(&*entry.component, caller)?;
            return Ok((entry, Bindings::default()));
        }
        self.pass_guards(uri, caller)?;
        let candidates = self.index.candidates(uri).into_iter();
        let matching = candidates.filter_map(|place| {
            let resource = self.templates.get(place)?;
            let bound = resource.template.as_ref()?.matches(uri)?;
            Some((resource, bound))
        });
        let mut forbidden = None;
        let mut usable = matching.filter(|(resource, _)| {
            let permitted = permit(&***resource, caller);
            let is_usable = permitted.is_ok();
            forbidden = forbidden.take().or(permitted.err());
            is_usable
        });
        let found = usable.next();
        if usable.next().is_some() {
            return Err(OpError::Failed(MANY_ROUTES.to_owned()));
        }
        drop(usable);
        let Some((resource, bound)) = found else {
            return Err(forbidden.unwrap_or_else(not_found));
        };
        let entry = self.set.get(resource.key()).ok_or_else(not_found)?;
        Ok((entry, bound))
    }

    /// Lets this caller come to a template by this URI: it has the scopes of the resource whose URI it is
    /// but for how it is written. Else `%61` for an `a`, or a query, would lead around them.
    fn pass_guards(&self, uri: &Uri<'_>, caller: &Caller) -> Result<(), OpError> {
        if self.guarded.is_empty() {
            return Ok(());
        }
        let (place, query) = uri.meant();
        for resource in self.guarded.get(&place).into_iter().flatten() {
            let own = Uri::parse(&resource.declaration.uri).map(|own| own.meant().1);
            if own.is_ok_and(|own| own.is_none() || own == query) {
                permit(&**resource, caller)?;
            }
        }
        Ok(())
    }

    /// Whether this URI leads to something: it is declared, or fits a template.
    pub(super) fn knows(&self, uri: &str) -> bool {
        let Ok(uri) = Uri::parse(uri) else {
            return false;
        };
        let anybody = Caller::default();
        !matches!(
            self.route(&uri, &anybody),
            Err(OpError::ResourceNotFound(_))
        )
    }

    /// The resource or the template of this very text.
    pub(super) fn named(&self, uri: &str) -> Option<&Entry<Resource>> {
        let key = match UriTemplate::parse(uri) {
            Ok(template) => template.canonical(),
            Err(_) => Uri::parse(uri).ok()?.canonical(),
        };
        self.set.get(&key)
    }

    /// The resources that are not what they were, or were not, or are no more.
    pub(super) fn changed(&self, before: &Self) -> Vec<Arc<Resource>> {
        let is_same = |resource: &Resource, other: &Self| {
            let same = other.set.get(resource.key());
            same.is_some_and(|same| same.component.definition() == resource.definition())
        };
        let changed = self.set.in_order().filter(|new| !is_same(new, before));
        let gone = before.set.in_order();
        let gone = gone.filter(|old| self.set.get(old.key()).is_none());
        changed.chain(gone).cloned().collect()
    }

    /// Whether a variable is completed from the files of its folder.
    pub(super) fn completes_paths(entry: &Entry<Resource>) -> bool {
        listing(entry).is_some()
    }
}

/// What seals the cursors of `resources/list`.
pub(super) const LIST: &str = "resources";

/// What a list shows of a resource, with its fingerprint.
pub(super) fn shown(resource: &Arc<Resource>) -> (&str, &ResourceDeclaration) {
    (resource.fingerprint(), &resource.declaration)
}

/// What makes a resource stand in the lists as it does: its fingerprint, and which files of which
/// folder it lists.
pub(super) fn stands_for(resource: &Resource) -> (&str, Option<(&Path, &ListingSpec)>) {
    let files = match resource.action() {
        Some(ActionSpec::File(file)) => file.listing.as_ref().map(|list| (&*file.root, list)),
        _ => None,
    };
    (resource.fingerprint(), files)
}

/// The files of a resource's folder that are resources of their own.
fn listing(entry: &Entry<Resource>) -> Option<(&FileAction, &ListingSpec)> {
    let action = entry.action.as_deref()?.listing()?;
    Some((action, action.listing()?))
}

/// What the variable of a listing may be, by the files that are there.
pub(super) async fn paths(entry: &Entry<Resource>, variable: &str) -> Option<Vec<String>> {
    let (action, spec) = listing(entry).filter(|(_, spec)| spec.variable == variable)?;
    let declarations = files(&entry.component, action, spec).await;
    Some(declarations.into_iter().map(|(value, ..)| value).collect())
}

/// The files that a URI of the template leads to: the variable's value, the URI and the file.
async fn files(
    resource: &Resource,
    action: &FileAction,
    spec: &ListingSpec,
) -> Vec<(String, String, Listed)> {
    let Some(template) = &resource.template else {
        return Vec::new();
    };
    let files = match action.list().await {
        Ok(files) => files,
        Err(error) => {
            // The rest of the list is still there; reading this one tells why it is not.
            tracing::warn!(resource = resource.key(), %error, "files cannot be listed");
            return Vec::new();
        }
    };
    let reachable = files.into_iter().filter_map(|file| {
        let value = listed_value(resource, spec, &file.path)?.to_owned();
        let uri = template.expand(|name| (name == spec.variable).then_some(value.as_str()))?;
        Some((value, uri, file))
    });
    reachable.collect()
}

async fn listed(
    resource: &Resource,
    action: &FileAction,
    spec: &ListingSpec,
) -> Vec<ResourceDeclaration> {
    let own = &resource.declaration;
    let files = files(resource, action, spec).await.into_iter();
    let declarations = files.map(|(_, uri, file)| ResourceDeclaration {
        uri,
        name: file.path,
        title: None,
        description: None,
        mime_type: own.mime_type.clone().or(file.mime.map(str::to_owned)),
        size: Some(file.size),
        icons: own.icons.clone(),
        annotations: Some(Annotations {
            last_modified: file.modified,
            ..own.annotations.clone().unwrap_or_default()
        }),
        metadata: Map::new(),
    });
    declarations.collect()
}

/// Whether a value can be one name in a path.
pub(super) fn is_name(value: &str) -> bool {
    !value.contains(['/', '\\', '\0']) && !matches!(value, "." | "..")
}

/// A read inside the wrappers of the resource.
struct Reading<'a> {
    runtime: &'a Runtime,
    entry: &'a Entry<Resource>,
    uri: &'a str,
    request: Request<'a>,
}

impl Inside for Reading<'_> {
    fn component(&self) -> (Kind, &str) {
        (Kind::Resource, self.entry.component.key())
    }

    fn root(&self) -> &'static str {
        "params"
    }

    /// The URI stays what it is: it is what the contents are of.
    fn checked(&self, params: Map<String, Value>) -> Result<Map<String, Value>, String> {
        let resource = &*self.entry.component;
        let mut params = params;
        params.insert(RESERVED_NAME.to_owned(), self.uri.into());
        let variables = resource.template.as_ref().map(UriTemplate::variables);
        let variables = variables.unwrap_or_default();
        for (name, value) in &params {
            if name != RESERVED_NAME && !variables.contains(&name.as_str()) {
                return Err(format!(
                    "went on with `{name}`, which is no variable of the template"
                ));
            }
            let Value::String(text) = value else {
                return Err(format!("went on with a `{name}` that is no text"));
            };
            if resource.plain.contains(name) && !is_name(text) {
                return Err(format!("went on with a `{name}` that cannot be one name"));
            }
        }
        Ok(params)
    }

    fn answer(&self, given: Value) -> Result<Answer, String> {
        let resource = &*self.entry.component;
        let cache = self.runtime.resource_cache(resource);
        let outcome = resource::given(resource, self.uri, given, cache);
        Ok(Answer::Resource(outcome))
    }

    fn run(&self, scope: Scope) -> BoxFuture<'_, Outcome> {
        let read = async move {
            let read = self.runtime.read(self.entry, self.uri, scope, self.request);
            Ok(Answer::Resource(read.await?))
        };
        read.boxed()
    }
}

impl Runtime {
    /// A page of `resources/list` as this caller is shown it.
    pub(super) async fn resource_page(
        &self,
        cursor: Option<&str>,
        caller: &Caller,
    ) -> Result<Answer, OpError> {
        if let Some(list) = &self.seen_by(caller).resources {
            return list.page(cursor);
        }
        let set = &self.resources.set;
        let usable = set.in_order().filter(|each| caller.has(each.scopes()));
        let usable: Vec<&Arc<Resource>> = usable.collect();
        let mut files: Vec<Vec<ResourceDeclaration>> = Vec::new();
        for resource in &usable {
            files.push(match set.get(resource.key()).and_then(listing) {
                Some((action, spec)) => listed(resource, action, spec).await,
                None => Vec::new(),
            });
        }
        // A URI is shown once: an exact resource is what answers for it, also when it is hidden.
        let mut seen: HashSet<&str> = HashSet::new();
        let exact = set
            .in_order()
            .filter(|resource| resource.template.is_none());
        seen.extend(exact.map(|resource| resource.declaration.uri.as_str()));
        let mut all: Vec<(&str, &ResourceDeclaration)> = Vec::new();
        for (resource, files) in usable.iter().zip(&files) {
            if resource.template.is_none() {
                all.push(shown(resource));
            }
            let files = files.iter().filter(|file| seen.insert(&file.uri));
            // A file that is written to is still the same entry of the list.
            all.extend(files.map(|file| (file.uri.as_str(), file)));
        }
        let (pager, cache) = self.resource_pages();
        pager.page(LIST, all.into_iter(), cursor, |page, next| {
            self.face.resources_page(page, next, cache)
        })
    }

    /// Lets this caller hear that the resource of this URI has changed. Of what is not there
    /// everybody may: there is nothing to hear.
    ///
    /// # Errors
    /// It lacks scopes for it.
    pub fn may_hear_of(&self, uri: &str, caller: &Caller) -> Result<(), OpError> {
        let Ok(uri) = Uri::parse(uri) else {
            return Ok(());
        };
        match self.resources.route(&uri, caller) {
            Err(OpError::Forbidden(scopes)) => Err(OpError::Forbidden(scopes)),
            _ => Ok(()),
        }
    }

    fn resource_cache(&self, resource: &Resource) -> Cache {
        let cache = resource.cache.unwrap_or(self.read_cache);
        match resource.per_caller {
            true => Cache {
                scope: CacheScope::Private,
                ..cache
            },
            false => cache,
        }
    }

    /// What a resource holds.
    pub(super) async fn read_resource(
        &self,
        uri: String,
        request: Request<'_>,
    ) -> Result<Answer, OpError> {
        if outputs::is_output(&uri) {
            return self.read_output(uri, &request.context.caller);
        }
        let Ok(parsed) = Uri::parse(&uri) else {
            return Err(OpError::ResourceNotFound(uri));
        };
        let (entry, bound) = self.resources.route(&parsed, &request.context.caller)?;
        let resource = &*entry.component;
        check_caller(resource, request.context.capabilities)?;
        let mut plain = resource.plain.iter().filter_map(|name| bound.get(name));
        if !plain.all(is_name) {
            return Err(OpError::ResourceNotFound(uri));
        }
        let mut params: Map<String, Value> = bound
            .iter()
            .map(|(name, value)| (name.to_owned(), value.into()))
            .collect();
        params.insert(RESERVED_NAME.to_owned(), uri.as_str().into());
        let params = Arc::new(params);
        let scope = self.scope("params", Arc::clone(&params), request.context);
        let asked = self.ask(resource, scope, &params, request);
        let scope = match asked.map_err(NotAsked::into_error)? {
            Asked::Answered(scope) => scope,
            Asked::Open(required) => return Ok(Answer::NeedsInput(required)),
            Asked::Declined(scope) => {
                let cache = self.resource_cache(resource);
                let refused = resource::refused(resource, &uri, &scope, cache);
                return refused.map(Answer::Resource);
            }
        };
        let inside = Reading {
            runtime: self,
            entry,
            uri: &uri,
            request,
        };
        self.wrapped(entry, &inside, scope).await
    }

    /// What is kept of a long output. A part of it is for the caller who was told where.
    fn read_output(&self, uri: String, caller: &Caller) -> Result<Answer, OpError> {
        let Some(part) = self.outputs.read(&uri, caller.principal()) else {
            return Err(OpError::ResourceNotFound(uri));
        };
        let content = ResourceContent {
            uri,
            mime_type: matches!(part.payload, Payload::Text(_)).then(|| "text/plain".to_owned()),
            payload: part.payload,
            meta: Map::new(),
        };
        Ok(Answer::Resource(ResourceOutcome {
            contents: vec![content],
            cache: Cache {
                ttl_ms: u64::try_from(part.left.as_millis()).unwrap_or(u64::MAX),
                scope: CacheScope::Private,
            },
            meta: Map::new(),
        }))
    }

    async fn read(
        &self,
        entry: &Entry<Resource>,
        uri: &str,
        scope: Scope,
        request: Request<'_>,
    ) -> Result<ResourceOutcome, OpError> {
        let resource = &*entry.component;
        let output = match &entry.action {
            None => None,
            Some(action) => match action.read(self.call(resource, &scope, request)).await {
                Ok(output) => Some(output),
                Err(NotRead::NotFound) => return Err(OpError::ResourceNotFound(uri.to_owned())),
                Err(NotRead::Failed(Failure(text))) => return Err(OpError::Failed(text)),
            },
        };
        let cache = self.resource_cache(resource);
        resource::contents(resource, uri, scope, output, cache)
    }
}

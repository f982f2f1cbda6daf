//! Resources: which one a URI leads to, what is read of it, and the lists.

use super::Runtime;
use super::ask::{Asked, NotAsked, check_caller};
use super::execute::Request;
use super::list::{List, Pager};
use super::prompts::wrapped;
use super::set::{Entry, Set};
use super::watched::listed_value;
use crate::action::file::{FileAction, Listed};
use crate::action::{Failure, NotRead, outputs, resource};
use crate::lang::template::Scope;
use crate::lang::uri_template::{Bindings, RESERVED_NAME, TemplateIndex, Uri, UriTemplate};
use crate::model::{
    ActionSpec, Annotations, Cache, CacheScope, Component, ListingSpec, Resource,
    ResourceDeclaration, Settings,
};
use crate::ops::{Answer, OpError, Payload, ResourceContent, ResourceOutcome};
use crate::protocol::Face;
use futures_util::FutureExt as _;
use serde_json::{Map, Value};
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

/// What a read is refused with when nothing decides between two templates.
const MANY_ROUTES: &str = "Multiple resource routes matched the requested URI";

/// The resources, how they are found, and the lists of them.
#[derive(Debug)]
pub(super) struct Resources {
    pub(super) set: Set<Resource>,
    /// All of them, in the order of the manifests.
    pub(super) in_order: Vec<Arc<Resource>>,
    /// Those with a template, in the same order, and where to look for one.
    templates: Vec<Arc<Resource>>,
    index: TemplateIndex,
    /// `resources/list`; `None` when it has files, whose folders are looked at each time.
    list: Option<List>,
    template_list: List,
    pager: Pager,
    cache: Cache,
}

impl Resources {
    pub(super) fn new(settings: &Settings, face: &Face, entries: Vec<Entry<Resource>>) -> Self {
        let pager = Pager::new(settings);
        let cache = settings.server.caches.resources;
        let in_order: Vec<Arc<Resource>> = entries
            .iter()
            .map(|entry| Arc::clone(&entry.component))
            .collect();
        let (templates, exact): (Vec<_>, Vec<_>) = in_order
            .iter()
            .cloned()
            .partition(|resource| resource.template.is_some());
        let all = templates.iter().map(shown);
        let template_list = List::new(&pager, "resource templates", all, |page, next| {
            face.templates_page(page, next, cache)
        });
        let has_files = entries.iter().any(|entry| listing(entry).is_some());
        let list = (!has_files).then(|| {
            let all = exact.iter().map(shown);
            List::new(&pager, LIST, all, |page, next| {
                face.resources_page(page, next, cache)
            })
        });
        let parsed = templates
            .iter()
            .filter_map(|resource| resource.template.as_ref());
        Self {
            index: TemplateIndex::new(parsed),
            set: Set::new(entries),
            in_order,
            templates,
            list,
            template_list,
            pager,
            cache,
        }
    }

    /// The resource that a URI leads to, with what its template's variables are: the one of this
    /// very URI, or the only one whose template matches.
    fn route(&self, uri: &Uri<'_>) -> Result<(&Entry<Resource>, Bindings<'_>), OpError> {
        let not_found = || OpError::ResourceNotFound(uri.as_str().to_owned());
        let exact = self.set.get(&uri.canonical());
        if let Some(entry) = exact.filter(|entry| entry.component.template.is_none()) {
            return Ok((entry, Bindings::default()));
        }
        let candidates = self.index.candidates(uri).into_iter();
        let mut matching = candidates.filter_map(|place| {
            let resource = self.templates.get(place)?;
            let bound = resource.template.as_ref()?.matches(uri)?;
            Some((resource, bound))
        });
        let (resource, bound) = matching.next().ok_or_else(not_found)?;
        if matching.next().is_some() {
            return Err(OpError::Failed(MANY_ROUTES.to_owned()));
        }
        let entry = self.set.get(resource.key()).ok_or_else(not_found)?;
        Ok((entry, bound))
    }

    /// Whether this URI leads to something: it is declared, or fits a template.
    pub(super) fn knows(&self, uri: &str) -> bool {
        let Ok(uri) = Uri::parse(uri) else {
            return false;
        };
        !matches!(self.route(&uri), Err(OpError::ResourceNotFound(_)))
    }

    /// The resource or the template of this very text.
    pub(super) fn named(&self, uri: &str) -> Option<&Entry<Resource>> {
        let key = match UriTemplate::parse(uri) {
            Ok(template) => template.canonical(),
            Err(_) => Uri::parse(uri).ok()?.canonical(),
        };
        self.set.get(&key)
    }

    /// Whether the lists show other resources than before, or in another order, or the files of
    /// another folder. What is in a folder is not looked at.
    pub(super) fn differs(&self, before: &Self) -> bool {
        let all = self.in_order.iter().map(|resource| stands_for(resource));
        let known = before.in_order.iter();
        !all.eq(known.map(|resource| stands_for(resource)))
    }

    /// The resources that are not what they were, or were not, or are no more.
    pub(super) fn changed(&self, before: &Self) -> Vec<Arc<Resource>> {
        let is_same = |resource: &Resource, other: &Self| {
            let same = other.set.get(resource.key());
            same.is_some_and(|same| same.component.definition() == resource.definition())
        };
        let changed = self.in_order.iter().filter(|new| !is_same(new, before));
        let gone = before.in_order.iter();
        let gone = gone.filter(|old| self.set.get(old.key()).is_none());
        changed.chain(gone).cloned().collect()
    }

    /// Whether a variable is completed from the files of its folder.
    pub(super) fn completes_paths(entry: &Entry<Resource>) -> bool {
        listing(entry).is_some()
    }

    /// A page of `resources/templates/list`.
    pub(super) fn template_page(&self, cursor: Option<&str>) -> Result<Answer, OpError> {
        self.template_list.page(cursor)
    }

    /// A page of `resources/list`.
    pub(super) async fn page(&self, face: &Face, cursor: Option<&str>) -> Result<Answer, OpError> {
        if let Some(list) = &self.list {
            return list.page(cursor);
        }
        let mut files: Vec<Vec<ResourceDeclaration>> = Vec::new();
        for resource in &self.in_order {
            files.push(match self.set.get(resource.key()).and_then(listing) {
                Some((action, spec)) => listed(resource, action, spec).await,
                None => Vec::new(),
            });
        }
        // A URI is shown once: an exact resource is what answers for it.
        let mut seen: HashSet<&str> = HashSet::new();
        let exact = self
            .in_order
            .iter()
            .filter(|resource| resource.template.is_none());
        seen.extend(exact.map(|resource| resource.declaration.uri.as_str()));
        let mut all: Vec<(&str, &ResourceDeclaration)> = Vec::new();
        for (resource, files) in self.in_order.iter().zip(&files) {
            if resource.template.is_none() {
                all.push(shown(resource));
            }
            let files = files.iter().filter(|file| seen.insert(&file.uri));
            // A file that is written to is still the same entry of the list.
            all.extend(files.map(|file| (file.uri.as_str(), file)));
        }
        self.pager
            .page(LIST, all.into_iter(), cursor, |page, next| {
                face.resources_page(page, next, self.cache)
            })
    }

    fn cache(&self, resource: &Resource) -> Cache {
        let cache = resource.cache.unwrap_or(self.cache);
        match resource.per_caller {
            true => Cache {
                scope: CacheScope::Private,
                ..cache
            },
            false => cache,
        }
    }
}

/// What seals the cursors of `resources/list`.
const LIST: &str = "resources";

fn shown(resource: &Arc<Resource>) -> (&str, &ResourceDeclaration) {
    (resource.fingerprint(), &resource.declaration)
}

/// What makes a resource stand in the lists as it does: its fingerprint, and which files of which
/// folder it lists.
fn stands_for(resource: &Resource) -> (&str, Option<(&Path, &ListingSpec)>) {
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

impl Runtime {
    /// What a resource holds.
    pub(super) async fn read_resource(
        &self,
        uri: String,
        request: Request<'_>,
    ) -> Result<Answer, OpError> {
        if outputs::is_output(&uri) {
            return self.read_output(uri);
        }
        let Ok(parsed) = Uri::parse(&uri) else {
            return Err(OpError::ResourceNotFound(uri));
        };
        let (entry, bound) = self.resources.route(&parsed)?;
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
                let cache = self.resources.cache(resource);
                let refused = resource::refused(resource, &uri, &scope, cache);
                return refused.map(Answer::Resource);
            }
        };
        let call = async {
            let read = self.read(entry, &uri, &scope, request).await?;
            Ok(Answer::Resource(read))
        };
        wrapped(entry, &scope, "", call.boxed()).await
    }

    /// What is kept of a long output. A part of it is for the caller who was told where.
    fn read_output(&self, uri: String) -> Result<Answer, OpError> {
        let Some(part) = self.outputs.read(&uri) else {
            return Err(OpError::ResourceNotFound(uri));
        };
        let content = ResourceContent {
            uri,
            mime_type: matches!(part.payload, Payload::Text(_)).then(|| "text/plain".to_owned()),
            payload: part.payload,
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
        scope: &Scope,
        request: Request<'_>,
    ) -> Result<ResourceOutcome, OpError> {
        let resource = &*entry.component;
        let output = match &entry.action {
            None => None,
            Some(action) => match action.read(self.call(resource, scope, request)).await {
                Ok(output) => Some(output),
                Err(NotRead::NotFound) => return Err(OpError::ResourceNotFound(uri.to_owned())),
                Err(NotRead::Failed(Failure(text))) => return Err(OpError::Failed(text)),
            },
        };
        let cache = self.resources.cache(resource);
        resource::contents(resource, uri, scope, output, cache)
    }
}

//! The files of resources that are watched.

use super::Runtime;
use super::resources::is_name;
use crate::model::{ActionSpec, Component as _, FileSpec, ListingSpec, Resource};
use std::path::PathBuf;
use std::sync::Arc;

/// What is watched for one resource.
#[derive(Clone, Debug)]
pub enum Watched {
    /// One file.
    File {
        /// What the resource is found by.
        key: String,
        /// The file.
        path: PathBuf,
        /// The URI whose readers are told.
        uri: String,
    },
    /// The listed files of a folder and of those below it.
    Folder {
        /// The resource.
        resource: Arc<Resource>,
        /// The folder.
        root: PathBuf,
        /// Which files.
        listing: ListingSpec,
    },
}

impl Watched {
    fn of(resource: &Arc<Resource>) -> Option<Self> {
        let Some(ActionSpec::File(spec)) = resource.action() else {
            return None;
        };
        let FileSpec {
            root,
            path,
            listing,
            watch: true,
            ..
        } = &**spec
        else {
            return None;
        };
        match (listing, path.literal()) {
            (Some(listing), _) => Some(Self::Folder {
                resource: Arc::clone(resource),
                root: root.clone(),
                listing: listing.clone(),
            }),
            (None, Some(path)) => Some(Self::File {
                key: resource.key.clone(),
                path: root.join(path),
                uri: resource.declaration.uri.clone(),
            }),
            (None, None) => None,
        }
    }

    /// What tells it from the others.
    pub fn key(&self) -> &str {
        match self {
            Self::File { key, .. } => key,
            Self::Folder { resource, .. } => resource.key(),
        }
    }

    /// The scopes that a caller needs to be shown the files of a folder.
    pub fn scopes(&self) -> Arc<[String]> {
        match self {
            Self::File { .. } => Arc::default(),
            Self::Folder { resource, .. } => Arc::clone(resource.scopes()),
        }
    }

    /// Whether names that begin with a dot are listed.
    pub fn shows_hidden(&self) -> bool {
        match self {
            Self::File { .. } => true,
            Self::Folder { listing, .. } => listing.glob.shows_hidden(),
        }
    }

    /// The URI of the file at this path below the root; `None` when it is not listed.
    pub fn uri_of(&self, path: &str) -> Option<String> {
        match self {
            Self::File { .. } => None,
            Self::Folder {
                resource, listing, ..
            } => {
                let listed = listing.glob.matches(path).then_some(path)?;
                let value = listing.value(listed)?;
                if resource.plain.contains(&listing.variable) && !is_name(value) {
                    return None;
                }
                let template = resource.template.as_ref()?;
                template.expand(|name| (name == listing.variable).then_some(value))
            }
        }
    }
}

impl Runtime {
    /// Whether any file is watched.
    pub fn watches(&self) -> bool {
        !self.watched().is_empty()
    }

    /// The files that are watched.
    pub fn watched(&self) -> Vec<Watched> {
        let resources = self.resources.set.in_order();
        resources.filter_map(Watched::of).collect()
    }
}

//! The files of resources that are watched.

use super::Runtime;
use super::resources::is_name;
use crate::model::{ActionSpec, Component as _, ListingSpec, Resource};
use std::path::PathBuf;
use std::sync::Arc;

/// A resource whose files are watched.
#[derive(Clone, Debug)]
pub struct Watched {
    /// The resource.
    pub resource: Arc<Resource>,
    /// The folder that its files are in.
    pub root: PathBuf,
    /// Which files.
    pub files: WatchedFiles,
}

/// Which files of a folder are watched.
#[derive(Clone, Debug)]
pub enum WatchedFiles {
    /// The one at this path below the folder.
    One(String),
    /// The one at this path, wherever links lead: its author named it.
    Named(String),
    /// Those that are listed, also of the folders in it.
    Listed(ListingSpec),
}

impl Watched {
    fn of(resource: &Arc<Resource>) -> Option<Self> {
        let Some(ActionSpec::File(spec)) = resource.action() else {
            return None;
        };
        let files = match (&spec.listing, spec.path.literal()) {
            _ if !spec.watch => return None,
            (Some(listing), _) => WatchedFiles::Listed(listing.clone()),
            (None, Some(path)) if spec.literal_path => WatchedFiles::Named(path.to_owned()),
            (None, Some(path)) => WatchedFiles::One(path.to_owned()),
            (None, None) => return None,
        };
        Some(Self {
            resource: Arc::clone(resource),
            root: spec.root.clone(),
            files,
        })
    }

    /// The variable's value that leads to the listed file at this path below the folder; `None` when
    /// no URI does.
    pub fn value<'p>(&self, path: &'p str) -> Option<&'p str> {
        let WatchedFiles::Listed(listing) = &self.files else {
            return None;
        };
        listed_value(&self.resource, listing, path)
    }
}

/// The variable's value that leads to the file at this path below the folder; `None` when no URI
/// does.
pub(super) fn listed_value<'p>(
    resource: &Resource,
    listing: &ListingSpec,
    path: &'p str,
) -> Option<&'p str> {
    let is_plain = resource.plain.contains(&listing.variable);
    let value = listing.value(path)?;
    (!is_plain || is_name(value)).then_some(value)
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

//! A folder of one manifest, in memory where there is such a file system.

use snodo::manifest::environment::Environment;
use snodo::manifest::settings::{self, Asked};
use snodo::model::Settings;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use tempfile::TempDir;

/// The environment that manifests see.
pub fn environment() -> Environment {
    Environment::of_process()
}

/// The settings that serve a folder.
pub fn settings(manifests: &Path) -> Settings {
    let asked = Asked {
        config: None,
        paths: vec![manifests.to_owned()],
        set: Vec::new(),
    };
    let (settings, found) = settings::load(&asked, &environment());
    settings.unwrap_or_else(|| panic!("{found:?}"))
}

/// A folder of one manifest.
pub struct Folder {
    path: PathBuf,
    settings: Settings,
    _folder: TempDir,
}

impl Folder {
    /// The folder of this process.
    pub fn get() -> &'static Self {
        static FOLDER: OnceLock<Folder> = OnceLock::new();
        FOLDER.get_or_init(|| {
            let base = ["/dev/shm", "/tmp"];
            let base = base.into_iter().find(|base| Path::new(base).is_dir());
            let folder = tempfile::tempdir_in(base.unwrap_or(".")).expect("a folder");
            Self {
                settings: settings(folder.path()),
                path: folder.path().join("a.toml"),
                _folder: folder,
            }
        })
    }

    /// Makes this text the manifest.
    pub fn write(&self, text: &str) {
        std::fs::write(&self.path, text).expect("a manifest");
    }

    /// The settings that serve it.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }
}

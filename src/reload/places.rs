//! What a load depends on, as entries of folders: the ones whose change is worth a look.
//!
//! A path is looked up name by name, and each link on the way is an entry of its own that may be
//! pointed elsewhere: `manifests -> releases/7`, or a ConfigMap's `..data`. So every link is named
//! here, the last name too, and a folder of manifests with all that is in it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

/// Links followed for one path, as the kernel does (path_resolution(7)).
const MAX_LINKS: usize = 40;

/// Folders by their real path, each with the entries in it that matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Places(BTreeMap<PathBuf, Names>);

/// The entries of one folder that matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Names {
    /// The folder is searched for manifests.
    tree: bool,
    /// Everything in it matters.
    all: bool,
    /// These entries.
    named: BTreeSet<OsString>,
}

/// What happened to an entry, as far as it makes a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// It came, went, or was made accessible: it may be a folder.
    Entry,
    /// Its bytes.
    Content,
}

impl Places {
    /// Adds everything that the meaning of this path depends on.
    pub(super) fn path(&mut self, path: &Path) {
        self.resolve(path);
    }

    /// Adds a folder that is searched, and everything that the meaning of its path depends on.
    pub(super) fn tree(&mut self, folder: &Path) {
        if let Some(real) = self.resolve(folder) {
            self.0.entry(real).or_default().tree = true;
        }
    }

    /// Adds a folder all of whose entries matter, and everything that the meaning of its path depends
    /// on.
    pub(super) fn everything_in(&mut self, folder: &Path) {
        if let Some(real) = self.resolve(folder) {
            self.0.entry(real).or_default().all = true;
        }
    }

    /// The folders.
    pub(super) fn folders(&self) -> impl Iterator<Item = (&Path, &Names)> {
        self.0.iter().map(|(path, names)| (path.as_path(), names))
    }

    /// The real path, as far as there is something at each step. The last name and the links are
    /// taken up; a folder on the way that is no link is not: it would bring every event of `/` or
    /// `/etc`, and whether it still is the same can be asked now and then.
    fn resolve(&mut self, path: &Path) -> Option<PathBuf> {
        let path = std::path::absolute(path).ok()?;
        let mut real = PathBuf::from("/");
        let mut rest = parts(&path);
        let mut links = 0;
        while let Some(part) = rest.pop() {
            if part == ".." {
                real.pop();
                continue;
            }
            let next = real.join(&part);
            // What is there and no link is an invalid argument (readlink(2)).
            let (target, missing) = match std::fs::read_link(&next) {
                Ok(target) => (Some(target), false),
                Err(error) => (None, error.kind() != io::ErrorKind::InvalidInput),
            };
            if target.is_some() || missing || rest.is_empty() {
                let names = self.0.entry(real.clone()).or_default();
                names.named.insert(part);
            }
            if missing {
                return None;
            }
            match target {
                None => real = next,
                Some(target) => {
                    links += 1;
                    if links > MAX_LINKS {
                        return None;
                    }
                    if target.is_absolute() {
                        real = PathBuf::from("/");
                    }
                    rest.extend(parts(&target));
                }
            }
        }
        Some(real)
    }
}

/// The names of a path, the first last.
fn parts(path: &Path) -> Vec<OsString> {
    let names = path.components().rev().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
    });
    names.collect()
}

impl Names {
    /// Whether a change of this entry is worth a look. In a folder of manifests that is any that
    /// may be a manifest or a folder; what an editor keeps beside the file is neither.
    pub(super) fn concern(&self, name: &OsStr, change: Change) -> bool {
        let hidden = matches!(name.as_bytes().first(), Some(b'.' | b'_'));
        let content = change == Change::Entry || name.as_bytes().ends_with(b".toml");
        self.all || self.named.contains(name) || (self.tree && !hidden && content)
    }

    /// Adds those of another folder that turned out to be this one.
    pub(super) fn merge(&mut self, other: &Self) {
        self.tree |= other.tree;
        self.all |= other.all;
        self.named.extend(other.named.iter().cloned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    struct Ground {
        _dir: tempfile::TempDir,
        top: PathBuf,
    }

    impl Ground {
        fn new() -> Self {
            let dir = tempfile::tempdir().unwrap();
            let top = dir.path().canonicalize().unwrap();
            Self { _dir: dir, top }
        }

        /// `folder: name name` for each folder below the top, `*` for one that is searched.
        fn shown(&self, places: &Places) -> Vec<String> {
            let below = |(path, names): (&Path, &Names)| {
                let path = path.strip_prefix(&self.top).ok()?;
                let named = names.named.iter().map(|name| name.to_string_lossy());
                let mut words: Vec<_> = named.collect();
                words.extend(names.tree.then_some("*".into()));
                Some(format!("{}: {}", path.display(), words.join(" ")))
            };
            places.folders().filter_map(below).collect()
        }
    }

    #[test]
    fn the_last_name_counts_and_folders_on_the_way_do_not() {
        let ground = Ground::new();
        fs::create_dir_all(ground.top.join("a/b/m")).unwrap();
        let mut places = Places::default();
        places.path(&ground.top.join("a/b/m/x.toml"));
        places.tree(&ground.top.join("a/b/m"));
        assert_eq!(ground.shown(&places), ["a/b: m", "a/b/m: x.toml *"]);
    }

    #[test]
    fn every_link_on_the_way_counts() {
        let ground = Ground::new();
        fs::create_dir_all(ground.top.join("releases/7/m")).unwrap();
        symlink("releases/7", ground.top.join("current")).unwrap();
        symlink(ground.top.join("current/m"), ground.top.join("m")).unwrap();
        let mut places = Places::default();
        places.tree(&ground.top.join("m"));
        let shown = [": current m", "releases/7: m", "releases/7/m: *"];
        assert_eq!(ground.shown(&places), shown);
    }

    #[test]
    fn a_config_map() {
        let ground = Ground::new();
        fs::create_dir_all(ground.top.join("..2026_01")).unwrap();
        fs::write(ground.top.join("..2026_01/x.toml"), "").unwrap();
        symlink("..2026_01", ground.top.join("..data")).unwrap();
        symlink("..data/x.toml", ground.top.join("x.toml")).unwrap();
        let mut places = Places::default();
        places.tree(&ground.top);
        places.path(&ground.top.join("x.toml"));
        assert_eq!(
            ground.shown(&places),
            [": ..data x.toml *", "..2026_01: x.toml"]
        );
    }

    #[test]
    fn what_is_missing_is_waited_for_where_it_would_come() {
        let ground = Ground::new();
        fs::create_dir(ground.top.join("a")).unwrap();
        symlink("../gone/../b", ground.top.join("a/link")).unwrap();
        let mut places = Places::default();
        places.tree(&ground.top.join("a/b/c"));
        places.path(&ground.top.join("a/link/x"));
        assert_eq!(ground.shown(&places), [": gone", "a: b link"]);
    }

    #[test]
    fn a_circle_of_links_ends() {
        let ground = Ground::new();
        symlink("two", ground.top.join("one")).unwrap();
        symlink("one", ground.top.join("two")).unwrap();
        let mut places = Places::default();
        places.tree(&ground.top.join("one/m"));
        assert_eq!(ground.shown(&places), [": one two"]);
    }

    #[test]
    fn litter_does_not_matter() {
        let mut names = Names {
            all: false,
            tree: true,
            named: [OsString::from("..data")].into(),
        };
        let concern = |names: &Names, name: &str, change| names.concern(OsStr::new(name), change);
        for (name, entry, content) in [
            ("x.toml", true, true),
            ("folder", true, false),
            ("x.toml~", true, false),
            (".x.toml.swp", false, false),
            ("_x.toml", false, false),
            ("..data", true, true),
        ] {
            assert_eq!(concern(&names, name, Change::Entry), entry, "{name}");
            assert_eq!(concern(&names, name, Change::Content), content, "{name}");
        }
        names.tree = false;
        assert!(!concern(&names, "x.toml", Change::Entry));
        assert!(concern(&names, "..data", Change::Entry));
    }
}

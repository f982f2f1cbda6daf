//! The watch over a system that does as it is told.

use super::*;
use notify::event::{CreateKind, DataChange, Flag, RemoveKind, RenameMode};
use notify::{Config, EventHandler, WatcherKind};
use std::fs;

/// A system that watches at most so many folders.
struct Fake {
    watched: HashSet<PathBuf>,
    most: usize,
}

impl Watcher for Fake {
    fn new<F: EventHandler>(_: F, _: Config) -> notify::Result<Self> {
        Ok(Self::of(usize::MAX))
    }

    fn watch(&mut self, path: &Path, mode: RecursiveMode) -> notify::Result<()> {
        assert_eq!(mode, RecursiveMode::NonRecursive);
        if self.watched.len() == self.most {
            return Err(notify::Error::new(notify::ErrorKind::MaxFilesWatch));
        }
        self.watched.insert(path.to_owned());
        Ok(())
    }

    fn unwatch(&mut self, path: &Path) -> notify::Result<()> {
        let known = self.watched.remove(path);
        known
            .then_some(())
            .ok_or_else(notify::Error::watch_not_found)
    }

    fn kind() -> WatcherKind {
        WatcherKind::NullWatcher
    }
}

impl Fake {
    fn of(most: usize) -> Self {
        Self {
            watched: HashSet::new(),
            most,
        }
    }
}

type Tell = Box<dyn FnMut(notify::Result<Event>) + Send>;

fn settings(watch: bool, poll: Option<Duration>) -> ReloadSettings {
    ReloadSettings {
        watch,
        poll,
        debounce: Duration::from_millis(100),
    }
}

/// A watch on a system that watches `most` folders, and the way to tell it of events.
fn watch(most: usize) -> (Watch<Fake>, Tell) {
    let mut tell = None;
    let watch = Watch::with(&settings(true, None), |told| {
        tell = Some(told);
        Ok(Fake::of(most))
    });
    (watch, tell.unwrap())
}

/// A folder with the folder `m`, which is searched.
fn ground() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let m = dir.path().canonicalize().unwrap().join("m");
    fs::create_dir(&m).unwrap();
    (dir, m)
}

fn tree(folder: &Path) -> Places {
    let mut places = Places::default();
    places.tree(folder);
    places
}

fn told_of(watch: &mut Watch<Fake>) -> bool {
    watch.events.try_recv().is_ok()
}

fn event(kind: EventKind, path: impl Into<PathBuf>) -> notify::Result<Event> {
    Ok(Event::new(kind).add_path(path.into()))
}

const CREATED: EventKind = EventKind::Create(CreateKind::File);
const WRITTEN: EventKind = EventKind::Modify(ModifyKind::Data(DataChange::Any));

#[tokio::test]
async fn a_system_without_events_is_looked_at_by_the_clock() {
    let refused = |_: Tell| Err(notify::Error::new(notify::ErrorKind::MaxFilesWatch));
    let watch = Watch::<Fake>::with(&settings(true, None), refused);
    assert_eq!(watch.poll.as_ref().unwrap().period(), FALLBACK_POLL);
    assert!(watch.is_on());
}

#[tokio::test]
async fn without_watching_nothing_makes_it_look() {
    for poll in [None, Some(Duration::from_secs(1))] {
        let never = |_: Tell| panic!("no watcher is wanted");
        let watch = Watch::<Fake>::with(&settings(false, poll), never);
        assert!(!watch.is_on() && watch.check.is_none());
    }
}

#[tokio::test]
async fn asked_to_poll_it_does_not_watch() {
    let every = Duration::from_millis(70);
    let never = |_: Tell| panic!("no watcher is wanted");
    let mut watch = Watch::<Fake>::with(&settings(true, Some(every)), never);
    assert_eq!(watch.poll.as_ref().unwrap().period(), every);
    assert_eq!(watch.triggered().await, Trigger::Files);
    assert!(!watch.follow(&tree(Path::new("/"))));
}

#[tokio::test]
async fn folders_the_system_will_not_watch_are_looked_at_by_the_clock() {
    let (_dir, m) = ground();
    let (mut watch, _tell) = watch(1);
    assert!(watch.follow(&tree(&m)), "one of the two is watched");
    assert_eq!(watch.poll.as_ref().unwrap().period(), FALLBACK_POLL);
    assert!(!watch.follow(&tree(&m)), "nothing is new the second time");
}

#[tokio::test]
async fn what_is_followed_anew_is_looked_at_again() {
    let (_dir, m) = ground();
    let (mut watch, mut tell) = watch(usize::MAX);
    assert!(watch.follow(&tree(&m)));
    assert!(!watch.follow(&tree(&m)));
    // Another folder of the name.
    fs::rename(&m, m.with_file_name("old")).unwrap();
    fs::create_dir(&m).unwrap();
    assert!(watch.has_moved());
    assert!(watch.follow(&tree(&m)));
    assert!(!watch.has_moved());
    // The same folder as far as device and inode tell, and still its watch is gone.
    let sub = m.join("sub");
    fs::create_dir(&sub).unwrap();
    let mut places = tree(&m);
    places.tree(&sub);
    assert!(watch.follow(&places));
    for kind in [
        EventKind::Remove(RemoveKind::Folder),
        EventKind::Modify(ModifyKind::Name(RenameMode::From)),
    ] {
        tell(event(kind, &m));
        assert!(told_of(&mut watch));
        assert!(watch.follow(&places));
        assert!(watch.watcher.as_ref().unwrap().watched.contains(&sub));
        assert!(!watch.follow(&places));
    }
}

#[tokio::test]
async fn what_is_wanted_no_more_is_not_watched() {
    let (_dir, m) = ground();
    let (mut watch, mut tell) = watch(usize::MAX);
    watch.follow(&tree(&m));
    watch.follow(&tree(m.parent().unwrap()));
    assert!(!watch.watcher.as_ref().unwrap().watched.contains(&m));
    tell(event(WRITTEN, m.join("a.toml")));
    assert!(!told_of(&mut watch));
}

#[tokio::test]
async fn two_names_of_one_folder_have_one_watch() {
    let (_dir, m) = ground();
    let (mut watch, mut tell) = watch(usize::MAX);
    // Without a bind mount, two spellings are as near as it gets.
    let mut places = tree(&m);
    places.path(&m.join("../m/./x"));
    watch.follow(&places);
    assert_eq!(watch.following.len(), 2, "the folder above, and m");
    tell(event(CREATED, m.join("x")));
    assert!(told_of(&mut watch));
}

#[tokio::test]
async fn only_what_matters_makes_it_look() {
    let (_dir, m) = ground();
    let (mut watch, mut tell) = watch(usize::MAX);
    watch.follow(&tree(&m));
    let read = EventKind::Access(notify::event::AccessKind::Any);
    for (kind, path, expected) in [
        (CREATED, m.join("a.toml"), true),
        (WRITTEN, m.join("a.toml"), true),
        (read, m.join("a.toml"), false),
        (CREATED, m.join(".a.toml.swp"), false),
        (CREATED, m.join("folder"), true),
        (WRITTEN, m.join("log.txt"), false),
        (CREATED, m.with_file_name("other"), false),
        (CREATED, m.clone(), true),
        (CREATED, PathBuf::from("/elsewhere/a.toml"), false),
    ] {
        tell(event(kind, &path));
        assert_eq!(told_of(&mut watch), expected, "{kind:?} {path:?}");
    }
    // What was lost can have been anything.
    tell(Ok(Event::new(EventKind::Other).set_flag(Flag::Rescan)));
    assert!(told_of(&mut watch));
    tell(Err(notify::Error::generic("?")));
    assert!(told_of(&mut watch));
}

#[tokio::test(start_paused = true)]
async fn a_burst_is_waited_out_but_not_for_ever() {
    let (_dir, m) = ground();
    let (mut watch, mut tell) = watch(usize::MAX);
    watch.follow(&tree(&m));
    let (quiet, patience) = (Duration::from_millis(100), Duration::from_secs(1));
    let begin = Instant::now();
    watch.settle(quiet, patience).await;
    assert_eq!(begin.elapsed(), quiet);
    let telling = tokio::spawn(async move {
        loop {
            tell(event(WRITTEN, m.join("a.toml")));
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
    });
    let begin = Instant::now();
    watch.settle(quiet, patience).await;
    assert!(begin.elapsed() >= patience && begin.elapsed() < patience + quiet);
    telling.abort();
}

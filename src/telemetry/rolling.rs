//! Log files that begin anew by the clock, the oldest removed.

use super::queue::Sink;
use super::{FileLog, LogError, Rotate};
use rustix::fs::OFlags;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// The file that is written now. Several processes may share a folder: each batch of lines is
/// appended by itself.
pub(super) struct RollingFile {
    settings: FileLog,
    now: Box<dyn Fn() -> SystemTime + Send>,
    name: String,
    file: File,
    /// A new file could not be begun, which has been said.
    stuck: bool,
}

impl RollingFile {
    /// Makes the folder when it is missing, opens the current file to append, and removes files
    /// past the number to keep.
    ///
    /// # Errors
    /// [`LogError::Directory`], [`LogError::File`].
    pub(super) fn open(settings: &FileLog) -> Result<Self, LogError> {
        Self::open_at(settings, Box::new(SystemTime::now))
    }

    fn open_at(
        settings: &FileLog,
        now: Box<dyn Fn() -> SystemTime + Send>,
    ) -> Result<Self, LogError> {
        let dir = &settings.dir;
        make_folder(dir).map_err(|source| LogError::Directory {
            dir: dir.clone(),
            source,
        })?;
        let name = file_name(settings.rotate, now());
        let path = dir.join(&name);
        let file = open(&path).map_err(|source| LogError::File { path, source })?;
        prune(settings, &name);
        Ok(Self {
            settings: settings.clone(),
            now,
            name,
            file,
            stuck: false,
        })
    }

    /// Turns to a new file when it is time, or when the current one has been moved away.
    fn turn(&mut self) {
        let name = file_name(self.settings.rotate, (self.now)());
        if name == self.name && self.is_in_place() {
            return;
        }
        let path = self.settings.dir.join(&name);
        match make_folder(&self.settings.dir).and_then(|()| open(&path)) {
            Ok(file) => {
                self.file = file;
                self.stuck = false;
                if name != self.name {
                    self.name = name;
                    prune(&self.settings, &self.name);
                }
            }
            Err(error) => {
                // Lines go on into the old file; the next batch tries again.
                if !std::mem::replace(&mut self.stuck, true) {
                    tracing::error!(%error, "cannot begin the log file {}", path.display());
                }
            }
        }
    }

    fn is_in_place(&self) -> bool {
        let identity = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
        let ours = self.file.metadata().map(identity);
        let there = fs::symlink_metadata(self.settings.dir.join(&self.name)).map(identity);
        matches!((ours, there), (Ok(ours), Ok(there)) if ours == there)
    }
}

impl Sink for RollingFile {
    fn put(&mut self, lines: &[u8]) -> io::Result<()> {
        self.turn();
        self.file.write_all(lines)
    }
}

fn make_folder(dir: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o750).create(dir)
}

fn open(path: &Path) -> io::Result<File> {
    // A link could lead to stdout or to another's file, a FIFO would wait for its reader.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = OpenOptions::new()
        .append(true)
        .create(true)
        .mode(0o640)
        .custom_flags(flags.bits().cast_signed())
        .open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    Ok(file)
}

const PREFIX: &str = "snodo.";
const SUFFIX: &str = ".log";

fn file_name(rotate: Rotate, now: SystemTime) -> String {
    let since = now.duration_since(UNIX_EPOCH).unwrap_or_default();
    let hours = since.as_secs() / 3600;
    let (year, month, day) = date(hours / 24);
    let date = format!("{year:04}-{month:02}-{day:02}");
    match rotate {
        Rotate::Daily => format!("{PREFIX}{date}{SUFFIX}"),
        Rotate::Hourly => format!("{PREFIX}{date}-{:02}{SUFFIX}", hours % 24),
        Rotate::Never => "snodo.log".to_owned(),
    }
}

/// Year, month and day of a day since 1970-01-01, in the Gregorian calendar. Years are counted
/// from March, so that the leap day comes last, and in cycles of 400.
fn date(days: u64) -> (u64, u64, u64) {
    const DAYS_TO_1970: u64 = 719_468;
    const CYCLE: u64 = 146_097;
    let days = days + DAYS_TO_1970;
    let (cycle, of_cycle) = (days / CYCLE, days % CYCLE);
    let year = (of_cycle - of_cycle / 1460 + of_cycle / 36_524 - of_cycle / 146_096) / 365;
    let of_year = of_cycle - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (year, month) = if month < 10 {
        (year, month + 3)
    } else {
        (year + 1, month - 9)
    };
    (cycle * 400 + year, month, day)
}

/// Removes all but the newest `keep` files. A file that cannot be removed is left for next time.
fn prune(settings: &FileLog, current: &str) {
    let Ok(entries) = fs::read_dir(&settings.dir) else {
        return;
    };
    let mut old: Vec<PathBuf> = entries
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
        .filter(|entry| {
            entry
                .file_name()
                .to_str()
                .is_some_and(|name| name != current && is_ours(name))
        })
        .map(|entry| entry.path())
        .collect();
    // Names sort by time.
    old.sort_unstable();
    let keep = settings.keep.max(1) - 1;
    let surplus = old.len().saturating_sub(keep);
    for path in old.iter().take(surplus) {
        if let Err(error) = fs::remove_file(path) {
            tracing::warn!(%error, "cannot remove the old log file {}", path.display());
        }
    }
}

/// `snodo.2026-11-03.log` or `snodo.2026-11-03-14.log`, nothing else that may lie there.
fn is_ours(name: &str) -> bool {
    let date = name
        .strip_prefix(PREFIX)
        .and_then(|rest| rest.strip_suffix(SUFFIX));
    date.is_some_and(|date| {
        let parts: Vec<&str> = date.split('-').collect();
        let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
        let digits = parts
            .iter()
            .all(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
        digits && matches!(lengths.as_slice(), [4, 2, 2] | [4, 2, 2, 2])
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;
    use tempfile::TempDir;

    /// 2026-11-03 14:00 UTC, in seconds.
    const THEN: u64 = 1_793_714_400;
    const HOUR: u64 = 3600;

    struct Test {
        folder: TempDir,
        clock: Arc<AtomicU64>,
    }

    impl Test {
        fn new() -> Self {
            Self {
                folder: tempfile::tempdir().unwrap(),
                clock: Arc::new(AtomicU64::new(THEN)),
            }
        }

        fn settings(&self, rotate: Rotate, keep: usize) -> FileLog {
            FileLog {
                dir: self.folder.path().join("logs"),
                rotate,
                keep,
            }
        }

        fn open(&self, rotate: Rotate, keep: usize) -> RollingFile {
            let clock = Arc::clone(&self.clock);
            let now = move || UNIX_EPOCH + Duration::from_secs(clock.load(Ordering::Relaxed));
            RollingFile::open_at(&self.settings(rotate, keep), Box::new(now)).unwrap()
        }

        fn pass(&self, seconds: u64) {
            self.clock.fetch_add(seconds, Ordering::Relaxed);
        }

        fn path(&self, name: &str) -> PathBuf {
            self.folder.path().join("logs").join(name)
        }

        /// Each file with its text.
        fn files(&self) -> Vec<String> {
            let entries = fs::read_dir(self.path("")).unwrap();
            let mut files: Vec<String> = entries
                .map(|entry| entry.unwrap())
                .map(|entry| {
                    let text = fs::read_to_string(entry.path()).unwrap_or_default();
                    format!("{} {text}", entry.file_name().display())
                })
                .collect();
            files.sort();
            files
        }
    }

    #[test]
    fn names() {
        let name = |rotate, seconds| file_name(rotate, UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(name(Rotate::Daily, THEN), "snodo.2026-11-03.log");
        assert_eq!(name(Rotate::Hourly, THEN), "snodo.2026-11-03-14.log");
        assert_eq!(name(Rotate::Never, THEN), "snodo.log");
        assert_eq!(name(Rotate::Hourly, THEN - 1), "snodo.2026-11-03-13.log");
        let before = file_name(Rotate::Daily, UNIX_EPOCH - Duration::from_secs(1));
        assert_eq!(before, "snodo.1970-01-01.log");
    }

    #[test]
    fn dates() {
        for (days, expected) in [
            (0, (1970, 1, 1)),
            (58, (1970, 2, 28)),
            (59, (1970, 3, 1)),
            (11_016, (2000, 2, 29)),
            (11_017, (2000, 3, 1)),
            (20_088, (2024, 12, 31)),
            (20_089, (2025, 1, 1)),
            (21_243, (2028, 2, 29)),
            (47_541, (2100, 3, 1)),
            (47_540, (2100, 2, 28)),
        ] {
            assert_eq!(date(days), expected, "{days}");
        }
    }

    #[test]
    fn a_new_file_a_day_and_the_oldest_go() {
        let test = Test::new();
        let mut log = test.open(Rotate::Daily, 2);
        for line in ["one\n", "two\n", "three\n", "four\n"] {
            log.put(line.as_bytes()).unwrap();
            test.pass(12 * HOUR);
        }
        // Opened at 14:00: two lines a day. Nothing is written on the last.
        let expected = [
            "snodo.2026-11-04.log two\nthree\n",
            "snodo.2026-11-05.log four\n",
        ];
        assert_eq!(test.files(), expected);
    }

    #[test]
    fn a_restart_goes_on_in_the_same_file() {
        let test = Test::new();
        test.open(Rotate::Hourly, 1).put(b"one\n").unwrap();
        test.pass(HOUR - 1);
        test.open(Rotate::Hourly, 1).put(b"two\n").unwrap();
        assert_eq!(test.files(), ["snodo.2026-11-03-14.log one\ntwo\n"]);
        test.pass(1);
        test.open(Rotate::Hourly, 0).put(b"three\n").unwrap();
        assert_eq!(test.files(), ["snodo.2026-11-03-15.log three\n"]);
    }

    #[test]
    fn other_files_are_not_touched() {
        let test = Test::new();
        drop(test.open(Rotate::Daily, 1));
        let others = [
            "snodo.log",
            "snodo.2026.log",
            "snodo.2020-01-01.log.gz",
            "snodo.2020-01-01-1.log",
            "snodo.notes.log",
            "other.2020-01-01.log",
            "snodo.20x0-01-01.log",
        ];
        for other in others {
            fs::write(test.path(other), "").unwrap();
        }
        fs::write(test.path("snodo.2020-01-01.log"), "").unwrap();
        fs::write(test.path("snodo.2020-01-01-05.log"), "").unwrap();
        fs::create_dir(test.path("snodo.2020-01-02.log")).unwrap();
        drop(test.open(Rotate::Daily, 1));
        let mut expected: Vec<String> = others.iter().map(|name| format!("{name} ")).collect();
        expected.push("snodo.2020-01-02.log ".to_owned());
        expected.push("snodo.2026-11-03.log ".to_owned());
        expected.sort();
        assert_eq!(test.files(), expected);
    }

    #[test]
    fn a_file_moved_away_is_begun_anew() {
        let test = Test::new();
        let mut log = test.open(Rotate::Never, 1);
        log.put(b"one\n").unwrap();
        fs::rename(test.path("snodo.log"), test.path("snodo.log.1")).unwrap();
        log.put(b"two\n").unwrap();
        assert_eq!(test.files(), ["snodo.log two\n", "snodo.log.1 one\n"]);
        fs::remove_dir_all(test.path("")).unwrap();
        log.put(b"three\n").unwrap();
        assert_eq!(test.files(), ["snodo.log three\n"]);
    }

    #[test]
    fn a_file_that_cannot_be_begun_leaves_the_old_one() {
        let test = Test::new();
        let mut log = test.open(Rotate::Hourly, 9);
        fs::create_dir(test.path("snodo.2026-11-03-15.log")).unwrap();
        test.pass(HOUR);
        log.put(b"one\n").unwrap();
        assert_eq!(test.files()[0], "snodo.2026-11-03-14.log one\n");
        fs::remove_dir(test.path("snodo.2026-11-03-15.log")).unwrap();
        log.put(b"two\n").unwrap();
        assert_eq!(test.files()[1], "snodo.2026-11-03-15.log two\n");
    }

    #[test]
    fn owner_and_group_may_read() {
        let test = Test::new();
        drop(test.open(Rotate::Never, 1));
        let mode = |path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(test.path("snodo.log")) & !0o640, 0);
        assert_eq!(mode(test.path("")) & !0o750, 0);
    }

    #[test]
    fn what_is_no_file_is_refused_without_waiting() {
        let test = Test::new();
        drop(test.open(Rotate::Daily, 1));
        let settings = test.settings(Rotate::Never, 1);
        let refusal = || RollingFile::open(&settings).err().unwrap().to_string();
        let path = test.path("snodo.log");
        let begins = format!("cannot write the log file `{}`: ", path.display());

        symlink("/dev/stdout", &path).unwrap();
        assert!(refusal().starts_with(&begins));
        fs::remove_file(&path).unwrap();

        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        let kind = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(rustix::fs::CWD, &path, kind, mode, 0).unwrap();
        assert!(refusal().starts_with(&begins));
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_an_error() {
        let test = Test::new();
        let dir = test.folder.path().join("file/logs");
        fs::write(test.folder.path().join("file"), "").unwrap();
        let settings = FileLog {
            dir: dir.clone(),
            rotate: Rotate::Daily,
            keep: 1,
        };
        let error = RollingFile::open(&settings).err().unwrap().to_string();
        let begins = format!("cannot make the log directory `{}`: ", dir.display());
        assert!(error.starts_with(&begins), "{error}");
    }
}

//! Log files that begin anew by the clock, the oldest removed: `tracing-appender`'s, written to
//! by our own queue's thread.

use super::queue::Sink;
use super::{FileLog, LogError, Rotate};
use std::fs::{self, DirBuilder};
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tracing_appender::rolling::{RollingFileAppender, Rotation};

/// How the names of the two logs begin.
pub(super) const LOG: &str = "snodo";
pub(super) const AUDIT: &str = "audit";
const SUFFIX: &str = "log";

/// The appender takes a limit of one literally when it starts: it removes the very file it then
/// goes on with.
const MIN_KEEP: usize = 2;

/// The file that is written now. Several processes may share a folder: each batch of lines is
/// appended by itself.
pub(super) struct RollingFile(RollingFileAppender);

impl RollingFile {
    /// Makes the folder when it is missing, checks what lies in it, removes files past the number
    /// to keep, and opens the current file to append.
    ///
    /// # Errors
    /// [`LogError::Directory`], [`LogError::Foreign`], [`LogError::NotAFile`], [`LogError::File`].
    pub(super) fn open(settings: &FileLog, prefix: &str) -> Result<Self, LogError> {
        let dir = &settings.dir;
        // Here rather than in the appender, which would let everybody in.
        DirBuilder::new()
            .recursive(true)
            .mode(0o750)
            .create(dir)
            .map_err(|source| settings.directory_error(source))?;
        settings.check(prefix)?;
        let builder = RollingFileAppender::builder()
            .filename_prefix(prefix)
            .filename_suffix(SUFFIX);
        let builder = match settings.rotate {
            Rotate::Daily => builder.rotation(Rotation::DAILY),
            Rotate::Hourly => builder.rotation(Rotation::HOURLY),
            Rotate::Never => builder.rotation(Rotation::NEVER),
        };
        let builder = if settings.removes() {
            builder.max_log_files(settings.keep.max(MIN_KEEP))
        } else {
            builder
        };
        builder
            .build(dir)
            .map(Self)
            .map_err(|source| LogError::File {
                dir: dir.clone(),
                source,
            })
    }
}

impl Sink for RollingFile {
    fn put(&mut self, lines: &[u8]) -> io::Result<()> {
        // What goes wrong while it turns to a new file the appender says with `eprintln!`, which
        // panics when nobody holds the other end of stderr. That comes before the lines are
        // written and not again until the next turn: the old file takes them.
        catch_unwind(AssertUnwindSafe(|| self.0.write_all(lines)))
            .unwrap_or_else(|_| self.0.write_all(lines))
    }
}

impl FileLog {
    /// Whether old files are ever removed. The only file there is without rotation, the one being
    /// written, would be the first to go.
    fn removes(&self) -> bool {
        self.rotate != Rotate::Never
    }

    /// Refuses what the appender would do harm with. It removes any file whose name begins with
    /// the prefix and ends with the suffix, `snodo-notes.log` as well; and it opens whatever has
    /// the current name: a link could lead to stdout, a FIFO waits for its reader.
    fn check(&self, prefix: &str) -> Result<(), LogError> {
        let entries = fs::read_dir(&self.dir).map_err(|source| self.directory_error(source))?;
        for entry in entries {
            let entry = entry.map_err(|source| self.directory_error(source))?;
            let kind = entry
                .file_type()
                .map_err(|source| self.directory_error(source))?;
            let path = entry.path();
            // The appender does not look at names that are not UTF-8.
            let name = entry.file_name();
            let name = name.to_str().unwrap_or_default();
            if is_ours(name, prefix) {
                if !kind.is_file() {
                    return Err(LogError::NotAFile { path });
                }
            } else if self.removes()
                && kind.is_file()
                && name.starts_with(prefix)
                && name.ends_with(SUFFIX)
            {
                return Err(LogError::Foreign { path });
            }
        }
        Ok(())
    }

    fn directory_error(&self, source: io::Error) -> LogError {
        LogError::Directory {
            dir: self.dir.clone(),
            source,
        }
    }
}

/// The names of all three [`Rotate`]s: a folder may have seen another setting.
fn is_ours(name: &str, prefix: &str) -> bool {
    let shape = name.replace(|ch: char| ch.is_ascii_digit(), "0");
    let shape = shape.strip_prefix(prefix);
    shape.is_some_and(|rest| matches!(rest, ".log" | ".0000-00-00.log" | ".0000-00-00-00.log"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::OpenOptions;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::PathBuf;
    use tempfile::TempDir;

    struct Test(TempDir);

    impl Test {
        fn new() -> Self {
            Self(tempfile::tempdir().unwrap())
        }

        /// With the folder made, and empty files in it.
        fn with(names: &[&str]) -> Self {
            let test = Self::new();
            fs::create_dir(test.path("")).unwrap();
            for name in names {
                fs::write(test.path(name), "").unwrap();
            }
            test
        }

        fn settings(&self, rotate: Rotate, keep: usize) -> FileLog {
            FileLog {
                dir: self.path(""),
                rotate,
                keep,
            }
        }

        fn open(&self, rotate: Rotate, keep: usize) -> RollingFile {
            RollingFile::open(&self.settings(rotate, keep), LOG).unwrap()
        }

        fn refusal(&self, rotate: Rotate) -> String {
            let result = RollingFile::open(&self.settings(rotate, 1), LOG);
            result.err().unwrap().to_string()
        }

        fn path(&self, name: &str) -> PathBuf {
            self.0.path().join("logs").join(name)
        }

        fn names(&self) -> Vec<String> {
            let entries = fs::read_dir(self.path("")).unwrap();
            let mut names: Vec<String> = entries
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect();
            names.sort();
            names
        }

        /// The text of all files, in the order of their names.
        fn text(&self) -> String {
            let text = |name: &String| fs::read_to_string(self.path(name)).unwrap();
            self.names().iter().map(text).collect()
        }
    }

    #[test]
    fn names_have_the_date() {
        for (rotate, expected) in [
            (Rotate::Daily, "snodo.0000-00-00.log"),
            (Rotate::Hourly, "snodo.0000-00-00-00.log"),
            (Rotate::Never, "snodo.log"),
        ] {
            let test = Test::new();
            test.open(rotate, 1).put(b"one\n").unwrap();
            let names = test.names();
            let shape = names[0].replace(|ch: char| ch.is_ascii_digit(), "0");
            assert_eq!(shape, expected);
            assert!(is_ours(&names[0], LOG));
            assert_eq!(test.text(), "one\n");
        }
    }

    #[test]
    fn a_restart_goes_on_in_the_same_file() {
        for rotate in [Rotate::Daily, Rotate::Hourly, Rotate::Never] {
            for keep in [0, 1, 2, 3] {
                let test = Test::new();
                test.open(rotate, keep).put(b"one\n").unwrap();
                test.open(rotate, keep).put(b"two\n").unwrap();
                // The hour may change in between.
                assert_eq!(test.text(), "one\ntwo\n", "{rotate:?} {keep}");
            }
        }
    }

    #[test]
    fn only_so_many_are_kept() {
        let old = [
            "snodo.2020-01-01.log",
            "snodo.2020-01-02.log",
            "snodo.2020-01-02-05.log",
            "snodo.log",
        ];
        for (rotate, keep, left) in [
            (Rotate::Daily, 0, 2),
            (Rotate::Daily, 3, 3),
            (Rotate::Hourly, 4, 4),
            (Rotate::Hourly, 5, 5),
            (Rotate::Hourly, 100, 5),
            (Rotate::Never, 1, 4),
        ] {
            let test = Test::with(&old);
            drop(test.open(rotate, keep));
            assert_eq!(test.names().len(), left, "{rotate:?} {keep}");
        }
    }

    #[test]
    fn a_file_that_would_be_removed_though_it_is_no_log_is_said() {
        for foreign in [
            "snodo-notes.log",
            "snodocatalog",
            "snodo.2020-01-01-1.log",
            "snodo.20x0-01-01.log",
        ] {
            let files = ["snodo.2020-01-01.log", "snodo.2020-01-02.log", foreign];
            let test = Test::with(&files);
            let expected = format!(
                "`{}` would be removed with old log files: move it out of the log directory",
                test.path(foreign).display()
            );
            assert_eq!(test.refusal(Rotate::Daily), expected);
            assert_eq!(test.refusal(Rotate::Hourly), expected);
            assert_eq!(test.names().len(), 3);
            // Nothing is ever removed.
            drop(test.open(Rotate::Never, 1));
            assert_eq!(test.names().len(), 4);
        }
    }

    #[test]
    fn other_files_are_not_touched() {
        let others = ["other.2020-01-01.log", "snodo.2020-01-01.log.gz"];
        let test = Test::with(&others);
        fs::create_dir(test.path("snodo-catalog")).unwrap();
        for _ in 0..3 {
            drop(test.open(Rotate::Daily, 1));
        }
        let names = test.names();
        for other in others.into_iter().chain(["snodo-catalog"]) {
            assert!(names.iter().any(|name| name == other), "{names:?}");
        }
    }

    #[test]
    fn what_is_no_file_is_refused_without_waiting() {
        let test = Test::with(&[]);
        let path = test.path("snodo.log");
        let expected = format!("`{}` is not a regular file: remove it", path.display());

        symlink("/dev/stdout", &path).unwrap();
        assert_eq!(test.refusal(Rotate::Never), expected);
        fs::remove_file(&path).unwrap();

        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        let kind = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(rustix::fs::CWD, &path, kind, mode, 0).unwrap();
        assert_eq!(test.refusal(Rotate::Never), expected);
    }

    /// As logrotate's `copytruncate` does it.
    #[test]
    fn a_file_cut_to_nothing_begins_anew() {
        let test = Test::new();
        let mut log = test.open(Rotate::Never, 1);
        log.put(b"one\n").unwrap();
        let mut cut = OpenOptions::new();
        cut.write(true).truncate(true);
        drop(cut.open(test.path("snodo.log")).unwrap());
        log.put(b"two\n").unwrap();
        assert_eq!(test.text(), "two\n");
    }

    #[test]
    fn owner_and_group_may_enter_the_folder() {
        let test = Test::new();
        drop(test.open(Rotate::Never, 1));
        let mode = fs::metadata(test.path("")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777 & !0o750, 0);
    }

    #[test]
    fn a_folder_that_cannot_be_used_is_an_error() {
        let test = Test::new();
        let refusal = |dir: &str| {
            let settings = FileLog {
                dir: test.0.path().join(dir),
                ..test.settings(Rotate::Daily, 1)
            };
            let error = RollingFile::open(&settings, LOG).err().unwrap().to_string();
            error.replace(&format!("{}/", test.0.path().display()), "")
        };
        fs::write(test.0.path().join("file"), "").unwrap();
        assert_eq!(
            refusal("file"),
            "cannot use the log directory `file`: File exists (os error 17)"
        );
        assert_eq!(
            refusal("file/logs"),
            "cannot use the log directory `file/logs`: Not a directory (os error 20)"
        );
        // Not even root may write there.
        let begins = "cannot write log files in the directory `/proc`: failed to create log file: ";
        let error = refusal("/proc");
        assert!(error.starts_with(begins), "{error}");
    }
}

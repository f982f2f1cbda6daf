//! Lines as they are written; and, in processes of their own, what set-up does to a process.

use super::*;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use tracing::{debug, error, info, info_span, trace, warn};

#[derive(Clone, Default)]
struct Buffer(Arc<Mutex<Vec<u8>>>);

impl Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What is written while `body` runs.
fn logged(settings: &LogSettings, body: impl FnOnce()) -> String {
    let buffer = Buffer::default();
    let writer = buffer.clone();
    let make = move || writer.clone();
    let outlet = outlet(settings, make, !settings.journal, settings.color);
    tracing::subscriber::with_default(subscriber(settings, vec![outlet]), body);
    let bytes = buffer.0.lock().unwrap().clone();
    String::from_utf8(bytes).unwrap()
}

fn journal() -> LogSettings {
    LogSettings {
        journal: true,
        ..LogSettings::default()
    }
}

fn json() -> LogSettings {
    LogSettings {
        format: LogFormat::Json,
        ..LogSettings::default()
    }
}

#[test]
fn text_for_the_journal() {
    let settings = LogSettings {
        level: "trace".parse().unwrap(),
        color: true,
        ..journal()
    };
    let text = logged(&settings, || {
        let span = info_span!("request", id = 7, method = "tools/call");
        span.in_scope(|| error!(name = "order", r#type = ?Some(1), "it failed"));
        warn!("two");
        info!(target: "snodo::reload", count = 3, "three");
        debug!("four");
        trace!(only = "fields");
    });
    assert_eq!(
        text,
        r#"<3>ERROR request{id=7 method="tools/call"}: snodo::telemetry::tests: it failed name="order" type=Some(1)
<4> WARN snodo::telemetry::tests: two
<6> INFO snodo::reload: three count=3
<7>DEBUG snodo::telemetry::tests: four
<7>TRACE snodo::telemetry::tests: only="fields"
"#
    );
}

#[test]
fn text_elsewhere_has_the_time() {
    let text = logged(&LogSettings::default(), || info!("hello"));
    let (time, rest) = text.split_once(' ').unwrap();
    assert_eq!(rest, " INFO snodo::telemetry::tests: hello\n");
    let digits = |ch: char| if ch.is_ascii_digit() { '0' } else { ch };
    let shape: String = time.chars().map(digits).collect();
    assert_eq!(shape, "0000-00-00T00:00:00.000000Z");
}

#[test]
fn colours_only_when_asked_for() {
    let settings = LogSettings {
        color: true,
        ..LogSettings::default()
    };
    let text = logged(&settings, || error!("\u{1b}[2J"));
    assert!(text.starts_with("\u{1b}[2m2"), "{text:?}");
    let ending = "Z\u{1b}[0m \u{1b}[31mERROR\u{1b}[0m snodo::telemetry::tests: \\u001b[2J\n";
    assert!(text.ends_with(ending), "{text:?}");
    assert!(!logged(&LogSettings::default(), || error!("x")).contains('\u{1b}'));
}

#[test]
fn a_value_cannot_forge_a_line() {
    let hostile = "a\n<3>ERROR snodo: forged\r\u{1b}[2J\u{9b}\u{2028}";
    let settings = journal();
    let log = || {
        let span = info_span!("request", name = %hostile);
        span.in_scope(
            || info!(display = %hostile, debug = ?hostile, text = hostile, "m {hostile}"),
        );
    };
    let text = logged(&settings, log);
    let shown = r"a\n<3>ERROR snodo: forged\r\u001b[2J\u009b\u2028";
    let begins = format!(
        "<6> INFO request{{name={shown}}}: snodo::telemetry::tests: m {shown} display={shown} "
    );
    assert!(text.starts_with(&begins), "{text:?}");
    assert_eq!(text.lines().count(), 1);
    assert!(
        text.trim_end()
            .chars()
            .all(|ch| !ch.is_control() && ch != '\u{2028}')
    );

    let line = logged(&json(), log);
    assert_eq!(line.lines().count(), 1);
    assert!(
        line.trim_end()
            .chars()
            .all(|ch| !ch.is_control() && ch != '\u{2028}')
    );
    let event: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!(event["fields"]["display"], hostile);
    assert_eq!(event["fields"]["message"], format!("m {hostile}"));
    assert_eq!(event["spans"][0]["fields"]["name"], hostile);
}

#[test]
fn an_error_comes_with_its_causes() {
    let text = logged(&journal(), || {
        let error = LogError::Thread(io::Error::other("none\nleft"));
        let error: &(dyn std::error::Error + 'static) = &error;
        error!(error, "cannot start");
    });
    let expected = "<3>ERROR snodo::telemetry::tests: cannot start \
                    error=cannot start the log writer: none\\nleft: none\\nleft\n";
    assert_eq!(text, expected);
}

#[test]
fn json_is_an_object_a_line() {
    let text = logged(&json(), || {
        let span = info_span!("request", id = 7);
        span.in_scope(|| info!(count = 3, ok = true, "hello"));
        warn!("again");
    });
    let events: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .map(|mut event: serde_json::Value| {
            let time = event["timestamp"].take();
            assert!(time.as_str().unwrap().ends_with('Z'));
            event
        })
        .collect();
    let expected = serde_json::json!([
        {
            "timestamp": null, "level": "INFO", "target": "snodo::telemetry::tests",
            "fields": { "message": "hello", "count": 3, "ok": true },
            "spans": [{ "name": "request", "fields": { "id": 7 } }],
        },
        {
            "timestamp": null, "level": "WARN", "target": "snodo::telemetry::tests",
            "fields": { "message": "again" },
            "spans": [],
        },
    ]);
    assert_eq!(serde_json::Value::from(events), expected);
}

#[test]
fn the_level_decides() {
    let settings = LogSettings {
        level: "warn,snodo::reload=debug".parse().unwrap(),
        ..journal()
    };
    let text = logged(&settings, || {
        info!("no");
        debug!(target: "snodo::reload::watch", "yes");
        trace!(target: "snodo::reload", "no");
    });
    assert_eq!(text, "<7>DEBUG snodo::reload::watch: yes\n");
}

// What follows sets up a whole process. Each test runs one of the functions named `child_…` in a
// process of its own: this test binary, asked for that one function.

fn child(name: &str, args: &[&Path]) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "--ignored", "--nocapture", "--test-threads=1"])
        .arg(format!("telemetry::tests::{name}"))
        .env_remove("RUST_BACKTRACE")
        .env("SNODO_TEST_CHILD", "1")
        .current_dir(args.first().copied().unwrap_or(Path::new(".")));
    command
}

/// False when somebody runs all ignored tests: these functions are not tests by themselves.
#[expect(clippy::disallowed_methods, reason = "set by `child`")]
fn is_child() -> bool {
    std::env::var_os("SNODO_TEST_CHILD").is_some()
}

#[expect(clippy::disallowed_methods, reason = "the test binary itself")]
fn run(mut command: Command) -> (String, String) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr))
}

#[test]
#[ignore = "run by a test"]
fn child_logs() {
    if !is_child() {
        return;
    }
    let settings = LogSettings {
        level: "trace".parse().unwrap(),
        file: Some(FileLog {
            dir: PathBuf::from("logs"),
            rotate: Rotate::Never,
            keep: 3,
        }),
        ..journal()
    };
    let guard = init(&settings).unwrap();
    let second = init(&LogSettings::default()).unwrap_err();
    assert!(matches!(second, LogError::AlreadySet), "{second}");
    info!("before");
    let panicked = std::thread::Builder::new()
        .name("worker".to_owned())
        .spawn(|| panic!("at the disco\nERROR"))
        .unwrap();
    panicked.join().unwrap_err();
    info!("after");
    assert_eq!(guard.dropped().total(), 0);
}

#[test]
fn logs_and_panics_go_to_stderr_and_the_file_only() {
    let folder = tempfile::tempdir().unwrap();
    let (stdout, stderr) = run(child("child_logs", &[folder.path()]));
    let lines: Vec<&str> = stderr.lines().collect();
    assert_eq!(lines[0], "<6> INFO snodo::telemetry::tests: before");
    let begins =
        r#"<3>ERROR snodo::panic: panicked: at the disco\nERROR place="src/telemetry/tests.rs:"#;
    assert!(lines[1].starts_with(begins), "{stderr}");
    assert!(lines[1].ends_with(" thread=\"worker\""), "{stderr}");
    assert_eq!(lines[2], "<6> INFO snodo::telemetry::tests: after");
    assert_eq!(lines.len(), 3, "{stderr}");
    assert!(
        !stdout.contains("INFO") && !stdout.contains("disco"),
        "{stdout}"
    );

    let file = std::fs::read_to_string(folder.path().join("logs/snodo.log")).unwrap();
    let lines: Vec<&str> = file.lines().collect();
    assert_eq!(lines.len(), 3, "{file}");
    assert!(
        lines[0].ends_with("Z  INFO snodo::telemetry::tests: before"),
        "{file}"
    );
}

#[test]
#[ignore = "run by a test"]
fn child_floods() {
    if !is_child() {
        return;
    }
    let guard = init(&LogSettings::default()).unwrap();
    let text = "x".repeat(1000);
    let started = Instant::now();
    for number in 0..20_000 {
        info!(number, "{text}");
    }
    let took = started.elapsed();
    let dropped = guard.dropped().total();
    let started = Instant::now();
    drop(guard);
    let ended = started.elapsed();
    println!("flood {} {dropped} {}", took.as_millis(), ended.as_millis());
}

#[test]
fn a_stderr_that_nobody_reads_holds_nothing_up() {
    let mut command = child("child_floods", &[]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    #[expect(clippy::disallowed_methods, reason = "the test binary itself")]
    let mut child = command.spawn().unwrap();
    let mut stdout = String::new();
    // Ends when the process does, while its stderr is still unread.
    child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut stdout)
        .unwrap();
    assert!(child.wait().unwrap().success(), "{stdout}");
    let line = stdout.lines().find(|line| line.contains("flood ")).unwrap();
    let numbers: Vec<u64> = line
        .split(' ')
        .filter_map(|word| word.parse().ok())
        .collect();
    let [took, dropped, ended] = numbers[..] else {
        panic!("{stdout}");
    };
    // 20 MB into a pipe of 64 KiB and two buffers of 4 MiB.
    assert!((10_000..20_000).contains(&dropped), "{line}");
    assert!(took < 10_000, "{line}");
    assert!((900..5_000).contains(&ended), "{line}");
}

#[test]
#[ignore = "run by a test"]
fn child_without_folder() {
    if !is_child() {
        return;
    }
    let settings = LogSettings {
        file: Some(FileLog {
            dir: PathBuf::from("/proc/snodo"),
            rotate: Rotate::Daily,
            keep: 3,
        }),
        ..LogSettings::default()
    };
    let error = init(&settings).unwrap_err().to_string();
    let begins = "cannot use the log directory `/proc/snodo`: ";
    assert!(error.starts_with(begins), "{error}");
    // Nothing has been set up: another try may.
    let guard = init(&journal()).unwrap();
    info!("set up");
    drop(guard);
}

#[test]
fn a_failed_set_up_leaves_nothing_behind() {
    let (_, stderr) = run(child("child_without_folder", &[]));
    assert_eq!(stderr, "<6> INFO snodo::telemetry::tests: set up\n");
}

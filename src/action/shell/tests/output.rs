//! Ceilings, both pipes at once, text.

use super::*;
use crate::process::Exit;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

/// Resident memory of this process in bytes (`VmRSS` in proc_pid_status(5), given in KiB).
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.unwrap().trim().trim_end_matches(" kB");
    kib.parse::<usize>().unwrap() * 1024
}

#[tokio::test]
async fn a_hundred_megabytes_keep_memory_flat() {
    let before = resident();
    let highest = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&highest);
    let mut pieces = 0_u32;
    let tap: Tap = Box::new(move |_| {
        pieces += 1;
        if pieces.is_multiple_of(64) {
            seen.fetch_max(resident(), Ordering::Relaxed);
        }
    });
    let taps = Taps {
        stdout: Some(tap),
        stderr: None,
    };
    let flood = command(["head", "-c", "100000000", "/dev/zero"]);
    let finished = runner().0.run(flood, taps).await.unwrap();
    assert_eq!(finished.stdout.bytes.len(), 1 << 20);
    assert!(finished.stdout.bytes.capacity() <= 1 << 20);
    assert_eq!(finished.stdout.total, 100_000_000);
    assert!(finished.stdout.truncated());
    assert_eq!(finished.exit, Exit::Code(0));
    // Other tests run beside this one; the flood itself would be a hundred.
    let grown = highest.load(Ordering::Relaxed).saturating_sub(before);
    assert!(grown < 40 << 20, "grew by {grown} bytes");
}

#[tokio::test]
async fn both_pipes_fill_at_once() {
    let text = "head -c 3000000 /dev/zero & head -c 2000000 /dev/zero >&2; wait";
    let finished = finish(script(text, &[])).await;
    assert_eq!(finished.stdout.total, 3_000_000);
    assert_eq!(finished.stderr.total, 2_000_000);
    assert_eq!(finished.stderr.bytes.len(), 1 << 20);
}

#[tokio::test]
async fn input_and_output_flow_at_once() {
    // Neither side can finish before the other when both are larger than their pipes.
    let mut both = input(vec![b'x'; 4_000_000], command(["cat"]));
    (both.max_stdout, both.max_stderr) = (10, 10);
    let finished = finish(both).await;
    assert_eq!(finished.stdout.total, 4_000_000);
    assert_eq!(finished.stdout.bytes, b"xxxxxxxxxx");
}

#[tokio::test]
async fn the_ceiling_is_exact() {
    for (written, ceiling, kept) in [(5, 5, 5), (6, 5, 5), (4, 5, 4), (4, 0, 0), (0, 0, 0)] {
        let mut command = command(["head", "-c", &written.to_string(), "/dev/zero"]);
        (command.max_stdout, command.max_stderr) = (ceiling, ceiling);
        let stdout = finish(command).await.stdout;
        assert_eq!(stdout.bytes.len(), kept);
        assert_eq!(stdout.truncated(), written > ceiling);
    }
}

#[tokio::test]
async fn the_end_of_a_stream_is_kept_beside_its_beginning() {
    let flood = "head -c 100000 /dev/zero | tr '\\0' x; printf 'the last words'";
    let mut all = script(flood, &[]);
    (all.max_stdout, all.max_stderr) = (200_000, 200_000);
    let all = finish(all).await.stdout;
    assert_eq!(all.end(), (all.bytes.as_slice().into(), true));
    for ceiling in [99_990, 90_000, 100, 0] {
        let mut command = script(flood, &[]);
        (command.max_stdout, command.max_stderr) = (ceiling, ceiling);
        let cut = finish(command).await.stdout;
        let (end, is_whole) = cut.end();
        assert_eq!(end.len(), 4096, "{ceiling}");
        assert!(end.ends_with(b"xthe last words") && !is_whole, "{ceiling}");
    }
    let mut short = script("printf 'one two'", &[]);
    (short.max_stdout, short.max_stderr) = (3, 3);
    let short = finish(short).await.stdout;
    assert_eq!(short.end(), (b"one two".as_slice().into(), true));
}

#[tokio::test]
async fn text_is_whole_characters() {
    let bytes = r"printf 'a\0\377z\342\202\254\342\202'";
    let whole = finish(script(bytes, &[])).await.stdout;
    assert_eq!(whole.text(), "a\0\u{fffd}z€\u{fffd}");
    let mut cut = script(bytes, &[]);
    (cut.max_stdout, cut.max_stderr) = (6, 6);
    assert_eq!(finish(cut).await.stdout.text(), "a\0\u{fffd}z");
}

#[tokio::test]
async fn a_tap_sees_what_is_not_kept() {
    let (taps, mut pieces) = listen();
    let mut flood = script("echo one; echo two", &[]);
    (flood.max_stdout, flood.max_stderr) = (2, 2);
    let finished = runner().0.run(flood, taps).await.unwrap();
    let mut heard = Vec::new();
    while let Some(piece) = pieces.recv().await {
        heard.extend(piece);
    }
    assert_eq!(heard, b"one\ntwo\n");
    assert_eq!(finished.stdout.bytes, b"on");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_runs_keep_their_own_output() {
    let (runner, shutdown) = runner();
    let runs: Vec<_> = (0..200)
        .map(|number| {
            let runner = runner.clone();
            let command = input(format!("{number}"), script("cat; echo; echo $$", &[]));
            tokio::spawn(async move { runner.run(command, Taps::default()).await })
        })
        .collect();
    let mut pids = Vec::new();
    for (number, run) in runs.into_iter().enumerate() {
        let seen = lines(&run.await.unwrap().unwrap().stdout);
        assert_eq!(seen[0], number.to_string());
        pids.push(seen[1].parse::<u32>().unwrap());
    }
    assert!(shutdown.wait(LONG).await);
    eventually("no zombie is left", || {
        !pids.iter().any(|pid| is_our_zombie(*pid))
    })
    .await;
}

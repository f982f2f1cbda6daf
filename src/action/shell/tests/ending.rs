//! How commands end, and that nothing of them is left.

use super::*;
use crate::action::shell::Stop;
use crate::process::Exit;

/// A leader and a grandchild in its group; both write their number first.
const FAMILY: &str = "sleep 1000 & echo $$ $!; wait";

/// The same, deaf to SIGTERM.
const DEAF_FAMILY: &str = "trap '' TERM; sleep 1000 & echo $$ $!; wait; wait";

#[tokio::test]
async fn exit_codes_and_signals_are_told_apart() {
    assert_eq!(finish(script("exit 7", &[])).await.exit, Exit::Code(7));
    let killed = finish(script("echo out; kill -9 $$", &[])).await;
    assert_eq!(killed.exit, Exit::Signal(9));
    assert_eq!(killed.stopped, None);
    assert_eq!(killed.stdout.bytes, b"out\n");
}

#[tokio::test]
async fn a_timeout_gives_the_output_so_far() {
    let mut slow = script("echo out; echo err >&2; sleep 1000", &[]);
    let mark = Mark::on(&mut slow);
    slow.timeout = Duration::from_secs(1);
    let finished = finish(slow).await;
    assert_eq!(finished.stopped, Some(Stop::Timeout));
    assert_eq!(finished.exit, Exit::Signal(15));
    assert_eq!(finished.stdout.bytes, b"out\n");
    assert_eq!(finished.stderr.bytes, b"err\n");
    assert_eq!(mark.alive(), 0, "all is gone before the answer");
}

#[tokio::test]
async fn a_flood_does_not_hold_the_timeout_back() {
    let mut flood = command(["yes"]);
    let mark = Mark::on(&mut flood);
    flood.timeout = Duration::from_millis(200);
    let began = Instant::now();
    let finished = finish(flood).await;
    assert_eq!(finished.stopped, Some(Stop::Timeout));
    assert_eq!(finished.exit, Exit::Signal(15));
    assert!(finished.stdout.truncated());
    assert!(began.elapsed() < LONG / 2);
    assert_eq!(mark.alive(), 0);
}

#[tokio::test]
async fn a_timeout_leaves_time_to_clean_up() {
    let text = "trap 'echo bye; exit 3' TERM; sleep 1000 & echo hi; wait";
    let mut tidy = script(text, &[]);
    let mark = Mark::on(&mut tidy);
    tidy.kill_after = Duration::from_secs(1);
    tidy.timeout = Duration::from_secs(1);
    let finished = finish(tidy).await;
    assert_eq!(finished.stdout.bytes, b"hi\nbye\n");
    assert_eq!(finished.exit, Exit::Code(3));
    assert_eq!(finished.stopped, Some(Stop::Timeout));
    assert_eq!(mark.alive(), 0);
}

#[tokio::test]
async fn the_deaf_are_killed() {
    let mut deaf = script(DEAF_FAMILY, &[]);
    let mark = Mark::on(&mut deaf);
    deaf.timeout = Duration::from_secs(1);
    deaf.kill_after = Duration::from_millis(200);
    let finished = finish(deaf).await;
    assert_eq!(finished.exit, Exit::Signal(9));
    assert_eq!(finished.stopped, Some(Stop::Timeout));
    assert_eq!(finished.stdout.text().split(' ').count(), 2);
    assert_eq!(mark.alive(), 0);
}

#[tokio::test]
async fn a_deaf_grandchild_has_its_time_though_the_leader_is_gone() {
    // Its output is elsewhere, so only the group tells that it is there.
    let text = "(trap '' TERM; exec sleep 1000) >/dev/null 2>&1 & echo hi; wait";
    let mut family = script(text, &[]);
    let mark = Mark::on(&mut family);
    family.timeout = Duration::from_secs(1);
    family.kill_after = Duration::from_millis(700);
    let began = Instant::now();
    let finished = finish(family).await;
    assert_eq!(finished.exit, Exit::Signal(15), "the leader heard SIGTERM");
    assert!(began.elapsed() >= Duration::from_millis(1700));
    assert_eq!(mark.alive(), 0);
}

/// Starts `text`, waits until it has spoken, and gives what it said.
async fn spoken(text: &str, change: impl FnOnce(&mut Command)) -> Spoken {
    let (runner, shutdown) = runner();
    let mut command = script(text, &[]);
    let mark = Mark::on(&mut command);
    change(&mut command);
    let (taps, mut pieces) = listen();
    let run = tokio::spawn(async move { runner.run(command, taps).await });
    let said = pieces.recv().await.expect("it speaks");
    let said = String::from_utf8(said).unwrap();
    let pids = said.split_whitespace().filter_map(|pid| pid.parse().ok());
    Spoken {
        pids: pids.collect(),
        run,
        mark,
        shutdown,
    }
}

struct Spoken {
    run: tokio::task::JoinHandle<Result<Finished, ProcessError>>,
    pids: Vec<u32>,
    mark: Mark,
    shutdown: Shutdown,
}

impl Spoken {
    /// Nothing is alive, nothing is a zombie, no task is left.
    async fn is_gone(&self) {
        eventually("the group is gone", || self.mark.alive() == 0).await;
        assert!(self.shutdown.wait(LONG).await, "the task has ended");
        eventually("no zombie", || {
            !self.pids.iter().any(|pid| is_our_zombie(*pid))
        })
        .await;
    }
}

#[tokio::test]
async fn dropping_the_future_ends_the_group() {
    let spoken = spoken(FAMILY, |_| {}).await;
    assert_eq!(spoken.pids.len(), 2);
    eventually("both are there", || spoken.mark.alive() == 2).await;
    assert_eq!(spoken.shutdown.tasks().len(), 1);
    spoken.run.abort();
    spoken.is_gone().await;
}

#[tokio::test]
async fn dropping_the_future_kills_the_deaf() {
    let short = |command: &mut Command| command.kill_after = Duration::from_millis(100);
    let spoken = spoken(DEAF_FAMILY, short).await;
    spoken.run.abort();
    spoken.is_gone().await;
}

#[tokio::test]
async fn a_cancelled_command_can_still_write_its_last_words() {
    let folder = tempfile::tempdir().unwrap();
    // A closed stdout would end this by SIGPIPE before the file is written.
    let text = "trap 'echo bye; echo done > last; exit' TERM; sleep 1000 & echo hi; wait";
    let here = |command: &mut Command| {
        command.cwd = folder.path().to_owned();
        // A shell's child that is hit between fork and exec loses the signal to the shell's trap.
        command.kill_after = Duration::from_secs(1);
    };
    let spoken = spoken(text, here).await;
    spoken.run.abort();
    spoken.is_gone().await;
    let last = std::fs::read_to_string(folder.path().join("last")).unwrap();
    assert_eq!(last, "done\n");
}

#[tokio::test]
async fn a_stopped_group_hears_sigterm() {
    let text = "trap 'exit 5' TERM; echo $$; kill -STOP $$; while :; do sleep 0.01; done";
    let quick = |command: &mut Command| command.timeout = Duration::from_secs(1);
    let spoken = spoken(text, quick).await;
    let finished = spoken.run.await.unwrap().unwrap();
    assert_eq!(finished.exit, Exit::Code(5));
    assert_eq!(spoken.mark.alive(), 0);
}

#[tokio::test]
async fn a_grandchild_does_not_outlive_a_leader_that_exits() {
    let silent = "sleep 1000 >/dev/null 2>&1 & echo $$ $!";
    let holding = "sleep 1000 & echo $$ $!";
    let deaf = "trap '' TERM; sleep 1000 >/dev/null 2>&1 & echo $$ $!";
    let deaf_and_holding = "trap '' TERM; sleep 1000 & echo $$ $!";
    for text in [silent, holding, deaf, deaf_and_holding] {
        let mut spoken = spoken(text, |_| {}).await;
        let finished = (&mut spoken.run).await.unwrap().unwrap();
        assert_eq!(finished.exit, Exit::Code(0), "{text}");
        assert_eq!(finished.stopped, None);
        assert_eq!(lines(&finished.stdout).len(), 1);
        spoken.is_gone().await;
    }
}

#[tokio::test]
async fn what_is_left_may_finish_at_once() {
    let folder = tempfile::tempdir().unwrap();
    // As in `exec > >(cat > file)`: nobody waits for the one that writes the file.
    let mut command = script("(exec cat > kept) >/dev/null 2>&1 <<E &\nall\nE\n", &[]);
    command.cwd = folder.path().to_owned();
    let (runner, shutdown) = runner();
    runner.run(command, Taps::default()).await.unwrap();
    assert!(shutdown.wait(LONG).await);
    let kept = std::fs::read_to_string(folder.path().join("kept")).unwrap();
    assert_eq!(kept, "all\n");
}

#[tokio::test]
async fn a_process_that_left_the_group_does_not_hold_the_answer() {
    // It cannot be followed, so this test ends it itself.
    let text = "setsid sleep 1000 & echo $!";
    let mut escaping = script(text, &[]);
    let mark = Mark::on(&mut escaping);
    let finished = finish(escaping).await;
    assert_eq!(finished.exit, Exit::Code(0));
    let pid: i32 = finished.stdout.text().trim().parse().unwrap();
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    if mark.alive() > 0 {
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    }
    eventually("it is gone", || mark.alive() == 0).await;
}

#[tokio::test]
async fn commands_end_with_the_grace() {
    let shutdown = Shutdown::new();
    let grace = Duration::from_millis(300);
    let runner = Runner::new(shutdown.clone(), grace, PathBuf::new());
    let mut deaf = script(DEAF_FAMILY, &[]);
    let mark = Mark::on(&mut deaf);
    let (taps, mut pieces) = listen();
    let run = tokio::spawn(async move { runner.run(deaf, taps).await });
    pieces.recv().await.expect("it speaks");
    let began = Instant::now();
    shutdown.begin();
    // `kill_after` is a minute; the process may not take so long to stop.
    let finished = run.await.unwrap().unwrap();
    assert_eq!(finished.stopped, Some(Stop::Shutdown));
    assert_eq!(finished.exit, Exit::Signal(9));
    assert!(began.elapsed() >= grace);
    assert!(began.elapsed() < LONG / 2);
    assert_eq!(mark.alive(), 0);
    assert!(shutdown.wait(LONG).await);
}

#[test]
fn the_end_of_the_runtime_ends_the_group() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .worker_threads(1)
        .build()
        .unwrap();
    let Spoken { pids, mark, .. } = runtime.block_on(async {
        let spoken = spoken(DEAF_FAMILY, |_| {}).await;
        eventually("both are there", || spoken.mark.alive() == 2).await;
        spoken
    });
    drop(runtime);
    let began = Instant::now();
    while mark.alive() > 0 || pids.iter().any(|pid| is_our_zombie(*pid)) {
        assert!(began.elapsed() < LONG / 2, "it is still there");
        std::thread::yield_now();
    }
}

#[tokio::test]
async fn a_tap_that_panics_fails_one_run_only() {
    let (runner, shutdown) = runner();
    let mut command = script(FAMILY, &[]);
    let mark = Mark::on(&mut command);
    let taps = Taps {
        stdout: Some(Box::new(|_| panic!("a bug in a tap"))),
        stderr: None,
    };
    let failed = runner.run(command, taps).await;
    assert!(matches!(failed, Err(ProcessError::Abandoned(_))));
    eventually("the group is gone", || mark.alive() == 0).await;
    assert!(shutdown.wait(LONG).await);
}

#[tokio::test]
async fn a_hurry_kills_without_asking_twice() {
    // Deaf to SIGTERM, and with all the time in the world otherwise.
    let spoken = spoken(DEAF_FAMILY, |command| command.kill_after = LONG).await;
    spoken.shutdown.begin();
    assert!(spoken.mark.alive() >= 2, "the grace lasts");
    let began = Instant::now();
    spoken.shutdown.hurry();
    spoken.is_gone().await;
    assert!(began.elapsed() < LONG / 4);
    let finished = spoken.run.await.unwrap().unwrap();
    assert_eq!(finished.stopped, Some(Stop::Shutdown));
    assert_eq!(finished.exit, Exit::Signal(9));
}

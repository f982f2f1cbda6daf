//! Programs that the bench starts: where they run, what they use, and that they end with it.

use crate::cores::Place;
use std::ffi::{OsStr, OsString};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Nothing that starts takes longer, also in a debug build on a busy machine.
const STARTS_WITHIN: Duration = Duration::from_secs(120);

static SNODO: OnceLock<PathBuf> = OnceLock::new();

/// Measures this program instead of the one that cargo has built.
pub fn measure_program(path: PathBuf) {
    SNODO.get_or_init(|| path);
}

/// The program that is measured.
pub fn snodo() -> &'static Path {
    SNODO.get_or_init(|| PathBuf::from(env!("CARGO_BIN_EXE_snodo")))
}

/// This program, which is the peers too.
pub fn this_program() -> PathBuf {
    std::env::current_exe().expect("a program has a file")
}

/// A child, killed when this is dropped, and by the system when the bench itself is killed.
pub struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _gone = self.0.kill();
        let _ended = self.0.wait();
    }
}

impl Process {
    /// Starts this program there. `direct`: without the step that ties its life to ours, which takes
    /// a millisecond.
    pub fn start(mut command: Command, place: Place, direct: bool) -> Self {
        if !direct {
            let mut tied = Command::new(this_program());
            tied.args(["--be", "tied"])
                .arg(command.get_program())
                .args(command.get_args());
            if let Some(folder) = command.get_current_dir() {
                tied.current_dir(folder);
            }
            command = tied;
        }
        Self(place.during(|| {
            command
                .stdin(Stdio::null())
                .spawn()
                .unwrap_or_else(|error| panic!("cannot start {command:?}: {error}"))
        }))
    }

    /// As `start`, with pipes to its standard input and output.
    pub fn start_piped(command: &mut Command, place: Place) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        Self(place.during(|| command.spawn().expect("it starts")))
    }

    pub fn pipes(&mut self) -> (std::process::ChildStdin, std::process::ChildStdout) {
        let (input, output) = (self.0.stdin.take(), self.0.stdout.take());
        (input.expect("a pipe"), output.expect("a pipe"))
    }

    /// Processor time of all its threads so far, those of its children not included.
    pub fn cpu(&self) -> Duration {
        let stat = self.proc("stat");
        let fields = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
        let mut ticks = fields.split(' ').skip(11).take(2);
        let mut next = || ticks.next().and_then(|field| field.parse::<u64>().ok());
        let (user, system) = (next().expect("ticks"), next().expect("ticks"));
        // USER_HZ is 100 on every Linux.
        Duration::from_millis((user + system) * 10)
    }

    /// Resident memory, bytes.
    pub fn memory(&self) -> u64 {
        let status = self.proc("status");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
        kib.expect("resident memory") * 1024
    }

    /// Panics when it has ended.
    pub fn must_live(&mut self) {
        if let Ok(Some(status)) = self.0.try_wait() {
            panic!("a server ended: {status}");
        }
    }

    fn proc(&self, file: &str) -> String {
        std::fs::read_to_string(format!("/proc/{}/{file}", self.0.id())).expect("it lives")
    }
}

/// The role `tied`: ends with its parent, and becomes that program.
pub fn tied(arguments: &[OsString]) -> ! {
    let (program, arguments) = arguments.split_first().expect("a program");
    let kill = rustix::process::Signal::KILL;
    rustix::process::set_parent_process_death_signal(Some(kill)).expect("Linux has it");
    let error = Command::new(program).args(arguments).exec();
    panic!("cannot start {}: {error}", program.display());
}

/// A server that listens.
pub struct Server {
    pub process: Process,
    pub address: SocketAddr,
}

impl Server {
    fn start(command: Command, address: SocketAddr, place: Place) -> Self {
        let mut process = Process::start(command, place, false);
        wait_until_it_listens(&mut process, address);
        Self { process, address }
    }

    /// `snodo serve FOLDER` with these settings (`KEY=VALUE`), on the servers' core.
    pub fn snodo(folder: &Path, settings: &[&str]) -> Self {
        Self::snodo_at(Place::Server, folder, settings)
    }

    pub fn snodo_at(place: Place, folder: &Path, settings: &[&str]) -> Self {
        let address = free_address();
        let mut command = serve(address, settings);
        command.arg(folder);
        Self::start(command, address, place)
    }

    /// `snodo serve` with the repository's own server file and samples.
    pub fn samples(settings: &[&str]) -> Self {
        let address = free_address();
        let mut command = serve(address, settings);
        command.args(["--config", SAMPLES]);
        Self::start(command, address, Place::Server)
    }

    /// A peer: this program in that role.
    pub fn peer<A: AsRef<OsStr>>(role: &str, arguments: &[A]) -> Self {
        Self::peer_at(Place::Server, role, arguments)
    }

    pub fn peer_at<A: AsRef<OsStr>>(place: Place, role: &str, arguments: &[A]) -> Self {
        let address = free_address();
        let mut command = Command::new(this_program());
        command
            .args(["--be", role, &address.port().to_string()])
            .args(arguments);
        Self::start(command, address, place)
    }

    /// Any program that takes a port.
    pub fn program(program: &Path) -> Self {
        let address = free_address();
        let mut command = Command::new(program);
        command.arg(address.port().to_string());
        Self::start(command, address, Place::Server)
    }
}

/// The server file of the samples.
pub const SAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/config/snodo.toml");

/// `snodo serve` at this address; what is served is still to be said.
pub fn serve(address: SocketAddr, settings: &[&str]) -> Command {
    let mut command = Command::new(snodo());
    command
        .args(["serve", "--set", "log.level=warn", "--set"])
        .arg(format!("http.listen=[\"{address}\"]"));
    for setting in settings {
        command.args(["--set", setting]);
    }
    command
}

/// An address of this machine that is free now.
pub fn free_address() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("an address")
}

fn wait_until_it_listens(process: &mut Process, address: SocketAddr) {
    let begun = Instant::now();
    while TcpStream::connect(address).is_err() {
        process.must_live();
        assert!(
            begun.elapsed() < STARTS_WITHIN,
            "nothing listens at {address}"
        );
        std::thread::sleep(Duration::from_millis(2));
    }
}

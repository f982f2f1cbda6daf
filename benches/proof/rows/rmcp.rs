//! The server of the Rust SDK: a package of its own, built when it is needed.

use crate::cores::Place;
use std::path::PathBuf;
use std::process::Command;

/// Builds it in `target/bench-rmcp`; says loudly, and why, when that does not work. A build without
/// optimisation is not held against it.
pub(super) fn build() -> Result<PathBuf, String> {
    if cfg!(debug_assertions) {
        return Err("it is optimised, this build is not".to_owned());
    }
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let target = root.join("target/bench-rmcp");
    let program = target.join("release/snodo-bench-rmcp");
    if !program.exists() {
        eprintln!("        building the rmcp server in {}", target.display());
    }
    let mut command = Command::new(env!("CARGO"));
    command
        .args(["build", "--quiet", "--release", "--locked"])
        .arg("--manifest-path")
        .arg(root.join("benches/rmcp/Cargo.toml"))
        .arg("--target-dir")
        .arg(&target);
    let built = Place::Anywhere.during(|| command.status());
    let error = match built {
        Ok(status) if status.success() => return Ok(program),
        Ok(status) => format!("cargo: {status}"),
        Err(error) => format!("cargo: {error}"),
    };
    eprintln!(
        "\n*** THE RMCP SERVER CANNOT BE BUILT ({error}): nothing is measured beside it ***\n"
    );
    Err(format!("it cannot be built ({error})"))
}

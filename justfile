# `just` lists these; each is one command that can be typed instead.

default:
    @just --list

# serve the sample manifests
serve:
    cargo run --release -- serve

# every test
test:
    cargo test --locked

# formatting and lints
lint:
    cargo fmt --check
    cargo clippy --locked --all-targets -- -D warnings

# calls a second beside bare hyper; 5,000 tools in 500 files
bench:
    cargo bench --bench calls
    cargo bench --bench scale

# faults in their long forms, with the numbers that docs/reliability.md has
soak:
    cargo test --release --locked --test it -- --ignored --nocapture --test-threads 1 faults::

# the Debian package, installed and removed in a root of its own
package:
    cargo build --release --locked
    .ci/package target/release/snodo

# what CI runs
ci:
    .ci/run

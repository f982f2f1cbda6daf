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

# every figure of docs/performance.md beside its goal; with names, those rows
bench *ROWS:
    cargo bench --locked --bench proof -- {{ROWS}}

# faults in their long forms, with the numbers that docs/reliability.md has; everything at once for SECONDS
soak SECONDS="60":
    SNODO_SOAK_SECONDS={{SECONDS}} cargo test --locked --test it -- --ignored --nocapture --test-threads 1 faults::

# every fuzz target in short; with TARGET that one until it finds something, or for SECONDS
fuzz TARGET="" SECONDS="":
    .ci/fuzz {{TARGET}} {{SECONDS}}

# which lines of src the suite runs, by module
coverage *ARGS:
    .ci/coverage {{ARGS}}

# whether a test fails when a line is wrong: guard, protocol, lang/template and the other parts of lang
mutants MODULE *OPTIONS:
    .ci/mutants {{MODULE}} {{OPTIONS}}

# the Debian package, installed and removed in a root of its own
package:
    cargo build --release --locked
    .ci/package target/release/snodo

# what CI runs
ci:
    .ci/run

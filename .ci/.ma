#!/usr/bin/env bash
# Mutation: each change that cargo-mutants can think of is made to a module, and its unit tests must
# fail. `.ci/mutants MODULE [cargo-mutants options]`; a module is guard, protocol or one of lang, such
# as lang/template. What survives is listed in target/mutants/MODULE/mutants.out/missed.txt; what is
# known of survivors is in docs/testing.md.
#
# The whole library takes a minute to build, so the module and its tests are copied to a crate of their
# own, above a crate of what it imports. A mutant then takes seconds.
set -euo pipefail
cd "$(dirname "$0")/.."
repository=$PWD

fail() { printf 'mutants: %s\n' "$1" >&2; exit 1; }
command -v cargo-mutants >/dev/null || fail "cargo-mutants is missing (cargo install cargo-mutants --locked)"

# What a module imports, in layer order.
case ${1:-} in
lang/*) imports="" ;;
protocol) imports="lang secret telemetry units model ops" ;;
guard) imports="lang secret shutdown telemetry units model ops process actor" ;;
*) fail "name a module: guard, protocol, lang/diag, lang/glob, lang/schema, lang/template, lang/uri_template" ;;
esac
module=$1
shift
[ -e "src/$module" ] || [ -e "src/$module.rs" ] || fail "there is no src/$module"

work=$repository/target/mutants/a/$module
rm -rf "$work/imports" "$work/mutated"
mkdir -p "$work/imports/src" "$work/mutated/src"

{
    printf '[workspace]\nresolver = "3"\nmembers = ["imports", "mutated"]\n\n[profile.dev]\ndebug = false\n\n'
    sed -n '/^\[profile.dev.package/,/^$/p' Cargo.toml
} >"$work/Cargo.toml"
cp Cargo.lock "$work/Cargo.lock"

for import in $imports; do
    for file in "$import" "$import.rs"; do
        [ ! -e "src/$file" ] || cp -Rp "src/$file" "$work/imports/src/$file"
    done
    printf 'pub mod %s;\n' "$import" >>"$work/imports/src/lib.rs"
done
touch "$work/imports/src/lib.rs"

# The module stands where it stands in the repository, so that its paths are the same.
(
    cd src
    for file in "$module" "$module.rs"; do
        [ ! -e "$file" ] || cp -Rp --parents "$file" "$work/mutated/src/"
    done
)
case $module in
lang/*)
    printf 'pub mod lang;\n' >"$work/mutated/src/lib.rs"
    printf 'pub mod %s;\n' "${module#lang/}" >"$work/mutated/src/lang/mod.rs"
    ;;
*)
    for import in $imports; do printf 'pub use imports::%s;\n' "$import"; done >"$work/mutated/src/lib.rs"
    printf 'pub mod %s;\n' "$module" >>"$work/mutated/src/lib.rs"
    ;;
esac

# manifest NAME: a crate with those of the package's own dependencies that its source names; its tests
# are all in its library, which is built once for them and not for documentation tests as well.
manifest() {
    printf '[package]\nname = "%s"\nversion = "0.0.0"\nedition = "2024"\n\n[lib]\ndoctest = false\n\n' "$1"
    sed -n '/^\[dependencies\]/,/^\[profile/p' Cargo.toml | while IFS= read -r line; do
        name=${line%% =*}
        case $line in
        '[profile'* | '#'*) ;;
        *' = '*) ! grep -rqE "\b${name//-/_}::" "$work/$1/src" || printf '%s\n' "$line" ;;
        *) printf '%s\n' "$line" ;;
        esac
    done
}
manifest imports >"$work/imports/Cargo.toml"
manifest mutated | sed 's|^\[dependencies\]|&\nimports = { path = "../imports" }|' >"$work/mutated/Cargo.toml"

cd "$work"
# What all modules need is built once.
export CARGO_TARGET_DIR=$repository/target/mutants/target-a CARGO_INCREMENTAL=1
# Properties are asked of few values: what only one of hundreds shows is no test that one can rely on.
export PROPTEST_CASES=${PROPTEST_CASES:-32}
# How much room an answer is given before it is written, and what only a failed test prints, no test sees.
speed='\broom(_of_\w+)?( -> |$)|Debug( for .*)?>::fmt|::expecting'
# A mutant that never ends may also take all memory.
ulimit -v "${MUTANTS_MEMORY_KB:-12000000}"
exec cargo mutants --in-place --package mutated --output "$work" --minimum-test-timeout 60 --exclude-re "$speed" --cargo-arg=--lib "$@"

#!/usr/bin/env bash
# The command, compiled with a profile of its own rollouts: the bits of a release build in less time (decision 120).
#   benches/profiled.sh [MODEL...]    →  target/profiled/manyworlds
# Compiles all of it twice. The profile is of rollouts on the CPU: of the models of the repository, and of those given.
set -euo pipefail
cd "$(dirname "$0")/.."
host=$(rustc -vV | sed -n 's/^host: //p')
profdata=$(rustc --print sysroot)/lib/rustlib/$host/bin/llvm-profdata
[ -x "$profdata" ] || [ -x "$profdata.exe" ] || rustup component add llvm-tools
folder=${CARGO_TARGET_DIR:-$PWD/target}/profiled
rm -rf "$folder/profiles"
mkdir -p "$folder"

# The command with flags of its own; with --target they are not those of build scripts.
build() {
    RUSTFLAGS="$1" cargo build --release --quiet --bin manyworlds --target "$host" --target-dir "$2"
}

build "-Cprofile-generate=$folder/profiles" "$folder/measuring"
for model in models/*.xml models/soft/*.xml tests/parity/models/*.xml "$@"; do
    "$folder/measuring/$host/release/manyworlds" rollout "$model" --backend cpu --worlds 8 --steps 200 \
        >/dev/null 2>&1 || echo "not in the profile: $model"
done
"$profdata" merge --output "$folder/profile" "$folder/profiles"
build "-Cprofile-use=$folder/profile" "$folder/optimised"
cp "$folder/optimised/$host/release/manyworlds" "$folder/manyworlds"
echo "$folder/manyworlds"

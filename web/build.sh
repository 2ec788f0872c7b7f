#!/usr/bin/env bash
# Builds the page into target/web/page: python3 -m http.server --directory target/web/page
#   web/build.sh [PROFILE]      web (default: small and fast) or web-test (compiled in a fraction of the time)
# Needs Rust and one of: rustup target add wasm32-unknown-unknown; or, where rustup cannot fetch it, Debian's packages, which
# this script unpacks beside the sources (193 MB to fetch, 0.8 GB unpacked; nothing is installed).
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
profile=${1:-web}
[[ $profile == web || $profile == web-test ]] || { echo "no profile '$profile' of the page: web or web-test" >&2 && exit 2; }
tools=${MANYWORLDS_WASM_TOOLCHAIN:-$root/.wasm-toolchain}
target=${CARGO_TARGET_DIR:-$root/target}/web
triple=wasm32-unknown-unknown
cargo=${CARGO:-cargo}
# Release of Debian that has a compiler at least as new as this project needs, and the library for this target.
suite=${MANYWORLDS_DEBIAN_SUITE:-forky}

has_target() { [ -n "$(find "$(rustc --print sysroot)/lib/rustlib/$triple/lib" -name 'libstd-*.rlib' 2>/dev/null)" ]; }

# Compiler and library of this target from Debian, unpacked and not installed.
fetch_debian() {
    [ -x "$tools/rustc" ] && return
    command -v apt-get >/dev/null && command -v dpkg >/dev/null || return 1
    local begin=$SECONDS
    rm -rf "$tools" && mkdir -p "$tools/apt"/{lists/partial,archives/partial}
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian $suite main" \
        >"$tools/apt/sources.list"
    # what links programs of this machine is on this machine
    for name in gcc binutils libc6-dev libc-dev; do
        printf 'Package: %s\nStatus: install ok installed\nArchitecture: amd64\nVersion: 99:9\nMaintainer: none\nDescription: none\n\n' "$name"
    done >"$tools/apt/status"
    cat >"$tools/apt/apt.conf" <<CONF
Dir::Etc::SourceList "$tools/apt/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::State "$tools/apt";
Dir::State::status "$tools/apt/status";
Dir::Cache "$tools/apt";
APT::Architecture "amd64";
APT::Install-Recommends "false";
APT::Sandbox::User "root";
Acquire::Languages "none";
Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
CONF
    APT_CONFIG=$tools/apt/apt.conf apt-get update -qq || return 1
    APT_CONFIG=$tools/apt/apt.conf apt-get install -y -qq --download-only rustc libstd-rust-dev-wasm32 || return 1
    for package in "$tools"/apt/archives/*.deb; do dpkg -x "$package" "$tools/root" || return 1; done
    rm -rf "$tools/apt"
    # its programs run with its own C library
    cat >"$tools/rustc.new" <<WRAPPER
#!/bin/sh
lib="$tools/root/usr/lib/x86_64-linux-gnu"
exec "\$lib/ld-linux-x86-64.so.2" --library-path "\$lib" "$tools/root/usr/bin/rustc" --sysroot "$tools/root/usr" "\$@"
WRAPPER
    chmod +x "$tools/rustc.new" && mv "$tools/rustc.new" "$tools/rustc"
    echo "Debian's Rust for $triple: $((SECONDS - begin)) s"
}

# A linker of WebAssembly: that of the Rust toolchain, or one on the path.
linker() {
    local found
    found=$(find "$(rustc --print sysroot)/lib/rustlib" -name rust-lld -type f 2>/dev/null | head -1)
    echo "${found:-$(command -v rust-lld || command -v wasm-ld || command -v lld)}"
}

CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=$(linker)
export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER
compiler=()
if ! has_target; then
    if [ "$(uname -m)" = x86_64 ] && fetch_debian; then
        compiler=(env "RUSTC=$tools/rustc")
    else
        echo "Rust has no library for $triple: rustup target add $triple" >&2
        echo "(or Debian's package libstd-rust-dev-wasm32 with its rustc)" >&2
        exit 1
    fi
fi

begin=$SECONDS
# as nothing but WebAssembly: for a library as well, everything below it would be compiled to code that is thrown away
"${compiler[@]}" "$cargo" rustc --quiet -p manyworlds-web --lib --crate-type cdylib --target $triple --profile "$profile" \
    --target-dir "$target"
echo "WebAssembly: $((SECONDS - begin)) s"

# JavaScript beside it
begin=$SECONDS
"$cargo" build --quiet -p manyworlds-web-bind --target-dir "${CARGO_TARGET_DIR:-$root/target}"
page=$target/page
rm -rf "$page" && mkdir -p "$page"
"${CARGO_TARGET_DIR:-$root/target}/debug/manyworlds-web-bind" "$target/$triple/$profile/manyworlds_web.wasm" "$page"
cp web/page/* "$page"
cp models/humanoid.xml "$page"
echo "JavaScript: $((SECONDS - begin)) s"

# what the browser fetches
wasm=$page/manyworlds_web_bg.wasm
echo "page: $(du -cb "$page"/* | tail -1 | cut -f1) bytes, of which WebAssembly $(stat -c %s "$wasm"), packed $(gzip -9 -c "$wasm" | wc -c)"
echo "$page"

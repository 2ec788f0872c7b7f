#!/usr/bin/env bash
# Tests of the page in headless Chromium, after web/build.sh: web/test.sh [NATIVE_STEPS_PER_SECOND]
set -euo pipefail
cd "$(dirname "$0")"
root=$PWD/..
page=${CARGO_TARGET_DIR:-$root/target}/web/page
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }
install() { as_root apt-get install -y -qq "$@" || { as_root apt-get update -qq && as_root apt-get install -y -qq "$@"; }; }

command -v node >/dev/null && command -v npm >/dev/null || install nodejs npm
CHROMIUM=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}
[ -n "$CHROMIUM" ] || { install chromium && CHROMIUM=$(command -v chromium); }
export CHROMIUM
[ -d test/node_modules/playwright-core ] || (cd test && npm install --silent --no-audit --no-fund --no-package-lock)
node test/page.mjs "$page" "$@"

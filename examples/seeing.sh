#!/usr/bin/env bash
# The pictures of README.md: humanoids by the thousand, a hand with an object, a robot on rough ground.
#   examples/seeing.sh FOLDER [HAND.xml]        after cargo build --release --bins --example crowd
# HAND.xml: a model of a hand, such as that of MuJoCo's menagerie. Also makes crowd.gif, a film, where ffmpeg is there.
set -euo pipefail
folder=$(mkdir -p "$1" && cd "$1" && pwd)
hand=${2:-}
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
draw() { "$target/release/manyworlds" render "$@"; }

# a thousand worlds, each with motors of its own strength
"$target/release/examples/crowd" "$folder" 1000 45
cp "$folder/crowd_030.png" "$folder/render_crowd.png"
if command -v ffmpeg >/dev/null; then
    ffmpeg -y -loglevel error -framerate 15 -i "$folder/crowd_%03d.png" -vf "scale=iw/2:-1,split[a][b];[a]palettegen=64[p];[b][p]paletteuse" \
        "$folder/crowd.gif"
fi

# the quadruped on hills that sines make
heights=$(awk 'BEGIN { n = 61; for (r = 0; r < n; r++) for (c = 0; c < n; c++) {
    x = 6.28 * c / (n - 1); y = 6.28 * r / (n - 1)
    printf "%.3f ", (2 + sin(2 * x + 0.5) * cos(y) + 0.6 * sin(5 * y + x) + 0.4 * sin(7 * x - 3 * y)) / 4 } }')
sed -e "s|<geom name=\"ground\" type=\"plane\" size=\"10 10 0.1\" material=\"floor\"/>|<geom name=\"ground\" material=\"rock\" type=\"hfield\" hfield=\"hills\" pos=\"0 0 -0.28\"/>|" \
    -e "s|<asset>|<asset><hfield name=\"hills\" nrow=\"61\" ncol=\"61\" size=\"4 4 0.55 0.1\" elevation=\"$heights\"/><material name=\"rock\" rgba=\"0.5 0.46 0.4 1\" specular=\"0.1\"/>|" \
    models/quadruped.xml >"$folder/rough.xml"
draw "$folder/rough.xml" -o "$folder/rough_%02d.png" --backend cpu --duration 0.6 --fps 5 --camera track --orbit 1.7,140,-18 --size 480x360

# a hand, with what it holds
if [ -n "$hand" ]; then
    draw "$hand" -o "$folder/hand_%02d.png" --backend cpu --duration 0.2 --fps 10 --camera free --size 480x360
fi

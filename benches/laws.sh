#!/bin/sh
# Rates of the humanoid without and with laws, on the CPU or on a GPU: laws.sh [BINARY [BACKEND [WORLDS]]]
set -eu
binary=${1:-manyworlds} backend=${2:-cpu} worlds=${3:-1024}
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# a model with custom texts: its name, the texts
with() {
    sed "0,/<visual>/s||<custom>$2</custom><visual>|" models/humanoid.xml > "$folder/$1.xml"
}
cp models/humanoid.xml "$folder/plain.xml"
# ten operations on a joint
with joint '<text name="force:joint:waist_yaw" data="0.2*sin(3*position) - 0.5*position - 0.1*velocity*abs(velocity) + 1e-3"/>'
# drag at a body: the velocity of its frame is ten operations more
with body '<text name="let:wind" data="[2, 0, 0] - velocity(chest)"/><text name="force:body:chest" data="0.3*norm(wind)*wind"/>'
# a state, and a law of contacts
with state '<numeric name="x" data="1 0"/><text name="rate:x" data="[x[1], -9*x[0]]"/>'
with contact '<text name="friction:ground" data="0.5 + 0.4*(pos[0] > 0)"/>'
"$binary" bench --backend "$backend" --worlds "$worlds" --repeat "${REPEAT:-9}" \
    "$folder"/plain.xml "$folder"/joint.xml "$folder"/body.xml "$folder"/state.xml "$folder"/contact.xml

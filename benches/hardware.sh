#!/usr/bin/env bash
# All measurements on a machine with a GPU, unattended, without a network.
#   benches/hardware.sh BINARY [PHASE...]       phases: doctor check tune bench crowd soft sweep peers tasks plan render; default: all
# Each phase has its own time limit and keeps what was measured by then. Results: one folder, printed at the start.
#   OUT=results        folder of the results             BUDGET=480   seconds of one phase
#   WHEELS=folder      peers' wheels, or peers.tar.* pieces of them, for a machine that lacks them
#   PEERS=mujoco,warp  peers to run; default: what is installed
#   EVOLUTION=path     the compiled example, for the phase tasks; WHEELS has our own wheel too for it
#   MODELS="a b"       of bench; default: humanoid three_humanoids pendulum cartpole
#   PARTITIONS, WORLDS, LANES, TILES, STEPS, SIZE (worlds of the sweep), PEER_WORLDS: defaults below
set -u
cd "$(dirname "$0")/.." || exit 2
bin=${1:?usage: benches/hardware.sh BINARY [PHASE...]}
shift
bin=$(cd "$(dirname "$bin")" && pwd)/$(basename "$bin")
[ -x "$bin" ] || { echo "no binary at $bin: cargo build --release" >&2 && exit 2; }

out=${OUT:-benches/results/hardware-$(date -u +%Y%m%d-%H%M%S)}
budget=${BUDGET:-480}
models=(${MODELS:-humanoid three_humanoids pendulum cartpole})
partitions=(${PARTITIONS:-grouped fused split})
# most important sizes first, in case the time runs out
worlds=(${WORLDS:-8192 256 1 32768 4096 1024 64 65536})
lanes=(${LANES:-1 2 4 8 16 32})
tiles=(${TILES:-1 2 4 8 16 32})
steps=${STEPS:-200}
size=${SIZE:-8192}
peer_worlds=${PEER_WORLDS:-8192,1024}
python=${PYTHON:-python3}
failed=0
mkdir -p "$out" || exit 2
out=$(cd "$out" && pwd)
# tuning is kept with the results: the same OUT uses it in a later call
export MANYWORLDS_CACHE=${MANYWORLDS_CACHE:-$out/cache}

say() { printf '%s\n' "$*" | tee -a "$out/log.txt"; }
left() { echo $((deadline - SECONDS)); }

# A command with a limit in seconds, which never exceeds that of the phase.
limited() {
    local most=$1 rest
    shift
    rest=$(left)
    [ "$rest" -gt 2 ] || { say "no time left: $*" && return 124; }
    [ "$most" -lt "$rest" ] || most=$rest
    timeout -k 5 "$most" "$@"
}

# One counted check, with its output kept.
check() {
    local name=$1 begin=$SECONDS code
    shift
    echo "== $name" >>"$out/correctness.txt"
    limited 240 "$@" >>"$out/correctness.txt" 2>&1
    code=$?
    if [ $code = 0 ]; then
        say "ok     $name ($((SECONDS - begin)) s)"
    else
        say "FAILED $name (status $code, $((SECONDS - begin)) s)"
        failed=$((failed + 1))
    fi
}

# Driver manifest outside the loader's paths, as in many containers.
find_driver() {
    local found
    [ -z "${VK_DRIVER_FILES:-}" ] || return 0
    "$bin" doctor --format json 2>/dev/null | grep -q '"software":false' && return 0
    found=$(find /usr /etc /opt -name 'nvidia_icd*.json' 2>/dev/null | head -n 1)
    [ -n "$found" ] || return 0
    export VK_DRIVER_FILES=$found
    say "driver manifest: $found"
}

phase_doctor() {
    ldconfig -p 2>/dev/null | grep -q libvulkan.so.1 || say "no Vulkan loader in ldconfig -p: install libvulkan1"
    { date -u; uname -a; nproc; grep -m 1 'model name' /proc/cpuinfo; nvidia-smi; } >>"$out/machine.txt" 2>&1
    { "$bin" --version; echo "commit ${MANYWORLDS_COMMIT:-$(git rev-parse HEAD 2>/dev/null)}"; } >>"$out/machine.txt"
    "$bin" doctor | tee -a "$out/machine.txt" "$out/log.txt"
    "$bin" doctor --format json >>"$out/machine.txt"
}

# Kernels against the CPU, then the reference where it is installed.
phase_check() {
    local model
    for model in models/*.xml; do
        check "check $(basename "$model" .xml)" "$bin" check "$model"
    done
    for shape in "1 32" "4 8" "8 4" "32 1"; do
        check "check humanoid, lanes and worlds per group $shape" \
            "$bin" check models/humanoid.xml --worlds 16 --lanes "${shape% *}" --worlds-per-group "${shape#* }"
    done
    if with_reference; then
        check "parity gpu" "$python" tests/parity/parity.py --bin "$bin" --backend gpu models/*.xml
        check "parity cpu" "$python" tests/parity/parity.py --bin "$bin" --backend cpu models/*.xml
    else
        say "parity is left out: $python has no mujoco 3.17.0"
    fi
}

with_reference() {
    "$python" -c 'import mujoco, numpy, sys; sys.exit(mujoco.__version__ != "3.17.0")' 2>/dev/null
}

# One cell of a table: a JSON line in FILE, a readable line in the log.
cell() {
    local file=$1 line code
    shift
    line=$(limited 120 "$bin" bench --format json --backend gpu --warmup 200 "$@" 2>"$out/last_error.txt")
    code=$?
    # the first line is the row, the side it was measured against first
    line=$(printf '%s\n' "$line" | head -n 1)
    if [ $code = 0 ]; then
        printf '%s\n' "$line" >>"$out/$file"
        say "$(printf '%s' "$line" | grep -o '"steps_per_second":[0-9.]*' | tail -n 1) $*"
    else
        say "failed, status $code: $* $(tail -n 1 "$out/last_error.txt")"
        [ $code = 124 ] || failed=$((failed + 1))
    fi
    rm -f "$out/last_error.txt"
}

# Tuning of each model, used by later phases where nothing is given by hand.
phase_tune() {
    local model
    for model in "${models[@]}"; do
        [ "$(left)" -gt 2 ] || { say "tune: no time left at $model" && return; }
        limited 150 "$bin" tune "models/$model.xml" --worlds "$size" --backend gpu --seconds 60 2>&1 |
            tee -a "$out/tune.txt" "$out/log.txt"
    done
    # few worlds: latency
    limited 100 "$bin" tune models/humanoid.xml --worlds 256 --backend gpu --seconds 60 2>&1 |
        tee -a "$out/tune.txt" "$out/log.txt"
    limited 60 "$bin" tune models/humanoid.xml --worlds 1 --backend gpu --seconds 30 2>&1 |
        tee -a "$out/tune.txt" "$out/log.txt"
}

# 1, 2, 3, 5 and 10 humanoids in one world.
phase_crowd() {
    local count
    mkdir -p "$out/models"
    cp models/humanoid.xml "$out/models/"
    for count in 1 2 3 5 10; do
        sed "s/replicate count=\"3\"/replicate count=\"$count\"/" models/three_humanoids.xml >"$out/models/humanoids_$count.xml"
        [ "$(left)" -gt 2 ] || { say "crowd: no time left at $count" && return; }
        cell crowd.jsonl "$out/models/humanoids_$count.xml" --worlds "$((size / count))" --steps 100
    done
}

# Deformable bodies, few worlds and many, with lanes as chosen and by hand: correctness, then rates.
phase_soft() {
    local model count lane
    for model in cloth jelly knot; do
        check "check soft $model" "$bin" check "models/soft/$model.xml" --worlds 4
        for count in 32 1024; do
            [ "$(left)" -gt 2 ] || { say "soft: no time left at $model $count" && return; }
            cell soft.jsonl "models/soft/$model.xml" --worlds "$count" --steps 100
            for lane in 8 32 64; do
                [ "$(left)" -gt 2 ] || { say "soft: no time left at $model $count $lane lanes" && return; }
                cell soft.jsonl "models/soft/$model.xml" --worlds "$count" --steps 100 --lanes "$lane" \
                    --worlds-per-group "$((64 / lane))"
            done
        done
    done
}

# Models, sizes, partitions; the tuned one first.
phase_bench() {
    local model count partition
    for model in "${models[@]}"; do
        for count in "${worlds[@]}"; do
            [ "$(left)" -gt 2 ] || { say "bench: no time left at $model $count" && return; }
            cell bench.jsonl "models/$model.xml" --worlds "$count" --steps "$steps"
            for partition in "${partitions[@]}"; do
                [ "$(left)" -gt 2 ] || { say "bench: no time left at $model $count $partition" && return; }
                cell bench.jsonl "models/$model.xml" --worlds "$count" --steps "$steps" --partition "$partition"
            done
        done
    done
    [ "$(left)" -gt 2 ] || return
    cell bench.jsonl models/humanoid.xml --worlds "$size" --steps "$steps" --split-stages
    cell bench.jsonl models/humanoid.xml --worlds "$size" --steps "$steps" --against cpu
}

# Lanes, worlds per group, and worlds of a chunk, for the humanoid.
phase_sweep() {
    local lane tile chunk
    for chunk in 1024 2048 3072 4096 6144 "$size"; do
        [ "$chunk" -le "$size" ] || continue
        [ "$(left)" -gt 2 ] || { say "sweep: no time left at chunks of $chunk" && return; }
        cell sweep.jsonl models/humanoid.xml --worlds "$size" --steps 100 --chunk "$chunk"
    done
    for lane in "${lanes[@]}"; do
        for tile in "${tiles[@]}"; do
            [ $((lane * tile)) -le 256 ] || continue
            [ "$(left)" -gt 2 ] || { say "sweep: no time left at $lane lanes, $tile worlds a group" && return; }
            cell sweep.jsonl models/humanoid.xml --worlds "$size" --steps 100 --lanes "$lane" --worlds-per-group "$tile"
        done
    done
}

# Wheels unpacked into a temporary folder: nothing is installed.
unpack_wheels() {
    [ -n "${WHEELS:-}" ] || return 0
    local site
    site=$(mktemp -d)
    if ls "$WHEELS"/peers.tar.* >/dev/null 2>&1; then cat "$WHEELS"/peers.tar.* | tar x -C "$site"; fi
    find "$site" "$WHEELS" -name '*.whl' -print0 | xargs -0 "$python" -m pip install -q --no-index --no-deps \
        --no-compile --target "$site/site" >>"$out/log.txt" 2>&1 || say "some wheels were not installed: see log.txt"
    export PYTHONPATH=$site/site${PYTHONPATH:+:$PYTHONPATH}
}

# Ours and the peers in turns, GPU against GPU, then CPU against CPU.
phase_peers() {
    local backend more=()
    with_reference || { say "peers are left out: $python has no mujoco 3.17.0 (WHEELS=folder)" && return; }
    [ -z "${PEERS:-}" ] || more=(--peers "$PEERS")
    for model in "${models[@]}"; do
        limited 240 "$python" benches/compare/compare.py --bin "$bin" --backend gpu --models "models/$model.xml" \
            --worlds "$peer_worlds" --steps "$steps" --repeat 3 --timeout 120 --out "$out/peers.jsonl" \
            "${more[@]+"${more[@]}"}" 2>>"$out/log.txt" | tee -a "$out/peers.txt" "$out/log.txt"
    done
    limited 120 "$python" benches/compare/compare.py --bin "$bin" --backend cpu --worlds "${peer_worlds##*,}" --steps "$steps" \
        --repeat 3 --peers mujoco --out "$out/peers.jsonl" 2>>"$out/log.txt" | tee -a "$out/peers.txt" "$out/log.txt"
}

# Environments, which need our own wheel, and policies that learn on the device.
phase_tasks() {
    if "$python" -c 'import manyworlds' 2>/dev/null; then
        limited 300 "$python" benches/compare/tasks.py --worlds "$peer_worlds" 2>>"$out/log.txt" |
            tee -a "$out/tasks.jsonl" "$out/log.txt"
    else
        say "environments are left out: $python has no manyworlds (WHEELS=folder)"
    fi
    [ -x "${EVOLUTION:-}" ] || { say "evolution is left out: EVOLUTION=path of the compiled example" && return; }
    check "policies learn" "$EVOLUTION" models/cartpole.xml models/tasks/cartpole_swing_up.json 30
    grep -E '^(generation|mean policy)' "$out/correctness.txt" | tail -n 2 | tee -a "$out/log.txt"
}

say "results in $out"
# Planners with their candidates and derivatives on the device, beside the CPU: time by phase, and whether the motion succeeds.
phase_plan() {
    local task planner backend
    for task in cartpole humanoid; do
        for planner in ilqg sampling cem; do
            for backend in gpu cpu; do
                say "$task $planner $backend"
                limited 90 "$bin" --format json plan "models/tasks/$task.xml" --planner "$planner" --backend "$backend" \
                    --candidates 1024 --seconds 0.2 2>>"$out/log.txt" | tee -a "$out/plan.jsonl" | tee -a "$out/log.txt"
            done
        done
    done
}

# Pictures of worlds that are simulated on the same device: seconds in all and for drawing; the pictures are kept.
phase_render() {
    local count size
    while read -r count size; do
        say "$count worlds of $size"
        limited 120 "$bin" --format json render models/humanoid.xml --backend gpu --worlds "$count" --size "$size" --camera track \
            --ctrl hold --duration 2 --fps 30 --out "$out/render_$count-%03d.png" 2>>"$out/log.txt" |
            tee -a "$out/render.jsonl" | tee -a "$out/log.txt"
        # the last one shows that all is well
        find "$out" -name "render_$count-*.png" ! -name "render_$count-060.png" -delete
    done <<<$'1 640x480\n64 640x480\n256 64x64\n4096 64x64'
}

phases=("$@")
[ ${#phases[@]} -gt 0 ] || phases=(doctor check tune bench crowd peers tasks plan render sweep soft)
for phase in "${phases[@]}"; do
    declare -F "phase_$phase" >/dev/null || { echo "no phase '$phase':" $(declare -F | sed -n 's/.* phase_//p') >&2 && exit 2; }
done
find_driver
unpack_wheels
for phase in "${phases[@]}"; do
    deadline=$((SECONDS + budget)) begin=$SECONDS
    say "== $phase"
    "phase_$phase"
    say "== $phase took $((SECONDS - begin)) s"
done
say "$failed failed; results in $out"
[ "$failed" = 0 ]

#!/usr/bin/env bash
# All checks of the repository, on a fresh Debian or Ubuntu with Rust and python3.
#   tests/run.sh          all of it; the last line is "N passed, N failed"
#   tests/run.sh NAME...  named parts only: style tests build kernels examples parity others python web
# MANYWORLDS_MODELS: models of other projects, with lists of them in tiers/; what needs them is left out where they are not.
# A missing adapter is a failure.
set -u
cd "$(dirname "$0")/.." || exit 2
root=$PWD
export MANYWORLDS_MODELS=${MANYWORLDS_MODELS:-$root/../shared/models}
lavapipe=()
allocator=
swiftshader=$root/.vulkan/swiftshader/usr/lib/chromium/vk_swiftshader_icd.json
target=${CARGO_TARGET_DIR:-$root/target}
bin=$target/debug/manyworlds
python=$root/.venv/bin/python
# the ends of what failed checks printed
ends=$target/failed
passed=0 failed=0 failures=()

say() { printf '\n== %s\n' "$*"; }

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# Seconds of processor time of all commands so far.
processor_seconds() {
    awk -v ticks="$(getconf CLK_TCK)" '{ printf "%d", ($16 + $17) / ticks }' /proc/$$/stat
}

# One counted check, with its output, its time and, of processors, the time of what it started. Where it fails, the end of its
# output comes once more in the summary: whoever reads the end of a long log sees why.
check() {
    local name=$1 begin=$SECONDS before taken output
    before=$(processor_seconds)
    shift
    mkdir -p "$ends"
    output=$(mktemp)
    "$@" 2>&1 | tee "$output"
    if [ "${PIPESTATUS[0]}" = 0 ]; then
        passed=$((passed + 1))
        taken="$((SECONDS - begin)) s, $(($(processor_seconds) - before)) s of processors"
        echo "ok     $name ($taken)"
    else
        failed=$((failed + 1))
        failures+=("$name")
        echo "FAILED $name ($((SECONDS - begin)) s)"
        tail -50 "$output" >"$ends/${name//\//-}"
    fi
    rm -f "$output"
}

# Vulkan loader and lavapipe, where they are missing; and an allocator with which SwiftShader compiles in four fifths of the
# time.
install_vulkan() {
    lavapipe=(/usr/share/vulkan/icd.d/lvp_icd*.json)
    if [ ! -e "${lavapipe[0]}" ] || ! ldconfig -p | grep -q libvulkan.so.1 || ! ldconfig -p | grep -q libjemalloc.so.2; then
        as_root apt-get update -qq
        as_root apt-get install -y -qq libvulkan1 mesa-vulkan-drivers libjemalloc2
        lavapipe=(/usr/share/vulkan/icd.d/lvp_icd*.json)
    fi
    allocator=$(ldconfig -p | awk '/libjemalloc\.so\.2/ { print $NF; exit }')
}

# A display without a screen, and hands for it.
install_display() {
    command -v Xvfb >/dev/null && command -v xdotool >/dev/null && return
    as_root apt-get update -qq
    as_root apt-get install -y -qq xvfb xdotool libxkbcommon-x11-0 libxcursor1 libxi6
}

# SwiftShader, unpacked beside the sources and not installed. Ubuntu's package of that name is empty: there this fails,
# and with it the checks that need it.
install_swiftshader() {
    [ -e "$swiftshader" ] && return
    mkdir -p "$root/.vulkan"
    (
        cd "$root/.vulkan" || exit 1
        apt-get download -qq chromium-common || { as_root apt-get update -qq && apt-get download -qq chromium-common; }
        dpkg -x chromium-common_*.deb swiftshader && rm -f chromium-common_*.deb
    )
}

install_reference() {
    if [ ! -x "$python" ]; then
        python3 -m venv "$root/.venv" || { as_root apt-get update -qq && as_root apt-get install -y -qq python3-venv; python3 -m venv "$root/.venv"; }
    fi
    "$python" -c 'import mujoco, sys; sys.exit(mujoco.__version__ != "3.17.0")' 2>/dev/null ||
        "$root/.venv/bin/pip" install -q 'mujoco==3.17.0' numpy
    # its renderer draws without a display by this library
    ldconfig -p | grep -q libOSMesa || as_root apt-get install -y -qq libosmesa6 ||
        { as_root apt-get update -qq && as_root apt-get install -y -qq libosmesa6; }
}

# For the count of kernels; the compilers of a GPU vendor it fetches itself.
install_counter() {
    command -v g++ >/dev/null && return
    as_root apt-get install -y -qq g++ || { as_root apt-get update -qq && as_root apt-get install -y -qq g++; }
}

# A command with a single Vulkan driver.
with_driver() {
    local driver=$1
    shift
    [ -e "$driver" ] || { echo "no driver at $driver" && return 1; }
    VK_DRIVER_FILES="$driver" VK_ICD_FILENAMES="$driver" "$@"
}

# A command on SwiftShader, with the allocator.
compiling() {
    LD_PRELOAD="$allocator" with_driver "$swiftshader" "$@"
}

# Formatting, documentation, and the lints of what is built by itself; of all together they come with the build of the tests.
part_style() {
    check "cargo fmt" cargo fmt --all --check
    # as small as it gets: no kernels, no pictures, no window; with kernels and without a window by hand
    check "clippy without kernels" cargo clippy --quiet -p manyworlds -p manyworlds-control -p manyworlds-cli \
        --no-default-features -- -D warnings
    check "docs" env RUSTDOCFLAGS="-D warnings" cargo doc --quiet --no-deps --lib
}

# What is built together shares what it depends on: a package by itself has other features of it.
together=(--workspace --exclude manyworlds-web-bind)

# A command whose cargo compiles the workspace with clippy, which is the compiler and lints: a pass of its own would have the
# compiler read all dependencies once more.
linted() {
    local driver
    driver=$(command -v clippy-driver) || { echo "no clippy-driver: rustup component add clippy" && return 1; }
    RUSTC_WORKSPACE_WRAPPER="$driver" CLIPPY_ARGS="-Dwarnings__CLIPPY_HACKERY__" "$@"
}

# Everything that is compiled for tests, and the binary of the parts below; an old one must not pass in its place.
part_build() {
    rm -f "$bin" "$target"/debug/examples/{evolution,force_field,swing_up}
    check "build with clippy" linted cargo build --quiet --all-targets "${together[@]}"
}

# Unit and integration tests, side by side where cargo-nextest is installed.
run_tests() {
    if cargo nextest --version >/dev/null 2>&1; then
        cargo nextest run --no-fail-fast --status-level slow --final-status-level fail --failure-output final "${together[@]}"
    else
        cargo test --no-fail-fast --lib --bins --tests --examples "${together[@]}"
    fi
}

# Unit, integration and documentation tests, on SwiftShader, which compiles kernels fast.
part_tests() {
    check "tests" compiling linted run_tests
    check "examples of the documentation" compiling linted cargo test --quiet --doc "${together[@]}"
}

# Kernels against the CPU, on two drivers that share no code; few models, as lavapipe compiles slowly.
part_kernels() {
    local model
    check "adapter lavapipe" with_driver "${lavapipe[0]}" "$bin" doctor
    check "adapter SwiftShader" compiling "$bin" doctor
    check "kernels humanoid lavapipe" with_driver "${lavapipe[0]}" "$bin" check models/humanoid.xml --worlds 4
    # outside registers its solver is cut into dispatches
    check "kernels cartpole lavapipe, storage" with_driver "${lavapipe[0]}" "$bin" check models/cartpole.xml --worlds 4 \
        --placement storage
    check "kernels humanoid SwiftShader, lanes" compiling "$bin" check models/humanoid.xml --worlds 4 \
        --lanes 16 --worlds-per-group 2 --partition fused
    # armature and dampers of actuators, where joints have none
    check "kernels reflected SwiftShader" compiling "$bin" check tests/parity/models/reflected.xml --worlds 4
    # other models and tests/parity/models take minutes: by hand, after a change of kernels
}

# Returns of a search over policies of the cart-pole, without the rates.
evolution() {
    compiling "$target/debug/examples/evolution" models/cartpole.xml models/tasks/cartpole_swing_up.json 2 |
        sed 's/, *[0-9]* steps.*//'
}

# Policies that learn on the device of their worlds: the mean one earns more than the first ones, and twice the same.
learns_alike() {
    local first
    first=$(evolution)
    echo "$first"
    [ "$first" = "$(evolution)" ] &&
        awk '/^generation +0/ { before = $4 + 0 } /^mean/ { after = $5 + 0 } END { exit !(after > 2 * before) }' <<<"$first"
}

# Programs that are documentation; the others are measurements.
part_examples() {
    check "example evolution" learns_alike
    check "example force_field" compiling "$target/debug/examples/force_field" models/quadruped.xml
    check "example swing_up" "$target/debug/examples/swing_up"
}

# The comparer itself: one changed element of one array has to be found.
finds_wrong_elements() {
    local name said
    for name in xpos M qacc efc_D qpos_next; do
        said=$("$python" tests/parity/parity.py --bin "$bin" --perturb $name models/humanoid.xml --states 3)
        [[ $said == *differs*"$name "* ]] || return 1
    done
}

# Models of this repository against the installed reference.
part_parity() {
    # normals of smooth convex shapes are good to the reference's tolerance only: docs/decisions.md 29
    local models=(models/*.xml models/soft/cloth.xml) model
    for model in tests/parity/models/*.xml; do
        [[ $model == */convex* ]] || models+=("$model")
    done
    check "parity cpu" "$python" tests/parity/parity.py --bin "$bin" --backend cpu "${models[@]}"
    check "models with the integrator discrete" "$python" tests/parity/integrator.py --bin "$bin" discrete
    # normals of faces that a file gives, of all formats and scales
    check "compiled meshes" "$python" tests/parity/parity.py --bin "$bin" --compiled tests/parity/pictures/*.xml
    check "parity gpu" compiling "$python" tests/parity/parity.py --bin "$bin" --backend gpu \
        models/{hopper,humanoid}.xml tests/parity/models/{primitives,sensors,rays,implicitfast,equality,adhesion_elliptic,plugins,cable}.xml
    check "derivatives cpu" "$python" tests/parity/derivatives.py --bin "$bin" --integrators all --states 3 models/*.xml
    # in models of this repository with contacts of convex shapes only our own steps are smooth enough: docs/decisions.md 29
    check "derivatives cpu, own steps" "$python" tests/parity/derivatives.py --bin "$bin" --own --integrators all --states 3 \
        tests/parity/models/{convex_round,convex_distance,servos,equality,forces}.xml
    check "exact derivatives" "$python" tests/parity/exact.py --bin "$bin" --states 3 \
        models/{cartpole,hopper,quadruped}.xml \
        tests/parity/models/{cable,convex_distance,delays,discrete,elliptic,equality,fluid_implicit,noslip,servos,sleep,tendons}.xml
    check "derivatives gpu" compiling "$python" tests/parity/derivatives.py --bin "$bin" --backend gpu \
        --tolerance 2e-3 --states 3 --integrators all models/cartpole.xml
    check "resting poses" "$python" tests/parity/rest.py --bin "$bin" tests/parity/models/{convex_rest,convex_meshes}.xml
    check "sleep cpu" "$python" tests/parity/sleep.py --bin "$bin"
    check "sleep gpu" compiling "$python" tests/parity/sleep.py --bin "$bin" --backend gpu --every 5
    check "parity finds a wrong element" finds_wrong_elements
    check "edges of what is allowed" "$python" tests/parity/edges.py --bin "$bin"
    # files.xml of the corpus names files that are in memory only
    check "saved models" "$python" tests/parity/saved.py --bin "$bin" models/*.xml tests/parity/models/*.xml \
        tests/fuzz/corpus/mjcf/{sections,small,structure}.xml
    # on lavapipe: the other has a sixteenth of a pixel only
    check "pictures" with_driver "${lavapipe[0]}" "$python" tests/parity/pictures.py --bin "$bin" models/*.xml
    check "pictures of cameras and meshes" with_driver "${lavapipe[0]}" "$python" tests/parity/pictures.py --bin "$bin" \
        --cameras 20 --shades 3 tests/parity/pictures/*.xml
    check "distribution cpu" "$python" tests/parity/distribution.py --bin "$bin" --backend cpu
    check "distribution gpu" compiling "$python" tests/parity/distribution.py --bin "$bin" --backend gpu
}

# Models of a list below MANYWORLDS_MODELS, without those that a pattern names.
tier() {
    grep -v '^#' "$MANYWORLDS_MODELS/tiers/$1.txt" | grep -vE "${2:-^$}" | sed "s#^#$MANYWORLDS_MODELS/#"
}

# The comparer that came with those models: other states, and a second opinion.
compare_elsewhere() {
    local comparer=$MANYWORLDS_MODELS/../parity/parity.py
    if [ ! -e "$comparer" ]; then
        echo "left out: a second comparer, as there is no $comparer"
        return
    fi
    check "core tier cpu" "$python" "$comparer" --bin "$bin" --backend cpu "${core[@]}"
    check "core tier gpu" compiling "$python" "$comparer" --bin "$bin" --backend gpu --seconds 600 "${core[@]}"
    check "smooth tier cpu" "$python" "$comparer" --bin "$bin" --backend cpu "${smooth[@]}"
    # without a model whose contacts move nothing: its forces of 1.3e17 N cancel but for their last digit, 3 N or none, on
    # both sides alike
    check "contact tier cpu" "$python" "$comparer" --bin "$bin" --backend cpu \
        $(printf '%s\n' "${contact[@]}" | grep -v '/actuation/adhesion\.xml')
    # signed distance fields, as far as the reference agrees with itself at a pose nearby
    local fields=("$MANYWORLDS_MODELS"/../soft/models/sdf_{bowl,few_starts,gears,octree,rays,torus_torus}.xml)
    fields+=("$MANYWORLDS_MODELS"/mujoco/plugin/sdf/{bowl,cow,gear,nutbolt,torus}.xml)
    [ ! -e "${fields[0]}" ] ||
        check "fields cpu" "$python" "$comparer" --bin "$bin" --backend cpu --noise "${fields[@]}"
    # deformable bodies and the integrator discrete, without what lies flat on faces
    local soft=("$MANYWORLDS_MODELS"/../soft/models/{rope_edges,rope_springs,cloth_bend,cloth_euler,cloth_rk4,disc_bend}.xml)
    soft+=("$MANYWORLDS_MODELS"/../soft/models/{tets_direct,radial_ellipsoid,rigid_flex,self_rope,self_tets,rod_circle}.xml)
    soft+=("$MANYWORLDS_MODELS"/../soft/models/{cloth_both,cloth_stretch,raw_articulated,shell_mesh,tets_layers}.xml)
    soft+=(tests/parity/models/convex_flex_nodes_discrete.xml)
    soft+=("$MANYWORLDS_MODELS"/../soft/models/{tri_cells_pin,tri_mesh,tri_shell,quad_beam,quad_shell}.xml)
    soft+=("$MANYWORLDS_MODELS"/../soft/models/{discrete_friction,discrete_noslip,discrete_springs,diagexact_discrete}.xml)
    soft+=("$MANYWORLDS_MODELS"/../soft/models/{cloth_geoms,loop_belt,flex_hfield,servo_discrete,pinned_to_arm}.xml)
    [ ! -e "${soft[0]}" ] ||
        check "soft cpu" "$python" "$comparer" --bin "$bin" --backend cpu --noise "${soft[@]}"
    # one model for each kind of tendon and actuator; the others take minutes on software Vulkan
    check "smooth models gpu" compiling "$python" "$comparer" --bin "$bin" --backend gpu --seconds 600 \
        "$MANYWORLDS_MODELS"/mjx/{actuator/arm21,tendon/pulley_fixed_site_wrap}.xml \
        "$MANYWORLDS_MODELS"/warp/actuation/{actuators,muscle,site,slidercrank}.xml
    # meshes, a hand, a height field, rays
    check "mesh models gpu" compiling "$python" "$comparer" --bin "$bin" --backend gpu --seconds 600 \
        "$MANYWORLDS_MODELS"/mjx/{convex,ray,shadow_hand/scene_right}.xml \
        "$MANYWORLDS_MODELS"/warp/{ray,hfield/hfield}.xml
}

# The kernels of our own models as a vendor's compiler makes them, and of another project's where it is.
count_kernels() {
    install_counter
    check "counts of kernels" "$python" benches/paper/paper.py check --bin "$bin" --only humanoid --only shadow_hand
}

# Models of other projects, where they are at hand.
part_others() {
    if [ ! -e "$MANYWORLDS_MODELS/tiers/core.txt" ]; then
        echo "left out: models of other projects (parity, saved models, pictures), as MANYWORLDS_MODELS is"
        echo "$MANYWORLDS_MODELS, and no tiers/core.txt is there"
        unset MANYWORLDS_MODELS
        count_kernels
        return
    fi
    # smooth without a model with balloons: docs/decisions.md 29. contact without a model whose tendons barely touch their
    # wrapping geoms: moment arms to 3e-8. soft without the skin of a composite
    local core smooth contact soft
    mapfile -t core < <(tier core)
    mapfile -t smooth < <(tier smooth '/balloons\.xml')
    mapfile -t contact < <(tier contact '/replicate/tendon\.xml')
    mapfile -t soft < <(tier soft '/belt\.xml')
    local lists=("$MANYWORLDS_MODELS"/tiers/{core,smooth,contact,mesh,scale}.txt)
    check "all arrays of the core, smooth and contact tiers" "$python" tests/parity/parity.py --bin "$bin" --backend cpu \
        --unconverged "${core[@]}" "${smooth[@]}" "${contact[@]}"
    compare_elsewhere
    count_kernels
    check "compiled models of all tiers" "$python" tests/parity/parity.py --bin "$bin" --compiled "${lists[@]}"
    check "saved models of all tiers" "$python" tests/parity/saved.py --bin "$bin" "${soft[@]}" "${lists[@]}"
    local seen=() name
    for name in car/car cube/cube_3x3x3 humanoid/humanoid tendon_arm/arm26 balloons/balloons slider_crank/slider_crank \
        adhesion/active_adhesion replicate/container; do
        seen+=("$MANYWORLDS_MODELS/mujoco/$name.xml")
    done
    seen+=("$MANYWORLDS_MODELS"/{mjx/shadow_hand/scene_right,warp/hfield/hfield}.xml)
    check "pictures of other models" with_driver "${lavapipe[0]}" "$python" tests/parity/pictures.py --bin "$bin" "${seen[@]}"
}

# A wheel; what was compiled for it stays in a file.
make_wheel() {
    linted "$1" build --profile dev --features as-tested --manifest-path python/Cargo.toml --out "$2" -v \
        >"$target/wheel.log" 2>&1 || { tail -60 "$target/wheel.log" && return 1; }
}

# The Python package: a wheel, in the profile and with the features of the tests, whose compiled engine it shares, in a
# fresh environment.
build_wheel() {
    local env=$root/.venv-python tools=$root/.venv-python-tools wheels=$target/wheels
    [ -x "$tools/bin/maturin" ] || { python3 -m venv "$tools" && "$tools/bin/pip" install -q 'maturin>=1.9,<2'; }
    rm -rf "$env" "$wheels"
    check "wheel" make_wheel "$tools/bin/maturin" "$wheels"
    python3 -m venv "$env"
    check "install" "$env/bin/pip" install -q "$(echo "$wheels"/manyworlds-*.whl)[test,docs]"
}

# Its tests that measure times, and so want the machine for themselves.
timed=(python/tests/test_{cost,fit,planning,threads}.py)

# Its tests on both backends, with a name and an allocator: the given files, or options of pytest.
run_pytest() {
    local name=$1 env=$root/.venv-python allocator=$2
    shift 2
    # without Rust, and not from the folder of the sources
    check "$name" compiling env PATH="$env/bin:/usr/bin:/bin" "$env/bin/python" -m pytest -q -rs \
        -c python/pyproject.toml "$@"
}

# Its lints, and the tests that may run beside others.
test_wheel() {
    local env=$root/.venv-python
    check "ruff" "$env/bin/ruff" check -q python
    check "ruff format" "$env/bin/ruff" format -q --check python
    run_pytest "pytest" "$allocator" python/tests "${timed[@]/#/--ignore=}"
}

part_python() {
    build_wheel
    test_wheel
    run_pytest "pytest, times" "" "${timed[@]}"
}

# The page for browsers. The build fetches the library for WebAssembly where it is missing.
build_page() {
    check "tool of the page with clippy" linted cargo build --quiet -p manyworlds-web-bind
    check "page" web/build.sh web-test
}

# What a user does with it, in headless Chromium.
test_page() {
    check "page in Chromium" web/test.sh
}

part_web() {
    build_page
    test_page
}

say "install"
install_vulkan
install_display
install_swiftshader
install_reference

# The parts one after another; what is wrong with them, and how many checks passed and failed.
run_parts() {
    local part
    for part in "$@"; do
        say "$part"
        "part_$part"
    done
}

summary() {
    local name
    [ -n "${BESIDE:-}" ] || for name in "$ends"/*; do
        [ -e "$name" ] && say "what was wrong with ${name##*/}" && cat "$name"
    done
    say "summary"
    for name in "${failures[@]+"${failures[@]}"}"; do echo "failed: $name"; done
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ] && [ "$passed" -gt 0 ]
}

# parts that run beside others share the folder with them
[ -n "${BESIDE:-}" ] || rm -rf "$ends"
if [ $# -gt 0 ]; then
    run_parts "$@"
    summary
    exit
fi

# all of it: what compares with others takes one core at a time, so the packages are built and tested beside it
install_counter
run_parts style build tests
beside=("kernels examples parity" "others")
running=()
for k in "${!beside[@]}"; do
    # shellcheck disable=SC2086
    BESIDE=1 "$0" ${beside[k]} >"$target/compare-$k.log" 2>&1 &
    running[k]=$!
done
say "python and web"
build_wheel
# another version of a dependency may ask for a feature more, which as-tested has to name
grep -q 'Fresh manyworlds-cpu ' "$target/wheel.log" || echo "slow   the wheel compiled again what tests have: docs/decisions.md 112"
build_page
test_wheel
for k in "${!beside[@]}"; do
    wait "${running[k]}"
    log=$target/compare-$k.log
    cat "$log"
    read -r more_passed _ more_failed _ < <(tail -1 "$log")
    if [[ $more_passed =~ ^[0-9]+$ && $more_failed =~ ^[0-9]+$ ]]; then
        passed=$((passed + more_passed)) failed=$((failed + more_failed))
        while read -r name; do failures+=("$name"); done < <(sed -n 's/^failed: //p' "$log")
    else
        failed=$((failed + 1)) failures+=("${beside[k]}: no summary")
    fi
done
run_pytest "pytest, times" "" "${timed[@]}"
test_page
summary

#!/usr/bin/env python3
"""Large worlds beside MuJoCo: steps per second and memory over the number of bodies, in turns, and their growth.

    cargo build --release
    benches/compare/large.py --bin target/release/manyworlds --repeat 5 --plot docs/large_worlds.svg
    benches/compare/large.py --bin target/release/manyworlds --sets pile:1000,pile:4000 --warmup-by ours --warmup 300
    benches/compare/large.py --bin target/release/manyworlds --forces     # forces at tight tolerance instead

Models are made here: `boxes` are k x k columns of k touching boxes, `pile` mixes spheres, boxes, capsules, cylinders and
ellipsoids that fall into a corner, `chain` is one tree of links, `net` are spheres held together by connects, `robots` are
our quadruped on one floor, `humanoids` our humanoid, `capsules` rest apart and sleep. Each side steps the same model as often
as `--warmup` says, from its reference pose, before it is timed. One world and one thread; with `--threads N`, as many worlds
as threads. Memory is what `bench` says of our world, and the reference's buffer with its arena, as far as it was ever used
and as it is allocated.

No run of the reference takes longer than `--bound` seconds. With `--warmup-by ours`, and where the reference does not get
through its own warm-up in that time, we step the warm-up and both sides start from our state. Both are timed, from a fresh
world, over the same number of steps: as many as the reference takes in half of the bound, at least one. Such a row has a
star, and a line below the table with the contacts and rows that either side finds at that state.

The picture needs matplotlib; `--forces` compares `efc_force` and `qacc` where both solvers go on as long as anything changes.
"""
import argparse
import json
import math
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SHAPES = {"sphere": ".05", "box": ".05 .04 .06", "capsule": ".03 .05", "cylinder": ".04 .05", "ellipsoid": ".05 .04 .06"}
STATE = ("qpos", "qvel", "act", "qacc_warmstart")
# bytes of the reference's arena where it gets no memory for what it asks for
ARENA = 4 << 30
SETS = {
    "boxes": (8, 27, 64, 125, 216, 343),
    "pile": (100, 400, 1000, 4000),
    "humanoids": (22, 100),
    "chain": (300,),
    "net": (400,),
    "robots": (100,),
    "capsules": (10000,),
}


def world(bodies, more="", option='timestep="0.002"', flag=""):
    return (f"<mujoco><option {option}>{flag}</option><worldbody><geom type='plane' size='0 0 1'/>{bodies}</worldbody>"
            f"{more}</mujoco>")


def free(place, geom, name="", turn=""):
    turn = f" euler='{turn}'" if turn else ""
    name = f" name='{name}'" if name else ""
    return f"<body{name} pos='{place}'{turn}><freejoint/><geom {geom}/></body>"


def boxes(n):
    k = round(n ** (1 / 3))
    places = [(x, y, z) for z in range(k) for y in range(k) for x in range(k)]
    return world("".join(free(f"{.12 * x:.3f} {.12 * y:.3f} {.05 + .1 * z:.3f}", "type='box' size='.05 .05 .05'")
                         for x, y, z in places))


def pile(n, shapes=tuple(SHAPES)):
    draw, side = random.Random(0), max(2, int(math.sqrt(n / 4)) + 1)
    bodies = []
    for i in range(n):
        layer, j = divmod(i, side * side)
        x, y = .13 * (j % side) + draw.uniform(-.01, .01), .13 * (j // side) + draw.uniform(-.01, .01)
        shape = shapes[i % len(shapes)]
        bodies.append(free(f"{x:.4f} {y:.4f} {.08 + .14 * layer:.4f}", f"type='{shape}' size='{SHAPES[shape]}'",
                           turn=f"{draw.uniform(0, 180):.1f} {draw.uniform(0, 180):.1f} 0"))
    far = .13 * side + .1
    walls = ((-.1, 0, 1, 0), (far, 0, -1, 0), (0, -.1, 0, 1), (0, far, 0, -1))
    bodies += [f"<geom type='plane' size='0 0 1' pos='{x} {y} 0' zaxis='{u} {v} 0'/>" for x, y, u, v in walls]
    return world("".join(bodies))


def chain(n):
    links = "".join(
        f"<body pos='{.1 if i else 0} 0 {0 if i else 2}'><joint type='hinge' axis='{('0 1 0', '0 0 1')[i % 2]}' damping='.01'/>"
        "<geom type='capsule' fromto='0 0 0 .09 0 0' size='.02'/>" for i in range(n))
    return world(links + "</body>" * n)


def net(n):
    k = round(math.sqrt(n))
    nodes = [(i, j) for i in range(k) for j in range(k)]
    bodies = "".join(free(f"{.1 * i} {.1 * j} 1", "size='.02' mass='.01'", name=f"b{i}_{j}") for i, j in nodes)
    ties = "".join(
        f"<connect body1='b{i}_{j}' body2='b{i + u}_{j + v}' anchor='{.05 * u} {.05 * v} 0'/>"
        for i, j in nodes for u, v in ((1, 0), (0, 1)) if i + u < k and j + v < k)
    return world(bodies + "<geom size='.3' pos='1 1 .5'/>", f"<equality>{ties}</equality>")


def crowd(name, n, apart):
    """The robot of one of our models many times, without actuators: their names are not copied."""
    text = (ROOT / "models" / f"{name}.xml").read_text()
    begin, end = text.index("<worldbody>"), text.index("</worldbody>")
    inside = text[begin:end]
    robot = re.search(r"<body.*</body>", inside, re.S)
    side = max(1, round(math.sqrt(n)))
    rows = -(-n // side)
    many = (f'<replicate count="{side}" offset="{apart} 0 0"><replicate count="{rows}" offset="0 {apart} 0">{robot[0]}'
            "</replicate></replicate>")
    if side * rows != n:
        many = f'<replicate count="{n}" offset="{apart} 0 0">{robot[0]}</replicate>'
    return text[:begin] + inside[:robot.start()] + many + inside[robot.end():] + "</worldbody></mujoco>"


def capsules(n):
    k = round(math.sqrt(n))
    bodies = "".join(free(f"{.3 * (i % k):.1f} {.3 * (i // k):.1f} .05", "type='capsule' size='.05 .08'", turn="0 90 0")
                     for i in range(n))
    return world(bodies, flag='<flag sleep="enable"/>')


MAKE = {
    "boxes": boxes,
    "pile": pile,
    "chain": chain,
    "net": net,
    "robots": lambda n: crowd("quadruped", n, 1.2),
    "humanoids": lambda n: crowd("humanoid", n, 1.2),
    "capsules": capsules,
}


def printed(command, threads):
    """Our last line of output, or why there is none."""
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"RAYON_NUM_THREADS": threads})
    if done.returncode:
        return None, (done.stderr or done.stdout).strip()
    return json.loads(done.stdout.strip().splitlines()[-1]), ""


def ours(args, path, steps):
    threads = str(args.threads)
    command = [args.bin, "bench", path, "--backend", "cpu", "--worlds", threads, "--warmup", str(args.warmup), "--repeat", "1",
               "--steps", str(steps), "--format", "json"]
    found, why = printed(command, threads)
    if why:
        return 0.0, 0.0, why
    row = found["rows"][0]
    return row["steps_per_second"], row["bytes_per_world"], ""


def our_state(args, path, state):
    """Steps the warm-up and writes its last state for both sides; what the run says of itself, or why it failed."""
    import numpy as np

    record = state.with_name("recorded.npz")
    found, why = printed([args.bin, "rollout", path, "--backend", "cpu", "--warmup", str(args.warmup - 1),
                          "--steps", "1", "--record", ",".join(STATE), "--out", record, "--format", "json"], "1")
    if not why:
        with np.load(record) as frames:
            np.savez(state, time=frames["time"][-1], **{name: frames[name][-1] for name in STATE})
    return found, why


def ours_from(args, path, state, capacity, steps):
    """Median rate of three runs from a state, bytes, and the contacts and rows that the first step finds."""
    import numpy as np

    run = [args.bin, "rollout", path, "--backend", "cpu", "--warmup", "0", "--from", state, "--format", "json",
           "--nconmax", str(capacity["nconmax"]), "--njmax", str(capacity["njmax"])]
    record = state.with_name("counted.npz")
    _, why = printed([*run, "--steps", "1", "--record", "ncon,nefc", "--out", record], "1")
    rates, timed = [], {}
    # our run is the shorter one: others on the machine disturb it more
    while not why and len(rates) < 3:
        timed, why = printed([*run, "--steps", str(steps)], "1")
        rates += [timed["steps_per_second"]] if timed else []
    if why:
        return 0.0, 0, 0, 0, why
    with np.load(record) as counts:
        found = [int(counts[name][0, 0]) for name in ("ncon", "nefc")]
    return statistics.median(rates), timed["bytes_per_world"], *found, ""


def allocated(mujoco, path, count):
    """The reference's model and worlds, with a smaller arena where there is no memory for its own."""
    spec = mujoco.MjSpec.from_file(path)
    try:
        model = spec.compile()
        return model, [mujoco.MjData(model) for _ in range(count)]
    except (MemoryError, ValueError, mujoco.FatalError) as error:
        if "memory" not in str(error):
            raise
    spec.memory = ARENA
    model = spec.compile()
    return model, [mujoco.MjData(model) for _ in range(count)]


def reference_from(path, state, bound, steps):
    """Rate, bytes, contacts, rows and steps from a state; at most the steps asked for, as many as fit half the bound."""
    import mujoco
    import numpy as np

    model, (data,) = allocated(mujoco, path, 1)

    def restore():
        mujoco.mj_resetData(model, data)
        with np.load(state) as values:
            data.time = values["time"][0]
            for name in STATE:
                getattr(data, name)[:] = values[name][0]

    def found(rate, taken):
        used, whole = data.nbuffer + data.maxuse_arena, data.nbuffer + data.narena
        return json.dumps([rate, int(used), int(whole), contacts, rows, taken])

    # told before the first step, which may take longer than there is time
    restore()
    mujoco.mj_fwdPosition(model, data)
    contacts, rows = int(data.ncon), int(data.nefc)
    print(found(0.0, 0), time.time(), sep="\n", flush=True)
    restore()
    taken, begin = 0, time.perf_counter()
    while True:
        mujoco.mj_step(model, data)
        taken += 1
        seconds = time.perf_counter() - begin
        if taken == steps or (bound and seconds * (taken + 1) / taken > bound / 2):
            break
    print(found(taken / seconds, taken))


def reference(path, warmup, steps, threads):
    """Rate, bytes, contacts and rows; called in a process of its own, as the reference may end it."""
    import mujoco
    from concurrent.futures import ThreadPoolExecutor

    model, datas = allocated(mujoco, path, threads)

    def run(data, count):
        for _ in range(count):
            mujoco.mj_step(model, data)

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(lambda d: run(d, warmup), datas))
        begin = time.perf_counter()
        list(pool.map(lambda d: run(d, steps), datas))
        seconds = time.perf_counter() - begin
    first = datas[0]
    used, whole = first.nbuffer + first.maxuse_arena, first.nbuffer + first.narena
    print(json.dumps([threads * steps / seconds, int(used), int(whole), int(first.ncon), int(first.nefc)]))


def theirs(args, path, steps, *more):
    """What a run of the reference prints, and why it has no rate; None for one that was too slow to print anything."""
    command = [sys.executable, __file__, "--reference", path, "--warmup", str(args.warmup), "--steps", str(steps),
               "--threads", str(args.threads), *map(str, more)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=args.bound)
    except subprocess.TimeoutExpired as late:
        # a run from a state has printed what it found there, and when it began to step
        told = (late.stdout or b"").decode().split("\n")
        if len(told) < 3:
            return None, f"no end in {args.bound:.0f} s"
        seconds = time.time() - float(told[1])
        return json.loads(told[0]) + [seconds], f"no end in {seconds:.0f} s"
    if done.returncode:
        return [0.0, 0, 0, 0, 0, 0], (done.stderr.strip().splitlines() or ["ended"])[-1]
    return json.loads(done.stdout.strip().splitlines()[-1]), ""


def steps_for(args, path):
    """Steps that take ours about as long as asked for."""
    rate, _, why = ours(args, path, 5)
    return (max(5, round(rate / args.threads * args.seconds)) if rate else 0), why


def apart(args, path, steps):
    """Turns of both sides, each after its own warm-up; None where the reference takes too long."""
    pairs = []
    for _ in range(args.repeat):
        there, why = theirs(args, path, steps)
        if there is None:
            return None
        pairs.append((ours(args, path, steps)[:2], there, why))
    return pairs


def together(args, path, steps):
    """Turns of both sides from the state that our warm-up ends in, and a line about that state."""
    state = Path(path).with_suffix(".npz")
    capacity, failed = our_state(args, path, state)
    if failed:
        return [], failed
    pairs, told = [], []
    for _ in range(args.repeat):
        there, why = theirs(args, path, steps, "--state", state, "--bound", 0 if pairs else args.bound)
        if there is None:
            return [], why
        # later turns take the steps of the first, in which the reference is stopped by the clock
        steps = there[5] or (steps if pairs else 1)
        rate, size, contacts, rows, failed = ours_from(args, path, state, capacity, steps)
        if failed:
            return [], failed
        told.append(f"{there[0]:.6g} and {rate:.6g} steps/s" if there[0] else f"{why}, ours {rate:.6g} steps/s")
        pairs.append(((rate, size), there, why))
        if not there[0]:
            break
    return pairs, (f" *: from our state after {args.warmup} steps, {steps} steps each; contacts and rows there: "
                   f"reference {there[3]:,}, {there[4]:,}, ours {contacts:,}, {rows:,}; "
                   f"turns (reference and ours): {'; '.join(told)}")


def row(args, name, n, folder):
    path = str(folder / f"{name}{n}.xml")
    Path(path).write_text(MAKE[name](n))
    steps, why = steps_for(args, path)
    if not steps:
        print(f"| {name} {n} | {why} |", flush=True)
        return None
    pairs, note = (None, "") if args.warmup_by == "ours" else (apart(args, path, steps), "")
    if pairs is None:
        pairs, note = together(args, path, steps)
    if not pairs:
        print(f"| {name} {n} | {note} |", flush=True)
        return None
    median = statistics.median
    rates = [median(h[0] for h, _, _ in pairs), median(t[0] for _, t, _ in pairs)]
    ratio = f"{median(h[0] / t[0] for h, t, _ in pairs if t[0]):.6g}" if rates[1] else "-"
    (_, ours_bytes), (_, used, whole, contacts, rows, *late), why = pairs[-1]
    if not rates[1] and late[1:]:
        # a single step from a state, which did not end
        ratio = f"> {rates[0] * late[1]:.6g}"
    their = f"{rates[1]:,.6g}" if rates[1] else why
    print(f"| {name} {n}{' *' if note else ''} | {contacts:,}, {rows:,} | {their} | {rates[0]:,.6g} | {ratio} |"
          f" {used / 1e6:.1f}, {whole / 1e6:.1f} | {ours_bytes / 1e6:.1f} |", flush=True)
    return {"set": name, "bodies": n, "rates": rates, "bytes": [ours_bytes, used], "ratio": ratio, "note": note}


def slope(xs, ys):
    """Exponent of growth: least squares in logarithms."""
    points = [(math.log(x), math.log(y)) for x, y in zip(xs, ys) if y > 0]
    if len(points) < 2:
        return math.nan
    mx, my = (statistics.mean(p[k] for p in points) for k in (0, 1))
    return sum((x - mx) * (y - my) for x, y in points) / sum((x - mx) ** 2 for x, _ in points)


def growth(rows, picture):
    """Exponents of time and memory over bodies, of each set with several sizes, and their plot."""
    curves = []
    for name in dict.fromkeys(r["set"] for r in rows):
        of = [r for r in rows if r["set"] == name]
        if len(of) < 3:
            continue
        n = [r["bodies"] for r in of]
        for side, who in enumerate(("ours", "MuJoCo")):
            times = [1e3 / r["rates"][side] if r["rates"][side] else 0.0 for r in of]
            memory = [r["bytes"][side] / 1e6 for r in of]
            print(f"{name}, {who}: time grows with the power {slope(n, times):.2f} of the bodies, memory {slope(n, memory):.2f}")
            curves.append((f"{name}, {who}", n, times, memory, side))
    if not picture or not curves:
        return
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "large"
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(9, 4))
    for label, n, times, memory, side in curves:
        for axis, values in zip(axes, (times, memory)):
            kept = [(x, y) for x, y in zip(n, values) if y > 0]
            axis.loglog(*zip(*kept), ("o-", "s--")[side], label=label)
    for axis, text in zip(axes, ("milliseconds a step", "megabytes a world")):
        axis.set_xlabel("bodies")
        axis.set_ylabel(text)
        axis.grid(alpha=0.3, which="both")
    axes[0].legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(picture, metadata={"Date": None})


def forces(args, folder):
    """Largest difference of forces and accelerations, relative to the largest, after some steps of the reference."""
    import mujoco
    import numpy as np

    tight = 'timestep="0.002" tolerance="1e-15" iterations="500" ls_iterations="100"'
    for name, text in (("boxes 125", boxes(125)), ("pile 400", pile(400, ("sphere", "box", "capsule"))), ("net 400", net(400))):
        path = folder / "tight.xml"
        path.write_text(text.replace('timestep="0.002"', tight))
        model = mujoco.MjModel.from_xml_path(str(path))
        data = mujoco.MjData(model)
        for _ in range(args.warmup):
            mujoco.mj_step(model, data)
        np.savez(folder / "in.npz", qpos=data.qpos[None], qvel=data.qvel[None], qacc_warmstart=data.qacc_warmstart[None])
        done = subprocess.run([args.bin, "eval", path, "--in", folder / "in.npz", "--out", folder / "out.npz", "--backend", "cpu"],
                              capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr or done.stdout)
        out = np.load(folder / "out.npz")
        mujoco.mj_forward(model, data)
        found = [f"{key} {np.abs(out[key][0][:len(want)] - want).max() / np.abs(want).max():.1e}"
                 for key, want in (("efc_force", data.efc_force), ("qfrc_constraint", data.qfrc_constraint), ("qacc", data.qacc))]
        print(f"{name}: {data.nefc} rows; largest difference over the largest value: {', '.join(found)}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=str(ROOT / "target/release/manyworlds"))
    parser.add_argument("--sets", default=",".join(SETS), help="sets of models, separated by commas; pile:1000 is one")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--warmup", type=int, default=100)
    parser.add_argument("--warmup-by", choices=("each", "ours"), default="each", help="whose steps the warm-up is")
    parser.add_argument("--bound", type=float, default=60.0, help="seconds that a run of the reference may take")
    parser.add_argument("--seconds", type=float, default=1.0, help="about how long each measurement of ours takes")
    parser.add_argument("--threads", type=int, default=1, help="threads, and worlds")
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--forces", action="store_true")
    parser.add_argument("--reference", help=argparse.SUPPRESS)
    parser.add_argument("--steps", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--state", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.threads > 1 and args.warmup_by == "ours" or args.warmup < 1:
        parser.error("--warmup is at least 1, and --warmup-by ours is for one world")
    if args.reference and args.state:
        return reference_from(args.reference, args.state, args.bound, args.steps)
    if args.reference:
        return reference(args.reference, args.warmup, args.steps, args.threads)
    with tempfile.TemporaryDirectory() as folder:
        if args.forces:
            return forces(args, Path(folder))
        print("| bodies | contacts, rows | MuJoCo | ours | ours / MuJoCo | its MB used, allocated | our MB |\n"
              "|--|--|--:|--:|--:|--:|--:|", flush=True)
        wanted = [(name, size) for name, _, size in (part.partition(":") for part in args.sets.split(","))]
        rows = [row(args, name, n, Path(folder)) for name, size in wanted for n in ((int(size),) if size else SETS[name])]
        rows = [r for r in rows if r]
        for r in rows:
            if r["note"]:
                print(f"{r['set']} {r['bodies']}{r['note']}")
        growth(rows, args.plot)


if __name__ == "__main__":
    main()

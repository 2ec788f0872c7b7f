#!/usr/bin/env python3
"""Large worlds beside MuJoCo: steps per second and memory over the number of bodies, in turns, and their growth.

    cargo build --release
    benches/compare/large.py --bin target/release/manyworlds --repeat 5 --plot docs/large_worlds.svg
    benches/compare/large.py --bin target/release/manyworlds --forces     # forces at tight tolerance instead

Models are made here: `boxes` are k x k columns of k touching boxes, `pile` mixes spheres, boxes, capsules, cylinders and
ellipsoids that fall into a corner, `chain` is one tree of links, `net` are spheres held together by connects, `robots` are
our quadruped on one floor, `humanoids` our humanoid, `capsules` rest apart and sleep. Each side steps the same model as often
as `--warmup` says, from its reference pose, before it is timed. One world and one thread; with `--threads N`, as many worlds
as threads. Memory is what `bench` says of our world, and the reference's buffer with its arena, as far as it was ever used
and as it is allocated.

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


def ours(args, path, steps):
    threads = str(args.threads)
    command = [args.bin, "bench", path, "--backend", "cpu", "--worlds", threads, "--warmup", str(args.warmup), "--repeat", "1",
               "--steps", str(steps), "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"RAYON_NUM_THREADS": threads})
    if done.returncode:
        return 0.0, 0.0, (done.stderr or done.stdout).strip()
    row = json.loads(done.stdout.strip().splitlines()[-1])["rows"][0]
    return row["steps_per_second"], row["bytes_per_world"], ""


def reference(path, warmup, steps, threads):
    """Rate, bytes, contacts and rows; called in a process of its own, as the reference may end it."""
    import mujoco
    from concurrent.futures import ThreadPoolExecutor

    model = mujoco.MjModel.from_xml_path(path)
    datas = [mujoco.MjData(model) for _ in range(threads)]

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


def theirs(args, path, steps):
    command = [sys.executable, __file__, "--reference", path, "--warmup", str(args.warmup), "--steps", str(steps), "--threads",
               str(args.threads)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return [0.0, 0, 0, 0, 0], (done.stderr.strip().splitlines() or ["ended"])[-1]
    return json.loads(done.stdout), ""


def steps_for(args, path):
    """Steps that take ours about as long as asked for."""
    rate, _, why = ours(args, path, 5)
    return (max(5, round(rate / args.threads * args.seconds)) if rate else 0), why


def row(args, name, n, folder):
    path = str(folder / f"{name}{n}.xml")
    Path(path).write_text(MAKE[name](n))
    steps, why = steps_for(args, path)
    if not steps:
        print(f"| {name} {n} | {why} |", flush=True)
        return None
    pairs = []
    for _ in range(args.repeat):
        there = theirs(args, path, steps)
        pairs.append((ours(args, path, steps), there))
    median = statistics.median
    rates = [median(h[0] for h, _ in pairs), median(t[0] for _, (t, _) in pairs)]
    ratio = f"{median(h[0] / t[0] for h, (t, _) in pairs if t[0]):.2f}" if rates[1] else "-"
    (_, ours_bytes, _), ((_, used, whole, contacts, rows), _) = pairs[-1]
    their = f"{rates[1]:,.0f}" if rates[1] else pairs[-1][1][1]
    print(f"| {name} {n} | {contacts:,}, {rows:,} | {their} | {rates[0]:,.0f} | {ratio} | {used / 1e6:.1f}, {whole / 1e6:.1f} |"
          f" {ours_bytes / 1e6:.1f} |", flush=True)
    return {"set": name, "bodies": n, "rates": rates, "bytes": [ours_bytes, used], "ratio": ratio}


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
    parser.add_argument("--sets", default=",".join(SETS), help="sets of models, separated by commas")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--warmup", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=1.0, help="about how long each measurement of ours takes")
    parser.add_argument("--threads", type=int, default=1, help="threads, and worlds")
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--forces", action="store_true")
    parser.add_argument("--reference", help=argparse.SUPPRESS)
    parser.add_argument("--steps", type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.reference:
        return reference(args.reference, args.warmup, args.steps, args.threads)
    with tempfile.TemporaryDirectory() as folder:
        if args.forces:
            return forces(args, Path(folder))
        print("| bodies | contacts, rows | MuJoCo | ours | ours / MuJoCo | its MB used, allocated | our MB |\n|--|--|--:|--:|--:|--:|--:|", flush=True)
        rows = [row(args, name, n, Path(folder)) for name in args.sets.split(",") for n in SETS[name]]
        growth([r for r in rows if r], args.plot)


if __name__ == "__main__":
    main()

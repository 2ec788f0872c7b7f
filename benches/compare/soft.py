#!/usr/bin/env python3
"""Deformable bodies beside MuJoCo: steps per second of a tier of models, and the growth of a cloth, in turns.

    cargo build --release
    benches/compare/soft.py --bin target/release/manyworlds --models $MANYWORLDS_MODELS --repeat 5
    benches/compare/soft.py --bin target/release/manyworlds --growth 100,400,1600,3600,10000 --plot growth.png
    benches/compare/soft.py --bin target/release/manyworlds models/soft/cloth.xml

Without files, the models are those that `tiers/soft.txt` of `--models` lists, as far as they have flexes, and those of
`models/soft`. One world and one thread; both sides step a model as often as `--warmup` says, from keyframe 0 or the reference
pose, and are timed over the same steps after that. The median of the ratios of all turns counts.

`--growth` steps a square cloth of about so many vertices, held at its corners, without collision with itself (`cloth`) and with
it (`cloth, self`), and prints time and memory per vertex. The picture needs matplotlib, and is what the end of its name says.
"""
import argparse
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SELF = {"cloth": "none", "cloth, self": "auto"}


def cloth(n, selfcollide):
    """A square cloth held at its corners, of which each vertex has the same mass whatever their number."""
    k = max(3, round(math.sqrt(n)))
    corners = f"0 {k - 1} {k * (k - 1)} {k * k - 1}"
    return k * k, (
        "<mujoco><option timestep='.001' solver='CG' tolerance='1e-6'/><size memory='4G'/><worldbody>"
        f"<flexcomp name='cloth' type='grid' count='{k} {k} 1' spacing='.02 .02 .02' pos='0 0 1' radius='.001' dim='2' "
        f"mass='{.002 * k * k}'><edge equality='false' damping='.1'/><contact selfcollide='{selfcollide}'/>"
        "<elasticity young='3e4' poisson='.2' thickness='2e-3' elastic2d='stretch'/>"
        f"<pin id='{corners}'/></flexcomp></worldbody></mujoco>")


def ours(args, path):
    """Rate and bytes of our world, its device, and why it has no rate."""
    words = [args.bin, "bench", path, "--backend", "cpu", "--worlds", "1", "--warmup", str(args.warmup),
             "--steps", str(args.steps), "--format", "json"]
    done = subprocess.run(words, capture_output=True, text=True, env=os.environ | {"RAYON_NUM_THREADS": "1"})
    if done.returncode:
        return 0.0, 0, "", (done.stderr.strip().splitlines() or ["ended"])[-1]
    row = json.loads(done.stdout.splitlines()[-1])
    row = row["rows"][0] if "rows" in row else row
    return row["steps_per_second"], row["bytes_per_world"], row["device"], ""


def theirs(args, model):
    """Rate and bytes of the reference's world, with its contacts and rows after the last step."""
    import mujoco

    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_step(model, data, args.warmup)
    begin = time.perf_counter()
    mujoco.mj_step(model, data, args.steps)
    rate = args.steps / (time.perf_counter() - begin)
    return rate, int(data.nbuffer + data.maxuse_arena), int(data.ncon), int(data.nefc)


def turns(args, path):
    """Both sides in turns: medians, and the last of what they say of their worlds; or why there are none."""
    import mujoco

    try:
        model = mujoco.MjModel.from_xml_path(str(path))
    except ValueError as error:
        return None, f"reference: {error}"
    pairs = []
    for _ in range(args.repeat):
        there, here = theirs(args, model), ours(args, path)
        if here[3]:
            return None, here[3]
        pairs.append((here, there))
    median = statistics.median
    (_, size, device, _), (_, their_size, contacts, rows) = pairs[-1]
    return {"rates": [median(here[0] for here, _ in pairs), median(there[0] for _, there in pairs)],
            "ratio": median(here[0] / there[0] for here, there in pairs), "bytes": [size, their_size],
            "dofs": model.nv, "contacts": contacts, "rows": rows, "device": device}, ""


def tier(folder):
    """Files of the tier that have flexes, and our own soft models."""
    listed = []
    if folder:
        lines = (Path(folder) / "tiers/soft.txt").read_text().splitlines()
        listed = [Path(folder) / line for line in lines if line and not line.startswith("#")]
    files = listed + sorted((ROOT / "models/soft").glob("*.xml"))
    return [path for path in files if "<flex" in path.read_text()]


def rates(args, files):
    """The table of rates."""
    print("| model | degrees of freedom | contacts, rows | MuJoCo, steps/s | ours, steps/s | ours / MuJoCo |")
    print("|---|---:|---:|---:|---:|---:|")
    devices = set()
    for path in files:
        found, why = turns(args, path)
        name = "/".join(Path(path).parts[-3:])
        if not found:
            print(f"| {name} | {why} |", flush=True)
            continue
        devices.add(found["device"])
        print(f"| {name} | {found['dofs']:,} | {found['contacts']:,}, {found['rows']:,} | {found['rates'][1]:,.1f} | "
              f"{found['rates'][0]:,.1f} | {found['ratio']:.2f} |", flush=True)
    return devices


def growth(args, folder):
    """The table of the growth: time and memory of a step per vertex, and the plot of both."""
    print("| cloth | vertices | MuJoCo, µs a vertex | ours, µs a vertex | MuJoCo, bytes a vertex | ours, bytes a vertex |")
    print("|---|---:|---:|---:|---:|---:|")
    curves, devices = [], set()
    for name, selfcollide in SELF.items():
        points = []
        for n in map(int, args.growth.split(",")):
            count, text = cloth(n, selfcollide)
            path = Path(folder) / f"cloth{count}.xml"
            path.write_text(text)
            found, why = turns(args, path)
            if not found:
                print(f"| {name} | {count:,} | {why} |", flush=True)
                continue
            devices.add(found["device"])
            micros = [1e6 / rate / count for rate in found["rates"]]
            sizes = [size / count for size in found["bytes"]]
            print(f"| {name} | {count:,} | {micros[1]:.3f} | {micros[0]:.3f} | {sizes[1]:,.0f} | {sizes[0]:,.0f} |", flush=True)
            points.append((count, micros, sizes))
        curves.append((name, points))
    if args.plot:
        draw(curves, args.plot)
    return devices


def draw(curves, picture):
    """The growth as a picture."""
    import matplotlib

    matplotlib.use("svg" if picture.endswith(".svg") else "agg")
    matplotlib.rcParams["svg.hashsalt"] = "soft"
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(9, 4))
    for name, points in curves:
        for side, who in enumerate(("ours", "MuJoCo")):
            for axis, place in zip(axes, (1, 2)):
                axis.loglog([p[0] for p in points], [p[place][side] for p in points], ("o-", "s--")[side], label=f"{name}, {who}")
    for axis, text in zip(axes, ("microseconds a step and vertex", "bytes a vertex")):
        axis.set_xlabel("vertices")
        axis.set_ylabel(text)
        axis.grid(alpha=0.3, which="both")
    axes[0].legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(picture, **({"metadata": {"Date": None}} if picture.endswith(".svg") else {}))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", help="models, in place of the tier")
    parser.add_argument("--bin", default=str(ROOT / "target/release/manyworlds"))
    parser.add_argument("--models", default=os.environ.get("MANYWORLDS_MODELS", ""), help="folder with tiers/soft.txt")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--warmup", type=int, default=200)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--growth", help="numbers of vertices, separated by commas, in place of the rates")
    parser.add_argument("--plot", help="file of the picture of the growth")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        devices = growth(args, folder) if args.growth else rates(args, args.files or tier(args.models))
    commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    print(f"\n{', '.join(sorted(devices)) or 'no device'}; {platform.processor() or platform.machine()}; commit {commit}; "
          f"{args.steps} steps after {args.warmup}, median of {args.repeat}; Python {sys.version.split()[0]}")


if __name__ == "__main__":
    main()

"""Motions of the task files under `manyworlds plan`, recorded and drawn: film strips, and the cost of every iteration.

    cargo build --release
    python python/examples/plans.py --binary target/release/manyworlds --out plans [NAME ...]

For each motion: NAME.npz as the verb writes it, NAME.png with pictures of it, and NAME_cost.png with the cost of
the plan after each iteration and of the motion itself. What the verb says of each is printed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from pathlib import Path

import film
import matplotlib.pyplot as plt
import numpy as np

import manyworlds as mw

TASKS = Path(__file__).resolve().parents[2] / "models/tasks"

# name: task, words for the verb, azimuth
MOTIONS = {
    "acrobot": ("acrobot", ["--seconds", "6"], -90),
    "cartpole": ("cartpole", ["--seconds", "4"], -90),
    "swimmer": ("swimmer", ["--seconds", "8"], -90),
    "hopper": ("hopper", ["--seconds", "3"], -90),
    "quadruped": ("quadruped", ["--keyframe", "slumped", "--seconds", "2"], -70),
    "humanoid_face_down": ("humanoid", ["--keyframe", "face_down", "--seconds", "4"], -70),
    "humanoid_face_up": ("humanoid", ["--keyframe", "face_up", "--seconds", "4"], -70),
    "humanoid_side": ("humanoid", ["--keyframe", "side", "--seconds", "4"], -70),
    "humanoid_push": ("humanoid", ["--keyframe", "stand", "--push", "chest@1:0.1=150:60:0", "--seconds", "4"], -70),
}


def run(binary: str, name: str, out: Path) -> dict:
    """Plans a motion; what the verb says of it."""
    task, words, _ = MOTIONS[name]
    command = [binary, "--format", "json", "plan", str(TASKS / f"{task}.xml"), *words]
    command += ["--backend", "cpu", "--out", str(out / f"{name}.npz")]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode > 1:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def pictures(name: str, out: Path, count: int = 9) -> None:
    """A film strip of a motion, and its costs."""
    task, _, azimuth = MOTIONS[name]
    found = np.load(out / f"{name}.npz")
    model = mw.Model.from_xml_path(TASKS / f"{task}.xml")
    time, qpos = found["time"][:, 0], found["qpos"][:, 0]
    chosen = np.linspace(0, len(qpos) - 1, count).round().astype(int)
    elevation = 89.0 if task == "swimmer" else 14.0
    figure = film.draw(model, qpos[chosen], times=list(time[chosen]), azimuth=azimuth, elevation=elevation)
    figure.savefig(out / f"{name}.png", dpi=160)
    plt.close(figure)
    figure, (plan, motion) = plt.subplots(1, 2, figsize=(8, 2.6), layout="constrained")
    plan.semilogy(np.maximum(found["plan_after"], 1e-3), lw=1, color=film.PAINT)
    plan.set(xlabel="iteration", ylabel="cost of the plan", title=name)
    motion.plot(time, found["cost"][:, 0], lw=1, color=film.PAINT)
    motion.set(xlabel="s", ylabel="cost of a step")
    for ax in (plan, motion):
        ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(out / f"{name}_cost.png", dpi=120)
    plt.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help=f"motions, all where none is given: {', '.join(MOTIONS)}")
    parser.add_argument("--binary", default="manyworlds")
    parser.add_argument("--out", type=Path, default=Path("plans"))
    args = parser.parse_args()
    unknown = [name for name in args.names if name not in MOTIONS]
    if unknown:
        parser.error(f"unknown motions {unknown}; known: {', '.join(MOTIONS)}")
    args.out.mkdir(parents=True, exist_ok=True)
    for name in args.names or MOTIONS:
        print(name, json.dumps(run(args.binary, name, args.out)), flush=True)
        pictures(name, args.out)


if __name__ == "__main__":
    main()

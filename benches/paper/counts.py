#!/usr/bin/env python3
"""counts.py [--renew] [--bin BIN] [--only NAME]: kernels of a few models as a GPU vendor's compiler makes them, against counts.json.

Registers, code size, stack and spills come from the compiler, warp instructions and barriers of a world and step from running its
output on the host, with the instrument of ../shared/paper. A kernel that grows by more than 5 %, or that spills or keeps more
on the stack than before, is an error. --renew writes counts.json instead, after a change that is meant.

The compilers are fetched from PyPI into PAPER_HOME (default ~/.cache/manyworlds-paper) when they are missing.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
PAPER = SHARED / "paper"
HOME = Path(os.environ.get("PAPER_HOME", Path.home() / ".cache" / "manyworlds-paper"))
STORED = Path(__file__).with_name("counts.json")
ARCH = "sm_89"
WORLDS, WARM, STEPS = 32, 150, 2

# name: model, mean contacts and rows of a world
MODELS = {
    "quadruped": (ROOT / "models/quadruped.xml", 4, 20),
    "humanoid": (ROOT / "models/humanoid.xml", 5, 25),
    "three_humanoids": (ROOT / "models/three_humanoids.xml", 13, 74),
    "pile": (ROOT / "models/pile.xml", 40, 160),
    "shadow_hand": (SHARED / "models/mjx/shadow_hand/scene_right.xml", 2, 10),
}

# relative growth that is an error
GROWTH = {"registers": 0.05, "code_bytes": 0.05, "warp_instructions": 0.05, "barriers": 0.05, "stack": 0, "spills": 0}


def run(command, folder, **more):
    """Output of a command; its error text where it fails."""
    done = subprocess.run([str(c) for c in command], cwd=folder, capture_output=True, text=True, **more)
    if done.returncode:
        raise SystemExit(f"{command[0]} {command[1] if len(command) > 1 else ''} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def install():
    """The instrument with our patch, in HOME."""
    if not (PAPER / "paper.sh").exists():
        raise SystemExit(f"no instrument at {PAPER}: kernels cannot be counted")
    for tool in ("g++", "patch"):
        if shutil.which(tool) is None:
            raise SystemExit(f"{tool} is missing: apt-get install g++ patch")
    compiler = HOME / "nv/nvidia"
    if not (compiler / "cuda_nvcc/bin/ptxas").exists():
        run(["bash", PAPER / "paper.sh", "setup"], ROOT, env={**os.environ, "PAPER_HOME": str(HOME)})
    # copies get the time of now, so that paper.sh does not overwrite what is patched
    for part in (".", "nv", "dyn"):
        (HOME / part).mkdir(parents=True, exist_ok=True)
        for file in (PAPER / part).iterdir():
            if file.is_file():
                (HOME / part / file.name).unlink(missing_ok=True)
                shutil.copyfile(file, HOME / part / file.name)
    (HOME / "results").mkdir(exist_ok=True)
    run(["patch", "-p1", "-i", ROOT / "benches/paper/instrument.patch"], HOME)
    run(["g++", "-O1", "-std=c++17", "-o", "emu", "emu.cpp", "-ldl"], HOME / "dyn")


def count(binary, name, model, contacts, rows, *options):
    """Figures of each kernel of a model."""
    folder = HOME / "out" / name / "counts"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.rmtree(HOME / "dyn/work" / f"{name}-counts", ignore_errors=True)
    folder.mkdir(parents=True)
    run([binary, "kernels", model, "--out", folder, "--arena", "--contacts", contacts, "--rows", rows, *options], ROOT)
    # what the compiler says
    keep = HOME / "nv/keep" / name / "counts"
    shutil.rmtree(keep, ignore_errors=True)
    texts = sorted(folder.glob("*.metal"))
    env = {**os.environ, "NV": str(HOME / "nv/nvidia")}
    said = run([sys.executable, "sass.py", "--arch", ARCH, "--keep", keep, *texts], HOME / "nv", env=env)
    kernels = {}
    for row in map(json.loads, said.splitlines()):
        kernel = Path(row["file"]).stem
        if "error" in row:
            raise SystemExit(f"{name}, {kernel}: {row['error']}")
        kernels[kernel] = {
            "registers": row["registers"],
            "code_bytes": row["code_bytes"],
            "stack": row["stack"],
            "spills": row["spill_stores"] + row["spill_loads"],
        }
    # what the kernels issue, but for those of several steps, which are compiled and not run
    issued = json.loads(run([sys.executable, "dyn.py", name, "counts", WORLDS, WARM, STEPS], HOME / "dyn"))
    if issued["status"] != 0:
        raise SystemExit(f"{name}: status {issued['status']} on the host")
    for kernel, found in issued["kernels"].items():
        kernels[kernel]["warp_instructions"] = round(found["warp_instructions"])
        kernels[kernel]["barriers"] = round(found["classes"].get("bar", 0))
        kernels[kernel]["active_lanes"] = found["lanes_active"]
    return kernels


def changes(name, stored, now):
    """Lines of the table, and whether they are errors."""
    for kernel in sorted(stored.keys() ^ now.keys()):
        yield True, f"{name:16} {kernel[:44]:44} {'is new' if kernel in now else 'is gone'}"
    for kernel in sorted(stored.keys() & now.keys()):
        for what, growth in GROWTH.items():
            if what not in stored[kernel] and what not in now[kernel]:
                continue
            before, after = stored[kernel].get(what, 0), now[kernel].get(what, 0)
            worse = after > before * (1 + growth)
            if worse or after < before * (1 - max(growth, 0.01)):
                yield worse, f"{name:16} {kernel[:44]:44} {what:18} {before:8} {after:8} {after / before - 1 if before else 1:+7.1%}"


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--bin", type=Path, default=ROOT / "target/release/manyworlds")
    arguments.add_argument("--renew", action="store_true", help="write counts.json")
    arguments.add_argument("--only", choices=MODELS, action="append", help="a model; all where not given")
    given = arguments.parse_args()
    if not given.bin.exists():
        raise SystemExit(f"no {given.bin}: cargo build --release, or --bin")
    install()
    stored = json.loads(STORED.read_text()) if STORED.exists() else {}
    failed = False
    for name in given.only or MODELS:
        now = count(given.bin.resolve(), name, *MODELS[name])
        total = sum(k.get("warp_instructions", 0) for k in now.values())
        print(f"{name:16} {total:8} warp instructions a world and step", flush=True)
        if given.renew:
            stored[name] = now
            continue
        for worse, line in changes(name, stored.get(name, {}), now):
            failed |= worse
            print(("GROWN  " if worse else "       ") + line)
    if given.renew:
        STORED.write_text(json.dumps(stored, indent=1, sort_keys=True) + "\n")
    if failed:
        print("Kernels have grown by more than 5 %, or spill. If that is meant: benches/paper/counts.py --renew")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())

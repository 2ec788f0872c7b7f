#!/usr/bin/env python3
"""Time to load and compile a model, ours and the reference's, in turns in one run.

    cargo build --release
    pip install mujoco==3.17.0
    benches/compare/load.py --bin target/release/manyworlds $MANYWORLDS_MODELS/mujoco/replicate/bunnies.xml …

Timed is the call that turns the file into a model (`manyworlds::load`, `MjModel.from_xml_path`), each in a fresh process,
since the reference caches meshes; the start of the process and Python's imports are not counted. One JSON line a
model goes to standard output and, with `--out`, to a file.
"""
import argparse
import json
import statistics
import subprocess
import sys

REFERENCE = """
import sys, time, mujoco
begin = time.perf_counter()
mujoco.MjModel.from_xml_path(sys.argv[1])
print(time.perf_counter() - begin)
"""


def reference(path):
    done = subprocess.run([sys.executable, "-c", REFERENCE, path], capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1])


def ours(binary, path):
    done = subprocess.run([binary, "--format", "json", "info", path], capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])["load_seconds"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--repeat", type=int, default=9)
    parser.add_argument("--out")
    parser.add_argument("models", nargs="+")
    args = parser.parse_args()
    for path in args.models:
        pairs = [(ours(args.bin, path), reference(path)) for _ in range(args.repeat)]
        mine, theirs = (statistics.median(side) for side in zip(*pairs))
        line = {"model": path, "repeat": args.repeat, "seconds": mine, "reference_seconds": theirs,
                "ratio": statistics.median(a / b for a, b in pairs)}
        print("%-60s %8.1f ms, reference %8.1f ms, ratio %.2f" % (path[-60:], 1e3 * mine, 1e3 * theirs, line["ratio"]))
        if args.out:
            with open(args.out, "a") as handle:
                handle.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()

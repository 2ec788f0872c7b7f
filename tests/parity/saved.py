#!/usr/bin/env python3
"""Models saved as MJCF: the installed reference reads each, and makes of it the model that it makes of the original.

    tests/parity/saved.py --bin target/debug/manyworlds models/*.xml $MANYWORLDS_MODELS/tiers/smooth.txt

Lists are as for parity.py. Every array of the compiled model is compared, options, statistics and visual settings
too; a text file has all digits, so that the error is one of rounding. Exit status 0 when all are equal, 1 otherwise.
"""
import argparse
import os
import sys
import tempfile

import mujoco
import numpy as np

from parity import REFERENCE, error, models_of, over_of, run

TOLERANCE = 1e-9

# fields that may differ, and the reason
NOT_COMPARED = {
    **dict.fromkeys(("paths", "npaths", "nbuffer", "mesh_pathadr", "hfield_pathadr", "skin_pathadr", "tex_pathadr"),
                    "files are named by absolute paths"),
}


def arrays(part, prefix=""):
    """Numbers of a struct of the reference, by name, with those of the structs in it."""
    for name in dir(part):
        if name.startswith("_") or name in NOT_COMPARED or name in ("signature", "headlight"):
            continue
        value = getattr(part, name)
        if isinstance(value, (int, float, np.ndarray, bytes)):
            yield prefix + name, value
        elif name in ("opt", "stat", "vis", "global_", "quality", "map", "scale", "rgba"):
            yield from arrays(value, prefix + name + ".")
    if hasattr(part, "headlight"):
        yield from arrays(part.headlight, prefix + "headlight.")


def named(value):
    """Text, which has no error, as the numbers of its letters."""
    return np.frombuffer(value, np.uint8) if isinstance(value, bytes) else value


def compare(path, binary):
    """Errors over tolerance, and the number of arrays compared."""
    with tempfile.TemporaryDirectory() as folder:
        saved = os.path.join(folder, "saved.xml")
        run(binary, "compile", path, "--out", saved)
        want, got = (dict(arrays(mujoco.MjModel.from_xml_path(p))) for p in (path, saved))
    errors = {}
    for name, expected in want.items():
        value, expected = named(got[name]), named(expected)
        # a quaternion and its negative are one rotation
        if name.endswith("quat") and np.shape(value) == np.shape(expected):
            value = value * np.where(np.sum(value * expected, -1, keepdims=True) < 0, -1, 1)
        errors[name] = (error(value, expected), TOLERANCE)
    return over_of(errors), len(errors)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("models", nargs="+")
    args = parser.parse_args()
    if mujoco.__version__ != REFERENCE:
        sys.exit("the reference is MuJoCo %s, but %s is installed" % (REFERENCE, mujoco.__version__))
    good, models = 0, list(models_of(args.models))
    for path in models:
        try:
            over, count = compare(path, args.bin)
        except (RuntimeError, ValueError) as reason:
            print("refused  %s  %s" % (path, str(reason).replace("\n", " ")), flush=True)
            continue
        good += not over
        detail = "; ".join("%s %.1e" % (name, e) for e, name in over[:8])
        print("%-8s %s  %d arrays  %s" % ("differs" if over else "ok", path, count, detail), flush=True)
    print("%d of %d saved models are those of the originals" % (good, len(models)))
    return 0 if good == len(models) else 1


if __name__ == "__main__":
    sys.exit(main())

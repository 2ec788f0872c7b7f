#!/usr/bin/env python3
"""Exact derivatives against central differences, both of the binary and in double precision.

    tests/parity/exact.py --bin target/debug/manyworlds models/*.xml
    tests/parity/exact.py --bin target/debug/manyworlds --states 20 --list 5 tests/parity/models/*.xml

Differences are taken with steps of 1e-4 to 1e-9. Of each entry that value counts which differs least from the one with the next
step, and it is known to that difference: more where a contact begins or a limit is met within the step, or where an
iteration of the collision functions ends elsewhere. An entry is wrong if it is off by more than --tolerance and ten times
what is known, both relative to the largest entry of its matrix (or one). Entries that differences know to less than the
tolerance are counted as unknown; states whose derivatives may be those of one side are not compared. Exit status 0 if nothing is wrong.
"""
import argparse
import os
import sys
import tempfile

import mujoco
import numpy as np

from parity import INPUTS, run, states_of

STEPS = (1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9)


def best(tries):
    """The best of several values of each entry, and how well it is known."""
    tries = np.stack(tries)
    apart = np.abs(np.diff(tries, axis=0))
    # what rounding makes of a small step; that two of them agree may be chance
    size = 1 + np.abs(tries).max(axis=(0, 2, 3), keepdims=True)
    apart = apart + 1e-15 * size / np.reshape(STEPS[1:], (-1, 1, 1, 1))
    which = np.argmin(apart, axis=0)[None]
    return np.take_along_axis(tries[1:], which, 0)[0], np.take_along_axis(apart, which, 0)[0]


def compare(path, args):
    model = mujoco.MjModel.from_xml_path(path)
    states = states_of(model, args.states, args.seed)
    wrong, unknown, total, corners, worst, lines = 0, 0, 0, 0, 0.0, []
    with tempfile.TemporaryDirectory() as folder:
        given, out = os.path.join(folder, "in.npz"), os.path.join(folder, "out.npz")
        np.savez(given, **{name: np.stack([s[name] for s in states]) for name in (*INPUTS, "qacc")})

        def derivatives(*flags):
            run(args.bin, "derivatives", path, "--in", given, "--out", out, "--backend", "cpu", *flags)
            return dict(np.load(out))

        for flags in [[]] if args.step else [[], ["--inverse"]]:
            try:
                exact = derivatives("--method", "exact", *flags)
            except RuntimeError as reason:
                return 1, f"refused  {path}  {' '.join(flags)} {str(reason).strip()[:200]}"
            tries = [derivatives("--method", "differences", "--eps", str(eps), *flags) for eps in STEPS]
            at_corner = exact.pop("one_sided") != 0
            corners += at_corner.sum()
            for name, got in exact.items():
                if not got.size:
                    continue
                want, known = best([t[name] for t in tries])
                scale = 1 + np.abs(want).max(axis=(1, 2), keepdims=True)
                off, known = np.abs(got - want) / scale, known / scale
                # at a corner they are those of one side
                compared = np.broadcast_to((~at_corner | args.corners)[:, None, None], got.shape)
                bad = (off > np.maximum(args.tolerance, 10 * known)) & compared
                hazy = known > args.tolerance
                wrong, unknown, total = wrong + bad.sum(), unknown + hazy.sum(), total + got.size
                worst = max(worst, off[~hazy & compared].max(initial=0))
                for k, i, j in np.argwhere(bad)[:args.list]:
                    lines.append(f"         {name}[{k}, {i}, {j}]: {got[k, i, j]:.6g}, by differences "
                                 + " ".join(f"{t[name][k, i, j]:.6g}" for t in tries))
    word = "wrong" if wrong else "ok"
    head = f"{word:8} {path}  {len(states)} states  {total} entries  {wrong} wrong  {unknown} unknown  {corners} at corners  worst {worst:.1e}"
    return wrong, "\n".join([head, *lines])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--states", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--step", action="store_true", help="without inverse dynamics")
    parser.add_argument("--corners", action="store_true", help="compares states too whose derivatives may be of one side")
    parser.add_argument("--list", type=int, default=2, help="wrong entries of each matrix that are printed")
    parser.add_argument("--tolerance", type=float, default=1e-6)
    parser.add_argument("models", nargs="+")
    args = parser.parse_args()
    good = 0
    for path in args.models:
        wrong, text = compare(path, args)
        good += not wrong
        print(text, flush=True)
    print(f"{good} of {len(args.models)} models have the derivatives that differences come to, to {args.tolerance:.0e}")
    return 0 if good == len(args.models) else 1


if __name__ == "__main__":
    sys.exit(main())

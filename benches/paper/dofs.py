#!/usr/bin/env python3
"""dofs.py [--bin BIN] [--out PICTURE]: warp instructions per degree of freedom and step, from 6 to 270, as a table and a plot.

One hopper, one quadruped, and one to ten humanoids in a world, for a device with 48 KiB of workgroup memory; needs matplotlib.
"""

import argparse
import json
import tempfile
from pathlib import Path

from counts import HOME, ROOT, count, install

HUMANOIDS = (1, 2, 3, 4, 5, 7, 10)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--bin", type=Path, default=ROOT / "target/release/manyworlds")
    arguments.add_argument("--out", type=Path, default=ROOT / "docs/instructions_per_dof.svg")
    given = arguments.parse_args()
    install()
    models = ROOT / "models"
    scratch = tempfile.TemporaryDirectory()
    folder = Path(scratch.name)
    (folder / "humanoid.xml").write_text((models / "humanoid.xml").read_text())
    cases = [("hopper", models / "hopper.xml", 2, 8), ("quadruped", models / "quadruped.xml", 4, 20)]
    for n in HUMANOIDS:
        path = folder / f"humanoids_{n}.xml"
        text = (models / "three_humanoids.xml").read_text()
        path.write_text(text.replace('replicate count="3"', f'replicate count="{n}"'))
        cases.append((path.stem, path, 5 * n, 25 * n))
    rows = []
    print("| model | dofs | instructions | per dof | of it solve |\n|-|--:|--:|--:|--:|")
    for name, path, contacts, constraints in cases:
        kernels = count(given.bin.resolve(), name, path, contacts, constraints, "--workgroup-bytes", 48 << 10)
        layout = json.loads((HOME / "out" / name / "counts/config.json").read_text())
        dofs = next(slot["len"] for slot in layout["slots"] if slot["name"] == "qvel")
        issued = {k: v.get("warp_instructions", 0) for k, v in kernels.items()}
        total, solve = sum(issued.values()), sum(v for k, v in issued.items() if "solve" in k)
        rows.append((dofs, total / dofs, solve / dofs))
        print(f"| {name} | {dofs} | {total} | {total / dofs:.0f} | {solve / dofs:.0f} |", flush=True)

    import matplotlib

    matplotlib.use("svg")
    # the same bytes for the same figures
    matplotlib.rcParams["svg.hashsalt"] = "dofs"
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4))
    dofs, all_, solve = zip(*rows)
    axes.plot(dofs, all_, "o-", label="step")
    axes.plot(dofs, solve, "s--", label="solve")
    axes.set_xscale("log")
    axes.set_xticks(dofs, [str(d) for d in dofs])
    axes.minorticks_off()
    axes.set_ylim(bottom=0)
    axes.set_xlabel("degrees of freedom")
    axes.set_ylabel("warp instructions per degree of freedom and step")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(given.out, metadata={"Date": None})


if __name__ == "__main__":
    main()

"""Warp instructions per degree of freedom and step, from 6 to 594: a hopper, a quadruped, one to 22 humanoids."""

import tempfile
from pathlib import Path

from .tools import ROOT

HUMANOIDS = (1, 2, 3, 4, 5, 7, 10, 22)


def count(kernels_of):
    """Rows (degrees of freedom, instructions, those of the solver), printed as a table; `kernels_of` counts a model."""
    rows = []
    print("| model | dofs | instructions | per dof | of it solve |\n|-|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as scratch:
        for model, path, contacts, constraints in models(Path(scratch)):
            dofs, kernels = kernels_of(path, model, contacts, constraints)
            issued = {name: kernel.get("warp_instructions", 0) for name, kernel in kernels.items()}
            every, solve = sum(issued.values()), sum(n for name, n in issued.items() if "solve" in name)
            rows.append((dofs, every, solve))
            print(f"| {model} | {dofs} | {every} | {every / dofs:.0f} | {solve / dofs:.0f} |", flush=True)
    return rows


def models(folder):
    """Models with mean contacts and rows; crowds are written to a folder."""
    own = ROOT / "models"
    yield "hopper", own / "hopper.xml", 2, 8
    yield "quadruped", own / "quadruped.xml", 4, 20
    # crowds name the file of one
    (folder / "humanoid.xml").write_text((own / "humanoid.xml").read_text())
    crowd = (own / "three_humanoids.xml").read_text()
    for n in HUMANOIDS:
        path = folder / f"humanoids_{n}.xml"
        path.write_text(crowd.replace('replicate count="3"', f'replicate count="{n}"'))
        yield path.stem, path, 5 * n, 25 * n


def draw(rows, picture):
    """The curve of the table, as an SVG file with the same bytes for the same figures; needs matplotlib."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "dofs"
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4))
    dofs = [row[0] for row in rows]
    axes.plot(dofs, [every / n for n, every, _ in rows], "o-", label="step")
    axes.plot(dofs, [solve / n for n, _, solve in rows], "s--", label="solve")
    axes.set_xscale("log")
    axes.set_xticks(dofs, [str(n) for n in dofs])
    axes.minorticks_off()
    axes.set_ylim(bottom=0)
    axes.set_xlabel("degrees of freedom")
    axes.set_ylabel("warp instructions per degree of freedom and step")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(picture, metadata={"Date": None})

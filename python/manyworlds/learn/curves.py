"""Learning curves of runs: the return of an episode against steps, and against minutes.

    python -m manyworlds.learn.curves runs/ant-*/log.csv --out ant.png

Several runs are one line for their mean, over the band from the worst to the best of them.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .errors import need

PAINT, TEXT = "#d9752b", "#5c564b"


def draw(logs: Sequence[Path], out: Path, title: str = "") -> None:
    """Writes the picture of some runs of one task."""
    need("matplotlib", "learn").use("agg")
    plt: Any = need("matplotlib.pyplot", "learn")
    runs = []
    for log in logs:
        names = log.read_text().split("\n", 1)[0].split(",")
        runs.append(dict(zip(names, np.loadtxt(log, delimiter=",", skiprows=1, ndmin=2).T)))
    figure, axes = plt.subplots(1, 2, figsize=(8, 2.8), sharey=True, layout="constrained")
    for ax, column, unit, name in zip(axes, ("steps", "seconds"), (1e6, 60), ("million steps", "minutes")):
        x = np.linspace(0, min(run[column][-1] for run in runs), 200)
        # before the first end of an episode there is no return
        y = np.stack([np.interp(x, run[column], run["return"], left=np.nan) for run in runs])
        seen = ~np.isnan(y).any(0)
        ax.fill_between(x[seen] / unit, y[:, seen].min(0), y[:, seen].max(0), color=PAINT, alpha=0.2, lw=0)
        ax.plot(x[seen] / unit, y[:, seen].mean(0), color=PAINT, lw=1.6)
        ax.set_xlim(0, x[-1] / unit)
        ax.set_xlabel(name, color=TEXT)
        ax.grid(color="#e8e4da", lw=0.8)
        ax.spines[["top", "right"]].set_visible(False)
        ax.tick_params(colors=TEXT)
    axes[0].set_ylabel("return of an episode", color=TEXT)
    figure.suptitle(title, color=TEXT, fontsize=10)
    figure.savefig(out, dpi=150)
    plt.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("logs", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, default=Path("curves.png"))
    parser.add_argument("--title", default="")
    args = parser.parse_args()
    draw(args.logs, args.out, args.title)


if __name__ == "__main__":
    main()

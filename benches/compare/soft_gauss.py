"""Figures 2 and 3 of Todorov, Convex and analytically-invertible dynamics with contacts and constraints (ICRA 2014), from
what the impulse formulation of this project measured.

    cargo run --release --example soft_gauss -- soft_gauss.npz
    python benches/compare/soft_gauss.py soft_gauss.npz [--folder docs/images]

Needs numpy and matplotlib. Writes soft_gauss_2.svg and soft_gauss_3.svg.
"""

import argparse
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

# Fewest states of a size of the Jacobian that are shown.
LEAST = 15

BLACK, ORANGE, BLUE = "#1a1a1a", "#e8820c", "#2a78b5"


def round_trip(data, target: Path) -> None:
    """Figure 2: impulses by forward and by inverse dynamics, and how far apart they are."""
    time = data["time"]
    figure, axes = plt.subplots(2, 2, figsize=(9, 4.6), sharex=True, height_ratios=[3, 1], layout="constrained")
    for column, (name, title) in enumerate([("friction", "dry friction"), ("contact", "contact, normal")]):
        forward, inverse = data[f"{name}_forward"], data[f"{name}_inverse"]
        top, bottom = axes[:, column]
        top.plot(time, forward, color=BLACK, linewidth=2.6, label="forward")
        top.plot(time, inverse, color=ORANGE, linewidth=1.0, label="inverse")
        top.set_title(title)
        # differences of zero are not drawn
        apart = np.abs(forward - inverse)
        bottom.semilogy(time, np.where(apart > 0, apart, np.nan), ".", color=BLUE, markersize=3)
        bottom.axhline(1e-5, color=BLACK, linewidth=0.8, linestyle=":")
        bottom.set_ylim(1e-18, 1e-4)
        bottom.set_xlabel("time (s)")
    axes[0, 0].set_ylabel("impulse (N m s)")
    axes[0, 1].set_ylabel("impulse (N s)")
    axes[1, 0].set_ylabel("difference")
    axes[0, 1].legend(loc="upper left", bbox_to_anchor=(0.27, 1))
    axes[1, 1].text(time[-1], 3e-6, "the paper's 1e-5", ha="right", va="top", fontsize=8)
    figure.savefig(target, metadata={"Date": None})


def medians(data, condim: int):
    """Sizes of the Jacobian, and for each the medians of the times of the states that have it."""
    rows = data[f"rows_{condim}"]
    sizes = [n for n in np.unique(rows) if (rows == n).sum() >= LEAST]
    median = lambda name: np.array([np.median(data[f"{name}_{condim}"][rows == n]) for n in sizes])
    return np.array(sizes), {name: median(name) for name in ["inverse", "forward_5", "forward_50", "newton"]}


def speed(data, target: Path) -> None:
    """Figure 3: times of forward and inverse dynamics by the size of the Jacobian, and their ratios."""
    sizes, of = medians(data, 6)
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
    left.plot(sizes, of["forward_50"], color=BLACK, label="forward, 50 sweeps")
    left.plot(sizes, of["forward_5"], color=BLUE, label="forward, 5 sweeps")
    left.plot(sizes, of["newton"], color="#999999", linewidth=1, label="forward by Newton's method, converged")
    left.plot(sizes, of["inverse"], color=ORANGE, label="inverse")
    left.set_yscale("log")
    left.set_ylim(2, 2000)
    left.set_ylabel("time of a call (µs)")
    left.legend(fontsize=8, loc="upper left")
    right.plot(sizes, of["forward_50"] / of["inverse"], color=BLACK, label="50 sweeps")
    right.plot(sizes, of["forward_5"] / of["inverse"], color=BLUE, label="5 sweeps")
    right.axhline(10, color="#999999", linewidth=0.8, linestyle=":")
    right.set_ylim(0)
    right.set_ylabel("forward / inverse")
    right.legend(fontsize=8)
    for axes in (left, right):
        axes.set_xlabel("size of the contact Jacobian (rows)")
        axes.set_xlim(0)
    figure.savefig(target, metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("numbers", type=Path)
    parser.add_argument("--folder", type=Path, default=Path(__file__).parents[2] / "docs" / "images")
    given = parser.parse_args()
    data = np.load(given.numbers)
    # no date in the files: the same numbers give the same bytes
    plt.rcParams["svg.hashsalt"] = "soft_gauss"
    plt.rcParams["svg.fonttype"] = "path"
    given.folder.mkdir(parents=True, exist_ok=True)
    round_trip(data, given.folder / "soft_gauss_2.svg")
    speed(data, given.folder / "soft_gauss_3.svg")


if __name__ == "__main__":
    main()

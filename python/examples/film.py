"""Film strip of a motion: the same world at several moments, side by side.

    pip install manyworlds matplotlib
    python -m manyworlds play runs/quadruped --film frames.npy
    python python/examples/film.py models/quadruped.xml frames.npy --out film.png

`frames.npy` holds qpos, [frame, nq]; so does what `draw` takes. Nothing but matplotlib draws: each geom is the outline
of its convex shape under a parallel projection, with its shadow on the ground.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib
import matplotlib.colors
import numpy as np

import manyworlds as mw

matplotlib.use("agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.collections import PolyCollection  # noqa: E402

PLANE, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX = 0, 2, 3, 4, 5, 6
ANGLES = np.linspace(0, 2 * np.pi, 72, endpoint=False)
CIRCLE = np.stack([np.cos(ANGLES), np.sin(ANGLES)], 1)
# direction in which light falls, per metre of height
LIGHT = np.array([0.25, 0.35])
PAPER, GROUND, LINE, PAINT = "#fbfaf7", "#ece8df", "#ddd7ca", "#d9752b"


def support(kind: int, size: np.ndarray, directions: np.ndarray) -> np.ndarray:
    """Farthest points of a shape in directions [n, 3], in its own frame."""

    def unit(v: np.ndarray) -> np.ndarray:
        return v / np.maximum(np.linalg.norm(v, axis=1, keepdims=True), 1e-12)

    if kind == BOX:
        return np.sign(directions) * size
    if kind == ELLIPSOID:
        return size * unit(size * directions)
    if kind == SPHERE:
        return size[0] * unit(directions)
    ends = np.sign(directions[:, 2:]) * [0, 0, size[1]]
    if kind == CYLINDER:
        return size[0] * unit(directions * [1, 1, 0]) + ends
    return size[0] * unit(directions) + ends


def outline(kind: int, size: np.ndarray, pos: np.ndarray, mat: np.ndarray, view: np.ndarray) -> np.ndarray:
    """Outline of a geom under a linear map of space to the picture, [2, 3]."""
    return (pos + support(kind, size, CIRCLE @ view @ mat) @ mat.T) @ view.T


def camera(azimuth: float, elevation: float) -> tuple[np.ndarray, np.ndarray]:
    """Right and up of the picture, [2, 3], and the direction towards the eye; degrees."""
    a, e = np.deg2rad([azimuth, elevation])
    right = [-np.sin(a), np.cos(a), 0]
    up = [-np.sin(e) * np.cos(a), -np.sin(e) * np.sin(a), np.cos(e)]
    return np.array([right, up]), np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])


def poses(model: mw.Model, qpos: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions and rotation matrices of all geoms, [frame, geom, …]: each frame is a world."""
    batch = mw.Batch(model, len(qpos), device="cpu")
    batch.qpos = qpos
    batch.forward()
    return np.array(batch.geom_xpos), np.array(batch.geom_xmat).reshape(len(qpos), -1, 3, 3)


def draw(
    model: mw.Model,
    qpos: np.ndarray,
    *,
    times: Sequence[float] | None = None,
    azimuth: float = -70,
    elevation: float = 14,
    reach: float | None = None,
    follow: bool = True,
) -> Any:
    """Figure with a picture for each frame of qpos, [frame, nq].

    times: seconds to write below the pictures.
    azimuth, elevation: degrees from which the eye looks; from -90 it sees x to the right.
    reach: half the width of a picture, in metres; what all frames need where not given.
    follow: whether each picture is centred on the geoms of its frame, or all at the same place.
    """
    xpos, xmat = poses(model, np.atleast_2d(qpos))
    kinds, sizes = np.asarray(model.geom_type), np.asarray(model.geom_size)
    colours, groups = np.asarray(model.geom_rgba), np.asarray(model.geom_group)
    shown = [g for g in range(len(kinds)) if kinds[g] in (2, 3, 4, 5, 6) and colours[g, 3] > 0 and groups[g] < 3]
    planes = [g for g in range(len(kinds)) if kinds[g] == PLANE]
    floor = float(xpos[0, planes[0], 2]) if planes else None
    view, eye = camera(azimuth, elevation)
    # where light along LIGHT meets the floor
    drop = np.array([[1, 0, LIGHT[0]], [0, 1, LIGHT[1]], [0, 0, 0]])
    bodies = [[outline(kinds[g], sizes[g], x[g], r[g], view) for g in shown] for x, r in zip(xpos, xmat)]
    middles = np.array([x[shown].mean(0) for x in xpos])
    if not follow:
        middles[:] = middles.mean(0)
    middles[:, 2] = middles[:, 2].mean()
    centres = middles @ view.T
    points = np.concatenate([np.concatenate(o) - c for o, c in zip(bodies, centres)])
    half = np.abs(points[:, 0]).max() * 1.12 if reach is None else reach
    low, high = points[:, 1].min() - 0.12 * half, points[:, 1].max() + 0.18 * half
    inches, label = 1.7, 0.0 if times is None else 0.17
    size = (inches * len(bodies), inches / 1.03 * (high - low) / (2 * half) + label)
    figure, axes = plt.subplots(1, len(bodies), figsize=size, squeeze=False, facecolor=PAPER)
    for frame, ax in enumerate(axes[0]):
        centre = centres[frame]
        ax.set(xlim=centre[0] + [-half, half], ylim=(centre[1] + low, centre[1] + high), aspect="equal")
        ax.set_axis_off()
        ax.add_patch(plt.Rectangle((0, 0), 1, 1, transform=ax.transAxes, color=PAPER, zorder=-3))
        if floor is not None:
            tiles(ax, view, middles[frame], floor, half)
        # shadows first, then geoms from the farthest to the nearest
        order = np.argsort(xpos[frame, shown] @ eye, kind="stable")
        for i in order if floor is not None else []:
            g = shown[i]
            cast = outline(kinds[g], sizes[g], xpos[frame, g] - [0, 0, floor], xmat[frame, g], view @ drop)
            ax.fill(*(cast + view @ [0, 0, floor]).T, color="#c9c2b3", lw=0, zorder=0)
        for rank, i in enumerate(order):
            rgb = colours[shown[i], :3]
            colour = np.array(matplotlib.colors.to_rgb(PAINT)) if np.allclose(rgb, 0.5) else rgb
            near = (xpos[frame, shown[i]] - middles[frame]) @ eye / half
            colour = colour * np.clip(0.88 + 0.4 * near, 0.6, 1)
            ax.fill(*bodies[frame][i].T, facecolor=colour, edgecolor=0.55 * colour, lw=0.5, zorder=1 + rank)
        if times is not None:
            ax.set_title(f"{times[frame]:.2f} s", y=-0.02, va="top", fontsize=7, color="#7a7468")
    figure.subplots_adjust(0, label / size[1], 1, 1, wspace=0.03)
    return figure


def tiles(ax: Any, view: np.ndarray, middle: np.ndarray, floor: float, half: float) -> None:
    """The ground around a place, as a chessboard that stays where it is."""
    step = 2.0 ** np.round(np.log2(half / 1.5))
    reach = int(np.ceil(4 * half / step)) * 2
    first = np.floor(middle[:2] / step).astype(int)
    i, j = (first[:, None, None] + np.mgrid[-reach:reach, -reach:reach]).reshape(2, -1, 1)
    corners = np.stack([i + [0, 1, 1, 0], j + [0, 0, 1, 1]], -1) * step @ view[:, :2].T + view[:, 2] * floor
    colours = [GROUND if odd else LINE for odd in (i + j)[:, 0] % 2]
    ax.add_collection(PolyCollection(list(corners), facecolors=colours, linewidths=0, zorder=-2, alpha=0.6))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path, help="MJCF")
    parser.add_argument("frames", type=Path, help="qpos of every step, [frame, nq], as .npy")
    parser.add_argument("--out", type=Path, default=Path("film.png"))
    parser.add_argument("--count", type=int, default=8, help="pictures")
    parser.add_argument("--seconds", type=float, default=0.0, help="between two frames; writes the times")
    parser.add_argument("--azimuth", type=float, default=-70)
    parser.add_argument("--elevation", type=float, default=14)
    parser.add_argument("--fixed", action="store_true", help="all pictures look at the same place")
    args = parser.parse_args()
    qpos = np.load(args.frames)
    chosen = np.linspace(0, len(qpos) - 1, args.count).round().astype(int)
    times = (chosen - chosen[0]) * args.seconds if args.seconds else None
    model = mw.Model.from_xml_path(args.model)
    figure = draw(
        model, qpos[chosen], times=times, azimuth=args.azimuth, elevation=args.elevation, follow=not args.fixed
    )
    figure.savefig(args.out, dpi=200)


if __name__ == "__main__":
    main()

"""Randomisation of masses, centres of mass and inertias that stays physically consistent."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._arrays import Array
from ._named import match
from ._randomize import Randomize, Range, check_times
from ._tables import KINDS

FIELDS = ("body_mass", "body_ipos", "body_inertia", "body_iquat")


@dataclass(frozen=True)
class RandomizeInertia:
    """Masses, centres of mass and inertias of bodies that differ by chance, as those of bodies that could exist.

    The distribution of mass about its centre is mapped by an affine map near the identity: its pseudo-inertia `J`
    becomes `U J U'`, so that whatever is drawn has a positive mass and inertias that a body can have (Rucker and
    Wensing, *Smooth Parameterization of Rigid-Body Inertia*, 2022).

    names: a shell pattern or several, of the bodies.
    density: least and most factor of the mass and all inertias, drawn on a logarithmic scale.
    stretch, shear: largest logarithm of a factor along each axis, and largest slope between two.
    shift: largest distance by which the centre of mass moves along each axis, m.
    when, seconds: as of Randomize. stream: what the numbers depend on, beside seed, world and step.
    """

    names: str | Sequence[str] | None = None
    density: Range = (1.0, 1.0)
    stretch: float = 0.0
    shear: float = 0.0
    shift: float = 0.0
    when: str = "start"
    seconds: Range = (10.0, 15.0)
    stream: str = "inertia"

    def __post_init__(self) -> None:
        check_times("inertia", self.when, self.seconds)
        if not 0.0 < self.density[0] <= self.density[1]:
            raise ValueError(f"a density is multiplied by positive numbers, got {self.density}")
        if min(self.stretch, self.shear, self.shift) < 0.0:
            raise ValueError("stretch, shear and shift are the largest changes: no negative numbers")

    def draw(self, batch: Any, seed: int, episode: int, first_world: int, mask: Array) -> None:
        """Sets the inertias of some worlds."""
        model = batch.model
        patterns = [self.names] if isinstance(self.names, str) else self.names
        some = range(1, model.nbody) if patterns is None else match(model._core, KINDS["body"].name, list(patterns))
        bodies = [b for b in some if float(np.asarray(model.body_mass)[b]) > 0.0]
        worlds = np.flatnonzero(mask)
        if len(worlds) == 0 or not bodies:
            return
        stream = int.from_bytes(hashlib.blake2b(self.stream.encode(), digest_size=8).digest(), "little")
        # as many numbers as worlds up to the last one, so that each world has its own
        places = (first_world + worlds) % (1 << 32)
        random = np.random.Generator(np.random.Philox(key=[seed % (1 << 64), stream], counter=[0, 0, 0, episode]))
        numbers = random.uniform(-1.0, 1.0, (int(places.max()) + 1, len(bodies), 10))[places]
        batch.expand([field for field in FIELDS if field not in batch.expanded])
        values = {field: batch.get_model(field).astype(np.float64) for field in FIELDS}
        for k, body in enumerate(bodies):
            mass, center, inertia, iquat = (np.asarray(getattr(model, field))[body] for field in FIELDS)
            changed = mapped(pseudo_inertia(mass, np.zeros(3), inertia, iquat), self._maps(numbers[:, k]))
            mass, moved, inertia, iquat = inertia_of(changed)
            for field, new in zip(FIELDS, (mass, center + moved, inertia, iquat)):
                values[field][worlds, body] = new
        for field in FIELDS:
            batch.set_model(field, values[field][worlds], mask)

    def _maps(self, numbers: Array) -> Array:
        """Affine maps, [world, 4, 4]."""
        low, high = np.log(self.density)
        factor = np.exp(0.5 * (low + 0.5 * (numbers[:, 0] + 1.0) * (high - low)))
        out = np.zeros((len(numbers), 4, 4))
        for axis in range(3):
            out[:, axis, axis] = np.exp(self.stretch * numbers[:, 1 + axis])
            out[:, axis, 3] = self.shift * numbers[:, 7 + axis]
        out[:, [0, 0, 1], [1, 2, 2]] = self.shear * numbers[:, 4:7]
        out[:, 3, 3] = 1.0
        return out * factor[:, None, None]


# What differs by chance.
Drawn = Randomize | RandomizeInertia


def pseudo_inertia(mass: Any, ipos: Array, inertia: Array, iquat: Array) -> Array:
    """Second moments of a body's mass about its origin, with its first moment and mass: [4, 4]."""
    w, x, y, z = iquat
    turn = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    central = turn @ np.diag(0.5 * np.sum(inertia) - np.asarray(inertia)) @ turn.T
    out = np.zeros((4, 4))
    out[:3, :3] = central + mass * np.outer(ipos, ipos)
    out[:3, 3] = out[3, :3] = mass * np.asarray(ipos)
    out[3, 3] = mass
    return out


def mapped(moments: Array, maps: Array) -> Array:
    """Moments of the same mass, mapped."""
    return maps @ moments @ np.swapaxes(maps, -1, -2)  # type: ignore[no-any-return]


def inertia_of(moments: Array) -> tuple[Array, Array, Array, Array]:
    """Masses, centres of mass, principal inertias and their orientations, of moments [world, 4, 4]."""
    mass = moments[:, 3, 3]
    ipos = moments[:, :3, 3] / mass[:, None]
    central = moments[:, :3, :3] - mass[:, None, None] * ipos[:, :, None] * ipos[:, None, :]
    second, axes = np.linalg.eigh(central)
    # inertias from the largest to the smallest, about right-handed axes
    axes[:, :, 2] *= np.linalg.det(axes)[:, None]
    second = np.maximum(second, 0.0)
    inertia = second.sum(axis=1, keepdims=True) - second
    return mass, ipos, inertia, _quat_of(axes)


def _quat_of(turns: Array) -> Array:
    """Unit quaternions of rotations [world, 3, 3], by their largest element."""
    t = turns
    squares = np.stack(
        [
            1 + t[:, 0, 0] + t[:, 1, 1] + t[:, 2, 2],
            1 + t[:, 0, 0] - t[:, 1, 1] - t[:, 2, 2],
            1 - t[:, 0, 0] + t[:, 1, 1] - t[:, 2, 2],
            1 - t[:, 0, 0] - t[:, 1, 1] + t[:, 2, 2],
        ],
        axis=1,
    )
    x, y, z = t[:, 2, 1] - t[:, 1, 2], t[:, 0, 2] - t[:, 2, 0], t[:, 1, 0] - t[:, 0, 1]
    xy, xz, yz = t[:, 0, 1] + t[:, 1, 0], t[:, 0, 2] + t[:, 2, 0], t[:, 1, 2] + t[:, 2, 1]
    rows = [
        [squares[:, 0], x, y, z],
        [x, squares[:, 1], xy, xz],
        [y, xy, squares[:, 2], yz],
        [z, xz, yz, squares[:, 3]],
    ]
    table = np.stack([np.stack(row, axis=1) for row in rows], axis=1)
    out = table[np.arange(len(t)), squares.argmax(axis=1)]
    return out / np.linalg.norm(out, axis=1, keepdims=True)  # type: ignore[no-any-return]

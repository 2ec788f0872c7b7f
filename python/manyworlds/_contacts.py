"""Contact forces from constraint forces."""

from __future__ import annotations

import numpy as np

from ._arrays import Array

ELLIPTIC = 1


def forces(efc: Array, address: Array, dim: Array, friction: Array, adhesion: Array | None, cone: int) -> Array:
    """Forces and torques in contact frames, [world, contact, 6], from `efc_force` [world, row], as mj_contactForce.

    A row is one component of the force, or with pyramidal cones an edge: the normal plus or minus friction times a
    tangent.
    """
    out = np.zeros((*address.shape, 6), dtype=efc.dtype)
    world = np.arange(address.shape[0])[:, None]
    last = max(efc.shape[1] - 1, 0)
    if efc.shape[1] == 0:
        return out

    def row(offset: int, where: Array) -> Array:
        return np.where(where, efc[world, np.clip(address + offset, 0, last)], 0)

    there = address >= 0
    direct = there & ((dim == 1) | (cone == ELLIPTIC))
    for k in range(6):
        out[..., k] = row(k, direct & (k < dim))
    edges = there & ~direct
    for k in range(1, 6):
        plus, minus = row(2 * k - 2, edges & (k < dim)), row(2 * k - 1, edges & (k < dim))
        out[..., 0] += plus + minus
        out[..., k] += (plus - minus) * friction[..., k - 1]
    if adhesion is not None:
        out[..., 0] -= np.where(there, adhesion, 0)
    return out

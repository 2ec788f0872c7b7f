"""What calls of a batch return."""

from __future__ import annotations

from typing import NamedTuple

from ._arrays import Array


class Capacity(NamedTuple):
    """Contacts and constraint rows of a world."""

    nconmax: int
    njmax: int


class Growth(NamedTuple):
    """An enlargement of a batch: capacities before, wanted and after, steps that were taken again, and seconds."""

    before: Capacity
    wanted: Capacity
    after: Capacity
    steps: int
    seconds: float
    text: str


class Dropped(NamedTuple):
    """Worlds in which contacts or constraint rows were left out, and what they wanted."""

    worlds: list[int]
    wanted: Capacity
    text: str


class Moved(NamedTuple):
    """Bytes that were copied between host and device so far, and submissions for it; zero on the CPU."""

    to_device: int
    to_host: int
    submissions: int


class Contacts(NamedTuple):
    """Contacts of every world, padded: of world w, the first `ncon[w]` are there, the others are zero.

    Arrays are [world, contact, …]. `frame` has the axes as rows: the normal from the first geom to the second, then
    tangents. `force` is the force of the first geom on the second along these axes, in N, and the torque about
    them, in N m.
    """

    ncon: Array
    dist: Array
    pos: Array
    frame: Array
    friction: Array
    dim: Array
    geom: Array
    efc_address: Array
    force: Array


class Jacobian(NamedTuple):
    """Velocity of a point and angular velocity of its body for each velocity, each [world, 3, nv]."""

    linear: Array
    angular: Array


class _Transition(NamedTuple):
    A: Array
    B: Array
    C: Array
    D: Array


class Transition(_Transition):
    """Derivatives of the next state and of the sensors by the state and the controls, with n = 2 nv + na.

    A [world, n, n], B [world, n, nu], C [world, nsensordata, n], D [world, nsensordata, nu].

    `one_sided` [world]: true where a step meets a corner, such as the end of a limit, so that exact derivatives may be
    those of the side on which the state is. Differences do not see it.
    """

    one_sided: Array

    def __new__(cls, A: Array, B: Array, C: Array, D: Array, one_sided: Array) -> Transition:
        made = super().__new__(cls, A, B, C, D)
        made.one_sided = one_sided
        return made


class _InverseDerivatives(NamedTuple):
    by_qpos: Array
    by_qvel: Array
    by_qacc: Array


class InverseDerivatives(_InverseDerivatives):
    """Derivatives of qfrc_inverse by positions, velocities and accelerations, each [world, nv, nv].

    `one_sided` [world] is that of `Transition`.
    """

    one_sided: Array

    def __new__(cls, by_qpos: Array, by_qvel: Array, by_qacc: Array, one_sided: Array) -> InverseDerivatives:
        made = super().__new__(cls, by_qpos, by_qvel, by_qacc)
        made.one_sided = one_sided
        return made

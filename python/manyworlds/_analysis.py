"""Contacts, Jacobians and derivatives of a self."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ._access import Access
from ._arrays import Worlds, chosen, numbers
from ._contacts import forces
from ._named import Name, find
from ._results import Contacts, InverseDerivatives, Jacobian, Transition

# Fields of contacts, in the order of `Contacts`.
_CONTACT = ("dist", "pos", "frame", "friction", "dim", "geom", "efc_address")


class Analysis(Access):
    """Questions to the worlds as they are."""

    __slots__ = ()

    def contacts(self, worlds: Worlds = None) -> Contacts:
        """Contacts of every world with their forces, padded, in one copy: see `Contacts`.

        Raises ValueError where the device does not keep a field of contacts for this model.
        """
        adhesion = ["contact_adhesion"] if self.has("contact_adhesion") else []
        names = ["ncon", *(f"contact_{name}" for name in _CONTACT), "efc_force", *adhesion]
        found = self.get(names, worlds)
        # rows beyond the last contact are undefined
        there = np.arange(found["contact_dist"].shape[1]) < found["ncon"][:, None]
        for name in names[1:]:
            if name.startswith("contact_"):
                array = found[name]
                array[~there] = -1 if name in ("contact_efc_address", "contact_geom") else 0
        force = forces(
            found["efc_force"],
            found["contact_efc_address"],
            found["contact_dim"],
            found["contact_friction"],
            found.get("contact_adhesion"),
            self.model.opt_cone,
        )
        return Contacts(ncon=found["ncon"], force=force, **{name: found[f"contact_{name}"] for name in _CONTACT})

    def jacobian(self, kind: str, name: Name, point: ArrayLike | None = None, worlds: Worlds = None) -> Jacobian:
        """Jacobian of the origin of a "body", "geom", "site" or "camera", or "inertial" for a body's centre of mass.

        With `point`, [3] or [world, 3] in global coordinates, of that point as the body carries it (mj_jac). It is that
        of the last forward pass: call `forward` after setting positions.

        Raises UnknownNameError (a KeyError) for an unknown object, ValueError for another kind.
        """
        found = find(self.model._core, "body" if kind == "inertial" else kind, name)[0] if kind in _FRAMES else 0
        some = chosen(worlds, self.num_worlds)
        points = None
        if point is not None:
            if kind != "body":
                raise ValueError(f"a point is carried by a body, not by a {kind}")
            points = numbers("point", point, (some.count, 3)).tolist()
        linear, angular = self._core.jacobian(kind, found, points, some.indices())
        return Jacobian(linear, angular)

    def derivatives(
        self, worlds: Worlds = None, *, method: str | None = None, eps: float | None = None, centred: bool = True
    ) -> Transition:
        """Derivatives of a step at the states of some worlds or of all (mjd_transitionFD). Worlds do not change.

        method: "exact" computes them to rounding, in double precision on the CPU; "differences" changes each
            coordinate by eps, both ways if centred, on the backend of the batch. Exact ones, unless eps is given.

        Raises ValueError for a state that a step resets, or without derivatives.
        """
        return Transition(*_derivatives(self, worlds, method, eps, centred, inverse=False))

    def inverse_derivatives(
        self, worlds: Worlds = None, *, method: str | None = None, eps: float | None = None, centred: bool = True
    ) -> InverseDerivatives:
        """Derivatives of inverse dynamics at the states and `qacc` of some worlds or of all (mjd_inverseFD).

        method, eps and centred are those of `derivatives`.
        """
        return InverseDerivatives(*_derivatives(self, worlds, method, eps, centred, inverse=True))


def _derivatives(
    batch: Analysis, worlds: Worlds, method: str | None, eps: float | None, centred: bool, *, inverse: bool
) -> list[np.ndarray]:
    if method not in (None, "exact", "differences"):
        raise ValueError(f'method has to be "exact" or "differences", not {method!r}')
    if method == "exact" and eps is not None:
        raise ValueError('eps is for method="differences": exact derivatives change nothing')
    some = chosen(worlds, batch.num_worlds)
    by_differences = method == "differences" or eps is not None
    *matrices, corners = batch._core.derivatives(some.mask, by_differences, eps, centred, inverse)
    return [*matrices, corners != 0]


_FRAMES = ("body", "inertial", "geom", "site", "camera")

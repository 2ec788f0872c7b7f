"""Fields and state vectors of the worlds of a batch: reading and writing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike

from ._arrays import Array, Chosen, Worlds, chosen, numbers
from ._base import Base
from ._model import read_only
from ._named import Name, Pattern, find, match
from ._tables import DATA, MODEL, Field, Kind, UnknownNameError, unknown
from ._views import View
from .enums import State


class Access(Base):
    """Fields as arrays [world, …], under MuJoCo's names."""

    __slots__ = ()

    def __getitem__(self, field: str) -> Array:
        """A read-only array [world, …] of a field of the worlds, or of the model in each world."""
        return read_only(self.get(field))

    def __setitem__(self, field: str, values: ArrayLike) -> None:
        """As `set`."""
        self.set(field, values)

    @overload
    def get(self, field: str, worlds: Worlds = None) -> Array: ...

    @overload
    def get(self, field: list[str] | tuple[str, ...], worlds: Worlds = None) -> dict[str, Array]: ...

    def get(self, field: str | list[str] | tuple[str, ...], worlds: Worlds = None) -> Any:
        """A writable copy [world, …] of a field, for the caller to keep; of several, by name, all in one copy.

        `worlds` is a mask, indices or a slice. The array goes to torch.from_dlpack or jax.dlpack without another copy.

        Raises UnknownNameError (a KeyError) for a field that does not exist, ValueError for one that the device does
        not keep for this model or a mask of the wrong size.
        """
        if not isinstance(field, str):
            return self._read(list(field), worlds)
        return self._read([field], worlds)[field]

    def _read(self, names: list[str], worlds: Worlds) -> dict[str, Array]:
        of_worlds = [name for name in names if name in DATA]
        for name in names:
            if name not in DATA and name not in MODEL:
                raise UnknownNameError(unknown("field", name, [*DATA, *MODEL]))
        some = None if worlds is None else chosen(worlds, self.num_worlds)
        mask = None if some is None else some.mask
        # the status beside what is read, all in one copy
        reports = self._unreported and of_worlds and "status" not in of_worlds
        asked = [*of_worlds, "status"] if reports and some is None else of_worlds
        out = dict(zip(asked, self._core.read(asked, mask))) if asked else {}
        if some is None and "status" in out:
            self._report(out["status"])
        for name in names:
            if name not in out:
                out[name] = self._core.get_model(name, mask)
        found = {}
        for name in names:
            array, entry = out[name], DATA.get(name) or MODEL[name]
            array = array.reshape(array.shape[:1]) if entry.is_scalar else array
            found[name] = array if some is None or some.order is None else array[some.order]
        return found

    def set(self, field: str, values: ArrayLike, worlds: Worlds = None) -> None:
        """Writes a field of the state, `qacc`, or an expanded field of the model, in some worlds or in all.

        `values` is [world, …] for these worlds, one world's row for all of them, or one number.

        A NaN or infinity in the state or in `ctrl` is taken and flagged by the next step (`bad_qpos`, `bad_ctrl`, …),
        which repairs that world only; in fields that no step validates, such as `mocap_pos`, it is a ValueError.

        Raises UnknownNameError (a KeyError), TypeError for what is no number, ValueError for another shape, a computed
        field, or values that no world can have. Nothing is written then.
        """
        entry = DATA.get(field) or MODEL.get(field)
        if entry is None:
            raise UnknownNameError(unknown("field", field, [*DATA, *MODEL]))
        some = None if worlds is None else chosen(worlds, self.num_worlds)
        count = self.num_worlds if some is None else some.count
        array = numbers(field, values, (count, *self._row(entry)), _axes(entry), single=True)
        if some is not None and some.order is not None:
            array = np.ascontiguousarray(array[np.argsort(some.order)])
        if field in DATA:
            self._core.set(field, array, None if some is None else some.mask)
        else:
            mask = chosen(None, count).mask if some is None else some.mask
            self._core.set_model(field, array, mask)

    def _one(self, kind: Kind, name: Name) -> View:
        return View(self, kind, find(self.model._core, kind.name, name), True)

    def _several(self, kind: Kind, pattern: Pattern) -> View:
        return View(self, kind, match(self.model._core, kind.name, pattern), False)

    def has(self, field: str) -> bool:
        """True if the device keeps a field of the worlds of this model."""
        return field in DATA and self._core.has(field)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            raise AttributeError(unknown("attribute of a batch", name, dir(type(self))))

    def __setattr__(self, name: str, value: Any) -> None:
        entry = DATA.get(name)
        if entry is None:
            raise AttributeError(unknown("field of a batch", name, DATA))
        if not entry.is_state and name != "qacc":
            raise AttributeError(f"'{name}' is computed by the stage {entry.stage}, it cannot be set")
        self.set(name, value)

    def get_state(self, parts: int = State.INTEGRATION, worlds: Worlds = None) -> Array:
        """State vectors [world, size] of some parts (bits of `State`), in MuJoCo's order (mj_getState)."""
        some = chosen(worlds, self.num_worlds)
        array = self._core.get_state(int(parts), some.mask)
        return array if some.order is None else array[some.order]

    def set_state(self, state: ArrayLike, parts: int = State.INTEGRATION, worlds: Worlds = None) -> None:
        """Sets state vectors [world, size] (mj_setState), or one for all of these worlds."""
        some = chosen(worlds, self.num_worlds)
        self._core.set_state(int(parts), self._state(state, parts, some), some.mask)

    def _state(self, state: ArrayLike, parts: int, some: Chosen) -> Array:
        array = numbers("state", state, (some.count, self.state_size(parts)), single=True)
        return array if some.order is None else np.ascontiguousarray(array[np.argsort(some.order)])

    def state_size(self, parts: int = State.INTEGRATION) -> int:
        """Numbers of a state vector of some parts (mj_stateSize)."""
        return self._core.state_size(int(parts))


def _axes(entry: Field) -> str:
    names = ["world", *(str(d) for d in entry.axes)]
    return " [" + ", ".join(names) + "]"

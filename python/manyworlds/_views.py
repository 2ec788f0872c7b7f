"""Objects by name in the arrays of a batch."""

from __future__ import annotations

import math
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from ._arrays import Array, Worlds, chosen, numbers
from ._named import resolve, trailing
from ._tables import DATA, MODEL, Kind


class Owner(Protocol):
    """What a view asks of the batch whose elements it has."""

    model: Any

    @property
    def num_worlds(self) -> int:
        """Number of worlds."""

    def get(self, field: str, worlds: Worlds = None, /) -> Array:
        """A copy of a field."""

    def set(self, field: str, values: ArrayLike, worlds: Worlds = None, /) -> None:
        """Writes a field."""


class View:
    """The elements of one object, or of several, in the fields of every world.

    `batch.joint("knee").qpos` is [world, elements], `batch.bodies("*_foot").xpos` [world, object, 3]. Arrays are
    read-only; an assignment writes to all worlds, `set` to some: `batch.joint("knee").set("qpos", 0.1, worlds=[3])`.
    """

    __slots__ = ("_batch", "_ids", "_kind", "_one")

    _batch: Owner
    _kind: Kind
    _ids: list[int]
    _one: bool

    def __init__(self, batch: Owner, kind: Kind, ids: list[int], one: bool) -> None:
        for name, value in (("_batch", batch), ("_kind", kind), ("_ids", ids), ("_one", one)):
            object.__setattr__(self, name, value)

    @property
    def id(self) -> Any:
        """Id of the object, or ids of all."""
        return self._ids[0] if self._one else np.array(self._ids, dtype=np.int64)

    @property
    def name(self) -> Any:
        """Name of the object, or names of all."""
        names = self._batch.model.names(self._kind.name)
        return names[self._ids[0]] if self._one else [names[i] for i in self._ids]

    def __repr__(self) -> str:
        return f"<{self._kind.word} {self.name!r} in {self._batch.num_worlds} worlds>"

    def get(self, attribute: str, worlds: Worlds = None) -> Array:
        """A writable copy of these elements in every world, or in some; only these are read."""
        field, places = self._resolve(attribute)
        rows = self._batch.get(field.name, worlds)
        return _flat(rows)[:, places.reshape(-1)].reshape(self._shape(field, places, len(rows)))

    def _resolve(self, attribute: str) -> tuple[Any, Array]:
        return resolve(self._batch.model._core, self._kind, self._ids, attribute, (DATA, MODEL))

    def _shape(self, field: Any, places: Array, worlds: int) -> tuple[int, ...]:
        row = trailing(field, self._kind, self._batch.model._core.size, places.shape[1], True)
        objects = () if self._one else (len(self._ids),)
        return (worlds, *objects, *row)

    def __getattr__(self, attribute: str) -> Array:
        values = self.get(attribute)
        values.flags.writeable = False
        return values

    def __setattr__(self, attribute: str, values: ArrayLike) -> None:
        self.set(attribute, values)

    def set(self, attribute: str, values: ArrayLike, worlds: Worlds = None) -> None:
        """Writes these elements in every world, or in some; only these are read and written. Errors as Batch.set."""
        field, places = self._resolve(attribute)
        count = chosen(worlds, self._batch.num_worlds).count
        array = numbers(attribute, values, self._shape(field, places, count))
        rows = self._batch.get(field.name, worlds)
        _flat(rows)[:, places.reshape(-1)] = _flat(array)
        self._batch.set(field.name, rows, worlds)


def _flat(rows: Array) -> Array:
    """The numbers of each world on one axis, without a copy."""
    return rows.reshape(len(rows), math.prod(rows.shape[1:]))

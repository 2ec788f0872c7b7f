"""Objects of a model by name or pattern, and their elements in arrays."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from . import _core
from ._arrays import Array
from ._tables import KINDS, MODEL, Field, Kind, UnknownNameError, length, unknown

Name = str | int
Pattern = str | Sequence[str]


def candidates(kind: Kind, attribute: str, tables: tuple[dict[str, Field], ...]) -> list[Field]:
    """Fields that an attribute of an object may mean: `range` of a joint is jnt_range, `data` of a sensor sensordata.

    A field of that name, or with one word before it; those along the axis of the kind first.
    """
    found = []
    for table in tables:
        for name, field in table.items():
            word, matched = name[: len(name) - len(attribute)], name.endswith(attribute)
            if matched and (word in ("", kind.name) or (word.endswith("_") and "_" not in word[:-1])):
                found.append(field)
    return sorted(found, key=lambda field: (field.dims[:1] != (kind.size,), field.name != attribute))


def places(core: _core.Model, kind: Kind, ids: list[int], attribute: str, field: Field) -> Array | None:
    """Places of the elements of objects in a row of a field, `[object, …]`; None if it has none of such objects."""
    try:
        ranges = [core.elements(field.name, kind.name, i) for i in ids]
    except ValueError:
        return None
    lengths = {stop - start for start, stop in ranges}
    if len(lengths) > 1:
        raise ValueError(f"'{attribute}' of these has different lengths: take them one by one")
    return np.array([np.arange(start, stop) for start, stop in ranges], dtype=np.int64).reshape(len(ids), -1)


def resolve(
    core: _core.Model, kind: Kind, ids: list[int], attribute: str, tables: tuple[dict[str, Field], ...]
) -> tuple[Field, Array]:
    """The field that an attribute means, and the places of the elements in it; AttributeError if there is none."""
    if not attribute.startswith("__"):
        for field in candidates(kind, attribute, tables):
            found = places(core, kind, ids, attribute, field)
            if found is not None:
                return field, found
    names = {name.partition("_")[2] for name, f in MODEL.items() if f.dims[:1] == (kind.size,)}
    names |= {name for table in tables for name in table}
    raise AttributeError(unknown(f"attribute of a {kind.word}", attribute, sorted(names)))


def trailing(field: Field, kind: Kind, sizes: Any, width: int, is_scalar: bool) -> tuple[int, ...]:
    """Axes of one object's elements: those of a row of the field, behind the places along its first axis."""
    row = tuple(length(d, sizes) for d in field.dims[1:])
    count = width // max(int(np.prod(row, dtype=np.int64)), 1)
    # one place along the axis of the kind is the object itself
    return row if is_scalar and count == 1 and field.dims[0] == kind.size else (count, *row)


class Selection:
    """Objects of one kind in a model: one by name or id, or several by a pattern."""

    __slots__ = ("_core", "_ids", "_kind", "_one")

    _core: _core.Model
    _kind: Kind
    _ids: list[int]
    _one: bool

    def __init__(self, core: _core.Model, kind: Kind, ids: list[int], one: bool) -> None:
        for name, value in (("_core", core), ("_kind", kind), ("_ids", ids), ("_one", one)):
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a model is read-only: set '{name}' in a Spec, or for each world of a Batch (expand)")

    @property
    def id(self) -> Any:
        """Id of the object, or ids of all."""
        return self._ids[0] if self._one else np.array(self._ids, dtype=np.int64)

    @property
    def name(self) -> Any:
        """Name of the object, or names of all."""
        names = self._core.names(self._kind.name)
        return names[self._ids[0]] if self._one else [names[i] for i in self._ids]

    def __len__(self) -> int:
        return len(self._ids)

    def __iter__(self) -> Iterator[Any]:
        return (type(self)(self._core, self._kind, [i], True) for i in self._ids)

    def __repr__(self) -> str:
        return f"<{self._kind.word} {self.name!r}, id {self._ids if not self._one else self._ids[0]}>"

    def __getattr__(self, attribute: str) -> Any:
        field, found = resolve(self._core, self._kind, self._ids, attribute, (MODEL,))
        values = np.asarray(self._core.get(field.name)).reshape(-1)[found]
        row = trailing(field, self._kind, self._core.size, found.shape[1], True)
        out = values.reshape(row if self._one else (len(self._ids), *row))
        if self._one and out.ndim == 0:
            return out.item()
        out.flags.writeable = False
        return out


def find(core: _core.Model, kind_name: str, name: Name) -> list[int]:
    """The id of an object by name or id; UnknownNameError with the nearest name."""
    kind = KINDS[kind_name]
    if isinstance(name, str):
        try:
            return [core.id(kind_name, name)]
        except KeyError as problem:
            raise UnknownNameError(problem.args[0]) from None
    count = core.size(kind.size or "") or 0
    index = int(name.__index__())
    if not -count <= index < count:
        raise UnknownNameError(f"there is no {kind.word} {index}: the model has {count}, from 0")
    return [index % count]


def match(core: _core.Model, kind_name: str, pattern: Pattern) -> list[int]:
    """Ids of the objects whose names match a shell pattern (`*_hip`), or one of several; UnknownNameError for none."""
    names = core.names(kind_name)
    patterns = [pattern] if isinstance(pattern, str) else list(pattern)
    for one in patterns:
        if not any(name and fnmatch.fnmatchcase(name, one) for name in names):
            raise UnknownNameError(unknown(KINDS[kind_name].word, one, [n for n in names if n]))
    return [i for i, n in enumerate(names) if n and any(fnmatch.fnmatchcase(n, one) for one in patterns)]

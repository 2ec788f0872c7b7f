"""Attributes from the engine's table of fields: names, shapes, units and meanings are listed there and nowhere else."""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from . import _core


def length(axis: str | int, sizes: Callable[[str], int]) -> int:
    """Length of an axis: a number, a size of the model, or a multiple of one, such as `3*nmocap`."""
    if isinstance(axis, int):
        return axis
    factor, _, name = axis.rpartition("*")
    return int(factor or 1) * sizes(name)


class Field(NamedTuple):
    """A row of the table of fields."""

    name: str
    elem: str
    dims: tuple[str | int, ...]
    unit: str
    doc: str
    stage: str
    is_state: bool

    @property
    def is_scalar(self) -> bool:
        """True for a single number, which has no axis of its own."""
        return self.dims == (1,)

    @property
    def axes(self) -> tuple[str | int, ...]:
        """Axes without that of the worlds."""
        return () if self.is_scalar else self.dims

    def described(self, *first: str) -> str:
        """The meaning, shape and unit in a few words."""
        shape = ", ".join(str(d) for d in (*first, *self.axes))
        written = f" Written by: {self.stage}." if self.stage else ""
        return f"{self.doc}\n\nShape: [{shape}]. Unit: {self.unit}.{written}"


class Kind(NamedTuple):
    """A kind of objects of a model."""

    name: str
    plural: str
    word: str
    size: str | None


def _fields(rows: Iterable[Any]) -> dict[str, Field]:
    table = (Field(name, elem, tuple(dims), *rest) for name, elem, dims, *rest in rows)
    return {field.name: field for field in table}


MODEL: dict[str, Field] = _fields(_core.model_fields())
DATA: dict[str, Field] = {k: f for k, f in _fields(_core.data_fields()).items() if f.stage != "scratch"}
# Fields of a world that randomisations draw: positions, velocities and activations.
MOTION: tuple[str, ...] = tuple(_core.motion_fields())
SIZES: dict[str, str] = dict(_core.sizes())
KINDS: dict[str, Kind] = {row[0]: Kind(*row) for row in _core.kinds()}
# Objects that a compiled model has: frames are resolved.
OBJECTS: dict[str, Kind] = {name: kind for name, kind in KINDS.items() if kind.size is not None}


def _short(kind: Kind) -> str:
    """The first word of most fields along the axis of a kind, which MuJoCo's bindings take for its name too: `jnt`."""
    words = [name.partition("_")[0] for name, field in MODEL.items() if field.dims[:1] == (kind.size,)]
    return max(words, key=words.count, default=kind.name)


# Shorter names of kinds: jnt, cam, tex, mat, eq.
SHORT: dict[str, str] = {kind.name: _short(kind) for kind in OBJECTS.values() if _short(kind) != kind.name}
# Groups of fields with a common first word, as MuJoCo's mjOption, mjStatistic and mjVisual.
GROUPS: tuple[str, ...] = ("opt", "stat", "vis")
# Enumerations of bits.
FLAGS = {"disable", "enable", "state", "status", "input", "contact_data", "ray_data"}


class UnknownNameError(KeyError):
    """There is no field or object of that name; the message has the nearest one."""

    __str__ = Exception.__str__


def enumeration(name: str, members: Iterable[tuple[str, int]]) -> Any:
    """An enumeration of the schema as a class."""
    base: Any = enum.IntFlag if name in FLAGS else enum.IntEnum
    title = "".join(part.capitalize() for part in name.split("_"))
    made: Any = base(title, list(members), module="manyworlds.enums")
    made.__doc__ = f"{'Bits' if name in FLAGS else 'Values'} of the enumeration `{name}`: see manyworlds.enums."
    return made


def attributes(into: type, fields: Iterable[Field], first: tuple[str, ...], read: Callable[[Any, str], Any]) -> None:
    """Gives a class a property for each field."""
    for field in fields:
        setattr(into, field.name, property(functools.partial(_call, read, field.name), doc=field.described(*first)))


def _call(read: Callable[[Any, str], Any], name: str, owner: Any) -> Any:
    return read(owner, name)


def unknown(what: str, name: str, names: Iterable[str]) -> str:
    """The message for a name that does not exist."""
    return f"there is no {what} '{name}'{_core.suggest(name, list(names))}"

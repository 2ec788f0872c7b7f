"""Randomisation of fields, in the words of mjlab and MuJoCo Playground."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._arrays import Array
from ._model import Model
from ._named import match, places
from ._tables import DATA, KINDS, MODEL, MOTION, Kind, UnknownNameError, unknown

Range = tuple[float, float]

# When an environment draws.
WHEN = ("start", "reset", "interval")


@dataclass(frozen=True)
class Randomize:
    """A field that differs from world to world by chance.

    field: a field of the model that may differ (`expand`), or `qpos`, `qvel`, `act`.
    ranges: two numbers, low and high (mean and deviation of `normal`), or such a pair for each axis: {0: (0.3, 1.2)}.
    operation: `set` (mjlab's `abs`), `scale` what the model has, or `add` to what the model, or the state, has.
    distribution: `uniform`, `log_uniform`, or `normal` (`gaussian`).
    names: a shell pattern or several, for the objects whose elements are drawn; all where not given.
    axes: places in an object's row that are drawn; all where not given.
    stream: fields with the same stream draw the same numbers; the field's name where not given.
    when: in an environment, once at the `start`, at each `reset` of a world, or at the start and then at an `interval`.
    seconds: least and most time from one draw of an `interval` to the next, each world at times of its own.

    `scale` multiplies all elements of an object by one number, so that a body keeps the shape of its inertia. What is
    not drawn keeps its value.
    """

    field: str
    ranges: Range | Mapping[int, Range]
    operation: str = "set"
    distribution: str = "uniform"
    names: str | Sequence[str] | None = None
    axes: int | Sequence[int] | None = None
    stream: str | None = None
    when: str = "start"
    seconds: Range = (10.0, 15.0)

    def __post_init__(self) -> None:
        check_times(self.field, self.when, self.seconds)


def check_times(what: str, when: str, seconds: Range) -> None:
    """ValueError for times at which nothing can be drawn."""
    if when not in WHEN:
        raise ValueError(f"'{what}' is drawn at {', '.join(WHEN)}, got '{when}'")
    if when == "interval" and not 0.0 < seconds[0] <= seconds[1]:
        raise ValueError(f"'{what}' is drawn every {seconds[0]} to {seconds[1]} seconds: no such time")


# Field, operation, distribution, its two numbers, stream, elements.
Term = tuple[str, str, str, float, float, str | None, list[int] | None]


def _kinds(field: str) -> list[Kind]:
    """Kinds whose objects may have elements in a field: first that of its axis, joints before bodies."""
    dims = (MODEL.get(field) or DATA[field]).dims
    return sorted(KINDS.values(), key=lambda kind: (dims[:1] != (kind.size,), kind.name == "body"))


def _elements(model: Model, one: Randomize, axes: int | Sequence[int] | None) -> Array:
    """Places of the elements that are drawn in a world's row."""
    core, pattern = model._core, one.names
    if pattern is not None:
        names = [pattern] if isinstance(pattern, str) else list(pattern)
    for kind in _kinds(one.field):
        count = (core.size(kind.size) if kind.size else 0) or 0
        if count == 0 or places(core, kind, [0], one.field, _row(one.field)) is None:
            continue
        ids = list(range(count)) if pattern is None else match(core, kind.name, names)
        rows = [places(core, kind, [i], one.field, _row(one.field)) for i in ids]
        chosen = [
            np.atleast_1d(row[0] if axes is None else row[0][np.asarray(axes)]) for row in rows if row is not None
        ]
        return np.concatenate(chosen) if chosen else np.zeros(0, dtype=np.int64)
    if pattern is not None:
        raise ValueError(f"'{one.field}' has no elements of named objects: leave out names")
    # a field of the whole world is one object
    row = np.arange(int(np.prod([d for d in _row(one.field).dims if isinstance(d, int)])))
    return row if axes is None else np.atleast_1d(row[np.asarray(axes)])


def _row(field: str) -> Any:
    return MODEL.get(field) or DATA[field]


def terms(model: Model, all_of: Iterable[Randomize | Mapping[str, Any]]) -> list[Term]:
    """Randomisations as the engine takes them, one for each range."""
    out: list[Term] = []
    for given in all_of:
        one = given if isinstance(given, Randomize) else Randomize(**given)
        if one.field not in MODEL and one.field not in DATA:
            raise UnknownNameError(unknown("field", one.field, [*MODEL, *MOTION]))
        pairs: list[tuple[Any, Range]]
        if isinstance(one.ranges, Mapping):
            if one.axes is not None:
                raise ValueError(f"'{one.field}': give axes, or ranges by axis, not both")
            pairs = [(axis, (float(r[0]), float(r[1]))) for axis, r in one.ranges.items()]
        else:
            low, high = one.ranges
            pairs = [(one.axes, (float(low), float(high)))]
        for axes, (low, high) in pairs:
            all_elements = axes is None and one.names is None
            try:
                elements = None if all_elements else [int(i) for i in _elements(model, one, axes)]
            except IndexError as problem:
                raise ValueError(f"'{one.field}': axes {axes}: {problem}") from None
            out.append((one.field, one.operation, one.distribution, low, high, one.stream, elements))
    return out


def rounds(all_of: list[Term]) -> list[list[Term]]:
    """Terms in the order given, in calls that draw no field twice."""
    out: list[list[Term]] = [[]]
    for term in all_of:
        if any(term[0] == other[0] for other in out[-1]):
            out.append([])
        out[-1].append(term)
    return [part for part in out if part]

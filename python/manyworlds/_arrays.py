"""Arguments as the engine takes them: contiguous arrays of the right shape, and masks of worlds."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[Any]
Worlds = int | slice | Sequence[int] | Sequence[bool] | Array | None
"""Some worlds: a mask of booleans, indices, a slice, one index, or None for all."""


def shown(shape: tuple[Any, ...]) -> str:
    """A shape as text."""
    return "[" + ", ".join(str(d) for d in shape) + "]"


def numbers(name: str, values: ArrayLike, shape: tuple[int, ...], axes: str = "", *, single: bool = False) -> Array:
    """Numbers of a shape, contiguous doubles; with `single`, what is in single precision stays so.

    One world's row, or one number, stands for all worlds.

    Raises TypeError for what is no number, ValueError for another shape.
    """
    try:
        array = np.asarray(values)
    except ValueError as problem:
        raise ValueError(f"'{name}': {problem}; expected shape {shown(shape)}{axes}") from None
    if array.dtype.kind not in "fiub":
        raise TypeError(f"'{name}': numbers are expected, got dtype {array.dtype}; the shape is {shown(shape)}{axes}")
    if array.shape != shape:
        if array.ndim != 0 and array.shape != shape[1:]:
            raise ValueError(f"'{name}' has shape {shown(shape)}{axes}, got {shown(array.shape)}")
        array = np.broadcast_to(array, shape)
    stays = single and array.dtype == np.float32
    return np.ascontiguousarray(array, dtype=np.float32 if stays else np.float64)


class Chosen:
    """Chosen worlds: their mask in ascending order, and their order as given."""

    __slots__ = ("count", "mask", "order")

    def __init__(self, mask: Array, order: Array | None = None) -> None:
        self.mask = mask
        self.order = order
        self.count = int(np.count_nonzero(mask)) if order is None else len(order)

    def indices(self) -> list[int]:
        """The worlds, in ascending order."""
        return [int(w) for w in np.flatnonzero(self.mask)]


def chosen(worlds: Worlds, count: int) -> Chosen:
    """Chosen worlds of so many.

    Raises ValueError for a mask of the wrong size, IndexError for a world out of range, TypeError for anything else.
    """
    if worlds is None:
        return Chosen(np.ones(count, dtype=np.bool_))
    if isinstance(worlds, slice):
        mask = np.zeros(count, dtype=np.bool_)
        mask[worlds] = True
        return Chosen(mask)
    array = np.atleast_1d(np.asarray(worlds))
    if array.dtype == np.bool_:
        if array.shape != (count,):
            raise ValueError(f"the mask has shape {shown(array.shape)}; the batch has {count} worlds: [{count}]")
        return Chosen(np.ascontiguousarray(array))
    if array.size == 0:
        return Chosen(np.zeros(count, dtype=np.bool_))
    if array.dtype.kind not in "iu" or array.ndim != 1:
        raise TypeError(f"worlds are a mask of booleans or a list of indices, got {array.dtype} of {array.ndim} axes")
    wide = array.astype(np.int64)
    wrong = wide[(wide < -count) | (wide >= count)]
    if wrong.size:
        raise IndexError(f"there is no world {wrong[0]}: the batch has {count}")
    wide = np.where(wide < 0, wide + count, wide)
    mask = np.zeros(count, dtype=np.bool_)
    mask[wide] = True
    if int(np.count_nonzero(mask)) != wide.size:
        raise ValueError("a world is listed twice")
    ascending = bool(np.all(wide[1:] > wide[:-1]))
    return Chosen(mask, None if ascending else np.argsort(np.argsort(wide)))


def count_of(name: str, value: Any, least: int = 0) -> int:
    """A whole number, at least `least`; else TypeError or ValueError."""
    number = operator.index(value)
    if number < least:
        raise ValueError(f"{name} is {number}; it has to be at least {least}")
    return number


def real(name: str, value: Any) -> float:
    """A number."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} is a number, got {value!r}") from None

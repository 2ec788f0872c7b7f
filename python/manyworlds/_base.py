"""What every part of a batch has: the worlds, their model and their status."""

from __future__ import annotations

from typing import Any

from . import _core
from ._arrays import Array
from ._fields import BatchFields
from ._model import Model
from ._results import Capacity
from ._status import Watch
from ._tables import Field


class Base(BatchFields):
    """The worlds of a batch."""

    __slots__ = ("_core", "_episode", "_watches", "_options", "_unreported", "_watch", "model")

    model: Model
    """The model of every world, but for fields that were expanded."""
    _core: _core.Batch
    # arguments, to make such a batch again
    _options: dict[str, Any]
    # number of the next draw
    _episode: int
    _watch: Watch
    # true if status bits are reported
    _watches: bool
    # true while the status of the last steps was not read
    _unreported: bool

    @property
    def num_worlds(self) -> int:
        """Number of worlds."""
        return int(self._core.num_worlds)

    def __len__(self) -> int:
        return self.num_worlds

    @property
    def capacity(self) -> Capacity:
        """Contacts and constraint rows that a world has room for now."""
        return Capacity(*self._core.capacity())

    def _row(self, entry: Field) -> tuple[int, ...]:
        """Shape of a field in one world."""
        nconmax, njmax = self.capacity if any(d in ("nconmax", "njmax") for d in entry.dims) else (0, 0)
        own = {"nconmax": nconmax, "njmax": njmax}
        return tuple(d if isinstance(d, int) else own.get(d, self.model._size(d)) for d in entry.axes)

    def status_counts(self) -> dict[str, int]:
        """Number of worlds with each status bit; `batch.status` has the bits of each world (`Status`)."""
        return {name: count for name, count in self._core.status_counts() if count}

    def _report(self, status: Array | None = None) -> None:
        """Reports new status bits."""
        object.__setattr__(self, "_unreported", False)
        if not self._watches:
            return
        if status is not None and not status.any():
            self._watch.reported = {}
            return
        self._watch.report(self.status_counts(), self.num_worlds)

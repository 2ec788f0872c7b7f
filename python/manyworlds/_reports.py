"""What became of the worlds of a batch, and where they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._arrays import Worlds, chosen
from ._base import Base
from ._results import Capacity, Dropped, Growth, Moved


class Reports(Base):
    """Status, room and device of a batch."""

    __slots__ = ()

    def clear_status(self, worlds: Worlds = None) -> None:
        """Clears the status, the reset counter and the peaks of some worlds or of all."""
        self._core.clear_status(chosen(worlds, self.num_worlds).mask)
        self._watch.reported = {}

    @property
    def growth(self) -> list[Growth]:
        """Enlargements since the batch was made."""
        rows = self._core.growth()
        return [Growth(Capacity(*a), Capacity(*b), Capacity(*c), steps, s, text) for a, b, c, steps, s, text in rows]

    @property
    def dropped(self) -> Dropped | None:
        """Worlds in which contacts or constraint rows were left out; None where there are none."""
        found = self._core.dropped()
        return None if found is None else Dropped(found[0], Capacity(*found[1]), found[2])

    @property
    def backend(self) -> str:
        """ "cpu" or "gpu"."""
        return self._core.about()[0]

    @property
    def device(self) -> str:
        """The device in words."""
        return self._core.about()[1]

    @property
    def dtype(self) -> Any:
        """Type of real fields: float64 on the CPU, float32 from a GPU."""
        return np.dtype(np.float32 if self._core.about()[2] == "single" else np.float64)

    @property
    def notice(self) -> str | None:
        """Why "auto" took the CPU, where it did."""
        return self._core.about()[3]

    @property
    def bytes_per_world(self) -> int:
        """Bytes of a world."""
        return self._core.about()[4]

    @property
    def build_seconds(self) -> float:
        """Seconds that building the batch took."""
        return self._core.about()[5]

    @property
    def seed(self) -> int:
        """Seed of everything that is drawn by chance."""
        return self._options["seed"]

    @property
    def moved(self) -> Moved:
        """Bytes copied between host and device so far."""
        return Moved(*self._core.moved())

"""Worlds whose models differ, by hand or by chance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from numpy.typing import ArrayLike

from ._access import Access
from ._arrays import Array, Worlds, chosen, count_of
from ._inertia import FIELDS as INERTIA
from ._inertia import Drawn, RandomizeInertia
from ._model import Model
from ._randomize import rounds, terms
from ._tables import MODEL, UnknownNameError, unknown


class Variation(Access):
    """Fields of the model that differ from world to world."""

    __slots__ = ()

    def expand(self, fields: Iterable[str]) -> None:
        """Gives fields of the model a value for each world. On a GPU kernels are composed anew: before the first step.

        Raises ValueError for a field that cannot differ, with the reason.
        """
        self._core.expand([fields] if isinstance(fields, str) else list(fields))

    @property
    def expanded(self) -> list[str]:
        """Fields of the model that have a value for each world, those that follow from others included."""
        return self._core.expanded()

    def set_model(self, field: str, values: ArrayLike, worlds: Worlds = None) -> None:
        """Sets an expanded field of the model; what follows from it (mj_setConst) is recomputed before the next step.

        Raises ValueError for a field that is not expanded, another shape, or values that no world can have.
        """
        if field not in MODEL:
            raise UnknownNameError(unknown("field of a model", field, MODEL))
        self.set(field, values, worlds)

    def get_model(self, field: str, worlds: Worlds = None) -> Array:
        """A field of the model in each world, [world, …], those that follow from others up to date."""
        if field not in MODEL:
            raise UnknownNameError(unknown("field of a model", field, MODEL))
        return self.get(field, worlds)

    def set_const(self) -> None:
        """Recomputes at once what follows from fields that were set (mj_setConst); steps do it by themselves."""
        self._core.get_model("opt_timestep")

    def model_of(self, world: int) -> Model:
        """The model of a world."""
        return Model(self._core.model_of(chosen(world, self.num_worlds).indices()[0]))

    def randomize(
        self,
        *what: Drawn | Mapping[str, Any] | Sequence[Drawn | Mapping[str, Any]],
        worlds: Worlds = None,
        episode: int | None = None,
        first_world: int = 0,
    ) -> None:
        """Draws fields anew in some worlds or in all: see `Randomize`; each may be a mapping of its arguments, or a
        `RandomizeInertia`.

        The numbers depend on the seed, the episode, the stream, the world and the element only: they are the same on
        CPU and GPU, and in batches of every size. `episode` counts the calls where not given; `first_world` is the
        number of the batch's first world among those of several batches.

        Raises ValueError for a field that cannot differ or a range that is none, UnknownNameError (a KeyError) for a
        name or pattern that nothing has.
        """
        flat: list[Any] = []
        for one in what:
            flat += list(one) if isinstance(one, Sequence) else [one]
        some = chosen(worlds, self.num_worlds)
        number = self._episode if episode is None else count_of("episode", episode)
        self._randomize(flat, some.mask, self._options["seed"], number, count_of("first_world", first_world))
        if episode is None:
            object.__setattr__(self, "_episode", (self._episode + 1) % (1 << 32))

    def _randomize(self, what: Sequence[Any], mask: Array, seed: int, episode: int, first_world: int) -> None:
        """Draws fields, and inertias after them."""
        bodies = [one for one in what if isinstance(one, RandomizeInertia)]
        fields = terms(self.model, [one for one in what if not isinstance(one, RandomizeInertia)])
        if bodies and (both := next((term[0] for term in fields if term[0] in INERTIA), None)):
            raise ValueError(
                f"'{both}' is drawn by itself and with the inertia of its body: say which in RandomizeInertia"
            )
        for part in rounds(fields):
            self._core.randomize(part, seed, episode, first_world, mask)
        for one in bodies:
            one.draw(self, seed, episode, first_world, mask)

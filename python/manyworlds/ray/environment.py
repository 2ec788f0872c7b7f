"""`Environment`: a task's worlds spread over actors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from .._arrays import Array, Chosen, Worlds, chosen, count_of, numbers, shown
from .._environment import Environment as Single
from .._environment import Step
from .._inertia import Drawn
from ..task import Task
from .actors import Here, cloudpickle
from .team import Bounds, Spread, Team, joined, shares


class Share:
    """An actor's worlds."""

    def __init__(self, device: str, worlds: Bounds, task: Task, first_world: int, options: Mapping[str, Any]) -> None:
        first, end = worlds
        self.environment = Single(task, end - first, device=device, first_world=first_world + first, **options)

    def reset(self, mask: Array, seed: Any) -> Array:
        return self.environment.reset(mask, seed=seed)

    def step(self, action: Array) -> Step:
        return self.environment.step(action)

    def terms(self, name: str) -> dict[str, Array]:
        """`reward_terms` or `metrics`."""
        return getattr(self.environment, name)  # type: ignore[no-any-return]

    def fields(self, names: list[str]) -> dict[str, Array]:
        """Fields of the worlds."""
        return self.environment.batch.get(names)

    def freeze(self) -> bytes:
        """All that another actor needs to go on, on its own device."""
        options = self.environment.batch._options
        device, options["device"] = options["device"], Here()
        try:
            # with the status bits that were reported, which pickles of environments leave out
            parts = (self.environment, self.environment.batch._watch.reported)
            return cloudpickle.dumps(parts)  # type: ignore[no-any-return,unused-ignore]
        finally:
            options["device"] = device

    @classmethod
    def thaw(cls, frozen: bytes) -> Share:
        share = cls.__new__(cls)
        share.environment, share.environment.batch._watch.reported = cloudpickle.loads(frozen)
        return share


class Fields:
    """What stands for the batch of an Environment: fields of all worlds, which can be read."""

    def __init__(self, team: Team) -> None:
        self._team = team

    def get(self, field: str | Sequence[str]) -> Any:
        """A field [world, …] as a copy, or several by name."""
        names = [field] if isinstance(field, str) else list(field)
        found = joined(self._team.call("fields", [(names,)] * len(self._team.members)))
        return found[field] if isinstance(field, str) else found


class Environment(Spread):
    """A task in many worlds, which Ray actors share: as manyworlds.Environment, with the same bits.

    Any number of actors gives the bits of one manyworlds.Environment of all worlds on the same kind of device. An actor
    that died is started again with the state that it last handed over, and repeats the steps since then.

    Observations and actions pass through this process: a step costs about two milliseconds more than the slowest share.
    """

    def __init__(
        self,
        task: Task,
        num_worlds: int,
        *,
        actors: int,
        device: str = "auto",
        seed: int = 0,
        dtype: DTypeLike = np.float32,
        first_world: int = 0,
        randomize: Sequence[Drawn] = (),
        snapshot_every: int = 256,
        max_restarts: int = 3,
        ray_options: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        """Starts the actors, and begins an episode in each world. Without `ray.init` before, Ray starts here.

        device: of each actor: "{}" is its number, from 0, and "{gpu}" the number of the GPU that Ray gave it, which
            `ray_options={"num_gpus": 1}` asks for.
        snapshot_every: steps and resets after which actors hand over their state. A snapshot takes the time of about
            two steps, and a new actor repeats as many steps as there were since.
        max_restarts: times in a row that an actor is started again; then ActorLostError.
        ray_options: options of Ray's actors, such as num_cpus and scheduling_strategy.

        For the other arguments see manyworlds.Environment: what it raises, and what it warns of, comes from here.
        """
        if not isinstance(task, Task):
            raise TypeError(f"an environment is of a Task, got {type(task).__name__}")
        self.task, self.dtype = task, np.dtype(dtype)
        self.num_worlds = count_of("num_worlds", num_worlds, 1)
        self._bounds = shares(self.num_worlds, actors)
        self._shape = (self.num_worlds, len(task.action_low))
        self._snapshot_every, self._since = count_of("snapshot_every", snapshot_every, 1), 0
        given = {**options, "seed": seed, "dtype": self.dtype, "randomize": list(randomize)}
        self._team = Team(
            Share,
            [(bounds,) for bounds in self._bounds],
            {"task": task, "first_world": count_of("first_world", first_world), "options": given},
            device=device,
            max_restarts=max_restarts,
            ray_options=ray_options,
        )
        self.batch = Fields(self._team)
        """Fields of all worlds: `env.batch.get("qpos")`."""

    def reset(self, worlds: Worlds = None, *, seed: int | Sequence[int] | None = None) -> Array:
        """Begins an episode in some worlds, or in all; the observations of all worlds, [world, observation].

        seed: begins the draws of these worlds anew, as in manyworlds.Environment.
        """
        some = chosen(worlds, self.num_worlds)
        seeds = self._seeds(some, seed)
        parts = [(some.mask[first:end], mine) for (first, end), mine in zip(self._bounds, seeds)]
        return np.concatenate(self._changed("reset", parts))

    def _seeds(self, some: Chosen, seed: int | Sequence[int] | None) -> list[Any]:
        """Seeds of each actor: one for all, or one for each of its chosen worlds."""
        if seed is None or isinstance(seed, (int, np.integer)):
            return [seed] * self.num_actors
        given = [int(one) for one in seed]
        if len(given) != some.count:
            raise ValueError(f"{len(given)} seeds are given for {some.count} worlds")
        if some.order is not None:
            given = [given[i] for i in np.argsort(some.order)]
        ends = [int(some.mask[:end].sum()) for _, end in self._bounds]
        return [given[first:end] for first, end in zip([0, *ends], ends)]

    def step(self, action: ArrayLike) -> Step:
        """A step of every world under `action` [world, action], or one for all; the arrays are the caller's to keep.

        Raises what manyworlds.Environment.step does. For a wrong action the worlds are as they were.
        """
        # a copy, which may be asked for again; what is wrong with it is found here, before any actor steps
        array = np.array(numbers("action", action, self._shape, " [world, action]", single=True))
        wrong = np.flatnonzero(~np.isfinite(array).all(axis=1))
        if wrong.size:
            text = f"'action' of world {wrong[0]} is not finite; its shape is {shown(self._shape)} [world, action]"
            raise ValueError(text)
        parts = self._changed("step", [(array[first:end],) for first, end in self._bounds])
        return Step(*(np.concatenate(column) for column in zip(*parts)))

    def _changed(self, method: str, given: list[tuple[Any, ...]]) -> list[Any]:
        """Calls what changes the worlds, and keeps their state every so often."""
        self._since += 1
        found = self._team.call(method, given, remember=True)
        if self._since >= self._snapshot_every:
            self._team.freeze()
            self._since = 0
        return found

    @property
    def reward_terms(self) -> dict[str, Array]:
        """Terms of the last reward by name, each [world]."""
        return self._terms("reward_terms")

    @property
    def metrics(self) -> dict[str, Array]:
        """Metrics of the last step by name, each [world]."""
        return self._terms("metrics")

    def _terms(self, name: str) -> dict[str, Array]:
        return joined(self._team.call("terms", [(name,)] * self.num_actors))

    def __repr__(self) -> str:
        over = f"{self.num_actors} actors{', closed' if self.closed else ''}"
        return f"<Environment of {self.num_worlds} worlds of '{self.task.model.name}' over {over}>"

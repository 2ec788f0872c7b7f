"""`Rollouts`: a batch's worlds spread over actors, an episode at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._arrays import Array, count_of, numbers, shown
from .._batch import Batch
from .._inertia import Drawn
from .._model import Model
from .team import Bounds, Spread, Team, joined, shares

# Controls [step, nu] of an episode, a world and so many steps.
Controls = Callable[[int, int, int], Array]


class Worlds:
    """An actor's worlds; nothing of an episode is left in the next."""

    def __init__(
        self,
        device: str,
        worlds: Bounds,
        model: Model,
        randomize: Sequence[Drawn],
        controls: Controls | None,
        options: Any,
    ) -> None:
        self.first, end = worlds
        self.randomize, self.controls = randomize, controls
        self.batch = Batch(model, end - self.first, device=device, **options)

    def rollout(
        self, episode: int, steps: int, ctrl: Array | None, record: Sequence[str], every: int
    ) -> dict[str, Array]:
        batch = self.batch
        batch.reset()
        if self.randomize:
            batch.randomize(self.randomize, episode=episode, first_world=self.first)
        if ctrl is None and self.controls is not None:
            worlds = range(self.first, self.first + batch.num_worlds)
            ctrl = np.stack([self.controls(episode, world, steps) for world in worlds])
        found = batch.rollout(ctrl=ctrl, steps=steps, record=record, every=every)
        return {**found, "status": batch.get("status")}


class Rollouts(Spread):
    """Worlds of one model that Ray actors share, for episodes that begin in the model's initial state.

    What a world does follows from the seed, the episode and its number among all worlds: any number of actors gives the
    bits of one batch, and an actor that died is started again and asked again.
    """

    def __init__(
        self,
        model: Model,
        num_worlds: int,
        *,
        actors: int,
        device: str = "auto",
        seed: int = 0,
        randomize: Sequence[Drawn] = (),
        controls: Controls | None = None,
        max_restarts: int = 3,
        ray_options: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        """Starts the actors. Without `ray.init` before, Ray starts here.

        randomize: what is drawn where an episode begins, as by `Batch.randomize`.
        controls: a function of the episode, the world's number and the steps that returns controls [step, nu]. It is
            called in the actors.
        device, max_restarts, ray_options: see manyworlds.ray.Environment. For the other arguments see Batch.
        """
        if not isinstance(model, Model):
            raise TypeError(f"rollouts are of a Model, got {type(model).__name__}")
        self.model = model
        self.num_worlds = count_of("num_worlds", num_worlds, 1)
        self._bounds = shares(self.num_worlds, actors)
        self._team = Team(
            Worlds,
            [(bounds,) for bounds in self._bounds],
            {"model": model, "randomize": list(randomize), "controls": controls, "options": {**options, "seed": seed}},
            device=device,
            max_restarts=max_restarts,
            ray_options=ray_options,
        )

    def rollout(
        self,
        episode: int,
        steps: int,
        ctrl: ArrayLike | None = None,
        *,
        record: Sequence[str] = ("qpos", "qvel"),
        every: int = 1,
    ) -> dict[str, Array]:
        """Begins an episode and steps every world: fields by name, [world, frame, …], and status bits [world].

        ctrl: controls [world, step, nu], or [step, nu] for all, in place of those of `controls`.
        record: fields, or "state", after every `every`-th step, as in Batch.rollout.
        """
        number, count = count_of("episode", episode), count_of("steps", steps)
        parts: list[Array | None] = [None] * self.num_actors
        if ctrl is not None:
            shape = (self.num_worlds, count, self.model.nu)
            if np.ndim(ctrl) not in (2, 3):
                raise ValueError(f"'ctrl' has shape [world, step, nu]: {shown(shape)}, got {shown(np.shape(ctrl))}")
            array = numbers("ctrl", ctrl, shape, " [world, step, nu]")
            parts = [array[first:end] for first, end in self._bounds]
        given = [(number, count, part, list(record), count_of("every", every, 1)) for part in parts]
        return joined(self._team.call("rollout", given))

    def __repr__(self) -> str:
        state = ", closed" if self.closed else ""
        return f"<Rollouts of {self.num_worlds} worlds of '{self.model.name}' over {self.num_actors} actors{state}>"

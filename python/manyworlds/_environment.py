"""`Environment`: a task in many worlds."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from ._arrays import Array, Worlds, chosen, count_of, numbers, shown
from ._batch import Batch
from ._inertia import Drawn, RandomizeInertia
from ._model import Model
from ._randomize import WHEN, Randomize
from ._tables import DATA
from .task import Task

AUTORESET = ("next_step", "disabled")


class Step(NamedTuple):
    """What a step has shown, an entry for each world."""

    observation: Array
    """[world, observation]."""
    reward: Array
    """[world]."""
    terminated: Array
    """[world], true where the task ended the episode, or the world diverged."""
    truncated: Array
    """[world], true where the episode has reached its number of steps."""


class Chance:
    """Fields of the model that are drawn anew while worlds run.

    What a world draws depends on its seed, its number and its steps since the seed was set.
    """

    def __init__(self, environment: Environment, randomize: Sequence[Drawn]) -> None:
        for one in randomize:
            if not isinstance(one, (Randomize, RandomizeInertia)):
                raise TypeError(f"what differs by chance is a list of Randomize, got {type(one).__name__}")
            if isinstance(one, Randomize) and one.field in DATA and one.when != "interval":
                raise ValueError(
                    f"'{one.field}' is set where an episode begins: let the task draw it, task.reset('{one.field}', …)"
                )
        self._batch, self._dt = environment.batch, environment.task.dt
        self._autoreset = environment.autoreset == "next_step"
        self._of = {when: [one for one in randomize if one.when == when] for when in WHEN}
        worlds = self._batch.num_worlds
        self._seeds = np.zeros(worlds, dtype=np.uint64)
        self._numbers, self._steps = np.zeros((2, worlds), dtype=np.int64)
        self._left = np.zeros((len(self._of["interval"]), worlds))
        self.ended = np.zeros(worlds, dtype=np.bool_)
        self.knows_ends = True

    @property
    def needs_ends(self) -> bool:
        """True if the next step draws for worlds whose episodes have ended, which are not known."""
        return self._autoreset and bool(self._of["reset"]) and not self.knows_ends

    def seed(self, worlds: Array, seeds: Sequence[int], numbers: Sequence[int]) -> None:
        """Begins the draws of some worlds anew."""
        self._seeds[worlds] = [seed % (1 << 64) for seed in seeds]
        self._numbers[worlds], self._steps[worlds] = numbers, 0
        mask = np.zeros_like(self.ended)
        mask[worlds] = True
        # what is drawn at intervals too: nothing is left of before
        self._draw(self._of["start"], mask, 0)
        self._draw(self._of["interval"], mask, 2)
        for k in range(len(self._left)):
            self._left[k, mask] = self._seconds(k, mask)

    def begin(self, mask: Array) -> None:
        """Draws for worlds whose episode begins."""
        self._draw(self._of["reset"], mask, 1)

    def advance(self) -> None:
        """Draws before a step."""
        if self._autoreset:
            self.begin(self.ended)
        self.ended = np.zeros_like(self.ended)
        self.knows_ends = False
        self._steps += 1
        for k, one in enumerate(self._of["interval"]):
            due = self._left[k] < 1.5 * self._dt
            self._draw([one], due, 2)
            self._left[k] -= self._dt
            if due.any():
                self._left[k, due] = self._seconds(k, due)

    def _draw(self, what: Sequence[Drawn], mask: Array, turn: int) -> None:
        """Draws for some worlds; `turn` keeps what is drawn at different times of a step apart."""
        if not what or not mask.any():
            return
        # worlds of one seed and step, whose numbers are as far from their places
        keys = np.stack(
            [self._seeds, self._steps.astype(np.uint64), (self._numbers - np.arange(len(mask))).astype(np.uint64)]
        )
        for key in np.unique(keys[:, mask], axis=1).T:
            some = mask & (keys == key[:, None]).all(axis=0)
            first = int(key[2].astype(np.int64)) % (1 << 32)
            self._batch._randomize(what, some, int(key[0]), (3 * int(key[1]) + turn) % (1 << 32), first)

    def _seconds(self, k: int, mask: Array) -> Array:
        """Times to the next draw of some worlds."""
        low, high = self._of["interval"][k].seconds
        out = []
        for w in np.flatnonzero(mask):
            counter = [0, k, int(self._numbers[w]), int(self._steps[w])]
            random = np.random.Generator(np.random.Philox(key=int(self._seeds[w]), counter=counter))
            out.append(random.uniform(low, high))
        return np.array(out)


class Environment:
    """A task in many worlds that step together: actions in, observations, rewards and ends out.

    Rewards, observations and the begin of episodes are computed where the worlds are, on a GPU or on all cores of the
    CPU. To a GPU, action and step are sent at once, and what it shows comes back in one copy. Environments can be
    pickled, and go on with the same bits.
    """

    def __init__(
        self,
        task: Task,
        num_worlds: int,
        *,
        device: str = "auto",
        seed: int = 0,
        autoreset: str = "next_step",
        dtype: DTypeLike = np.float32,
        nconmax: int | None = None,
        njmax: int | None = None,
        overflow: str = "grow",
        on_status: str = "warn",
        first_world: int = 0,
        randomize: Sequence[Drawn] = (),
    ) -> None:
        """Makes `num_worlds` worlds for a task, and begins an episode in each.

        seed: of all draws. A world's draws depend on it, on the world's number and on the step, not on the device or
            the number of worlds.
        autoreset: "next_step": a world whose episode has ended begins the next one in the next step; that step ignores
            its action, and shows the first observation, reward 0 and no end. "disabled": it goes on until `reset`.
        dtype: of observations and rewards, float32 or float64.
        first_world: number of the first world among all worlds of a run, which may be spread over several environments.
        randomize: fields of the model that differ by chance, drawn when each says: at the start, where an episode of a
            world begins, or every few seconds. Numbers depend on the seed, the world and its steps since then.

        For the other arguments and what is raised see Batch.
        """
        if not isinstance(task, Task):
            raise TypeError(f"an environment is of a Task, got {type(task).__name__}")
        if autoreset not in AUTORESET:
            raise ValueError(f"autoreset is '{autoreset}'; valid: {' '.join(AUTORESET)}")
        self.dtype = np.dtype(dtype)
        if self.dtype not in (np.dtype(np.float32), np.dtype(np.float64)):
            raise ValueError(f"dtype is float32 or float64, got {self.dtype}")
        self.task = task
        self.autoreset = autoreset
        text = json.dumps({**task.to_dict(), "autoreset": autoreset == "next_step"})
        model = Model(task.model._core.with_task(text))
        self.batch = Batch(
            model,
            num_worlds,
            device=device,
            seed=seed,
            nconmax=nconmax,
            njmax=njmax,
            overflow=overflow,
            on_status=on_status,
        )
        self._first = count_of("first_world", first_world)
        self._shape = (self.batch.num_worlds, len(task.action_low))
        self._chance = Chance(self, randomize)
        self.reset(seed=int(seed))

    @property
    def num_worlds(self) -> int:
        """Number of worlds."""
        return self.batch.num_worlds

    def reset(self, worlds: Worlds = None, *, seed: int | Sequence[int] | None = None) -> Array:
        """Begins an episode in some worlds, or in all; the observations of all worlds, [world, observation].

        seed: begins the draws of these worlds anew: from one seed and the worlds' numbers, or, of several seeds, each
            from its own alone.
        """
        some = chosen(worlds, self.num_worlds)
        if seed is not None:
            ids = some.indices()
            if isinstance(seed, (int, np.integer)):
                seeds, ids_of_run = [int(seed)] * len(ids), [(self._first + w) % (1 << 32) for w in ids]
            else:
                seeds, ids_of_run = [int(one) for one in seed], [0] * len(ids)
                if len(seeds) != len(ids):
                    raise ValueError(f"{len(seeds)} seeds are given for {len(ids)} worlds")
                if some.order is not None:
                    seeds = [seeds[i] for i in np.argsort(some.order)]
            self.batch._core.seed_task(some.mask, [one % (1 << 64) for one in seeds], ids_of_run)
            self._chance.seed(np.flatnonzero(some.mask), seeds, ids_of_run)
        self._chance.begin(some.mask)
        self.batch._core.begin_episodes(some.mask)
        return self.receive().observation

    def command(self, name: str, numbers: ArrayLike | None, worlds: Worlds = None) -> None:
        """Gives some worlds, or all, a command of the task, which they keep until their episode ends.

        numbers: those of the command; None lets the task draw it again in the next step.

        Raises ValueError for a name that is no command, or another count of numbers.
        """
        mask = chosen(worlds, self.num_worlds).mask
        given = None if numbers is None else np.atleast_1d(np.asarray(numbers, dtype=np.float64)).ravel().tolist()
        self.batch._core.give_command(mask, name, given)

    def step(self, action: ArrayLike) -> Step:
        """A step of every world under `action` [world, action], or one for all; the arrays are the caller's to keep.

        Raises StatusError as `on_status` of the batch says; ValueError for another shape or an action that is not
        finite, TypeError for what is no number, and the worlds are then as they were.
        """
        self.send(action)
        return self.receive()

    def send(self, action: ArrayLike) -> None:
        """As `step`, without what it shows: on a GPU the call returns before the step is done."""
        array = numbers("action", action, self._shape, " [world, action]", single=True)
        if not np.isfinite(array).all():
            world = int(np.flatnonzero(~np.isfinite(array).all(axis=1))[0])
            raise ValueError(
                f"'action' of world {world} is not finite; its shape is {shown(self._shape)} [world, action]"
            )
        if self._chance.needs_ends:
            self.receive()
        self._chance.advance()
        self.batch._core.step_task(array)

    def receive(self) -> Step:
        """What the last step has shown; waits for it."""
        *seen, status = self.batch._core.observed(self.dtype == np.float32)
        step = Step(*seen)
        self._chance.ended, self._chance.knows_ends = step.terminated | step.truncated, True
        self.batch._report(status)
        return step

    @property
    def reward_terms(self) -> dict[str, Array]:
        """Terms of the last reward by name, each [world]."""
        return self._terms(0, self.task.reward_names)

    @property
    def metrics(self) -> dict[str, Array]:
        """Metrics of the last step by name, each [world]."""
        return self._terms(len(self.task.reward_names), self.task.metric_names)

    def _terms(self, first: int, names: list[str]) -> dict[str, Array]:
        if not names:
            return {}
        values = self.batch.get("task_term").astype(self.dtype, copy=False)
        return {name: values[:, first + k] for k, name in enumerate(names)}

    def close(self) -> None:
        """Frees the worlds; later calls raise RuntimeError. Closing twice does nothing."""
        self.batch.close()

    @property
    def closed(self) -> bool:
        """True once closed."""
        return self.batch.closed

    def __enter__(self) -> Environment:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __len__(self) -> int:
        return self.num_worlds

    def __repr__(self) -> str:
        if self.closed:
            return f"<Environment of {self.num_worlds} worlds, closed>"
        return f"<Environment of {self.num_worlds} worlds of '{self.task.model.name}' on {self.batch.device}>"

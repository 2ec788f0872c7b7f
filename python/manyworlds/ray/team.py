"""Actors that share the worlds of a run: they are called together, and started again where they died."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from .._arrays import Array, count_of, shown
from .._warn import warn
from .actors import GPU, Answer, Call, Host, Recipe, packed, ray

Bounds = tuple[int, int]
S = TypeVar("S", bound="Spread")

# What Ray raises where a process, or its machine, is lost.
LOST = tuple(
    getattr(ray.exceptions, name)
    for name in ("RayActorError", "WorkerCrashedError", "NodeDiedError", "ObjectLostError", "OutOfMemoryError")
)


# Options of Ray's that would repeat or reorder calls.
OURS = {"max_restarts", "max_task_retries", "max_concurrency", "concurrency_groups"}


class ActorLostError(RuntimeError):
    """An actor cannot start, or died again each time that it was started anew."""


def shares(count: int, actors: int, what: str = "worlds") -> list[Bounds]:
    """The first and the end of each actor's share of `count` things; sizes differ by one at most."""
    actors = count_of("actors", actors, 1)
    if actors > count:
        raise ValueError(f"{actors} actors have {count} {what} to share: at most {count} actors, or more worlds")
    bounds = [count * k // actors for k in range(actors + 1)]
    return list(zip(bounds, bounds[1:]))


def joined(parts: Sequence[Mapping[str, Array]]) -> dict[str, Array]:
    """Arrays by name of all actors, in the order of their worlds."""
    found = {}
    for name in parts[0]:
        arrays = [part[name] for part in parts]
        if len({array.shape[1:] for array in arrays}) > 1:
            raise ValueError(
                f"'{name}' has another size in each actor, {shown(arrays[0].shape)} and so on: give nconmax and njmax"
            )
        found[name] = np.concatenate(arrays)
    return found


class Member:
    """An actor, and what brings another one to the same state: a frozen object and the calls since then."""

    def __init__(self, recipe: Recipe, worlds: Bounds) -> None:
        self.recipe, self.worlds = recipe, worlds
        self.host: Any = None
        self.history: tuple[Any, list[Call]] = (None, [])
        # times that it died since it last answered
        self.deaths = 0

    def __str__(self) -> str:
        return f"actor {self.recipe.number} (worlds {self.worlds[0]} to {self.worlds[1] - 1})"


class Team:
    """Actors, each of which holds an object made by `make(device, *own, *shared)`.

    own: what is each actor's own; its first entry is (first, end) of its worlds.
    shared: what all of them get, sent once.
    max_restarts: times in a row that an actor is started again.
    ray_options: those of an actor, such as `{"num_gpus": 1}`.
    """

    def __init__(
        self,
        make: Any,
        own: Sequence[tuple[Any, ...]],
        shared: Mapping[str, Any],
        *,
        device: str,
        max_restarts: int,
        ray_options: Mapping[str, Any] | None,
    ) -> None:
        if not isinstance(device, str):
            raise TypeError(f"device is a string, got {type(device).__name__}")
        options = dict(ray_options or {})
        for name in OURS & options.keys():
            raise ValueError(f"ray_options: '{name}' is not for you to choose, as actors are started again from here")
        if GPU in device and not options.get("num_gpus"):
            raise ValueError(f"device '{device}' is the GPU that Ray gives an actor: ray_options={{'num_gpus': 1}}")
        self._max_restarts = count_of("max_restarts", max_restarts)
        data = packed(shared)
        self._shared = ray.put(data)
        self._make = ray.remote(Host).options(max_restarts=0, max_task_retries=0, **options)
        self.members = [Member(Recipe(make, k, device, mine), mine[0]) for k, mine in enumerate(own)]
        self.closed = False
        try:
            self._gather([self._begin(member) for member in self.members], None, False)
        except BaseException:
            self.close()
            raise

    def call(self, method: str, given: Sequence[tuple[Any, ...]] | None = None, *, remember: bool = False) -> list[Any]:
        """Calls a method in all actors at once, each with arguments of its own; what they return.

        remember: whether the call changes what actors hold, so that one that is started again has to repeat it.

        Raises what an actor's object raised, and ActorLostError.
        """
        if self.closed:
            raise RuntimeError("the actors are closed")
        calls: list[Call] = [(method, one) for one in given or [()] * len(self.members)]
        refs = [member.host.call.remote(*call) for member, call in zip(self.members, calls)]
        if remember:
            for member, call in zip(self.members, calls):
                member.history[1].append(call)
        return self._gather(refs, calls, remember)

    def freeze(self) -> None:
        """Keeps what actors hold, and forgets the calls until then."""
        for member, frozen in zip(self.members, self.call("freeze")):
            # an object of this process, which is not lost with the actor or its machine
            member.history = (ray.put(frozen), [])

    def close(self) -> None:
        """Ends the actors."""
        self.closed = True
        for member in self.members:
            self._end(member)

    def _begin(self, member: Member, call: Call | None = None, remembered: bool = False) -> Any:
        """A new actor in the state of the last one, which makes a call."""
        member.host = self._make.remote()
        frozen, past = member.history
        past = past[:-1] if remembered else past
        return member.host.begin.remote(member.recipe, self._shared, frozen, past, call)

    def _gather(self, refs: Sequence[Any], calls: Sequence[Call] | None, remembered: bool) -> list[Any]:
        """What the actors answer; those that died are started again together, and asked again."""
        found: dict[int, Answer] = {}
        failed: dict[int, Any] = {}
        waiting = dict(enumerate(refs))
        while waiting:
            again = {}
            for k, ref in waiting.items():
                member = self.members[k]
                try:
                    found[k] = ray.get(ref)
                except LOST as problem:
                    self._bury(member, problem)
                    again[k] = self._begin(member, None if calls is None else calls[k], remembered)
                    continue
                except ray.exceptions.RayTaskError as problem:
                    failed[k] = problem
                member.deaths = 0
            waiting = again
        # what a share raised is raised as such, of several the first
        if failed:
            first = failed[min(failed)]
            raise (first if first.cause is None else first.cause) from first
        for k, member in enumerate(self.members):
            for text, category in found[k][1]:
                warn(f"{member}: {text}", category)
        return [found[k][0] for k in range(len(refs))]

    def _bury(self, member: Member, problem: Any) -> None:
        """Counts a death; ActorLostError for one too many."""
        self._end(member)
        member.deaths += 1
        # where the package is missing, another try is no use
        if getattr(problem, "actor_init_failed", False):
            raise ActorLostError(f"{member} cannot start: {problem}") from problem
        if member.deaths > self._max_restarts:
            raise ActorLostError(
                f"{member} died {member.deaths} times in a row, max_restarts is {self._max_restarts}; "
                f"the last time: {problem}"
            ) from problem

    @staticmethod
    def _end(member: Member) -> None:
        # one that is out of reach may live on; one of a session of Ray that is over does not
        if member.host is not None and ray.is_initialized():
            with contextlib.suppress(ValueError):
                ray.kill(member.host, no_restart=True)


class Spread:
    """Worlds that a team shares; ends with it."""

    num_worlds: int
    """Number of worlds of all actors."""
    _team: Team

    @property
    def num_actors(self) -> int:
        """Number of actors."""
        return len(self._team.members)

    def close(self) -> None:
        """Ends the actors; later calls raise RuntimeError. Closing twice does nothing."""
        self._team.close()

    @property
    def closed(self) -> bool:
        """True once closed."""
        return self._team.closed

    def __enter__(self: S) -> S:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __len__(self) -> int:
        return self.num_worlds

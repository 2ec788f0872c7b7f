"""`evaluate`: what a policy earns in whole episodes, over actors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._arrays import Array, count_of, shown
from .._environment import Environment as Single
from .._inertia import Drawn
from ..task import Task
from .team import Bounds, Team, joined, shares

Policy = Callable[[Array], Any]


class Evaluation(NamedTuple):
    """What an episode of each world came to."""

    returns: Array
    """[world], the sum of rewards."""
    lengths: Array
    """[world], steps."""
    terminated: Array
    """[world], true where the task ended the episode, false where time did."""
    reward_terms: dict[str, Array]
    """Sums of the terms of the reward by name, each [world]."""
    metrics: dict[str, Array]
    """Means of the metrics over the episode by name, each [world]."""


def finite(values: Array) -> Array:
    """Values with zeros for what is no number, as in worlds that diverged."""
    return np.nan_to_num(values, nan=0.0, posinf=0.0, neginf=0.0)


class Episodes:
    """An actor's worlds, and the policy that acts in them."""

    def __init__(
        self,
        device: str,
        worlds: Bounds,
        task: Task,
        policy: Policy,
        block: int,
        limit: int,
        options: Mapping[str, Any],
    ) -> None:
        first, end = worlds
        self.task, self.policy, self.block, self.limit = task, policy, block, limit
        self.options = {**options, "device": device, "first_world": options["first_world"] + first}
        self.count = end - first

    def actions(self, observation: Array) -> Array:
        """Actions of the policy, which sees `block` worlds at a time."""
        count, block = len(observation), self.block
        padded = np.zeros((-(-count // block) * block, observation.shape[1]), observation.dtype)
        padded[:count] = finite(observation)
        shape = (block, len(self.task.action_low))
        out = []
        for first in range(0, len(padded), block):
            action = np.asarray(self.policy(padded[first : first + block]))
            if action.shape != shape:
                raise ValueError(
                    f"the policy returns actions {shown(shape)} [world, action], got {shown(action.shape)}"
                )
            out.append(action)
        return np.concatenate(out)[:count]

    def run(self) -> Evaluation:
        """An episode of each world."""
        with Single(self.task, self.count, **self.options) as env:
            observation = env.reset()
            sums, lengths = np.zeros(self.count), np.zeros(self.count, dtype=np.int64)
            terms: list[dict[str, Array]] = [
                {name: np.zeros(self.count) for name in names}
                for names in (env.task.reward_names, env.task.metric_names)
            ]
            terminated, going = np.zeros((2, self.count), dtype=np.bool_)
            going[:] = True
            for _ in range(self.limit):
                # a world whose episode is over is left alone
                action = np.where(going[:, None], self.actions(observation), 0.0)
                observation, reward, fell, timed_out = env.step(action)
                sums += np.where(going, finite(reward), 0.0)
                lengths += going
                for total, now in zip(terms, (env.reward_terms, env.metrics)):
                    for name, values in now.items():
                        total[name] += np.where(going, finite(values), 0.0)
                terminated |= going & fell
                going &= ~(fell | timed_out)
                if not going.any():
                    break
        means = {name: values / np.maximum(lengths, 1) for name, values in terms[1].items()}
        return Evaluation(sums, lengths, terminated, terms[0], means)


def evaluate(
    task: Task,
    policy: Policy,
    num_worlds: int,
    *,
    actors: int,
    device: str = "auto",
    seed: int = 0,
    block: int = 16,
    max_steps: int | None = None,
    randomize: Sequence[Drawn] = (),
    first_world: int = 0,
    max_restarts: int = 3,
    ray_options: Mapping[str, Any] | None = None,
    **options: Any,
) -> Evaluation:
    """Returns, lengths and metrics of an episode of each world, which Ray actors share.

    policy: a function of observations [world, observation] that returns actions [world, action]. It is sent to the
        actors, and called there; it should remember nothing, as worlds are asked for in blocks.
    block: worlds that the policy sees at once, zeros where there are fewer. The bits of a product of matrices may
        depend on their sizes: with blocks of one size, of which each actor has whole ones, any number of actors gives
        the same bits on one kind of machine.
    max_steps: steps after which an episode is counted as it is; needed where the task has no `max_episode_steps`.
    device, max_restarts, ray_options: see manyworlds.ray.Environment. For the other arguments see
        manyworlds.Environment.

    An actor that died is started again and begins its share anew. What the policy raises comes from here.
    """
    if not isinstance(task, Task):
        raise TypeError(f"an evaluation is of a Task, got {type(task).__name__}")
    if not callable(policy):
        raise TypeError(f"a policy is a function of observations, got {type(policy).__name__}")
    limit = task.max_episode_steps if max_steps is None else count_of("max_steps", max_steps, 1)
    if limit is None:
        raise ValueError("episodes of this task have no end: give max_steps, or the task max_episode_steps")
    worlds, block = count_of("num_worlds", num_worlds, 1), count_of("block", block, 1)
    blocks = shares(-(-worlds // block), actors, f"blocks of {block} worlds")
    given = {**options, "seed": seed, "randomize": list(randomize), "first_world": count_of("first_world", first_world)}
    team = Team(
        Episodes,
        [((first * block, min(end * block, worlds)),) for first, end in blocks],
        {"task": task, "policy": policy, "block": block, "limit": limit, "options": given},
        device=device,
        max_restarts=max_restarts,
        ray_options=ray_options,
    )
    try:
        parts = team.call("run")
    finally:
        team.close()
    returns, lengths, terminated = (np.concatenate(column) for column in list(zip(*parts))[:3])
    terms, metrics = joined([part.reward_terms for part in parts]), joined([part.metrics for part in parts])
    return Evaluation(returns, lengths, terminated, terms, metrics)

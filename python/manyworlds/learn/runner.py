"""Worlds that a policy acts in, with NumPy alone."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from .._arrays import Array

# Episodes whose mean is reported.
RECENT = 100


class Rollout(NamedTuple):
    """Steps of all worlds, [step, world]; `observation` has one step more."""

    observation: Array
    action: Array
    reward: Array
    terminated: Array
    truncated: Array
    live: Array  # 0 for the step after an end, which begins an episode and is no transition


def spanned(task: Any, action: Array) -> Array:
    """Actions of -1 to 1, limited, as those of the task."""
    low, high = np.asarray(task.action_low), np.asarray(task.action_high)
    return (low + (np.clip(action, -1, 1) + 1) * (high - low) / 2).astype(np.float32)


def finite(values: Array) -> Array:
    """A copy in float32, with 0 for what is no number: a world that diverged shows and pays nothing."""
    return np.nan_to_num(values.astype(np.float32), nan=0.0, posinf=0.0, neginf=0.0)


class Runner:
    """Worlds that a policy acts in, what its episodes came to, and means of what the task measures."""

    def __init__(self, env: Any) -> None:
        self.env = env
        self.observation = finite(np.asarray(env.reset()))
        self.ended = np.zeros(env.num_worlds, bool)
        self.sums = np.zeros(env.num_worlds)
        self.lengths = np.zeros(env.num_worlds, int)
        self.episodes: list[tuple[float, float]] = []  # return and length
        self.steps = 0
        self.physics = 0.0  # seconds
        rewards, metrics = (getattr(env.task, name, []) for name in ("reward_names", "metric_names"))
        self.term_names = [f"reward/{name}" for name in rewards] + [f"metric/{name}" for name in metrics]
        self._terms = np.zeros((2, len(self.term_names)))  # sums and counts

    def step(self, action: Array) -> tuple[Array, ...]:
        """A step of every world under actions of -1 to 1: the arrays of a `Rollout` for it."""
        before, live, limited = self.observation, ~self.ended, spanned(self.env.task, action)
        begin = time.perf_counter()
        observation, reward, terminated, truncated = map(np.asarray, self.env.step(limited))
        if self.term_names:
            self._measure(live)
        self.physics += time.perf_counter() - begin
        # copies, which the next step leaves alone
        self.observation, reward = finite(observation), finite(reward)
        terminated, truncated = terminated.astype(bool), truncated.astype(bool)
        self.ended = terminated | truncated
        self.steps += len(reward)
        self.sums += reward
        self.lengths += live
        for i in np.flatnonzero(self.ended):
            self.episodes.append((float(self.sums[i]), int(self.lengths[i])))
        self.sums[self.ended] = self.lengths[self.ended] = 0
        return before, action, reward, terminated, truncated, live

    def _measure(self, live: Array) -> None:
        """Adds the terms of the reward and the metrics of worlds whose step counts, all in one copy."""
        values = self.env.batch.get("task_term")[:, : len(self.term_names)]
        counts = live[:, None] & np.isfinite(values)
        self._terms += np.where(counts, values, 0).sum(0), counts.sum(0)

    def terms(self) -> Array:
        """Means of the terms since they were asked for last; NaN for those without a step."""
        total, count = self._terms
        self._terms = np.zeros_like(self._terms)
        return np.divide(total, count, out=np.full_like(total, np.nan), where=count > 0)

    def recent(self) -> tuple[float, float]:
        """Mean return and length of the last episodes."""
        mean = np.array(self.episodes[-RECENT:] or [(np.nan, np.nan)]).mean(0)
        return float(mean[0]), float(mean[1])

    def rollout(self, horizon: int, act: Callable[[Array, int], Array]) -> Rollout:
        """Steps under the actions of a function of observations and the step's number."""
        steps = [self.step(act(self.observation, t)) for t in range(horizon)]
        first, *others = (np.stack(column) for column in zip(*steps))
        return Rollout(np.concatenate([first, self.observation[None]]), *others)

    def arrays(self) -> dict[str, Array]:
        """All that it needs to go on, beside the worlds."""
        episodes = np.array(self.episodes[-RECENT:], dtype=np.float64).reshape(-1, 2)
        return {
            **{name: getattr(self, name) for name in ("observation", "ended", "sums", "lengths")},
            "episodes": episodes,
            "steps": np.int64(self.steps),
            "terms": self._terms,
        }

    def restore(self, arrays: Mapping[str, Array]) -> None:
        """Goes on from what `arrays` gave."""
        for name in ("observation", "ended", "sums", "lengths"):
            setattr(self, name, arrays[name].copy())
        self.episodes = [(float(a), int(b)) for a, b in arrays["episodes"]]
        self.steps, self._terms = int(arrays["steps"]), arrays["terms"].copy()


class Episodes(NamedTuple):
    """The first episode of each world; `over` is false where it was cut off."""

    returns: Array
    lengths: Array
    over: Array
    terms: dict[str, float]


def first_episodes(
    env: Any,
    act: Callable[[Array], Array],
    *,
    most: int | None = None,
    least: int = 0,
    watch: Callable[[Array], Any] = lambda _: None,
) -> Episodes:
    """Lets a policy act until the first episode of each world is over.

    act: actions of -1 to 1 for observations. most: steps after which episodes are cut off. least: steps that are taken
    in any case. watch: is told before each step which of the episodes still go on.
    """
    runner = Runner(env)
    sums, lengths = np.zeros(env.num_worlds), np.zeros(env.num_worlds, int)
    going, taken = np.ones(env.num_worlds, bool), 0
    while (going.any() or taken < least) and (most is None or taken < most):
        watch(going)
        reward = runner.step(act(runner.observation))[2]
        sums += np.where(going, reward, 0)
        lengths += going
        going &= ~runner.ended
        taken += 1
    return Episodes(sums, lengths, ~going, dict(zip(runner.term_names, map(float, runner.terms()))))

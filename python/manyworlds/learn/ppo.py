"""Proximal policy optimisation (PPO) of a task, in JAX on the CPU.

    from manyworlds.learn import ppo

    config = ppo.Config(steps=200_000, worlds=32)
    state, log = ppo.train(env, config, seed=1)
    returns, lengths = ppo.evaluate(other_env, config, state)

The physics of all worlds and the learning take turns. The same seed gives the same curve bit for bit, on any number of
cores of one kind. Importing this sets JAX_PLATFORMS to `cpu` and PJRT_NPROC to 1, unless they are set.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from .config import TASKS, Config
from .errors import LearnError
from .nets import (
    Array,
    Moments,
    Net,
    State,
    arrays_of,
    create,
    forward,
    jax,
    jnp,
    layers,
    log_density,
    mean_action,
    normalise,
    state_of,
    value_of,
)
from .runner import Rollout, Runner, first_episodes, spanned


@partial(jax.jit, static_argnums=0)
def act(config: Config, state: State, observation: Array, step: Array) -> Array:
    """Actions of the policy with its noise, not limited."""
    mean = mean_action(config, state.net, normalise(state.seen, observation))
    noise = jax.random.normal(jax.random.fold_in(state.key, step), mean.shape)
    return mean + noise * jnp.exp(state.net.log_deviation)


@partial(jax.jit, static_argnums=0)
def act_best(config: Config, state: State, observation: Array) -> Array:
    """The most likely actions."""
    return mean_action(config, state.net, normalise(state.seen, observation))


def advantages(config: Config, rollout: Rollout, reward: Array, value: Array) -> Array:
    """GAE, [step, world]; `value` has one step more, as observations do.

    The observation after an end is the last of its episode: its value stands for what follows a truncation, and for
    nothing after a termination.
    """

    def back(later: Array, now: Any) -> tuple[Array, Array]:
        reward, value, following, terminated, truncated = now
        surprise = reward + config.discount * following * ~terminated - value
        advantage = surprise + config.discount * config.trace * later * ~(terminated | truncated)
        return advantage, advantage

    steps = (reward, value[:-1], value[1:], rollout.terminated, rollout.truncated)
    return jax.lax.scan(back, jnp.zeros_like(value[0]), steps, reverse=True)[1]


def discounted(config: Config, rollout: Rollout, owed: Array) -> tuple[Array, Array]:
    """Discounted return of each world up to each step, and what goes on to the next rollout."""

    def on(owed: Array, now: Any) -> tuple[Array, Array]:
        reward, ended = now
        owed = owed * config.discount + reward
        return owed * ~ended, owed

    return jax.lax.scan(on, owed, (rollout.reward, rollout.terminated | rollout.truncated))


def loss(config: Config, net: Net, batch: tuple[Array, ...]) -> tuple[Array, Array]:
    """Loss of PPO over the live rows of a batch, and the divergence from the policy that acted."""
    x, action, before, advantage, target, live = batch

    def mean(value: Array) -> Array:
        return (value * live).sum() / jnp.maximum(live.sum(), 1)

    advantage = advantage - mean(advantage)
    advantage = advantage / jnp.sqrt(mean(jnp.square(advantage)) + 1e-8)
    change = (log_density(config, net, x, action) - before) * live
    ratio = jnp.exp(change)
    limited = jnp.clip(ratio, 1 - config.clip, 1 + config.clip)
    gain = mean(jnp.minimum(ratio * advantage, limited * advantage))
    miss = 0.5 * mean(jnp.square(value_of(config, net, x) - target))
    entropy = net.log_deviation.sum()
    return -gain + config.value_weight * miss - config.entropy_weight * entropy, mean(ratio - 1 - change)


def adapted(config: Config, rate: Array, divergence: Array) -> Array:
    """Learning rate that follows the divergence: down where it is above twice its target, up where it is below half."""
    if config.target_divergence is None:
        return rate
    slower = jnp.maximum(rate / 1.5, config.least_rate)
    faster = jnp.minimum(rate * 1.5, config.most_rate)
    small = (divergence > 0) & (divergence < 0.5 * config.target_divergence)
    return jnp.where(divergence > 2 * config.target_divergence, slower, jnp.where(small, faster, rate))


def adam(config: Config, state: State, gradient: Net) -> State:
    """State after one step of Adam along a gradient of limited norm."""
    size = jnp.sqrt(sum(jnp.square(g).sum() for g in jax.tree.leaves(gradient)))
    limit = jnp.minimum(1.0, config.gradient / (size + 1e-8))
    n = state.updates + 1
    momentum = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * limit * g, state.momentum, gradient)
    square = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * jnp.square(limit * g), state.square, gradient)
    step = state.rate * jnp.sqrt(1 - 0.999**n) / (1 - 0.9**n)
    net = jax.tree.map(lambda p, m, v: p - step * m / (jnp.sqrt(v) + 1e-7), state.net, momentum, square)
    return state._replace(net=net, momentum=momentum, square=square, updates=n)


@partial(jax.jit, static_argnums=0)
def update(config: Config, state: State, rollout: Rollout, done: Array) -> tuple[State, Array]:
    """State after learning from a rollout, and the divergence of the policies; `done` is the part of all steps."""
    # rewards are scaled by the spread of returns so far; observations as when the policy acted
    owed, returns = discounted(config, rollout, state.owed)
    paid = state.paid.add(returns.ravel(), rollout.live.ravel())
    x = normalise(state.seen, rollout.observation)
    value = value_of(config, state.net, x)
    advantage = advantages(config, rollout, rollout.reward / paid.deviation, value)
    x, value = x[:-1], value[:-1]
    before = log_density(config, state.net, x, rollout.action)
    columns = (x, rollout.action, before, advantage, advantage + value, rollout.live)
    rows = tuple(column.reshape(-1, *column.shape[2:]) for column in columns)
    if config.target_divergence is None:
        state = state._replace(rate=jnp.float32(config.rate * (1 + (config.last_rate - 1) * done)))

    def minibatch(state: State, batch: tuple[Array, ...]) -> tuple[State, Array]:
        gradient, divergence = jax.grad(partial(loss, config), has_aux=True)(state.net, batch)
        state = state._replace(rate=adapted(config, state.rate, divergence))
        return adam(config, state, gradient), divergence

    def epoch(state: State, key: Array) -> tuple[State, Array]:
        order = jax.random.permutation(key, len(rows[0])).reshape(config.minibatches, -1)
        state, divergence = jax.lax.scan(lambda s, i: minibatch(s, tuple(r[i] for r in rows)), state, order)
        return state, divergence.mean()

    key, shuffle = jax.random.split(state.key)
    state, divergence = jax.lax.scan(epoch, state, jax.random.split(shuffle, config.epochs))
    seen = state.seen.add(rollout.observation[:-1].reshape(-1, x.shape[-1]), rollout.live.ravel())
    return state._replace(seen=seen, paid=paid, owed=owed, key=key), divergence[-1]


COLUMNS = (
    *("steps", "seconds", "return", "length", "steps_per_second", "physics", "divergence", "deviation"),
    "learning_rate",
)


class Training:
    """A run of learning: its worlds, what is learnt, and how far it has come."""

    def __init__(self, env: Any, config: Config, seed: int, state: State | None = None) -> None:
        self.env, self.config, self.runner = env, config, Runner(env)
        if state is None:
            state = create(config, seed, self.runner.observation.shape[1], len(env.task.action_low))
        self.state = state
        self.updates = config.steps // config.batch
        self.done = 0  # updates
        self.seconds = 0.0
        self._last = time.perf_counter()

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of what `advance` returns."""
        return (*COLUMNS, *self.runner.term_names)

    def advance(self) -> tuple[float, ...]:
        """A rollout and what is learnt from it; its row of the log. LearnError where nothing finite is learnt."""
        physics, state = self.runner.physics, self.state
        rollout = self.runner.rollout(
            self.config.horizon, lambda observation, t: act(self.config, state, observation, np.int32(t))
        )
        part = np.float32(self.done / self.updates)
        state, divergence = update(self.config, state, rollout, part)
        deviation = float(jnp.exp(state.net.log_deviation).mean())
        if not np.isfinite(deviation):
            raise LearnError(
                f"learning has diverged after {self.runner.steps:,} steps: try a smaller --config rate, or a "
                "target_divergence, as 0.01"
            )
        self.state, self.done = state, self.done + 1
        now = time.perf_counter()
        spent, self._last = now - self._last, now
        self.seconds += spent
        # the mean of the last episodes; physics is its share of the time
        pace = self.config.batch / spent, (self.runner.physics - physics) / spent
        learnt = float(divergence), deviation, float(state.rate)
        row = (self.runner.steps, self.seconds, *self.runner.recent(), *pace, *learnt)
        return (*row, *map(float, self.runner.terms()))


def train(
    env: Any, config: Config, seed: int, state: State | None = None, report: Callable[..., Any] = lambda *_: None
) -> tuple[State, list[tuple[float, ...]]]:
    """State after `config.steps` steps of the worlds, and the log: COLUMNS and terms of each update.

    `report` sees state and log after each of them.
    """
    training, log = Training(env, config, seed, state), []
    while training.done < training.updates:
        log.append(training.advance())
        report(training.state, log)
    return training.state, log


def evaluate(
    env: Any, config: Config, state: State, watch: Callable[[], Any] = lambda: None, most: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return and length of the first episode of each world under the most likely actions; `watch` sees each step.

    most: steps after which an episode is cut off.
    """
    found = first_episodes(env, partial(act_best, config, state), most=most, watch=lambda _: watch())
    return found.returns, found.lengths


__all__ = [
    "COLUMNS",
    "TASKS",
    "Config",
    "Moments",
    "Net",
    "Rollout",
    "Runner",
    "State",
    "Training",
    "act",
    "act_best",
    "adam",
    "adapted",
    "advantages",
    "arrays_of",
    "create",
    "discounted",
    "evaluate",
    "forward",
    "layers",
    "loss",
    "spanned",
    "state_of",
    "train",
    "update",
]

"""Proximal policy optimisation (PPO) of a task, in JAX on the CPU.

    pip install manyworlds jax matplotlib
    python python/examples/ppo.py cartpole --out runs/cartpole
    python python/examples/ppo.py ant --worlds 64 --steps 2000000 --seed 1 --out runs/ant
    python python/examples/ppo.py ant --load runs/ant/policy.npz --steps 0

The physics of all worlds and the learning take turns. A run leaves `log.csv`, `curve.png` and `policy.npz`; the same
seed gives the same curve bit for bit, on any number of cores of one kind.
"""

from __future__ import annotations

import argparse
import csv
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

# The nets are small: one thread is faster than two, leaves the others to physics, and always adds in the same order.
os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("PJRT_NPROC", "1")

import jax
import jax.numpy as jnp
import numpy as np

Array = Any  # of JAX or NumPy


@dataclass(frozen=True)
class Config:
    """Numbers of a run; those of a task are in `TASKS`."""

    steps: int = 1_000_000  # of all worlds together
    worlds: int = 64
    horizon: int = 64  # steps of a world between two updates
    epochs: int = 5
    minibatches: int = 8
    rate: float = 1e-3  # learning rate
    last_rate: float = 0.1  # of the last update, as a part of the first
    discount: float = 0.99
    trace: float = 0.95  # lambda of GAE
    clip: float = 0.2
    value_weight: float = 0.5
    entropy_weight: float = 0.0
    gradient: float = 1.0  # largest norm
    hidden: tuple[int, ...] = (64, 64)
    deviation: float = 0.6  # standard deviation of the first actions, which span -1 to 1
    # columns of an observation that the policy sees, and the critic; all where the task has no groups
    policy: tuple[int, int | None] = (0, None)
    critic: tuple[int, int | None] = (0, None)


# Names of ready-made tasks, and what suits them
STEADY = Config(worlds=32, epochs=10, minibatches=32, rate=3e-4)
TASKS = {
    "cartpole": ("CartPoleSwingUp", Config(horizon=128, rate=7e-4, last_rate=0.05)),
    "ant": ("Ant", Config(steps=2_000_000, trace=0.9, deviation=0.4)),
    "cheetah": ("HalfCheetah", Config(trace=0.9, deviation=0.4)),
    "hopper": ("Hopper", STEADY),
    "walker": ("Walker2d", STEADY),
    "quadruped": (
        "QuadrupedJoystick",
        Config(steps=5_000_000, worlds=128, minibatches=16, deviation=0.4, entropy_weight=0.001),
    ),
    "rough": (
        "QuadrupedRough",
        Config(steps=8_000_000, worlds=256, horizon=32, minibatches=16, deviation=0.4, entropy_weight=0.001),
    ),
}


class Moments(NamedTuple):
    """Running count, mean and sum of squared distances from it."""

    count: Array
    mean: Array
    spread: Array

    @staticmethod
    def empty(*shape: int) -> Moments:
        return Moments(jnp.float32(0), jnp.zeros(shape), jnp.zeros(shape))

    def add(self, values: Array, live: Array) -> Moments:
        """With the rows of `values` that are live, by Chan's formula."""
        weight = live.reshape(live.shape + (1,) * (values.ndim - live.ndim))
        count = live.sum()
        mean = (values * weight).sum(0) / jnp.maximum(count, 1)
        spread = (jnp.square(values - mean) * weight).sum(0)
        total = jnp.maximum(self.count + count, 1)
        apart = mean - self.mean
        return Moments(
            self.count + count,
            self.mean + apart * count / total,
            self.spread + spread + jnp.square(apart) * self.count * count / total,
        )

    @property
    def deviation(self) -> Array:
        """Standard deviation; 1 before there are values."""
        return jnp.where(self.count > 0, jnp.sqrt(self.spread / jnp.maximum(self.count, 1) + 1e-8), 1.0)


Layers = list[tuple[Array, Array]]


class Net(NamedTuple):
    """What is learnt: the mean of an action, the logarithm of its deviation, and the value of a state."""

    actor: Layers
    critic: Layers
    log_deviation: Array


class State(NamedTuple):
    """Everything that goes from one update to the next."""

    net: Net
    momentum: Net
    square: Net
    updates: Array  # of the parameters
    seen: Moments  # of observations
    paid: Moments  # of discounted returns
    owed: Array  # discounted return of each world so far
    key: Array


class Rollout(NamedTuple):
    """Steps of all worlds, [step, world]; `observation` has one step more."""

    observation: Array
    action: Array
    reward: Array
    terminated: Array
    truncated: Array
    live: Array  # 0 for the step after an end, which begins an episode and is no transition


def layers(key: Array, sizes: list[int], gain: float) -> Layers:
    """Orthogonal weights, the last of them scaled by `gain`, and biases of zero."""
    made = []
    for i, (n, m) in enumerate(zip(sizes, sizes[1:])):
        scale = gain if i == len(sizes) - 2 else np.sqrt(2)
        made.append((jax.nn.initializers.orthogonal(scale)(jax.random.fold_in(key, i), (n, m)), jnp.zeros(m)))
    return made


def forward(net: Layers, x: Array) -> Array:
    for w, b in net[:-1]:
        x = jnp.tanh(x @ w + b)
    w, b = net[-1]
    return x @ w + b


def normalise(seen: Moments, observation: Array) -> Array:
    return jnp.clip((observation - seen.mean) / seen.deviation, -10.0, 10.0)


def mean_action(config: Config, net: Net, x: Array) -> Array:
    """The most likely actions in normalised states."""
    return forward(net.actor, x[..., slice(*config.policy)])


def value_of(config: Config, net: Net, x: Array) -> Array:
    """Values of normalised states."""
    return forward(net.critic, x[..., slice(*config.critic)])[..., 0]


def log_density(config: Config, net: Net, x: Array, action: Array) -> Array:
    """Logarithm of the density of actions in normalised states."""
    z = (action - mean_action(config, net, x)) * jnp.exp(-net.log_deviation)
    return -(0.5 * jnp.square(z) + net.log_deviation + 0.5 * np.log(2 * np.pi)).sum(-1)


def create(config: Config, seed: int, observations: int, actions: int) -> State:
    key, actor, critic = jax.random.split(jax.random.key(seed), 3)
    net = Net(
        layers(actor, [len(range(observations)[slice(*config.policy)]), *config.hidden, actions], 0.01),
        layers(critic, [len(range(observations)[slice(*config.critic)]), *config.hidden, 1], 1.0),
        jnp.full(actions, np.log(config.deviation), jnp.float32),
    )
    zero = jax.tree.map(jnp.zeros_like, net)
    seen, paid = Moments.empty(observations), Moments.empty()
    return State(net, zero, zero, jnp.int32(0), seen, paid, jnp.zeros(config.worlds), key)


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


def adam(config: Config, state: State, gradient: Net, rate: Array) -> State:
    """State after one step of Adam along a gradient of limited norm."""
    size = jnp.sqrt(sum(jnp.square(g).sum() for g in jax.tree.leaves(gradient)))
    limit = jnp.minimum(1.0, config.gradient / (size + 1e-8))
    n = state.updates + 1
    momentum = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * limit * g, state.momentum, gradient)
    square = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * jnp.square(limit * g), state.square, gradient)
    step = rate * jnp.sqrt(1 - 0.999**n) / (1 - 0.9**n)
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
    rows = (x, rollout.action, before, advantage, advantage + value, rollout.live)
    rows = tuple(row.reshape(-1, *row.shape[2:]) for row in rows)
    rate = config.rate * (1 + (config.last_rate - 1) * done)

    def minibatch(state: State, batch: tuple[Array, ...]) -> tuple[State, Array]:
        gradient, divergence = jax.grad(partial(loss, config), has_aux=True)(state.net, batch)
        return adam(config, state, gradient, rate), divergence

    def epoch(state: State, key: Array) -> tuple[State, Array]:
        order = jax.random.permutation(key, len(rows[0])).reshape(config.minibatches, -1)
        state, divergence = jax.lax.scan(lambda s, i: minibatch(s, tuple(r[i] for r in rows)), state, order)
        return state, divergence.mean()

    key, shuffle = jax.random.split(state.key)
    state, divergence = jax.lax.scan(epoch, state, jax.random.split(shuffle, config.epochs))
    seen = state.seen.add(rollout.observation[:-1].reshape(-1, x.shape[-1]), rollout.live.ravel())
    return state._replace(seen=seen, paid=paid, owed=owed, key=key), divergence[-1]


def spanned(task: Any, action: Array) -> np.ndarray:
    """Actions of -1 to 1, limited, as those of the task."""
    low, high = np.asarray(task.action_low), np.asarray(task.action_high)
    return (low + (np.clip(action, -1, 1) + 1) * (high - low) / 2).astype(np.float32)


class Runner:
    """Worlds that a policy acts in, and what its episodes came to."""

    def __init__(self, env: Any) -> None:
        self.env = env
        self.observation = np.asarray(env.reset())
        self.ended = np.zeros(env.num_worlds, bool)
        self.sums = np.zeros(env.num_worlds)
        self.lengths = np.zeros(env.num_worlds, int)
        self.episodes: list[tuple[float, float]] = []  # return and length
        self.steps = 0
        self.physics = 0.0  # seconds

    def step(self, action: Array) -> tuple[np.ndarray, ...]:
        """A step of every world: the arrays of a `Rollout` for it."""
        before, live, limited = self.observation, ~self.ended, spanned(self.env.task, action)
        begin = time.perf_counter()
        observation, reward, terminated, truncated = map(np.asarray, self.env.step(limited))
        self.physics += time.perf_counter() - begin
        # copies, which the next step leaves alone; a world that diverged shows and pays nothing
        self.observation, reward = (
            np.nan_to_num(a.astype(np.float32), nan=0.0, posinf=0.0, neginf=0.0) for a in (observation, reward)
        )
        terminated, truncated = terminated.astype(bool), truncated.astype(bool)
        self.ended = terminated | truncated
        self.steps += len(reward)
        self.sums += reward
        self.lengths += live
        for i in np.flatnonzero(self.ended):
            self.episodes.append((float(self.sums[i]), int(self.lengths[i])))
        self.sums[self.ended] = self.lengths[self.ended] = 0
        return before, action, reward, terminated, truncated, live

    def rollout(self, config: Config, state: State) -> Rollout:
        steps = [self.step(act(config, state, self.observation, np.int32(t))) for t in range(config.horizon)]
        first, *others = (np.stack(column) for column in zip(*steps))
        return Rollout(np.concatenate([first, self.observation[None]]), *others)


def evaluate(
    env: Any, config: Config, state: State, watch: Callable[[], Any] = lambda: None
) -> tuple[np.ndarray, np.ndarray]:
    """Return and length of the first episode of each world under the most likely actions; `watch` sees each step."""
    runner = Runner(env)
    sums, lengths = np.zeros(env.num_worlds), np.zeros(env.num_worlds, int)
    going = np.ones(env.num_worlds, bool)
    while going.any():
        watch()
        reward = runner.step(act_best(config, state, runner.observation))[2]
        sums += np.where(going, reward, 0)
        lengths += going
        going &= ~runner.ended
    return sums, lengths


COLUMNS = ("steps", "seconds", "return", "length", "steps_per_second", "physics", "divergence", "deviation")


def train(
    env: Any, config: Config, seed: int, state: State | None = None, report: Callable[..., Any] = lambda *_: None
) -> tuple[State, list[tuple[float, ...]]]:
    """State after `config.steps` steps of the worlds, and the log: COLUMNS of each update, which `report` sees too."""
    start = last = time.perf_counter()
    runner, physics = Runner(env), 0.0
    if state is None:
        state = create(config, seed, runner.observation.shape[1], len(env.task.action_low))
    log = []
    batch = config.worlds * config.horizon
    updates = config.steps // batch
    for i in range(updates):
        rollout = runner.rollout(config, state)
        state, divergence = update(config, state, rollout, np.float32(i / updates))
        deviation = float(jnp.exp(state.net.log_deviation).mean())
        # the mean of the last hundred episodes; physics is its share of the time
        recent = np.array(runner.episodes[-100:] or [(np.nan, np.nan)]).mean(0)
        now = time.perf_counter()
        pace = batch / (now - last), (runner.physics - physics) / (now - last)
        log.append((runner.steps, now - start, *map(float, recent), *pace, float(divergence), deviation))
        last, physics = now, runner.physics
        report(state, log)
    return state, log


def save(path: Path, state: State) -> None:
    """Writes all arrays of a state under their names in it."""
    state = state._replace(key=jax.random.key_data(state.key))
    arrays: dict[str, Any] = {
        jax.tree_util.keystr(name): np.asarray(leaf) for name, leaf in jax.tree_util.tree_leaves_with_path(state)
    }
    np.savez(path, **arrays)


def load(path: Path, like: State) -> State:
    """State that was written by `save`, of the sizes of another."""
    like = like._replace(key=jax.random.key_data(like.key))
    with np.load(path) as file:
        state = jax.tree_util.tree_map_with_path(lambda name, _: jnp.asarray(file[jax.tree_util.keystr(name)]), like)
    return state._replace(key=jax.random.wrap_key_data(state.key))


def environment(name: str, worlds: int, seed: int) -> Any:
    """Worlds of a ready-made task, which differ as it says."""
    import manyworlds as mw
    from manyworlds import envs

    task = envs.task(name)
    return mw.Environment(task, worlds, seed=seed, randomize=envs.randomization(name, task.model))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", help=f"{', '.join(TASKS)}, or another name in manyworlds.envs.TASKS")
    parser.add_argument("--steps", type=int, help="of all worlds together; 0 to evaluate alone")
    parser.add_argument("--worlds", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--load", type=Path, help="policy to begin with")
    parser.add_argument("--out", type=Path, help="folder for the log, the curve, the policy and the film's frames")
    args = parser.parse_args()
    name, config = TASKS.get(args.task, (args.task, Config()))
    given = {key: value for key in ("steps", "worlds") if (value := getattr(args, key)) is not None}
    config = replace(config, **given)
    out = args.out or Path("runs") / f"{args.task}-{args.seed}"
    out.mkdir(parents=True, exist_ok=True)
    env = environment(name, config.worlds, args.seed)
    sizes = env.task.observation_size, len(env.task.action_low)
    groups = {name: (part.start, part.stop) for name, part in env.task.observation_groups.items()}
    config = replace(
        config, **{name: groups[name] for name in ("policy", "critic") if name in groups and len(groups) > 1}
    )
    state = create(config, args.seed, *sizes)
    if args.load:
        state = load(args.load, state)

    def report(state: State, log: list[tuple[float, ...]]) -> None:
        with open(out / "log.csv", "a" if len(log) > 1 else "w", newline="") as file:
            csv.writer(file).writerows([log[-1]] if len(log) > 1 else [COLUMNS, log[-1]])
        if len(log) % 20 == 1:
            print("  ".join(f"{name} {value:.4g}" for name, value in zip(COLUMNS, log[-1])), flush=True)
            save(out / "policy.npz", state)

    if config.steps:
        state, _ = train(env, config, args.seed, state, report)
        save(out / "policy.npz", state)
        import curves

        curves.draw([out / "log.csv"], out / "curve.png", f"{name}, seed {args.seed}")

    # worlds that training has not seen
    env = environment(name, 64, args.seed + 1_000_000)
    frames: list[np.ndarray] = []
    sums, lengths = evaluate(env, config, state, lambda: frames.append(np.array(env.batch.qpos[0])))
    np.save(out / "frames.npy", frames[: lengths[0]])
    print(
        f"{len(sums)} episodes without noise: return {sums.mean():.1f} +- {sums.std():.1f}, length {lengths.mean():.0f}"
    )


if __name__ == "__main__":
    main()

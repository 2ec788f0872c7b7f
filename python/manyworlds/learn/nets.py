"""What is learnt, in JAX: an actor, a critic, and the moments of what they have seen."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from .config import Config
from .errors import LearnError, need
from .policy import LIMIT

# The nets are small: one thread is faster than two, leaves the others to physics, and always adds in the same order.
os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("PJRT_NPROC", "1")

jax = need("jax", "learn")
jnp = jax.numpy

Array = Any  # of JAX or NumPy


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
    rate: Array  # learning rate of the last of them
    seen: Moments  # of observations
    paid: Moments  # of discounted returns
    owed: Array  # discounted return of each world so far
    key: Array


def layers(key: Array, sizes: list[int], gain: float) -> Layers:
    """Orthogonal weights, the last of them scaled by `gain`, and biases of zero."""
    made = []
    for i, (n, m) in enumerate(zip(sizes, sizes[1:])):
        scale = gain if i == len(sizes) - 2 else np.sqrt(2)
        made.append((jax.nn.initializers.orthogonal(scale)(jax.random.fold_in(key, i), (n, m)), jnp.zeros(m)))
    return made


def forward(net: Layers, x: Array) -> Array:
    """What layers make of rows."""
    for w, b in net[:-1]:
        x = jnp.tanh(x @ w + b)
    w, b = net[-1]
    return x @ w + b


def normalise(seen: Moments, observation: Array) -> Array:
    """Observations of mean 0 and deviation 1, as far as those so far tell."""
    return jnp.clip((observation - seen.mean) / seen.deviation, -LIMIT, LIMIT)


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
    """What a run begins with."""
    key, actor, critic = jax.random.split(jax.random.key(seed), 3)
    net = Net(
        layers(actor, [len(range(observations)[slice(*config.policy)]), *config.hidden, actions], 0.01),
        layers(critic, [len(range(observations)[slice(*config.critic)]), *config.hidden, 1], 1.0),
        jnp.full(actions, np.log(config.deviation), jnp.float32),
    )
    zero = jax.tree.map(jnp.zeros_like, net)
    seen, paid = Moments.empty(observations), Moments.empty()
    rate, owed = jnp.float32(config.rate), jnp.zeros(config.worlds)
    return State(net, zero, zero, jnp.int32(0), rate, seen, paid, owed, key)


def arrays_of(state: State) -> dict[str, Any]:
    """All arrays of a state, under their names in it."""
    state = state._replace(key=jax.random.key_data(state.key))
    leaves = jax.tree_util.tree_leaves_with_path(state)
    return {jax.tree_util.keystr(name): np.asarray(leaf) for name, leaf in leaves}


def state_of(arrays: Mapping[str, Any], like: State) -> State:
    """State of what `arrays_of` gave, of the sizes of another one; LearnError for arrays of other sizes."""
    like = like._replace(key=jax.random.key_data(like.key))

    def leaf(path: Any, old: Array) -> Array:
        name = jax.tree_util.keystr(path)
        if name not in arrays or arrays[name].shape != old.shape:
            got = list(arrays[name].shape) if name in arrays else "none"
            raise LearnError(f"an array '{name}' of shape {list(old.shape)} is expected, got {got}")
        return jnp.asarray(arrays[name])

    state = jax.tree_util.tree_map_with_path(leaf, like)
    return state._replace(key=jax.random.wrap_key_data(state.key))  # type: ignore[no-any-return]


def policy_arrays(state: State) -> dict[str, Any]:
    """Arrays of a `Policy`."""
    arrays: dict[str, Any] = {"log_deviation": state.net.log_deviation}
    for net, found in (("actor", state.net.actor), ("critic", state.net.critic)):
        for k, (weight, bias) in enumerate(found):
            arrays |= {f"{net}.{k}.weight": weight, f"{net}.{k}.bias": bias}
    for what, moments in (("seen", state.seen), ("paid", state.paid)):
        arrays |= {f"{what}.{name}": value for name, value in moments._asdict().items()}
    return {name: np.asarray(value, dtype=np.float32) for name, value in arrays.items()}


def with_policy(state: State, arrays: Mapping[str, Any]) -> State:
    """A state that begins with the nets and moments of a policy; LearnError where its layers are others."""

    def part(name: str, old: Array) -> Array:
        if arrays.get(name) is None or arrays[name].shape != old.shape:
            got = list(arrays[name].shape) if name in arrays else "none"
            raise LearnError(f"the policy's '{name}' is {got}, this run's {list(old.shape)}: give its --config hidden")
        return jnp.asarray(arrays[name])

    def net(name: str, old: Layers) -> Layers:
        return [(part(f"{name}.{k}.weight", w), part(f"{name}.{k}.bias", b)) for k, (w, b) in enumerate(old)]

    def moments(name: str, old: Moments) -> Moments:
        return Moments(*(part(f"{name}.{field}", value) for field, value in old._asdict().items()))

    learnt = state.net
    actor, critic = net("actor", learnt.actor), net("critic", learnt.critic)
    nets = Net(actor, critic, part("log_deviation", learnt.log_deviation))
    return state._replace(net=nets, seen=moments("seen", state.seen), paid=moments("paid", state.paid))

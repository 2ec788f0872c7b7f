"""A trained policy, with NumPy alone: in a file, and acting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from .._arrays import Array
from .._core import __version__
from ..task import POLICY, Task
from .errors import LearnError
from .files import read_arrays, write_arrays

FORMAT = 1
# Largest normalised observation.
LIMIT = 10.0

Terms = Sequence[Sequence[Any]]


def terms_of(task: Task) -> list[list[Any]]:
    """Group, name and size of each part of a task's observation."""
    groups = task.observation_groups
    found = []
    for label, part in task.observation_slices.items():
        group = next(name for name, whole in groups.items() if whole.start <= part.start < whole.stop)
        name = label if group == POLICY else label.removeprefix(f"{group}/")
        found.append([group, name, part.stop - part.start])
    return found


@dataclass(frozen=True)
class About:
    """What a policy says of itself."""

    task: str
    """Its task: a name, or `module:function`."""
    model: str
    observation: Terms
    """Group, name and size of each part of an observation."""
    action_low: Sequence[float]
    action_high: Sequence[float]
    hidden: Sequence[int]
    """Sizes of the layers between observation and action, whose values tanh limits."""
    policy: tuple[int, int]
    """Columns of an observation that the policy sees."""
    critic: tuple[int, int]
    dt: float
    """Seconds between two actions."""
    steps: int = 0
    """Steps that it has learnt from."""
    seed: int = 0
    library: str = __version__
    format: int = FORMAT
    activation: str = "tanh"
    limit: float = LIMIT
    """Largest normalised observation."""
    config: Mapping[str, Any] = field(default_factory=dict)
    """Numbers of the run of learning."""

    @staticmethod
    def of(task: Task, name: str, config: Any, **more: Any) -> About:
        """Of a task, and what is learnt for it."""
        columns = np.arange(task.observation_size)
        seen = [columns[slice(*part)] for part in (config.policy, config.critic)]
        policy, critic = ((int(one[0]), int(one[-1]) + 1) for one in seen)
        limits = task.action_low.tolist(), task.action_high.tolist()
        about = (name, task.model.name, terms_of(task), *limits, list(config.hidden), policy, critic, task.dt)
        return About(*about, config=config.as_dict(), **more)

    @property
    def seen(self) -> Terms:
        """The parts of an observation that the policy sees."""
        place, found = 0, []
        for term in self.observation:
            if self.policy[0] <= place < self.policy[1]:
                found.append(term)
            place += term[2]
        return found


class Policy:
    """A trained policy: the most likely action for what is observed.

    policy = Policy.load("runs/ant/policy.npz")
    action = policy.act(env.reset())
    """

    def __init__(self, arrays: Mapping[str, Array], about: About) -> None:
        """arrays: see `names`."""
        self.about, self.arrays = about, dict(arrays)
        columns = slice(*about.policy)
        count, mean, spread = (self.arrays[f"seen.{name}"] for name in ("count", "mean", "spread"))
        deviation = np.sqrt(spread / np.maximum(count, 1) + np.float32(1e-8)) if count > 0 else np.ones_like(mean)
        self.mean: Array = mean[columns]
        """Mean of each number that it sees."""
        self.deviation: Array = deviation[columns].astype(np.float32)
        """Its standard deviation."""
        self.layers: list[tuple[Array, Array]] = [
            (self.arrays[f"actor.{k}.weight"], self.arrays[f"actor.{k}.bias"]) for k in range(len(about.hidden) + 1)
        ]
        """Weights [from, to] and biases."""
        self.low: Array = np.asarray(about.action_low, dtype=np.float64)
        self.high: Array = np.asarray(about.action_high, dtype=np.float64)

    def __repr__(self) -> str:
        return f"<Policy of '{self.about.task}': {len(self.mean)} observed, action of {len(self.low)}>"

    def raw(self, observation: Array) -> Array:
        """Actions of -1 to 1, not yet limited, for observations [world, number]."""
        x = np.clip((self._seen(observation) - self.mean) / self.deviation, -LIMIT, LIMIT)
        for weight, bias in self.layers[:-1]:
            x = np.tanh(x @ weight + bias)
        weight, bias = self.layers[-1]
        return x @ weight + bias  # type: ignore[no-any-return]

    def act(self, observation: Array) -> Array:
        """Actions as the task takes them, for whole observations or for the policy's group of them, [world, number]."""
        action = np.clip(self.raw(observation), -1, 1)
        return (self.low + (action + 1) * (self.high - self.low) / 2).astype(np.float32)  # type: ignore[no-any-return]

    def _seen(self, observation: Array) -> Array:
        """What it sees of an observation, with 0 for what is no number, as in learning."""
        values = np.asarray(observation, dtype=np.float32)
        size, whole = len(self.mean), len(self.arrays["seen.mean"])
        if values.shape[-1:] not in ((size,), (whole,)):
            raise ValueError(f"an observation has {whole} numbers, {size} of the policy; got {list(values.shape)}")
        if values.shape[-1] == whole:
            values = values[..., slice(*self.about.policy)]
        return np.nan_to_num(values, nan=0.0, posinf=0.0, neginf=0.0)

    def check(self, task: Task, name: str, *, whole: bool = False) -> None:
        """LearnError where it is no policy for a task; `whole` looks at what others than the policy observe too."""
        mine, its = self.about.observation, terms_of(task)
        if not whole:
            mine = [term for term in mine if term[0] == POLICY] or mine
            its = [term for term in its if term[0] == POLICY] or its
        for k, (one, other) in enumerate(zip_longest(mine, its)):
            if one is None or other is None or list(one) != list(other):
                raise LearnError(
                    f"the policy is of '{self.about.task}', not of '{name}': part {k + 1} of its observation is "
                    f"{_shown(one)}, that of the task is {_shown(other)}; take its own task, or learn anew"
                )
        low, high = task.action_low, task.action_high
        if len(low) != len(self.low):
            raise LearnError(
                f"the policy is of '{self.about.task}', not of '{name}': its actions have {len(self.low)} numbers, "
                f"those of the task {len(low)}; take its own task, or learn anew"
            )
        for k in np.flatnonzero((low != self.low) | (high != self.high))[:1]:
            raise LearnError(
                f"the policy is of '{self.about.task}', not of '{name}': number {k} of its actions is between "
                f"{self.low[k]:g} and {self.high[k]:g}, in the task between {low[k]:g} and {high[k]:g}; "
                "take its own task, or learn anew"
            )

    def save(self, path: str | Path) -> None:
        """Writes it to an .npz file, which appears whole or not at all."""
        write_arrays(Path(path), self.arrays, asdict(self.about))

    @classmethod
    def load(cls, path: str | Path) -> Policy:
        """Reads a policy, or that of a run's folder; nothing is unpickled. LearnError for another file."""
        path = Path(path)
        path = path / "policy.npz" if path.is_dir() else path
        arrays, values = read_arrays(path, "policy")
        if values.get("format") != FORMAT:
            raise LearnError(
                f"{path}: a policy of format {values.get('format', 'none')}; this version reads {FORMAT}, "
                "as `train` writes in policy.npz"
            )
        missing = {f.name for f in fields(About)} - set(values)
        try:
            known = {f.name: values[f.name] for f in fields(About)}
            about = About(**{**known, "policy": tuple(known["policy"]), "critic": tuple(known["critic"])})
            _fit(arrays, about)
            return cls(arrays, about)
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as problem:
            why = f"it does not say its {sorted(missing)[0]}" if missing else str(problem)
            raise LearnError(f"{path}: parts of this policy do not fit ({why}); take another file") from problem


def names(hidden: Sequence[int]) -> list[str]:
    """Names of the arrays of a policy: weights and biases of the nets, the actions' deviation, and what was seen."""
    layers = [f"{k}.{part}" for k in range(len(hidden) + 1) for part in ("weight", "bias")]
    moments = [f"{what}.{part}" for what in ("seen", "paid") for part in ("count", "mean", "spread")]
    return [f"{net}.{layer}" for net in ("actor", "critic") for layer in layers] + ["log_deviation", *moments]


def _fit(arrays: Mapping[str, Array], about: About) -> None:
    """ValueError where arrays are not those of the sizes that a policy names."""
    observed, actions = sum(term[2] for term in about.observation), len(about.action_low)
    for name in ("policy", "critic"):
        first, end = getattr(about, name)
        if not 0 <= first < end <= observed:
            raise ValueError(f"the {name} sees numbers {first} to {end} of {observed}")
    limits = np.array([about.action_low, about.action_high], dtype=np.float64)
    if not (np.isfinite(limits).all() and (limits[0] <= limits[1]).all()):
        raise ValueError("its actions have no finite range")
    if about.activation != "tanh" or about.limit != LIMIT:
        raise ValueError(f"its net has {about.activation} and the limit {about.limit}; known are tanh and {LIMIT:g}")
    shapes: dict[str, tuple[int, ...]] = {"log_deviation": (actions,)}
    for net, columns, last in (("actor", about.policy, actions), ("critic", about.critic, 1)):
        sizes = [columns[1] - columns[0], *about.hidden, last]
        for k, (n, m) in enumerate(zip(sizes, sizes[1:])):
            shapes |= {f"{net}.{k}.weight": (n, m), f"{net}.{k}.bias": (m,)}
    for what, shape in (("seen", (observed,)), ("paid", ())):
        shapes |= {f"{what}.count": (), f"{what}.mean": shape, f"{what}.spread": shape}
    for name in names(about.hidden):
        if name not in arrays:
            raise ValueError(f"there is no array '{name}'")
        if arrays[name].shape != shapes[name] or arrays[name].dtype != np.float32:
            raise ValueError(f"'{name}' is {list(shapes[name])} of float32, got {list(arrays[name].shape)}")
        if not np.isfinite(arrays[name]).all():
            raise ValueError(f"'{name}' is not finite")


def _shown(term: Sequence[Any] | None) -> str:
    if term is None:
        return "not there"
    group, name, size = term
    return f"'{name}' of length {size}" if group == POLICY else f"'{group}/{name}' of length {size}"

"""Numbers of a run of learning, and those that suit the ready-made tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from .._tables import unknown
from ..task import POLICY, Task
from .errors import LearnError

Columns = tuple[int, int | None]


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
    # divergence of policies that the learning rate is adapted to, in place of a schedule
    target_divergence: float | None = None
    least_rate: float = 1e-5  # of an adapted learning rate
    most_rate: float = 1e-2
    discount: float = 0.99
    trace: float = 0.95  # lambda of GAE
    clip: float = 0.2
    value_weight: float = 0.5
    entropy_weight: float = 0.0
    gradient: float = 1.0  # largest norm
    hidden: tuple[int, ...] = (64, 64)
    deviation: float = 0.6  # standard deviation of the first actions, which span -1 to 1
    # columns of an observation that the policy sees, and the critic; all where the task has no groups
    policy: Columns = (0, None)
    critic: Columns = (0, None)

    def __post_init__(self) -> None:
        least = {"steps": 0, "worlds": 1, "horizon": 1, "epochs": 1, "minibatches": 1, "entropy_weight": 0}
        for name, value in least.items():
            if getattr(self, name) < value:
                raise ValueError(f"{name} is at least {value}, got {getattr(self, name)}")
        for name in ("rate", "last_rate", "least_rate", "most_rate", "clip", "gradient", "deviation"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} is above 0, got {getattr(self, name)}")
        if not (0 <= self.discount <= 1 and 0 <= self.trace <= 1):
            raise ValueError(f"discount and trace are between 0 and 1, got {self.discount} and {self.trace}")
        if self.target_divergence is not None and not self.target_divergence > 0:
            raise ValueError(f"target_divergence is above 0, or none, got {self.target_divergence}")
        if self.least_rate > self.most_rate:
            raise ValueError(f"least_rate is at most most_rate, got {self.least_rate} and {self.most_rate}")
        if not self.hidden or min(self.hidden) < 1:
            raise ValueError(f"hidden has the sizes of one layer or more, got {self.hidden}")
        if self.batch % self.minibatches:
            raise ValueError(
                f"{self.worlds} worlds of {self.horizon} steps are {self.batch} rows, which {self.minibatches} "
                "minibatches do not divide"
            )

    @property
    def batch(self) -> int:
        """Steps of all worlds between two updates."""
        return self.worlds * self.horizon

    def of(self, task: Task) -> Config:
        """With the columns of a task's groups of observations."""
        groups = {name: (part.start, part.stop) for name, part in task.observation_groups.items()}
        known: dict[str, Any] = {
            name: groups[name] for name in (POLICY, "critic") if name in groups and len(groups) > 1
        }
        return replace(self, **known)

    def as_dict(self) -> dict[str, Any]:
        """As JSON takes it."""
        return asdict(self)

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> Config:
        """From what `as_dict` has made, and JSON has kept."""
        given: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in values.items()}
        return Config(**given)


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
        Config(
            steps=5_000_000,
            worlds=256,
            horizon=32,
            minibatches=16,
            target_divergence=0.012,
            hidden=(128, 64),
            deviation=0.4,
        ),
    ),
    "biped": (
        "BipedJoystick",
        Config(
            steps=10_000_000,
            worlds=256,
            horizon=32,
            minibatches=16,
            target_divergence=0.012,
            hidden=(128, 64),
            deviation=0.4,
        ),
    ),
}


def suited(name: str) -> Config:
    """Numbers for a task by its whole name: those of `TASKS`, or the usual ones."""
    return dict(TASKS.values()).get(name, Config())


def changed(config: Config, settings: Sequence[str]) -> Config:
    """With settings `key=value` of a command line; LearnError for an unknown key or a value that cannot be."""
    # the task says what policy and critic see
    defaults = {f.name: f.default for f in fields(Config) if f.name not in ("policy", "critic")}
    values: dict[str, Any] = {}
    for setting in settings:
        key, equals, text = setting.partition("=")
        if not equals:
            raise LearnError(f"--config has key=value, got '{setting}': for instance --config rate=3e-4")
        if key not in defaults:
            raise LearnError(f"{unknown('key of --config', key, defaults)} (there are {', '.join(defaults)})")
        values[key] = _value(key, text, defaults[key])
    return altered(config, **values)


def altered(config: Config, **values: Any) -> Config:
    """With other values; LearnError for those that cannot be."""
    try:
        return replace(config, **values)
    except ValueError as problem:
        raise LearnError(f"{problem}: change --config, --worlds or --steps") from problem


def _value(key: str, text: str, default: Any) -> Any:
    """A value of the kind of a default."""
    try:
        if isinstance(default, tuple):
            return tuple(int(part) for part in text.split(","))
        if isinstance(default, int):
            return int(text)
        return None if default is None and text.lower() == "none" else float(text)
    except ValueError:
        kind = "sizes, as 64,64" if isinstance(default, tuple) else "a whole number"
        kind = kind if isinstance(default, (tuple, int)) else "a number"
        raise LearnError(f"--config {key} is {kind}, got '{text}'") from None

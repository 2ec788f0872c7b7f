"""A run of learning in a file: all that it needs to go on with the same bits. Nothing is pickled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .._arrays import Array
from .._core import __version__
from .._environment import Environment
from .config import Config
from .errors import LearnError
from .files import read_arrays, write_arrays
from .nets import arrays_of, state_of
from .ppo import Training

FORMAT = 1
# What a file says of its run, and of what kind each is.
KINDS: dict[str, Callable[[Any], Any]] = {
    "task": str,
    "digest": str,
    "seed": int,
    "device": str,
    "used": str,
    "library": str,
    "done": int,
    "seconds": float,
    "capacity": lambda both: [int(one) for one in both],
}


class Checkpoint(NamedTuple):
    """What a file of a run holds."""

    arrays: dict[str, Array]
    about: dict[str, Any]
    config: Config

    def part(self, name: str) -> dict[str, Array]:
        """Arrays of a part: `learner`, `runner`, `worlds` or `chance`."""
        return {key.partition("/")[2]: value for key, value in self.arrays.items() if key.startswith(f"{name}/")}


def chance_arrays(environment: Environment) -> dict[str, Array]:
    """Where the draws of an environment's model fields stand."""
    values = vars(environment._chance)
    return {name: np.asarray(value) for name, value in values.items() if _stands(name, value)}


def _stands(name: str, value: Any) -> bool:
    """Whether an attribute changes as worlds run."""
    return isinstance(value, np.ndarray) or name == "knows_ends"


def save(path: Path, training: Training, about: Mapping[str, Any]) -> None:
    """Writes a run between two updates; `about` says which one it is: task, digest, seed, device."""
    environment: Environment = training.env
    parts: dict[str, Mapping[str, Any]] = {
        "learner": arrays_of(training.state),
        "runner": training.runner.arrays(),
        "worlds": environment.batch.snapshot(),
        "chance": chance_arrays(environment),
    }
    nconmax, njmax = environment.batch.capacity
    note = {
        **about,
        "checkpoint": FORMAT,
        "config": training.config.as_dict(),
        "library": __version__,
        "used": environment.batch.device,
        "done": training.done,
        "steps": training.runner.steps,
        "seconds": training.seconds,
        "capacity": [int(nconmax), int(njmax)],
    }
    arrays = {f"{part}/{name}": value for part, values in parts.items() for name, value in values.items()}
    write_arrays(path, arrays, note)


def read(path: Path) -> Checkpoint:
    """Reads a run; LearnError where the file is another one, or a part of one."""
    arrays, about = read_arrays(path, "checkpoint")
    if about.get("checkpoint") != FORMAT:
        found = about.get("checkpoint", "none")
        raise LearnError(f"{path}: a checkpoint of format {found}; this version reads {FORMAT}")
    try:
        config = Config.from_dict(about["config"])
        about |= {key: kind(about[key]) for key, kind in KINDS.items()}
        if len(about["capacity"]) != 2:
            raise ValueError("capacity")
    except (KeyError, TypeError, ValueError) as problem:
        raise LearnError(f"{path}: parts of this checkpoint are missing or wrong ({problem}); begin anew") from problem
    return Checkpoint(arrays, about, config)


def restore(training: Training, checkpoint: Checkpoint) -> None:
    """Lets a new run of the same task, worlds and seed go on from a checkpoint; LearnError where it does not fit."""
    environment: Environment = training.env
    here = {"library": __version__, "used": environment.batch.device}
    for name, now in here.items():
        if (before := checkpoint.about[name]) != now:
            what = "version" if name == "library" else "device"
            raise LearnError(
                f"the checkpoint is of {what} {before}, this is {now}: bits would differ; go on there, or begin anew "
                "with --load policy.npz and another --out"
            )
    try:
        training.state = state_of(checkpoint.part("learner"), training.state)
        training.runner.restore(checkpoint.part("runner"))
        environment.batch.restore(checkpoint.part("worlds"))
        chance, present = checkpoint.part("chance"), chance_arrays(environment)
        for name, value in present.items():
            if chance[name].shape != value.shape:
                raise ValueError(f"draws by chance '{name}' are {list(chance[name].shape)}, here {list(value.shape)}")
            setattr(environment._chance, name, chance[name] if value.shape else chance[name].item())
    except (KeyError, ValueError) as problem:
        raise LearnError(f"the checkpoint does not fit this run: {problem}; begin anew in another --out") from problem
    training.done, training.seconds = int(checkpoint.about["done"]), float(checkpoint.about["seconds"])

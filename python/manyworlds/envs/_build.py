"""Environments from what all of the adapters take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .._environment import Environment
from .._inertia import Drawn
from .._model import Model
from ..task import Task
from ._registry import randomization
from ._registry import task as named

# Arguments of an Environment; all others are the task's.
ENGINE = ("device", "nconmax", "njmax", "overflow", "on_status", "first_world")


def prepare(
    task: str | Task, model: Model | None, randomize: bool | Sequence[Drawn], options: Mapping[str, Any]
) -> tuple[Task, Sequence[Drawn], dict[str, Any]]:
    """A task, by name or as it is, what differs by chance, and the options that are the engine's."""
    engine = {key: value for key, value in options.items() if key in ENGINE}
    rest = {key: value for key, value in options.items() if key not in ENGINE}
    drawn: Sequence[Drawn] = [] if isinstance(randomize, bool) else randomize
    if isinstance(task, str):
        made = named(task, model, **rest)
        return made, randomization(task, made.model) if randomize is True else drawn, engine
    if rest or model is not None:
        given = next(iter(rest), "model")
        raise TypeError(f"'{given}' is an argument of ready-made tasks; this one is made already")
    return task, drawn, engine


def build(
    task: Task,
    drawn: Sequence[Drawn],
    engine: Mapping[str, Any],
    num_worlds: int,
    *,
    autoreset: str,
    seed: int | None,
    dtype: Any = np.float32,
) -> Any:
    """An Environment in which what differs by chance is drawn when it says."""
    if seed is None:
        seed = int(np.random.SeedSequence().generate_state(1)[0])
    return Environment(task, num_worlds, seed=seed, autoreset=autoreset, dtype=dtype, randomize=drawn, **engine)

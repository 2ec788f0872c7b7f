"""The task that a command names: a ready-made one, or what a function of the user's makes."""

from __future__ import annotations

import hashlib
import importlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from .. import envs
from .._environment import Environment
from .._inertia import Drawn
from .._tables import unknown
from ..task import Task, constant
from .config import TASKS
from .errors import LearnError
from .policy import Policy

# Steps of an episode of a task that has no limit, where an end is needed.
LONG = 1000


@dataclass(frozen=True)
class Found:
    """A task, its whole name, and what differs by chance in its worlds."""

    name: str
    task: Task
    randomize: Sequence[Drawn]

    def environment(self, worlds: int, seed: int, device: str, **options: Any) -> Environment:
        """Worlds of the task; LearnError where there can be none."""
        try:
            return Environment(self.task, worlds, seed=seed, device=device, randomize=self.randomize, **options)
        except (ValueError, RuntimeError, NotImplementedError, MemoryError) as problem:
            raise LearnError(f"no {worlds} worlds of {self.name} on device '{device}': {problem}") from problem

    @property
    def longest(self) -> int:
        """Steps of the longest episode that is waited for."""
        return self.task.max_episode_steps or LONG

    @cached_property
    def digest(self) -> str:
        """Two tasks of one digest are the same."""
        text = json.dumps(self.task.to_dict(), sort_keys=True) + repr(list(self.randomize))
        return hashlib.sha256(text.encode() + self.task.model.to_bytes()).hexdigest()


def find(name: str) -> Found:
    """A task by a short name of `TASKS`, a name of `envs.TASKS`, or `module:function`."""
    if ":" in name:
        return _own(name)
    whole = TASKS[name][0] if name in TASKS else name
    if whole not in envs.TASKS:
        known = [*TASKS, *envs.TASKS]
        raise LearnError(
            f"{unknown('task', name, known)} (there are {', '.join(known)}; module:function for a task of your own)"
        )
    task = envs.task(whole)
    return Found(whole, task, envs.randomization(whole, task.model))


def task_of(policy: Policy, name: str | None, *, whole: bool = False) -> Found:
    """The task that a policy is for, or another one of these observations and actions.

    A file does not decide which code runs: a function of the user's has to be named by the user.
    """
    if name is None:
        name = policy.about.task
        if ":" in name:
            raise LearnError(
                f"the policy is of '{name}', code of yours, which a file does not start: say --task {name}"
            )
    found = find(name)
    policy.check(found.task, found.name, whole=whole)
    return found


def _own(name: str) -> Found:
    """What a function of the user's makes: a Task, or a Task and a list of what differs by chance."""
    module_name, _, function_name = name.partition(":")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as problem:
        # what such a module imports itself is the user's to see
        if not problem.name or not f"{module_name}.".startswith(f"{problem.name}."):
            raise
        raise LearnError(
            f"'{name}': there is no module '{problem.name}' here; run from its folder, or put this in PYTHONPATH"
        ) from problem
    except ValueError:
        raise LearnError(f"'{name}' has no module: a task of your own is module:function") from None
    function = getattr(module, function_name, None)
    if not callable(function):
        there = [key for key, value in vars(module).items() if callable(value) and not key.startswith("_")]
        raise LearnError(f"'{name}': {unknown(f'function of {module_name}', function_name, there)}")
    made = function()
    task, randomize = made if isinstance(made, tuple) and len(made) == 2 else (made, [])
    if not isinstance(task, Task) or not isinstance(randomize, (list, tuple)):
        raise LearnError(
            f"'{name}' returns a Task, or a Task and a list of what differs by chance; it has returned "
            f"{type(made).__name__}"
        )
    return Found(name, task, randomize)


def fix_command(task: Task, setting: str) -> None:
    """Keeps a command of a task at given numbers: `0.5,0,0`, or `name=0.5,0,0` where it has several.

    The name may be that of any variable; without one, it is the task's only command.
    """
    named, equals, text = setting.rpartition("=")
    variables = {one["name"]: one for one in task._variables}
    names = [named] if equals else task.command_names
    if len(names) != 1:
        has = f"has the commands {', '.join(names)}: say which, {names[0]}={text}" if names else "has no command"
        raise LearnError(f"--command {setting}: the task {has}")
    if names[0] not in variables:
        raise LearnError(f"--command {setting}: {unknown('command', names[0], variables)}")
    variable = variables[names[0]]
    try:
        values = np.array([float(part) for part in text.split(",")])
    except ValueError:
        raise LearnError(f"--command {setting}: numbers are expected, as 0.5,0,0") from None
    size = variable["reset"].size
    if len(values) != size or not np.isfinite(values).all():
        raise LearnError(f"--command {setting}: '{names[0]}' has {size} finite numbers")
    variable["reset"] = variable["update"] = constant(values)

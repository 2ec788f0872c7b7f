"""The ready-made tasks by name: what makes each, its model, and what differs by chance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .._inertia import Drawn
from .._model import Model
from .._spec import Spec
from .._tables import UnknownNameError, unknown
from ..task import Task
from .biped import biped_joystick, biped_randomization
from .cartpole import cartpole_swing_up
from .locomotion import ant, half_cheetah, hopper, humanoid, swimmer, walker2d
from .quadruped import quadruped_joystick, quadruped_randomization, terrain
from .reacher import reacher
from .rough import quadruped_rough, rough_ground

_MODELS = Path(__file__).parent / "models"


@dataclass(frozen=True)
class Entry:
    """A ready-made task: what makes it, its model, steps of an episode, what differs by chance, its ground."""

    make: Callable[..., Task]
    model: str
    max_episode_steps: int = 1000
    randomize: Callable[[Model], list[Drawn]] | None = None
    ground: Callable[[Spec], Spec] | None = None


TASKS: dict[str, Entry] = {
    "Ant": Entry(ant, "ant"),
    "Humanoid": Entry(humanoid, "humanoid"),
    "HalfCheetah": Entry(half_cheetah, "half_cheetah"),
    "Hopper": Entry(hopper, "hopper"),
    "Walker2d": Entry(walker2d, "walker2d"),
    "Swimmer": Entry(swimmer, "swimmer"),
    "Reacher": Entry(reacher, "reacher", 50),
    "CartPoleSwingUp": Entry(cartpole_swing_up, "cartpole", 500),
    "BipedJoystick": Entry(biped_joystick, "biped", 500, biped_randomization),
    "QuadrupedJoystick": Entry(quadruped_joystick, "quadruped", 1000, quadruped_randomization, terrain),
    "QuadrupedRough": Entry(quadruped_rough, "quadruped", 500, quadruped_randomization, rough_ground),
}


def entry(name: str) -> Entry:
    """A ready-made task by name; UnknownNameError (a KeyError) with the nearest one."""
    if name not in TASKS:
        raise UnknownNameError(unknown("task", name, TASKS))
    return TASKS[name]


def spec(name: str) -> Spec:
    """The model of a ready-made task, before it is compiled."""
    found = entry(name)
    out = Spec.from_xml_path(_MODELS / f"{found.model}.xml")
    return out if found.ground is None else found.ground(out)


def model(name: str) -> Model:
    """The model of a ready-made task."""
    return spec(name).compile()


def task(name: str, model: Model | None = None, **options: Any) -> Task:
    """A ready-made task, for its own model or for a given one; `options` are those of its function."""
    return entry(name).make(spec(name).compile() if model is None else model, **options)


def randomization(name: str, model: Model) -> list[Drawn]:
    """What differs by chance from world to world, for `Batch.randomize`; nothing for most tasks."""
    differs = entry(name).randomize
    return [] if differs is None else differs(model)

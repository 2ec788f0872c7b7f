"""Ready-made tasks with models of their own, and environments of Gymnasium, Stable-Baselines3 and rsl_rl around them.

    import gymnasium, manyworlds
    envs = gymnasium.make_vec("manyworlds/Ant-v0", num_envs=4096)

    from manyworlds import envs
    task = envs.task("Ant", ctrl_cost_weight=0.1)  # or envs.ant(any_model)

Nothing here needs another library but `vector` (Gymnasium), `sb3` and `rsl_rl`, which are imported when asked for.
"""

from __future__ import annotations

from typing import Any

from ._registry import TASKS, Entry, entry, model, randomization, spec, task
from .biped import biped_joystick, biped_randomization
from .cartpole import cartpole_swing_up
from .locomotion import ant, half_cheetah, hopper, humanoid, swimmer, walker2d
from .quadruped import quadruped_joystick, quadruped_randomization, terrain
from .reacher import reacher
from .rough import quadruped_rough, rough_terrain


def __getattr__(name: str) -> Any:
    if name in ("ManyWorldsEnv", "ManyWorldsVectorEnv"):
        from . import vector

        return getattr(vector, name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


__all__ = [
    "TASKS",
    "Entry",
    "ant",
    "biped_joystick",
    "biped_randomization",
    "cartpole_swing_up",
    "entry",
    "half_cheetah",
    "hopper",
    "humanoid",
    "model",
    "quadruped_joystick",
    "quadruped_randomization",
    "quadruped_rough",
    "randomization",
    "reacher",
    "rough_terrain",
    "spec",
    "swimmer",
    "task",
    "terrain",
    "walker2d",
]

"""Worlds as the vector environment of Stable-Baselines3.

from stable_baselines3 import PPO
from manyworlds.envs.sb3 import make

PPO("MlpPolicy", make("Ant", 64)).learn(1_000_000)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

try:
    from stable_baselines3.common.vec_env.base_vec_env import VecEnv  # type: ignore[import-not-found]
except ImportError as problem:
    raise ImportError("this needs Stable-Baselines3: pip install stable-baselines3") from problem

from gymnasium.vector import AutoresetMode

from .._arrays import Array
from ..task import Task
from .vector import ManyWorldsVectorEnv

Indices = int | Iterable[int] | None


def make(task: str | Task, num_envs: int = 1, **options: Any) -> ManyWorldsVecEnv:
    """Worlds of a task; arguments as those of ManyWorldsVectorEnv."""
    return ManyWorldsVecEnv(ManyWorldsVectorEnv(task, num_envs, autoreset_mode=AutoresetMode.SAME_STEP, **options))


class ManyWorldsVecEnv(VecEnv):  # type: ignore[misc]
    """Worlds as a VecEnv: a world whose episode has ended begins the next one in the same step.

    All worlds are one object: its attributes and methods stand for those of each world.
    """

    def __init__(self, worlds: ManyWorldsVectorEnv) -> None:
        if worlds.autoreset_mode is not AutoresetMode.SAME_STEP:
            raise ValueError(f"autoreset_mode is SAME_STEP here, got {worlds.autoreset_mode.name}")
        self.worlds = worlds
        super().__init__(worlds.num_envs, worlds.single_observation_space, worlds.single_action_space)

    def reset(self) -> Array:
        """Begins episodes in all worlds; their observations. Seeds are those of `seed`, used once."""
        seeds = list(self._seeds)
        observation, _ = self.worlds.reset(seed=None if all(seed is None for seed in seeds) else seeds)
        self._reset_seeds()
        self._reset_options()
        return observation

    def step_async(self, actions: Array) -> None:
        """Takes the actions of the next step."""
        self._actions = actions

    def step_wait(self) -> tuple[Array, Array, Array, list[dict[str, Any]]]:
        """Steps: observations, rewards, whether episodes have ended, and infos."""
        observation, reward, terminated, truncated, found = self.worlds.step(self._actions)
        timed_out = truncated & ~terminated
        last = found.pop("final_obs", None)
        running = _rows({key: value for key, value in found.items() if not key.startswith(("_", "final_"))})
        ended = _rows(found.get("final_info", {}))
        infos: list[dict[str, Any]] = [{"TimeLimit.truncated": bool(out)} for out in timed_out]
        for i, info in enumerate(infos):
            if last is not None and last[i] is not None:
                info["terminal_observation"] = last[i]
                info.update(ended(i))
            else:
                info.update(running(i))
        return observation, reward, terminated | truncated, infos

    def close(self) -> None:
        """Frees the worlds."""
        self.worlds.close()

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """An attribute, for each of the worlds."""
        return [getattr(self.worlds, attr_name)] * len(self._chosen(indices))

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Sets an attribute of all worlds; ValueError for some of them."""
        if len(self._chosen(indices)) != self.num_envs:
            raise ValueError(f"'{attr_name}' is one for all worlds: leave out indices")
        setattr(self.worlds, attr_name, value)

    def env_method(self, method_name: str, *args: Any, indices: Indices = None, **kwargs: Any) -> list[Any]:
        """Calls a method once; what it returns, for each of the worlds."""
        chosen = self._chosen(indices)
        return [getattr(self.worlds, method_name)(*args, **kwargs)] * len(chosen)

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Indices = None) -> list[bool]:
        """False for each of the worlds."""
        return [False] * len(self._chosen(indices))

    def get_images(self) -> list[None]:
        """Nothing is drawn."""
        return [None] * self.num_envs

    def _chosen(self, indices: Indices) -> list[int]:
        if indices is None:
            return list(range(self.num_envs))
        return [indices] if isinstance(indices, (int, np.integer)) else list(indices)


def _rows(columns: dict[str, Any]) -> Any:
    """Rows of columns, by place."""
    kept = {key: value for key, value in columns.items() if not key.startswith("_")}
    return lambda i: {key: float(value[i]) for key, value in kept.items()}

"""Worlds of a task as environments of RLlib.

    from ray.rllib.algorithms.ppo import PPOConfig
    from manyworlds.ray import rllib

    config = PPOConfig().environment(rllib.register("ant", "Ant"))
    config.env_runners(num_env_runners=2, num_envs_per_env_runner=64, gym_env_vectorize_mode="vector_entry_point")
    algorithm = config.build_algo()
    algorithm.train()

All worlds of a runner are one batch where RLlib asks for a vector environment, as here; else each is by itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from .actors import ACTOR, GPU, device_of, packed

try:
    from ray.tune import register_env  # type: ignore[import-not-found,unused-ignore]
except ImportError as problem:
    raise ImportError("this needs RLlib: pip install 'manyworlds[rllib]'") from problem

from ..envs import entry
from ..envs.vector import ManyWorldsEnv, ManyWorldsVectorEnv
from ..task import Task


class RunnerWorlds(ManyWorldsVectorEnv):
    """The worlds of one runner of RLlib."""

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """As ManyWorldsVectorEnv; runners' seeds are consecutive, and their worlds draw different numbers even so."""
        if isinstance(seed, (int, np.integer)):
            seed = [int(one) for one in np.random.SeedSequence(int(seed)).generate_state(self.num_envs)]
        return super().reset(seed=seed, options=options)


def register(name: str, task: str | Task, **options: Any) -> str:
    """Makes worlds of a task known to RLlib under a name, which it returns.

    task: the name of a ready-made task, or a Task.
    options: as of `manyworlds.envs.ManyWorldsVectorEnv`; `env_config` of the algorithm may add to them.

    `device="gpu:{gpu}"` is the GPU that Ray gave a runner: `config.env_runners(num_gpus_per_env_runner=1)`.

    Raises UnknownNameError (a KeyError) for a name that no task has, TypeError for a task that does not pickle.
    """
    if ACTOR in str(options.get("device")):
        raise ValueError(
            f"device '{options['device']}': RLlib does not number its runners for environments; use '{GPU}'"
        )
    if isinstance(task, str):
        entry(task)
    packed({"task": task, "options": options})
    register_env(name, partial(_made, task, options))
    return name


def _made(
    task: str | Task, options: Mapping[str, Any], config: Mapping[str, Any]
) -> ManyWorldsEnv | ManyWorldsVectorEnv:
    """An environment, or many, as RLlib asks for them."""
    given = {"device": "cpu", **options, **config}
    given["device"] = device_of(given["device"], 0)
    if "num_envs" in given:
        return RunnerWorlds(task, **given)
    # nothing around a single environment ends its episodes
    if isinstance(task, str):
        given.setdefault("max_episode_steps", entry(task).max_episode_steps)
    return ManyWorldsEnv(task, **given)

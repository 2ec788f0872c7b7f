"""Worlds as the vector environment of rsl_rl.

from rsl_rl.runners import OnPolicyRunner
from manyworlds.envs.rsl_rl import ManyWorldsVecEnv

OnPolicyRunner(ManyWorldsVecEnv("QuadrupedJoystick", 4096), train_cfg).learn(1500)
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

try:
    import torch  # type: ignore[import-not-found]
    from rsl_rl.env import VecEnv  # type: ignore[import-not-found]
    from tensordict import TensorDict  # type: ignore[import-not-found]
except ImportError as problem:
    raise ImportError("this needs rsl_rl and PyTorch: pip install rsl-rl-lib") from problem

from .._inertia import Drawn
from .._model import Model
from ..task import Task
from ._build import build, prepare

# An episode without an end, for rsl_rl's mean lengths.
ENDLESS = 1 << 30


class ManyWorldsVecEnv(VecEnv):  # type: ignore[misc]
    """Worlds as a VecEnv: a world whose episode has ended begins the next one in the same step.

    task: the name of a ready-made task, or a Task; further arguments are the task's and those of Environment.
    groups: names of groups of observations, with the parts that each has; those of the task where not given.
    torch_device: where tensors are; the worlds are where `device` says.

    Episodes are counted in `episode_length_buf`, which the runner may set to spread their ends.
    """

    def __init__(
        self,
        task: str | Task,
        num_envs: int,
        *,
        torch_device: str = "cpu",
        groups: Mapping[str, Sequence[str]] | None = None,
        model: Model | None = None,
        seed: int | None = None,
        randomize: bool | Sequence[Drawn] = True,
        **options: Any,
    ) -> None:
        made, drawn, engine = prepare(task, model, randomize, options)
        # the limit is kept here
        limit = made.max_episode_steps
        made = copy.copy(made)
        made.max_episode_steps = None
        self.environment = build(made, drawn, engine, num_envs, autoreset="disabled", seed=seed)
        self.num_envs = num_envs
        self.num_actions = len(made.action_low)
        self.max_episode_length = ENDLESS if limit is None else limit
        self.device = torch_device
        self.cfg = {"task": task if isinstance(task, str) else made.model.name, "num_envs": num_envs, **options}
        self.episode_length_buf = torch.zeros(num_envs, dtype=torch.long, device=torch_device)
        slices = made.observation_slices
        places = np.arange(made.observation_size)
        self._groups = {name: places[part] for name, part in made.observation_groups.items()}
        if groups is not None:
            self._groups = {k: np.concatenate([places[slices[p]] for p in parts]) for k, parts in groups.items()}
        self._seen = self.environment.reset()

    def get_observations(self) -> TensorDict:
        """Observations as they are now, in their groups."""
        parts = {name: self._tensor(self._seen[:, places]) for name, places in self._groups.items()}
        return TensorDict(parts, batch_size=[self.num_envs])

    def step(self, actions: torch.Tensor) -> tuple[TensorDict, torch.Tensor, torch.Tensor, dict[str, Any]]:
        """Steps: observations, rewards, ends, and `time_outs` and `log` as extras."""
        observation, reward, terminated, _ = self.environment.step(actions.detach().cpu().numpy())
        self.episode_length_buf += 1
        lengths = self.episode_length_buf.cpu().numpy()
        timed_out = (lengths >= self.max_episode_length) & ~terminated
        ended = terminated | timed_out
        extras: dict[str, Any] = {"time_outs": self._tensor(timed_out)}
        if ended.any():
            terms = {f"/reward/{name}": values for name, values in self.environment.reward_terms.items()}
            metrics = {f"/metric/{name}": values for name, values in self.environment.metrics.items()}
            extras["log"] = {name: float(values.mean()) for name, values in {**terms, **metrics}.items()}
            observation = self.environment.reset(worlds=ended)
            self.episode_length_buf[self._tensor(ended)] = 0
        self._seen = observation
        dones = self._tensor(ended.astype(np.int64))
        return self.get_observations(), self._tensor(reward), dones, extras

    def reset(self) -> tuple[TensorDict, dict[str, Any]]:
        """Begins episodes in all worlds."""
        self._seen = self.environment.reset()
        self.episode_length_buf[:] = 0
        return self.get_observations(), {}

    def close(self) -> None:
        """Frees the worlds."""
        self.environment.close()

    def _tensor(self, values: Any) -> torch.Tensor:
        return torch.as_tensor(values, device=self.device)

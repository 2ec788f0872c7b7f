"""Environments of Gymnasium: all worlds as one vector environment, or a single world."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

try:
    import gymnasium
    from gymnasium import error, spaces
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError as problem:
    raise ImportError("environments of Gymnasium need it: pip install 'manyworlds[rl]'") from problem

from .._arrays import Array
from .._inertia import Drawn
from .._model import Model
from ..task import Task
from ._build import build, prepare
from ._pictures import RENDER_MODES, Camera, Pictures, entry, metadata


def boxes(task: Task, dtype: Any) -> tuple[spaces.Space[Any], spaces.Box]:
    """Spaces of the observations and actions of one world; observations of several groups are a dictionary of these."""

    def box(size: int) -> spaces.Box:
        return spaces.Box(-np.inf, np.inf, (size,), np.dtype(dtype).type)

    groups: dict[str, spaces.Space[Any]] = {
        name: box(part.stop - part.start) for name, part in task.observation_groups.items()
    }
    seen: spaces.Space[Any] = spaces.Dict(groups) if len(groups) > 1 else box(task.observation_size)
    low, high = task.action_low.astype(np.float32), task.action_high.astype(np.float32)
    return seen, spaces.Box(low, high, dtype=np.float32)


def actions_of(action: ArrayLike, shape: tuple[int, ...]) -> Array:
    """Actions as an array; ValueError where they are none, or of another shape."""
    try:
        array = np.asarray(action)
    except ValueError as problem:
        raise ValueError(f"'action': {problem}; expected shape {list(shape)}") from None
    if array.dtype.kind in "fiub" and array.shape != shape:
        raise ValueError(f"'action' has shape {list(shape)}, got {list(array.shape)}")
    return array


class ManyWorldsVectorEnv(VectorEnv[Any, Array, Array]):
    """Worlds of a task as Gymnasium's vector environment.

    task: the name of a ready-made task ("Ant"), or a Task. Its arguments, and those of `manyworlds.Environment`, may
        follow: `ctrl_cost_weight=0.1`, `device="cpu"`.
    autoreset_mode: where an episode has ended, the next begins in the next step (as by default), in the same step, with
        the last observation in `infos["final_obs"]`, or by `reset(options={"reset_mask": mask})`.
    infos: whether `infos` have the terms of the reward and the metrics; this costs a read in each step.
    randomize: whether worlds differ as the ready-made task says, or what differs.
    seed: of all draws; by chance where not given. `reset(seed=…)` begins them anew.
    render_mode: "rgb_array": `render()` returns a frame of each world, a tuple of `num_envs` arrays [height, width, 3].
    camera, width, height: of the frames; see Batch.render. Where no camera is given, the first of the model, or one
        that follows.
    pixels: (width, height) of pictures that are observed: observations are a dictionary of "state" and "pixels" [world,
        height, width, 3], uint8, drawn in one submission for all worlds.
    pixels_camera: of these pictures, where it is another than `camera`.
    pixels_only: observations are the pictures alone.
    depth: whether distances [world, height, width], float32, m, are observed too, as "depth".
    """

    metadata = {"render_modes": RENDER_MODES}

    def __init__(
        self,
        task: str | Task,
        num_envs: int = 1,
        *,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        infos: bool = False,
        model: Model | None = None,
        seed: int | None = None,
        dtype: Any = np.float32,
        randomize: bool | Sequence[Drawn] = True,
        render_mode: str | None = None,
        camera: Camera = None,
        width: int = 480,
        height: int = 480,
        pixels: Sequence[int] | None = None,
        pixels_camera: Camera = None,
        pixels_only: bool = False,
        depth: bool = False,
        **options: Any,
    ) -> None:
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        autoreset = "next_step" if self.autoreset_mode is AutoresetMode.NEXT_STEP else "disabled"
        prepared = prepare(task, model, randomize, options)
        self.environment = build(*prepared, num_envs, autoreset=autoreset, seed=seed, dtype=dtype)
        self.num_envs = self.environment.num_worlds
        self.metadata = {**metadata(self.environment), "autoreset_mode": self.autoreset_mode}
        self.render_mode = render_mode
        self._pictures = Pictures(
            self.environment,
            render_mode,
            camera=camera,
            width=width,
            height=height,
            pixels=pixels,
            pixels_camera=pixels_camera,
            pixels_only=pixels_only,
            depth=depth,
        )
        state, self.single_action_space = boxes(self.environment.task, dtype)
        self.single_observation_space = self._pictures.space(state)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._infos = infos
        self._begun = False
        # worlds whose episode has ended, and has not begun anew
        self._ended = np.zeros(self.num_envs, dtype=np.bool_)

    @property
    def task(self) -> Task:
        """The task."""
        return self.environment.task  # type: ignore[no-any-return]

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Begins episodes in all worlds, or in those of `options["reset_mask"]`; the observations of all.

        seed: one for all, which gives world i the draws of seed + i, or one for each; None goes on with the draws.
        """
        self._check_open()
        mask = self._mask(options)
        seeds: list[int | None]
        if seed is None:
            seeds = [None] * self.num_envs
        elif isinstance(seed, (int, np.integer)):
            super().reset(seed=int(seed))
            seeds = [int(seed) + i for i in range(self.num_envs)]
        else:
            seeds = list(seed)
            if len(seeds) != self.num_envs:
                raise ValueError(f"{len(seeds)} seeds are given for num_envs={self.num_envs}")
        given = np.array([one is not None for one in seeds]) & mask
        if given.any():
            chosen = [seeds[i] for i in np.flatnonzero(given)]
            observation = self.environment.reset(worlds=given, seed=chosen)
        rest = mask & ~given
        if rest.any():
            observation = self.environment.reset(worlds=rest)
        self._ended[mask] = False
        self._begun = True
        return self._pictures.observation(observation), {}

    def _mask(self, options: dict[str, Any] | None) -> Array:
        """Worlds that are to begin anew."""
        if options is None or "reset_mask" not in options:
            return np.ones(self.num_envs, dtype=np.bool_)
        mask = options["reset_mask"]
        if not isinstance(mask, np.ndarray):
            raise TypeError(f"options['reset_mask'] is a NumPy array, got {type(mask).__name__}")
        if mask.dtype != np.bool_:
            raise TypeError(f"options['reset_mask'] has dtype bool, got {mask.dtype}")
        if mask.shape != (self.num_envs,):
            raise ValueError(f"options['reset_mask'] has shape [{self.num_envs}], got {list(mask.shape)}")
        if not mask.any():
            raise ValueError("options['reset_mask'] chooses no world")
        return mask

    def step(self, actions: Array) -> tuple[Any, Array, Array, Array, dict[str, Any]]:
        """Steps all worlds: observations, rewards, terminations, truncations, infos.

        Raises ValueError for actions of another shape or that are not finite, TypeError for what is no number; the
        worlds are then as they were.
        """
        self._check_open()
        if not self._begun:
            raise error.ResetNeeded("call reset before the first step")
        array = actions_of(actions, self.action_space.shape or ())
        mode = self.autoreset_mode
        if mode is AutoresetMode.DISABLED and self._ended.any():
            worlds = np.flatnonzero(self._ended)[:8].tolist()
            raise error.ResetNeeded(f"episodes of worlds {worlds} have ended: reset(options={{'reset_mask': mask}})")
        state, reward, terminated, truncated = self.environment.step(array)
        observation = self._pictures.observation(state)
        ended = terminated | truncated
        infos: dict[str, Any] = {}
        if mode is AutoresetMode.SAME_STEP:
            infos = self._info(~ended)
            if ended.any():
                infos |= self._final(observation, ended)
                state = self.environment.reset(worlds=ended)
                observation = self._pictures.observation(state, observation, ended)
        else:
            # worlds that were begun anew have nothing to tell
            infos = self._info(~self._ended if mode is AutoresetMode.NEXT_STEP else ~np.zeros_like(ended))
            self._ended = ended
        return observation, reward, terminated, truncated, infos

    def _info(self, mask: Array) -> dict[str, Any]:
        """Terms of the reward and metrics of some worlds, with that mask for each."""
        if not self._infos or not mask.any():
            return {}
        out: dict[str, Any] = {}
        for name, values in terms_of(self.environment).items():
            out[name] = np.where(mask, values, 0)
            out[f"_{name}"] = mask.copy()
        return out

    def _final(self, observation: Any, ended: Array) -> dict[str, Any]:
        """What worlds have shown last before they were begun anew."""
        last = np.full(self.num_envs, None, dtype=object)
        for i in np.flatnonzero(ended):
            last[i] = entry(observation, int(i))
        masks = {"_final_obs": ended.copy(), "_final_info": ended.copy()}
        return {"final_obs": last, "final_info": self._info(ended), **masks}

    def render(self) -> tuple[Array, ...] | None:
        """A frame of each world; None where there is no render mode."""
        self._check_open()
        frames = self._pictures.rendered()
        return None if frames is None else tuple(frames)

    def close_extras(self, **_: Any) -> None:
        """Frees the worlds."""
        self.environment.close()

    def _check_open(self) -> None:
        if self.closed:
            raise error.ClosedEnvironmentError("the environment is closed")


def terms_of(environment: Any) -> dict[str, Array]:
    """Terms of the last reward and metrics, under Gymnasium's names."""
    terms = {f"reward_{name}": values for name, values in environment.reward_terms.items()}
    return {**terms, **environment.metrics}


class ManyWorldsEnv(gymnasium.Env[Any, Array]):
    """One world of a task as Gymnasium's environment; arguments as those of ManyWorldsVectorEnv.

    Where the task is a ready-made one, episodes end by time only by `gymnasium.make`, which has its own limit.
    """

    metadata = {"render_modes": RENDER_MODES}

    def __init__(
        self,
        task: str | Task,
        *,
        infos: bool = True,
        model: Model | None = None,
        seed: int | None = None,
        dtype: Any = np.float32,
        randomize: bool | Sequence[Drawn] = True,
        render_mode: str | None = None,
        camera: Camera = None,
        width: int = 480,
        height: int = 480,
        pixels: Sequence[int] | None = None,
        pixels_camera: Camera = None,
        pixels_only: bool = False,
        depth: bool = False,
        **options: Any,
    ) -> None:
        options = {"device": "cpu", **options}
        if isinstance(task, str):
            options.setdefault("max_episode_steps", None)
        prepared = prepare(task, model, randomize, options)
        self.environment = build(*prepared, 1, autoreset="disabled", seed=seed, dtype=dtype)
        self.metadata = metadata(self.environment)
        self.render_mode = render_mode
        self._pictures = Pictures(
            self.environment,
            render_mode,
            camera=camera,
            width=width,
            height=height,
            pixels=pixels,
            pixels_camera=pixels_camera,
            pixels_only=pixels_only,
            depth=depth,
        )
        state, self.action_space = boxes(self.environment.task, dtype)
        self.observation_space = self._pictures.space(state)
        self._infos = infos

    @property
    def task(self) -> Task:
        """The task."""
        return self.environment.task  # type: ignore[no-any-return]

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begins an episode; the first observation."""
        super().reset(seed=seed)
        state = self.environment.reset(seed=None if seed is None else [seed])
        return entry(self._pictures.observation(state), 0), {}

    def step(self, action: Array) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """One step: observation, reward, terminated, truncated, info; errors as ManyWorldsVectorEnv.step."""
        array = actions_of(action, self.action_space.shape or ())
        state, reward, terminated, truncated = self.environment.step(array[None])
        observation = entry(self._pictures.observation(state), 0)
        info = {name: values[0] for name, values in terms_of(self.environment).items()} if self._infos else {}
        return observation, float(reward[0]), bool(terminated[0]), bool(truncated[0]), info

    def render(self) -> Array | None:  # type: ignore[override]
        """The world as it is, [height, width, 3]; None where there is no render mode."""
        frames = self._pictures.rendered()
        return None if frames is None else frames[0]

    def close(self) -> None:
        """Frees the world."""
        self.environment.close()

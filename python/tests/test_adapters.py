"""Adapters for Stable-Baselines3 and rsl_rl keep the conventions of their interfaces.

Both libraries need PyTorch. Where they are not installed, a base class with the same methods, and arrays with the few
functions of tensors that the adapter uses, stand for them.
"""

from __future__ import annotations

import importlib
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from reference_task import ReferenceEnvironment

import manyworlds as mw

gymnasium = pytest.importorskip("gymnasium")

ENGINES = (["cpu"] if hasattr(mw, "Environment") else []) + ["reference"]
OPTIONS = {"device": "cpu", "max_episode_steps": 20}


@pytest.fixture(params=ENGINES, autouse=True)
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """What computes the worlds."""
    if request.param == "reference":
        monkeypatch.setattr(mw, "Environment", ReferenceEnvironment, raising=False)


def stand_in(monkeypatch: pytest.MonkeyPatch, name: str, **members: Any) -> None:
    """A module of that name, with its packages."""
    parts = name.split(".")
    for i in range(1, len(parts) + 1):
        path = ".".join(parts[:i])
        if path not in sys.modules:
            monkeypatch.setitem(sys.modules, path, ModuleType(path))
    for key, value in members.items():
        monkeypatch.setattr(sys.modules[name], key, value, raising=False)


def installed(name: str) -> bool:
    try:
        importlib.import_module(name)
    except ImportError:
        return False
    return True


class Sb3VecEnv(ABC):
    """As much of Stable-Baselines3's VecEnv as its subclasses use."""

    def __init__(self, num_envs: int, observation_space: Any, action_space: Any) -> None:
        self.num_envs, self.observation_space, self.action_space = num_envs, observation_space, action_space
        self.reset_infos: list[dict[str, Any]] = [{} for _ in range(num_envs)]
        self._reset_seeds()
        self._reset_options()
        self.render_mode = self.get_attr("render_mode")[0]

    def _reset_seeds(self) -> None:
        self._seeds: list[int | None] = [None for _ in range(self.num_envs)]

    def _reset_options(self) -> None:
        self._options: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]

    def seed(self, seed: int) -> list[int | None]:
        self._seeds = [seed + i for i in range(self.num_envs)]
        return self._seeds

    def step(self, actions: Any) -> Any:
        self.step_async(actions)
        return self.step_wait()

    @abstractmethod
    def reset(self) -> Any: ...

    @abstractmethod
    def step_async(self, actions: Any) -> None: ...

    @abstractmethod
    def step_wait(self) -> Any: ...

    @abstractmethod
    def close(self) -> None: ...

    @abstractmethod
    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]: ...

    @abstractmethod
    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None: ...

    @abstractmethod
    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]: ...

    @abstractmethod
    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]: ...


@pytest.fixture
def sb3(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The adapter for Stable-Baselines3."""
    if not installed("stable_baselines3"):
        stand_in(monkeypatch, "stable_baselines3.common.vec_env.base_vec_env", VecEnv=Sb3VecEnv)
    yield importlib.import_module("manyworlds.envs.sb3")
    del sys.modules["manyworlds.envs.sb3"]


def test_sb3_gets_its_infos_and_the_next_episode_in_the_same_step(sb3: Any) -> None:
    from manyworlds.envs.vector import ManyWorldsVectorEnv

    ours = sb3.make("Hopper", 4, infos=True, **OPTIONS)
    twin = ManyWorldsVectorEnv("Hopper", 4, autoreset_mode="SameStep", infos=True, **OPTIONS)
    assert ours.seed(7) == [7, 8, 9, 10]
    observation = ours.reset()
    np.testing.assert_array_equal(observation, twin.reset(seed=7)[0])
    assert ours.observation_space.shape == (11,)
    assert ours.action_space.shape == (3,)
    # seeds are used once
    assert ours._seeds == [None] * 4
    random = np.random.default_rng(0)
    kinds = set()
    for _ in range(80):
        action = random.uniform(-1, 1, (4, 3)).astype(np.float32)
        observation, reward, done, infos = ours.step(action)
        expected, paid, terminated, truncated, found = twin.step(action)
        np.testing.assert_array_equal(observation, expected)
        np.testing.assert_array_equal(reward, paid)
        np.testing.assert_array_equal(done, terminated | truncated)
        assert reward.shape == done.shape == (4,)
        assert len(infos) == 4
        for i, info in enumerate(infos):
            assert info["TimeLimit.truncated"] is bool(truncated[i] and not terminated[i])
            assert ("terminal_observation" in info) == done[i]
            if done[i]:
                kinds.add(info["TimeLimit.truncated"])
                np.testing.assert_array_equal(info["terminal_observation"], found["final_obs"][i])
                assert (info["terminal_observation"] != observation[i]).any()
            terms = sum(info[f"reward_{name}"] for name in ("forward", "survive", "ctrl"))
            assert terms == pytest.approx(reward[i], abs=1e-5)
    assert kinds == {True, False}
    ours.close()


def test_sb3_asks_for_attributes_and_methods(sb3: Any) -> None:
    ours = sb3.make("Reacher", 3, **OPTIONS)
    assert ours.get_attr("render_mode") == [None] * 3
    assert ours.get_attr("num_envs", indices=[0, 2]) == [3, 3]
    assert ours.get_attr("num_envs", indices=1) == [3]
    ours.set_attr("label", "x")
    assert ours.get_attr("label") == ["x"] * 3
    with pytest.raises(ValueError, match="label"):
        ours.set_attr("label", "y", indices=[0])
    with pytest.raises(AttributeError):
        ours.get_attr("no_such")
    assert len(ours.env_method("reset", seed=3, indices=[1])) == 1
    assert ours.env_is_wrapped(gymnasium.wrappers.TimeLimit) == [False] * 3
    with pytest.raises(ValueError, match="SAME_STEP"):
        sb3.ManyWorldsVecEnv(gymnasium.make_vec("manyworlds:manyworlds/Reacher-v0", num_envs=2, device="cpu"))


class Tensor(np.ndarray):
    """An array with what an adapter asks of a tensor."""

    def detach(self) -> Tensor:
        return self

    def cpu(self) -> Tensor:
        return self

    def numpy(self) -> Any:
        return np.asarray(self)


class TensorDict(dict[str, Any]):
    """A dictionary of tensors with the worlds first."""

    def __init__(self, parts: dict[str, Any], batch_size: list[int]) -> None:
        super().__init__(parts)
        assert all(list(part.shape[:1]) == batch_size for part in parts.values())


@pytest.fixture
def rsl(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The adapter for rsl_rl."""
    if not (installed("torch") and installed("rsl_rl.env")):
        tensor = lambda values, device=None: np.array(values).view(Tensor)  # noqa: E731
        zeros = lambda *shape, dtype=None, device=None: np.zeros(shape, dtype).view(Tensor)  # noqa: E731
        stand_in(monkeypatch, "torch", as_tensor=tensor, zeros=zeros, long=np.int64, Tensor=Tensor)
        stand_in(monkeypatch, "tensordict", TensorDict=TensorDict)
        stand_in(monkeypatch, "rsl_rl.env", VecEnv=ABC)
    yield importlib.import_module("manyworlds.envs.rsl_rl")
    del sys.modules["manyworlds.envs.rsl_rl"]


def test_rsl_rl_counts_episodes_itself(rsl: Any) -> None:
    import torch

    ours = rsl.ManyWorldsVecEnv("Hopper", 4, seed=5, groups={"actor": ["qvel"], "critic": ["qpos", "qvel"]}, **OPTIONS)
    assert (ours.num_envs, ours.num_actions, ours.max_episode_length) == (4, 3, 20)
    assert isinstance(ours.cfg, dict)
    seen = ours.get_observations()
    assert seen["actor"].shape == (4, 6)
    assert seen["critic"].shape == (4, 11)
    np.testing.assert_array_equal(seen["critic"][:, 5:], seen["actor"])
    # as the runner spreads the ends of the first episodes
    ours.episode_length_buf = torch.as_tensor(np.array([0, 5, 10, 19]))
    random = np.random.default_rng(0)
    fell = timed = 0
    for step in range(80):
        action = torch.as_tensor(random.uniform(-1, 1, (4, 3)).astype(np.float32))
        seen, reward, done, extras = ours.step(action)
        done, out = np.asarray(done), np.asarray(extras["time_outs"])
        assert reward.shape == done.shape == out.shape == (4,)
        if step == 0:
            assert out.tolist() == [False, False, False, True]
        assert (done[out] == 1).all()
        assert (np.asarray(ours.episode_length_buf)[done > 0] == 0).all()
        assert (np.asarray(ours.episode_length_buf) < 20).all()
        np.testing.assert_array_equal(np.asarray(seen["critic"]), np.asarray(ours.get_observations()["critic"]))
        fell += int((done > 0).sum() - out.sum())
        timed += int(out.sum())
        assert ("log" in extras) == bool(done.any())
        assert all(key.startswith("/") for key in extras.get("log", {}))
    assert fell > 0
    assert timed > 0
    ours.close()


def test_rsl_rl_has_one_group_where_none_are_named(rsl: Any) -> None:
    ours = rsl.ManyWorldsVecEnv("QuadrupedJoystick", 2, device="cpu")
    assert ours.get_observations()["policy"].shape == (2, 48)
    assert ours.max_episode_length == 1000
    ours.reset()
    ours.close()


def test_adapters_name_what_is_missing() -> None:
    for name, library in (("sb3", "stable_baselines3"), ("rsl_rl", "rsl_rl")):
        if not installed(library):
            with pytest.raises(ImportError, match="pip install"):
                importlib.import_module(f"manyworlds.envs.{name}")

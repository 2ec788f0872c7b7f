"""Worlds as environments of RLlib, whose own trainer learns from them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import manyworlds as mw
from manyworlds import envs

# neither is among what tests of the package install: pip install './python[rllib]'
torch = pytest.importorskip("torch")
pytest.importorskip("ray.rllib", exc_type=ImportError)

import ray  # noqa: E402
from ray.rllib.algorithms.ppo import PPOConfig  # noqa: E402
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig  # noqa: E402

from manyworlds.ray import rllib  # noqa: E402

pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    # small nets: more threads than cores that are free take ten times as long
    torch.set_num_threads(1)
    ray.init(num_cpus=2, include_dashboard=False, logging_level="error", log_to_driver=False)
    yield
    ray.shutdown()


def config_of(name: str, mode: str, runners: int, worlds: int, env_config: dict[str, Any] | None = None) -> PPOConfig:
    config = PPOConfig().environment(name, env_config=env_config or {})
    config.env_runners(
        num_env_runners=runners, num_envs_per_env_runner=worlds, gym_env_vectorize_mode=mode, rollout_fragment_length=64
    )
    batch = 64 * worlds * max(1, runners)
    config.training(train_batch_size_per_learner=batch, minibatch_size=128, num_epochs=4, lr=3e-3, use_kl_loss=False)
    config.rl_module(model_config=DefaultModelConfig(fcnet_hiddens=[32, 32]))
    config.debugging(seed=3, log_level="ERROR")
    return config


def test_returns_rise_where_all_worlds_of_a_runner_are_one_batch() -> None:
    name = rllib.register("cart-pole", "CartPoleSwingUp", max_episode_steps=60)
    algorithm = config_of(name, "vector_entry_point", 0, 32).build_algo()
    try:
        assert isinstance(algorithm.env_runner.env.unwrapped, rllib.RunnerWorlds)
        results = [algorithm.train()["env_runners"] for _ in range(10)]
    finally:
        algorithm.stop()
    means = [result["episode_return_mean"] for result in results if result.get("episode_return_mean") is not None]
    means = [mean for mean in means if np.isfinite(mean)]
    assert len(means) > 5 and means[-1] > 2 * means[0] > 0
    # each of 640 steps of 32 worlds counts, but those in which episodes begin
    assert results[-1]["num_env_steps_sampled_lifetime"] == 10 * 64 * 32
    assert results[-1]["num_episodes_lifetime"] == 32 * 10


def test_runners_have_worlds_of_their_own_and_tasks_may_be_given() -> None:
    task = envs.task("CartPoleSwingUp", max_episode_steps=30)
    name = rllib.register("given", task, infos=True)
    algorithm = config_of(name, "vector_entry_point", 2, 4, {"dtype": np.float32}).build_algo()
    try:
        result = algorithm.train()["env_runners"]
    finally:
        algorithm.stop()
    assert result["num_env_steps_sampled_lifetime"] == 2 * 4 * 64 and result["num_episodes_lifetime"] >= 8
    # consecutive seeds, as RLlib gives them, are other worlds
    with_seeds = [rllib.RunnerWorlds(task, 4, device="cpu") for _ in range(2)]
    first, second = (env.reset(seed=3 + k)[0] for k, env in enumerate(with_seeds))
    assert len(np.unique(np.concatenate([first, second]), axis=0)) == 8


def test_single_environments_end_by_time() -> None:
    name = rllib.register("single", "CartPoleSwingUp")
    algorithm = config_of(name, "sync", 0, 2, {"max_episode_steps": 20}).build_algo()
    try:
        result = algorithm.train()["env_runners"]
    finally:
        algorithm.stop()
    assert result["num_episodes_lifetime"] == 6 and np.isfinite(result["episode_return_mean"])
    env = rllib._made("CartPoleSwingUp", {}, {})
    assert isinstance(env, envs.ManyWorldsEnv) and env.task.max_episode_steps == 500


def test_devices_and_what_does_not_pickle() -> None:
    with pytest.raises(ValueError, match="use '{gpu}'"):
        rllib.register("numbered", "CartPoleSwingUp", device="gpu:{}")
    task = envs.task("CartPoleSwingUp")
    task.file = sys.stdout  # type: ignore[attr-defined]
    with pytest.raises(TypeError, match=r"'task\.file' does not pickle"):
        rllib.register("open", task)
    with pytest.raises(mw.UnknownNameError, match="Hopper"):
        rllib.register("misspelt", "Hoper")

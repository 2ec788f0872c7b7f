"""`Environment`: draws, ends, status and what is kept, on both backends."""

import pickle
from typing import Any

import numpy as np
import pytest

import manyworlds as mw
from manyworlds import envs
from manyworlds.task import constant, uniform

DEVICES = ["cpu", "gpu"]


def hoppers(device: str, worlds: int = 3, **options: Any) -> mw.Environment:
    return mw.Environment(envs.task("Hopper", max_episode_steps=8), worlds, device=device, seed=5, **options)


@pytest.mark.parametrize("device", DEVICES)
def test_a_world_is_the_same_in_any_environment(device: str) -> None:
    few, many = hoppers(device), hoppers(device, 7, first_world=1)
    np.testing.assert_array_equal(few.reset(seed=9)[1:], many.reset(seed=9)[:2])
    for _ in range(20):
        a, b = few.step(0.3), many.step(np.full((7, 3), 0.3))
        for ours, theirs in zip(a, b):
            np.testing.assert_array_equal(ours[1:], theirs[:2])


@pytest.mark.parametrize("device", DEVICES)
def test_episodes_end_by_time_and_begin_in_the_next_step(device: str) -> None:
    env = hoppers(device)
    steps = [env.step(0.0) for _ in range(10)]
    assert [bool(s.truncated.all()) for s in steps] == [k == 7 for k in range(10)]
    assert (steps[8].reward == 0).all() and (steps[9].reward != 0).all()
    assert set(env.reward_terms) == {"forward", "survive", "ctrl"}


@pytest.mark.parametrize("device", DEVICES)
def test_a_world_that_diverges_ends_and_is_reported(device: str) -> None:
    env = hoppers(device)
    qvel = env.batch.get("qvel")
    qvel[1] = np.nan
    env.batch.qvel = qvel
    with pytest.warns(mw.StatusWarning, match="bad_qvel in 1 of 3"):
        step = env.step(0.0)
    assert step.terminated.tolist() == [False, True, False] and step.reward[1] == 0
    assert np.isfinite(step.observation).all()
    # the next episode begins without the flag
    env.step(0.0)
    assert (env.batch.status == 0).all()


def test_status_may_be_an_error() -> None:
    env = hoppers("cpu", on_status="raise")
    env.batch.qvel = np.nan
    with pytest.raises(mw.StatusError):
        env.step(0.0)
    env.reset()
    env.step(0.0)


@pytest.mark.parametrize("device", DEVICES)
def test_pickled_environments_go_on_with_the_same_bits(device: str) -> None:
    env = hoppers(device)
    env.step(0.2)
    again: mw.Environment = pickle.loads(pickle.dumps(env))
    assert (again.num_worlds, again.autoreset, again.dtype) == (3, env.autoreset, env.dtype)
    # beyond the end of an episode
    for _ in range(10):
        for ours, theirs in zip(env.step(0.2), again.step(0.2)):
            np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(env.reset(seed=4), again.reset(seed=4))


def test_a_step_on_a_device_is_one_submission_and_one_copy_back() -> None:
    for overflow in ("flag", "grow"):
        env = hoppers("gpu", 64, overflow=overflow)
        env.step(0.0)
        shown = 4 * 64 * (env.task.observation_size + 4)
        for _ in range(5):
            before = env.batch.moved
            env.step(0.2)
            after = env.batch.moved
            assert after.submissions - before.submissions == 1
            # with the most contacts and rows that each world wanted, and the steps that it owes
            assert after.to_host - before.to_host == shown + 4 * 64 * 3


def test_wrong_arguments_name_what_is_expected() -> None:
    env = hoppers("cpu")
    for action, kind, text in [
        (np.zeros((3, 2)), ValueError, r"'action' has shape \[3, 3\]"),
        (np.full((3, 3), np.nan), ValueError, "'action' of world 0 is not finite"),
        ([["a"] * 3] * 3, TypeError, "'action': numbers are expected"),
    ]:
        with pytest.raises(kind, match=text):
            env.step(action)
    with pytest.raises(ValueError, match="autoreset is 'never'"):
        hoppers("cpu", autoreset="never")
    with pytest.raises(ValueError, match="2 seeds are given for 3 worlds"):
        env.reset(seed=[1, 2])
    with pytest.raises(ValueError, match="finite"):
        constant(np.inf)
    task = mw.Task(env.task.model)
    task.reset("qpos", task.xpos[1, 2] + uniform(0, 1))
    with pytest.raises(ValueError, match="'xpos', which is not known where an episode begins"):
        mw.Environment(task, 1, device="cpu")
    env.close()
    with pytest.raises(RuntimeError, match="closed"):
        env.step(0.0)

"""Worlds spread over Ray actors: the bits of one process, for any number of actors and after some of them died."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manyworlds as mw
from manyworlds import envs
from manyworlds.task import uniform

ray = pytest.importorskip("ray")

import manyworlds.ray as spread  # noqa: E402
from manyworlds.ray.actors import Here, Host, Recipe, device_of  # noqa: E402
from manyworlds.ray.environment import Share  # noqa: E402
from manyworlds.ray.team import joined  # noqa: E402

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "python" / "examples"))

pytestmark = pytest.mark.filterwarnings("default")
ACTIONS = np.random.default_rng(0).uniform(-1, 1, (40, 7, 3)).astype(np.float32)


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    # the GPUs are numbers for Ray alone
    ray.init(num_cpus=2, num_gpus=2, include_dashboard=False, logging_level="error", log_to_driver=False)
    yield
    ray.shutdown()


def lose(team: Any, actor: int) -> None:
    """Ends the process of an actor, as a lost machine would: at the latest in its next call."""
    team.members[actor].host.__ray_call__.remote(lambda _: os._exit(1))


def task_of_hopper(**options: Any) -> mw.Task:
    return envs.task("Hopper", max_episode_steps=12, **options)


def differing() -> list[Any]:
    return [mw.Randomize("body_mass", (0.8, 1.2), "scale", when="reset")]


def equal(ours: list[Any], theirs: list[Any]) -> bool:
    return len(ours) == len(theirs) and all(np.array_equal(a, b, equal_nan=True) for a, b in zip(ours, theirs))


def test_rollouts_are_one_batch_also_after_an_actor_died(hopper: mw.Model) -> None:
    from ray_rollouts import START, random_controls

    # the example is a module here, which workers cannot import
    ray.cloudpickle.register_pickle_by_value(sys.modules["ray_rollouts"])
    worlds, steps, controls = 7, 40, random_controls(hopper, 5)
    one = mw.Batch(hopper, worlds, device="cpu", seed=5)
    drawn = [START, mw.Randomize("body_mass", (0.8, 1.2), "scale")]
    want = []
    for episode in range(2):
        one.reset()
        one.randomize(drawn, episode=episode)
        ctrl = np.stack([controls(episode, world, steps) for world in range(worlds)])
        want.append({**one.rollout(ctrl=ctrl, record=["qpos", "state"], every=20), "status": one.get("status")})
    # worlds differ from each other, and episodes too
    assert len(np.unique(want[0]["qpos"][:, -1], axis=0)) == worlds and want[0]["qpos"].shape == (worlds, 2, 6)
    assert not np.array_equal(want[0]["qpos"], want[1]["qpos"])
    for actors in (2, 3):
        options: Any = {"device": "cpu", "seed": 5, "randomize": drawn, "controls": controls}
        with spread.Rollouts(hopper, worlds, actors=actors, **options) as rollouts:
            for episode in (1, 0, 1):
                found = rollouts.rollout(episode, steps, record=["qpos", "state"], every=20)
                assert found.keys() == want[episode].keys()
                assert all(np.array_equal(found[name], want[episode][name]) for name in found)
                lose(rollouts._team, 1)
            # controls as an array take the place of the function, and one row is for all worlds
            given = rollouts.rollout(0, steps, ctrl, every=steps)["qpos"]
            assert not np.array_equal(given[:, -1], want[0]["qpos"][:, -1])
            rows = [rollouts.rollout(0, steps, c)["qpos"] for c in (ctrl[0], np.tile(ctrl[0], (worlds, 1, 1)))]
            np.testing.assert_array_equal(*rows)


def driven(env: Any, before: Callable[[int], Any] = lambda _: None) -> list[Any]:
    """All that worlds show in some steps, over ends of episodes and with resets of some worlds."""
    seen = [env.reset()]
    # one array for all steps, as a caller may have
    action = np.zeros_like(ACTIONS[0])
    for t, action[:] in enumerate(ACTIONS):
        before(t)
        seen += [*env.step(action)]
        if t == 17:
            seen += [env.reset([5, 1], seed=[8, 9]), env.reset(np.arange(7) > 4), env.reset(slice(0, 2), seed=4)]
        if t % 10 == 9:
            seen += [*env.metrics.values(), *env.reward_terms.values(), env.batch.get("qpos")]
    return seen


@pytest.fixture(scope="module")
def alone() -> list[Any]:
    """What one environment of all worlds shows."""
    return driven(mw.Environment(task_of_hopper(), 7, device="cpu", seed=3, randomize=differing()))


@pytest.mark.parametrize(
    "actors,every,lost",
    [
        pytest.param(2, 100, {}, id="nobody"),
        pytest.param(2, 100, {15: [1]}, id="before a snapshot"),
        pytest.param(3, 8, {20: [0, 2], 21: [0], 39: [1]}, id="after snapshots, two at once, one again"),
    ],
)
def test_environments_go_on_with_the_same_bits(
    alone: list[Any], actors: int, every: int, lost: dict[int, list[int]]
) -> None:
    options: Any = {"device": "cpu", "seed": 3, "randomize": differing(), "snapshot_every": every}
    with spread.Environment(task_of_hopper(), 7, actors=actors, max_restarts=1, **options) as env:
        hosts = [member.host for member in env._team.members]
        assert (len(env), env.num_actors, env.closed) == (7, actors, False)

        def before(step: int) -> None:
            for actor in lost.get(step, []):
                lose(env._team, actor)

        assert equal(driven(env, before), alone)
        again = {k for k, member in enumerate(env._team.members) if member.host is not hosts[k]}
        assert again == {actor for actors in lost.values() for actor in actors}
        # the steps that a new actor would repeat
        assert all(len(member.history[1]) < every for member in env._team.members)
    assert "closed" in repr(env)
    with pytest.raises(RuntimeError, match="closed"):
        env.step(0.0)


def test_learning_gives_the_same_bits_also_after_an_actor_died() -> None:
    jax = pytest.importorskip("jax")
    from manyworlds.learn import ppo

    config = ppo.Config(steps=3 * 7 * 16, worlds=7, horizon=16, epochs=2, minibatches=4, hidden=(16, 16))
    with mw.Environment(task_of_hopper(), 7, device="cpu", seed=3) as one:
        want, log = ppo.train(one, config, 1)
    with spread.Environment(task_of_hopper(), 7, actors=3, device="cpu", seed=3, snapshot_every=10) as env:
        found, same = ppo.train(env, config, 1, report=lambda *_: lose(env._team, 2))
    assert len(log) == 3 and [row[0] for row in same] == [row[0] for row in log]
    leaves = [jax.tree.leaves(state._replace(key=jax.random.key_data(state.key))) for state in (want, found)]
    assert equal(*leaves)
    # and something was learnt
    first = ppo.create(config, 1, one.task.observation_size, 3)
    assert not np.array_equal(first.net.log_deviation, found.net.log_deviation)


def policy_of(size: int, marker: Path | None = None, times: int = 1) -> Callable[[Any], Any]:
    """A net; where there is a marker, the process ends as often as `times` says."""
    first, second = (np.random.default_rng(k).normal(size=shape) for k, shape in enumerate([(size, 32), (32, 3)]))

    def policy(observation: Any) -> Any:
        if marker is not None:
            died = len(list(marker.iterdir()))
            if died < times:
                (marker / str(died)).touch()
                os._exit(1)
        return 0.5 * np.tanh(0.1 * observation @ first) @ second

    return policy


def test_evaluations_are_the_same_for_any_number_of_actors(tmp_path: Path) -> None:
    task = envs.task("Hopper", max_episode_steps=20, reset_noise_scale=0.1)
    policy, worlds, block = policy_of(task.observation_size), 22, 4
    # the loop that it stands for
    with mw.Environment(task, worlds, device="cpu", seed=6, randomize=differing()) as env:
        observation, returns, lengths = env.reset(), np.zeros(worlds), np.zeros(worlds, int)
        forward, going, ended = np.zeros(worlds), np.ones(worlds, bool), np.zeros(worlds, bool)
        while going.any():
            padded = np.concatenate([observation, np.zeros((2, observation.shape[1]), observation.dtype)])
            action = np.concatenate([policy(rows) for rows in np.split(padded, 6)])[:worlds]
            observation, reward, terminated, truncated = env.step(action)
            returns, lengths = returns + reward * going, lengths + going
            forward = forward + env.metrics["x_velocity"] * going
            ended |= terminated & going
            going &= ~(terminated | truncated)
    assert 0 < ended.sum() < worlds and len(set(lengths)) > 3
    for actors in (1, 2, 3):
        # one of them dies in the middle
        acts = policy_of(task.observation_size, tmp_path, 1) if actors == 2 else policy
        found = spread.evaluate(
            task, acts, worlds, actors=actors, block=block, device="cpu", seed=6, randomize=differing()
        )
        assert equal([*found[:3]], [returns, lengths, ended])
        np.testing.assert_array_equal(found.metrics["x_velocity"], forward / lengths)
        np.testing.assert_allclose(sum(found.reward_terms.values()), returns, rtol=1e-5)
    assert len(list(tmp_path.iterdir())) == 1


def test_episodes_may_be_cut_off() -> None:
    task = envs.task("Hopper", max_episode_steps=None)
    policy = policy_of(task.observation_size)
    with pytest.raises(ValueError, match="have no end: give max_steps"):
        spread.evaluate(task, policy, 4, actors=1)
    found = spread.evaluate(task, policy, 4, actors=1, max_steps=3, device="cpu")
    assert found.lengths.tolist() == [3] * 4 and not found.terminated.any()


def test_an_actor_that_dies_each_time_is_given_up(tmp_path: Path) -> None:
    task = task_of_hopper()
    text = r"actor 0 \(worlds 0 to 1\) died 2 times in a row, max_restarts is 1; the last time: .*died"
    with pytest.raises(spread.ActorLostError, match=text) as raised:
        acts = policy_of(task.observation_size, tmp_path, 100)
        spread.evaluate(task, acts, 2, actors=1, max_restarts=1, device="cpu")
    assert isinstance(raised.value.__cause__, ray.exceptions.RayActorError)
    assert len(list(tmp_path.iterdir())) == 2
    with spread.Environment(task, 3, actors=2, max_restarts=0, device="cpu") as env:
        lose(env._team, 1)
        with pytest.raises(spread.ActorLostError, match=r"actor 1 \(worlds 1 to 2\) died 1 times"):
            env.step(0.0)


def test_errors_of_the_environment_are_passed_on() -> None:
    task = task_of_hopper()
    with spread.Environment(task, 4, actors=2, device="cpu") as env, mw.Environment(task, 4, device="cpu") as one:
        hosts = [member.host for member in env._team.members]
        for action, kind, text in [
            (np.zeros((4, 2)), ValueError, r"'action' has shape \[4, 3\]"),
            (np.full((4, 3), [[0.0]] * 3 + [[np.nan]]), ValueError, "'action' of world 3 is not finite"),
            ([["a"] * 3] * 4, TypeError, "'action': numbers are expected"),
        ]:
            for each in (env, one):
                with pytest.raises(kind, match=text):
                    each.step(action)
        with pytest.raises(ValueError, match="2 seeds are given for 4 worlds"):
            env.reset(seed=[1, 2])
        with pytest.raises(mw.UnknownNameError, match="qposs"):
            env.batch.get("qposs")
        # the worlds are as they were, in the actors that they were in
        assert equal([*env.step(0.1)], [*one.step(0.1)])
        assert [member.host for member in env._team.members] == hosts
    for options, kind, text in [
        ({"device": "gpu:7{}"}, ValueError, "no GPU adapter '70'"),
        ({"device": "gpu:7{gpu}", "ray_options": {"num_gpus": 1}}, ValueError, "no GPU adapter '7[01]'"),
        ({"autoreset": "never"}, ValueError, "autoreset is 'never'"),
        ({"speed": 3}, TypeError, "'speed'"),
        ({"ray_options": {"max_restarts": 3}}, ValueError, "ray_options: 'max_restarts' is not for you to choose"),
    ]:
        with pytest.raises(kind, match=text):
            spread.Environment(task, 4, actors=2, **{"device": "cpu", **options})
    with pytest.raises(ZeroDivisionError):
        spread.evaluate(task, lambda _: 1 / 0, 4, actors=1, device="cpu")
    with pytest.raises(ValueError, match=r"the policy returns actions \[16, 3\] \[world, action\], got \[16, 1\]"):
        spread.evaluate(task, lambda seen: seen[:, :1], 4, actors=1, device="cpu")


def test_status_is_reported_as_in_one_process(hopper: mw.Model) -> None:
    task = mw.Task(hopper, action_size=1, action_low=-1, action_high=1)
    task.observe("qpos", task.qpos)
    task.reset("qvel", uniform(-1.0, 1.0, hopper.nv))
    # an action can be too much for a world
    task.write("qvel", task.qvel + task.action * 1e30)
    action = np.array([[0.0], [0.0], [1.0]])
    with spread.Environment(task, 3, actors=2, device="cpu") as env:
        with pytest.warns(mw.StatusWarning, match=r"actor 1 \(worlds 1 to 2\): bad_q\w+ in 1 of 2 worlds"):
            env.step(action)
    # the bits stay until a reset
    options: Any = {"device": "cpu", "on_status": "raise", "autoreset": "disabled"}
    one = mw.Environment(task, 3, **options)
    with spread.Environment(task, 3, actors=2, snapshot_every=4, **options) as env:
        for each in (one, env):
            with pytest.raises(mw.StatusError):
                each.step(action)
        # what was raised is repeated by a new actor, and not raised again; the same after a snapshot
        for step in range(6):
            lose(env._team, 1)
            assert equal([*env.step(0.0)], [*one.step(0.0)]), step


def test_numbers_of_actors_have_to_fit(hopper: mw.Model) -> None:
    task = task_of_hopper()
    with pytest.raises(ValueError, match="actors is 0; it has to be at least 1"):
        spread.Environment(task, 4, actors=0)
    with pytest.raises(ValueError, match="5 actors have 4 worlds to share: at most 4 actors, or more worlds"):
        spread.Rollouts(hopper, 4, actors=5)
    with pytest.raises(ValueError, match="3 actors have 2 blocks of 16 worlds to share"):
        spread.evaluate(task, np.tanh, 32, actors=3)
    with pytest.raises(TypeError, match="an environment is of a Task, got Model"):
        spread.Environment(hopper, 4, actors=1)  # type: ignore[arg-type]


def test_what_does_not_pickle_is_named() -> None:
    task = task_of_hopper()
    lock = threading.Lock()
    with pytest.raises(TypeError, match="'policy: its variable 'lock'' does not pickle: cannot pickle '_thread.lock'"):
        spread.evaluate(task, lambda seen: (lock, seen)[1], 4, actors=1)
    noted = task.qpos[0]
    noted.data["note"] = [1, lock]
    task.metric("noted", 2 * noted)
    with pytest.raises(TypeError, match=re.escape("'task._metrics['noted'].args[1].data['note'][1]' does not")):
        spread.Environment(task, 4, actors=1)


def test_devices_follow_the_actor_or_the_gpu_that_ray_gives() -> None:
    assert [device_of(device, 3) for device in ("cpu", "gpu:{}", "gpu")] == ["cpu", "gpu:3", "gpu"]
    # both are held at the same time
    hosts = [ray.remote(Host).options(num_gpus=1).remote() for _ in range(2)]
    given = ray.get([host.__ray_call__.remote(lambda _: device_of("gpu:{gpu}", 7)) for host in hosts])
    assert sorted(given) == ["gpu:0", "gpu:1"]
    for host in hosts:
        ray.kill(host)
    with pytest.raises(ValueError, match="ray_options={'num_gpus': 1}"):
        spread.Environment(task_of_hopper(), 4, actors=2, device="gpu:{gpu}")
    with pytest.raises(ValueError, match="Ray gave no GPU to this process"):
        device_of("gpu:{gpu}", 0)


def test_what_is_frozen_goes_on_on_the_device_of_another_actor(monkeypatch: pytest.MonkeyPatch) -> None:
    share = Share("gpu", (2, 4), envs.task("CartPoleSwingUp"), 10, {"seed": 1})
    share.step(np.full((2, 1), 0.3))
    monkeypatch.setattr(Here, "device", "gpu:0")
    other = Share.thaw(share.freeze())
    devices = [one.environment.batch._options["device"] for one in (share, other)]
    assert devices == ["gpu", "gpu:0"]
    assert equal([*share.step(np.full((2, 1), 0.1))], [*other.step(np.full((2, 1), 0.1))])


class Broken:
    """What cannot repeat what it did."""

    def __init__(self, device: str) -> None:
        self.device = device

    def fail(self) -> None:
        raise ZeroDivisionError


def test_an_actor_that_cannot_be_brought_back_does_not_go_on_from_somewhere_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    host = Host()
    monkeypatch.setattr(Here, "device", "cpu")
    with pytest.raises(ZeroDivisionError):
        host.begin(Recipe(Broken, 2, "gpu:{}", ()), ray.cloudpickle.dumps(()), None, [("fail", ())])
    with pytest.raises(RuntimeError, match="could not be started again"):
        host.call("fail", ())
    assert host.begin(Recipe(Broken, 2, "gpu:{}", ()), ray.cloudpickle.dumps(())) == (None, [])
    assert host.held.device == "gpu:2"


def test_without_ray_it_says_how_to_get_it() -> None:
    for missing, module, text in [
        ("ray", "manyworlds.ray", "manyworlds.ray needs Ray: pip install 'manyworlds[ray]'"),
        ("ray.tune", "manyworlds.ray.rllib", "this needs RLlib: pip install 'manyworlds[rllib]'"),
    ]:
        code = f"import sys; sys.modules['{missing}'] = None; import {module}"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd="/")
        assert f"ImportError: {text}" in done.stderr


def test_arrays_of_actors_have_to_fit_together() -> None:
    parts = [{"contact_dist": np.zeros((2, size))} for size in (3, 4)]
    with pytest.raises(
        ValueError, match=r"'contact_dist' has another size in each actor, \[2, 3\].*give nconmax and njmax"
    ):
        joined(parts)
    np.testing.assert_array_equal(joined(parts[:1] * 2)["contact_dist"], np.zeros((4, 3)))

"""Noise, delays, histories, groups, commands, levels and events of tasks: what NumPy computes, and closed forms."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from reference_task import ReferenceEnvironment

import manyworlds as mw
from manyworlds.task import (
    Delay,
    Table,
    Task,
    concat,
    exp,
    heading,
    normal,
    ramp,
    take,
    total,
    uniform,
    where,
    wrap_angle,
)
from manyworlds.terms import distance_walked, falls, load, pose_command, pushes, velocity_command

# A body that floats, with three arms, without what makes small differences grow.
FLOATING = """<mujoco model="floating">
  <option timestep="0.01" gravity="0 0 0"/>
  <worldbody>
    <body name="trunk" pos="0 0 1">
      <joint name="root" type="free" damping="2"/>
      <geom name="trunk" size="0.2" mass="4"/>
      <body name="one" pos="0.2 0 0">
        <joint name="one" axis="0 1 0" damping="0.4"/><geom size="0.05" pos="0.2 0 0"/>
      </body>
      <body name="two" pos="0 0.2 0">
        <joint name="two" axis="1 0 0" damping="0.4"/><geom size="0.05" pos="0 0.2 0"/>
      </body>
      <body name="three" pos="0 0 0.2">
        <joint name="three" axis="0 1 0" damping="0.4"/><geom size="0.05" pos="0 0 0.2"/>
      </body>
    </body>
  </worldbody>
  <actuator><motor joint="one"/><motor joint="two"/><motor joint="three" gear="0.5"/></actuator>
</mujoco>"""
DEVICES = ["cpu", "gpu"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    out = tmp_path / "floating.xml"
    out.write_text(FLOATING)
    return out


def floating(**options: Any) -> Task:
    options = {"frame_skip": 2, "max_episode_steps": 30, "action_low": -1.0, "action_high": 1.0, **options}
    return Task(mw.Model.from_xml_string(FLOATING), **options)


def measured() -> Task:
    """What is observed, with every option."""
    task = floating()
    joints = task.qpos[7:]
    task.observe("plain", joints)
    task.observe("noisy", joints, noise=[0.1, 0.2, 0.0])
    task.observe("normal", joints, noise=0.3 * normal(3))
    task.observe("clipped", 3.0 * joints, clip=(-0.2, 0.3), scale=[2.0, 3.0, 4.0])
    task.observe("late", joints, delay=3)
    task.observe("sometimes late", joints, noise=0.01, delay=Delay(0, 4, hold=0.3))
    task.observe("in turns", joints[:2], delay=Delay(1, 3, period=4), history=3)
    task.observe("together", joints[:2], delay=Delay(1, 3, period=5, stagger=False))
    task.observe("past", task.qvel[3:6], history=4, scale=0.25)
    task.observe("truth", task.qvel, group="critic")
    task.observe("past", joints, history=2, group="critic")
    task.write("ctrl", task.late(task.action, Delay(0, 2)))
    task.reward("late", total(task.late(joints, 2)))
    task.reset("qpos", task.qpos0 + uniform(-0.1, 0.1, 10))
    return task


def asked() -> Task:
    """Commands, pushes, loads and ends."""
    task = floating()
    age = ramp(task.age, (20, 0.5), (200, 2.0))
    one = velocity_command(task, still=0.2, seconds=(0.1, 0.3), scale=age)
    other = velocity_command(task, toward=(-3.0, 3.0), toward_share=0.6, seconds=(0.1, 0.2), name="toward", still=0.1)
    pose = pose_command(task, x=(-1, 1), y=(0, 2), z=(0.5, 1), roll=(-1, 1), pitch=(-1, 1), around=task.xpos[1])
    pushed = pushes(task, velocity=[0.4, 0.3, 0.2], turn=0.5, seconds=(0.1, 0.2), scale=0.5)
    loaded = load(task, "two", force=(-0.2, 0.4))
    for name, value in {"one": one.value, "other": other.value, "pose": concat(*pose), "load": loaded}.items():
        task.observe(name, value)
    task.observe("heading", concat(heading(task.qpos[3:7]), wrap_angle(3.0 * task.steps)))
    task.reward("tracking", exp(one.slip / -0.25) + exp(other.turn_slip / -0.25))
    task.metric("pushed", pushed)
    task.metric("walked", distance_walked(task))
    task.terminate("fallen", falls(task, 0.7), grace=0.1)
    task.terminate("bent", abs(task.qpos[7]) > 0.3, lasting=0.06)
    task.reset(task.qvel[:6], uniform(-0.5, 0.5, 6))
    return task


def graded() -> Task:
    """Levels, and rows by number."""
    task = floating(max_episode_steps=7)
    walked = distance_walked(task)
    level = task.level("level", 5, up=walked > 0.05, down=walked < 0.03, first=(1, 3), beyond="random")
    places = Table(np.arange(15.0).reshape(5, 3))
    task.observe("level", level.value)
    task.observe("place", places[level.value])
    task.observe("body", take(task.xpos, 1 + level.value))
    task.observe("joint", take(task.qpos[7:], level.value - 1))
    task.reset(task.qpos[:3], 0.1 * places[level.next])
    task.reset(task.qvel[:3], uniform(-1, 1, 3))
    task.reward("steps", where(task.steps > 3, level.value, 0.0))
    return task


MADE = {"measured": measured, "asked": asked, "graded": graded}


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", MADE)
def test_terms_are_those_of_numpy(name: str, device: str, path: Path) -> None:
    """1,000 transitions, over resets by themselves and by hand."""
    worlds, tolerance = 4, 1e-9 if device == "cpu" else 2e-4
    task = MADE[name]()
    dtype = np.float64 if device == "cpu" else np.float32
    ours = mw.Environment(task, worlds, device=device, dtype=dtype)
    theirs = ReferenceEnvironment(task, worlds, dtype=np.float64, path=path)
    np.testing.assert_allclose(ours.reset(seed=5), theirs.reset(seed=5), tolerance, tolerance)
    random = np.random.default_rng(1)
    ended = 0
    for step in range(250):
        action = random.uniform(-1, 1, (worlds, 3))
        a, b = ours.step(action), theirs.step(action)
        where_from = f"step {step}"
        np.testing.assert_allclose(a.observation, b.observation, tolerance, tolerance, err_msg=where_from)
        np.testing.assert_allclose(a.reward, b.reward, tolerance, 3 * tolerance, err_msg=where_from)
        np.testing.assert_array_equal(a.terminated, b.terminated, err_msg=where_from)
        np.testing.assert_array_equal(a.truncated, b.truncated, err_msg=where_from)
        going = ~(a.terminated | a.truncated)
        for metric, values in ours.metrics.items():
            expected = theirs.metrics[metric]
            np.testing.assert_allclose(values[going], expected[going], tolerance, tolerance, err_msg=where_from)
        ended += int(np.count_nonzero(~going))
        if step % 41 == 40:
            some = random.uniform(size=worlds) < 0.5
            np.testing.assert_allclose(ours.reset(worlds=some), theirs.reset(worlds=some), tolerance, tolerance)
    assert ended > 20


def observed(task: Task, steps: int, worlds: int = 1, **options: Any) -> Any:
    """Observations of the first episode, its begin included: [step, world, observation]."""
    env = mw.Environment(task, worlds, device="cpu", dtype=np.float64, **options)
    rows = [env.reset(seed=3)]
    rows += [env.step(np.zeros((worlds, 3))).observation for _ in range(steps)]
    return np.array(rows)


def test_delays_and_histories_are_of_steps() -> None:
    task = floating(max_episode_steps=None)
    task.observe("now", task.steps)
    task.observe("late", task.steps, delay=2)
    task.observe("past", concat(task.steps, -task.steps), history=3)
    task.observe("late past", task.steps, delay=1, history=2)
    seen = observed(task, 5)[:, 0]
    steps = np.arange(6.0)
    back = lambda n: np.maximum(steps - n, 0.0)  # noqa: E731
    np.testing.assert_array_equal(seen[:, 0], steps)
    np.testing.assert_array_equal(seen[:, 1], back(2))
    past = np.array([sign * back(n) for n in (2, 1, 0) for sign in (1, -1)]).T
    np.testing.assert_array_equal(seen[:, 2:8], past)
    np.testing.assert_array_equal(seen[:, 8:], np.array([back(2), back(1)]).T)


def lags(delay: Delay, steps: int = 400, worlds: int = 6) -> Any:
    """Lags of the worlds in each step, [step, world]."""
    task = floating(max_episode_steps=None)
    task.observe("late", task.steps, delay=delay)
    late = observed(task, steps, worlds)[:, :, 0]
    return (np.arange(steps + 1)[:, None] - late)[delay.high + 1 :]


def test_lags_are_drawn_as_asked() -> None:
    every = lags(Delay(1, 3))
    assert set(np.unique(every)) == {1.0, 2.0, 3.0}
    shares = [(every == k).mean() for k in (1, 2, 3)]
    np.testing.assert_allclose(shares, 1 / 3, atol=0.04)
    assert (np.ptp(every, axis=1) > 0).mean() > 0.8
    # held: changes are as rare as they are said to be
    held = lags(Delay(0, 9, hold=0.8))
    assert 0.12 < (np.diff(held, axis=0) != 0).mean() < 0.24
    once = lags(Delay(0, 9, period=None))
    assert (np.diff(once, axis=0) == 0).all() and len(np.unique(once[0])) > 1
    # in turns: at steps of a world's own, or of all
    for stagger in (True, False):
        changed = np.diff(lags(Delay(0, 50, period=8, stagger=stagger)), axis=0) != 0
        phases = [set(np.flatnonzero(changed[:, w]) % 8) for w in range(6)]
        assert all(len(phase) == 1 for phase in phases)
        assert (len(set.union(*phases)) > 1) == stagger


def test_levels_go_up_and_down_over_episodes() -> None:
    task = floating(max_episode_steps=2)
    level = task.level("level", 4, up=task.qpos[7] >= 0.0, down=task.qpos[7] < 0.0, first=1)
    task.observe("levels", concat(level.value, task.steps))
    # the first world bends up, the second down
    task.write("ctrl", 10.0 * task.action)
    env = mw.Environment(task, 2, device="cpu", dtype=np.float64)
    env.reset(seed=0)
    action = np.array([[1.0, 0, 0], [-1.0, 0, 0]])
    begun = []
    for _ in range(15):
        seen = env.step(action).observation
        if (seen[:, 1] == 0).all():
            begun.append(seen[:, 0].tolist())
    assert begun == [[2, 0], [3, 0], [3, 0], [3, 0], [3, 0]]
    # a seed begins from the first level, a reset goes on
    assert env.reset().T[0].tolist() == [3, 0]
    assert env.reset(seed=1).T[0].tolist() == [1, 1]


def test_ends_wait_as_long_as_they_are_told() -> None:
    def end(grace: float, lasting: float) -> int:
        task = floating(frame_skip=1, max_episode_steps=None)
        task.observe("steps", task.steps)
        # from the third step on, but for the sixth
        bad = (task.steps >= 3) & (task.steps != constant_of(6))
        task.terminate("bad", bad, grace=grace, lasting=lasting)
        env = mw.Environment(task, 1, device="cpu", autoreset="disabled")
        env.reset()
        return next(k for k in range(1, 99) if env.step(np.zeros((1, 3))).terminated[0])

    assert end(0.0, 0.0) == 3
    assert end(0.035, 0.0) == 4
    assert end(0.0, 0.02) == 4
    assert end(0.0, 0.03) == 5
    # the break begins the count anew
    assert end(0.0, 0.04) == 10
    assert end(0.055, 0.02) == 7 + 1


def constant_of(x: float) -> float:
    return x


def drawn(env: Any, steps: int) -> Any:
    """Friction of each world after each step."""
    out = []
    for _ in range(steps):
        env.step(np.zeros((env.num_worlds, 3)))
        out.append(env.batch.get_model("dof_damping")[:, 6])
    return np.array(out)


@pytest.mark.parametrize("device", DEVICES)
def test_models_are_drawn_where_episodes_begin(device: str) -> None:
    task = floating(max_episode_steps=5)
    task.observe("joints", task.qpos[7:])
    each = [
        mw.Randomize("dof_damping", (0.1, 0.5), names="one", when="reset"),
        mw.Randomize("body_mass", (0.9, 1.1), "scale"),
        mw.Randomize("geom_friction", (0.5, 1.0), axes=0, when="interval", seconds=(0.05, 0.1)),
    ]
    few, many = (mw.Environment(task, n, device=device, seed=4, randomize=each) for n in (2, 5))
    masses = few.batch.get_model("body_mass")
    found = drawn(few, 14)
    # a step, six of an episode with its begin, and so on
    changes = np.flatnonzero((np.diff(found, axis=0) != 0).all(axis=1)) + 1
    assert changes.tolist() == [5, 11] and len(np.unique(found)) == 6
    np.testing.assert_array_equal(found, drawn(many, 14)[:, :2])
    np.testing.assert_array_equal(few.batch.get_model("body_mass"), masses)
    frictions = many.batch.get_model("geom_friction")[:2, :, 0]
    np.testing.assert_array_equal(few.batch.get_model("geom_friction")[:, :, 0], frictions)
    assert len(np.unique(frictions)) > 2
    # pickled, they go on with the same bits
    if device == "cpu":
        again = pickle.loads(pickle.dumps(few))
        np.testing.assert_array_equal(drawn(again, 8), drawn(few, 8))


@pytest.mark.parametrize("name", MADE)
def test_bits_do_not_depend_on_the_number_of_worlds(name: str) -> None:
    task = MADE[name]()
    shown = []
    for worlds in (2, 7):
        env = mw.Environment(task, worlds, device="cpu", seed=9)
        random = np.random.default_rng(0)
        for _ in range(40):
            seen = env.step(random.uniform(-1, 1, (7, 3))[:worlds])
        shown.append(seen.observation[:2].copy())
    np.testing.assert_array_equal(*shown)


def test_groups_are_spaces_of_their_own() -> None:
    gymnasium = pytest.importorskip("gymnasium")
    from manyworlds.envs import ManyWorldsEnv, ManyWorldsVectorEnv

    task = measured()
    assert list(task.observation_groups) == ["policy", "critic"]
    assert task.observation_slices["critic/truth"].start == task.observation_groups["critic"].start
    env = ManyWorldsVectorEnv(task, 3, device="cpu", seed=1)
    assert isinstance(env.single_observation_space, gymnasium.spaces.Dict)
    seen, _ = env.reset(seed=1)
    assert env.observation_space.contains(seen)
    critic = task.observation_groups["critic"]
    assert seen["critic"].shape == (3, critic.stop - critic.start) == (3, 15)
    np.testing.assert_array_equal(seen["critic"][:, 9:12], seen["critic"][:, 12:])
    one = ManyWorldsEnv(task, seed=1)
    assert one.observation_space.contains(one.reset(seed=1)[0])
    env.close()
    one.close()


def test_mistakes_are_named() -> None:
    task = floating()
    joints = task.qpos[7:]
    for wrong in ({"low": 2, "high": 1}, {"low": -1}, {"high": 1.5}, {"hold": 2.0}, {"period": 0}):
        with pytest.raises(ValueError, match="got"):
            Delay(**wrong)
    with pytest.raises(ValueError, match="history has at least"):
        task.observe("none", joints, history=0)
    with pytest.raises(ValueError, match="lengths 3 and 2|lengths 2 and 3"):
        task.observe("wrong noise", joints, noise=[0.1, 0.2])
    task.observe("joints", joints)
    with pytest.raises(ValueError, match="observation 'joints' already"):
        task.observe("joints", joints)
    task.observe("joints", joints, group="critic")
    with pytest.raises(ValueError, match="no such time"):
        task.command("never", uniform(0, 1), seconds=(0, 0))
    with pytest.raises(ValueError, match="one of 3"):
        task.level("level", 3, up=1.0, first=3)
    with pytest.raises(ValueError, match="single number"):
        task.level("level", 3, up=joints)
    with pytest.raises(ValueError, match="rows of finite numbers"):
        Table([])
    with pytest.raises(ValueError, match="single number"):
        Table([1.0, 2.0])[joints]
    with pytest.raises(TypeError, match="rows are those of a field"):
        take(joints + 1.0, 0)
    with pytest.raises(ValueError, match="begins before it ends"):
        ramp(task.age, (3, 0), (3, 1))
    with pytest.raises(ValueError, match="three about them"):
        pushes(task, velocity=[1.0, 2.0])
    fixed = Task(mw.Model.from_xml_string(FLOATING.replace('type="free" damping="2"', 'type="ball"')))
    with pytest.raises(ValueError, match="is no free joint"):
        velocity_command(fixed)
    with pytest.raises(ValueError, match="drawn at start, reset, interval"):
        mw.Randomize("body_mass", (0.9, 1.1), when="never")
    with pytest.raises(ValueError, match="no such time"):
        mw.Randomize("body_mass", (0.9, 1.1), when="interval", seconds=(0.0, 1.0))

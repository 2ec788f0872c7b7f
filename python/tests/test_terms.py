"""Noise, delays, histories, groups, commands, levels and events of tasks: what NumPy computes, and closed forms."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import mujoco
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
    task.observe("level", level)
    task.observe("place", places[level])
    task.observe("body", take(task.xpos, 1 + level))
    task.observe("joint", take(task.qpos[7:], level - 1))
    task.reset(task.qpos[:3], 0.1 * places[level])
    task.reset(task.qvel[:3], uniform(-1, 1, 3))
    task.reward("steps", where(task.steps > 3, level, 0.0))
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
    task.observe("levels", concat(level, task.steps))
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
    assert end(0.03, 0.0) == 4
    assert end(0.0, 0.001) == 3
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


def moments(batch: Any, world: int, body: int, *, about_center: bool = False) -> Any:
    """Second moments of a body's mass about its origin, by sums over four point masses that have its inertia."""
    mass, ipos, inertia, iquat = (
        batch.get_model(f"body_{name}")[world, body] for name in ("mass", "ipos", "inertia", "iquat")
    )
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, iquat.astype(float))
    ipos = np.zeros(3) if about_center else ipos
    second = 0.5 * inertia.sum() - inertia
    # along each axis two points of an eighth of the mass, and the rest in the middle
    points = [
        ipos + sign * np.sqrt(4 * second[k] / mass) * turn.reshape(3, 3)[:, k] for k in range(3) for sign in (-1, 1)
    ]
    return sum(mass / 8 * np.outer(p, p) for p in points) + mass / 4 * np.outer(ipos, ipos)


def test_inertias_are_those_of_bodies_that_could_exist() -> None:
    model = mw.Model.from_xml_string(FLOATING)
    batch = mw.Batch(model, 64, device="cpu", seed=3)
    # denser alone: everything is multiplied
    batch.randomize(mw.RandomizeInertia("trunk", density=(0.5, 2.0)))
    factor = batch.get_model("body_mass")[:, 1] / model.body_mass[1]
    assert factor.min() < 0.6 and factor.max() > 1.7 and factor.min() >= 0.5 and factor.max() <= 2.0
    inertia = np.sort(batch.get_model("body_inertia")[:, 1], axis=1)
    np.testing.assert_allclose(inertia, factor[:, None] * np.sort(model.body_inertia[1]), rtol=1e-9)
    np.testing.assert_allclose(batch.get_model("body_mass")[:, 2], model.body_mass[2])
    # moved alone: the centre of mass moves, the inertia about it stays
    batch = mw.Batch(model, 64, device="cpu", seed=3)
    batch.randomize(mw.RandomizeInertia(["one", "two"], shift=0.05))
    moved = batch.get_model("body_ipos")[:, 2] - model.body_ipos[2]
    assert 0.04 < np.abs(moved).max() <= 0.05 and len(np.unique(moved)) == moved.size
    np.testing.assert_allclose(
        np.sort(batch.get_model("body_inertia")[:, 2], axis=1)[:, ::-1],
        np.tile(np.sort(model.body_inertia[2])[::-1], (64, 1)),
        rtol=1e-7,
    )
    # stretched alone: moments along the axes are multiplied, those between two axes by the roots of both factors
    batch = mw.Batch(model, 16, device="cpu", seed=3)
    batch.randomize(mw.RandomizeInertia("one", stretch=0.4))
    np.testing.assert_allclose(batch.get_model("body_ipos")[:, 2], np.tile(model.body_ipos[2], (16, 1)), atol=1e-12)
    plain = moments(batch_of_one(model), 0, 2, about_center=True)
    for w in range(16):
        stretched = moments(batch, w, 2, about_center=True)
        roots = np.sqrt(np.diag(stretched) / np.diag(plain))
        assert (np.abs(np.log(roots)) <= 0.4 + 1e-9).all() and np.ptp(roots) > 0.01
        np.testing.assert_allclose(stretched, plain * np.outer(roots, roots), atol=1e-9)
    # all at once: moments are those of the mapped mass, and inertias keep the triangle inequality
    every = mw.RandomizeInertia(density=(0.8, 1.25), stretch=0.3, shear=0.3, shift=0.03)
    batch = mw.Batch(model, 64, device="cpu", seed=3)
    batch.randomize(every)
    inertia = np.sort(batch.get_model("body_inertia")[:, 1:], axis=-1)
    assert (inertia[..., 0] + inertia[..., 1] >= inertia[..., 2] * (1 - 1e-9)).all() and (inertia > 0).all()
    numbers = [np.linalg.eigvalsh(moments(batch, w, 1)) for w in range(64)]
    assert (np.array(numbers) > 0).all()
    # the same in a larger batch
    more = mw.Batch(model, 80, device="cpu", seed=3)
    more.randomize(every)
    for field in ("body_mass", "body_ipos", "body_inertia", "body_iquat"):
        np.testing.assert_array_equal(more.get_model(field)[:64], batch.get_model(field))
    with pytest.raises(ValueError, match="positive numbers"):
        mw.RandomizeInertia(density=(0.0, 1.0))
    with pytest.raises(ValueError, match="no negative numbers"):
        mw.RandomizeInertia(shift=-0.1)
    with pytest.raises(KeyError, match="trunc"):
        batch.randomize(mw.RandomizeInertia("trunc"))


def batch_of_one(model: mw.Model) -> Any:
    batch = mw.Batch(model, 1, device="cpu")
    batch.expand(["body_mass", "body_ipos", "body_inertia", "body_iquat"])
    return batch


def masses(env: Any) -> Any:
    return env.batch.get_model("body_mass")[:, 1]


def test_draws_of_worlds_and_steps_have_nothing_in_common() -> None:
    task = floating(max_episode_steps=1)
    task.observe("joints", task.qpos[7:])
    for one in (
        mw.RandomizeInertia("trunk", density=(0.5, 2.0), when="reset"),
        mw.Randomize("body_mass", (1.0, 9.0), when="interval", seconds=(0.02, 0.04)),
    ):
        env = mw.Environment(task, 6, device="cpu", seed=3, randomize=[one])
        seen = []
        for _ in range(12):
            env.step(np.zeros((6, 3)))
            seen.append(masses(env))
        # each number once, but for steps without a draw
        distinct = np.unique(np.array(seen), axis=0)
        assert len(distinct) > 4 and len(np.unique(distinct)) > 0.95 * 6 * len(distinct) / 2


def test_a_seed_begins_everything_anew() -> None:
    task = floating(max_episode_steps=3)
    task.observe("joints", task.qpos[7:])
    each = [
        mw.Randomize("body_mass", (1.0, 9.0), when="reset"),
        mw.Randomize("dof_damping", (1.0, 2.0)),
        mw.Randomize("geom_friction", (0.5, 1.0), axes=0, when="interval", seconds=(0.03, 0.08)),
    ]
    env = mw.Environment(task, 3, device="cpu", seed=1, randomize=each)

    def run(seed: Any) -> list[Any]:
        env.reset(seed=seed)
        out = []
        for _ in range(9):
            env.step(np.zeros((3, 3)))
            out += [env.batch.get_model(name).copy() for name in ("body_mass", "dof_damping", "geom_friction")]
        return out

    first, again, other = run(7), run(7), run(8)
    for a, b in zip(first, again):
        np.testing.assert_array_equal(a, b)
    assert not np.array_equal(first[0], other[0]) and not np.array_equal(first[1], other[1])
    # of several seeds each world's are its own alone
    several, turned = run([5, 6, 7]), run([7, 5, 6])
    for a, b in zip(several, turned):
        np.testing.assert_array_equal(a[[2, 0, 1]], b)
    # steps that nobody has looked at draw as well
    one = mw.Environment(floating_of_one_step(), 2, device="cpu", randomize=[each[0]])
    before = masses(one)
    one.send(np.zeros((2, 3)))
    one.send(np.zeros((2, 3)))
    assert (masses(one) != before).all()
    with pytest.raises(ValueError, match="task.reset\\('qpos'"):
        mw.Environment(task, 1, device="cpu", randomize=[mw.Randomize("qpos", (0, 1), when="reset")])
    with pytest.raises(ValueError, match="by itself and with the inertia"):
        mw.Environment(task, 1, device="cpu", randomize=[mw.RandomizeInertia(), mw.Randomize("body_mass", (1, 2))])
    streams = [mw.RandomizeInertia(density=(0.5, 2.0), stream=f"inertia_{part}") for part in ("legs", "arms")]
    batches = [mw.Batch(task.model, 1, device="cpu") for _ in streams]
    for batch, stream in zip(batches, streams):
        batch.randomize(stream)
    assert batches[0].get_model("body_mass")[0, 1] != batches[1].get_model("body_mass")[0, 1]


def floating_of_one_step() -> Task:
    task = floating(max_episode_steps=1)
    task.observe("joints", task.qpos[7:])
    return task


def test_what_begins_with_an_episode_sees_its_level() -> None:
    task = floating(max_episode_steps=2)
    level = task.level("level", 9, up=1.0, first=3)
    remembered = task.variable("speed", 10.0 * level)
    asked = task.command("asked", 100.0 * level, seconds=(9.0, 9.0))
    task.reset(task.qpos[0], 0.5 * level)
    task.observe("all", concat(level, remembered, asked, task.qpos[0]))
    env = mw.Environment(task, 1, device="cpu", dtype=np.float64)
    seen = [env.reset(seed=2)[0]] + [env.step(np.zeros((1, 3))).observation[0] for _ in range(6)]
    levels = [row[0] for row in seen]
    assert levels == [3, 3, 3, 4, 4, 4, 5]
    for row in seen:
        np.testing.assert_allclose(row, np.array([1.0, 10.0, 100.0, 0.5]) * row[0])


def test_rows_of_columns_and_tables_are_taken() -> None:
    task = floating()
    task.observe("height", take(task.xpos[:, 2], 1))
    task.observe("part", take(task.xpos[2:, 1:], 1))
    table = Table([[1.0, 2.0], [3.0, 4.0]])
    task.observe("table", concat(*table))
    env = mw.Environment(task, 1, device="cpu", dtype=np.float64)
    seen, xpos = env.reset()[0], env.batch.get("xpos")[0]
    np.testing.assert_allclose(seen, [xpos[1, 2], *xpos[3, 1:], 1.0, 2.0, 3.0, 4.0])


@pytest.mark.parametrize("device", DEVICES)
def test_what_happens_every_few_seconds_takes_whole_steps(device: str) -> None:
    task = floating(max_episode_steps=None)
    assert task.dt == pytest.approx(0.02)
    for k, seconds in enumerate((1.0, 0.3, 0.06, 0.02)):
        task.metric(f"every {k}", task.every(f"left {k}", (seconds, seconds)))
    task.observe("joints", task.qpos[7:])
    env = mw.Environment(task, 1, device=device)
    env.reset()
    fired: list[list[int]] = [[], [], [], []]
    for step in range(1, 101):
        env.step(np.zeros((1, 3)))
        for k in range(4):
            if env.metrics[f"every {k}"][0] != 0:
                fired[k].append(step)
    assert fired[0] == [50, 100] and fired[1] == list(range(15, 101, 15))
    assert fired[2] == list(range(3, 101, 3)) and fired[3] == list(range(1, 101))


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
    with pytest.raises(ValueError, match="has length 3, its noise 2"):
        task.observe("wrong noise", joints, noise=[0.1, 0.2])
    task.observe("joints", joints)
    with pytest.raises(ValueError, match="observation 'joints' already"):
        task.observe("joints", joints)
    task.observe("joints", joints, group="critic")
    with pytest.raises(TypeError, match="number of steps, or a Delay"):
        task.observe("late", joints, delay=1.5)  # type: ignore[arg-type]
    task.observe("late", joints, delay=np.int64(1))
    with pytest.raises(TypeError, match="a variable of the task is renewed"):
        task.renew(joints, 0.0)
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

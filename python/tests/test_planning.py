"""Planners and motions under them: costs from Python, arrays, the same bits again, errors, Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from conftest import MODELS

import manyworlds as mw
from manyworlds import planning

RAIL = """<mujoco><option timestep="0.02" gravity="0 0 0"/>
<worldbody>
  <body name="a"><joint name="a" type="slide" damping="0.3" stiffness="2" axis="1 0 0"/><geom size=".1"/></body>
  <body name="b" pos="0 1 0"><joint name="b" type="slide" axis="1 0 0"/><geom size=".1" mass="2"/></body>
</worldbody>
<actuator><motor joint="a"/><motor joint="b" gear="2"/></actuator>
<keyframe><key name="left" qpos="-1 -2"/></keyframe></mujoco>"""


def rail() -> mw.Spec:
    """Two masses on a rail: linear dynamics, quadratic costs."""
    spec = mw.Spec.from_xml_string(RAIL)
    planning.add_cost(spec, "place", "[qpos[0] - 1, qpos[1] - 2]", weight=4, size=2, terminal=40)
    planning.add_cost(spec, "speed", "qvel", weight=0.1, size=2)
    planning.add_cost(spec, "effort", "ctrl", weight=0.02, size=2)
    return spec


@pytest.fixture(scope="session")
def task() -> mw.Model:
    return mw.Model.from_xml_path(MODELS / "tasks" / "cartpole.xml")


def test_a_cart_pole_swings_up_and_stays(task: mw.Model) -> None:
    motion = mw.plan(task, mw.Planner(task, "ilqg"), seconds=4, keyframe="hanging")
    assert motion.notice is None and motion.has_goal
    assert motion.success is not None and motion.success < 3.5
    frames = 400
    shapes = {"qpos": (2,), "qvel": (2,), "act": (0,), "ctrl": (1,), "sensordata": (6,), "cost": (), "time": ()}
    for name, shape in shapes.items():
        assert getattr(motion, name).shape == (frames, *shape), name
    assert np.cos(motion.qpos[-50:, 1]).min() > 0.98 and np.abs(motion.ctrl).max() <= 1
    np.testing.assert_allclose(motion.time, 0.01 * np.arange(frames), atol=1e-9)
    # ten iterations before the motion, then one each 0.02 s
    assert len(motion.iterations) == len(motion.iteration_times) == 10 + 200
    assert (motion.iteration_times[:11] == 0).all() and motion.iteration_times[-1] == pytest.approx(3.98)
    assert all(set(i.seconds) == {"rollout", "derivatives", "backward", "search"} for i in motion.iterations)
    # the motion is one of the model itself
    batch = mw.Batch(task, 1, device="cpu")
    batch.reset(keyframe="hanging")
    again = batch.rollout(ctrl=motion.ctrl[None], record=["qpos"])["qpos"][0]
    np.testing.assert_array_equal(again[:-1], motion.qpos[1:])


def test_a_linear_model_takes_one_iteration_and_its_plan_has_shapes() -> None:
    model = rail().compile()
    planner = mw.Planner(model, horizon=1.0)
    assert planner.settings.kind == "ilqg" and planner.settings.steps == 50 and planner.model is model
    first = planner.improve({"qpos": [-0.3, 0.4], "qvel": [1.0, -2.0], "time": 0.5})
    second = planner.improve({"qpos": [-0.3, 0.4], "qvel": [1.0, -2.0], "time": 0.5})
    assert first.step == 1.0 and first.after < 0.5 * first.before and first.notice is None
    assert first.before - first.after == pytest.approx(first.expected, rel=1e-4)
    assert second.before == pytest.approx(first.after) and second.before - second.after < 1e-4 * first.after
    assert planner.controls.shape == (50, 2) and planner.path.shape == (51, 2) and planner.gains.shape == (50, 2, 4)
    np.testing.assert_allclose(planner.times, 0.5 + 0.02 * np.arange(50))
    np.testing.assert_allclose(planner.path[0], [-0.3, 0.4])
    with pytest.raises(ValueError):
        planner.controls[0] = 1
    assert repr(planner).startswith("<Planner ilqg of 'MuJoCo Model': 50 steps of 0.02 s")
    # feedback: by the gains, about the path
    velocities = [1.0, -2.0]
    there = planner.control(0.5, [-0.3, 0.4], velocities)
    np.testing.assert_allclose(there, planner.controls[0], atol=1e-12)
    away = planner.control(0.5, [-0.2, 0.4], velocities)
    np.testing.assert_allclose(away - there, 0.1 * planner.gains[0, :, 0], atol=1e-12)
    assert np.abs(away - there).max() > 1e-3


def test_costs_of_a_motion_are_norms_of_formulas() -> None:
    spec = mw.Spec.from_xml_string(RAIL)
    planning.add_cost(spec, "place", "qpos - 1", "smooth_abs", 3, [0.5], size=2)
    planning.add_cost(spec, "end", "qpos[0]", weight=0, terminal=2)
    planning.add_cost(spec, "slow", "norm(qvel) < 0.1 && ctrl[0] > -5", "identity", 0.25)
    planning.add_success(spec, "time > 0.1")
    model = mw.Model.from_xml_string(spec.to_xml())
    motion = mw.plan(model, seconds=0.2, iterations=0, keyframe="left", interval=0.1)
    assert motion.success == pytest.approx(0.12) and motion.has_goal
    place, slow = motion.sensordata[:, :2], motion.sensordata[:, 3]
    np.testing.assert_allclose(place, motion.qpos - 1, atol=1e-12)
    norm = (np.sqrt(place**2 + 0.25) - 0.5).sum(1)
    np.testing.assert_allclose(motion.cost, 3 * norm + 0.25 * slow, atol=1e-12)
    # a cost of the end alone is one too
    spec = mw.Spec.from_xml_string(RAIL)
    planning.add_cost(spec, "end", "qpos[0]", weight=0, terminal=2)
    planning.add_cost(spec, "effort", "ctrl", weight=1e-6, size=2)
    planner = mw.Planner(spec.compile(), horizon=0.4)
    before = planner.improve(keyframe="left").before
    assert before > 0.5 and planner.improve(keyframe="left").after < 0.5 * before


@pytest.mark.parametrize("kind", ["sampling", "mppi", "cem"])
def test_planners_that_draw_improve_a_plan(kind: str, task: mw.Model) -> None:
    def run(seed: int) -> tuple[list[float], Any]:
        planner = mw.Planner(task, kind, candidates=24, points=5, interpolation="linear", seed=seed)
        costs = [planner.improve(keyframe=0).after for _ in range(4)]
        return costs, planner

    costs, planner = run(3)
    assert planner.settings[:1] == (kind,) and planner.settings.candidates == 24
    assert planner.settings.interpolation == "linear" and planner.settings.elites == 2
    assert planner.controls.shape == (5, 1) and planner.path.shape == (0, 2) and planner.gains.shape == (0, 1, 4)
    assert costs[-1] < costs[0] and np.abs(planner.controls).max() > 0
    assert planner.times[-1] == pytest.approx(1.0)
    # no feedback: controls do not depend on the state
    a = planner.control(0.1, [0, 3], [0, 0])
    np.testing.assert_array_equal(a, planner.control(0.1, [1, 2], [3, 4]))
    same, other = run(3), run(4)
    assert same[0] == costs and other[0] != costs
    np.testing.assert_array_equal(same[1].controls, planner.controls)


def test_motions_have_the_same_bits_again(task: mw.Model) -> None:
    def run(seed: int) -> mw.Motion:
        noise = {"control_noise": 0.1, "state_noise": 0.01}
        push = ("pole", 0.05, 0.1, (4.0, 0.0, 0.0))
        return mw.plan(task, "mppi", seconds=0.2, iterations=1, keyframe=0, pushes=[push], seed=seed, **noise)

    a, b, c = run(3), run(3), run(4)
    for name in ("qpos", "ctrl", "sensordata", "cost"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
    assert (a.qpos != c.qpos).any()


def test_pushes_are_felt_and_lags_are_late(task: mw.Model) -> None:
    calm = mw.plan(task, seconds=0.3, keyframe=0, iterations=1)
    pushed = mw.plan(task, seconds=0.3, keyframe=0, iterations=1, pushes=[("pole", 0.1, 0.1, (4, 0, 0))])
    late = mw.plan(task, seconds=0.3, keyframe=0, iterations=1, lag=0.0)
    np.testing.assert_array_equal(calm.qpos[:11], pushed.qpos[:11])
    assert np.abs(calm.qpos[15] - pushed.qpos[15]).max() > 1e-4
    assert (calm.ctrl[:10] != late.ctrl[:10]).any()


def test_a_planner_goes_on_from_its_plan_and_from_a_batch(task: mw.Model) -> None:
    planner = mw.Planner(task)
    batch = mw.Batch(task, 3, device="cpu")
    batch.reset(keyframe="hanging")
    batch.qvel = [[0, 0], [0.1, 0.2], [0, 0]]
    batch.step(2)
    state = planning.state_of(batch, 1)
    assert state["time"] == pytest.approx(0.02) and (state["qpos"] == batch.qpos[1]).all()
    first = planner.improve(batch, world=1)
    np.testing.assert_array_equal(planner.path[0], batch.qpos[1])
    for _ in range(5):
        last = planner.improve(state)
    assert last.after < first.after
    # the plan of a motion is the planner's own afterwards
    motion = mw.plan(task, planner, seconds=0.1, iterations=0, state=batch, world=1)
    np.testing.assert_array_equal(motion.qpos[0], batch.qpos[1])
    assert motion.time[0] == pytest.approx(0.02)
    assert motion.iterations[0].before == pytest.approx(last.after, rel=1e-9)
    assert planner.times[0] == pytest.approx(0.02 + 0.08)


def test_a_planner_of_a_wrong_model_plans_for_another(task: mw.Model) -> None:
    spec = mw.Spec.from_xml_path(MODELS / "tasks" / "cartpole.xml")
    spec.geom("pole").mass = 0.2
    motion = mw.plan(task, mw.Planner(spec.compile()), seconds=3.5, keyframe="hanging")
    assert np.cos(motion.qpos[-1, 1]) > 0.98


def test_planning_in_time_takes_a_thread_of_its_own(task: mw.Model) -> None:
    begin = time.perf_counter()
    motion = mw.plan(task, seconds=0.2, slowdown=2.0, keyframe=0, iterations=1)
    assert time.perf_counter() - begin > 0.35 and len(motion.iterations) > 1 and len(motion.time) == 20


def test_a_motion_of_no_step_is_empty(task: mw.Model) -> None:
    motion = mw.plan(task, seconds=1e-4, iterations=1)
    assert motion.qpos.shape == (0, 2) and motion.cost.shape == (0,) and len(motion.iterations) == 1


def test_wrong_plans_are_refused(task: mw.Model, cartpole: mw.Model) -> None:
    with pytest.raises(ValueError, match="the model has no cost"):
        mw.Planner(cartpole)
    with pytest.raises(TypeError, match="a planner is of a Model, got str"):
        mw.Planner("cartpole")  # type: ignore[arg-type]
    for given, text in [
        ({"kind": "ilgq"}, "there is no planner 'ilgq'; did you mean 'ilqg'"),
        ({"horizon": 0.0}, "a horizon of 0 s is zero steps"),
        ({"horizon": float("nan")}, "a horizon of NaN s"),
        ({"timestep": -0.1}, "the time step of the planner is -0.1 s"),
        ({"horizon": 1e6}, "is too long"),
        ({"kind": "mppi", "temperature": 0.0}, "the temperature is 0"),
        ({"kind": "cem", "candidates": 8, "elites": 9}, "9 elites of 8 candidates"),
        ({"interpolation": "cubik"}, "did you mean 'cubic'"),
        ({"candidates": 0}, "candidates is 0; it has to be at least 1"),
        ({"kind": "mppi", "points": 10**12}, "points of a spline are too many"),
        ({"step_sizes": 10**12}, "step sizes are too many"),
        ({"kind": "mppi", "candidates": 10**12}, "controls together"),
        ({"solref": [0.1]}, r"solref has shape \[2\]"),
        ({"device": "gpu:no such adapter"}, "no such adapter"),
    ]:
        with pytest.raises((ValueError, RuntimeError), match=text):
            mw.Planner(task, **given)
    planner = mw.Planner(task)
    with pytest.raises(mw.UnknownNameError, match="did you mean 'qpos'"):
        planner.improve({"qpo": [0, 0]})
    with pytest.raises(mw.UnknownNameError, match="hangin"):
        planner.improve(keyframe="hangin")
    with pytest.raises(ValueError, match="'qvel' of a state has 2 numbers, 3 are given"):
        planner.improve({"qvel": [0, 0, 0]})
    with pytest.raises(ValueError, match="not finite"):
        planner.improve({"qvel": [0, np.nan]})
    with pytest.raises(TypeError, match="numbers are expected"):
        planner.improve({"qvel": ["a", "b"]})
    with pytest.raises(TypeError, match="a state is a Batch or fields by name, got list"):
        planner.improve([0.0])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"'qpos' has shape \[2\] \[nq\], got \[3\]"):
        planner.control(0.0, [0, 0, 0], [0, 0])
    for given, error, text in [
        ({"seconds": 0.0}, ValueError, "the time of a motion is 0, out of range"),
        ({"interval": -1}, ValueError, "the interval between iterations"),
        ({"lag": 0.5}, ValueError, "raise the interval"),
        ({"lag": 0.0, "slowdown": 1.0}, ValueError, "give one of them"),
        ({"iterations": -1}, ValueError, "iterations is -1"),
        ({"seconds": "long"}, TypeError, "seconds is a number"),
        ({"pushes": [("poles", 0, 1, (0, 0, 1))]}, mw.UnknownNameError, "did you mean 'pole'"),
        ({"pushes": [("world", 0, 1, (0, 0, 1))]}, ValueError, "no body 0 that can be pushed"),
        ({"pushes": [("pole", 0, 1)]}, ValueError, "a push is"),
        ({"pushes": [("pole", 0, 1, (1, 2))]}, ValueError, r"has shape \[3\]"),
        ({"planner": mw.Planner(rail().compile())}, ValueError, "nu 2, the model that moves has 1"),
    ]:
        with pytest.raises(error, match=text):
            mw.plan(task, **given)


def test_wrong_costs_are_refused_and_add_nothing() -> None:
    spec = rail()
    text = spec.to_xml()
    for arguments, options, error, said in [
        (("place", "qpos"), {}, ValueError, "there is a sensor 'place' already"),
        (("success", "qpos"), {}, ValueError, "add_success"),
        (("x", "qpos"), {"norm": "smoth_abs"}, ValueError, "did you mean 'smooth_abs'"),
        (("x", "qpos"), {"norm": "L2"}, ValueError, "'L2' has 1 parameters, 0 are given"),
        (("x", "qpos"), {"norm": "L2", "parameters": [-1]}, ValueError, "it has to be above 0"),
        (("x", "qpos"), {"weight": -1}, ValueError, "weight is -1"),
        (("x", "qpos"), {"terminal": float("inf")}, ValueError, "terminal is inf"),
        (("x", 3), {}, TypeError, "the formula of 'x' is text"),
    ]:
        with pytest.raises(error, match=said):
            planning.add_cost(spec, *arguments, **options)
    assert spec.to_xml() == text
    planning.add_success(spec, "time > 1")
    with pytest.raises(ValueError, match="'success' already"):
        planning.add_success(spec, "time > 2")
    # a formula is read when the model is compiled
    planning.add_cost(spec, "both", "qpos")
    with pytest.raises(mw.ModelError, match="it has 2 numbers, the sensor has dim 1"):
        spec.compile()
    assert {"quadratic", "smooth_abs", "cosh"} <= set(planning.NORMS) and planning.NORMS["L22"] == (1, 2)


def test_a_motion_that_diverges_says_so() -> None:
    spec = mw.Spec.from_xml_string(RAIL)
    spec.joint("b").set(stiffness=-1e7)
    planning.add_cost(spec, "place", "qpos", size=2)
    model = spec.compile()
    iteration = mw.Planner(model, horizon=1.0).improve(keyframe="left")
    assert iteration.before == iteration.after == np.inf
    assert iteration.notice is not None and "the last plan stays in force" in iteration.notice


def stopped(call: Any, after: float) -> tuple[KeyboardInterrupt, float]:
    """Presses Ctrl-C during a call; what it raises, and seconds until it ends."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(after, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    begin = time.perf_counter()
    with pytest.raises(KeyboardInterrupt) as raised:
        call()
    timer.join()
    return raised.value, time.perf_counter() - begin - after


def interrupted(call: Any, after: float) -> float:
    """Presses Ctrl-C during a call; seconds until it ends."""
    return stopped(call, after)[1]


def test_ctrl_c_ends_planning_within_a_second(task: mw.Model) -> None:
    planner = mw.Planner(task, horizon=2.0)
    assert interrupted(lambda: mw.plan(task, planner, seconds=1e5, keyframe=0), 0.5) < 1.0
    # during the iterations before a motion
    assert interrupted(lambda: mw.plan(task, planner, iterations=100_000, keyframe=0), 0.5) < 1.0
    # within one iteration: of many candidates
    many = mw.Planner(task, "sampling", horizon=100.0, candidates=400)
    assert interrupted(lambda: [many.improve(keyframe=0) for _ in range(10_000)], 0.3) < 1.0
    # and the planner goes on
    assert planner.improve(keyframe=0).after < np.inf


def test_ctrl_c_keeps_what_was_recorded_of_a_motion(task: mw.Model) -> None:
    options: dict[str, Any] = {"iterations": 1, "keyframe": "hanging"}
    planner = mw.Planner(task)
    # some frames take so long
    begin = time.perf_counter()
    mw.plan(task, planner, seconds=0.1, **options)
    some = time.perf_counter() - begin
    planner = mw.Planner(task)
    stop, seconds = stopped(lambda: mw.plan(task, planner, seconds=1e5, **options), 0.5 + 2 * some)
    assert seconds < 1.0
    # the class is that of Ctrl-C itself, not one below it
    assert type(stop) is KeyboardInterrupt
    motion = mw.kept(stop)
    assert isinstance(motion, mw.Motion)
    frames = len(motion.time)
    assert 0 < frames < 1e5 and motion.notice == f"interrupted after {frames} steps; the motion ends there"
    assert motion.has_goal and len(motion.iterations) == len(motion.iteration_times) > 1
    shapes = {"qpos": (2,), "qvel": (2,), "act": (0,), "ctrl": (1,), "sensordata": (6,), "cost": ()}
    for name, shape in shapes.items():
        assert getattr(motion, name).shape == (frames, *shape), name
    np.testing.assert_allclose(motion.time, 0.01 * np.arange(frames), atol=1e-9)
    # it is the beginning of the motion that was asked for
    batch = mw.Batch(task, 1, device="cpu")
    batch.reset(keyframe="hanging")
    again = batch.rollout(ctrl=motion.ctrl[None], record=["qpos"])["qpos"][0]
    np.testing.assert_array_equal(again[:-1], motion.qpos[1:])
    whole = mw.plan(task, mw.Planner(task), seconds=0.01 * min(frames, 10), **options)
    np.testing.assert_array_equal(whole.qpos, motion.qpos[: len(whole.qpos)])


def test_an_iteration_that_takes_long_keeps_nothing_from_ctrl_c(task: mw.Model) -> None:
    def once(planner: mw.Planner) -> float:
        begin = time.perf_counter()
        planner.improve(keyframe=0)
        return time.perf_counter() - begin

    # an iteration of more than a second on this machine
    second = once(mw.Planner(task, "sampling", horizon=1.0, candidates=100))
    slow = mw.Planner(task, "sampling", horizon=min(max(1.0, 1.5 / second), 90.0), candidates=100)
    # within the second iteration at the earliest
    call = lambda: mw.plan(task, slow, seconds=100, interval=0.2, iterations=0, keyframe=0)  # noqa: E731
    stop, seconds = stopped(call, 2.5 * once(slow))
    assert seconds < 1.0
    motion = mw.kept(stop)
    assert 0 < len(motion.time) <= 20 * len(motion.iterations)


def test_what_another_handler_raises_takes_the_motion_along(task: mw.Model) -> None:
    class Late(Exception):
        pass

    def handler(*_: object) -> None:
        raise Late("time is over")

    planner = mw.Planner(task)
    begin = time.perf_counter()
    mw.plan(task, planner, seconds=0.1, keyframe=0, iterations=1)
    some = time.perf_counter() - begin
    old = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.5 + 2 * some)
        with pytest.raises(Late, match="time is over") as raised:
            mw.plan(task, planner, seconds=1e5, keyframe=0, iterations=1)
    finally:
        signal.signal(signal.SIGALRM, old)
    assert len(mw.kept(raised.value).time) > 0
    # nothing was done by calls that keep nothing
    assert mw.kept(ValueError("another")) is None
    with pytest.raises(TypeError, match="an exception is expected, got int"):
        mw.kept(3)  # type: ignore[arg-type]


def test_an_interrupt_that_nobody_catches_ends_the_process_as_the_shell_expects(task: mw.Model) -> None:
    file = MODELS / "tasks" / "cartpole.xml"
    text = f"""
import signal, manyworlds as mw
signal.signal(signal.SIGINT, signal.default_int_handler)
model = mw.Model.from_xml_path({str(file)!r})
planner = mw.Planner(model)
print("ready", flush=True)
mw.plan(model, planner, seconds=1e5, keyframe=0)
"""
    child = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stdout is not None and child.stdout.readline() == "ready\n"
    time.sleep(0.7)
    child.send_signal(signal.SIGINT)
    said = child.communicate(timeout=30)[1]
    assert child.returncode == -signal.SIGINT and "KeyboardInterrupt" in said
    # where exceptions take notes, the last lines say how to get at it
    assert sys.version_info < (3, 11) or "manyworlds.kept(exception)" in said


def test_points_of_a_sampled_plan_stay_where_they_are_in_time(task: mw.Model) -> None:
    for interpolation in ("zero", "linear", "cubic"):
        planner = mw.Planner(task, "sampling", horizon=1.0, points=5, interpolation=interpolation, candidates=8)
        planner.improve(keyframe=0)
        np.testing.assert_allclose(planner.times, [0, 0.25, 0.5, 0.75, 1.0], atol=1e-12)
        planner.improve({"time": 0.3}, keyframe=0)
        np.testing.assert_allclose(planner.times, [0.25, 0.5, 0.75, 1.0, 1.25], atol=1e-12)
        assert planner.controls.shape == (5, 1)


@pytest.mark.parametrize("kind", ["sampling", "mppi", "cem"])
def test_the_cost_after_an_iteration_is_that_of_the_plan_in_force(kind: str) -> None:
    spec = mw.Spec.from_xml_string(RAIL)
    for actuator in (0, 1):
        spec.actuator(actuator).set(ctrlrange=[-5, 5], ctrllimited="true")
    planning.add_cost(spec, "effort", "ctrl - 2", weight=3, size=2)
    planner = mw.Planner(spec.compile(), kind, horizon=0.4, candidates=16, interpolation="linear")
    done = planner.improve()
    # 3/2 |u - 2|² at each of 20 steps, and at the end under the last controls
    here = np.array([planner.control(0.02 * k, [0, 0], [0, 0]) for k in [*range(20), 19]])
    assert done.after == pytest.approx(1.5 * ((here - 2) ** 2).sum(), rel=1e-9)
    assert planner.improve().before == done.after


def test_other_threads_run_while_a_planner_works(task: mw.Model) -> None:
    counted, done = [0], threading.Event()

    def count() -> None:
        while not done.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    begin = time.perf_counter()
    mw.plan(task, seconds=0.5, keyframe=0, iterations=1)
    seconds = time.perf_counter() - begin
    done.set()
    thread.join()
    assert counted[0] > 50 * seconds


def test_a_planner_in_two_threads_takes_every_iteration(task: mw.Model) -> None:
    planner, alone = mw.Planner(task), mw.Planner(task)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda _: planner.improve(keyframe=0), range(6)))
    for _ in range(6):
        alone.improve(keyframe=0)
    np.testing.assert_array_equal(planner.controls, alone.controls)

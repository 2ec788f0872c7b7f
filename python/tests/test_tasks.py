"""Tasks reproduce Gymnasium's environments: the same states and actions give the same observations and rewards."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from reference_task import ReferenceEnvironment

import manyworlds as mw
from manyworlds import envs
from manyworlds.task import Task, where

gymnasium = pytest.importorskip("gymnasium")

# Gymnasium's environments, their model files, our tasks and arguments that make episodes vary.
GYMNASIUM: dict[str, tuple[str, Callable[..., Task]]] = {
    "Ant-v5": ("ant", envs.ant),
    "Humanoid-v5": ("humanoid", envs.humanoid),
    "HalfCheetah-v5": ("half_cheetah", envs.half_cheetah),
    "Hopper-v5": ("hopper", envs.hopper),
    "Walker2d-v5": ("walker2d_v5", envs.walker2d),
    "Swimmer-v5": ("swimmer", envs.swimmer),
    "Reacher-v5": ("reacher", envs.reacher),
}
# Fields that the next step of MuJoCo, or of Gymnasium, depends on.
FOLLOWED = ("qpos", "qvel", "qacc_warmstart", "xpos", "xipos")
TRANSITIONS = 1000


def assets() -> Path:
    return Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets"


def reference(task: Task, worlds: int, path: Path) -> Any:
    return ReferenceEnvironment(task, worlds, autoreset="disabled", dtype=np.float64, seed=7, path=path)


def on(device: str) -> Callable[[Task, int, Path], Any]:
    def make(task: Task, worlds: int, _: Path) -> Any:
        dtype = np.float64 if device == "cpu" else np.float32
        return mw.Environment(task, worlds, device=device, autoreset="disabled", dtype=dtype, seed=7)  # type: ignore[attr-defined]

    return make


# What steps the task, with the differences that it may have from Gymnasium: absolute and relative.
STEPPERS: dict[str, tuple[Callable[[Task, int, Path], Any], float, float]] = {"reference": (reference, 1e-12, 1e-10)}
if hasattr(mw, "Environment"):
    STEPPERS["cpu"] = (on("cpu"), 1e-8, 1e-8)
    # in single precision
    STEPPERS["gpu"] = (on("gpu"), 5e-3, 5e-3)


def compare(
    env_id: str,
    stepper: str,
    *,
    path: Path | None = None,
    tolerances: tuple[float, float] | None = None,
    transitions: int = TRANSITIONS,
    **options: Any,
) -> dict[str, float]:
    """Steps Gymnasium's environment from each state that the task comes to; the largest differences."""
    file, make_task = GYMNASIUM[env_id]
    path = path or assets() / f"{file}.xml"
    make, *usual = STEPPERS[stepper]
    absolute, relative = tolerances or usual
    task = make_task(mw.Model.from_xml_path(path), **options)
    theirs = gymnasium.make(env_id, xml_file=str(path), **options).unwrapped
    theirs.reset(seed=0)
    assert task.observation_size == theirs.observation_space.shape[0]
    assert task.dt == pytest.approx(theirs.dt)
    np.testing.assert_array_equal(task.action_low.astype(np.float32), theirs.action_space.low)
    np.testing.assert_array_equal(task.action_high.astype(np.float32), theirs.action_space.high)

    worlds = 4
    ours = make(task, worlds, path)
    ours.reset()
    random = np.random.default_rng(3)
    found: dict[str, float] = {"observation": 0.0, "reward": 0.0, "ended": 0}
    for count in range(transitions // worlds):
        before = {name: np.array(ours.batch.get(name)) for name in FOLLOWED}
        action = random.uniform(-1.2, 1.2, (worlds, len(task.action_low))) * task.action_high
        stepped = ours.step(action)
        terms = ours.reward_terms
        metrics = ours.metrics
        for w in range(worlds):
            for name, values in before.items():
                getattr(theirs.data, name)[:] = values[w]
            expected, reward, terminated, _, info = theirs.step(action[w])
            where = f"{env_id}, transition {count * worlds + w}"
            np.testing.assert_allclose(stepped.observation[w], expected, relative, absolute, err_msg=where)
            np.testing.assert_allclose(stepped.reward[w], reward, relative, absolute, err_msg=where)
            assert bool(stepped.terminated[w]) == bool(terminated), where
            for name, values in terms.items():
                np.testing.assert_allclose(values[w], info[f"reward_{name}"], relative, absolute, err_msg=where)
            for name, values in metrics.items():
                np.testing.assert_allclose(values[w], info[name], relative, absolute, err_msg=where)
            found["observation"] = max(found["observation"], np.abs(stepped.observation[w] - expected).max())
            found["reward"] = max(found["reward"], abs(stepped.reward[w] - reward))
            found["ended"] += int(terminated)
        again = stepped.terminated | (random.uniform(size=worlds) < 0.02)
        if again.any():
            ours.reset(worlds=again)
    ours.close()
    theirs.close()
    return found


@pytest.mark.parametrize("stepper", STEPPERS)
@pytest.mark.parametrize("env_id", GYMNASIUM)
def test_transitions_are_those_of_gymnasium(env_id: str, stepper: str, tmp_path: Path) -> None:
    path = None
    if env_id == "Humanoid-v5" and stepper != "reference":
        # its projected Gauss-Seidel stops after 50 iterations, far from the solution, where rounding is amplified
        path = tmp_path / "humanoid.xml"
        path.write_text((assets() / path.name).read_text().replace('solver="PGS"', 'solver="Newton"'))
    found = compare(env_id, stepper, path=path, transitions=200 if stepper == "gpu" else TRANSITIONS)
    # episodes of the others end by time only
    assert (found["ended"] > 0) == (env_id not in ("HalfCheetah-v5", "Swimmer-v5", "Reacher-v5"))


@pytest.mark.skipif("cpu" not in STEPPERS, reason="there is no Environment")
def test_the_humanoid_with_gymnasiums_solver(tmp_path: Path) -> None:
    path = tmp_path / "humanoid.xml"
    text = (assets() / path.name).read_text()
    path.write_text(text.replace('iterations="50"', 'iterations="2000" tolerance="1e-14"'))
    compare("Humanoid-v5", "cpu", path=path, tolerances=(1e-5, 1e-5), transitions=400)


OTHER: dict[str, dict[str, Any]] = {
    "Ant-v5": {
        "forward_reward_weight": 2.0,
        "ctrl_cost_weight": 0.3,
        "contact_cost_weight": 0.1,
        "healthy_reward": 0.7,
        "main_body": 3,
        "healthy_z_range": (0.5, 0.9),
        "contact_force_range": (-5.0, 3.0),
        "reset_noise_scale": 0.3,
        "exclude_current_positions_from_observation": False,
        "frame_skip": 2,
    },
    "Humanoid-v5": {
        "contact_cost_weight": 1e-3,
        "contact_cost_range": (-float("inf"), 1.0),
        "healthy_z_range": (1.2, 1.45),
        "terminate_when_unhealthy": False,
        "exclude_current_positions_from_observation": False,
        "include_cinert_in_observation": False,
        "include_qfrc_actuator_in_observation": False,
        "frame_skip": 3,
    },
    "HalfCheetah-v5": {"forward_reward_weight": 0.5, "exclude_current_positions_from_observation": False},
    "Hopper-v5": {"healthy_state_range": (-3.0, 3.0), "healthy_z_range": (0.9, 2.0), "reset_noise_scale": 0.1},
    "Walker2d-v5": {"healthy_angle_range": (-0.3, 0.5), "healthy_reward": 2.0, "frame_skip": 1},
    "Swimmer-v5": {"ctrl_cost_weight": 0.1, "exclude_current_positions_from_observation": False},
    "Reacher-v5": {"reward_dist_weight": 3.0, "reward_control_weight": 0.5},
}


@pytest.mark.parametrize("env_id", OTHER)
def test_arguments_are_those_of_gymnasium(env_id: str) -> None:
    compare(env_id, "reference", transitions=200, **OTHER[env_id])


@pytest.mark.parametrize("env_id", GYMNASIUM)
def test_episodes_begin_as_gymnasiums(env_id: str) -> None:
    file, make_task = GYMNASIUM[env_id]
    path = assets() / f"{file}.xml"
    task = make_task(mw.Model.from_xml_path(path))
    theirs = gymnasium.make(env_id).unwrapped
    expected = np.array([theirs.reset(seed=i)[0] for i in range(400)])
    ours = reference(task, 400, path).reset()
    # the same range and spread of every number, as far as 400 draws show them
    np.testing.assert_allclose(ours.mean(axis=0), expected.mean(axis=0), atol=0.4 * expected.std(axis=0).max() + 1e-9)
    spread = expected.std(axis=0)
    np.testing.assert_allclose(ours.std(axis=0)[spread > 1e-3], spread[spread > 1e-3], rtol=0.25)
    assert task.max_episode_steps == gymnasium.spec(env_id).max_episode_steps


def test_the_default_arguments_are_gymnasiums() -> None:
    import inspect

    for env_id, (_, make_task) in GYMNASIUM.items():
        theirs = inspect.signature(type(gymnasium.make(env_id).unwrapped)).parameters
        for name, parameter in inspect.signature(make_task).parameters.items():
            if name not in ("model", "max_episode_steps"):
                assert parameter.default == theirs[name].default, f"{env_id}: {name}"
        left_out = set(theirs) - set(inspect.signature(make_task).parameters)
        assert left_out <= {"xml_file", "default_camera_config", "kwargs"}, env_id


def test_formulas_are_the_expressions_of_python() -> None:
    model = envs.task("Hopper").model
    task = Task(model)
    x = task.qpos[0:3]
    mean = (x[0] + x[1] + x[2]) / 3
    pairs = {
        "mean(a) + clip(a, -0.1, 0.1)": mean + np.minimum(np.maximum(x, -0.1), 0.1),
        "select(a > 0 && a < 1, tanh(a), exp(-a)/(1 + a^2))": where(
            (x > 0) & (x < 1), np.tanh(x), np.exp(-x) / (1 + x * x)
        ),
        "qpos[0:3] + opt_timestep": x + task.opt_timestep,
    }
    for k, (text, by_hand) in enumerate(pairs.items()):
        task.observe(f"text {k}", task.formula(text, a=x))
        task.observe(f"hand {k}", by_hand)
    task.observe("drawn", task.formula("uniform(2, 3, 4)"))
    task.reset("qpos", task.qpos0 + task.formula(f"uniform(-0.1, 0.1, {model.nq})"))
    env = mw.Environment(task, 4, device="cpu", seed=3)
    observed = np.asarray(env.reset(), dtype=np.float64)
    for k in range(len(pairs)):
        ours, hand = observed[:, 6 * k : 6 * k + 3], observed[:, 6 * k + 3 : 6 * k + 6]
        np.testing.assert_allclose(ours, hand, rtol=1e-6, atol=1e-7)
        assert np.ptp(ours) > 0
    drawn = observed[:, 18:]
    assert ((drawn >= 2) & (drawn < 3)).all()
    assert np.ptp(drawn) > 0
    for wrong, words in {"qposs": "did you mean 'qpos'", "a +": "formula ends", "b": "nothing is called 'b'"}.items():
        with pytest.raises(ValueError, match=words):
            task.formula(wrong, a=x)

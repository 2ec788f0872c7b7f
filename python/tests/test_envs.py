"""Environments of Gymnasium, and adapters: the conventions of each library, on the engine or on its stand-in."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from reference_task import ReferenceEnvironment

import manyworlds as mw
from manyworlds import envs
from manyworlds.task import Task, uniform

gymnasium = pytest.importorskip("gymnasium")
from gymnasium.vector import AutoresetMode, SyncVectorEnv  # noqa: E402

from manyworlds.envs import _build  # noqa: E402
from manyworlds.envs.vector import ManyWorldsEnv, ManyWorldsVectorEnv  # noqa: E402

ENGINES = (["cpu"] if hasattr(mw, "Environment") else []) + ["reference"]
MODES = [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP]


@pytest.fixture(params=ENGINES, autouse=True)
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """What computes the worlds."""
    if request.param == "reference":
        monkeypatch.setattr(_build, "Environment", ReferenceEnvironment)
    return str(request.param)


def hopper(worlds: int = 4, **options: Any) -> ManyWorldsVectorEnv:
    """Hoppers whose episodes end soon, by a fall or by time."""
    return ManyWorldsVectorEnv("Hopper", worlds, **{"device": "cpu", "max_episode_steps": 25, **options})


def actions(env: Any, seed: int) -> Iterator[Any]:
    random = np.random.default_rng(seed)
    while True:
        yield random.uniform(-1, 1, env.action_space.shape).astype(np.float32)


def same(ours: Any, theirs: Any, where: str) -> None:
    """The same arrays, in dictionaries of any depth."""
    if isinstance(theirs, dict):
        assert set(ours) == set(theirs), where
        for key in theirs:
            same(ours[key], theirs[key], f"{where}: {key}")
    elif isinstance(theirs, tuple):
        for i, (a, b) in enumerate(zip(ours, theirs)):
            same(a, b, f"{where}, {i}")
    elif isinstance(theirs, np.ndarray) and theirs.dtype == object:
        for a, b in zip(ours, theirs):
            assert (a is None) == (b is None), where
            if a is not None:
                np.testing.assert_array_equal(a, b, err_msg=where)
    else:
        np.testing.assert_array_equal(ours, theirs, err_msg=where)


@pytest.mark.parametrize("mode", MODES)
def test_worlds_are_those_of_single_environments(mode: AutoresetMode) -> None:
    ours = hopper(autoreset_mode=mode, infos=True)
    single = [lambda: ManyWorldsEnv("Hopper", max_episode_steps=25) for _ in range(4)]
    theirs = SyncVectorEnv(single, autoreset_mode=mode)
    for space in ("observation_space", "action_space", "single_observation_space", "single_action_space"):
        assert getattr(ours, space) == getattr(theirs, space)
    assert ours.metadata["autoreset_mode"] is mode
    assert ours.num_envs == theirs.num_envs
    same(ours.reset(seed=11), theirs.reset(seed=11), "reset")
    ended = np.zeros(2, dtype=int)
    act = actions(ours, 0)
    for step in range(80):
        action = next(act)
        mine = ours.step(action)
        same(mine, theirs.step(action), f"step {step}")
        ended += [mine[2].sum(), mine[3].sum()]
        if step == 40:
            # a mask begins some worlds anew in every mode
            mask = np.array([True, False, True, False])
            seeds = [5, None, None, 6]
            same(
                ours.reset(seed=seeds, options={"reset_mask": mask}),
                theirs.reset(seed=seeds, options={"reset_mask": mask.copy()}),
                "reset of some",
            )
    assert (ended > 0).all()
    ours.close()
    theirs.close()


def test_disabled_autoreset_waits_for_a_mask() -> None:
    ours = hopper(autoreset_mode="Disabled")
    ours.reset(seed=3)
    act = actions(ours, 1)
    ended = np.zeros(4, dtype=bool)
    while not ended.any():
        observation, _, terminated, truncated, _ = ours.step(next(act))
        ended = terminated | truncated
    with pytest.raises(gymnasium.error.ResetNeeded, match="reset_mask"):
        ours.step(next(act))
    again, infos = ours.reset(options={"reset_mask": ended})
    assert infos == {}
    np.testing.assert_array_equal(again[~ended], observation[~ended])
    assert (again[ended] != observation[ended]).any(axis=1).all()
    ours.step(next(act))
    for wrong, kind in (
        ([True] * 4, TypeError),
        (np.ones(3, dtype=bool), ValueError),
        (np.ones(4), TypeError),
        (np.zeros(4, dtype=bool), ValueError),
    ):
        with pytest.raises(kind, match="reset_mask"):
            ours.reset(options={"reset_mask": wrong})
    ours.close()


def test_seeds_decide_what_is_drawn() -> None:
    ours = hopper(3)
    first = ours.reset(seed=5)[0]
    np.testing.assert_array_equal(ours.reset(seed=[5, 6, 7])[0], first)
    assert (ours.reset()[0] != first).any(axis=1).all()
    np.testing.assert_array_equal(ours.reset(seed=[7, None, 5])[0][[0, 2]], first[[2, 0]])
    assert len(np.unique(first, axis=0)) == 3
    assert (hopper(3).reset()[0] != hopper(3).reset()[0]).any()
    np.testing.assert_array_equal(hopper(3, seed=9).reset()[0], hopper(3, seed=9).reset()[0])
    with pytest.raises(ValueError, match="num_envs=3"):
        ours.reset(seed=[1, 2])


def test_wrong_actions_are_named_and_harm_nothing(engine: str) -> None:
    ours, twin = hopper(2), hopper(2)
    ours.reset(seed=1)
    twin.reset(seed=1)
    good = np.zeros((2, 3), dtype=np.float32)
    for wrong, kind in (
        (np.zeros(3), ValueError),
        (np.zeros((2, 4)), ValueError),
        ([[0.0] * 3, [0.0] * 2], ValueError),
        ([["a"] * 3] * 2, TypeError),
        (np.full((2, 3), np.nan), ValueError),
        (np.full((2, 3), np.inf), ValueError),
    ):
        with pytest.raises(kind, match=r"action.*2, 3"):
            ours.step(wrong)  # type: ignore[arg-type]
    for a, b in zip(ours.step(good)[:4], twin.step(good)[:4]):
        np.testing.assert_array_equal(a, b)
    single = ManyWorldsEnv("Hopper")
    single.reset(seed=0)
    with pytest.raises(ValueError, match="action.*3"):
        single.step(np.zeros(4))
    with pytest.raises(ValueError, match="action"):
        single.step(np.full(3, np.nan))
    single.step(np.zeros(3))


def test_what_was_returned_is_kept() -> None:
    ours = hopper(3)
    kept = [ours.reset(seed=0)[0]]
    act = actions(ours, 2)
    for _ in range(5):
        kept += ours.step(next(act))[:4]
    copies = [array.copy() for array in kept]
    for _ in range(20):
        ours.step(next(act))
    for array, copy in zip(kept, copies):
        np.testing.assert_array_equal(array, copy)
        array[...] = 0
    ours.step(next(act))


def test_misuse_is_refused() -> None:
    ours = hopper(2)
    with pytest.raises(gymnasium.error.ResetNeeded):
        ours.step(np.zeros((2, 3)))
    ours.reset()
    ours.close()
    ours.close()
    with pytest.raises(gymnasium.error.ClosedEnvironmentError):
        ours.step(np.zeros((2, 3)))
    with pytest.raises(gymnasium.error.ClosedEnvironmentError):
        ours.reset()
    with pytest.raises(KeyError, match="Hopper"):
        ManyWorldsVectorEnv("Hoper", 2)
    with pytest.raises(TypeError, match="no_such"):
        hopper(2, no_such=1)
    with pytest.raises(ValueError, match="Never"):
        hopper(2, autoreset_mode="Never")
    with pytest.raises(gymnasium.error.UnsupportedMode):
        hopper(2, render_mode="human")
    made = envs.task("Hopper")
    with pytest.raises(TypeError, match="frame_skip"):
        ManyWorldsVectorEnv(made, 2, frame_skip=3)


def test_a_task_of_ones_own_and_what_differs() -> None:
    model = envs.model("CartPoleSwingUp")
    own = Task(model, frame_skip=3, max_episode_steps=4)
    own.observe("angle", own.qpos[1])
    own.reward("up", own.qpos[1] > 0)
    own.reset("qpos", uniform(-1.0, 1.0, 2))
    drawn = [mw.Randomize("body_mass", (0.5, 2.0), "scale")]
    ours = ManyWorldsVectorEnv(own, 5, device="cpu", dtype=np.float64, randomize=drawn, seed=1)
    assert ours.single_observation_space.dtype == np.float64
    observation, _ = ours.reset()
    assert observation.shape == (5, 1)
    assert observation.dtype == np.float64
    for step in range(1, 11):
        _, _, terminated, truncated, _ = ours.step(np.zeros((5, 1)))
        assert not terminated.any()
        # the fifth step begins anew
        assert truncated.all() == (step % 5 == 4)
    batch = ours.environment.batch
    if isinstance(ours.environment, ReferenceEnvironment):
        assert batch.randomized == drawn
    else:
        assert len(np.unique(batch.get_model("body_mass")[:, 1])) == 5


def test_gymnasiums_wrappers_work() -> None:
    for mode in (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP):
        ours = gymnasium.wrappers.vector.RecordEpisodeStatistics(hopper(3, autoreset_mode=mode))
        ours = gymnasium.wrappers.vector.NormalizeReward(ours)
        ours.reset(seed=0)
        act = actions(ours, 4)
        lengths: list[int] = []
        for _ in range(60):
            infos = ours.step(next(act))[4]
            if "episode" in infos:
                lengths += infos["episode"]["l"][infos["_episode"]].tolist()
        assert lengths
        assert max(lengths) <= 25
        ours.close()


@pytest.mark.parametrize("name", envs.TASKS)
def test_every_registered_environment_steps(name: str) -> None:
    entry = envs.TASKS[name]
    spec = gymnasium.spec(f"manyworlds/{name}-v0")
    assert spec.max_episode_steps == entry.max_episode_steps
    ours = gymnasium.make_vec(spec, num_envs=3, device="cpu")
    assert isinstance(ours, ManyWorldsVectorEnv)
    assert ours.task.max_episode_steps == entry.max_episode_steps
    observation, _ = ours.reset(seed=0)
    assert observation in ours.observation_space
    for _ in range(5):
        observation, reward, terminated, truncated, infos = ours.step(ours.action_space.sample())
    assert observation in ours.observation_space
    assert reward.shape == terminated.shape == truncated.shape == (3,)
    assert terminated.dtype == truncated.dtype == np.bool_
    assert infos == {}
    ours.close()


@pytest.mark.filterwarnings("ignore:.*Box observation space m")
@pytest.mark.parametrize("name", ["Ant", "Reacher", "QuadrupedJoystick"])
def test_single_environments_pass_gymnasiums_checks(name: str, engine: str) -> None:
    from gymnasium.utils.env_checker import check_env

    ours = gymnasium.make(f"manyworlds:manyworlds/{name}-v0", max_episode_steps=7)
    # the stand-in draws nothing
    check_env(ours.unwrapped, skip_render_check=engine == "reference")
    ours.reset(seed=0)
    steps = 0
    truncated = False
    while not truncated:
        *_, truncated, info = ours.step(np.zeros(ours.action_space.shape, dtype=np.float32))
        steps += 1
    assert steps == 7
    assert "reward_ctrl" in info or "reward_torque" in info
    ours.close()


@pytest.mark.parametrize(
    "first", ["import manyworlds", "import gymnasium", "import manyworlds, gymnasium", "import gymnasium, manyworlds"]
)
def test_registered_whatever_is_imported_first(first: str) -> None:
    text = f"""
{first}
import gymnasium
for name in ("manyworlds:manyworlds/Reacher-v0", "manyworlds/Reacher-v0", "manyworlds:manyworlds/Ant-v0"):
    assert gymnasium.envs.registration._find_spec(name).id == name.split(":")[-1]
ours = [spec for spec in gymnasium.registry.values() if "manyworlds" in str(spec.entry_point)]
assert ours and all(spec.namespace == "manyworlds" for spec in ours)
"""
    run = subprocess.run([sys.executable, "-W", "error", "-c", text], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert run.stderr == ""


@pytest.mark.parametrize("name", envs.TASKS)
def test_no_registered_environment_warns(name: str) -> None:
    """Warnings are errors here, those of Gymnasium's logger too."""
    for env_id in (f"manyworlds/{name}-v0", f"manyworlds:manyworlds/{name}-v0"):
        one = gymnasium.make(env_id, device="cpu")
        one.reset(seed=0)
        one.step(one.action_space.sample())
        one.close()
        for options in ({}, {"vectorization_mode": "sync"}):
            many = gymnasium.make_vec(env_id, num_envs=2, device="cpu", **options)
            many.reset(seed=0)
            many.step(many.action_space.sample())
            many.close()


def test_the_package_does_not_need_gymnasium() -> None:
    text = """
import sys
sys.modules["gymnasium"] = None
import manyworlds, manyworlds.envs
manyworlds.envs.task("Reacher")
try:
    manyworlds.envs.ManyWorldsEnv
except ImportError as problem:
    assert "manyworlds[rl]" in str(problem)
else:
    raise SystemExit("there is a gymnasium")
"""
    subprocess.run([sys.executable, "-c", text], check=True)
    loaded = "import sys, manyworlds.envs; assert not {'gymnasium', 'torch', 'stable_baselines3'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", loaded], check=True)


# Models: they stay in bounds whatever is done to them


@pytest.mark.parametrize("name", envs.TASKS)
def test_models_are_stable_and_plausible(name: str) -> None:
    task = envs.task(name)
    model = mujoco.MjModel.from_xml_string(envs.spec(name).to_xml())
    ours = ReferenceEnvironment(task, 1, autoreset="next_step", seed=3, dtype=np.float64)
    ours.reset()
    random = np.random.default_rng(4)
    for _ in range(1000):
        stepped = ours.step(random.uniform(task.action_low, task.action_high, (1, len(task.action_low))))
        assert np.isfinite(stepped.observation).all()
        assert np.isfinite(stepped.reward).all()
    data = ours.worlds[0].data
    assert not any(warning.number for warning in data.warning)
    assert np.abs(data.qvel).max() < 60
    assert (model.body_mass[1:] >= 0).all()
    assert model.body_mass.sum() < 60


LAYOUT = {"ant": "Ant", "humanoid": "Humanoid", "half_cheetah": "HalfCheetah", "hopper": "Hopper"}
LAYOUT |= {"walker2d_v5": "Walker2d", "swimmer": "Swimmer", "reacher": "Reacher"}


@pytest.mark.parametrize("file", LAYOUT)
def test_models_have_the_layout_of_gymnasiums(file: str) -> None:
    path = Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets" / f"{file}.xml"
    theirs, ours = mw.Model.from_xml_path(path), envs.model(LAYOUT[file])
    for size in ("nq", "nv", "nu", "nbody", "njnt"):
        assert getattr(ours, size) == getattr(theirs, size), size
    for field in ("jnt_type", "actuator_trnid", "body_parentid", "jnt_bodyid"):
        np.testing.assert_array_equal(getattr(ours, field), getattr(theirs, field), err_msg=field)
    task = envs.TASKS[LAYOUT[file]].make
    assert task(ours).observation_size == task(theirs).observation_size


# Quadruped


def quadruped(**options: Any) -> tuple[Task, ReferenceEnvironment]:
    task = envs.task("QuadrupedJoystick", noise_scale=0.0, **options)
    out = ReferenceEnvironment(task, 6, autoreset="disabled", dtype=np.float64, seed=2)
    return task, out


def test_the_quadruped_stands_and_is_commanded() -> None:
    task, ours = quadruped(command_seconds=(0.2, 0.4), still_chance=0.0)
    part = task.observation_slices
    commands = [ours.reset()[:, part["command"]]]
    for _ in range(100):
        stepped = ours.step(np.zeros((6, 12)))
        assert not stepped.terminated.any()
        commands.append(stepped.observation[:, part["command"]])
    changes = (np.diff(np.array(commands), axis=0) != 0).any(axis=2).sum(axis=0)
    # 2 seconds
    assert (changes >= 5).all()
    assert (changes <= 10).all()
    drawn = np.concatenate(commands)
    assert (drawn >= [-0.8, -0.6, -1.0]).all()
    assert (drawn <= [1.2, 0.6, 1.0]).all()
    np.testing.assert_allclose(stepped.observation[:, part["gravity"]][:, 2], -1, atol=0.05)


def test_the_quadruped_is_paid_for_what_is_asked() -> None:
    task, ours = quadruped(forward_range=(0, 0), sideways_range=(0, 0), yaw_range=(0, 0), still_chance=1.0)
    ours.reset()
    for _ in range(60):
        stepped = ours.step(np.zeros((6, 12)))
    terms = ours.reward_terms
    np.testing.assert_allclose(terms["linear_velocity"], task.dt, rtol=0.02)
    np.testing.assert_allclose(terms["angular_velocity"], 0.5 * task.dt, rtol=0.02)
    action = np.ones((6, 12))
    ours.step(action)
    np.testing.assert_allclose(ours.reward_terms["action_rate"], -0.01 * task.dt * 12)
    stepped = ours.step(action)
    np.testing.assert_allclose(ours.reward_terms["action_rate"], 0, atol=1e-12)
    np.testing.assert_array_equal(stepped.observation[:, task.observation_slices["last_action"]], action)
    # on its back
    ours.worlds[0].data.qpos[3:7] = [0, 1, 0, 0]
    stepped = ours.step(np.zeros((6, 12)))
    assert stepped.terminated.tolist() == [True] + 5 * [False]
    with pytest.raises(ValueError, match="jump"):
        quadruped(weights={"jump": 1.0})


def test_quadrupeds_differ() -> None:
    model = envs.model("QuadrupedJoystick")
    with mw.Batch(model, 3, device="cpu", seed=1) as batch:
        batch.randomize(*envs.randomization("QuadrupedJoystick", model))
        gain, bias = batch.get_model("actuator_gainprm"), batch.get_model("actuator_biasprm")
        np.testing.assert_allclose(gain[:, :, 0], -bias[:, :, 1])
        assert len(np.unique(gain[:, 0, 0])) == 3
        friction = batch.get_model("geom_friction")[:, [i for i, n in enumerate(model.names("geom")) if "toe" in n], 0]
        assert ((friction >= 0.5) & (friction <= 1.3)).all()
        batch.step(10)
        assert not batch.status.any()


def test_the_task_that_programs_in_rust_read_is_that_of_the_package() -> None:
    root = Path(__file__).parents[2]
    text = (root / "models/tasks/cartpole_swing_up.json").read_text(encoding="utf-8")
    for model in (None, mw.Model.from_xml_path(root / "models/cartpole.xml")):
        assert json.loads(text) == envs.task("CartPoleSwingUp", model).to_dict()

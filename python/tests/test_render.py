"""Pictures of worlds, frames of environments, and pictures as observations."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

import manyworlds as mw
from manyworlds import envs

Make = Callable[..., mw.Batch]

# A camera that looks along y at a box, whose face is 1.7 m away; a wall 5 m away fills the left half.
SCENE = """
<mujoco>
  <worldbody>
    <light pos="1 -3 3" dir="-0.3 1 -1"/>
    <camera name="front" pos="0 -2 0" xyaxes="1 0 0 0 0 1"/>
    <camera name="back" pos="0 4 0" xyaxes="-1 0 0 0 0 1"/>
    <geom name="wall" type="box" pos="-3 3.5 0" size="3 0.5 4" rgba="0.2 0.6 0.2 1"/>
    <body name="cube" pos="0 0 0">
      <freejoint/>
      <geom name="cube" type="box" size="0.3 0.3 0.3" rgba="1 0 0 1"/>
      <site name="dot" pos="0 -0.35 0" size="0.05" group="3" rgba="0 0 1 1"/>
    </body>
  </worldbody>
</mujoco>
"""
GEOM, SITE = int(mujoco.mjtObj.mjOBJ_GEOM), int(mujoco.mjtObj.mjOBJ_SITE)


@pytest.fixture(scope="module")
def scene() -> mw.Model:
    return mw.Model.from_xml_string(SCENE)


def moved(batch: mw.Batch) -> mw.Batch:
    """Boxes that are further right and further away from world to world."""
    qpos = batch.get("qpos")
    qpos[:, 0] += 0.1 * np.arange(len(batch))
    qpos[:, 1] += 0.25 * np.arange(len(batch))
    batch.qpos = qpos
    batch.forward()
    return batch


@pytest.fixture
def boxes(make: Make, scene: mw.Model) -> mw.Batch:
    return moved(make(scene, 3))


def test_pictures_have_the_shapes_and_types_of_their_pixels(boxes: mw.Batch) -> None:
    color = boxes.render(camera="front", width=48, height=32)
    assert color.shape == (3, 32, 48, 3) and color.dtype == np.uint8
    assert color.flags.owndata or color.flags.writeable
    depth = boxes.render(camera="front", width=48, height=32, pixels="depth")
    assert depth.shape == (3, 32, 48) and depth.dtype == np.float32
    objects = boxes.render(camera="front", width=48, height=32, pixels="objects")
    assert objects.shape == (3, 32, 48, 2) and objects.dtype == np.int32
    assert boxes.render(1, "front").shape == (1, 240, 320, 3)
    assert boxes.render([], "front").shape == (0, 240, 320, 3)


def test_a_red_box_is_red_where_it_is(boxes: mw.Batch) -> None:
    color = boxes.render(0, "front", 48, 32, hide="shadow")[0].astype(int)
    red, green = color[16, 24], color[16, 2]
    assert red[0] > 100 and red[1] < red[0] / 3 and red[2] < red[0] / 3
    assert green[1] > green[0] and green[1] > green[2]


def test_the_same_worlds_are_the_same_bits(boxes: mw.Batch) -> None:
    for pixels in ("color", "depth", "objects"):
        first = boxes.render(camera="front", width=48, height=32, pixels=pixels)
        boxes.render(camera="free", width=20, height=20)
        np.testing.assert_array_equal(first, boxes.render(camera="front", width=48, height=32, pixels=pixels))


def test_depth_is_in_metres_along_the_axis_of_the_camera(boxes: mw.Batch) -> None:
    depth = boxes.render(camera="front", width=64, height=48, pixels="depth")
    # in the middle, and off the axis: the face of a box is one distance
    np.testing.assert_allclose(depth[0, 24, 32], 1.7, atol=1e-3)
    np.testing.assert_allclose(depth[0, 20, 36], 1.7, atol=1e-3)
    np.testing.assert_allclose(depth[1, 24, 35], 1.95, atol=1e-3)
    np.testing.assert_allclose(depth[2, 24, 37], 2.2, atol=1e-3)
    np.testing.assert_allclose(depth[:, 24, 2], 5.0, atol=5e-3)
    assert np.isinf(depth[:, 2, 60]).all()


def test_objects_are_ids_and_types_in_the_order_of_mujoco(boxes: mw.Batch, scene: mw.Model) -> None:
    objects = boxes.render(camera="front", width=64, height=48, pixels="objects")
    assert objects[0, 24, 32].tolist() == [scene.geom("cube").id, GEOM]
    assert objects[0, 24, 2].tolist() == [scene.geom("wall").id, GEOM]
    assert objects[0, 2, 60].tolist() == [-1, -1]
    # what is in a group that is not shown by default
    shown = boxes.render(0, "front", 64, 48, pixels="objects", groups=[0, 3])
    assert shown[0, 24, 32].tolist() == [scene.site("dot").id, SITE]
    only = boxes.render(0, "front", 64, 48, pixels="objects", groups=3)
    assert set(map(tuple, only.reshape(-1, 2).tolist())) == {(-1, -1), (scene.site("dot").id, SITE)}


def test_worlds_are_drawn_in_the_order_in_which_they_are_asked_for(boxes: mw.Batch) -> None:
    everything = boxes.render(camera="front", width=48, height=32, pixels="depth")
    assert len({picture.tobytes() for picture in everything}) == 3
    cases: list[tuple[Any, list[int]]] = [
        ([2, 0], [2, 0]),
        (np.array([1, 2, 0]), [1, 2, 0]),
        (np.array([True, False, True]), [0, 2]),
        (slice(1, None), [1, 2]),
        (-1, [2]),
    ]
    for worlds, expected in cases:
        got = boxes.render(worlds, "front", 48, 32, pixels="depth")
        np.testing.assert_array_equal(got, everything[expected])


def test_both_backends_draw_the_same_picture_of_the_same_state(humanoid: mw.Model) -> None:
    pictures = []
    for device in ("cpu", "gpu"):
        batch = mw.Batch(humanoid, 2, device=device)
        qpos = batch.get("qpos")
        qpos[1, 7:] += 0.3
        batch.qpos = qpos
        batch.forward()
        pictures.append(batch.render(camera="track", width=96, height=72).astype(int))
    assert pictures[0].std() > 5
    assert np.abs(pictures[0][0] - pictures[0][1]).max() > 50
    # edges may fall on the other side of a sample
    apart = np.abs(pictures[0] - pictures[1]).max(axis=-1)
    assert (apart > 3).mean() < 2e-3 and apart.mean() < 0.2


def test_cameras_are_chosen_by_name_number_and_word(boxes: mw.Batch) -> None:
    def seen(camera: Any, **options: Any) -> bytes:
        return boxes.render(1, camera, 48, 32, **options).tobytes()

    assert seen("back") == seen(1) == seen(np.int64(1)) != seen("front")
    # no camera of the model is its first choice
    assert seen(None) == seen("free") != seen("track")
    assert seen("track") == seen("track:cube")
    # the front camera as an orbit; its picture has another field of view only if the model says so
    orbit = boxes.render(0, "free", 48, 32, pixels="depth", orbit=(2.0, 90.0, 0.0), lookat=(0, 0, 0))
    front = boxes.render(0, "front", 48, 32, pixels="depth")
    np.testing.assert_allclose(orbit, front, rtol=1e-3)


def test_what_is_shown_and_hidden_changes_a_picture_and_not_the_next(boxes: mw.Batch) -> None:
    plain = boxes.render(0, "front", 48, 32)
    for options in ({"show": ["geomframe", "com"]}, {"hide": "static"}, {"samples": 4}, {"groups": []}):
        other = boxes.render(0, "front", 48, 32, **options)  # type: ignore[arg-type]
        if options != {"samples": 4}:
            assert (other != plain).any(), options
    np.testing.assert_array_equal(boxes.render(0, "front", 48, 32), plain)
    smooth, hard = (boxes.render(0, "front", 48, 32, samples=n).astype(int) for n in (4, 1))
    assert (smooth != hard).any()


def test_more_pictures_than_fit_on_a_surface_are_still_one_array(scene: mw.Model) -> None:
    batch = moved(mw.Batch(scene, 5, device="cpu"))
    # the least of what adapters have is 8192 pixels a side
    tall = batch.render(camera="front", width=2, height=8000, pixels="depth")
    assert tall.shape == (5, 8000, 2)
    np.testing.assert_array_equal(tall[3], batch.render(3, "front", 2, 8000, pixels="depth")[0])


@pytest.mark.parametrize(
    ("options", "problem", "text"),
    [
        ({"camera": "fron"}, ValueError, "'front'"),
        ({"camera": 7}, ValueError, "no camera 7: the model has 2"),
        ({"camera": -1}, ValueError, "camera is -1"),
        ({"camera": 1.5}, TypeError, "track:BODY"),
        ({"camera": "track:cub"}, ValueError, "cube"),
        ({"worlds": 3}, IndexError, "the batch has 3"),
        ({"worlds": [0, 0]}, ValueError, "twice"),
        ({"worlds": np.ones(2, dtype=bool)}, ValueError, "mask"),
        ({"width": 0}, ValueError, "width is 0"),
        ({"height": 1 << 40}, ValueError, "height is"),
        ({"width": 65_000}, ValueError, "pixels a side on this device"),
        ({"width": 3.5}, TypeError, "integer"),
        ({"pixels": "colour"}, ValueError, "color depth objects"),
        ({"show": "contactforces"}, ValueError, "contactforce"),
        ({"hide": ["shadows"]}, ValueError, "'shadow'"),
        ({"show": [3]}, TypeError, "words"),
        ({"groups": [6]}, ValueError, "0 to 5"),
        ({"groups": "0"}, TypeError, "integer"),
        ({"orbit": (1, 2)}, ValueError, "distance, azimuth, elevation"),
        ({"orbit": (0, 0, 0)}, ValueError, "above 0"),
        ({"lookat": (0, 0, np.nan)}, ValueError, "finite"),
        ({"camera": "front", "orbit": (1, 0, 0)}, ValueError, "camera='free'"),
        ({"samples": 2}, ValueError, "1 or 4"),
    ],
)
def test_a_wrong_argument_is_an_exception_that_says_what_is_right(
    scene: mw.Model, options: dict[str, Any], problem: type[Exception], text: str
) -> None:
    batch = mw.Batch(scene, 3, device="cpu")
    with pytest.raises(problem) as raised:
        batch.render(**options)
    assert text in str(raised.value), str(raised.value)
    # and the next call is as if there had been none
    assert batch.render(0, width=8, height=8).shape == (1, 8, 8, 3)


def test_a_closed_batch_draws_nothing(scene: mw.Model) -> None:
    batch = mw.Batch(scene, 1, device="cpu")
    batch.close()
    with pytest.raises(RuntimeError, match="closed"):
        batch.render()


NO_ADAPTER = """
import manyworlds as mw
batch = mw.Batch(mw.Model.from_xml_string("<mujoco/>"), 1, device="cpu")
try:
    batch.render()
except RuntimeError as problem:
    assert "manyworlds doctor" in str(problem), problem
    print("told")
"""


def test_where_there_is_no_adapter_the_error_names_the_command_that_helps() -> None:
    nothing = {name: "/nonexistent.json" for name in ("VK_DRIVER_FILES", "VK_ICD_FILENAMES")}
    done = subprocess.run(
        [sys.executable, "-c", NO_ADAPTER], env={**os.environ, **nothing}, capture_output=True, text=True
    )
    assert done.returncode == 0 and done.stdout == "told\n", done.stdout + done.stderr


def test_other_threads_run_while_pictures_are_drawn(scene: mw.Model) -> None:
    batch = mw.Batch(scene, 64, device="cpu")
    batch.render(0, width=8, height=8)
    drawing = threading.Thread(target=lambda: batch.render(width=256, height=256))
    drawing.start()
    turns = 0
    while drawing.is_alive():
        turns += 1
    assert turns > 10_000


def test_a_model_that_differs_from_world_to_world_is_drawn_with_what_all_have(scene: mw.Model) -> None:
    batch = mw.Batch(scene, 2, device="cpu")
    batch.randomize(mw.Randomize("body_mass", (0.5, 2.0), "scale"))
    batch.forward()
    one, other = batch.render(camera="front", width=24, height=16)
    np.testing.assert_array_equal(one, other)


# Environments

gymnasium = pytest.importorskip("gymnasium")
from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.vector import AutoresetMode, SyncVectorEnv  # noqa: E402

from manyworlds.envs.vector import ManyWorldsEnv, ManyWorldsVectorEnv  # noqa: E402

SMALL: dict[str, Any] = {"width": 40, "height": 30}


@pytest.mark.parametrize("name", list(envs.TASKS))
def test_every_ready_made_environment_has_frames_with_something_in_them(name: str) -> None:
    env = gymnasium.make(f"manyworlds/{name}-v0", render_mode="rgb_array", **SMALL)
    env.reset(seed=1)
    frame = env.render()
    assert frame.shape == (30, 40, 3) and frame.dtype == np.uint8 and frame.std() > 5
    assert env.metadata["render_fps"] == round(1 / env.unwrapped.task.dt)
    env.close()


@pytest.mark.parametrize("options", [{}, {"pixels": (24, 16)}, {"pixels": (24, 16), "pixels_only": True}])
def test_an_environment_with_pictures_is_one_of_gymnasium(options: dict[str, Any]) -> None:
    env = gymnasium.make("manyworlds/Hopper-v0", render_mode="rgb_array", **SMALL, **options)
    with warnings.catch_warnings():
        # as of Gymnasium's own environments of this kind
        warnings.filterwarnings("ignore", ".*value is -?infinity")
        check_env(env.unwrapped)
    env.close()


def test_frames_of_worlds_are_a_tuple_and_those_of_the_batch() -> None:
    env = gymnasium.make_vec("manyworlds/Hopper-v0", num_envs=3, render_mode="rgb_array", device="cpu", **SMALL)
    assert env.render_mode == "rgb_array" and env.metadata["render_modes"] == ["rgb_array"]
    env.reset(seed=2)
    for _ in range(5):
        env.step(env.action_space.sample())
    frames = env.render()
    assert isinstance(frames, tuple) and len(frames) == 3
    # the first camera of the model, where none is named
    expected = env.unwrapped.environment.batch.render(camera=0, **SMALL)
    np.testing.assert_array_equal(np.stack(frames), expected)
    env.close()
    quiet = ManyWorldsVectorEnv("Hopper", 2, device="cpu")
    quiet.reset()
    assert quiet.render() is None
    with pytest.raises(gymnasium.error.ClosedEnvironmentError):
        quiet.close()
        quiet.render()


def test_films_are_recorded(tmp_path: Path) -> None:
    pytest.importorskip("moviepy")
    env = gymnasium.make("manyworlds/CartPoleSwingUp-v0", render_mode="rgb_array", width=64, height=48)
    film = gymnasium.wrappers.RecordVideo(
        env, str(tmp_path / "films"), episode_trigger=lambda _: True, disable_logger=True
    )
    film.reset(seed=0)
    for _ in range(5):
        film.step(film.action_space.sample())
    film.close()
    assert [path.suffix for path in (tmp_path / "films").iterdir() if path.suffix != ".json"] == [".mp4"]


def same(ours: Any, theirs: Any, where: str) -> None:
    """The same observations; pictures may differ by a level where a world is drawn at another place."""
    if isinstance(theirs, dict):
        assert set(ours) == set(theirs), where
        for key in theirs:
            same(ours[key], theirs[key], f"{where}: {key}")
    elif isinstance(theirs, np.ndarray) and theirs.dtype == object:
        for a, b in zip(ours, theirs):
            assert (a is None) == (b is None), where
            if a is not None:
                same(a, b, where)
    elif isinstance(theirs, np.ndarray) and theirs.dtype == np.uint8:
        assert (np.abs(np.int32(ours) - theirs) > 1).mean() < 5e-3, where
    else:
        np.testing.assert_array_equal(ours, theirs, err_msg=where)


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
@pytest.mark.parametrize("only", [False, True])
def test_observed_pictures_are_those_of_single_environments(mode: AutoresetMode, only: bool) -> None:
    options: dict[str, Any] = {"max_episode_steps": 4, "pixels": (24, 16), "pixels_only": only, "infos": True}
    ours = ManyWorldsVectorEnv("Hopper", 3, device="cpu", autoreset_mode=mode, **options)
    theirs = SyncVectorEnv([lambda: ManyWorldsEnv("Hopper", **options)] * 3, autoreset_mode=mode)
    for space in ("observation_space", "single_observation_space"):
        assert getattr(ours, space) == getattr(theirs, space)
    random = np.random.default_rng(0)
    begun = ours.reset(seed=11)
    same(begun[0], theirs.reset(seed=11)[0], "reset")
    finals = 0
    for step in range(11):
        if step == 2:
            # episodes of worlds end at different times
            mask = {"reset_mask": np.array([True, False, False])}
            same(ours.reset(seed=5, options=mask)[0], theirs.reset(seed=5, options=mask)[0], "reset of one")
        action = random.uniform(-1, 1, ours.action_space.shape).astype(np.float32)
        mine, his = ours.step(action), theirs.step(action)
        assert ours.observation_space.contains(mine[0])
        same(mine[0], his[0], f"step {step}")
        for key in ("final_obs", "_final_obs"):
            assert (key in mine[4]) == (key in his[4])
            if key in mine[4]:
                same(mine[4][key], his[4][key], f"step {step}: {key}")
        if "final_obs" in mine[4]:
            finals += 1
            world = int(np.flatnonzero(mine[4]["_final_obs"])[0])
            last, now = mine[4]["final_obs"][world], mine[0]
            pictures = (last, now[world]) if only else (last["pixels"], now["pixels"][world])
            assert (pictures[0] != pictures[1]).any(), "the last picture is not the first of the next episode"
    assert finals > 1 or mode is AutoresetMode.NEXT_STEP
    ours.close()
    theirs.close()


@pytest.mark.parametrize("device", ["cpu", "gpu"])
def test_pictures_and_distances_are_observed_beside_the_numbers(device: str) -> None:
    env = gymnasium.make_vec(
        "manyworlds/CartPoleSwingUp-v0", num_envs=2, device=device, pixels=(32, 24), depth=True, pixels_camera="track"
    )
    seen, _ = env.reset(seed=3)
    assert env.observation_space.contains(seen)
    assert {name: (value.shape, value.dtype.name) for name, value in seen.items()} == {
        "state": ((2, 5), "float32"),
        "pixels": ((2, 24, 32, 3), "uint8"),
        "depth": ((2, 24, 32), "float32"),
    }
    later = env.step(np.ones(env.action_space.shape, dtype=np.float32))[0]
    for _ in range(20):
        later = env.step(np.ones(env.action_space.shape, dtype=np.float32))[0]
    assert (later["pixels"] != seen["pixels"]).any() and (later["depth"] != seen["depth"]).any()
    batch = env.unwrapped.environment.batch
    np.testing.assert_array_equal(later["pixels"], batch.render(camera="track", width=32, height=24))
    env.close()


@pytest.mark.parametrize(
    ("options", "problem", "text"),
    [
        ({"render_mode": "rgb_array", "camera": "sid"}, ValueError, "'side'"),
        ({"pixels": (24, 16), "pixels_camera": "sid"}, ValueError, "'side'"),
        ({"pixels": 24}, ValueError, "width, height"),
        ({"pixels": (0, 4)}, ValueError, "width is 0"),
        ({"depth": True}, ValueError, "depth"),
        ({"pixels_only": True}, ValueError, "pixels_only"),
        ({"render_mode": "human"}, Exception, "rgb_array"),
    ],
)
def test_a_wrong_picture_is_told_when_an_environment_is_made(
    options: dict[str, Any], problem: type[Exception], text: str
) -> None:
    for make in (ManyWorldsVectorEnv, ManyWorldsEnv):
        with pytest.raises(problem) as raised:
            make("Hopper", **{"device": "cpu", **options})
        assert text in str(raised.value)

"""Terrain, rays over it, and feet: closed forms, and what MuJoCo's rays hit."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest
from reference_task import geom_distance

import manyworlds as mw
from manyworlds.task import Task, total
from manyworlds.terms import Rays, cast, feet, grid_rays, height_scan, lidar_rays, pinhole_rays, ring_rays
from manyworlds.terrain import KINDS, Terrain

DEVICES = ["cpu", "gpu"]
ROBOT = """<mujoco model="robot">
  <option timestep="0.005"/>
  <asset><mesh name="rock" vertex="0 0 0  1 0 0  0 1 0  0 0 1  1 1 0.6"/></asset>
  <worldbody>
    <geom name="ground" type="plane" size="5 5 1"/>
    <geom name="block" type="box" size="0.3 0.4 0.2" pos="0.9 0.1 0.1" euler="0 0 20"/>
    <geom name="ball" size="0.3" pos="-0.6 -0.4 0.1"/>
    <geom name="rock" type="mesh" mesh="rock" pos="-0.9 0.6 0.05"/>
    <body name="trunk" pos="0 0 0.7">
      <joint name="root" type="free"/>
      <geom name="trunk" type="box" size="0.2 0.1 0.05" mass="2"/>
      <body name="left" pos="0 0.2 0"><joint name="left" axis="0 1 0" damping="1"/>
        <geom size="0.04" fromto="0 0 0 0 0 -0.3" type="capsule"/>
        <body name="left_foot" pos="0 0 -0.3">
          <geom name="left_foot" size="0.06"/><site name="left_foot" size="0.07"/>
        </body>
      </body>
      <body name="right" pos="0 -0.2 0"><joint name="right" axis="0 1 0" damping="1"/>
        <geom size="0.04" fromto="0 0 0 0 0 -0.3" type="capsule"/>
        <body name="right_foot" pos="0 0 -0.3">
          <geom name="right_foot" size="0.06"/><site name="right_foot" size="0.07"/>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator><motor joint="left"/><motor joint="right"/></actuator>
  <sensor><touch name="left_touch" site="left_foot"/><touch name="right_touch" site="right_foot"/></sensor>
</mujoco>"""


def robot(terrain: Terrain | None = None) -> mw.Model:
    spec = mw.Spec.from_xml_string(ROBOT)
    return (spec if terrain is None else terrain.add(spec)).compile()


def test_a_terrain_is_level_where_robots_start_and_tiles_meet() -> None:
    terrain = Terrain(rows=3, seed=2)
    assert terrain.kinds == list(KINDS) and len(KINDS) >= 16
    # the same from the same seed, another from another one
    np.testing.assert_array_equal(Terrain(rows=3, seed=2).heights, terrain.heights)
    assert not np.array_equal(Terrain(rows=3, seed=3).heights, terrain.heights)
    for row in range(3):
        for column, name in enumerate(terrain.kinds):
            x, y, z = terrain.origins[row, column]
            half = KINDS[name].platform - 0.06
            u, v = np.meshgrid(*2 * [np.linspace(-half, half, 7)])
            np.testing.assert_allclose(terrain.height(x + u, y + v), z, atol=1e-12, err_msg=name)
    # what is not flat gets harder with the row: heights differ by more, or holes are larger
    for column, name in enumerate(terrain.kinds):
        tiles = [terrain.height(*places(terrain, row, column)) for row in range(3)]
        spread = [float(np.mean(np.abs(tile - terrain.origins[row, column, 2]))) for row, tile in enumerate(tiles)]
        assert name == "flat" or spread[2] > spread[0], (name, spread)


def places(terrain: Terrain, row: int, column: int) -> Any:
    x, y, _ = terrain.origins[row, column]
    along = np.linspace(-0.49, 0.49, 80) * terrain.size
    u, v = np.meshgrid(along, along)
    return x + u, y + v


def test_stairs_have_steps_of_their_height() -> None:
    terrain = Terrain(["stairs_up", "stairs_down"], rows=2, difficulty=(0.0, 0.5))
    for row, step in enumerate((0.04, 0.12)):
        for column, sign in enumerate((1.0, -1.0)):
            x, y, z = terrain.origins[row, column]
            for k in range(5):
                middle = 1.0 + 0.3 * k + 0.15
                np.testing.assert_allclose(terrain.height(x + middle, y) - z, sign * step * (k + 1), atol=1e-12)


def test_patches_are_flat() -> None:
    terrain = Terrain(["rough", "stones", "stairs_up", "boxes"], rows=2, seed=1)
    found = terrain.patches(6, radius=0.25, level=0.06)
    assert found.shape == (2, 4, 6, 3)
    angle = np.linspace(0, 2 * np.pi, 24)
    for x, y, z in found.reshape(-1, 3):
        around = terrain.height(x + 0.2 * np.cos(angle), y + 0.2 * np.sin(angle))
        assert np.abs(around - z).max() <= 0.06 + 1e-12
    with pytest.raises(ValueError, match="'rough' at difficulty 1.00 has no flat place of radius 3.0 m"):
        Terrain(["rough"], rows=1).patches(1, radius=3.0, level=1e-4)


def test_a_terrain_is_the_ground_of_a_model() -> None:
    terrain = Terrain(["waves", "stones"], rows=2, size=6.0, cell=0.2, seed=4)
    model = robot(terrain)
    random = np.random.default_rng(0)
    at = random.uniform(-0.8, 0.8, (50, 2)) * terrain.half
    # rays down meet the surface between the nearest places
    task = Task(model)
    rays = Rays(np.column_stack([at, np.full(50, 5.0)]), np.tile([0.0, 0.0, -1.0], (50, 1)))
    task.observe("depth", cast(task, rays, align="world", geoms="ground", most=20.0))
    env = mw.Environment(task, 1, device="cpu", dtype=np.float64)
    root = env.batch.get("qpos")[0, :3]
    heights = root[2] + 5.0 - env.reset()[0]
    u, v = (root[0] + at[:, 0], root[1] + at[:, 1])
    corners = [terrain.height(u + i * 0.1, v + j * 0.1) for i in (-1, 1) for j in (-1, 1)]
    # elevations are in single precision
    assert (heights >= np.min(corners, axis=0) - 1e-6).all() and (heights <= np.max(corners, axis=0) + 1e-6).all()


PATTERNS: dict[str, Rays] = {
    "grid": grid_rays(1.2, 0.8, 0.2),
    "ring": ring_rays(0.7, 20),
    "pinhole": pinhole_rays(7, 5, fovy=70.0, pitch=30.0),
    "lidar": lidar_rays(5, 12, vertical=(-50.0, 10.0)),
}


@pytest.mark.parametrize("device", DEVICES)
def test_rays_hit_what_those_of_mujoco_hit(device: str) -> None:
    model = robot()
    task = Task(model, action_size=0)
    names = ["block", "left_*"]
    for pattern, rays in PATTERNS.items():
        for align in ("yaw", "full", "world"):
            task.observe(f"{pattern} {align}", cast(task, rays, align=align, body="trunk", most=4.0))
        task.observe(f"{pattern} named", cast(task, rays, align="full", geoms=names, most=4.0))
    task.write("ctrl", np.zeros(2))
    worlds = 3
    tolerance, dtype = (1e-9, np.float64) if device == "cpu" else (2e-4, np.float32)
    env = mw.Environment(task, worlds, device=device, dtype=dtype)
    random = np.random.default_rng(2)
    qpos = np.tile(np.asarray(model.qpos0), (worlds, 1))
    qpos[:, :3] += random.uniform(-0.3, 0.3, (worlds, 3))
    qpos[:, 3:7] += random.uniform(-0.4, 0.4, (worlds, 4))
    qpos[:, 3:7] /= np.linalg.norm(qpos[:, 3:7], axis=1, keepdims=True)
    env.batch.qpos = qpos
    seen = env.step(np.zeros((worlds, 0))).observation
    # the poses of the geoms are those that the step began with, the root's is that after it
    xml = mujoco.MjModel.from_xml_string(ROBOT)
    count = 0
    for w in range(worlds):
        data = mujoco.MjData(xml)
        data.qpos[:] = qpos[w]
        mujoco.mj_forward(xml, data)
        after = env.batch.get("qpos")[w].astype(float)
        mat = np.zeros(9)
        mujoco.mju_quat2Mat(mat, after[3:7])
        mat = mat.reshape(3, 3)
        yaw = np.arctan2(mat[1, 0], mat[0, 0])
        c, s = np.cos(yaw), np.sin(yaw)
        frames = {"yaw": np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]), "full": mat, "world": np.eye(3), "named": mat}
        for pattern, rays in PATTERNS.items():
            for name, frame in frames.items():
                part = seen[w, task.observation_slices[f"{pattern} {name}"]]
                wanted = [g for g in range(xml.ngeom) if hit_by(xml, g, names if name == "named" else None)]
                for k in range(len(rays.origins)):
                    begin, way = after[:3] + frame @ rays.origins[k], frame @ rays.ways[k]
                    expected = min([4.0, *(d for g in wanted if (d := geom_distance(xml, data, g, begin, way)) >= 0)])
                    count += expected < 4.0
                    assert part[k] == pytest.approx(expected, abs=tolerance), (pattern, name, w, k)
    assert count > 400


def hit_by(model: Any, geom: int, names: list[str] | None) -> bool:
    name = model.geom(geom).name
    return model.geom_bodyid[geom] == 0 if names is None else name == "block" or name.startswith("left_")


@pytest.mark.parametrize("device", DEVICES)
def test_a_height_scan_is_the_height_above_stairs(device: str) -> None:
    terrain = Terrain(["stairs_up"], rows=1, difficulty=(0.5, 0.5))
    task = Task(robot(terrain), action_size=0)
    task.write("ctrl", np.zeros(2))
    task.observe("scan", height_scan(task, length=1.6, width=1.0, spacing=0.1, geoms="ground"))
    assert task.observation_size == 187
    env = mw.Environment(task, 2, device=device, dtype=np.float32)
    x, y, z = terrain.origins[0, 0]
    qpos = np.tile(np.asarray(task.model.qpos0), (2, 1))
    qpos[:, :3] = [[x, y, z + 2.0], [x + 1.45, y, z + 2.0]]
    env.batch.qpos = qpos
    seen = env.step(np.zeros((2, 0))).observation
    root = env.batch.get("qpos")
    # on the platform all is level; beyond it are steps
    np.testing.assert_allclose(seen[0], root[0, 2] - z, atol=1e-4)
    rows = seen[1].reshape(11, 17)
    np.testing.assert_allclose(np.diff(rows, axis=0), 0.0, atol=1e-3)
    assert rows[0].max() - rows[0].min() == pytest.approx(5 * 0.12, abs=1e-3)


@pytest.mark.parametrize("device", DEVICES)
def test_feet_know_when_they_are_down(device: str) -> None:
    task = Task(robot(), frame_skip=4, action_size=0)
    task.write("ctrl", np.zeros(2))
    found = feet(task, "*_touch", ["left_foot", "right_foot"])
    for name, value in found._asdict().items():
        for k in range(2):
            task.metric(f"{name} {k}", value[k])
    task.observe("force", total(found.force))
    env = mw.Environment(task, 1, device=device)
    env.batch.qpos = np.array([[0.2, 0.3, 0.5, 1, 0, 0, 0, 0, 0]], dtype=float)
    was_down, air, landings = np.zeros(2, bool), np.zeros(2), 0
    for _ in range(60):
        env.step(np.zeros((1, 0)))
        metrics = {name: np.array([env.metrics[f"{name} {k}"][0] for k in range(2)]) for name in found._fields}
        force = env.batch.get("sensordata")[0]
        down = force > 1.0
        np.testing.assert_allclose(metrics["force"], force, rtol=1e-5)
        np.testing.assert_array_equal(metrics["contact"] != 0, down)
        np.testing.assert_allclose(metrics["air_time"], air, atol=1e-5)
        np.testing.assert_array_equal(metrics["landed"] != 0, down & (air > 0))
        assert (metrics["slip"][~down] == 0).all()
        landings += int(np.count_nonzero(metrics["landed"]))
        air = np.where(down, 0.0, air + task.dt)
        was_down = down
    assert was_down.any() and landings >= 2


def test_mistakes_are_named() -> None:
    with pytest.raises(ValueError, match="no kind of ground 'sand'"):
        Terrain(["flat", "sand"])
    with pytest.raises(ValueError, match="no room for a platform"):
        Terrain(["flat"], size=2.5, cell=0.1)
    with pytest.raises(ValueError, match="difficulties between 0 and 1"):
        Terrain(["flat"], difficulty=(0.5, 1.5))
    with pytest.raises(ValueError, match="a twentieth of a tile"):
        Terrain(["flat"], cell=1.0)
    task = Task(robot())
    with pytest.raises(ValueError, match=r"\[ray, 3\] origins"):
        cast(task, Rays(np.zeros((2, 3)), np.zeros((3, 3))))
    with pytest.raises(ValueError, match="unit vectors"):
        cast(task, Rays(np.zeros((1, 3)), np.array([[0.0, 0.0, -2.0]])))
    with pytest.raises(ValueError, match="whole number of cells"):
        Terrain(["flat"], cell=0.3)
    assert Terrain(["rough", "flat", "rough"], rows=1).kinds == ["rough", "flat", "rough"]
    with pytest.raises(ValueError, match="farther than 0"):
        cast(task, ring_rays(), most=0.0)
    with pytest.raises(ValueError, match="yaw, full or world"):
        cast(task, ring_rays(), align="sideways")
    with pytest.raises(KeyError, match="nothing"):
        cast(task, ring_rays(), geoms="nothing")
    with pytest.raises(ValueError, match="sensors are of 1 feet"):
        feet(task, "*_touch", ["left_foot"])
    scan = cast(task, ring_rays())
    task.write(task.qfrc_applied[:1], total(scan))
    task.observe("scan", scan)
    with pytest.raises(ValueError, match="casts rays"):
        mw.Environment(task, 1, device="cpu")

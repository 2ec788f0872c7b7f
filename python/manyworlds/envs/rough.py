"""A four-legged robot that follows a joystick over rough ground, which it sees."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from .._inertia import Drawn
from .._model import Model
from .._spec import Spec
from ..task import Delay, Expr, Table, Task, exp, largest, uniform, where
from ..terms import Velocity, height_scan, pushes, velocity_command
from ..terrain import Terrain
from ._gait import Gait, clock_hand, hips, joints_of, trot
from ._terms import Range
from .quadruped import end_by_falls, feelings, pay, quadruped_randomization, start_turned

# Weights of the terms of the reward, per second; that of a fall is per fall.
ROUGH_WEIGHTS: dict[str, float] = {
    "linear_velocity": 2.0,
    "angular_velocity": 0.75,
    "vertical_velocity": -0.5,
    "roll_and_pitch": -0.05,
    "orientation": -0.5,
    "torque": -2e-4,
    "action_rate": -0.02,
    "pose": -0.1,
    "fall": -1.0,
}
# Half-widths of the noise of what is observed.
ROUGH_NOISE: dict[str, float] = {"velocity": 0.1, "gyro": 0.2, "gravity": 0.05, "joints": 0.02, "joint_velocities": 1.0}

# Squared distance from its command, m²/s², at which a robot follows by 1/e.
FOLLOWS = 0.2

# Height of the hips above the feet, m.
HEIGHT = 0.29

# Kinds of ground, and the columns that each takes.
GROUND: dict[str, int] = {
    "flat": 1,
    "rough": 2,
    "slope_up": 1,
    "slope_down": 1,
    "stairs_up": 1,
    "stairs_down": 1,
    "waves": 1,
    "boxes": 1,
    "grid": 1,
}


def rough_terrain(*, rows: int = 6, hardest: float = 0.6, seed: int = 0) -> Terrain:
    """The ground of the task: tiles of GROUND, in rows up to a difficulty."""
    return Terrain(GROUND, rows=rows, size=6.0, cell=0.1, difficulty=(0.0, hardest), seed=seed)


def rough_ground(spec: Spec, terrain: Terrain | None = None) -> Spec:
    """Puts the ground under the quadruped; toes, trunk and nose touch it, and steps are of 5 ms."""
    spec.set("option", timestep=0.005)
    for geom in spec.all("geom"):
        if not geom.name or not geom.name.endswith(("_toe", "trunk", "nose", "ground")):
            geom.set(contype=0)
    return (terrain or rough_terrain()).add(spec)


def quadruped_rough(
    model: Model,
    *,
    terrain: Terrain | None = None,
    forward_range: Range = (-0.8, 1.0),
    sideways_range: Range = (-0.5, 0.5),
    yaw_range: Range = (-1.0, 1.0),
    command_seconds: Range = (4.0, 8.0),
    still_chance: float = 0.1,
    push_speed: float = 0.4,
    push_seconds: Range = (4.0, 8.0),
    stride_seconds: float = 0.4,
    lift: float = 0.08,
    reach: float = 0.08,
    tracking_sigma: float = 0.1,
    turning_sigma: float = 0.25,
    noise_scale: float = 1.0,
    delay: Delay | int = 0,
    weights: Mapping[str, float] | None = None,
    spawn_height: float = 0.05,
    frame_skip: int = 4,
    max_episode_steps: int | None = 500,
) -> Task:
    """Walks as fast, and turns as fast, as commanded, over ground that gets harder as it learns.

    Feet step by a clock, as fast as the command says; an action moves where they are meant to be, by up to `reach` m
    along x, y and z of each, and the targets of the joints follow. The policy sees a scan of the ground around it; the
    critic (group `critic`) the same without noise. Each world walks at a level of difficulty of its own: one up after
    an episode without a fall in which it followed its commands, one down after a poor one.

    terrain: of the model's field `terrain`; that of `rough_terrain` where not given.
    weights: of terms of the reward, where they are to be others than ROUGH_WEIGHTS. noise_scale: of ROUGH_NOISE.
    stride_seconds, lift: of the trot on even ground, and how high it lifts its feet, m.
    push_speed: largest change of velocity of a push, m/s; 0 for none. delay: of the joints and their velocities.
    """
    ground = rough_terrain() if terrain is None else terrain
    keyframe = model.key("stand").id
    stand = np.asarray(model.key_qpos)[keyframe]
    task = Task(
        model,
        frame_skip=frame_skip,
        max_episode_steps=max_episode_steps,
        action_low=-1.0,
        action_high=1.0,
        keyframe="stand",
    )
    asked = velocity_command(
        task,
        forward=forward_range,
        sideways=sideways_range,
        turn=yaw_range,
        still=still_chance,
        seconds=command_seconds,
    )
    if push_speed > 0.0:
        pushes(task, velocity=push_speed, seconds=push_seconds)
    places, leg = hips(model)
    gait = trot(task, asked.value, height=HEIGHT, stride_seconds=stride_seconds, lift=lift, stance=0.6)
    # three numbers for each leg
    moved = [place + reach * task.action[k::3] for k, place in enumerate(gait.feet)]
    task.write("ctrl", joints_of(leg, np.sign(places[:, 1]), (moved[0], moved[1], moved[2])))
    felt = _observations(task, asked.value, gait, stand[7:], noise_scale, delay)
    fallen = end_by_falls(task, felt["gravity"])
    half = np.array(ground.half) - 0.5
    task.terminate("outside", largest(abs(task.qpos[:2]) - half) > 0.0)
    weight = {**ROUGH_WEIGHTS, **(weights or {})}
    pay(task, (asked.slip, asked.turn_slip), felt, fallen, (tracking_sigma, turning_sigma), weight)
    _starts(task, ground, asked, fallen, stand, spawn_height)
    return task


def held_out(seed: int = 101) -> tuple[Task, list[Drawn]]:
    """The task, and what differs by chance, on other ground than that of learning: for `play --task`."""
    ground = rough_terrain(seed=seed)
    spec = Spec.from_xml_path(Path(__file__).parent / "models" / "quadruped.xml")
    model = rough_ground(spec, ground).compile()
    return quadruped_rough(model, terrain=ground), quadruped_randomization(model)


def _observations(
    task: Task, command: Expr, gait: Gait, stand: np.ndarray, noise_scale: float, delay: Delay | int
) -> dict[str, Expr]:
    """Observes what the robot feels and sees; returns what it feels, without noise."""
    felt = {**feelings(task, command, stand), "clock": clock_hand(gait.clock, gait.walks)}
    # cast once for both groups; relative to where the trunk is above level ground
    cast = height_scan(task, body="trunk", length=1.5, width=0.9, spacing=0.15, geoms="ground")
    scan = task.variable("scan", cast, cast)
    for name, value in felt.items():
        late = delay if name.startswith("joint") else 0
        task.observe(name, value, noise=noise_scale * ROUGH_NOISE.get(name, 0.0), delay=late)
    task.observe("scan", scan - 0.3, noise=0.02 * noise_scale, clip=(-0.7, 0.7), scale=3.0)
    for name, value in felt.items():
        task.observe(name, value, group="critic")
    task.observe("scan", scan - 0.3, clip=(-0.7, 0.7), scale=3.0, group="critic")
    return felt


def _starts(task: Task, ground: Terrain, asked: Velocity, fallen: Expr, stand: np.ndarray, height: float) -> None:
    """Begins episodes in the middle of tiles, harder ones for robots that follow well."""
    # mean of how well the command was followed in the episode
    followed = task.variable("followed", 0.0)
    task.renew(followed, followed + (exp(asked.slip / -FOLLOWS) - followed) / task.steps)
    long = task.steps >= (0.9 * task.max_episode_steps if task.max_episode_steps else 400)
    good = where(followed > 0.7, 1.0, 0.0)
    level = task.level(
        "level",
        ground.rows,
        up=good & long & ~fallen,
        down=followed < 0.5,
        first=(0, ground.rows // 2),
        beyond="random",
    )
    task.metric("level", level)
    columns = len(ground.kinds)
    column = np.floor(uniform(0.0, columns))
    place = Table(ground.origins.reshape(-1, 3))[level * columns + column]
    task.reset(task.qpos[:3], place + uniform([-0.3, -0.3, 0.0], [0.3, 0.3, 0.0]) + [0.0, 0.0, stand[2] + height])
    start_turned(task, stand)

"""Parts that tasks of robots have in common: commands, pushes, loads.

    from manyworlds.terms import pushes, velocity_command

    asked = velocity_command(task, forward=(-1, 2), sideways=(-0.5, 0.5), turn=(-1, 1), still=0.1)
    task.observe("command", asked.value)
    task.reward("tracking", task.dt * exp(asked.slip / -0.25))
    pushes(task, velocity=0.5, seconds=(5, 10))

Each is made of expressions and variables of the task: it is computed where the worlds are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ._arrays import Array
from ._expression import Expr, Operand, constant, expression
from .task import (
    Range,
    Task,
    clip,
    concat,
    heading,
    norm,
    rotate,
    rotate_inverse,
    total,
    uniform,
    where,
    wrap_angle,
)


class Velocity(NamedTuple):
    """A velocity that is asked of a robot, in its own frame, and how far it is from it."""

    value: Expr
    """Forward and sideways speed, m/s, and rate of turn, rad/s."""
    slip: Expr
    """Squared distance of the speeds in the plane."""
    turn_slip: Expr
    """Squared distance of the rates of turn."""


def velocity_command(
    task: Task,
    *,
    forward: Range = (-1.0, 1.0),
    sideways: Range = (-1.0, 1.0),
    turn: Range = (-1.0, 1.0),
    toward: Range | None = None,
    stiffness: float = 0.5,
    toward_share: float = 1.0,
    still: float = 0.0,
    seconds: Range = (4.0, 8.0),
    scale: Operand = 1.0,
    name: str = "velocity",
) -> Velocity:
    """Asks for speeds and a rate of turn of the body of the model's first joint, which is free.

    forward, sideways, turn: ranges. toward: a range of directions in the plane, rad, that the robot turns to with
        `stiffness` times the angle that is left, within the range of `turn`; so in a share of the commands.
    still: share of the commands that ask to stand still. seconds: from one command to the next.
    scale: of the ranges, such as a `ramp` of the task's age: a curriculum.
    """
    quat = _root(task)
    low, high = (np.array(ends) for ends in zip(forward, sideways, turn))
    numbers = {"forward": forward, "sideways": sideways, "turn": turn}
    moving = where(uniform(0.0, 1.0) < still, 0.0, 1.0) if still > 0.0 else constant(1.0)
    asked = moving * scale * uniform(low, high)
    if toward is None:
        value: Expr = task.command(name, asked, seconds=seconds, numbers=numbers)
    else:
        turns = where(uniform(0.0, 1.0) < toward_share, moving, 0.0)
        numbers |= {"direction": toward, "turns to it": (0.0, 1.0)}
        drawn = task.command(name, concat(asked, uniform(*toward), turns), seconds=seconds, numbers=numbers)
        left = wrap_angle(drawn[3] - heading(quat))
        most = [scale * constant(end) for end in turn]
        value = concat(drawn[:2], where(drawn[4], clip(stiffness * left, *most), drawn[2]))
    velocity = rotate_inverse(quat, task.qvel[:3])
    return Velocity(value, total((value[:2] - velocity[:2]) ** 2), (value[2] - task.qvel[5]) ** 2)


class Pose(NamedTuple):
    """A place and an orientation that are asked for, in the frame of the world."""

    position: Expr
    """m."""
    quat: Expr
    """Unit quaternion, w first."""


def pose_command(
    task: Task,
    *,
    x: Range,
    y: Range,
    z: Range,
    roll: Range = (0.0, 0.0),
    pitch: Range = (0.0, 0.0),
    yaw: Range = (-math.pi, math.pi),
    around: Operand = (0.0, 0.0, 0.0),
    seconds: Range = (4.0, 8.0),
    name: str = "pose",
) -> Pose:
    """Asks for a pose: a place around a point, and an orientation by roll, pitch and yaw, which turn in this order."""
    low, high = (np.array(ends) for ends in zip(x, y, z, roll, pitch, yaw))
    numbers = {"x": x, "y": y, "z": z, "roll": roll, "pitch": pitch, "yaw": yaw}
    drawn = task.command(name, uniform(low, high), seconds=seconds, numbers=numbers)
    half = 0.5 * drawn[3:]
    (cr, cp, cy), (sr, sp, sy) = ([f(half)[k] for k in range(3)] for f in (np.cos, np.sin))
    quat = concat(
        cr * cp * cy + sr * sp * sy,
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
    )
    return Pose(expression(around) + drawn[:3], quat)


def pushes(
    task: Task,
    *,
    velocity: float | Sequence[float] = 0.5,
    turn: float | Sequence[float] = 0.0,
    seconds: Range = (10.0, 15.0),
    scale: Operand = 1.0,
    name: str = "pushes",
) -> Expr:
    """Pushes the body of the model's first joint, which is free, every few seconds: its velocity changes at once.

    velocity: largest change along the axes of the world, m/s; x and y where one number is given, else along x, y and z.
    turn: largest change of the rate of turn, rad/s; z where one number is given. Returns 1 in steps with a push.
    """
    _root(task)
    straight = [velocity, velocity, 0.0] if isinstance(velocity, (int, float)) else list(velocity)
    turning = [0.0, 0.0, turn] if isinstance(turn, (int, float)) else list(turn)
    most = np.array([*straight, *turning], dtype=np.float64)
    if most.shape != (6,):
        raise ValueError(f"a push has three numbers along the axes and three about them, got {most.size}")
    now = task.every(f"seconds left of {name}", seconds)
    task.write(task.qvel[:6], task.qvel[:6] + where(now, scale * uniform(-most, most), 0.0))
    return now


def load(task: Task, body: int | str, *, force: Range = (-5.0, 5.0), torque: Range = (0.0, 0.0)) -> Expr:
    """Loads a body through an episode: a force and a torque, drawn where it begins, in the axes of the world."""
    kind = task.body(body)
    low = np.repeat([force[0], torque[0]], 3)
    high = np.repeat([force[1], torque[1]], 3)
    drawn = uniform(low, high)
    task.reset(task.xfrc_applied[kind.id[0]], drawn)
    return task.variable(f"load of {body}", drawn)


class Rays(NamedTuple):
    """Rays in the frame of the body that carries them."""

    origins: Array
    """[ray, 3], m."""
    ways: Array
    """Unit vectors, [ray, 3]."""


def grid_rays(length: float = 1.6, width: float = 1.0, spacing: float = 0.1, *, above: float = 2.0) -> Rays:
    """Rays straight down, on a rectangle whose longer side is along x; they begin so far above the body."""
    along, across = (np.linspace(-0.5 * side, 0.5 * side, round(side / spacing) + 1) for side in (length, width))
    x, y = (places.ravel() for places in np.meshgrid(along, across))
    return Rays(np.stack([x, y, np.full_like(x, above)], axis=-1), np.tile([0.0, 0.0, -1.0], (len(x), 1)))


def ring_rays(radius: float = 0.5, count: int = 16, *, above: float = 2.0) -> Rays:
    """Rays straight down, on a circle; they begin so far above the body."""
    angle = 2.0 * np.pi * np.arange(count) / count
    origins = np.stack([radius * np.cos(angle), radius * np.sin(angle), np.full(count, above)], axis=-1)
    return Rays(origins, np.tile([0.0, 0.0, -1.0], (count, 1)))


def pinhole_rays(width: int = 16, height: int = 12, *, fovy: float = 60.0, pitch: float = 0.0) -> Rays:
    """Rays through the pixels of a camera that looks along x, `pitch` degrees down; row by row from the top."""
    focal = 0.5 * height / np.tan(0.5 * np.radians(fovy))
    v, u = (places.ravel() for places in np.mgrid[:height, :width])
    ways = np.stack([np.full(u.shape, focal), 0.5 * width - u - 0.5, 0.5 * height - v - 0.5], axis=-1)
    return Rays(np.zeros_like(ways), _unit(ways) @ _pitched(pitch))


def lidar_rays(
    channels: int = 8, count: int = 36, *, vertical: Range = (-15.0, 15.0), horizontal: Range = (-180.0, 180.0)
) -> Rays:
    """Rays all around: `count` directions about z within `horizontal` degrees, in `channels` heights; x is ahead."""
    turns = (horizontal[1] - horizontal[0]) % 360.0 == 0.0
    azimuth = np.radians(np.linspace(*horizontal, count, endpoint=not turns))
    up = np.radians(np.linspace(*vertical, channels))
    up, azimuth = (places.ravel() for places in np.meshgrid(up, azimuth, indexing="ij"))
    ways = np.stack([np.cos(up) * np.cos(azimuth), np.cos(up) * np.sin(azimuth), np.sin(up)], axis=-1)
    return Rays(np.zeros_like(ways), ways)


def _unit(vectors: Array) -> Array:
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)  # type: ignore[no-any-return]


def _pitched(degrees: float) -> Array:
    """Turns rows of vectors down about y."""
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return np.array([[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]])


def cast(
    task: Task,
    rays: Rays,
    *,
    body: int | str = 1,
    align: str = "yaw",
    geoms: str | Sequence[str] | None = None,
    most: float = 10.0,
) -> Expr:
    """Distances along rays to the first geom that they hit, at most `most`, m: one number for each ray.

    body: carries the rays. align: "yaw": they turn with it about the vertical alone; "full": with it; "world": not.
    geoms: names, or shell patterns, of the geoms that are seen; those of the world, the ground, where not given.

    It costs what its rays cost: lanes share them. A value that is used several times is cast each time; a variable
    remembers it.
    """
    origins, ways = (np.asarray(part, dtype=np.float64) for part in rays)
    if origins.shape != ways.shape or origins.ndim != 2 or origins.shape[1] != 3 or len(origins) == 0:
        raise ValueError(f"rays are [ray, 3] origins and ways, got {list(origins.shape)} and {list(ways.shape)}")
    if not np.allclose(np.linalg.norm(ways, axis=1), 1.0, atol=1e-6):
        raise ValueError("ways of rays are unit vectors: distances are in metres")
    if not most > 0.0:
        raise ValueError(f"rays reach farther than 0 m, got {most}")
    seen = _seen(task, geoms)
    position, quat = _carrier(task, body)
    if align == "world":
        turned = [_columns(origins), _columns(ways)]
    elif align == "yaw":
        angle = heading(quat)
        c, s = np.cos(angle), np.sin(angle)
        turned = [[c * x - s * y, s * x + c * y, z] for x, y, z in (_columns(origins), _columns(ways))]
    elif align == "full":
        turned = [_turned(quat, part) for part in (_columns(origins), _columns(ways))]
    else:
        raise ValueError(f"rays are aligned by yaw, full or world, got '{align}'")
    begin = [position[k] + part for k, part in enumerate(turned[0])]
    return Expr("ray", tuple(begin + turned[1]), len(origins), geoms=seen, most=float(most))


def height_scan(
    task: Task,
    *,
    body: int | str = 1,
    length: float = 1.6,
    width: float = 1.0,
    spacing: float = 0.1,
    geoms: str | Sequence[str] | None = None,
    most: float = 10.0,
) -> Expr:
    """Height of a body above the ground at the places of a rectangle around it, which turns with it, m."""
    above = 0.5 * most
    rays = grid_rays(length, width, spacing, above=above)
    return cast(task, rays, body=body, geoms=geoms, most=most) - above


def _columns(vectors: Array) -> list[Expr]:
    return [constant(vectors[:, k]) for k in range(3)]


def _turned(quat: Expr, vectors: list[Expr]) -> list[Expr]:
    """Vectors, by their coordinates, turned by a quaternion."""
    w, x, y, z = (quat[k] for k in range(4))
    a, b, c = vectors
    return [
        (1 - 2 * (y * y + z * z)) * a + 2 * (x * y - w * z) * b + 2 * (x * z + w * y) * c,
        2 * (x * y + w * z) * a + (1 - 2 * (x * x + z * z)) * b + 2 * (y * z - w * x) * c,
        2 * (x * z - w * y) * a + 2 * (y * z + w * x) * b + (1 - 2 * (x * x + y * y)) * c,
    ]


def _seen(task: Task, geoms: str | Sequence[str] | None) -> list[int]:
    """Geoms that rays may hit."""
    model = task.model
    if geoms is not None:
        names = [geoms] if isinstance(geoms, str) else list(geoms)
        return [g for name in names for g in task.geoms(name).id]
    fixed = np.asarray(model.body_weldid)[np.asarray(model.geom_bodyid)] == 0
    if not fixed.any():
        raise ValueError(f"'{model.name}' has no geoms of the world: name those that rays may hit")
    return np.flatnonzero(fixed).tolist()


def _carrier(task: Task, body: int | str) -> tuple[Expr, Expr]:
    """Position and orientation of a body: of the root from its coordinates, which are those after the step."""
    model, number = task.model, task.body(body).id[0]
    joint = int(np.asarray(model.body_jntadr)[number])
    if joint == 0 and int(np.asarray(model.jnt_type)[0]) == 0:
        return task.qpos[:3], task.qpos[3:7]
    return task.xpos[number], task.xquat[number]


class Feet(NamedTuple):
    """What feet do; each has a number for every foot, where variables are as they were."""

    contact: Expr
    """1 on the ground."""
    air_time: Expr
    """Seconds since it was on the ground last, before this step."""
    landed: Expr
    """1 in the step in which it comes down."""
    force: Expr
    """N."""
    slip: Expr
    """Speed over the ground in the plane while on it, m/s."""


def feet(task: Task, sensors: str | Sequence[str], bodies: str | Sequence[str], *, least: float = 1.0) -> Feet:
    """Contacts, times in the air, forces and slip of feet.

    sensors: names, or a pattern, of touch sensors, one for each foot. bodies: those of the feet, in the same order.
    least: force of a contact, N.
    """
    touch = [task.sensors(sensors)] if isinstance(sensors, str) else [task.sensor(name) for name in sensors]
    force = concat(*[one.data for one in touch])
    chosen = [task.bodies(bodies)] if isinstance(bodies, str) else [task.body(name) for name in bodies]
    ids = [i for one in chosen for i in one.id]
    if len(ids) != force.size:
        raise ValueError(f"{force.size} sensors are of {len(ids)} feet: one each")
    contact = force > least
    air = task.variable(f"air time {len(task._variables)}", np.zeros(force.size))
    task.renew(air, where(contact, 0.0, air + task.dt))
    x, y = (concat(*[task.xpos[i, k] for i in ids]) for k in range(2))
    moved = [(now - task.before(now)) / task.dt for now in (x, y)]
    slip = where(contact, np.sqrt(moved[0] * moved[0] + moved[1] * moved[1]), 0.0)
    return Feet(contact, air, contact & (air > 0.0), force, slip)


def distance_walked(task: Task, name: str = "walked") -> Expr:
    """How far the root is from where the episode has begun, in the plane, m; where variables are as they were."""
    start = task.variable(f"start of {name}", task.qpos[:2])
    return norm(task.qpos[:2] - start)


def falls(task: Task, cosine: float = 0.35) -> Expr:
    """1 where the z axis of the root is farther from upright than by the angle of that cosine."""
    return rotate(_root(task), [0.0, 0.0, 1.0])[2] < cosine


def _root(task: Task) -> Expr:
    """Orientation of the body of the first joint, which is free."""
    if task.model.njnt == 0 or int(np.asarray(task.model.jnt_type)[0]) != 0:
        raise ValueError(f"the first joint of '{task.model.name}' is no free joint: this moves its body")
    return task.qpos[3:7]  # type: ignore[no-any-return]

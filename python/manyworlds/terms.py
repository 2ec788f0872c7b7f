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
    moving = where(uniform(0.0, 1.0) < still, 0.0, 1.0) if still > 0.0 else constant(1.0)
    asked = moving * scale * uniform(low, high)
    if toward is None:
        value: Expr = task.command(name, asked, seconds=seconds)
    else:
        turns = where(uniform(0.0, 1.0) < toward_share, moving, 0.0)
        drawn = task.command(name, concat(asked, uniform(*toward), turns), seconds=seconds)
        left = wrap_angle(drawn[3] - heading(quat))
        value = concat(drawn[:2], where(drawn[4], clip(stiffness * left, *turn), drawn[2]))
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
    drawn = task.command(name, uniform(low, high), seconds=seconds)
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

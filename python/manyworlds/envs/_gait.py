"""Steps of four-legged robots: where feet are meant to be, and the joints that bring them there."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .._arrays import Array
from .._model import Model
from ..task import Expr, Task, arctan2, clip, concat, constant, maximum, minimum, sin, sqrt, total, uniform, where

# Legs in the order of the joints, and the part of a stride by which each is ahead: a trot.
LEGS = ("front_left", "front_right", "rear_left", "rear_right")
TROT = np.array([0.0, 0.5, 0.5, 0.0])


class Leg(NamedTuple):
    """Lengths of a leg, m: from the axis of abduction to the thigh, of the thigh, of the shank."""

    across: float
    thigh: float
    shank: float


class Gait(NamedTuple):
    """Steps by a clock."""

    clock: Expr
    """Part of the stride that is over, 0 to 1."""
    walks: Expr
    """1 where the robot is asked to move."""
    feet: tuple[Expr, Expr, Expr]
    """Places of the feet from the hips, x, y and z of the legs, m."""


def hips(model: Model) -> tuple[Array, Leg]:
    """Places of the hips in the trunk, [leg, 3], and lengths of the legs."""
    places = np.array([model.body(f"{leg}_hip").pos for leg in LEGS])
    across = abs(float(model.body(f"{LEGS[0]}_thigh").pos[1]))
    thigh = abs(float(model.body(f"{LEGS[0]}_shank").pos[2]))
    shank = abs(float(model.geom(f"{LEGS[0]}_toe").pos[2]))
    return places, Leg(across, thigh, shank)


def stride_clock(task: Task, stride_seconds: float) -> Expr:
    """Part of the stride that is over, 0 to 1; an episode begins anywhere in it."""
    clock = task.variable("clock", uniform(0.0, 1.0))
    later = clock + task.dt / stride_seconds
    task.renew(clock, later - np.floor(later))
    return clock


def clock_hand(clock: Expr, walks: Expr) -> Expr:
    """What a policy sees of a clock: sine and cosine, and zeros where the robot stands."""
    turned = 2.0 * math.pi * clock
    return concat(walks * np.sin(turned), walks * np.cos(turned))


def trot(task: Task, command: Expr, *, height: float, stride_seconds: float, lift: float, stance: float = 0.5) -> Gait:
    """A trot that follows a command of speeds: feet on the ground go back as fast as the trunk is meant to go on.

    height: of the hips above the feet. lift: of feet in the air. stance: part of a stride on the ground. Such steps are
    what a policy starts from (Iscen et al. 2018, Policies modulating trajectory generators).
    """
    places, leg = hips(task.model)
    side = np.sign(places[:, 1])
    walks = where(total(command**2) > 1e-6, 1.0, 0.0)
    clock = stride_clock(task, stride_seconds)
    ahead = clock + constant(TROT)
    phase = ahead - np.floor(ahead)
    # from 1 to -1 on the ground, and back in the air
    on_ground = 1.0 - 2.0 * phase / stance
    swing = clip((phase - stance) / (1.0 - stance), 0.0, 1.0)
    along = where(phase < stance, on_ground, -np.cos(math.pi * swing))
    # how far each hip goes while its foot stands, half of it
    half = 0.5 * stance * stride_seconds
    reach = [half * (command[0] - command[2] * places[:, 1]), half * (command[1] + command[2] * places[:, 0])]
    # feet leave the ground and come down at rest
    up = where(phase < stance, 0.0, 0.5 * lift * (1.0 - np.cos(2.0 * math.pi * swing)))
    x = walks * along * reach[0]
    y = side * leg.across + walks * along * reach[1]
    return Gait(clock, walks, (x, y, walks * up - height))


def joints_of(leg: Leg, side: Array, feet: tuple[Expr, Expr, Expr]) -> Expr:
    """Angles of abduction, hip and knee of all legs that bring the feet to their places; as near as they can."""
    x, y, z = feet
    across = constant(side * leg.across)
    # the leg in its own plane, below the axis of abduction
    down = sqrt(maximum(y * y + z * z - leg.across**2, 1e-4))
    abduct = arctan2(z, y) - arctan2(-down, across)
    longest = 0.995 * (leg.thigh + leg.shank)
    square = minimum(x * x + down * down, longest**2)
    cosine = clip((square - leg.thigh**2 - leg.shank**2) / (2.0 * leg.thigh * leg.shank), -0.98, 1.0)
    knee = -arctan2(sqrt(1.0 - cosine * cosine), cosine)
    bend = arctan2(leg.shank * sin(knee), leg.thigh + leg.shank * cosine)
    hip = arctan2(-x, down) - bend
    # leg after leg
    return concat(*[concat(abduct[k], hip[k], knee[k]) for k in range(len(side))])

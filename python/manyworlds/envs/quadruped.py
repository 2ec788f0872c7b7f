"""A four-legged robot that follows a joystick over uneven ground."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from .._arrays import Array
from .._inertia import Drawn
from .._model import Model
from .._randomize import Randomize
from .._spec import Spec
from ..task import (
    Expr,
    Task,
    concat,
    constant,
    exp,
    largest,
    rotate_inverse,
    some,
    total,
    uniform,
    where,
)
from ._terms import Range, weigh

# Weights of the terms of the reward, per second; that of a fall is per fall.
WEIGHTS: dict[str, float] = {
    "linear_velocity": 1.0,
    "angular_velocity": 0.5,
    "vertical_velocity": -0.5,
    "roll_and_pitch": -0.05,
    "orientation": -2.0,
    "torque": -2e-4,
    "action_rate": -0.01,
    "pose": -0.1,
    "fall": -1.0,
}
# Half-widths of the noise of what is observed.
NOISE: dict[str, float] = {"velocity": 0.1, "gyro": 0.2, "gravity": 0.05, "joints": 0.03, "joint_velocities": 1.5}


def terrain(spec: Spec, *, height: float = 0.08, radius: float = 10.0, cell: float = 0.2, seed: int = 0) -> Spec:
    """Replaces the plane `ground` by gentle hills.

    height: of the highest place above the lowest. radius: half of the field's sides. cell: distance of its points.
    """
    random = np.random.default_rng(seed)
    count = round(2 * radius / cell) + 1
    x, y = np.meshgrid(*2 * [np.linspace(-radius, radius, count)])
    hills = np.zeros_like(x)
    # waves of 1 to 5 m in all directions
    for _ in range(32):
        length, direction, phase = random.uniform([1.0, 0.0, 0.0], [5.0, math.pi, 2 * math.pi])
        along = x * math.cos(direction) + y * math.sin(direction)
        hills += length * np.sin(2 * math.pi * along / length + phase)
    hills = np.round((hills - hills.min()) / np.ptp(hills), 3)
    size = [radius, radius, height, 0.1]
    spec.add("hfield", name="terrain", nrow=count, ncol=count, size=size, elevation=hills.ravel().tolist())
    spec.geom("ground").set(type="hfield", hfield="terrain")
    return spec


def quadruped_joystick(
    model: Model,
    *,
    forward_range: Range = (-0.8, 1.2),
    sideways_range: Range = (-0.6, 0.6),
    yaw_range: Range = (-1.0, 1.0),
    command_seconds: Range = (4.0, 8.0),
    still_chance: float = 0.1,
    action_scale: float = 0.4,
    tracking_sigma: float = 0.25,
    noise_scale: float = 1.0,
    weights: Mapping[str, float] | None = None,
    spawn_radius: float = 4.0,
    field_radius: float = 9.5,
    spawn_height: float = 0.08,
    frame_skip: int = 5,
    max_episode_steps: int | None = 1000,
) -> Task:
    """Walks as fast, and turns as fast, as commanded: forward and sideways speed, and rate of turn.

    An action moves the targets of the joints away from the pose of the keyframe `stand`. Commands are drawn anew every
    few seconds, some of them to stand still. An episode ends where the robot falls, lies on its trunk (sensor `belly`,
    where the model has one) or leaves the field.

    weights: of terms of the reward, where they are to be others than WEIGHTS. noise_scale: of NOISE.
    """
    keyframe = model.key("stand").id
    stand = np.asarray(model.key_qpos)[keyframe]
    joints = np.arange(7, model.nq)
    task = Task(
        model,
        frame_skip=frame_skip,
        max_episode_steps=max_episode_steps,
        action_low=-1.0,
        action_high=1.0,
        keyframe="stand",
    )
    task.write("ctrl", constant(stand[joints]) + action_scale * task.action)

    ranges = {"forward": forward_range, "sideways": sideways_range, "turn": yaw_range}
    low, high = zip(*ranges.values())
    asked = where(uniform(0.0, 1.0) < still_chance, 0.0, uniform(low, high))
    command = task.command("command", asked, seconds=command_seconds, numbers=ranges)
    felt = _observations(task, command, stand[joints], noise_scale)
    fallen = _ends(task, felt["gravity"], field_radius)

    slip = total((command[:2] - felt["velocity"][:2]) ** 2)
    turn = (command[2] - felt["gyro"][2]) ** 2
    pay(task, (slip, turn), felt, fallen, (tracking_sigma, tracking_sigma), {**WEIGHTS, **(weights or {})})
    _starts(task, stand, spawn_radius, spawn_height)
    return task


def feelings(task: Task, command: Expr, stand: Array) -> dict[str, Expr]:
    """What the robot feels, in its own frame."""
    quat = task.qpos[3:7]
    return {
        "velocity": rotate_inverse(quat, task.qvel[:3]),
        "gyro": task.qvel[3:6],
        "gravity": rotate_inverse(quat, [0.0, 0.0, -1.0]),
        "command": command,
        "joints": task.qpos[7:] - stand,
        "joint_velocities": task.qvel[6:],
        "last_action": task.variable("last action", np.zeros(task.model.nu), task.action),
    }


def pay(
    task: Task,
    slips: tuple[Expr, Expr],
    felt: Mapping[str, Expr],
    fallen: Expr,
    sigmas: tuple[float, float],
    weights: Mapping[str, float],
) -> None:
    """Pays for following a command smoothly; `slips` are the squared distances of speeds and turn from it.

    sigmas: squared distances at which the pay for speeds and for turn is 1/e.
    """
    terms = {
        "linear_velocity": exp(slips[0] / -sigmas[0]),
        "angular_velocity": exp(slips[1] / -sigmas[1]),
        "vertical_velocity": felt["velocity"][2] ** 2,
        "roll_and_pitch": total(felt["gyro"][:2] ** 2),
        "orientation": total(felt["gravity"][:2] ** 2),
        "torque": total(task.actuator_force**2),
        "action_rate": total((task.action - felt["last_action"]) ** 2),
        "pose": total(felt["joints"] ** 2),
        "fall": fallen,
    }
    weigh(task, terms, weights)
    task.metric("speed_error", np.sqrt(slips[0]))
    task.metric("turn_error", np.sqrt(slips[1]))


def end_by_falls(task: Task, gravity: Expr) -> Expr:
    """Ends episodes of robots that fall, or lie on their belly; returns whether they have fallen."""
    fallen = gravity[2] > -0.35
    if "belly" in task.model.names("sensor"):
        fallen = fallen | some(task.sensor("belly").data > 0)
    task.terminate("fall", fallen)
    return fallen


def start_turned(task: Task, stand: Array) -> None:
    """Begins episodes in any direction, nearly as in a pose, and nearly at rest."""
    half = 0.5 * uniform(-math.pi, math.pi)
    task.reset(task.qpos[3:7], concat(np.cos(half), [0.0, 0.0], np.sin(half)))
    task.reset(task.qpos[7:], stand[7:] + uniform(-0.1, 0.1, len(stand) - 7))
    task.reset(task.qvel[:6], uniform(-0.3, 0.3, 6))


def _observations(task: Task, command: Expr, stand: Array, noise_scale: float) -> dict[str, Expr]:
    """Observes what the robot feels; returns it without the noise."""
    felt = feelings(task, command, stand)
    for name, value in felt.items():
        width = noise_scale * NOISE.get(name, 0.0)
        task.observe(name, value + uniform(-width, width, value.size) if width else value)
    return felt


def _ends(task: Task, gravity: Expr, field_radius: float) -> Expr:
    """Ends episodes of robots that fall or leave the field; returns whether they have fallen."""
    fallen = end_by_falls(task, gravity)
    task.terminate("outside", largest(abs(task.qpos[:2])) > field_radius)
    return fallen


def _starts(task: Task, stand: Array, radius: float, height: float) -> None:
    """Begins episodes anywhere, in any direction."""
    task.reset(task.qpos[:2], uniform(-radius, radius, 2))
    task.reset(task.qpos[2], stand[2] + height)
    start_turned(task, stand)


def quadruped_randomization(model: Model) -> list[Drawn]:
    """Friction of the toes, masses, the trunk's load, and strength of the motors, other ones in each world."""
    gain = (0.85, 1.15)
    return [
        Randomize("geom_friction", (0.5, 1.3), "set", names="*_toe", axes=0),
        Randomize("body_mass", (0.9, 1.1), "scale"),
        Randomize("body_ipos", (-0.03, 0.03), "add", names="trunk"),
        Randomize("actuator_gainprm", gain, "scale", axes=0, stream="gain"),
        Randomize("actuator_biasprm", gain, "scale", axes=1, stream="gain"),
        Randomize("dof_damping", (0.8, 1.2), "scale", names=[name for name in model.names("joint")[1:] if name]),
    ]

"""A two-legged robot that follows a joystick, with a clock for its steps."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from .._inertia import Drawn
from .._model import Model
from .._randomize import Randomize
from ..task import Expr, Task, clip, concat, constant, exp, total, where
from ..terms import Feet, Velocity, feet, pushes, velocity_command
from ._gait import clock_hand, stride_clock
from ._terms import Range, weigh
from .quadruped import end_by_falls, feelings, start_turned

# Weights of the terms of the reward, per second; that of a fall is per fall.
BIPED_WEIGHTS: dict[str, float] = {
    "linear_velocity": 1.5,
    "angular_velocity": 0.75,
    "alive": 0.3,
    "steps": 1.0,
    "swing_height": -20.0,
    "height": -10.0,
    "orientation": -2.0,
    "vertical_velocity": -0.5,
    "roll_and_pitch": -0.05,
    "hips": -1.0,
    "slip": -0.2,
    "torque": -1e-5,
    "joint_velocity": -1e-3,
    "action_rate": -0.02,
    "fall": -2.0,
}
# Half-widths of the noise of what is observed.
BIPED_NOISE: dict[str, float] = {"gyro": 0.2, "gravity": 0.05, "joints": 0.02, "joint_velocities": 1.0}

# Part of a stride in which a foot is meant to stand, and how high the other one is meant to be lifted, m.
STANCE = 0.55
LIFT = 0.08
# Height of a foot's frame above its sole, m.
SOLE = 0.03


def biped_joystick(
    model: Model,
    *,
    forward_range: Range = (-0.5, 1.0),
    sideways_range: Range = (-0.3, 0.3),
    yaw_range: Range = (-0.8, 0.8),
    command_seconds: Range = (4.0, 8.0),
    still_chance: float = 0.1,
    push_speed: float = 0.5,
    push_seconds: Range = (4.0, 8.0),
    stride_seconds: float = 0.8,
    action_scale: float = 0.4,
    tracking_sigma: float = 0.2,
    noise_scale: float = 1.0,
    weights: Mapping[str, float] | None = None,
    frame_skip: int = 4,
    max_episode_steps: int | None = 500,
) -> Task:
    """Walks as fast, and turns as fast, as commanded: forward and sideways speed, and rate of turn.

    An action moves the targets of the joints away from the pose of the keyframe `stand`. A clock of `stride_seconds`
    says which foot stands: the policy sees it, and is paid for following it, but where it is asked to stand still. The
    critic (group `critic`) sees the velocity and the feet too, and all without noise.

    weights: of terms of the reward, where they are to be others than BIPED_WEIGHTS. noise_scale: of BIPED_NOISE.
    push_speed: largest change of velocity of a push, m/s; 0 for none.
    """
    if not stride_seconds > 0.0:
        raise ValueError(f"stride_seconds is above 0, got {stride_seconds}")
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
    task.write("ctrl", constant(stand[7:]) + action_scale * task.action)
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
    walks = where(total(asked.value**2) > 0.0, 1.0, 0.0)
    clock = stride_clock(task, stride_seconds)
    felt = {**feelings(task, asked.value, stand[7:]), "clock": clock_hand(clock, walks)}
    foot = feet(task, ["left_foot", "right_foot"], ["left_foot", "right_foot"])
    _observations(task, felt, foot, noise_scale)
    fallen = end_by_falls(task, felt["gravity"])
    _pay(task, asked, felt, foot, (walks, clock), fallen, stand, tracking_sigma, {**BIPED_WEIGHTS, **(weights or {})})
    task.reset(task.qpos[2], stand[2] + 0.01)
    start_turned(task, stand)
    return task


def _observations(task: Task, felt: dict[str, Expr], foot: Feet, noise_scale: float) -> None:
    """Observes what the robot feels: the policy with noise and without its velocity."""
    scales = {"joint_velocities": 0.1}
    for name, value in felt.items():
        if name != "velocity":
            noise = noise_scale * BIPED_NOISE.get(name, 0.0)
            task.observe(name, value, noise=noise, scale=scales.get(name, 1.0))
    for name, value in felt.items():
        task.observe(name, value, group="critic", scale=scales.get(name, 1.0))
    task.observe("feet", concat(foot.contact, 0.005 * foot.force), group="critic")


def _pay(
    task: Task,
    asked: Velocity,
    felt: Mapping[str, Expr],
    foot: Feet,
    gait: tuple[Expr, Expr],
    fallen: Expr,
    stand: np.ndarray,
    sigma: float,
    weights: Mapping[str, float],
) -> None:
    """Pays for following a command with steps by the clock, upright and smoothly."""
    walks, clock = gait
    half = clock + 0.5
    phase = concat(clock, half - np.floor(half))
    # feet that are meant to stand; both do where the robot is
    stands = where((phase < STANCE) | (walks == 0.0), 1.0, 0.0)
    heights = concat(*[task.xpos[task.body(f"{side}_foot").id[0], 2] for side in ("left", "right")])
    lift = LIFT * np.sin(math.pi * clip((phase - STANCE) / (1.0 - STANCE), 0.0, 1.0))
    hips = [k for k in range(task.model.nu) if k % 6 in (0, 1)]
    terms = {
        "linear_velocity": exp(asked.slip / -sigma),
        "angular_velocity": exp(asked.turn_slip / -sigma),
        "alive": constant(1.0),
        "steps": 0.5 * total(where(foot.contact == stands, 1.0, 0.0)),
        "swing_height": total((1.0 - stands) * (heights - SOLE - lift) ** 2),
        "height": (task.qpos[2] - stand[2]) ** 2,
        "orientation": total(felt["gravity"][:2] ** 2),
        "vertical_velocity": felt["velocity"][2] ** 2,
        "roll_and_pitch": total(felt["gyro"][:2] ** 2),
        "hips": total(felt["joints"][hips] ** 2),
        "slip": total(foot.slip**2),
        "torque": total(task.actuator_force**2),
        "joint_velocity": total(felt["joint_velocities"] ** 2),
        "action_rate": total((task.action - felt["last_action"]) ** 2),
        "fall": fallen,
    }
    weigh(task, terms, weights)
    task.metric("speed_error", np.sqrt(asked.slip))
    task.metric("turn_error", np.sqrt(asked.turn_slip))


def biped_randomization(model: Model) -> list[Drawn]:
    """Friction of the feet, masses, the trunk's centre, and strength of the motors, other ones in each world."""
    gain = (0.9, 1.1)
    return [
        Randomize("geom_friction", (0.5, 1.2), "set", names=["*_heel_*", "*_toe_*"], axes=0),
        Randomize("body_mass", (0.9, 1.1), "scale"),
        Randomize("body_ipos", (-0.02, 0.02), "add", names="trunk"),
        Randomize("actuator_gainprm", gain, "scale", axes=0, stream="gain"),
        Randomize("actuator_biasprm", gain, "scale", axes=1, stream="gain"),
    ]

"""Swinging up a pole on a cart."""

from __future__ import annotations

import math

from .._model import Model
from ..task import Task, clip, concat, cos, exp, normal, sin, uniform


def cartpole_swing_up(
    model: Model,
    *,
    reset_noise_scale: float = 0.1,
    frame_skip: int = 2,
    max_episode_steps: int | None = 500,
) -> Task:
    """A pole that hangs is swung up and balanced by the force on its cart.

    The first joint is the cart's slide, the second the pole's hinge with 0 for upright. The reward is 1 for an upright
    pole that rests in the middle, 0 for one that hangs.
    """
    task = Task(model, frame_skip=frame_skip, max_episode_steps=max_episode_steps)
    place, angle = task.qpos[0], task.qpos[1]
    task.observe("position", place)
    task.observe("cos", cos(angle))
    task.observe("sin", sin(angle))
    task.observe("velocity", task.qvel[:2])
    upright = 0.5 + 0.5 * cos(angle)
    centred = 0.5 + 0.5 * exp(-(place**2))
    calm = 0.5 + 0.5 * exp(-((task.qvel[1] / 5.0) ** 2))
    gentle = 1.0 - 0.1 * clip(task.action[0], -1.0, 1.0) ** 2
    task.reward("balance", upright * centred * calm * gentle)
    task.metric("upright", cos(angle))
    noise = reset_noise_scale * normal(1)
    task.reset("qpos", concat(uniform(-0.2, 0.2), math.pi + noise))
    task.reset("qvel", reset_noise_scale * normal(2))
    return task

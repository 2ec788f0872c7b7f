"""Reaching as in Gymnasium's Reacher of version 5."""

from __future__ import annotations

import math

import numpy as np

from .._model import Model
from ..task import Task, concat, cos, norm, sin, total, uniform


def reacher(
    model: Model,
    *,
    reward_dist_weight: float = 1.0,
    reward_control_weight: float = 1.0,
    frame_skip: int = 2,
    max_episode_steps: int | None = 50,
) -> Task:
    """An arm of two links in a plane that reaches for a target; the last two joints are the target's place."""
    task = Task(model, frame_skip=frame_skip, max_episode_steps=max_episode_steps)
    apart = task.body("fingertip").xpos - task.body("target").xpos
    task.reward("dist", -reward_dist_weight * norm(apart))
    task.reward("ctrl", -reward_control_weight * total(task.action**2))
    angles = task.qpos[:2]
    task.observe("cos", cos(angles))
    task.observe("sin", sin(angles))
    task.observe("target", task.qpos[2:])
    task.observe("qvel", task.qvel[:2])
    task.observe("apart", apart[:2])
    # a place in a disk, each area with the same chance
    radius, angle = 0.2 * np.sqrt(uniform(0.0, 1.0)), uniform(0.0, 2.0 * math.pi)
    links = task.qpos0[:-2] + uniform(-0.1, 0.1, model.nq - 2)
    task.reset("qpos", concat(links, radius * cos(angle), radius * sin(angle)))
    task.reset("qvel", concat(uniform(-0.005, 0.005, model.nv - 2), [0.0, 0.0]))
    return task

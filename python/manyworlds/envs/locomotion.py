"""Running and swimming as in Gymnasium's MuJoCo environments of version 5.

Each function makes the task of one of them, for Gymnasium's model, for ours, or for another one with the same order of
joints: first those of the root. Arguments are called as Gymnasium's and have its values.
"""

from __future__ import annotations

import math

import numpy as np

from .._model import Model
from ..task import Expr, Task, dot, every, isfinite, normal, total, uniform, where
from ._terms import Range, inside, limited, planar_progress, progress, survive


def ant(
    model: Model,
    *,
    forward_reward_weight: float = 1.0,
    ctrl_cost_weight: float = 0.5,
    contact_cost_weight: float = 5e-4,
    healthy_reward: float = 1.0,
    main_body: int | str = 1,
    terminate_when_unhealthy: bool = True,
    healthy_z_range: Range = (0.2, 1.0),
    contact_force_range: Range = (-1.0, 1.0),
    reset_noise_scale: float = 0.1,
    exclude_current_positions_from_observation: bool = True,
    include_cfrc_ext_in_observation: bool = True,
    frame_skip: int = 5,
    max_episode_steps: int | None = 1000,
) -> Task:
    """A four-legged robot that runs along x."""
    task = Task(model, frame_skip=frame_skip, max_episode_steps=max_episode_steps)
    body = model.body(main_body).id
    progress(task, task.xpos[body, 0], task.xpos[body, 1], forward_reward_weight)
    low, high = healthy_z_range
    height = task.qpos[2]
    healthy = every(isfinite(task.qpos)) & every(isfinite(task.qvel)) & (height >= low) & (height <= high)
    survive(task, healthy, healthy_reward, terminate_when_unhealthy)
    forces = limited(_contact_forces(task), contact_force_range)
    task.reward("ctrl", -ctrl_cost_weight * total(task.action**2))
    task.reward("contact", -contact_cost_weight * total(forces**2))
    _observe(task, 2 * exclude_current_positions_from_observation)
    if include_cfrc_ext_in_observation:
        task.observe("cfrc_ext", forces[6:])
    task.reset("qpos", task.qpos0 + uniform(-reset_noise_scale, reset_noise_scale, model.nq))
    task.reset("qvel", reset_noise_scale * normal(model.nv))
    return task


def humanoid(
    model: Model,
    *,
    forward_reward_weight: float = 1.25,
    ctrl_cost_weight: float = 0.1,
    contact_cost_weight: float = 5e-7,
    contact_cost_range: Range = (-math.inf, 10.0),
    healthy_reward: float = 5.0,
    terminate_when_unhealthy: bool = True,
    healthy_z_range: Range = (1.0, 2.0),
    reset_noise_scale: float = 1e-2,
    exclude_current_positions_from_observation: bool = True,
    include_cinert_in_observation: bool = True,
    include_cvel_in_observation: bool = True,
    include_qfrc_actuator_in_observation: bool = True,
    include_cfrc_ext_in_observation: bool = True,
    frame_skip: int = 5,
    max_episode_steps: int | None = 1000,
) -> Task:
    """A humanoid that runs along x."""
    task = Task(model, frame_skip=frame_skip, max_episode_steps=max_episode_steps)
    mass = task.body_mass / total(task.body_mass)
    progress(task, dot(mass, task.xipos[:, 0]), dot(mass, task.xipos[:, 1]), forward_reward_weight)
    survive(task, inside(task.qpos[2], healthy_z_range), healthy_reward, terminate_when_unhealthy)
    forces = _contact_forces(task)
    task.reward("ctrl", -ctrl_cost_weight * total(task.action**2))
    task.reward("contact", -limited(contact_cost_weight * total(forces**2), contact_cost_range))
    _observe(task, 2 * exclude_current_positions_from_observation)
    if include_cinert_in_observation:
        task.observe("cinert", task.cinert[1:])
    if include_cvel_in_observation:
        task.observe("cvel", task.cvel[1:])
    if include_qfrc_actuator_in_observation:
        task.observe("qfrc_actuator", task.qfrc_actuator[6:])
    if include_cfrc_ext_in_observation:
        task.observe("cfrc_ext", forces[6:])
    _reset(task, reset_noise_scale)
    return task


def half_cheetah(
    model: Model,
    *,
    forward_reward_weight: float = 1.0,
    ctrl_cost_weight: float = 0.1,
    reset_noise_scale: float = 0.1,
    exclude_current_positions_from_observation: bool = True,
    frame_skip: int = 5,
    max_episode_steps: int | None = 1000,
) -> Task:
    """A two-legged runner in a plane; its episodes have full length."""
    task = Task(model, frame_skip=frame_skip, max_episode_steps=max_episode_steps)
    planar_progress(task, task.qpos[0], forward_reward_weight)
    task.reward("ctrl", -ctrl_cost_weight * total(task.action**2))
    _observe(task, exclude_current_positions_from_observation)
    task.reset("qpos", task.qpos0 + uniform(-reset_noise_scale, reset_noise_scale, model.nq))
    task.reset("qvel", reset_noise_scale * normal(model.nv))
    return task


def hopper(
    model: Model,
    *,
    forward_reward_weight: float = 1.0,
    ctrl_cost_weight: float = 1e-3,
    healthy_reward: float = 1.0,
    terminate_when_unhealthy: bool = True,
    healthy_state_range: Range = (-100.0, 100.0),
    healthy_z_range: Range = (0.7, math.inf),
    healthy_angle_range: Range = (-0.2, 0.2),
    reset_noise_scale: float = 5e-3,
    exclude_current_positions_from_observation: bool = True,
    frame_skip: int = 4,
    max_episode_steps: int | None = 1000,
) -> Task:
    """A one-legged hopper in a plane."""
    task = Task(model, frame_skip=frame_skip, max_episode_steps=max_episode_steps)
    upright = inside(task.qpos[1], healthy_z_range) & inside(task.qpos[2], healthy_angle_range)
    state = every(inside(task.qpos[2:], healthy_state_range)) & every(inside(task.qvel, healthy_state_range))
    _balance(task, upright & state, forward_reward_weight, ctrl_cost_weight, healthy_reward, terminate_when_unhealthy)
    _observe(task, exclude_current_positions_from_observation, fastest=10.0)
    _reset(task, reset_noise_scale)
    return task


def walker2d(
    model: Model,
    *,
    forward_reward_weight: float = 1.0,
    ctrl_cost_weight: float = 1e-3,
    healthy_reward: float = 1.0,
    terminate_when_unhealthy: bool = True,
    healthy_z_range: Range = (0.8, 2.0),
    healthy_angle_range: Range = (-1.0, 1.0),
    reset_noise_scale: float = 5e-3,
    exclude_current_positions_from_observation: bool = True,
    frame_skip: int = 4,
    max_episode_steps: int | None = 1000,
) -> Task:
    """A two-legged walker in a plane."""
    task = Task(model, frame_skip=frame_skip, max_episode_steps=max_episode_steps)
    upright = inside(task.qpos[1], healthy_z_range) & inside(task.qpos[2], healthy_angle_range)
    _balance(task, upright, forward_reward_weight, ctrl_cost_weight, healthy_reward, terminate_when_unhealthy)
    _observe(task, exclude_current_positions_from_observation, fastest=10.0)
    _reset(task, reset_noise_scale)
    return task


def swimmer(
    model: Model,
    *,
    forward_reward_weight: float = 1.0,
    ctrl_cost_weight: float = 1e-4,
    reset_noise_scale: float = 0.1,
    exclude_current_positions_from_observation: bool = True,
    frame_skip: int = 4,
    max_episode_steps: int | None = 1000,
) -> Task:
    """Three links that swim along x in a viscous medium."""
    task = Task(model, frame_skip=frame_skip, max_episode_steps=max_episode_steps)
    progress(task, task.qpos[0], task.qpos[1], forward_reward_weight)
    task.reward("ctrl", -ctrl_cost_weight * total(task.action**2))
    _observe(task, 2 * exclude_current_positions_from_observation)
    _reset(task, reset_noise_scale)
    return task


def _contact_forces(task: Task) -> Expr:
    """Contact forces on the bodies; none where an episode begins, as Gymnasium computes them after steps only."""
    return where(task.steps > 0, task.cfrc_ext, 0.0)


def _observe(task: Task, skipped: int, fastest: float | None = None) -> None:
    """Positions without the first ones, and velocities."""
    task.observe("qpos", task.qpos[int(skipped) :])
    speed = task.qvel
    task.observe("qvel", speed if fastest is None else limited(speed, (-fastest, fastest)))


def _reset(task: Task, noise: float) -> None:
    """The initial pose with uniform noise, and uniform velocities."""
    task.reset("qpos", task.qpos0 + uniform(-noise, noise, task.model.nq))
    task.reset("qvel", uniform(-noise, noise, task.model.nv))


def _balance(task: Task, healthy: Expr, forward: float, ctrl: float, reward: float, terminate: bool) -> None:
    """What the hopper and the walker are paid for."""
    planar_progress(task, task.qpos[0], forward)
    survive(task, healthy, reward, terminate)
    task.reward("ctrl", -ctrl * total(task.action**2))
    height = task.qpos[1]
    task.metric("z_distance_from_origin", height - float(np.asarray(task.model.qpos0)[1]))

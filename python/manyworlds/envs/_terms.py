"""What several tasks have in common."""

from __future__ import annotations

import math
from collections.abc import Mapping

from ..task import Expr, Task, isfinite, maximum, minimum, norm

Range = tuple[float, float]


def inside(value: Expr, limits: Range) -> Expr:
    """1 for elements strictly inside a range; infinite limits are no limits."""
    low, high = limits
    out = isfinite(value)
    if math.isfinite(low):
        out = out & (value > low)
    if math.isfinite(high):
        out = out & (value < high)
    return out


def limited(value: Expr, limits: Range) -> Expr:
    """Elements limited to a range; infinite limits are no limits."""
    low, high = limits
    if math.isfinite(low):
        value = maximum(value, low)
    return minimum(value, high) if math.isfinite(high) else value


def planar_progress(task: Task, x: Expr, weight: float) -> None:
    """Pays for speed along x, in a plane or on a line."""
    speed = (x - task.before(x)) / task.dt
    task.reward("forward", weight * speed)
    task.metric("x_position", task.qpos[0])
    task.metric("x_velocity", speed)


def progress(task: Task, x: Expr, y: Expr, weight: float) -> None:
    """Pays for speed along x of what moves in all directions."""
    planar_progress(task, x, weight)
    task.metric("y_position", task.qpos[1])
    task.metric("y_velocity", (y - task.before(y)) / task.dt)
    task.metric("distance_from_origin", norm(task.qpos[:2]))


def survive(task: Task, healthy: Expr, reward: float, terminate: bool) -> None:
    """Pays for each step in health, and ends the episode without it."""
    task.reward("survive", reward * healthy)
    if terminate:
        task.terminate("unhealthy", ~healthy)


def weigh(task: Task, terms: Mapping[str, Expr], weights: Mapping[str, float]) -> None:
    """Pays for terms by their weights, which are per second, that of a fall per fall; none for a weight of zero."""
    unknown = set(weights) - set(terms)
    if unknown:
        raise ValueError(f"there is no term '{sorted(unknown)[0]}' of the reward; there are {', '.join(terms)}")
    for name, value in terms.items():
        if weights[name]:
            task.reward(name, weights[name] * (1.0 if name == "fall" else task.dt) * value)

"""Functions of expressions: sums, choices, rotations, random numbers."""

from __future__ import annotations

import math

from ._expression import Expr, Operand, apply, constant, expression


def _reduce(op: str, value: Operand) -> Expr:
    return Expr(op, (expression(value),), 1)


def total(value: Operand) -> Expr:
    """Sum of the elements."""
    return _reduce("sum", value)


def mean(value: Operand) -> Expr:
    """Mean of the elements."""
    expr = expression(value)
    return total(expr) / expr.size


def largest(value: Operand) -> Expr:
    """Largest element."""
    return _reduce("largest", value)


def smallest(value: Operand) -> Expr:
    """Smallest element."""
    return _reduce("smallest", value)


def every(value: Operand) -> Expr:
    """1 if no element is zero, else 0."""
    return smallest(apply("ne", value, 0.0))


def some(value: Operand) -> Expr:
    """1 if some element is not zero, else 0."""
    return largest(apply("ne", value, 0.0))


def dot(a: Operand, b: Operand) -> Expr:
    """Inner product."""
    return total(apply("mul", a, b))


def norm(value: Operand) -> Expr:
    """Euclidean length."""
    return apply("sqrt", dot(value, value))


def where(condition: Operand, then: Operand, otherwise: Operand) -> Expr:
    """Elements of `then` where the condition is not zero, else of `otherwise`."""
    return apply("select", condition, then, otherwise)


def clip(value: Operand, low: Operand, high: Operand) -> Expr:
    """Elements limited to a range."""
    return apply("min", apply("max", value, low), high)


def minimum(a: Operand, b: Operand) -> Expr:
    """The smaller of both, element by element."""
    return apply("min", a, b)


def maximum(a: Operand, b: Operand) -> Expr:
    """The larger of both, element by element."""
    return apply("max", a, b)


def exp(value: Operand) -> Expr:
    """Exponential."""
    return apply("exp", value)


def sin(value: Operand) -> Expr:
    """Sine."""
    return apply("sin", value)


def cos(value: Operand) -> Expr:
    """Cosine."""
    return apply("cos", value)


def sqrt(value: Operand) -> Expr:
    """Square root."""
    return apply("sqrt", value)


def arctan2(y: Operand, x: Operand) -> Expr:
    """Angle from the x axis to the point (x, y)."""
    return apply("atan2", y, x)


def isfinite(value: Operand) -> Expr:
    """1 for numbers, 0 for NaN and infinities."""
    return apply("isfinite", value)


def concat(*values: Operand) -> Expr:
    """One vector after the other."""
    args = tuple(expression(value) for value in values)
    return Expr("concat", args, sum(arg.size for arg in args))


def cross(a: Operand, b: Operand) -> Expr:
    """Cross product of two vectors of three."""
    a, b = expression(a), expression(b)
    return a[[1, 2, 0]] * b[[2, 0, 1]] - a[[2, 0, 1]] * b[[1, 2, 0]]


def rotate(quat: Operand, vector: Operand) -> Expr:
    """A vector turned by a unit quaternion, w first: from a body's frame to the world's."""
    quat, vector = expression(quat), expression(vector)
    axis, twice = quat[1:], 2.0 * cross(quat[1:], vector)
    return vector + quat[0] * twice + cross(axis, twice)


def rotate_inverse(quat: Operand, vector: Operand) -> Expr:
    """A vector turned back by a unit quaternion, w first: from the world's frame to a body's."""
    return rotate(expression(quat) * constant([1, -1, -1, -1]), vector)


def ramp(x: Operand, start: tuple[float, float], end: tuple[float, float]) -> Expr:
    """A line from one point to another, level before and after: `ramp(task.age, (0, 0.2), (1e5, 1.0))`."""
    (a, low), (b, high) = start, end
    if not a < b:
        raise ValueError(f"a ramp begins before it ends, got {a} and {b}")
    return low + (high - low) * clip((expression(x) - a) / (b - a), 0.0, 1.0)


def wrap_angle(angle: Operand) -> Expr:
    """An angle between -pi and pi."""
    turns = apply("floor", (expression(angle) + math.pi) / (2.0 * math.pi))
    return expression(angle) - 2.0 * math.pi * turns


def heading(quat: Operand) -> Expr:
    """Direction in the plane of a body's x axis, from its unit quaternion, w first."""
    axis = rotate(quat, [1.0, 0.0, 0.0])
    return apply("atan2", axis[1], axis[0])


def uniform(low: Operand, high: Operand, size: int = 1) -> Expr:
    """Numbers that are drawn anew each time, each its own, uniform from `low` to `high`.

    They depend on the seed, the world and the step, not on the device or the number of worlds.
    """
    low, high = expression(low), expression(high)
    return low + (high - low) * Expr("uniform", (), max(int(size), low.size, high.size))


def normal(size: int = 1) -> Expr:
    """Numbers that are drawn anew each time, each its own, from the standard normal distribution."""
    return Expr("normal", (), int(size))

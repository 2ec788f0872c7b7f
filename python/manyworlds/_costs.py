"""Costs of motions: user sensors of a model, with formulas and norms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from . import _core
from ._arrays import count_of, real
from ._element import Element
from ._spec import Spec

NORMS: dict[str, tuple[int, int]] = {name: (number, count) for name, number, count in _core.norms()}
"""Norms by name: number in task files, as in MuJoCo MPC, and number of parameters."""

SUCCESS = "success"


def add_cost(
    spec: Spec,
    name: str,
    formula: str,
    norm: str = "quadratic",
    weight: float = 1.0,
    parameters: Sequence[float] = (),
    *,
    size: int = 1,
    terminal: float | None = None,
) -> Element:
    """Adds a cost to a model: `weight` times a norm of a formula, at each step of a plan and at its end.

    name: of the user sensor that holds the residual, and of its formula, the custom text `formula:NAME`.
    formula: what is to be zero, such as `"cos(qpos(hinge)) - 1"`, or the name of a sensor.
    norm: one of NORMS, such as "quadratic", "smooth_abs", "L2" or "cosh".
    parameters: of the norm, such as the width within which "smooth_abs" is quadratic.
    size: how many numbers the formula has.
    terminal: weight at the end of a plan, where it is another one.

    Returns the sensor. A wrong formula is an error of `spec.compile`. Raises ValueError for an unknown norm, parameters
    or weights out of range, or a name that is taken.
    """
    if name == SUCCESS:
        raise ValueError(f"'{SUCCESS}' is what add_success adds: give the cost another name")
    given = [real("a parameter", value) for value in parameters]
    number = _core.norm_number(norm, given)
    weights = [_weight("weight", weight), 0.0 if terminal is None else _weight("terminal", terminal)]
    size = count_of("size", size, 1)
    numeric = f"terminal:{name}"
    if terminal is not None and numeric in spec._core.names("numeric"):
        raise ValueError(f"the custom numeric '{numeric}' is there already")
    # the largest weight of a slider: what a task file says, and never zero, so that the sensor counts as a cost
    most = max(1.0, 2 * max(weights))
    sensor = _formula(spec, name, formula, size, [number, weights[0], 0.0, most, *given])
    if terminal is not None:
        spec.add("numeric", name=numeric, data=[weights[1]])
    return sensor


def add_success(spec: Spec, formula: str) -> Element:
    """Says when a motion has done what it is for: where the formula is not zero, as `"xpos(head)[2] > 1.2"`.

    Returns the user sensor `success`. Raises ValueError if there is one already.
    """
    return _formula(spec, SUCCESS, formula, 1, None)


def _formula(spec: Spec, name: str, formula: str, size: int, user: list[float] | None) -> Element:
    """Adds a user sensor and its formula."""
    if not isinstance(formula, str):
        raise TypeError(f"the formula of '{name}' is text, got {type(formula).__name__}")
    text = f"formula:{name}"
    for kind, taken in (("sensor", name), ("text", text)):
        if taken in spec._core.names(kind):
            raise ValueError(f"there is a {kind} '{taken}' already: choose another name")
    sensor = spec.add("sensor/user", name=name, dim=size, user=user)
    spec.add("text", name=text, data=formula)
    return sensor


def _weight(name: str, value: Any) -> float:
    weight = real(name, value)
    if not (weight >= 0 and math.isfinite(weight)):
        raise ValueError(f"{name} is {weight}; it has to be at least 0")
    return weight

"""Identification: parameters of a model from a recording."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._arrays import Array
from ._kept import keep
from ._model import Model, PathLike, existing


class Fit(NamedTuple):
    """Parameters as a recording determines them.

    `deviations`, `covariance` and `correlation` are NaN where a bound holds a parameter (`bounds`: "lower" or
    "upper") or the recording does not determine it (`identifiable`). `costs` has half the sum of the squared
    residuals at the start and after each iteration, `errors` the root mean square of the differences of each field,
    in its unit. `model` has the values that were found. `converged` is False where the iterations have ended before a
    minimum; `stop` says why they have: "gradient", "step", "cost", "iterations" or "interrupted".
    """

    names: list[str]
    values: Array
    deviations: Array
    bounds: list[str | None]
    identifiable: list[bool]
    covariance: Array
    correlation: Array
    costs: Array
    converged: bool
    stop: str
    evaluations: int
    residuals: Array
    jacobian: Array
    errors: dict[str, float]
    device: str
    model: Model


def fit(
    model: Model,
    recording: PathLike | Mapping[str, ArrayLike],
    parameters: str | Sequence[str],
    *,
    fields: Sequence[str] | Mapping[str, float | None] = ("qpos", "qvel"),
    segment: int | None = None,
    device: str = "auto",
    iterations: int | None = None,
) -> Fit:
    """Estimates parameters of a model from a recording, by least squares over rollouts.

    `recording` is a file of `manyworlds rollout`, or arrays [frame, world, …] of `qpos`, `qvel`, `act` and `ctrl` as
    far as the model has them, of the compared `fields`, and of `time`, without which frames are a step apart. The
    first frame is where a segment begins; the controls of a frame are those of the steps that lead to it. `segment`
    is the number of frames after which a segment ends and the next begins in the recorded state: all of them where
    not given.

    A parameter is "FIELD:OBJECT", such as "dof_damping:elbow" or "geom_friction:floor[0]", "mass:BODY" for the mass
    with the inertia, or "start_qpos" and "start_qvel" for the states in which segments begin; with "=LOW..HIGH"
    behind it, or "=log:LOW..HIGH", and "@START". Without a start it begins at the value of the model.

    `fields` has the standard deviation of each field, by which differences are divided; where there is none it is the
    root mean square of the motion of each element.

    Ctrl-C ends it within a second; `manyworlds.kept` returns what was found until then, where the iteration under way
    has ended by itself.

    Raises ValueError for an unknown name, an array that is missing or does not fit, and a rollout that diverges, with
    its place; FileNotFoundError for a file that does not exist.
    """
    if not isinstance(model, Model):
        raise TypeError(f"a model is expected, not {type(model).__name__}")
    weighed = fields if isinstance(fields, Mapping) else dict.fromkeys([fields] if isinstance(fields, str) else fields)
    found, raised = _core.fit(
        model._core,
        _arrays(recording),
        [parameters] if isinstance(parameters, str) else list(parameters),
        [(name, None if deviation is None else float(deviation)) for name, deviation in weighed.items()],
        segment,
        device,
        iterations,
    )
    made = None if found is None else Fit(**{**found, "model": Model(found["model"])})
    if raised is not None:
        raise raised if made is None else keep(raised, made, f"{len(made.costs) - 1} iterations")
    return made  # type: ignore[return-value]


def _arrays(recording: PathLike | Mapping[str, ArrayLike]) -> dict[str, Array]:
    """The arrays of a recording, as contiguous doubles."""
    if not isinstance(recording, Mapping):
        with np.load(existing(recording)) as file:
            recording = {name: file[name] for name in file.files}
    arrays = {}
    for name, values in recording.items():
        array = np.asarray(values)
        if array.dtype.kind not in "fiub":
            raise TypeError(f"'{name}': numbers are expected, got dtype {array.dtype}")
        arrays[name] = np.ascontiguousarray(array, dtype=np.float64)
    return arrays

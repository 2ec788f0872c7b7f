"""Synthesis of behaviour: plans that minimise costs of a motion, improved while the motion goes on.

Costs are user sensors of the model with formulas (`add_cost`), or come with a task file. A `Planner` improves a plan
from a state on, an iteration at a time; `plan` moves a model under such plans (model-predictive control).

    spec = mw.Spec.from_xml_path("models/cartpole.xml")
    mw.planning.add_cost(spec, "upright", "cos(qpos(hinge)) - 1", "smooth_abs", 10, [0.1])
    mw.planning.add_cost(spec, "effort", "ctrl", weight=0.1)
    model = spec.compile()
    motion = mw.plan(model, mw.Planner(model, horizon=1.0, timestep=0.02), seconds=3, keyframe="hanging")
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._arrays import Array, count_of, numbers, real
from ._batch import Batch
from ._costs import NORMS, add_cost, add_success
from ._kept import keep
from ._model import Model, read_only
from ._named import Name, find
from ._tables import UnknownNameError, unknown

__all__ = [
    "NORMS",
    "Iteration",
    "Motion",
    "Planner",
    "Settings",
    "add_cost",
    "add_success",
    "plan",
    "state_of",
]

Start = Mapping[str, ArrayLike] | Batch | None
"""Where a plan begins: fields of one world by name, a batch, whose world is taken, or None for the initial state."""

Push = tuple[Name, float, float, Sequence[float]]
"""A force on a body for a while: body, first moment in s, seconds, force [3] at its centre of mass in N."""


class Iteration(NamedTuple):
    """What an iteration of a planner has done.

    before: cost of the plan as it was, from the state in which the iteration begins; infinite if it diverges.
    after: cost of the plan in force; infinite if there is none that does not diverge. The mean that "mppi" and "cem"
        take may cost more than the plan before.
    step: step size that was taken; 0 if the plan stays as it was.
    regularization: penalty on changes of the state (iLQG).
    expected: decrease of the cost that a whole step promised (iLQG).
    seconds: wall-clock seconds by phase.
    notice: why the plan stays as it was, where this is unusual; else None.
    """

    before: float
    after: float
    step: float
    regularization: float
    expected: float
    seconds: dict[str, float]
    notice: str | None


class Motion(NamedTuple):
    """A motion under plans. At every step of the model: the state before the step, its controls, and its sensors.

    time: seconds, [frame].
    qpos, qvel, act, ctrl, sensordata: [frame, nq], [frame, nv], [frame, na], [frame, nu], [frame, nsensordata].
    cost: [frame].
    iterations: what each iteration of the planner has done, those before the motion first.
    iteration_times: time of the motion at which each began, in s, [iteration].
    success: since when the motion has done what it is for, in s; None if it has not, or the model does not say.
    has_goal: True if the model says what success is (`add_success`).
    notice: why the motion ended early, such as a model that diverged, or Ctrl-C; else None.
    """

    time: Array
    qpos: Array
    qvel: Array
    act: Array
    ctrl: Array
    sensordata: Array
    cost: Array
    iterations: list[Iteration]
    iteration_times: Array
    success: float | None
    has_goal: bool
    notice: str | None


class Settings(NamedTuple):
    """Settings of a planner. Times are in s; where neither caller nor model sets them, they are the defaults.

    kind: "ilqg", "sampling", "mppi" or "cem".
    horizon, timestep, steps: length of a plan, time step of the model that plans, and steps of a plan.
    interval, iterations, seconds: what `plan` takes where not given.
    candidates, points, interpolation, spread: plans that are drawn, each a spline; see `Planner`.
    temperature, elites: of MPPI and of the cross-entropy method.
    step_sizes: how many step sizes iLQG tries.
    """

    kind: str
    horizon: float
    timestep: float
    steps: int
    interval: float
    iterations: int
    seconds: float
    candidates: int
    points: int
    interpolation: str
    spread: float
    temperature: float
    elites: int
    step_sizes: int


class Planner:
    """A planner: it improves a plan, an iteration at a time, from wherever a world is.

    The plan is controls over time: `times`, `controls`, and for iLQG the states about which it feeds back, `path`, and
    `gains`. Calls of several threads wait for each other; other Python threads run meanwhile. Ctrl-C ends a call of the
    main thread within a second; an iteration under way then ends by itself, and the next call waits for it.
    """

    __slots__ = ("_core", "_model", "_seed")

    def __init__(
        self,
        model: Model,
        kind: str | None = None,
        *,
        horizon: float | None = None,
        timestep: float | None = None,
        candidates: int | None = None,
        points: int | None = None,
        interpolation: str | None = None,
        spread: float | None = None,
        temperature: float | None = None,
        elites: int | None = None,
        step_sizes: int | None = None,
        solref: Sequence[float] | None = None,
        solimp: Sequence[float] | None = None,
        seed: int = 0,
        device: str = "cpu",
    ) -> None:
        """Makes a planner for a model whose user sensors are costs.

        What is not given is a custom numeric of the model, in parentheses, or a default.

        kind: "ilqg" by derivatives; "sampling", "mppi" (path integrals) or "cem" (cross-entropy method) by drawing
            (`agent_planner`).
        horizon: length of a plan in s (`agent_horizon`, else 0.5).
        timestep: time step of the model that plans, in s (`agent_timestep`, else that of the model).
        candidates: plans that are drawn for an iteration (`sampling_trajectories`, else 64).
        points: points of their splines (`sampling_spline_points`, else 6).
        interpolation: of the splines, "zero", "linear" or "cubic" (`sampling_representation`, else "cubic").
        spread: standard deviation of a draw in half ranges of the controls (`sampling_exploration`, else 0.2).
        temperature: of MPPI, in units of the cost of a whole plan (`mppi_temperature`, else 1).
        elites: best candidates that make the next plan of "cem" (`cem_elites`, else a tenth of the candidates).
        step_sizes: how many step sizes iLQG tries, each a world (`ilqg_num_rollouts`, else 8).
        solref, solimp: contact parameters [2], [5] of the model that plans, where not those of the model
            (`agent_solref`, `agent_solimp`).
        seed: of the draws.
        device: where candidates are stepped, as for a Batch. Few candidates are fastest on the CPU.

        Raises ValueError for a model without costs or controls, or a number out of its range; else as Batch.
        """
        if not isinstance(model, Model):
            raise TypeError(f"a planner is of a Model, got {type(model).__name__}")
        if not isinstance(device, str):
            raise TypeError(f"device is a string, got {type(device).__name__}")
        counts = {"candidates": candidates, "points": points, "elites": elites, "step_sizes": step_sizes}
        times = {"horizon": horizon, "timestep": timestep, "spread": spread, "temperature": temperature}
        given: dict[str, Any] = {
            "kind": kind,
            "interpolation": interpolation,
            "solref": _several("solref", solref, 2),
            "solimp": _several("solimp", solimp, 5),
            **{name: None if value is None else real(name, value) for name, value in times.items()},
            **{name: None if value is None else count_of(name, value, 1) for name, value in counts.items()},
        }
        self._model = model
        self._seed = count_of("seed", seed) % (1 << 64)
        self._core = _core.Planner(model._core, given, self._seed, device)

    @property
    def model(self) -> Model:
        """The model whose motion is planned."""
        return self._model

    @property
    def settings(self) -> Settings:
        """Settings in force: those that were given, else those of the model, else defaults."""
        kind, interpolation, reals, counts = self._core.settings()
        return Settings(kind=kind, interpolation=interpolation, **dict(reals), **dict(counts))

    @property
    def device(self) -> str:
        """Name of the device that steps the candidates."""
        return str(self._core.device)

    def improve(self, state: Start = None, *, world: int = 0, keyframe: Name | None = None) -> Iteration:
        """Improves the plan from a state on by one iteration.

        What is in force stays where "ilqg" and "sampling" find nothing better; "mppi" and "cem" take the mean of what
        they have drawn, whatever it costs.

        state: fields of one world by name, such as `{"time": 0.1, "qpos": qpos, "qvel": qvel}`; fields that are left
            out are those of the keyframe or of the initial state. Or a Batch, whose `world` is taken.
        keyframe: index or name of a keyframe to begin in.

        A plan that diverges is no error: the iteration's `notice` says so. Raises ValueError for a state that is not
        finite or has wrong shapes, UnknownNameError (a KeyError) for an unknown field or keyframe.
        """
        return _iteration(self._core.improve(*_start(self._model, state, world, keyframe)))

    def control(self, time: float, qpos: ArrayLike, qvel: ArrayLike, act: ArrayLike | None = None) -> Array:
        """Controls [nu] of the plan at a time in s, with feedback in the state qpos [nq], qvel [nv], act [na].

        Where the plan has no feedback they do not depend on the state. After the end they are those of the last knot,
        without feedback: nothing is planned there about which the state could be.
        """
        m = self._model
        state = (
            numbers("qpos", qpos, (m.nq,), " [nq]"),
            numbers("qvel", qvel, (m.nv,), " [nv]"),
            numbers("act", 0.0 if act is None else act, (m.na,), " [na]"),
        )
        return self._core.control(real("time", time), *state)

    @property
    def times(self) -> Array:
        """Times of the knots of the plan in s, [knot]: each step of iLQG, the points of a spline of the others.

        Points of a spline stay where they are in time, the first of them at the state from which the last iteration
        began, or before it.
        """
        return read_only(self._core.times)

    @property
    def controls(self) -> Array:
        """Controls at the knots, [knot, nu]."""
        return read_only(self._core.controls)

    @property
    def path(self) -> Array:
        """Planned positions at the knots and at the end, [knot + 1, nq]; no knot where the planner keeps none."""
        return read_only(self._core.path)

    @property
    def gains(self) -> Array:
        """Change of the controls by change of the state (dq, dv, da), [knot, nu, 2 nv + na]; of no knot where there is
        no feedback."""
        return read_only(self._core.gains)

    def __repr__(self) -> str:
        s = self.settings
        return f"<Planner {s.kind} of '{self._model.name}': {s.steps} steps of {s.timestep} s>"


def plan(
    model: Model,
    planner: Planner | str | None = None,
    *,
    seconds: float | None = None,
    interval: float | None = None,
    iterations: int | None = None,
    lag: float | None = None,
    slowdown: float | None = None,
    control_noise: float = 0.0,
    state_noise: float = 0.0,
    pushes: Sequence[Push] = (),
    keyframe: Name | None = None,
    state: Start = None,
    world: int = 0,
    seed: int = 0,
) -> Motion:
    """Moves a model under the plans of a planner: model-predictive control.

    What is not given is a custom numeric of the model, in parentheses, or a default.

    planner: a Planner, whose plan goes on from where it is and may be of another model with the same coordinates and
        controls; or the kind of one, made with `seed`.
    seconds: time of the motion (`agent_seconds`, else 5).
    interval: time from one iteration of the planner to the next, in s (`agent_interval`, else its time step).
    iterations: iterations before the motion begins (`agent_iterations`, else 1).
    lag: time after which a plan is in force, in s; `interval` where not given. A run has the same bits every time.
    slowdown: instead of a lag, plan on a thread of its own while the model moves, so many times slower than real time.
    control_noise: standard deviation of noise on the controls, in half ranges.
    state_noise: standard deviation of noise on positions and velocities that planner and feedback see, in m, rad, m/s,
        rad/s.
    pushes: forces, `(body, time, duration, (fx, fy, fz))` in s and N, that the planner does not know.
    keyframe: index or name of the keyframe to begin in; the initial state where not given.
    state, world: fields that replace those of this state, or a Batch whose world is taken: see Planner.improve.
    seed: of the noise, and of the draws of a planner that is made here.

    Ctrl-C ends it within a second; `manyworlds.kept` returns what was recorded until then. A motion that diverges ends
    early with a `notice`. Raises ValueError for numbers out of range, a lag above the interval, or a planner of another
    model; UnknownNameError (a KeyError) for an unknown body, keyframe or field.
    """
    if not isinstance(model, Model):
        raise TypeError(f"what moves is a Model, got {type(model).__name__}")
    if not isinstance(planner, Planner):
        planner = Planner(model, planner, seed=seed)
    s = planner.settings
    options = {
        "seconds": s.seconds if seconds is None else real("seconds", seconds),
        "interval": s.interval if interval is None else real("interval", interval),
        "iterations": s.iterations if iterations is None else count_of("iterations", iterations),
        "lag": None if lag is None else real("lag", lag),
        "slowdown": None if slowdown is None else real("slowdown", slowdown),
        "control_noise": real("control_noise", control_noise),
        "state_noise": real("state_noise", state_noise),
        "pushes": [_push(model, push) for push in pushes],
        "seed": count_of("seed", seed) % (1 << 64),
    }
    start = _start(model, state, world, keyframe)
    found = _core.plan(model._core, planner._core, *start, options)
    fields, done, times, success, has_goal, notice, raised = found
    motion = Motion(
        **dict(fields),
        iterations=[_iteration(row) for row in done],
        iteration_times=times,
        success=success,
        has_goal=has_goal,
        notice=notice,
    )
    if raised is not None:
        raise keep(raised, motion, f"{len(motion.time)} frames")
    return motion


def state_of(batch: Batch, world: int = 0) -> dict[str, Array]:
    """The state of a world as a planner takes it: time [1], qpos [nq], qvel [nv], act [na], and what else lasts."""
    names = [name for name in _core.planner_state(batch.model._core) if batch.has(name)]
    found = batch.get(names, worlds=[world])
    return {name: np.asarray(values, dtype=np.float64).reshape(-1) for name, values in found.items()}


def _start(model: Model, state: Start, world: int, keyframe: Name | None) -> tuple[int | None, list[tuple[str, Array]]]:
    """A keyframe, and fields that replace those of its state."""
    key = None if keyframe is None else find(model._core, "key", keyframe)[0]
    if state is None:
        return key, []
    if isinstance(state, Batch):
        state = state_of(state, world)
    elif not isinstance(state, Mapping):
        raise TypeError(f"a state is a Batch or fields by name, got {type(state).__name__}")
    known = _core.planner_state(model._core)
    for name in state:
        if name not in known:
            raise UnknownNameError(unknown("field of a state", name, known))
    return key, [(name, _row(name, values)) for name, values in state.items()]


def _row(name: str, values: ArrayLike) -> Array:
    """Numbers one after the other."""
    array = np.asarray(values)
    if array.dtype.kind not in "fiub":
        raise TypeError(f"'{name}': numbers are expected, got dtype {array.dtype}")
    return np.ascontiguousarray(array, dtype=np.float64).reshape(-1)


def _iteration(row: Any) -> Iteration:
    before, after, step, regularization, expected, seconds, notice = row
    return Iteration(before, after, step, regularization, expected, dict(seconds), notice)


def _push(model: Model, push: Push) -> tuple[int, float, float, list[float]]:
    try:
        body, time, duration, force = push
    except (TypeError, ValueError):
        raise ValueError(f"a push is (body, time, duration, (fx, fy, fz)), got {push!r}") from None
    found = find(model._core, "body", body)[0]
    forces = _several("the force of a push", force, 3)
    return found, real("time", time), real("duration", duration), forces or []


def _several(name: str, values: Sequence[float] | None, count: int) -> list[float] | None:
    if values is None:
        return None
    array = np.asarray(values, dtype=np.float64)
    if array.shape != (count,):
        raise ValueError(f"{name} has shape [{count}], got {list(array.shape)}")
    return [float(x) for x in array]

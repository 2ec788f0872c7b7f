"""Tasks: what an agent sees, what it is paid for and when an episode ends, as expressions over the fields of a world.

    from manyworlds.task import Task, norm, normal, total, uniform

    task = Task(model, frame_skip=5, max_episode_steps=1000)
    x = task.qpos[0]
    task.observe("position", task.qpos[1:])
    task.observe("velocity", task.qvel)
    task.reward("forward", (x - task.before(x)) / task.dt)
    task.reward("control", -0.1 * total(task.action**2))
    task.terminate("fallen", task.qpos[2] < 0.3)
    task.reset("qpos", task.qpos0 + uniform(-0.1, 0.1, model.nq))

Nothing is computed here: the expressions are compiled to one more kernel, and to its twin on the CPU, and are evaluated
where the worlds are. An expression is a vector; a single number goes with a vector of any length.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._arrays import Array
from ._expression import Expr, FieldExpr, Nodes, Operand, constant, expression
from ._functions import (
    clip,
    concat,
    cos,
    cross,
    dot,
    every,
    exp,
    isfinite,
    largest,
    maximum,
    mean,
    minimum,
    norm,
    normal,
    rotate,
    rotate_inverse,
    sin,
    smallest,
    some,
    total,
    uniform,
    where,
)
from ._model import Model
from ._named import Name, find, match, resolve
from ._tables import DATA, KINDS, MODEL, OBJECTS, UnknownNameError, unknown


class Named:
    """Objects of one kind; an attribute is the expression of their elements."""

    def __init__(self, task: Task, kind: str, ids: list[int]) -> None:
        self._task, self._kind, self._ids = task, kind, ids

    @property
    def id(self) -> list[int]:
        """Ids of the objects."""
        return self._ids

    def __getattr__(self, attribute: str) -> Expr:
        core = self._task.model._core
        field, found = resolve(core, KINDS[self._kind], self._ids, attribute, (DATA, MODEL))
        return FieldExpr("field", found.ravel(), name=field.name)


class Task:
    """A task for worlds of a model.

    Fields of a world and of the model are expressions under their names (`task.qpos`, `task.body_mass`), those of
    objects too (`task.body("torso").xpos`, `task.sensor("gyro").data`).

    frame_skip: steps of the model per step of the environment.
    max_episode_steps: after so many, an episode is truncated; None for never.
    action_low, action_high: bounds of an action; the control ranges of the model where not given.
    action_size: numbers of an action; the model's `nu` where not given.

    In a step, `action` and the variables before it are used by `write`, then the model is stepped. Rewards and
    terminations are computed from the fields after that and from the variables as they were; then the variables are
    renewed, and observations computed from the new ones. Where an episode begins, all fields are reset, then those of
    `reset`; then the variables begin anew.
    """

    def __init__(
        self,
        model: Model,
        *,
        frame_skip: int = 1,
        max_episode_steps: int | None = None,
        action_size: int | None = None,
        action_low: ArrayLike | None = None,
        action_high: ArrayLike | None = None,
        keyframe: Name | None = None,
    ) -> None:
        if not isinstance(model, Model):
            raise TypeError(f"a task is for a Model, got {type(model).__name__}")
        self.model = model
        self.frame_skip = int(frame_skip)
        self.max_episode_steps = max_episode_steps
        self.keyframe = None if keyframe is None else find(model._core, "key", keyframe)[0]
        size = model.nu if action_size is None else int(action_size)
        low, high = action_low, action_high
        if action_size is None or size == model.nu:
            limited = np.asarray(model.actuator_ctrllimited).astype(bool)
            ranges = np.where(limited[:, None], np.asarray(model.actuator_ctrlrange), [-1.0, 1.0])
            low = ranges[:, 0] if low is None else low
            high = ranges[:, 1] if high is None else high
        low, high = (-1.0 if low is None else low), (1.0 if high is None else high)
        self.action_low: Array = np.broadcast_to(np.asarray(low, dtype=np.float64), (size,)).copy()
        self.action_high: Array = np.broadcast_to(np.asarray(high, dtype=np.float64), (size,)).copy()
        self._variables: list[dict[str, Any]] = []
        self._writes: list[dict[str, Any]] = []
        self._resets: list[dict[str, Any]] = []
        self._observation: dict[str, Expr] = {}
        self._reward: dict[str, Expr] = {}
        self._termination: dict[str, Expr] = {}
        self._metrics: dict[str, Expr] = {}

    def __repr__(self) -> str:
        sizes = f"{self.observation_size} observed, action of {len(self.action_low)}"
        return f"<Task of '{self.model.name}': {sizes}>"

    # What an expression may read

    @property
    def dt(self) -> float:
        """Seconds of a step of the environment."""
        return float(self.model.opt.timestep) * self.frame_skip

    @property
    def action(self) -> Expr:
        """The action of this step."""
        return FieldExpr("action", np.arange(len(self.action_low)))

    @property
    def steps(self) -> Expr:
        """Steps of the environment since the episode began, this one included."""
        return Expr("steps", (), 1)

    def field(self, name: str) -> Expr:
        """A field of the world or of the model, by name."""
        entry = DATA.get(name) or MODEL.get(name)
        if entry is None:
            raise UnknownNameError(unknown("field", name, [*DATA, *MODEL]))
        shape = tuple(d if isinstance(d, int) else self.model._size(d) for d in entry.dims)
        return FieldExpr("field", np.arange(int(np.prod(shape))).reshape(shape), name=name)

    def formula(self, text: str, **names: Operand) -> Expr:
        """An expression as text, in the language of formulas in model files: `task.formula("norm(tip - goal)")`.

        Names are those of sensors, of custom numerics, of the model's named values and of fields; `names` gives some
        to expressions: `task.formula("-0.1*sum(a*a)", a=task.action)`.
        """
        nodes = Nodes()
        places = [(name, nodes.add(expression(value))) for name, value in names.items()]
        made, value = self.model._core.expression(text, json.dumps(nodes.list), places)
        exprs = nodes.exprs()
        for node in json.loads(made)[len(exprs) :]:
            args = tuple(exprs[k] for k in node.pop("args", ()))
            exprs.append(Expr(node.pop("op"), args, node.pop("size"), **node))
        return exprs[value]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in DATA or name in MODEL:
            return self.field(name)
        for kind in OBJECTS.values():
            if name == kind.name:
                return lambda one: Named(self, kind.name, find(self.model._core, kind.name, one))
            if name == kind.plural:
                return lambda pattern: Named(self, kind.name, match(self.model._core, kind.name, pattern))
        raise AttributeError(unknown("field or kind of objects", name, [*DATA, *MODEL, *OBJECTS]))

    # What a task is made of

    def observe(self, name: str, value: Operand) -> None:
        """Adds to what is observed; the order is that of the calls."""
        _once(self._observation, "observation", name)[name] = expression(value)

    def reward(self, name: str, value: Operand) -> None:
        """Adds a term to the reward: a single number."""
        _once(self._reward, "reward", name)[name] = _single("reward", name, value)

    def terminate(self, name: str, value: Operand) -> None:
        """Ends an episode where a number is not zero. Worlds that diverged end in any case."""
        _once(self._termination, "termination", name)[name] = _single("termination", name, value)

    def metric(self, name: str, value: Operand) -> None:
        """Adds a number to what a step reports beside the reward."""
        _once(self._metrics, "metric", name)[name] = _single("metric", name, value)

    def variable(self, name: str, reset: Operand, update: Operand | None = None) -> Expr:
        """Numbers that a world remembers: `reset` where an episode begins, `update` after each step.

        Without `update` they are kept until the episode ends. Both may use what they were; set `update` later with
        `renew`, where it uses the variable itself.
        """
        if any(v["name"] == name for v in self._variables):
            raise ValueError(f"there is a variable '{name}' already")
        start = expression(reset)
        variable = FieldExpr("variable", np.arange(start.size), name=name)
        self._variables.append({"name": name, "reset": start, "update": variable})
        if update is not None:
            self.renew(variable, update)
        return variable

    def renew(self, variable: Expr, update: Operand) -> None:
        """Says what a variable is after each step."""
        value = expression(update)
        entry = next(v for v in self._variables if v["name"] == variable.data.get("name"))
        if value.size not in (1, entry["reset"].size):
            raise ValueError(f"variable '{entry['name']}' has length {entry['reset'].size}, its update {value.size}")
        entry["update"] = value

    def before(self, value: Operand) -> Expr:
        """What an expression of fields was after the step before, or when the episode began."""
        value = expression(value)
        return self.variable(f"before {len(self._variables)}", value, value)

    def write(self, field: str | Expr, value: Operand) -> None:
        """Sets a field of the state, or some elements of one, before the model is stepped: controls, forces, poses.

        Where no field `ctrl` is written, the action is the control.
        """
        self._writes.append(self._assignment(field, value))

    def reset(self, field: str | Expr, value: Operand) -> None:
        """Sets a field of the state, or some elements of one, where an episode begins; values see the reset fields."""
        self._resets.append(self._assignment(field, value))

    def _assignment(self, field: str | Expr, value: Operand) -> dict[str, Any]:
        target = self.field(field) if isinstance(field, str) else field
        if target.op != "field":
            raise TypeError(f"a field or elements of one are set, got {target!r}")
        expr = expression(value)
        if expr.size not in (1, target.size):
            raise ValueError(f"'{target.data['name']}' has {target.size} elements here, the value {expr.size}")
        return {"field": target.data["name"], "elements": target.data["elements"], "value": expr}

    # What others need to know

    @property
    def observation_size(self) -> int:
        """Length of an observation."""
        return sum(value.size for value in self._observation.values())

    @property
    def observation_slices(self) -> dict[str, slice]:
        """Where the parts of an observation are."""
        out, start = {}, 0
        for name, value in self._observation.items():
            out[name] = slice(start, start + value.size)
            start += value.size
        return out

    @property
    def reward_names(self) -> list[str]:
        """Names of the terms of the reward."""
        return list(self._reward)

    @property
    def metric_names(self) -> list[str]:
        """Names of the metrics."""
        return list(self._metrics)

    def to_dict(self) -> dict[str, Any]:
        """The task as plain data, for the engine: expressions are numbers of `nodes`, each after those that it uses."""
        nodes = Nodes()
        named = lambda terms: [{"name": name, "value": nodes.add(value)} for name, value in terms.items()]  # noqa: E731
        assigned = lambda all: [{**one, "value": nodes.add(one["value"])} for one in all]  # noqa: E731
        writes = list(self._writes)
        if not any(write["field"] == "ctrl" for write in writes) and self.model.nu:
            writes.insert(0, self._assignment("ctrl", self.action))
        return {
            "frame_skip": self.frame_skip,
            "max_episode_steps": self.max_episode_steps,
            "keyframe": self.keyframe,
            "action": len(self.action_low),
            "variables": [
                {"name": v["name"], "reset": nodes.add(v["reset"]), "update": nodes.add(v["update"])}
                for v in self._variables
            ],
            "writes": assigned(writes),
            "resets": assigned(self._resets),
            "observation": named(self._observation),
            "reward": named(self._reward),
            "termination": named(self._termination),
            "metrics": named(self._metrics),
            "nodes": nodes.list,
        }


def _single(what: str, name: str, value: Operand) -> Expr:
    expr = expression(value)
    if expr.size != 1:
        raise ValueError(f"the {what} '{name}' is a single number, got a vector of length {expr.size}; use total()")
    return expr


def _once(terms: dict[str, Expr], what: str, name: str) -> dict[str, Expr]:
    if name in terms:
        raise ValueError(f"there is a {what} '{name}' already")
    return terms


__all__: Sequence[str] = [
    "Expr",
    "Task",
    "clip",
    "concat",
    "constant",
    "cos",
    "cross",
    "dot",
    "every",
    "exp",
    "isfinite",
    "largest",
    "maximum",
    "mean",
    "minimum",
    "norm",
    "normal",
    "rotate",
    "rotate_inverse",
    "sin",
    "smallest",
    "some",
    "total",
    "uniform",
    "where",
]

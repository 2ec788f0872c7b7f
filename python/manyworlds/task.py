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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._arrays import Array
from ._expression import Expr, FieldExpr, Nodes, Operand, Rewritten, Table, apply, constant, expression, take
from ._functions import (
    arctan2,
    clip,
    concat,
    cos,
    cross,
    dot,
    every,
    exp,
    heading,
    isfinite,
    largest,
    maximum,
    mean,
    minimum,
    norm,
    normal,
    ramp,
    rotate,
    rotate_inverse,
    sin,
    smallest,
    some,
    sqrt,
    total,
    uniform,
    where,
    wrap_angle,
)
from ._model import Model
from ._named import Name, find, match, resolve
from ._tables import DATA, KINDS, MODEL, OBJECTS, UnknownNameError, unknown

# The group of what is observed where none is named.
POLICY = "policy"

Range = tuple[float, float]


@dataclass(frozen=True)
class Delay:
    """How late a value comes, in steps of the environment: each world has a lag of its own.

    low, high: least and most lag; it is drawn between them where an episode begins, and then again and again.
    hold: probability that a lag stays as it is when it would be drawn anew.
    period: steps from one draw to the next; None for one draw in an episode.
    stagger: worlds draw in steps of their own, rather than all in the same one.

    A value of before the episode is that with which it begins.
    """

    low: int = 0
    high: int = 1
    hold: float = 0.0
    period: int | None = 1
    stagger: bool = True

    def __post_init__(self) -> None:
        if not 0 <= self.low <= self.high or int(self.low) != self.low or int(self.high) != self.high:
            raise ValueError(f"a delay goes from 0 or more steps up, got {self.low} to {self.high}")
        if not 0.0 <= self.hold <= 1.0:
            raise ValueError(f"a lag is held with a probability between 0 and 1, got {self.hold}")
        if self.period is not None and (self.period < 1 or int(self.period) != self.period):
            raise ValueError(f"a lag is drawn every 1 or more steps, got {self.period}")


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
        self._observation: dict[str, dict[str, Expr]] = {}
        self._commands: dict[str, list[dict[str, Any]]] = {}
        # what variables that are kept over episodes are in the one that begins
        self._kept: dict[str, Expr] = {}
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
        """The action of this step; zeros where an episode begins."""
        return FieldExpr("action", np.arange(len(self.action_low)))

    @property
    def steps(self) -> Expr:
        """Steps of the environment since the episode began, this one included."""
        return Expr("steps", (), 1)

    @property
    def age(self) -> Expr:
        """Steps of the environment since the seed was set, of all episodes of the world."""
        return FieldExpr("field", np.arange(1), name="task_tick")

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

    def observe(
        self,
        name: str,
        value: Operand,
        *,
        noise: Operand | None = None,
        clip: Range | None = None,
        scale: Operand | None = None,
        delay: Delay | int | None = None,
        history: int = 1,
        group: str = POLICY,
    ) -> None:
        """Adds to what is observed; the order is that of the calls, group by group.

        noise: half-width of numbers that are drawn uniformly and added in each step; or an expression that is added,
            such as `0.1 * normal(3)`.
        clip: least and most. scale: a factor, or one for each element.
        delay: how late the value comes: see Delay; a number is a lag that stays.
        history: so many of the last values are observed, the oldest first; before the episode they are its first.
        group: who observes it: the policy, or another group, such as a critic that knows more.

        A value gets its noise, is clipped, scaled, delayed, and then remembered, in this order.
        """
        seen = _measured(name, expression(value), noise, clip, scale)
        delay = None if delay is None else _delay(delay)
        if history < 1 or int(history) != history:
            raise ValueError(f"'{name}': a history has at least the present value, got {history}")
        terms = self._observation.setdefault(group, {})
        _once(terms, "observation", name)
        label = name if group == POLICY else f"{group}/{name}"
        late = now = seen
        if delay is not None and delay.high > 0:
            late, now = self._delayed(label, seen, delay, delay.high + 1)
        if history > 1:
            past = self.variable(f"history of {label}", concat(*[seen] * history))
            self.renew(past, concat(past[seen.size :], now))
            late = past
        terms[name] = late

    def late(self, value: Operand, delay: Delay | int) -> Expr:
        """A value that comes late, where variables are as they were: in `write`, `reward`, `terminate` and `metric`.

        `task.write("ctrl", task.late(task.action, Delay(0, 2)))` are commands that need up to two steps.
        """
        delay, value = _delay(delay), expression(value)
        if delay.high == 0:
            return value
        return self._delayed(f"late {len(self._variables)}", value, delay, delay.high)[1]

    def _delayed(self, label: str, value: Expr, delay: Delay, rows: int) -> tuple[Expr, Expr]:
        """A late value where variables are renewed, and where they are as they were."""
        draw = constant(delay.low)
        if delay.high > delay.low:
            draw = minimum(apply("floor", uniform(delay.low, delay.high + 1)), delay.high)
        lag = self.variable(f"lag of {label}", draw)
        after: Expr = lag
        if delay.high > delay.low and delay.period is not None:
            after = draw
            if delay.hold > 0.0:
                after = where(uniform(0.0, 1.0) < delay.hold, lag, after)
            if delay.period > 1:
                phase = constant(0.0)
                if delay.stagger:
                    phase = self.variable(f"phase of {label}", apply("floor", uniform(0.0, delay.period)))
                # to the nearest turn, whatever a quotient is rounded to
                turn = (self.steps + phase) / delay.period
                off = abs(turn - apply("floor", turn + 0.5)) * delay.period
                after = where(off < 0.5, after, lag)
            self.renew(lag, after)
        flat = self.variable(f"past of {label}", concat(*[value] * rows))
        self.renew(flat, concat(value, flat[: -value.size]) if rows > 1 else value)
        past = FieldExpr("variable", np.arange(rows * value.size).reshape(rows, value.size), name=flat.data["name"])
        # the lag of this step, which the value has where variables are renewed
        return take(past, lag), where(after < 1.0, value, take(past, after - 1.0))

    def command(
        self, name: str, draw: Operand, *, seconds: Range = (4.0, 8.0), numbers: Mapping[str, Range] | None = None
    ) -> Expr:
        """Numbers that are asked of an agent: drawn where an episode begins, and anew every few seconds.

        draw: the numbers, such as `uniform(low, high)`. seconds: least and most time from one draw to the next.
        numbers: their names and ranges, for windows and pages where a user gives the command.
        """
        if not 0.0 < seconds[0] <= seconds[1]:
            raise ValueError(
                f"command '{name}': drawn every {seconds[0]} to {seconds[1]} seconds, which are no such time"
            )
        over = self.every(f"seconds left of {name}", seconds)
        drawn = expression(draw)
        command = self.variable(name, drawn)
        self.renew(command, where(over, drawn, command))
        named = {str(k): (-1.0, 1.0) for k in range(drawn.size)} if numbers is None else dict(numbers)
        if len(named) != drawn.size:
            raise ValueError(f"command '{name}' has {drawn.size} numbers, {len(named)} of them are named")
        self._commands[name] = [
            {"name": number, "low": float(low), "high": float(high)} for number, (low, high) in named.items()
        ]
        return command

    def every(self, name: str, seconds: Range) -> Expr:
        """1 in a step every few seconds, drawn anew each time, else 0; where variables are as they were."""
        left = self.variable(name, uniform(*seconds))
        # to the nearest step, whatever a sum of steps is rounded to
        over = left < 1.5 * self.dt
        self.renew(left, where(over, uniform(*seconds), left - self.dt))
        return over

    def level(
        self,
        name: str,
        count: int,
        up: Operand,
        down: Operand = 0.0,
        *,
        first: int | tuple[int, int] = 0,
        beyond: str = "stay",
    ) -> Expr:
        """How hard an episode is, in `count` levels from 0 up: each world has its own, and keeps it over episodes.

        up, down: conditions at the end of an episode, by which the next is a level harder, or easier.
        first: level with which a world begins, or the least and most of which it draws one.
        beyond: "stay" or "random": what follows the last level.

        Where an episode begins, `reset` and the first values of variables and commands see its own level.
        """
        if count < 1 or beyond not in ("stay", "random"):
            raise ValueError(f"level '{name}': at least one level, and beyond is 'stay' or 'random'")
        low, high = first if isinstance(first, tuple) else (int(first), int(first))
        if not 0 <= low <= high < count:
            raise ValueError(f"level '{name}': the first is one of {count}, got {first}")
        rises = self.variable(f"rise of {name}", 0.0, apply("ne", _single("condition", f"up of {name}", up), 0.0))
        falls = self.variable(f"fall of {name}", 0.0, apply("ne", _single("condition", f"down of {name}", down), 0.0))
        start = constant(low) if low == high else minimum(apply("floor", uniform(low, high + 1)), high)
        level = self.variable(name, 0.0)
        then = level + rises - falls
        if beyond == "random":
            anywhere = minimum(apply("floor", uniform(0.0, count)), count - 1)
            then = where(then > count - 1, anywhere, then)
        following = where(self.age.equals(0.0), start, clip(then, 0.0, count - 1))
        self._variable(level)["reset"] = self._kept[name] = following
        return level

    def reward(self, name: str, value: Operand) -> None:
        """Adds a term to the reward: a single number."""
        _once(self._reward, "reward", name)[name] = _single("reward", name, value)

    def terminate(self, name: str, value: Operand, *, grace: float = 0.0, lasting: float = 0.0) -> None:
        """Ends an episode where a number is not zero. Worlds that diverged end in any case.

        grace: seconds from the begin of an episode in which it does not. lasting: seconds for which the condition holds
        without a break before it does.
        """
        ends = _single("termination", name, value)
        if lasting > 0.0:
            held = self.variable(f"seconds of {name}", 0.0)
            now = where(ends, held + self.dt, 0.0)
            self.renew(held, now)
            # as many steps as last so long, whatever a sum of steps is rounded to
            ends = apply("and", ends, now > lasting - 0.5 * self.dt)
        if grace > 0.0:
            ends = apply("and", ends, self.steps > float(np.floor(grace / self.dt + 1e-6)))
        _once(self._termination, "termination", name)[name] = ends

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
        entry = self._variable(variable)
        if value.size not in (1, entry["reset"].size):
            raise ValueError(f"variable '{entry['name']}' has length {entry['reset'].size}, its update {value.size}")
        entry["update"] = value

    def _variable(self, variable: Expr) -> dict[str, Any]:
        """What is known of a variable."""
        found = [v for v in self._variables if v["name"] == variable.data.get("name")]
        if not isinstance(variable, Expr) or variable.op != "variable" or not found:
            raise TypeError(f"a variable of the task is renewed, got {variable!r}")
        return found[0]

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
        return sum(value.size for terms in self._observation.values() for value in terms.values())

    @property
    def observation_slices(self) -> dict[str, slice]:
        """Where the parts of an observation are; those of other groups than the policy's as "group/name"."""
        out, start = {}, 0
        for group, terms in self._observation.items():
            for name, value in terms.items():
                label = name if group == POLICY else f"{group}/{name}"
                out[label] = slice(start, start + value.size)
                start += value.size
        return out

    @property
    def observation_groups(self) -> dict[str, slice]:
        """Where the groups of an observation are."""
        out, start = {}, 0
        for group, terms in self._observation.items():
            size = sum(value.size for value in terms.values())
            out[group] = slice(start, start + size)
            start += size
        return out

    def groups(self, observation: Array) -> dict[str, Array]:
        """Observations [world, observation] by group, as views."""
        return {name: observation[..., part] for name, part in self.observation_groups.items()}

    @property
    def command_names(self) -> list[str]:
        """Names of the commands."""
        return list(self._commands)

    @property
    def reward_names(self) -> list[str]:
        """Names of the terms of the reward."""
        return list(self._reward)

    @property
    def metric_names(self) -> list[str]:
        """Names of the metrics."""
        return list(self._metrics)

    def _described(self) -> list[dict[str, Any]]:
        """Commands for the engine: the variable of each, that of its time, its numbers."""
        commands = self._commands.items()
        return [{"name": name, "timer": f"seconds left of {name}", "numbers": numbers} for name, numbers in commands]

    def to_dict(self) -> dict[str, Any]:
        """The task as plain data, for the engine: expressions are numbers of `nodes`, each after those that it uses."""
        nodes = Nodes()
        begun = Rewritten(self._kept)
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
                {
                    "name": v["name"],
                    "reset": nodes.add(v["reset"] if v["name"] in self._kept else begun.of(v["reset"])),
                    "update": nodes.add(v["update"]),
                }
                for v in self._variables
            ],
            "writes": assigned(writes),
            "resets": assigned([{**one, "value": begun.of(one["value"])} for one in self._resets]),
            "observation": [one for terms in self._observation.values() for one in named(terms)],
            "reward": named(self._reward),
            "termination": named(self._termination),
            "metrics": named(self._metrics),
            **({"commands": self._described()} if self._commands else {}),
            **({"table": nodes.table} if nodes.table else {}),
            "nodes": nodes.list,
        }


def _delay(delay: Delay | int) -> Delay:
    """A delay; a number is a lag that stays."""
    if isinstance(delay, Delay):
        return delay
    if not isinstance(delay, Integral):
        raise TypeError(f"a delay is a number of steps, or a Delay, got {delay!r}")
    return Delay(int(delay), int(delay), period=None)


def _measured(name: str, value: Expr, noise: Operand | None, limits: Range | None, scale: Operand | None) -> Expr:
    """A value as an instrument shows it."""
    if noise is not None and expression(noise).size not in (1, value.size):
        raise ValueError(f"'{name}' has length {value.size}, its noise {expression(noise).size}")
    if isinstance(noise, Expr):
        value = value + noise
    elif noise is not None and np.any(np.asarray(noise) != 0.0):
        width = np.asarray(noise, dtype=np.float64)
        value = value + uniform(-width, width, value.size)
    if limits is not None:
        value = clip(value, *limits)
    return value if scale is None else value * scale


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
    "Delay",
    "Expr",
    "Table",
    "Task",
    "clip",
    "concat",
    "constant",
    "arctan2",
    "cos",
    "cross",
    "dot",
    "every",
    "exp",
    "heading",
    "isfinite",
    "largest",
    "maximum",
    "mean",
    "minimum",
    "norm",
    "normal",
    "ramp",
    "rotate",
    "rotate_inverse",
    "sin",
    "sqrt",
    "smallest",
    "some",
    "take",
    "total",
    "uniform",
    "where",
    "wrap_angle",
]

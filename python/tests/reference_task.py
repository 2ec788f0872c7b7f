"""Tasks computed with NumPy over MuJoCo: what the engine's tasks are compared with, and a stand-in for them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import mujoco
import numpy as np

from manyworlds import envs
from manyworlds.task import Task

UNARY: dict[str, Callable[..., Any]] = {
    "neg": np.negative,
    "abs": np.abs,
    "sqrt": np.sqrt,
    "exp": np.exp,
    "log": np.log,
    "sin": np.sin,
    "cos": np.cos,
    "tanh": np.tanh,
    "floor": np.floor,
    "isfinite": np.isfinite,
    "not": np.logical_not,
    "sum": lambda a: np.sum(a, keepdims=True),
    "largest": lambda a: np.max(a, keepdims=True),
    "smallest": lambda a: np.min(a, keepdims=True),
}
BINARY: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "min": np.minimum,
    "max": np.maximum,
    "lt": np.less,
    "le": np.less_equal,
    "eq": np.equal,
    "ne": np.not_equal,
    "and": np.logical_and,
    "or": np.logical_or,
    "atan2": np.arctan2,
}
# Fields that MuJoCo computes only where a sensor, or a caller, asks for them.
AFTER_CONSTRAINT = {"cacc", "cfrc_int", "cfrc_ext"}


def philox(counter: Any, key: Any) -> Any:
    """Random words [4, …] of counters [4, …] (Salmon and others, "Parallel random numbers: as easy as 1, 2, 3")."""
    words, key = np.array(counter, dtype=np.uint64), np.array(key, dtype=np.uint64)
    low = np.uint64(0xFFFFFFFF)
    for _ in range(10):
        one, two = words[0] * np.uint64(0xD2511F53), words[2] * np.uint64(0xCD9E8D57)
        halves = [one >> np.uint64(32), one & low, two >> np.uint64(32), two & low]
        words = np.array([halves[2] ^ words[1] ^ key[0], halves[3], halves[0] ^ words[3] ^ key[1], halves[1]])
        key = (key + np.array([0x9E3779B9, 0xBB67AE85], dtype=np.uint64)) & low
    return words


def unit(words: Any) -> Any:
    """Numbers between 0 and 1."""
    return (words.astype(np.float64) + 0.5) / 2.0**32


def geom_distance(model: Any, data: Any, geom: int, begin: Any, way: Any) -> float:
    """Distance along a ray to one geom, -1 for none."""
    kind, normal = model.geom_type[geom], np.zeros(3)
    if kind == mujoco.mjtGeom.mjGEOM_MESH:
        return float(mujoco.mj_rayMesh(model, data, geom, begin, way, normal))
    if kind == mujoco.mjtGeom.mjGEOM_HFIELD:
        return float(mujoco.mj_rayHfield(model, data, geom, begin, way, normal))
    pose = data.geom_xpos[geom], data.geom_xmat[geom]
    return float(mujoco.mju_rayGeom(*pose, model.geom_size[geom], begin, way, int(kind), None))


class Step(NamedTuple):
    """What a step of the stand-in returns."""

    observation: Any
    reward: Any
    terminated: Any
    truncated: Any


class World:
    """One world of a task: MuJoCo's data, the variables, the number of steps and its own random numbers."""

    def __init__(self, task: dict[str, Any], model: mujoco.MjModel, seed: Any) -> None:
        self.task, self.model, self.data = task, model, mujoco.MjData(model)
        self.seed(*seed)
        self.steps = 0
        self.action = np.zeros(task["action"])
        sizes = [task["nodes"][v["reset"]]["size"] for v in task["variables"]]
        self.sizes = {v["name"]: size for v, size in zip(task["variables"], sizes)}
        self.forget()
        read = {node["name"] for node in task["nodes"] if node["op"] == "field"}
        self.needs_forces = bool(read & AFTER_CONSTRAINT)
        self.terms: dict[str, float] = {}
        self.metrics: dict[str, float] = {}

    def seed(self, seed: int, number: int) -> None:
        """Begins the draws anew."""
        self.key, self.number, self.tick = [seed & 0xFFFFFFFF, seed >> 32], number, 0

    def forget(self) -> None:
        """Forgets the episodes before."""
        self.variables = {name: np.zeros(size) for name, size in self.sizes.items()}

    def draw(self, node: int, size: int) -> Any:
        """Random words of a node, [4, size]."""
        return philox([np.arange(size), *np.full((3, size), [[self.number], [node], [self.tick]])], self.key)

    def field(self, name: str) -> Any:
        """A field of the data or of the model, flat."""
        if name == "task_tick":
            return np.array([self.tick])
        if name == "task_table":
            return np.asarray(self.task.get("table", ()))
        owner = self.data if hasattr(self.data, name) else self.model
        return np.asarray(getattr(owner, name)).reshape(-1)

    def evaluator(self) -> Callable[[int], Any]:
        """Values of nodes, each computed once."""
        nodes, known = self.task["nodes"], {}

        def value(i: int) -> Any:
            if i not in known:
                node = nodes[i]
                args = [value(arg) for arg in node.get("args", ())]
                value_of = np.asarray(self.compute(i, node, args), dtype=float)
                known[i] = np.broadcast_to(value_of, (node["size"],)).copy()
            return known[i]

        return value

    def compute(self, i: int, node: dict[str, Any], args: list[Any]) -> Any:
        """The value of a node."""
        op = node["op"]
        if op in UNARY:
            return UNARY[op](*args)
        if op in BINARY:
            return BINARY[op](*args)
        if op == "const":
            return node["values"]
        if op == "field":
            return self.field(node["name"])[node["elements"]]
        if op == "action":
            return self.action[node["elements"]] if self.steps > 0 else 0.0
        if op == "variable":
            return self.variables[node["name"]][node["elements"]]
        if op == "steps":
            return float(self.steps)
        if op == "pick":
            return args[0][node["elements"]]
        if op == "select":
            return np.where(args[0] != 0, args[1], args[2])
        if op == "concat":
            return np.concatenate(args)
        if op == "ray":
            lines = np.stack([np.broadcast_to(arg, node["size"]) for arg in args], axis=1)
            return [self.first_hit(line, node["geoms"], node["most"]) for line in lines]
        if op in ("row", "recall"):
            rows = self.field(node["name"]) if op == "row" else self.variables[node["name"]]
            number = args[0][0] if np.isfinite(args[0][0]) else 0.0
            first = node["first"] + node["width"] * int(np.clip(np.floor(number), 0, node["count"] - 1))
            return rows[first + np.array(node["elements"])]
        if op == "uniform":
            return unit(self.draw(i, node["size"])[0])
        if op == "normal":
            one, two = unit(self.draw(i, node["size"])[:2])
            return np.sqrt(-2.0 * np.log(one)) * np.cos(2.0 * np.pi * two)
        raise KeyError(f"the reference has no operation '{op}'")

    def first_hit(self, line: Any, geoms: list[int], most: float) -> float:
        """Distance along a line, origin and direction, to the first of some geoms."""
        hits = [geom_distance(self.model, self.data, geom, line[:3].copy(), line[3:].copy()) for geom in geoms]
        return min([most, *(hit for hit in hits if hit >= 0.0)])

    def assign(self, assignments: list[dict[str, Any]]) -> None:
        """Sets fields to values that all see what was before."""
        value = self.evaluator()
        values = [value(one["value"]) for one in assignments]
        for one, new in zip(assignments, values):
            self.field(one["field"])[one["elements"]] = new

    def begin(self) -> Any:
        """Begins an episode; the first observation."""
        keyframe = self.task["keyframe"]
        if keyframe is None:
            mujoco.mj_resetData(self.model, self.data)
        else:
            mujoco.mj_resetDataKeyframe(self.model, self.data, keyframe)
        self.steps = 0
        self.assign(self.task["resets"])
        mujoco.mj_forward(self.model, self.data)
        if self.needs_forces:
            mujoco.mj_rnePostConstraint(self.model, self.data)
        value = self.evaluator()
        self.variables |= {v["name"]: value(v["reset"]) for v in self.task["variables"]}
        seen = self.observation()
        self.tick += 1
        return seen

    def observation(self) -> Any:
        """The observation of the state."""
        value = self.evaluator()
        return np.concatenate([value(part["value"]) for part in self.task["observation"]])

    def step(self, action: Any) -> tuple[Any, float, bool, bool]:
        """One step of the environment: observation, reward, terminated, truncated."""
        task = self.task
        self.action = np.asarray(action, dtype=float)
        self.steps += 1
        self.assign(task["writes"])
        mujoco.mj_step(self.model, self.data, task["frame_skip"])
        if self.needs_forces:
            mujoco.mj_rnePostConstraint(self.model, self.data)
        value = self.evaluator()
        self.terms = {term["name"]: float(value(term["value"])[0]) for term in task["reward"]}
        self.metrics = {one["name"]: float(value(one["value"])[0]) for one in task["metrics"]}
        reward = sum(self.terms.values())
        terminated = any(value(one["value"])[0] != 0 for one in task["termination"])
        terminated = terminated or not np.isfinite(reward)
        self.variables |= {v["name"]: value(v["update"]) for v in task["variables"]}
        limit = task["max_episode_steps"]
        seen = self.observation()
        self.tick += 1
        return seen, reward, terminated, limit is not None and self.steps >= limit


@functools.cache
def _text(model: str) -> str:
    """One of our models as MJCF."""
    name = next(name for name, entry in envs.TASKS.items() if entry.model == model)
    return envs.spec(name).to_xml()


class ReferenceBatch:
    """As much of a batch as the tests of environments need."""

    def __init__(self, worlds: list[World], num_worlds: int) -> None:
        self._worlds, self.num_worlds = worlds, num_worlds
        self.randomized: list[Any] = []

    def randomize(self, *what: Any, **_: Any) -> None:
        """Notes what was asked for."""
        self.randomized += what

    def get(self, name: str) -> Any:
        """A field of every world."""
        return np.array([np.array(getattr(world.data, name)) for world in self._worlds])


class ReferenceEnvironment:
    """`manyworlds.Environment` with NumPy and MuJoCo: the same arguments, methods and arrays, other random numbers."""

    def __init__(
        self,
        task: Task,
        num_worlds: int,
        *,
        device: str = "auto",
        seed: int = 0,
        autoreset: str = "next_step",
        dtype: Any = np.float32,
        first_world: int = 0,
        randomize: Sequence[Any] = (),
        path: str | Path | None = None,
        **_: Any,
    ) -> None:
        if autoreset not in ("next_step", "disabled"):
            raise ValueError(f"autoreset is 'next_step' or 'disabled', got '{autoreset}'")
        self.task, self.num_worlds, self.dtype, self._autoreset = task, num_worlds, dtype, autoreset
        if path is None:
            model = mujoco.MjModel.from_xml_string(_text(task.model.name))
        else:
            model = mujoco.MjModel.from_xml_path(str(path))
        plain = task.to_dict()
        self.worlds = [World(plain, model, [seed, first_world + i]) for i in range(num_worlds)]
        self.batch = ReferenceBatch(self.worlds, num_worlds)
        self.batch.randomized += randomize
        self._first = first_world
        self.closed = False
        self._ended = np.zeros(num_worlds, dtype=bool)
        self._seen = np.zeros((num_worlds, task.observation_size), dtype=dtype)
        self._reported = np.zeros(num_worlds, dtype=bool)
        self._started = False

    def reset(self, worlds: Any = None, *, seed: int | Sequence[int] | None = None) -> Any:
        """Begins episodes in some worlds or in all; observations of all."""
        self._check_open()
        mask = np.zeros(self.num_worlds, dtype=bool)
        mask[slice(None) if worlds is None else worlds] = True
        chosen = np.flatnonzero(mask)
        if seed is not None:
            seeds = [(seed, self._first + i) for i in chosen] if np.ndim(seed) == 0 else [(one, 0) for one in seed]  # type: ignore[union-attr]
            assert len(seeds) == len(chosen)
            for i, one in zip(chosen, seeds):
                self.worlds[i].seed(*one)
                self.worlds[i].forget()
        for i in chosen:
            self._seen[i] = self.worlds[i].begin()
        self._ended[mask] = False
        self._started = True
        return self._seen.copy()

    def step(self, action: Any) -> Step:
        """One step of every world."""
        self._check_open()
        shape = (self.num_worlds, len(self.task.action_low))
        action = np.asarray(action)
        if action.dtype.kind not in "fiub":
            raise TypeError(f"'action' {shape}: numbers are expected, got {action.dtype}")
        if action.shape != shape or not np.isfinite(action).all():
            raise ValueError(f"'action' {shape}: of another shape, or not finite")
        if not self._started:
            self.reset()
        reward = np.zeros(self.num_worlds, dtype=self.dtype)
        terminated, truncated = np.zeros((2, self.num_worlds), dtype=bool)
        for i, world in enumerate(self.worlds):
            if self._autoreset == "next_step" and self._ended[i]:
                self._seen[i] = world.begin()
                world.terms = dict.fromkeys(world.terms, 0.0)
                world.metrics = dict.fromkeys(world.metrics, 0.0)
                continue
            self._seen[i], reward[i], terminated[i], truncated[i] = world.step(action[i])
        self._ended = terminated | truncated
        return Step(self._seen.copy(), reward, terminated, truncated)

    @property
    def reward_terms(self) -> dict[str, Any]:
        """Terms of the reward of the last step."""
        return {name: np.array([w.terms.get(name, 0.0) for w in self.worlds]) for name in self.task.reward_names}

    @property
    def metrics(self) -> dict[str, Any]:
        """Metrics of the last step."""
        return {name: np.array([w.metrics.get(name, 0.0) for w in self.worlds]) for name in self.task.metric_names}

    def close(self) -> None:
        """Ends it."""
        self.closed = True

    def _check_open(self) -> None:
        if self.closed:
            raise RuntimeError("the environment is closed")

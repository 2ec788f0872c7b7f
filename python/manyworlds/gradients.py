"""Rollouts that are differentiated: with NumPy alone, by JAX and by PyTorch.

    simulation = gradients.Simulation(model, num_worlds=16)
    rollout = simulation.jax()          # or simulation.torch()
    motion = rollout(qpos, qvel, act, ctrl)

A rollout takes the state of all worlds and their controls, [world, step, nu], and gives what follows each step.
Gradients are exact (`Batch.derivatives`), in double precision, and go backwards through the rollout step by step:
memory grows with states, and not with their Jacobians.

The orientation of a free or ball joint is a quaternion, whose length has no meaning: gradients by it have no part along
it, and what is asked of its length moves nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ._arrays import count_of, numbers
from ._batch import Batch
from ._model import Model
from .enums import Joint, Status

_DIVERGED = Status.BAD_QPOS | Status.BAD_QVEL | Status.BAD_QACC


class Outcome(NamedTuple):
    """What follows each step of a rollout: qpos, qvel and act after it, sensordata before it; [world, step, ...]."""

    qpos: Any
    qvel: Any
    act: Any
    sensordata: Any


class Start(NamedTuple):
    """Gradient of a cost by the start of a rollout, and by its controls.

    qpos [world, nq], qvel [world, nv], act [world, na], or without worlds where the start was that of all;
    ctrl [world, step, nu].
    """

    qpos: Any
    qvel: Any
    act: Any
    ctrl: Any


class Simulation:
    """Rollouts of one model in worlds side by side, on the CPU, with their gradients."""

    def __init__(self, model: Model, num_worlds: int) -> None:
        """Makes the worlds.

        Raises ValueError for a model with delays: what is under way is no part of the state.
        """
        if model.nhistory:
            raise ValueError(
                "the model has delays or histories, which no gradient goes through: remove nsample and delay, "
                "or plan by sampling"
            )
        self.model = model
        self.num_worlds = count_of("num_worlds", num_worlds, 1)
        self._batch = Batch(model, self.num_worlds, device="cpu", on_status="ignore")
        joints = zip(model.jnt_type.tolist(), model.jnt_qposadr.tolist(), model.jnt_dofadr.tolist())
        # where quaternions begin in qpos, and their turns in qvel
        turns = [
            (adr + 3, dof + 3) if kind == Joint.FREE else (adr, dof)
            for kind, adr, dof in joints
            if kind in (Joint.FREE, Joint.BALL)
        ]
        self._turns = np.array(turns, int).reshape(-1, 2)
        in_turns = (
            {int(adr) + k for adr, _ in turns for k in range(4)},
            {int(dof) + k for _, dof in turns for k in range(3)},
        )
        # coordinates that move as their velocity says
        self._straight = [[i for i in range(n) if i not in used] for n, used in zip((model.nq, model.nv), in_turns)]

    def rollout(self, qpos: ArrayLike, qvel: ArrayLike, act: ArrayLike, ctrl: ArrayLike) -> Outcome:
        """Steps from a state, [world, ...] or the same for all worlds, under controls [world, step, nu].

        Raises ValueError where a world diverges.
        """
        model, batch = self.model, self._batch
        controls = np.asarray(ctrl, float)
        if controls.ndim != 3 or controls.shape[0] != self.num_worlds or controls.shape[2] != model.nu:
            raise ValueError(f"'ctrl' has shape [{self.num_worlds}, steps, {model.nu}], got {list(controls.shape)}")
        bad = np.argwhere(~np.isfinite(controls))
        if bad.size:
            world, step, control = bad[0]
            raise ValueError(f"'ctrl' of world {world} in step {step} has {controls[tuple(bad[0])]} at {control}")
        batch.reset()
        self._set(qpos, qvel, act)
        found: dict[str, list[np.ndarray]] = {name: [] for name in Outcome._fields}
        for step in range(controls.shape[1]):
            batch.set("ctrl", controls[:, step])
            batch.step()
            lost = np.flatnonzero(batch.status & _DIVERGED)
            if lost.size:
                raise ValueError(f"world {lost[0]} diverges in step {step}: what follows has no gradient")
            for name, values in found.items():
                values.append(np.array(batch.get(name)))
        shapes = {"qpos": model.nq, "qvel": model.nv, "act": model.na, "sensordata": model.nsensordata}
        empty = {name: np.zeros((self.num_worlds, 0, n)) for name, n in shapes.items()}
        return Outcome(**{name: np.stack(values, 1) if values else empty[name] for name, values in found.items()})

    def gradient(
        self, qpos: ArrayLike, qvel: ArrayLike, act: ArrayLike, ctrl: ArrayLike, motion: Outcome, cost: Outcome
    ) -> Start:
        """Gradient of a cost by the start and the controls of a rollout.

        motion: what `rollout` gave for this start and these controls.
        cost: derivatives of the cost by each element of the motion.

        Raises ValueError for shapes that are not those of the motion, or where a step has no derivatives.
        """
        model, worlds = self.model, self.num_worlds
        controls = np.asarray(ctrl, float)
        steps = controls.shape[1]
        sizes = {"qpos": model.nq, "qvel": model.nv, "act": model.na, "sensordata": model.nsensordata}
        by = {name: numbers(f"cost.{name}", getattr(cost, name), (worlds, steps, n)) for name, n in sizes.items()}
        start = {"qpos": qpos, "qvel": qvel, "act": act}
        before = {name: self._of_worlds(name, value, sizes[name]) for name, value in start.items()}
        toward = {name: np.zeros((worlds, sizes[name])) for name in before}
        by_controls = np.zeros(controls.shape)
        for step in reversed(range(steps)):
            state = {name: getattr(motion, name)[:, step - 1] if step else before[name] for name in before}
            after = np.asarray(motion.qpos)[:, step]
            # what the cost asks of the state after this step, itself and by way of later steps
            tangent = np.concatenate(
                [
                    self._to_tangent(after, toward["qpos"] + by["qpos"][:, step]),
                    toward["qvel"] + by["qvel"][:, step],
                    toward["act"] + by["act"][:, step],
                ],
                axis=1,
            )
            self._set(**state)
            self._batch.set("ctrl", controls[:, step])
            try:
                a, b, c, d = self._batch.derivatives()
            except ValueError as why:
                raise ValueError(f"step {step}: {why}") from why
            sensed = by["sensordata"][:, step]
            back = np.einsum("wi,wij->wj", tangent, a) + np.einsum("wi,wij->wj", sensed, c)
            by_controls[:, step] = np.einsum("wi,wij->wj", tangent, b) + np.einsum("wi,wij->wj", sensed, d)
            nv = model.nv
            toward = {
                "qpos": self._from_tangent(np.asarray(state["qpos"]), back[:, :nv]),
                "qvel": back[:, nv : 2 * nv],
                "act": back[:, 2 * nv :],
            }
        # one start of all worlds moves all of them
        shared = {name: value.sum(0) if np.ndim(start[name]) == 1 else value for name, value in toward.items()}
        return Start(**shared, ctrl=by_controls)

    def jax(self) -> Callable[..., Outcome]:
        """`rollout` as a function of arrays of JAX, with its gradient by `jax.grad` and others; also under `jax.jit`.

        Numbers are computed in double precision and given in that of the arguments.
        """
        import jax  # type: ignore[import-not-found, unused-ignore]
        import jax.numpy as jnp  # type: ignore[import-not-found, unused-ignore]

        def call(function: Callable[..., tuple[np.ndarray, ...]], shapes: tuple[Any, ...], *arguments: Any) -> Any:
            return jax.pure_callback(function, shapes, *arguments, vmap_method="sequential")

        def host(values: Any) -> list[np.ndarray]:
            return [np.asarray(value, float) for value in values]

        @jax.custom_vjp
        def rollout(qpos: Any, qvel: Any, act: Any, ctrl: Any) -> Outcome:
            given = [jnp.asarray(x) for x in (qpos, qvel, act, ctrl)]
            kind = jnp.result_type(*given, jnp.float32)
            sizes = (self.model.nq, self.model.nv, self.model.na, self.model.nsensordata)
            steps = given[3].shape[1]
            shapes = tuple(jax.ShapeDtypeStruct((self.num_worlds, steps, n), kind) for n in sizes)
            found = call(lambda *x: tuple(v.astype(kind) for v in self.rollout(*host(x))), shapes, *given)
            return Outcome(*found)

        def forward(qpos: Any, qvel: Any, act: Any, ctrl: Any) -> Any:
            motion = rollout(qpos, qvel, act, ctrl)
            return motion, (qpos, qvel, act, ctrl, motion)

        def backward(kept: Any, cost: Outcome) -> Any:
            *given, motion = kept
            given = [jnp.asarray(x) for x in given]
            shapes = tuple(jax.ShapeDtypeStruct(x.shape, x.dtype) for x in given)

            def gradient(*x: Any) -> tuple[np.ndarray, ...]:
                qpos, qvel, act, ctrl = host(x[:4])
                found = self.gradient(qpos, qvel, act, ctrl, Outcome(*host(x[4:8])), Outcome(*host(x[8:])))
                return tuple(v.astype(s.dtype) for v, s in zip(found, shapes))

            return call(gradient, shapes, *given, *motion, *cost)

        rollout.defvjp(forward, backward)
        return rollout

    def torch(self) -> Callable[..., Outcome]:
        """`rollout` as a function of tensors of PyTorch, with its gradient by `backward`."""
        import torch  # type: ignore[import-not-found, unused-ignore]

        simulation = self

        class Rollout(torch.autograd.Function):
            @staticmethod
            def forward(ctx: Any, *given: Any) -> Any:
                motion = simulation.rollout(*(x.detach().cpu().numpy() for x in given))
                found = tuple(torch.as_tensor(x, dtype=given[0].dtype, device=given[0].device) for x in motion)
                ctx.save_for_backward(*given)
                ctx.motion = motion
                return found

            @staticmethod
            def backward(ctx: Any, *cost: Any) -> Any:
                given = ctx.saved_tensors
                qpos, qvel, act, ctrl = (x.detach().cpu().numpy() for x in given)
                by = Outcome(*(x.detach().cpu().numpy() for x in cost))
                found = simulation.gradient(qpos, qvel, act, ctrl, ctx.motion, by)
                return tuple(torch.as_tensor(x, dtype=g.dtype, device=g.device) for x, g in zip(found, given))

        return lambda qpos, qvel, act, ctrl: Outcome(*Rollout.apply(qpos, qvel, act, ctrl))

    def _of_worlds(self, name: str, value: ArrayLike, n: int) -> np.ndarray:
        """A state of each world, or one for all, as [world, n]."""
        array = np.asarray(value, float)
        if array.shape not in ((n,), (self.num_worlds, n)):
            raise ValueError(f"'{name}' has shape [{self.num_worlds}, {n}] or [{n}], got {list(array.shape)}")
        return np.broadcast_to(array, (self.num_worlds, n))

    def _set(self, qpos: ArrayLike, qvel: ArrayLike, act: ArrayLike) -> None:
        sizes = (self.model.nq, self.model.nv, self.model.na)
        for name, value, n in zip(("qpos", "qvel", "act"), (qpos, qvel, act), sizes):
            if n:
                self._batch.set(name, self._of_worlds(name, value, n))

    def _to_tangent(self, qpos: np.ndarray, by: np.ndarray) -> np.ndarray:
        """What derivatives by qpos are by moves of the degrees of freedom."""
        out = np.zeros((len(by), self.model.nv))
        out[:, self._straight[1]] = by[:, self._straight[0]]
        for adr, dof in self._turns:
            # q (1 + ½ ω)
            out[:, dof : dof + 3] = 0.5 * _product(_conjugate(qpos[:, adr : adr + 4]), by[:, adr : adr + 4])[:, 1:]
        return out

    def _from_tangent(self, qpos: np.ndarray, by: np.ndarray) -> np.ndarray:
        """What derivatives by moves of the degrees of freedom are by qpos, whose quaternions only turn."""
        out = np.zeros((len(by), self.model.nq))
        out[:, self._straight[0]] = by[:, self._straight[1]]
        for adr, dof in self._turns:
            q = qpos[:, adr : adr + 4]
            turn = np.concatenate([np.zeros((len(by), 1)), by[:, dof : dof + 3]], axis=1)
            out[:, adr : adr + 4] = 2.0 * _product(q, turn) / (q**2).sum(1, keepdims=True)
        return out


def _conjugate(q: np.ndarray) -> np.ndarray:
    return q * [1.0, -1.0, -1.0, -1.0]


def _product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Products of quaternions, [world, 4]."""
    w, v = a[:, :1], a[:, 1:]
    x, u = b[:, :1], b[:, 1:]
    return np.concatenate([w * x - (v * u).sum(1, keepdims=True), w * u + x * v + np.cross(v, u)], axis=1)

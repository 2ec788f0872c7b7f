"""`Batch`: many worlds of one model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._analysis import Analysis
from ._arrays import Array, Chosen, Worlds, chosen, count_of, numbers, shown
from ._kept import keep
from ._model import Model
from ._named import find
from ._pictures import Pictures
from ._reports import Reports
from ._status import Watch
from ._storage import Storage
from ._tables import DATA, UnknownNameError, unknown
from ._variation import Variation
from .enums import State


class Batch(Variation, Analysis, Pictures, Reports, Storage):
    """Worlds of one model that step together, on a GPU or on all cores of the CPU.

    Arrays have the worlds as their first axis: `batch.qpos` is [world, nq]. Reals are float64 on the CPU and float32
    from a GPU, counts and ids int32. What an attribute returns is read-only, since a change to it would be lost;
    assign whole fields (`batch.qpos = array`), or `get` a copy of your own. Calls of several threads wait for each
    other; other Python threads run meanwhile.
    """

    __slots__ = ()

    def __init__(
        self,
        model: Model,
        num_worlds: int,
        *,
        device: str = "auto",
        seed: int = 0,
        nconmax: int | None = None,
        njmax: int | None = None,
        overflow: str = "grow",
        on_status: str = "warn",
    ) -> None:
        """Makes `num_worlds` worlds in the model's initial state.

        device: "cpu"; "gpu" for any adapter, software ones included; "gpu:0" or part of an adapter's name for that one
            (`manyworlds.adapters()` lists them); "auto" for a hardware GPU where there is one, else the CPU.
        seed: of everything that is drawn by chance.
        nconmax, njmax: contacts and constraint rows that a world has room for at first; measured where not given.
        overflow: where a world needs more room: "grow", "flag" (its status), or "error".
        on_status: where a status bit is raised, such as for a NaN in `ctrl`: "warn" (StatusWarning), "raise"
            (StatusError) or "ignore". On the CPU it is looked for after each call, on a GPU with the next array that is
            read.

        Raises ValueError for an argument that is out of range or a device that does not exist, NotImplementedError for
        a model with features that are not simulated, MemoryError with the number of worlds that fit, RuntimeError
        where there is no GPU.
        """
        if not isinstance(model, Model):
            raise TypeError(f"a batch is of a Model, got {type(model).__name__}")
        worlds = count_of("num_worlds", num_worlds, 1)
        capacities = [None if n is None else count_of(name, n) for name, n in (("nconmax", nconmax), ("njmax", njmax))]
        if not isinstance(device, str):
            raise TypeError(f"device is a string, got {type(device).__name__}")
        watch = Watch(on_status)
        core = _core.Batch(model._core, worlds, device, *capacities, overflow)
        options = {
            "num_worlds": worlds,
            "device": device,
            "seed": count_of("seed", seed) % (1 << 64),
            "overflow": overflow,
            "on_status": on_status,
        }
        values = {
            "model": model,
            "_core": core,
            "_options": options,
            "_watch": watch,
            "_watches": on_status != "ignore",
            "_unreported": False,
            "_episode": 0,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def step(self, n: int = 1) -> None:
        """Steps every world `n` times.

        On a GPU the call returns before the steps are done, unless they are many; reading waits. Ctrl-C ends a long
        call of the main thread within a second, with the bits of as many whole steps as were taken.

        Raises ValueError for a negative number, StatusError as `on_status` says, RuntimeError for a lost device.
        """
        flagged = self._core.step(count_of("n", n))
        if flagged:
            self._report()
        elif flagged is None and self._watches:
            # reported with the next array that is read
            object.__setattr__(self, "_unreported", True)

    def forward(self, worlds: Worlds = None) -> None:
        """Forward dynamics: all that follows from the state, without advancing it; in some worlds or in all."""
        self._core.forward(None if worlds is None else chosen(worlds, self.num_worlds).mask)

    def inverse(self) -> None:
        """Inverse dynamics: the force that produces `qacc`, in `qfrc_inverse`."""
        self._core.inverse()

    def reset(
        self,
        worlds: Worlds = None,
        keyframe: int | str | Sequence[int | str | None] | Array | None = None,
        state: ArrayLike | None = None,
        parts: int = State.FULLPHYSICS,
    ) -> None:
        """Resets some worlds, or all, to the initial state and clears their status.

        keyframe: index or name of a keyframe, or one for each chosen world (None: the initial state).
        state: state vectors [world, size] of `parts`, set after the reset.

        Raises UnknownNameError (a KeyError) or ValueError for a keyframe that does not exist.
        """
        some = chosen(worlds, self.num_worlds)
        keys = None if keyframe is None else self._keys(keyframe, some)
        values = None if state is None else self._state(state, parts, some)
        self._core.reset(some.mask, keys)
        if values is not None:
            self._core.set_state(int(parts), values, some.mask)
        self._watch.reported = {}

    def _keys(self, keyframe: Any, some: Chosen) -> list[int]:
        """A keyframe for each chosen world, in ascending order; -1 for none."""
        core = self.model._core
        one = isinstance(keyframe, str) or np.ndim(keyframe) == 0
        given = [keyframe] * some.count if one else list(keyframe)
        if len(given) != some.count:
            raise ValueError(f"{len(given)} keyframes are given for {some.count} worlds")
        known = {key: -1 if key is None else find(core, "key", key)[0] for key in set(given)}
        keys = [known[key] for key in given]
        return keys if some.order is None else [keys[i] for i in np.argsort(some.order)]

    def copy_world(self, source: int, worlds: Worlds = None) -> None:
        """Copies a world, with its results and its model, to others."""
        self._core.copy_world(count_of("source", source), chosen(worlds, self.num_worlds).mask)

    def rollout(
        self,
        state: ArrayLike | None = None,
        ctrl: ArrayLike | None = None,
        *,
        steps: int | None = None,
        record: Sequence[str] = ("qpos", "qvel"),
        every: int = 1,
        parts: int = State.FULLPHYSICS,
    ) -> dict[str, Array]:
        """Steps every world under given controls and returns fields on the way, by name, each [world, frame, …].

        state: state vectors [world, size] of `parts` to begin with; where not given, the worlds go on as they are.
        ctrl: controls [world, step, nu], or [step, nu] for all; where not given, `steps` steps under the present ones.
        record: fields, or "state" for the state vectors of `parts`; after every `every`-th step.

        The result has the bits of as many single steps. Ctrl-C ends a long call within a second, after whole steps;
        `manyworlds.kept` returns the frames until then.

        Raises ValueError for wrong shapes or numbers, UnknownNameError (a KeyError) for an unknown field.
        """
        every = count_of("every", every, 1)
        nu = self.model._core.size("nu") or 0
        controls = None
        if ctrl is not None:
            axes = np.shape(ctrl)
            if len(axes) not in (2, 3) or axes[-1] != nu:
                raise ValueError(f"'ctrl' has shape [world, step, nu]: [{self.num_worlds}, T, {nu}], got {shown(axes)}")
            if steps is not None and steps != axes[-2]:
                raise ValueError(f"'ctrl' is for {axes[-2]} steps, 'steps' is {steps}: leave one out")
            steps = axes[-2]
            controls = numbers("ctrl", ctrl, (self.num_worlds, steps, nu), " [world, step, nu]")
        if steps is None:
            raise ValueError("give ctrl [world, step, nu], or the number of steps")
        steps = count_of("steps", steps)
        parts_of_state = [name for name, bit in _state_words() if int(parts) & bit]
        wanted: list[str] = []
        for name in record:
            if name != "state" and name not in DATA:
                raise UnknownNameError(unknown("field of a batch", name, [*DATA, "state"]))
            wanted += parts_of_state if name == "state" else [name]
        wanted = list(dict.fromkeys(wanted))
        if state is not None:
            self.set_state(state, parts)
        arrays, raised = self._core.rollout(steps, controls, wanted, every)
        found = dict(zip(wanted, arrays))
        out = {}
        for name in record:
            if name == "state":
                columns = [found[part].reshape(*found[part].shape[:2], -1) for part in parts_of_state]
                out[name] = np.concatenate(columns, axis=2)
            else:
                out[name] = found[name].reshape(found[name].shape[:2]) if DATA[name].is_scalar else found[name]
        if raised is not None:
            frames = max((array.shape[1] for array in out.values()), default=0)
            raise keep(raised, out, f"{frames} frames of each world")
        self._report()
        return out

    def prepare(self) -> None:
        """Builds everything that steps need, so that the first one is as fast as the others."""
        self._core.prepare()

    def wait(self) -> None:
        """Waits until the device has taken all steps."""
        self._core.wait()

    def __repr__(self) -> str:
        if self.closed:
            return f"<Batch of {self.num_worlds} worlds, closed>"
        return f"<Batch of {self.num_worlds} worlds of '{self.model.name}' on {self.device}>"

    def __len__(self) -> int:
        return self.num_worlds

    # Life

    def close(self) -> None:
        """Frees the worlds; later calls raise RuntimeError. Closing twice does nothing."""
        self._core.close()

    @property
    def closed(self) -> bool:
        """True once closed."""
        return self._core.closed

    def __enter__(self) -> Batch:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _state_words() -> list[tuple[str, int]]:
    """Fields of the parts of a state with their bits, in MuJoCo's order."""
    words = [(name, int(bit)) for name, bit in _core.state_words()]
    return sorted(words, key=lambda word: word[1])

"""What is sent to an actor, and what runs in its process."""

from __future__ import annotations

import contextlib
import types
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

try:
    import ray  # type: ignore[import-not-found,unused-ignore]
    from ray import cloudpickle
except ImportError as problem:
    raise ImportError("manyworlds.ray needs Ray: pip install 'manyworlds[ray]'") from problem

from .._status import StatusError

# A method and its arguments.
Call = tuple[str, tuple[Any, ...]]

# What it returns, and the warnings that it gave.
Answer = tuple[Any, list[tuple[str, type[Warning]]]]

# The number of the actor, and of the GPU that Ray gave it, in the name of a device.
ACTOR, GPU = "{}", "{gpu}"


@dataclass(frozen=True)
class Recipe:
    """What makes the object of an actor: `make(device, *own, *shared)`."""

    make: Any
    number: int
    device: str
    own: tuple[Any, ...]


def device_of(device: str, number: int) -> str:
    """The device of an actor, in whose process this is called."""
    if GPU in device:
        given = ray.get_runtime_context().get_accelerator_ids().get("GPU", [])
        if not given:
            raise ValueError(f"device '{device}': Ray gave no GPU to this process; ask for one, num_gpus=1")
        device = device.replace(GPU, given[0])
    return device.replace(ACTOR, str(number))


class Here:
    """Stands for the device of whichever actor unpickles it."""

    device = "auto"

    def __reduce__(self) -> Any:
        return (here, ())


def here() -> str:
    """The device of this process."""
    return Here.device


class Host:
    """What an actor is: it holds an object, and calls its methods."""

    held: Any = None

    def begin(
        self,
        recipe: Recipe,
        shared: bytes,
        frozen: bytes | None = None,
        past: Sequence[Call] = (),
        call: Call | None = None,
    ) -> Answer:
        """Makes the object, or takes a frozen one, repeats what it did since, and calls it."""
        Here.device = device_of(recipe.device, recipe.number)
        if frozen is None:
            held = recipe.make(Here.device, *recipe.own, *cloudpickle.loads(shared))
        else:
            held = recipe.make.thaw(frozen)
        # what was reported then is not reported again
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for method, given in past:
                with contextlib.suppress(StatusError):
                    getattr(held, method)(*given)
        # not before all was repeated: it is never something in between
        self.held = held
        return (None, []) if call is None else self.call(*call)

    def call(self, method: str, given: tuple[Any, ...]) -> Answer:
        """Calls a method of the object."""
        if self.held is None:
            raise RuntimeError("this actor could not be started again, as an error before this one has said")
        with warnings.catch_warnings(record=True) as seen:
            value = getattr(self.held, method)(*given)
        return value, [(str(one.message), one.category) for one in seen]


def packed(values: Mapping[str, Any]) -> bytes:
    """Values as one pickle, by their names; TypeError with the part that cannot be pickled."""
    try:
        return cloudpickle.dumps(tuple(values.values()))  # type: ignore[no-any-return,unused-ignore]
    except Exception as problem:
        path, why = _culprit("", dict(values), problem, set())
        text = (
            f"'{path}' does not pickle: {why}; actors get it as a pickle: make such a part in the function that uses it"
        )
        raise TypeError(text) from problem


def _culprit(path: str, value: Any, problem: Exception, seen: set[int]) -> tuple[str, Exception]:
    """The innermost part that does not pickle, and why."""
    seen.add(id(value))
    parts = _parts(value) if path else value.items()
    for name, part in parts:
        if id(part) not in seen:
            try:
                cloudpickle.dumps(part)
            except Exception as inner:
                return _culprit(path + name, part, inner, seen)
    return path, problem


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    """What a value is made of, under the names by which its parts are reached."""
    if isinstance(value, dict):
        yield from ((f"[{key!r}]", part) for key, part in value.items())
    elif isinstance(value, (list, tuple)):
        yield from ((f"[{i}]", part) for i, part in enumerate(value))
    elif isinstance(value, types.FunctionType):
        cells = zip(value.__code__.co_freevars, value.__closure__ or ())
        known = {name: value.__globals__[name] for name in value.__code__.co_names if name in value.__globals__}
        known |= {name: cell.cell_contents for name, cell in cells}
        yield from ((f": its variable '{name}'", part) for name, part in known.items())
    elif isinstance(value, types.MethodType):
        yield ".__self__", value.__self__
    elif not isinstance(value, type):
        slots = [
            name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ()) if hasattr(value, name)
        ]
        for name in [*slots, *getattr(value, "__dict__", {})]:
            yield f".{name}", getattr(value, name)

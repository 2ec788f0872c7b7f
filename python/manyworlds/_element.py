"""`Element`: an element of a Spec, with the attributes of MJCF."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from ._tables import Kind, unknown


class Owner(Protocol):
    """What an element asks of the Spec that holds it."""

    _core: Any
    # counts up with each element that is removed
    _removals: int

    def add(self, tag: str, parent: Element | str | None = None, content: str = "", **attributes: Any) -> Element:
        """Adds an element to another one."""


def _text(name: str, value: Any) -> str:
    """A value as MJCF: numbers and lists of numbers, flags, names."""
    if isinstance(value, str):
        return value
    if isinstance(value, Element):
        return value.name
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    array = np.asarray(value)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"'{name}' is text, a flag, or numbers, got {value!r}")
    return " ".join(repr(x) for x in array.reshape(-1).tolist())


def written(given: dict[str, Any]) -> list[tuple[str, str]]:
    """Attributes as MJCF; None is not given, and an underscore behind a word of Python's is dropped (`class_`)."""
    return [(name.rstrip("_"), _text(name, value)) for name, value in given.items() if value is not None]


def _value(text: str) -> Any:
    """A value of MJCF: a number, an array of several, a flag, or text."""
    if text in ("true", "false"):
        return text == "true"
    words = text.split()
    try:
        numbers = [int(word) if word.lstrip("+-").isdigit() else float(word) for word in words]
    except ValueError:
        return text
    if not numbers:
        return text
    return numbers[0] if len(numbers) == 1 else np.array(numbers, dtype=np.float64)


class Element:
    """An element of a Spec. Its attributes have the names of MJCF: `element.size`, `element.size = [0.1, 0.2, 0.3]`.

    Angles are radians. A body, frame or site holds others: `body.add("geom", size=[0.1])`.
    """

    __slots__ = ("_id", "_kind", "_removals", "_spec")

    _spec: Owner
    _kind: Kind
    _id: int
    _removals: int

    def __init__(self, spec: Owner, kind: Kind, element_id: int) -> None:
        for name, value in (("_spec", spec), ("_kind", kind), ("_id", element_id), ("_removals", spec._removals)):
            object.__setattr__(self, name, value)

    @property
    def kind(self) -> str:
        """Kind of the element: "body", "geom", …"""
        return self._kind.name

    @property
    def id(self) -> int:
        """Place in the list of its kind. RuntimeError once an element was removed, which changes these places."""
        if self._removals != self._spec._removals:
            raise RuntimeError(f"elements were removed since this {self._kind.word} was looked up: look it up again")
        return self._id

    @property
    def name(self) -> str:
        """Name, "" for none; names can be set."""
        return self._spec._core.names(self._kind.name)[self.id]

    @property
    def attributes(self) -> dict[str, Any]:
        """All attributes with their values; NotImplementedError for kinds that are not read back."""
        return {name: _value(text) for name, text in self._spec._core.attributes(self._kind.name, self.id)}

    def set(self, **attributes: Any) -> Element:
        """Changes attributes; those that are not named keep their values.

        Raises ModelError (a ValueError) for an attribute that is unknown or wrong, and changes nothing then.
        """
        self._spec._core.set(self._kind.name, self.id, written(attributes))
        return self

    def add(self, tag: str, content: str = "", **attributes: Any) -> Element:
        """Adds an element to this body or frame, or at this site: see Spec.add."""
        return self._spec.add(tag, self, content, **attributes)

    def remove(self, referrers: bool = False) -> None:
        """Removes the element with what it holds.

        Raises ValueError if others refer to it, unless these go with it (`referrers`).
        """
        self._spec._core.remove(self._kind.name, self.id, referrers)
        self._spec._removals += 1

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        known = self.attributes
        name = attribute.rstrip("_")
        if name not in known:
            raise AttributeError(unknown(f"attribute of a {self._kind.word}", name, known))
        return known[name]

    def __setattr__(self, attribute: str, value: Any) -> None:
        self.set(**{attribute: value})

    def __repr__(self) -> str:
        return f"<{self._kind.word} {self.name!r}, id {self._id}>"
